/** Balloons for staff: what to carry where, in the order in which the problems were solved, and what is done. */
import { useState } from 'preact/hooks'
import type { Balloon, Contest } from '../api/contests.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { useAct } from '../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { isRunning } from './contest-clock.tsx'
import { ContestPage } from './contest-page.tsx'
import { usePolling } from './polling.ts'
import { ProblemLabel } from './problem-label.tsx'
import { useTeams } from './teams.ts'

export function ContestBalloons({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? (
    <ContestPage id={params.contest!} tab="balloons" isFor="staff">
      {({ contest }) => <Balloons contest={contest} />}
    </ContestPage>
  ) : null
}

const step = 100
const mostRead = 2_000
const runningMs = 4_000
const calmMs = 30_000

async function readBalloons(ContestID: string): Promise<readonly Balloon[]> {
  const list: Balloon[] = []
  for (;;) {
    const { BalloonList, TotalBalloonCount } = await call('get_balloon_list', {
      ContestID,
      Offset: list.length,
      Limit: step,
    })
    list.push(...BalloonList)
    if (BalloonList.length === 0 || list.length >= Math.min(TotalBalloonCount, mostRead)) return list
  }
}

function Balloons({ contest }: { contest: Contest }) {
  const loaded = useLoad(`balloons ${contest.ID}`, () => readBalloons(contest.ID))
  usePolling(loaded.reload, isRunning(contest) ? runningMs : calmMs)
  const teams = useTeams(contest.ID)
  const known = new Map((teams.value ?? []).map((team) => [team.ID, team]))
  const act = useAct()
  const [showsDone, setShowsDone] = useState(false)
  const mark = (ID: number, IsDone: boolean) =>
    act.run(async () => {
      await call('update_balloon', { ContestID: contest.ID, ID, IsDone })
      loaded.reload()
    })
  return (
    <div class="stack">
      <label class="check">
        <input type="checkbox" checked={showsDone} onChange={(event) => setShowsDone(event.currentTarget.checked)} />
        <span>Show delivered balloons</span>
      </label>
      <FailedAct act={act} />
      <Ready of={loaded}>
        {(list) => {
          // Who waits longest comes first.
          const open = list.filter(({ IsDone, IsWithdrawn }) => !IsDone && !IsWithdrawn).toReversed()
          const others = list.filter(({ IsDone, IsWithdrawn }) => IsDone || IsWithdrawn)
          const shown = showsDone ? [...open, ...others] : open
          return (
            <section class="card flush" aria-label="Balloons">
              {shown.length === 0 ? (
                <Empty title="No balloons to deliver">
                  <p>New ones appear as problems are solved.</p>
                </Empty>
              ) : (
                <ul class="rows">
                  {shown.map((one) => (
                    <Row
                      key={one.ID}
                      contest={contest}
                      balloon={one}
                      team={known.get(one.TeamID)?.Name ?? one.TeamID}
                      seat={known.get(one.TeamID)?.Label ?? ''}
                      isBusy={act.isBusy}
                      mark={(isDone) => void mark(one.ID, isDone)}
                    />
                  ))}
                </ul>
              )}
            </section>
          )
        }}
      </Ready>
    </div>
  )
}

type RowProps = {
  readonly contest: Contest
  readonly balloon: Balloon
  readonly team: string
  readonly seat: string
  readonly isBusy: boolean
  mark(isDone: boolean): void
}

function Row({ contest, balloon, team, seat, isBusy, mark }: RowProps) {
  const { ProblemID, TeamID, Colour, IsFirst, IsDone, IsWithdrawn, CreatedTime } = balloon
  const problem = contest.ProblemList.find(({ ID }) => ID === ProblemID) ?? { Label: ProblemID, Colour }
  return (
    <li>
      <ProblemLabel problem={problem} />
      <span class="grow">
        <b>{team}</b> {seat && seat !== TeamID && <span class="badge">{seat}</span>}{' '}
        {IsFirst && <span class="badge good">First to solve</span>}{' '}
        {IsWithdrawn && <span class="badge bad">Withdrawn</span>} {IsDone && <span class="badge">Delivered</span>}
      </span>
      <span class="soft small">
        <When at={CreatedTime} />
      </span>
      {!IsWithdrawn && (
        <button
          type="button"
          class={IsDone ? 'button tight quiet' : 'button tight'}
          disabled={isBusy}
          aria-label={`${IsDone ? 'Not delivered' : 'Delivered'}: ${problem.Label} to ${team}`}
          onClick={() => mark(!IsDone)}
        >
          {IsDone ? 'Not delivered' : 'Delivered'}
        </button>
      )}
    </li>
  )
}
