/** One's personal tokens: for scripts, git and other programs. Made and shown once, listed with their last use, revoked. */
import { useState } from 'preact/hooks'
import type { Token } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useSignedIn } from '../app/page.ts'
import { ask } from '../parts/ask.tsx'
import { formatTime } from '../parts/figures.ts'
import { ActButton, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { Empty, FailedAct } from '../parts/state.tsx'
import { actsHead, type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { NewToken } from './new-token.tsx'

export function Tokens() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

async function readTokens(range: { Offset: number; Limit: number }) {
  const { TotalTokenCount, TokenList } = await call('get_token_list', range)
  return { total: TotalTokenCount, list: TokenList }
}

function View() {
  const [made, setMade] = useState(0)
  return (
    <>
      <Heading title="Tokens" note="Use a token instead of your password in scripts, git and other programs." />
      <AccountTabs />
      <div class="side">
        <div class="stack">
          <PagedList key={made} name="tokens" what="tokens" empty={<NoTokens />} read={readTokens}>
            {(list, reload) => <TokenTable list={list} reload={reload} />}
          </PagedList>
          <p class="soft small">
            Apps that may act for you are listed under <a href="/-/account/apps">apps</a>.
          </p>
        </div>
        <NewToken onMade={() => setMade(made + 1)} />
      </div>
    </>
  )
}

const NoTokens = () => (
  <Empty title="You have no tokens">
    <p>
      Create one, then send it as <code>Authorization: Bearer …</code>, or use it as the password in git.
    </p>
  </Empty>
)

function TokenTable({ list, reload }: { list: readonly Token[]; reload(): void }) {
  const act = useAct()
  const revoke = (token: Token) =>
    act.run(async () => {
      const title = `Revoke ${token.Note ? `“${token.Note}”` : `the token …${token.Hint}`}?`
      const text = 'Programs that use it stop working. This can’t be undone.'
      if (!(await ask({ title, text, action: 'Revoke token' }))) return
      await call('delete_token', { ID: token.ID })
      reload()
    })
  const columns: readonly Column<Token>[] = [
    { head: 'Token', cell: (token) => <Described token={token} /> },
    {
      head: 'Last used',
      look: 'small',
      cell: ({ LastUsedTime, ExpiryTime }) => (
        <>
          {LastUsedTime === null ? 'never' : <When at={LastUsedTime} />}
          {ExpiryTime !== null && <Ending at={ExpiryTime} />}
        </>
      ),
    },
    {
      head: actsHead,
      look: 'number',
      cell: (token) => (
        <ActButton act={act} what={`Revoke ${token.Note || `the token …${token.Hint}`}`} run={() => revoke(token)}>
          Revoke
        </ActButton>
      ),
    },
  ]
  return (
    <>
      <FailedAct act={act} />
      <Table rows={list} columns={columns} keyOf={({ ID }) => ID} />
    </>
  )
}

const Described = ({ token }: { token: Token }) => (
  <>
    {token.Note || <span class="soft">no note</span>}
    {token.IsBanned && <span class="badge bad">Banned</span>}
    <br />
    <small class="soft">
      {token.Kind}, <span class="nowrap">…{token.Hint}</span>
    </small>
    <br />
    <small>
      <Powers token={token} />
    </small>
  </>
)

function Powers({ token }: { token: Token }) {
  const { ScopeList, PermissionList, RepositoryIDList, ResourceOwner } = token
  const words = [...ScopeList, ...PermissionList.map(({ Name, Level }) => `${Name}: ${Level}`)]
  const count = RepositoryIDList?.length ?? 0
  const repositories =
    RepositoryIDList === null ? 'all repositories' : `${count} ${count === 1 ? 'repository' : 'repositories'}`
  return (
    <>
      Access: {words.join(', ') || 'public data only'}
      {ResourceOwner !== null && (
        <span class="soft">
          , in {repositories} of {ResourceOwner}
        </span>
      )}
    </>
  )
}

const Ending = ({ at }: { at: number }) => (
  <>
    <br />
    <span class="soft">{at < Date.now() ? 'expired' : `until ${formatTime(at)}`}</span>
  </>
)
