/** Making a personal token: of what kind, what for, what it may, and until when. It is shown once, below the button. */
import { useState } from 'preact/hooks'
import type { TokenDraft } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { isAdmin, useSession } from '../app/session.ts'
import { Copy } from '../parts/copy.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { useRevealed } from '../parts/revealed.ts'

/** Those that people ask for most; a script may ask for each of the others. */
const scopes = [
  ['judge', 'The judge: all that I may there'],
  ['dataset', 'My data sets: read and change'],
  ['dataset:read', 'My data sets: read'],
  ['repo', 'My repositories: read and change'],
  ['delete_repo', 'My repositories: delete'],
  ['admin:org', 'My organisations: members, teams, settings'],
  ['notifications', 'My notifications'],
  ['user', 'My profile'],
] as const
const forAdmins = [['site_admin', 'This server: accounts, tokens, bans']] as const

const permissions = [
  ['contents', 'Code'],
  ['issues', 'Issues'],
  ['pull_requests', 'Pulls'],
  ['administration', 'Settings of repositories'],
  ['repository_hooks', 'Webhooks'],
  ['statuses', 'Statuses of commits'],
  ['datasets', 'Data sets'],
] as const

const dayMs = 86_400_000
const spans = [
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
  [0, 'until I revoke it'],
] as const

type Made = { readonly note: string; readonly text: string }

export function NewToken({ onMade }: { onMade(): void }) {
  const act = useAct()
  const [kind, setKind] = useState('classic')
  const [note, setNote] = useState('')
  const [days, setDays] = useState<number>(90)
  const [chosen, setChosen] = useState<readonly string[]>(['judge'])
  const [levels, setLevels] = useState<Readonly<Record<string, string>>>({})
  const [made, setMade] = useState<Made>()
  const submit = async () => {
    const draft: TokenDraft = {
      Kind: kind,
      Note: note.trim(),
      ...(kind === 'classic'
        ? { ScopeList: chosen }
        : {
            PermissionList: Object.entries(levels)
              .filter(([, level]) => level !== '')
              .map(([Name, Level]) => ({ Name, Level })),
          }),
      ...(days > 0 && { ExpiryTime: Date.now() + days * dayMs }),
    }
    const { Text } = await call('create_token', draft)
    setMade({ note: note.trim(), text: Text })
    setNote('')
    onMade()
  }
  return (
    <section class="card" aria-labelledby="new-token">
      <h2 id="new-token">New token</h2>
      <Form act={act} submit={submit}>
        <Field label="What for">
          <input value={note} onInput={(event) => setNote(event.currentTarget.value)} maxLength={255} required />
        </Field>
        <Field
          label="Kind"
          hint={
            kind === 'classic' ? 'It may what its scopes say.' : 'It may with all my repositories what is chosen here.'
          }
        >
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="classic">classic</option>
            <option value="fine-grained">fine-grained</option>
          </select>
        </Field>
        {kind === 'classic' ? (
          <Scopes chosen={chosen} choose={setChosen} />
        ) : (
          <Permissions levels={levels} change={setLevels} />
        )}
        <Field label="Good for">
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {spans.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        <Submit act={act} busy="Making it …">
          Make the token
        </Submit>
      </Form>
      {made && <MadeToken made={made} />}
    </section>
  )
}

function MadeToken({ made }: { made: Made }) {
  const { note, text } = made
  const place = useRevealed<HTMLDivElement>(made)
  return (
    <div class="notice good below" role="status" tabIndex={-1} ref={place}>
      <p>{note ? `The token “${note}”` : 'The token'} is made. Copy it now: it is shown this once.</p>
      <p>
        <code class="secret">{text}</code> <Copy text={text} what="the token" />
      </p>
    </div>
  )
}

function Scopes({ chosen, choose }: { chosen: readonly string[]; choose(list: readonly string[]): void }) {
  const session = useSession()
  return (
    <fieldset class="plain">
      <legend class="label">It may</legend>
      {[...scopes, ...(isAdmin(session) ? forAdmins : [])].map(([name, text]) => (
        <label class="check" key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) =>
              choose(event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          <span>
            {text} <code class="soft">{name}</code>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type Levels = Readonly<Record<string, string>>

const Permissions = ({ levels, change }: { levels: Levels; change(levels: Levels): void }) => (
  <fieldset class="plain">
    <legend class="label">It may</legend>
    {permissions.map(([name, text]) => (
      <label class="row spread" key={name}>
        <span>{text}</span>
        <select
          class="input small"
          value={levels[name] ?? ''}
          onChange={(event) => change({ ...levels, [name]: event.currentTarget.value })}
        >
          <option value="">nothing</option>
          <option value="read">read</option>
          <option value="write">read and change</option>
        </select>
      </label>
    ))}
  </fieldset>
)
