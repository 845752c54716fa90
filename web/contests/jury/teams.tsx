/** The teams of a contest: a list to search, one team's form, and many from a list. */
import { useState } from 'preact/hooks'
import { drawPassword } from '../../../src/accounts/drawn-password.ts'
import type { Contest, ListedTeam, Team } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { useRevealed } from '../../parts/revealed.ts'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { actsHead, type Column, Table } from '../../parts/table.tsx'
import { joinSlips, PasswordSlips, type Slip } from '../../teach/classes/password-slips.tsx'
import { contestPath } from '../shown.ts'
import { useTeams } from '../teams.ts'
import { ImportTeams } from './import-teams.tsx'
import { ManagePage } from './manage-page.tsx'

export const ManageTeams = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="teams">
    {({ contest }, { reload }) => <Teams contest={contest} reloadContest={reload} />}
  </ManagePage>
)

const mostShown = 100

function Teams({ contest, reloadContest }: { contest: Contest; reloadContest(): void }) {
  const loaded = useTeams(contest.ID)
  const act = useAct()
  const [sought, setSought] = useState('')
  const [edited, setEdited] = useState<Team>()
  const [slips, setSlips] = useState<readonly Slip[]>([])
  const showSlips = (next: readonly Slip[]) => setSlips((now) => joinSlips(now, next))
  const reload = () => {
    loaded.reload()
    reloadContest()
  }
  const remove = ({ ID, Name }: Team) =>
    act.run(async () => {
      const text = 'Its accounts stay. A team with submissions can’t be removed.'
      if (!(await ask({ title: `Remove ${Name}?`, text, action: 'Remove' }))) return
      await call('delete_contest_team', { ContestID: contest.ID, ID })
      reload()
    })
  const resetPassword = (team: Team, { ID, AccountName }: ListedTeam['PasswordAccountList'][number]) =>
    act.run(async () => {
      const text = `The old password of ${AccountName} stops working and all its sessions end. The new one is shown here once.`
      if (!(await ask({ title: `A new password for ${team.Name}?`, text, action: 'Set a new password' }))) return
      const password = drawPassword()
      await call('update_account', { ID, Password: password })
      showSlips([{ login: AccountName, name: team.Name, password }])
    })
  const groupNames = new Map(contest.GroupList.map(({ ID, Name }) => [ID, Name]))
  const columns: readonly Column<ListedTeam>[] = [
    {
      head: 'Team',
      cell: ({ Name, IsHidden }) => (
        <>
          {Name} {IsHidden && <span class="badge">Hidden</span>}
        </>
      ),
    },
    {
      head: 'Accounts',
      cell: ({ AccountNameList }) =>
        AccountNameList.length === 0 ? (
          <span class="badge wait">None</span>
        ) : (
          AccountNameList.map((name) => (
            <span key={name}>
              <code>{name}</code>{' '}
            </span>
          ))
        ),
    },
    {
      head: 'Groups',
      class: 'roomy-only',
      look: 'soft',
      cell: ({ GroupIDList }) => GroupIDList.map((id) => groupNames.get(id) ?? id).join(', '),
    },
    {
      head: actsHead,
      look: 'acts',
      cell: (team) => (
        <>
          <ActButton act={act} what={`Edit ${team.Name}`} run={() => setEdited(team)}>
            Edit
          </ActButton>
          {team.PasswordAccountList.map((account, _, { length }) => (
            <ActButton
              key={account.ID}
              act={act}
              what={`New password for ${account.AccountName}`}
              run={() => resetPassword(team, account)}
            >
              New password{length > 1 && `: ${account.AccountName}`}
            </ActButton>
          ))}
          <ActButton act={act} what={`Remove ${team.Name}`} run={() => remove(team)}>
            Remove
          </ActButton>
        </>
      ),
    },
  ]
  return (
    <div class="stack">
      <FailedAct act={act} />
      <ImportTeams contest={contest} showSlips={showSlips} reload={reload}>
        {slips.length > 0 && (
          <PasswordSlips slips={slips} path={contestPath(contest.ID)} dismiss={() => setSlips([])} />
        )}
      </ImportTeams>
      {edited && (
        <TeamForm
          key={edited.ID}
          contest={contest}
          team={edited}
          close={() => {
            setEdited(undefined)
            reload()
          }}
        />
      )}
      <div class="no-print">
        <Ready of={loaded}>
          {(teams) => {
            const words = sought.trim().toLowerCase()
            const found = teams.filter(({ Name, ID, AccountNameList }) =>
              `${Name} ${ID} ${AccountNameList.join(' ')}`.toLowerCase().includes(words),
            )
            return (
              <>
                <search class="row filters">
                  <input
                    class="input small"
                    type="search"
                    aria-label="Find a team or login"
                    placeholder="Find a team or login"
                    value={sought}
                    onInput={(event) => setSought(event.currentTarget.value)}
                  />
                  <span class="soft small">
                    {found.length > mostShown ? `The first ${mostShown} of ` : ''}
                    {found.length === 1 ? '1 team' : `${found.length.toLocaleString('en')} teams`}
                  </span>
                </search>
                <div class="card flush scroll">
                  {found.length === 0 ? (
                    <Empty title={teams.length === 0 ? 'There are no teams yet' : 'No team matches'} />
                  ) : (
                    <Table
                      class="table fold"
                      rows={found.slice(0, mostShown)}
                      columns={columns}
                      keyOf={({ ID }) => ID}
                    />
                  )}
                </div>
              </>
            )
          }}
        </Ready>
      </div>
    </div>
  )
}

