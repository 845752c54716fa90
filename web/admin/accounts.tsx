/** Accounts and their roles, and new ones from a list. */
import { useState } from 'preact/hooks'
import { drawPassword } from '../../src/accounts/class-list.ts'
import type { Account, Role } from '../api/operations.ts'
import { suspend } from '../api/people.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Only } from '../parts/only.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { roleNames } from '../parts/roles.ts'
import { Done, Failed, Ready } from '../parts/state.tsx'
import { AdminTabs } from './admin-tabs.tsx'
import { ClassList } from './class-list.tsx'

export function Accounts() {
  return (
    <Only who="admins" title="Accounts">
      <View />
    </Only>
  )
}

function View() {
  const { page, Offset, Limit } = usePage()
  const loaded = useLoad(`accounts ${page}`, () => call('get_account_list', { Offset, Limit }))
  return (
    <>
      <Heading title="Accounts" />
      <AdminTabs />
      <div class="side">
        <div class="no-print">
          <Ready of={loaded}>
            {({ TotalAccountCount, AccountList }) => (
              <>
                <div class="card flush scroll">
                  <Table list={AccountList} reload={loaded.reload} />
                </div>
                <Pager total={TotalAccountCount} what="accounts" />
              </>
            )}
          </Ready>
        </div>
        <ClassList reload={loaded.reload} />
      </div>
    </>
  )
}

function Table({ list, reload }: { list: readonly Account[]; reload(): void }) {
  const own = useSession().account!.ID
  const act = useAct()
  const [drawn, setDrawn] = useState<{ name: string; password: string }>()
  const setRole = (account: Account, role: string) =>
    act.run(async () => {
      await call('update_account', { ID: account.ID, Role: role })
      reload()
    })
  const resetPassword = (account: Account) =>
    act.run(async () => {
      const title = `A new password for ${account.AccountName}?`
      const text = 'The present one ends at once, and with it all their sessions. The new one is shown here once.'
      if (!(await ask({ title, text, action: 'Draw a new password' }))) return
      const password = drawPassword()
      await call('update_account', { ID: account.ID, Password: password })
      setDrawn({ name: account.AccountName, password })
    })
  const retire = (account: Account) =>
    act.run(async () => {
      const name = account.AccountName
      const text =
        'They sign in no more, and their tokens are refused. Their work and results stay; you can reinstate them.'
      if (!account.IsSuspended && !(await ask({ title: `Retire ${name}?`, text, action: `Retire ${name}` }))) return
      await suspend(name, !account.IsSuspended)
      reload()
    })
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      {drawn && (
        <Done>
          {drawn.name} signs in with <code>{drawn.password}</code> from now on. It is shown this once.
        </Done>
      )}
      <table class="table fold">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Shown as</th>
            <th scope="col">Role</th>
            <th scope="col">
              <span class="hidden-text">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((account) => (
            <tr key={account.ID}>
              <td>
                <a href={`/-/judge/submissions?by=${account.ID}`}>{account.AccountName}</a>
              </td>
              <td>
                {account.DisplayName} {account.IsSuspended && <span class="badge">Retired</span>}
              </td>
              <td>
                <select
                  class="input small"
                  aria-label={`Role of ${account.AccountName}`}
                  value={account.Role}
                  disabled={act.isBusy || account.ID === own}
                  onChange={(event) => void setRole(account, event.currentTarget.value)}
                >
                  {(Object.keys(roleNames) as Role[]).map((role) => (
                    <option key={role} value={role}>
                      {roleNames[role]}
                    </option>
                  ))}
                </select>
              </td>
              <td class="acts">
                <button
                  type="button"
                  class="button quiet tight"
                  aria-label={`New password for ${account.AccountName}`}
                  onClick={() => void resetPassword(account)}
                >
                  New password
                </button>
                {account.ID !== own && (
                  <button
                    type="button"
                    class="button quiet tight"
                    aria-label={
                      account.IsSuspended ? `Reinstate ${account.AccountName}` : `Retire ${account.AccountName}`
                    }
                    onClick={() => void retire(account)}
                  >
                    {account.IsSuspended ? 'Reinstate' : 'Retire'}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
