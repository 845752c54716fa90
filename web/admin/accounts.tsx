/** Accounts and their roles, and new ones from a list. */
import { useRef, useState } from 'preact/hooks'
import { isServersOwn } from '../../src/accounts/account-rules.ts'
import { generatePassword } from '../../src/accounts/generated-password.ts'
import type { Account, Role } from '../api/operations.ts'
import { suspend } from '../api/people.ts'
import { call } from '../api/rpc.ts'
import { useSession } from '../app/session.ts'
import { ask } from '../parts/ask.tsx'
import { type Act, ActButton, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Only } from '../parts/only.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { roleNames } from '../parts/roles.ts'
import { Done, Empty, FailedAct } from '../parts/state.tsx'
import { actsHead, type Column, Table } from '../parts/table.tsx'
import { AccountSearch, useAccountSearch } from './account-search.tsx'
import { AdminTabs } from './admin-tabs.tsx'
import { ChosenAccounts } from './chosen-accounts.tsx'
import { ClassList } from './class-list.tsx'

export function Accounts() {
  return (
    <Only who="admins" title="Accounts">
      <View />
    </Only>
  )
}

async function readAccounts(Search: string, range: { Offset: number; Limit: number }) {
  const { TotalAccountCount, AccountList } = await call('get_account_list', { ...range, Search })
  return { total: TotalAccountCount, list: AccountList }
}

function View() {
  const [made, setMade] = useState(0)
  const search = useAccountSearch()
  return (
    <>
      <Heading title="Accounts" />
      <AdminTabs />
      <div class="side">
        <div class="no-print">
          <AccountSearch />
          <PagedList
            key={made}
            name={`accounts ${search}`}
            what="accounts"
            empty={<Empty title="No account matches" />}
            read={(range) => readAccounts(search, range)}
          >
            {(list, reload) => <AccountTable list={list} reload={reload} />}
          </PagedList>
        </div>
        <ClassList reload={() => setMade((now) => now + 1)} />
      </div>
    </>
  )
}

function AccountTable({ list, reload }: { list: readonly Account[]; reload(): void }) {
  const own = useSession().account!.ID
  const act = useAct()
  const [drawn, setDrawn] = useState<{ name: string; password: string }>()
  const [changed, setChanged] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const choose = (ID: number, isChosen: boolean) =>
    setChosen((now) => new Set(isChosen ? [...now, ID] : [...now].filter((one) => one !== ID)))
  const isOwn = (account: Account) => isServersOwn({ name: account.AccountName, role: account.Role })
  const isFixed = (account: Account) => account.ID === own || isOwn(account)
  const setRole = (account: Account, role: Role) =>
    act.run(async () => {
      setChanged('')
      await call('update_account', { ID: account.ID, Role: role })
      setChanged(`${account.AccountName} now has the role ${roleNames[role]}.`)
      reload()
    })
  const resetPassword = (account: Account) =>
    act.run(async () => {
      const title = `A new password for ${account.AccountName}?`
      const text = 'The old password stops working and all their sessions end. The new one is shown here once.'
      if (!(await ask({ title, text, action: 'Set a new password' }))) return
      const password = generatePassword()
      await call('update_account', { ID: account.ID, Password: password })
      setDrawn({ name: account.AccountName, password })
    })
  const retire = (account: Account) =>
    act.run(async () => {
      const name = account.AccountName
      const text =
        'They can no longer sign in, and their tokens stop working. Their work and results stay. You can reinstate the account.'
      if (!account.IsSuspended && !(await ask({ title: `Retire ${name}?`, text, action: `Retire ${name}` }))) return
      await suspend(name, !account.IsSuspended)
      reload()
    })
  const columns: readonly Column<Account>[] = [
    {
      head: <span class="hidden-text">Choose</span>,
      cell: (account) =>
        !isFixed(account) && (
          <input
            type="checkbox"
            class="choose"
            aria-label={`Choose ${account.AccountName}`}
            checked={chosen.has(account.ID)}
            onChange={(event) => choose(account.ID, event.currentTarget.checked)}
          />
        ),
    },
    {
      head: 'Name',
      cell: ({ ID, AccountName }) => <a href={`/-/judge/submissions?by=${ID}`}>{AccountName}</a>,
    },
    {
      head: 'Display name',
      cell: ({ DisplayName, IsSuspended }) => (
        <>
          {DisplayName} {IsSuspended && <span class="badge">Retired</span>}
        </>
      ),
    },
    {
      head: 'Role',
      cell: (account) =>
        isFixed(account) ? (
          roleNames[account.Role]
        ) : (
          <RoleChoice account={account} act={act} choose={(role) => setRole(account, role)} />
        ),
    },
    {
      head: actsHead,
      look: 'acts',
      cell: (account) => (
        <>
          {!isOwn(account) && (
            <ActButton act={act} what={`New password for ${account.AccountName}`} run={() => resetPassword(account)}>
              New password
            </ActButton>
          )}
          {(account.IsSuspended || !isFixed(account)) && (
            <ActButton
              act={act}
              what={account.IsSuspended ? `Reinstate ${account.AccountName}` : `Retire ${account.AccountName}`}
              run={() => retire(account)}
            >
              {account.IsSuspended ? 'Reinstate' : 'Retire'}
            </ActButton>
          )}
        </>
      ),
    },
  ]
  return (
    <>
      <FailedAct act={act} />
      {changed && <Done>{changed}</Done>}
      {drawn && (
        <Done>
          {drawn.name} signs in with <code>{drawn.password}</code> from now on. It will not be shown again.
        </Done>
      )}
      <ChosenAccounts
        chosen={list.filter(({ ID }) => chosen.has(ID))}
        clear={() => setChosen(new Set())}
        reload={reload}
      />
      <Table class="table fold" rows={list} columns={columns} keyOf={({ ID }) => ID} />
    </>
  )
}

type RoleProps = { readonly account: Account; readonly act: Act; choose(role: Role): Promise<void> }

/** Arrow keys pass every role on their way, so a button sets the one that was meant. The focus stays in the row. */
function RoleChoice({ account, act, choose }: RoleProps) {
  const [wished, setWished] = useState(account.Role)
  const field = useRef<HTMLSelectElement>(null)
  const set = async () => {
    field.current?.focus()
    await choose(wished)
  }
  return (
    <span class="row">
      <select
        ref={field}
        class="input small"
        aria-label={`Role of ${account.AccountName}`}
        value={wished}
        onChange={(event) => setWished(event.currentTarget.value as Role)}
      >
        {(Object.keys(roleNames) as Role[]).map((role) => (
          <option key={role} value={role}>
            {roleNames[role]}
          </option>
        ))}
      </select>
      {wished !== account.Role && (
        <ActButton act={act} what={`Make ${account.AccountName} ${roleNames[wished]}`} run={set}>
          Set
        </ActButton>
      )}
    </span>
  )
}
