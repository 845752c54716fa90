/** The list of contests: running, upcoming and past. */
import type { Contest } from '../api/contests.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { isSetter, useSession } from '../app/session.ts'
import { Moment } from '../parts/due.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ContestClock, formatDuration, isOver, isRunning, StateBadge } from './contest-clock.tsx'
import { usePolling } from './polling.ts'
import { contestPath } from './shown.ts'

const size = 100
const pollMs = 30_000

export function Contests() {
  const session = useSession()
  const { page, Offset, Limit } = usePage(size)
  const loaded = useLoad(`contests ${session.account?.ID} ${page}`, () => call('get_contest_list', { Offset, Limit }))
  usePolling(loaded.reload, pollMs)
  return (
    <>
      <Heading title="Contests">
        {isSetter(session) && (
          <a class="button main" href="/-/contests/new">
            New contest
          </a>
        )}
      </Heading>
      <Ready of={loaded}>
        {({ TotalContestCount, ContestList }) =>
          TotalContestCount === 0 ? (
            <div class="card">
              <Empty title="There are no contests yet">
                <p>
                  {isSetter(session)
                    ? 'Create one: it needs a name, a length and some problems.'
                    : 'Contests that you can see appear here.'}
                </p>
              </Empty>
            </div>
          ) : (
            <div class="stack">
              <Section title="Running" list={ContestList.filter(isRunning)} />
              <Section title="Upcoming" list={ContestList.filter(({ State }) => State === 'before').sort(byStart)} />
              <Section title="Past" list={ContestList.filter(isOver).sort((a, b) => byStart(b, a))} />
              {TotalContestCount > size && <Pager total={TotalContestCount} size={size} what="contests" />}
            </div>
          )
        }
      </Ready>
    </>
  )
}

/** Those without a start come last. */
const byStart = (a: Contest, b: Contest): number =>
  (a.StartTime ?? Number.MAX_SAFE_INTEGER) - (b.StartTime ?? Number.MAX_SAFE_INTEGER)

const roleNames: Readonly<Record<Contest['Role'], string>> = {
  jury: 'Jury',
  staff: 'Staff',
  team: 'You take part',
  public: '',
}

const columns: readonly Column<Contest>[] = [
  {
    head: 'Contest',
    cell: ({ ID, Name, Role, IsPublic, IsOpen, State }) => (
      <>
        <a href={contestPath(ID)}>{Name}</a> {!IsPublic && <span class="badge">Private</span>}{' '}
        {roleNames[Role] && <span class="badge good">{roleNames[Role]}</span>}{' '}
        {IsOpen && Role === 'public' && (State === 'before' || State === 'running' || State === 'frozen') && (
          <span class="badge">Open to all</span>
        )}
      </>
    ),
  },
  {
    head: 'State',
    cell: (contest) => (isOver(contest) ? <StateBadge state={contest.State} /> : <ContestClock contest={contest} />),
  },
  {
    head: 'Start',
    class: 'wide-only',
    look: 'soft',
    cell: ({ StartTime }) => (StartTime === null ? 'Not set' : <Moment at={StartTime} />),
  },
  { head: 'Length', class: 'roomy-only', look: 'soft', cell: ({ Duration }) => formatDuration(Duration) },
]

const Section = ({ title, list }: { title: string; list: readonly Contest[] }) =>
  list.length === 0 ? null : (
    <section aria-label={title}>
      <h2>{title}</h2>
      <div class="card flush scroll">
        <Table rows={list} columns={columns} keyOf={({ ID }) => ID} />
      </div>
    </section>
  )
