/** Warns teachers of a sheet that would show students problems of a contest which is running or has not begun. */
import type { SheetProblem } from '../../api/classes.ts'
import type { Contest } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { isOver, isRunning } from '../../contests/contest-clock.tsx'
import { contestPath } from '../../contests/shown.ts'
import { Moment } from '../../parts/due.tsx'

const step = 100
/** Older ones are over. */
const mostRead = 300

async function readComing(): Promise<readonly Contest[]> {
  const list: Contest[] = []
  for (let Offset = 0; Offset < mostRead; Offset += step) {
    const { ContestList, TotalContestCount } = await call('get_contest_list', { Offset, Limit: step })
    list.push(...ContestList.filter((one) => !isOver(one)))
    if (Offset + step >= TotalContestCount) break
  }
  return list
}

type Props = { readonly problems: readonly SheetProblem[]; readonly openTime: number }

/** Of contests that the reader may not see, it knows nothing. */
export function ContestWarning({ problems, openTime }: Props) {
  const loaded = useLoad('contests that are not over', readComing)
  const found = (loaded.value ?? [])
    .filter(({ EndTime }) => EndTime === null || openTime < EndTime)
    .flatMap((contest) =>
      problems
        .filter(({ UUID }) => contest.ProblemList.some((one) => one.UUID === UUID))
        .map((problem) => ({ contest, problem })),
    )
  return (
    <div role="status">
      {found.length > 0 && (
        <div class="notice wait">
          <div>
            <p>
              <b>Students would see problems of a contest before it is over:</b>
            </p>
            <ul>
              {found.map(({ contest, problem }) => (
                <li key={`${contest.ID} ${problem.UUID}`}>
                  {problem.DisplayName}, in <a href={contestPath(contest.ID)}>{contest.Name}</a>, which{' '}
                  <Phase {...contest} />
                </li>
              ))}
            </ul>
            <p>Open the sheet after the contest, or remove these problems.</p>
          </div>
        </div>
      )}
    </div>
  )
}

function Phase(contest: Contest) {
  const { StartTime, EndTime } = contest
  if (isRunning(contest) && EndTime !== null)
    return (
      <>
        runs until <Moment at={EndTime} />
      </>
    )
  return StartTime === null ? (
    <>has not begun</>
  ) : (
    <>
      begins <Moment at={StartTime} />
    </>
  )
}
