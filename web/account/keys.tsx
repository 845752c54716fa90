/** One's keys: SSH keys for git, and keys that commits are signed with. */
import { useState } from 'preact/hooks'
import { readIfThere, send } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { ask } from '../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'

type Key = {
  readonly id: number
  readonly title?: string
  readonly name?: string | null
  readonly key?: string
  readonly key_id?: string
  readonly created_at?: string
  readonly last_used?: string | null
}

const kinds = [
  {
    path: '/user/keys',
    title: 'SSH keys',
    what: 'SSH key',
    add: 'Add an SSH key',
    text: 'Git connects over SSH with one of these.',
    field: 'key',
    hint: 'The public half, such as “ssh-ed25519 AAAA… ann@laptop”.',
  },
  {
    path: '/user/ssh_signing_keys',
    title: 'SSH keys for signing',
    what: 'signing key',
    add: 'Add a signing key',
    text: 'Commits and tags that are signed with one of these are shown as verified.',
    field: 'key',
    hint: 'The public half of the key that git signs with.',
  },
  {
    path: '/user/gpg_keys',
    title: 'GPG keys',
    what: 'GPG key',
    add: 'Add a GPG key',
    text: 'Commits and tags that are signed with one of these are shown as verified.',
    field: 'armored_public_key',
    hint: 'The block that begins with “-----BEGIN PGP PUBLIC KEY BLOCK-----”.',
  },
] as const

export function Keys() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? (
    <div class="text-width">
      <Heading title="Keys" note="For git over SSH, and for signed commits." />
      <AccountTabs />
      <div class="stack">
        {kinds.map((kind) => (
          <KeysOf key={kind.path} kind={kind} />
        ))}
      </div>
    </div>
  ) : null
}

function KeysOf({ kind }: { kind: (typeof kinds)[number] }) {
  const { path, title, what, text } = kind
  const found = useLoad(`keys ${path}`, async () => ({
    keys: await readIfThere<readonly Key[]>(path, { per_page: 100 }),
  }))
  const act = useAct()
  const remove = (key: Key) =>
    act.run(async () => {
      const name = nameOf(key)
      if (!(await ask({ title: `Delete “${name}”?`, text: 'It stops working immediately.', action: 'Delete key' })))
        return
      await send('DELETE', `${path}/${key.id}`)
      found.reload()
    })
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p>{text}</p>
      <FailedAct act={act} />
      <Ready of={found}>
        {({ keys }) =>
          keys === undefined ? (
            <Empty title="This server does not support these keys." />
          ) : (
            <>
              {keys.length === 0 && <Empty title={`You have no ${what} yet.`} />}
              <ul class="plain-list">
                {keys.map((key) => (
                  <li key={key.id} class="row spread access-row">
                    <span>
                      <span class="strong">{nameOf(key)}</span>
                      <br />
                      <small class="soft">
                        <code>{shorten(key)}</code>
                        {key.created_at && (
                          <>
                            {' '}
                            · added <When at={Date.parse(key.created_at)} />
                          </>
                        )}
                        {key.last_used && (
                          <>
                            {' '}
                            · last used <When at={Date.parse(key.last_used)} />
                          </>
                        )}
                      </small>
                    </span>
                    <ActButton act={act} what={`Delete ${nameOf(key)}`} run={() => remove(key)}>
                      Delete
                    </ActButton>
                  </li>
                ))}
              </ul>
              <NewKey
                kind={kind}
                save={async (body) => {
                  await send('POST', path, body)
                  found.reload()
                }}
              />
            </>
          )
        }
      </Ready>
    </section>
  )
}

const nameOf = ({ title, name, key_id: id }: Key): string => title || name || id || 'key'

function shorten({ key = '', key_id: id }: Key): string {
  if (id) return id
  const [kind = '', text = ''] = key.split(' ')
  return `${kind} …${text.slice(-16)}`
}

function NewKey({ kind, save }: { kind: (typeof kinds)[number]; save(body: object): Promise<void> }) {
  const { what, add, field, hint, path } = kind
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
  const act = useAct()
  const isGpg = path === '/user/gpg_keys'
  const submit = async () => {
    await save({ [isGpg ? 'name' : 'title']: title.trim(), [field]: text.trim() })
    setTitle('')
    setText('')
  }
  return (
    <details>
      <summary>{add}</summary>
      <Form act={act} submit={submit}>
        <Field label="Title">
          <input
            value={title}
            required={!isGpg}
            maxLength={100}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        </Field>
        <Field label="Key" hint={hint}>
          <textarea
            class="mono"
            rows={4}
            value={text}
            required
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <Submit act={act}>Add {what}</Submit>
      </Form>
    </details>
  )
}
