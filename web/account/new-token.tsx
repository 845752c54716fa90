/** Creates a personal token with its kind, scopes and expiry. It is shown once, below the button. */
import { useEffect, useState } from 'preact/hooks'
import type { TokenDraft } from '../api/operations.ts'
import { listOwnOrganisations } from '../api/people.ts'
import { call } from '../api/rpc.ts'
import { isAdmin, useSession } from '../app/session.ts'
import { Copy } from '../parts/copy.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { useRevealed } from '../parts/revealed.ts'
import { isOffered, Permissions } from './token-permissions.tsx'

/** The most common scopes; scripts can request the others. */
const scopes = [
  ['judge', 'Judge: everything I can do there'],
  ['dataset', 'Data sets: read and change'],
  ['dataset:read', 'Data sets: read only'],
  ['repo', 'Repositories: read and change'],
  ['delete_repo', 'Repositories: delete'],
  ['admin:org', 'Organisations: members, teams, settings'],
  ['notifications', 'Notifications'],
  ['user', 'Profile'],
] as const
const forAdmins = [['site_admin', 'This server: accounts, tokens, bans']] as const

const dayMs = 86_400_000
const spans = [
  [30, 'in 30 days'],
  [90, 'in 90 days'],
  [365, 'in a year'],
  [0, 'never'],
] as const

type Made = { readonly note: string; readonly text: string }

export function NewToken({ onMade }: { onMade(): void }) {
  const act = useAct()
  const [kind, setKind] = useState('classic')
  const [note, setNote] = useState('')
  const [days, setDays] = useState<number>(90)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [owner, setOwner] = useState('')
  const [levels, setLevels] = useState<Readonly<Record<string, string>>>({})
  const [made, setMade] = useState<Made>()
  const submit = async () => {
    const draft: TokenDraft = {
      Kind: kind,
      Note: note.trim(),
      ...(kind === 'classic'
        ? { ScopeList: chosen }
        : {
            ...(owner !== '' && { ResourceOwner: owner }),
            PermissionList: Object.entries(levels)
              .filter(([name, level]) => level !== '' && isOffered(name, owner === ''))
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
        <Field label="Note">
          <input value={note} onInput={(event) => setNote(event.currentTarget.value)} maxLength={255} required />
        </Field>
        <Field
          label="Kind"
          hint={
            kind === 'classic'
              ? 'Its scopes limit what it can do.'
              : 'Its permissions apply to the repositories of one owner.'
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
          <>
            <Owner chosen={owner} choose={setOwner} />
            <Permissions levels={levels} change={setLevels} isForSelf={owner === ''} />
          </>
        )}
        <Field label="Expires">
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {spans.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        <Submit act={act} busy="Creating …">
          Create token
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
      <p>{note ? `The token “${note}”` : 'The token'} was created. Copy it now: it will not be shown again.</p>
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
      <legend class="label">Access</legend>
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

/** The resource owner: oneself, or an organisation that one belongs to. */
function Owner({ chosen, choose }: { chosen: string; choose(login: string): void }) {
  const [organisations, setOrganisations] = useState<readonly string[]>([])
  useEffect(() => {
    let isHere = true
    // If the list can't be read, only oneself can be chosen.
    listOwnOrganisations().then(
      (found) => isHere && setOrganisations(found),
      () => undefined,
    )
    return () => {
      isHere = false
    }
  }, [])
  return (
    <Field label="Resource owner" hint="The token has no access to private resources of other owners.">
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">myself</option>
        {organisations.map((login) => (
          <option key={login} value={login}>
            {login}
          </option>
        ))}
      </select>
    </Field>
  )
}
