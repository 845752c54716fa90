/** Where one is signed in, and an end to each. */
import type { Session } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Failed, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'

export function Sessions() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

function View() {
  const { page, Offset, Limit } = usePage()
  const loaded = useLoad(`sessions ${page}`, () => call('get_session_list', { Offset, Limit }))
  return (
    <div class="text-width">
      <Heading title="Sessions" note="Where you are signed in. A session ends a day after its last use." />
      <AccountTabs />
      <Ready of={loaded}>
        {({ TotalSessionCount, SessionList }) => (
          <>
            <div class="card flush scroll">
              <Table list={SessionList} reload={loaded.reload} />
            </div>
            <Pager total={TotalSessionCount} what="sessions" />
          </>
        )}
      </Ready>
    </div>
  )
}

function Table({ list, reload }: { list: readonly Session[]; reload(): void }) {
  const act = useAct()
  const end = (ID: string) =>
    act.run(async () => {
      await call('end_session', { ID })
      reload()
    })
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      <table class="table">
        <thead>
          <tr>
            <th scope="col" class="wide-only">
              Begun
            </th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="hidden-text">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((session, at) => (
            <tr key={session.ID}>
              <td class="wide-only">
                <When at={session.CreatedTime} />
              </td>
              <td>
                <When at={session.LastUsedTime} />
              </td>
              <td class="number">
                {session.IsCurrent ? (
                  <span class="badge good">This one</span>
                ) : (
                  <button
                    type="button"
                    class="button quiet tight"
                    disabled={act.isBusy}
                    onClick={() => void end(session.ID)}
                    aria-label={`End session ${at + 1}`}
                  >
                    End
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