function TeamForm({ contest, team, close }: { contest: Contest; team: Team; close(): void }) {
  const act = useAct()
  const [draft, setDraft] = useState(team)
  const [accounts, setAccounts] = useState(team.AccountNameList.join(' '))
  const place = useRevealed<HTMLHeadingElement>(team.ID)
  const change = (part: Partial<Team>) => setDraft((now) => ({ ...now, ...part }))
  const submit = async () => {
    const AccountNameList = accounts.split(/[\s,;]+/).filter(Boolean)
    await call('put_contest_team', { ContestID: contest.ID, ...draft, AccountNameList })
    close()
  }
  const toggle = (id: string, isIn: boolean) =>
    change({ GroupIDList: isIn ? [...draft.GroupIDList, id] : draft.GroupIDList.filter((one) => one !== id) })
  return (
    <section class="card no-print" aria-labelledby="edit-team">
      <h2 id="edit-team" tabIndex={-1} ref={place}>
        Edit {team.Name}
      </h2>
      <Form act={act} submit={submit}>
        <div class="pair">
          <Field label="Name">
            <input
              value={draft.Name}
              maxLength={256}
              required
              onInput={(event) => change({ Name: event.currentTarget.value })}
            />
          </Field>
          <Field label="Label" hint="Its seat or number.">
            <input
              value={draft.Label}
              maxLength={64}
              onInput={(event) => change({ Label: event.currentTarget.value })}
            />
          </Field>
          <Field label="Logins" hint="Separate logins with spaces.">
            <input class="mono" value={accounts} onInput={(event) => setAccounts(event.currentTarget.value)} />
          </Field>
          <Field label="Extra penalty (minutes)">
            <input
              type="number"
              value={draft.ExtraPenalty}
              required
              onInput={(event) => change({ ExtraPenalty: Number(event.currentTarget.value) })}
            />
          </Field>
        </div>
        {contest.GroupList.length > 0 && (
          <fieldset class="plain below-fields">
            <legend class="label">Groups</legend>
            <div class="row">
              {contest.GroupList.map(({ ID, Name }) => (
                <label class="check inline" key={ID}>
                  <input
                    type="checkbox"
                    checked={draft.GroupIDList.includes(ID)}
                    onChange={(event) => toggle(ID, event.currentTarget.checked)}
                  />
                  <span>{Name}</span>
                </label>
              ))}
            </div>
          </fieldset>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={draft.IsHidden}
            onChange={(event) => change({ IsHidden: event.currentTarget.checked })}
          />
          <span>
            Hidden <small class="soft">Not on any scoreboard: for jury tests.</small>
          </span>
        </label>
        <div class="row">
          <Submit act={act} busy="Saving …">
            Save team
          </Submit>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </Form>
    </section>
  )
}
