/** One's personal tokens: for scripts, git and other programs. Made and shown once, listed with their last use, revoked. */
import type { Token } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { ask } from '../parts/ask.tsx'
import { formatTime } from '../parts/figures.ts'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Failed, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { NewToken } from './new-token.tsx'

export function Tokens() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

function View() {
  const { page, Offset, Limit } = usePage()
  const loaded = useLoad(`tokens ${page}`, () => call('get_token_list', { Offset, Limit }))
  return (
    <>
      <Heading title="Tokens" note="In place of your password, for scripts, git and other programs." />
      <AccountTabs />
      <div class="side">
        <div class="stack">
          <Ready of={loaded}>
            {({ TotalTokenCount, TokenList }) => (
              <div>
                <div class="card flush scroll">
                  {TotalTokenCount === 0 ? (
                    <Empty title="You have no tokens">
                      <p>
                        Make one, then send it as <code>Authorization: Bearer …</code>, or give it to git as the
                        password.
                      </p>
                    </Empty>
                  ) : (
                    <Table list={TokenList} reload={loaded.reload} />
                  )}
                </div>
                <Pager total={TotalTokenCount} what="tokens" />
              </div>
            )}
          </Ready>
          <p class="soft small">
            What you have let apps do is listed under{' '}
            <a href="/settings/applications" target="_blank" rel="noreferrer">
              applications
            </a>
            .
          </p>
        </div>
        <NewToken onMade={loaded.reload} />
      </div>
    </>
  )
}

function Table({ list, reload }: { list: readonly Token[]; reload(): void }) {
  const act = useAct()
  const revoke = (token: Token) =>
    act.run(async () => {
      const title = `Revoke ${token.Note ? `“${token.Note}”` : `the token …${token.Hint}`}?`
      const text = 'Whatever uses it is refused from then on. This can’t be undone.'
      if (!(await ask({ title, text, action: 'Revoke the token' }))) return
      await call('delete_token', { ID: token.ID })
      reload()
    })
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="hidden-text">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((token) => (
            <tr key={token.ID}>
              <td>
                {token.Note || <span class="soft">without a note</span>}
                {token.IsBanned && <span class="badge bad">Banned</span>}
                <br />
                <small class="soft">
                  {token.Kind}, <span class="nowrap">…{token.Hint}</span>
                </small>
                <br />
                <small>
                  <Powers token={token} />
                </small>
              </td>
              <td class="small">
                {token.LastUsedTime === null ? 'never' : <When at={token.LastUsedTime} />}
                {token.ExpiryTime !== null && <Ending at={token.ExpiryTime} />}
              </td>
              <td class="number">
                <button
                  type="button"
                  class="button quiet tight"
                  disabled={act.isBusy}
                  onClick={() => void revoke(token)}
                  aria-label={`Revoke ${token.Note || `the token …${token.Hint}`}`}
                >
                  Revoke
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function Powers({ token: { ScopeList, PermissionList, RepositoryIDList, Kind } }: { token: Token }) {
  const words = [...ScopeList, ...PermissionList.map(({ Name, Level }) => `${Name}: ${Level}`)]
  const repositories = RepositoryIDList === null ? 'all repositories' : `${RepositoryIDList.length} repositories`
  return (
    <>
      May: {words.join(', ') || 'what is public'}
      {Kind === 'fine-grained' && <span class="soft">, with {repositories}</span>}
    </>
  )
}

const Ending = ({ at }: { at: number }) => (
  <>
    <br />
    <span class="soft">{at < Date.now() ? 'expired' : `until ${formatTime(at)}`}</span>
  </>
)
