/** Balloons for staff: which colour goes to which team, in the order of solving, and which are delivered. */
import { useState } from 'preact/hooks'
import type { Balloon, Contest, Team } from '../api/contests.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { useAct } from '../parts/form.tsx'
import { useNextFocus } from '../parts/next-focus.ts'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { colourName } from './colour-name.ts'
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
          // The oldest comes first.
          const open = list.filter(({ IsDone, IsWithdrawn }) => !IsDone && !IsWithdrawn).toReversed()
          const others = list.filter(({ IsDone, IsWithdrawn }) => IsDone || IsWithdrawn)
          const shown = showsDone ? [...open, ...others] : open
          return (
            <List contest={contest} list={shown} isBusy={act.isBusy} mark={(one, isDone) => void mark(one, isDone)} />
          )
        }}
      </Ready>
    </div>
  )
}

type ListProps = {
  readonly contest: Contest
  readonly list: readonly Balloon[]
  readonly isBusy: boolean
  mark(id: number, isDone: boolean): void
}

const keyOf = ({ ID, IsDone }: Balloon): string => `${ID} ${IsDone}`

function List({ contest, list, isBusy, mark }: ListProps) {
  const teams = useTeams(contest.ID)
  const known = new Map((teams.value ?? []).map((team) => [team.ID, team]))
  const next = useNextFocus<HTMLElement>(list.map(keyOf))
  return (
    <section class="card flush" aria-label="Balloons" tabIndex={-1} ref={next.place}>
      {list.length === 0 ? (
        <Empty title="No balloons to deliver">
          <p>New ones appear as problems are solved.</p>
        </Empty>
      ) : (
        <ul class="rows">
          {list.map((one) => (
            <Row
              key={one.ID}
              contest={contest}
              balloon={one}
              team={known.get(one.TeamID)}
              isBusy={isBusy}
              mark={(isDone) => {
                next.note(keyOf(one))
                mark(one.ID, isDone)
              }}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

type RowProps = {
  readonly contest: Contest
  readonly balloon: Balloon
  readonly team: Team | undefined
  readonly isBusy: boolean
  mark(isDone: boolean): void
}

function Row({ contest, balloon, team, isBusy, mark }: RowProps) {
  const { ProblemID, TeamID, Colour, IsFirst, IsDone, IsWithdrawn, CreatedTime } = balloon
  const problem = contest.ProblemList.find(({ ID }) => ID === ProblemID) ?? { Label: ProblemID, Colour }
  const name = team?.Name ?? TeamID
  const seat = team && team.Label !== TeamID ? team.Label : ''
  const groups = contest.GroupList.filter(({ ID }) => team?.GroupIDList.includes(ID)).map(({ Name }) => Name)
  return (
    <li>
      <span class="row balloon">
        <ProblemLabel problem={problem} /> <span class="small">{colourName(problem.Colour)}</span>
      </span>
      <span class="grow">
        <b>{name}</b> {seat && <span class="badge">Seat {seat}</span>}{' '}
        {groups.length > 0 && <span class="soft small">{groups.join(', ')}</span>}{' '}
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
          data-next
          disabled={isBusy}
          aria-label={`${IsDone ? 'Not delivered' : 'Delivered'}: ${problem.Label} to ${name}`}
          onClick={() => mark(!IsDone)}
        >
          {IsDone ? 'Not delivered' : 'Delivered'}
        </button>
      )}
    </li>
  )
}
