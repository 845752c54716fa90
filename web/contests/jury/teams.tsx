/** The teams of a contest: search, edit, remove, new passwords, and import from a list. */
import { useState } from 'preact/hooks'
import { generatePassword } from '../../../src/accounts/generated-password.ts'
import type { Contest, ListedTeam, Team } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { ActButton, useAct } from '../../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { actsHead, type Column, Table } from '../../parts/table.tsx'
import { joinSlips, PasswordSlips, type Slip } from '../../teach/classes/password-slips.tsx'
import { contestPath } from '../shown.ts'
import { useTeams } from '../teams.ts'
import { ImportTeams } from './import-teams.tsx'
import { ManagePage } from './manage-page.tsx'
import { TeamForm } from './team-form.tsx'

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
      const password = generatePassword()
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
          <ActButton
            act={act}
            what={`Edit ${team.Name}`}
            run={() => {
              const { PasswordAccountList: _, ...own } = team
              setEdited(own)
            }}
          >
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
