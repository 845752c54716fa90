/** Virtual participation after a contest: on the reader's own clock, against the board as it was at that minute. */
import type { Contest } from '../../api/contests.ts'
import { useLoad } from '../../app/load.ts'
import { useSignedIn } from '../../app/page.ts'
import { useSession } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { finished } from '../../judge/results.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { ask } from '../../parts/ask.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { useBoard } from '../board/board-data.ts'
import { BoardTable } from '../board/board-table.tsx'
import { formatClock, formatDuration, isOver, useServerNow } from '../contest-clock.tsx'
import { ContestPage } from '../contest-page.tsx'
import { ProblemLabel } from '../problem-label.tsx'
import { serverNow } from '../server-clock.ts'
import { contestPath, problemPath } from '../shown.ts'
import { boardAt, readSince, useVirtualStart, virtualId } from './own-run.ts'

export function ContestVirtual({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? (
    <ContestPage id={params.contest!} tab="home">
      {({ contest }) => <Virtual contest={contest} />}
    </ContestPage>
  ) : null
}

/** Only if the final board has the time at which each problem was solved. */
export const mayBeVirtual = (contest: Contest): boolean =>
  contest.Style === 'icpc' && isOver(contest) && contest.State !== 'ended' && !contest.BoardIsHidden

function Virtual({ contest }: { contest: Contest }) {
  const { account } = useSession()
  const run = useVirtualStart(account!.ID, contest.ID)
  if (!mayBeVirtual(contest))
    return (
      <div class="card">
        <Empty title="There is no virtual participation here">
          <p>It is available for contests with ICPC scoring once their results are revealed.</p>
        </Empty>
      </div>
    )
  if (run.start === undefined)
    return (
      <section class="card text-width" aria-labelledby="virtual">
        <h2 id="virtual">Virtual participation</h2>
        <p>
          Solve the problems in {formatDuration(contest.Duration)} on your own clock. The scoreboard shows the contest
          at the same minute, with your own row added. Only you see it, in this browser.
        </p>
        <button type="button" class="button main" onClick={() => run.begin(serverNow())}>
          Start now
        </button>
      </section>
    )
  return <Running contest={contest} start={run.start} end={run.end} />
}

function Running({ contest, start, end }: { contest: Contest; start: number; end(): void }) {
  const { account } = useSession()
  const now = useServerNow()
  const board = useBoard(contest.ID, { isPublic: true, groupId: undefined }, false)
  const own = useLoad(`virtual ${contest.ID} ${start}`, () => readSince(account!.ID, start))
  const list = own.value ?? []
  useWatchedList(own.reload, 300, {
    ids: list
      .filter(({ Status }) => Status !== finished)
      .map(({ ID }) => ID)
      .join(','),
  })
  const left = start + contest.Duration - now
  const leave = async () => {
    const text = 'Your submissions stay. You can start again from the beginning.'
    if (await ask({ title: 'End your virtual participation?', text, action: 'End' })) end()
  }
  return (
    <div class="stack">
      <section class="card" aria-label="Your participation">
        <div class="row">
          <b class="contest-time hall-clock">{left > 0 ? formatClock(left) : 'Time is over'}</b>
          {left > 0 && <span class="soft">left for you</span>}
          <span class="grow" />
          <button type="button" class="button tight" onClick={() => void leave()}>
            End
          </button>
        </div>
        <nav class="problem-row below" aria-label="Problems of the contest">
          {contest.ProblemList.map((one) => (
            <a
              key={one.ID}
              href={problemPath(contest.ID, one)}
              title={one.DisplayName}
              aria-label={`${one.Label}: ${one.DisplayName}`}
            >
              <ProblemLabel problem={one} />
            </a>
          ))}
        </nav>
        <p class="soft small">
          Submit on the problems’ pages, then come back to <a href={contestPath(contest.ID, 'virtual')}>this page</a>.
        </p>
      </section>
      <Ready of={board}>
        {(value) => {
          const shown = boardAt(value, contest, { name: account!.DisplayName, start, now, list })
          return <BoardTable board={shown} style={contest.Style} rows={shown.RowList} ownId={virtualId} followed={[]} />
        }}
      </Ready>
    </div>
  )
}
