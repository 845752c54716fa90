/** An app's signing keys or client secrets: created (shown once), listed, deleted. */
import { useState } from 'preact/hooks'
import { read, send } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { ask } from '../parts/ask.tsx'
import { ActButton, useAct } from '../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { Secret } from './secret.tsx'

type Key = {
  readonly id: number
  readonly fingerprint?: string
  readonly last_eight?: string
  readonly created_at: string
}

const words = {
  keys: { title: 'Private keys', one: 'private key', text: 'The app signs its JSON web tokens with one of these.' },
  secrets: {
    title: 'Client secrets',
    one: 'client secret',
    text: 'The app exchanges codes for tokens with one of these.',
  },
} as const

export function AppKeys({ path, kind }: { path: string; kind: keyof typeof words }) {
  const { title, one, text } = words[kind]
  const found = useLoad(`${kind} of ${path}`, () => read<readonly Key[]>(`${path}/${kind}`))
  const [made, setMade] = useState<string>()
  const act = useAct()
  const make = () =>
    act.run(async () => {
      const key = await send<{ pem?: string; client_secret?: string }>('POST', `${path}/${kind}`)
      setMade(key.pem ?? key.client_secret)
      found.reload()
    })
  const remove = (key: Key) =>
    act.run(async () => {
      const name = nameOf(key)
      if (
        !(await ask({
          title: `Delete ${name}?`,
          text: 'Programs that use it stop working immediately.',
          action: 'Delete',
        }))
      )
        return
      await send('DELETE', `${path}/${kind}/${key.id}`)
      setMade(undefined)
      found.reload()
    })
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p>{text}</p>
      <FailedAct act={act} />
      {made && <Secret what={`the ${one}`} text={made} isLong={kind === 'keys'} />}
      <Ready of={found}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={`No ${one} yet.`} />
          ) : (
            <ul class="plain-list">
              {list.map((key) => (
                <li key={key.id} class="row spread access-row">
                  <span>
                    <code class="strong">{nameOf(key)}</code>{' '}
                    <span class="small soft">
                      created <When at={Date.parse(key.created_at)} />
                    </span>
                  </span>
                  <ActButton act={act} what={`Delete ${nameOf(key)}`} run={() => remove(key)}>
                    Delete
                  </ActButton>
                </li>
              ))}
            </ul>
          )
        }
      </Ready>
      <p>
        <button type="button" class="button" disabled={act.isBusy} onClick={() => void make()}>
          New {one}
        </button>
      </p>
    </section>
  )
}

const nameOf = ({ fingerprint, last_eight: hint, id }: Key): string => fingerprint ?? (hint ? `…${hint}` : String(id))
