/** One's sessions, each with a button to end it. */
import type { Session } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useSignedIn } from '../app/page.ts'
import { ActButton, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { FailedAct } from '../parts/state.tsx'
import { actsHead, type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'

export function Sessions() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

async function readSessions(range: { Offset: number; Limit: number }) {
  const { TotalSessionCount, SessionList } = await call('get_session_list', range)
  return { total: TotalSessionCount, list: SessionList }
}

const View = () => (
  <div class="text-width">
    <Heading title="Sessions" note="Where you are signed in. A session ends one day after its last use." />
    <AccountTabs />
    <PagedList name="sessions" what="sessions" read={readSessions}>
      {(list, reload) => <SessionTable list={list} reload={reload} />}
    </PagedList>
  </div>
)

function SessionTable({ list, reload }: { list: readonly Session[]; reload(): void }) {
  const act = useAct()
  const end = (ID: string) =>
    act.run(async () => {
      await call('end_session', { ID })
      reload()
    })
  const columns: readonly Column<Session>[] = [
    { head: 'Started', class: 'wide-only', cell: ({ CreatedTime }) => <When at={CreatedTime} /> },
    { head: 'Last used', cell: ({ LastUsedTime }) => <When at={LastUsedTime} /> },
    {
      head: actsHead,
      look: 'number',
      cell: ({ ID, IsCurrent }, at) =>
        IsCurrent ? (
          <span class="badge good">This session</span>
        ) : (
          <ActButton act={act} what={`End session ${at + 1}`} run={() => end(ID)}>
            End
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
