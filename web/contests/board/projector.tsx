/** The scoreboard for a projector: large, full screen, and it turns its pages automatically. */
import { useEffect, useState } from 'preact/hooks'
import type { Contest } from '../../api/contests.ts'
import { isMissing } from '../../api/fault.ts'
import { go, usePlace } from '../../app/location.ts'
import { useTitle } from '../../app/page.ts'
import type { ViewProps } from '../../app/view.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { Ready } from '../../parts/state.tsx'
import { ContestClock, isRunning, StateBadge } from '../contest-clock.tsx'
import { useContest } from '../contest-page.tsx'
import { contestPath, isJury } from '../shown.ts'
import { useBoard } from './board-data.ts'
import { BoardNotice } from './board-page.tsx'
import { BoardTable } from './board-table.tsx'

/** Hides the page's header and footer while the view is shown. */
export function useBareFrame(): void {
  useEffect(() => {
    document.documentElement.classList.add('bare')
    return () => document.documentElement.classList.remove('bare')
  }, [])
}

export function ContestProjector({ params }: ViewProps) {
  const loaded = useContest(params.contest!)
  useBareFrame()
  useEffect(() => {
    const leave = (event: KeyboardEvent) => event.key === 'Escape' && go(contestPath(params.contest!, 'board'))
    document.addEventListener('keydown', leave)
    return () => document.removeEventListener('keydown', leave)
  }, [params.contest])
  if (loaded.value === undefined && isMissing(loaded.error)) return <NotFound title="There is no such contest here" />
  return <Ready of={loaded}>{({ contest }) => <Hall contest={contest} />}</Ready>
}

function Hall({ contest }: { contest: Contest }) {
  const groupId = usePlace().query.get('group') ?? undefined
  // Always the public board, whoever has opened the page.
  const loaded = useBoard(contest.ID, { isPublic: isJury(contest), groupId }, isRunning(contest))
  const [isTurning, setTurning] = useState(false)
  useTitle(contest.Name)
  usePageTurning(isTurning)
  return (
    <>
      <div class="row hall-head">
        <h1 class="grow">{contest.Name}</h1>
        <StateBadge state={contest.State} />
        <span class="hall-clock">
          <ContestClock contest={contest} />
        </span>
        <button type="button" class="button tight" aria-pressed={isTurning} onClick={() => setTurning(!isTurning)}>
          {isTurning ? 'Stop scrolling' : 'Scroll automatically'}
        </button>
        <a class="button tight" href={contestPath(contest.ID, 'board')}>
          Leave
        </a>
      </div>
      <Ready of={loaded}>
        {(board) => (
          <>
            <BoardNotice contest={contest} board={board} />
            <BoardTable
              board={board}
              style={contest.Style}
              rows={board.RowList}
              ownId={null}
              followed={[]}
              isProjector
            />
          </>
        )}
      </Ready>
    </>
  )
}

const turnMs = 10_000

/** Turns one page at a time; the first page follows the last. */
function usePageTurning(isTurning: boolean): void {
  useEffect(() => {
    if (!isTurning) return
    const timer = setInterval(() => {
      const isLast = scrollY + innerHeight >= document.documentElement.scrollHeight - 4
      const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
      const top = isLast ? 0 : scrollY + innerHeight * 0.8
      scrollTo({ top, behavior: isCalm ? 'auto' : 'smooth' })
    }, turnMs)
    return () => clearInterval(timer)
  }, [isTurning])
}
