/** Deploy keys: SSH keys that read this repository alone, or write to it. */
import { useState } from 'preact/hooks'
import { readList, repositoryPath, send } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { ask } from '../../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import type { SettingsProps } from './props.ts'

type DeployKey = {
  readonly id: number
  readonly title: string
  readonly key: string
  readonly read_only: boolean
  readonly created_at: string
  readonly last_used: string | null
  readonly added_by: string | null
}

const shorten = (key: string): string => {
  const [kind = '', text = ''] = key.split(' ')
  return `${kind} …${text.slice(-16)}`
}

export function DeployKeys({ repository }: SettingsProps) {
  const path = repositoryPath(repository.owner.login, repository.name, 'keys')
  const found = useLoad(`deploy keys ${path}`, () => readList<DeployKey>(path, { per_page: 100 }))
  const act = useAct()
  const remove = ({ id, title }: DeployKey) =>
    act.run(async () => {
      if (!(await ask({ title: `Delete “${title}”?`, text: 'It stops working immediately.', action: 'Delete key' })))
        return
      await send('DELETE', `${path}/${id}`)
      found.reload()
    })
  return (
    <div class="text-width">
      <FailedAct act={act} />
      <Ready of={found}>
        {({ items, hasMore }) => (
          <section class="card flush">
            <h2 class="card-title">Deploy keys</h2>
            {items.length === 0 && <Empty title="No deploy keys yet." />}
            <ul class="plain-list">
              {items.map((key) => (
                <li key={key.id} class="list-row row spread access-row">
                  <span>
                    <span class="strong">{key.title}</span>{' '}
                    <span class="badge">{key.read_only ? 'Read' : 'Read and write'}</span>
                    <br />
                    <small class="soft">
                      <code>{shorten(key.key)}</code> · added <When at={Date.parse(key.created_at)} />
                      {key.added_by && ` by ${key.added_by}`} ·{' '}
                      {key.last_used ? (
                        <>
                          last used <When at={Date.parse(key.last_used)} />
                        </>
                      ) : (
                        'never used'
                      )}
                    </small>
                  </span>
                  <ActButton act={act} what={`Delete ${key.title}`} run={() => remove(key)}>
                    Delete
                  </ActButton>
                </li>
              ))}
            </ul>
            {hasMore && <p class="small soft list-row">The first 100 keys are shown.</p>}
          </section>
        )}
      </Ready>
      {!repository.archived && (
        <NewDeployKey
          add={async (key) => {
            await send('POST', path, key)
            found.reload()
          }}
        />
      )}
    </div>
  )
}

function NewDeployKey({ add }: { add(key: object): Promise<void> }) {
  const [title, setTitle] = useState('')
  const [key, setKey] = useState('')
  const [mayWrite, setWrite] = useState(false)
  const act = useAct()
  const submit = async () => {
    await add({ title: title.trim(), key: key.trim(), read_only: !mayWrite })
    setTitle('')
    setKey('')
    setWrite(false)
  }
  return (
    <section class="card below">
      <h2>New deploy key</h2>
      <p>A machine that has the private half of the key reaches this repository over SSH, and no other.</p>
      <Form act={act} submit={submit}>
        <Field label="Title">
          <input value={title} required maxLength={100} onInput={(event) => setTitle(event.currentTarget.value)} />
        </Field>
        <Field label="Key" hint="The public half, such as “ssh-ed25519 AAAA… deploy@server”.">
          <textarea
            class="mono"
            rows={4}
            value={key}
            required
            spellcheck={false}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </Field>
        <label class="check">
          <input type="checkbox" checked={mayWrite} onChange={(event) => setWrite(event.currentTarget.checked)} />
          <span>
            Allow write access <small class="soft">The key can push, too.</small>
          </span>
        </label>
        <Submit act={act}>Add deploy key</Submit>
      </Form>
    </section>
  )
}
