/** The scoreboard of a contest that has started: freezing and unfreezing it, and revealing the results after the end. */
import type { Contest } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { ask } from '../../parts/ask.tsx'
import { Moment } from '../../parts/due.tsx'
import { useAct } from '../../parts/form.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { isOver, isRunning } from '../contest-clock.tsx'
import { contestPath } from '../shown.ts'

type Props = { readonly contest: Contest; reload(): void }

export function Freezing({ contest, reload }: Props) {
  const act = useAct()
  const { ID: ContestID, FrozenTime } = contest
  const run = (question: Parameters<typeof ask>[0], work: () => Promise<unknown>) =>
    act.run(async () => {
      if (!(await ask(question))) return
      await work()
      reload()
    })
  const freeze = () =>
    run(
      {
        title: 'Freeze the scoreboard now?',
        text: 'The public and the teams see later submissions of others as pending. Teams still get their own verdicts. You can unfreeze it again.',
        action: 'Freeze now',
      },
      () => call('freeze_contest', { ContestID }),
    )
  const unfreeze = () =>
    run({ title: 'Unfreeze the scoreboard?', text: textOfUnfreezing(contest), action: 'Unfreeze' }, () =>
      call('unfreeze_contest', { ContestID, Force: true }),
    )
  const reveal = () =>
    run(
      {
        title: 'Reveal the results?',
        text: 'Everyone sees all results from now on. The resolver reveals them step by step: show it first if you want that.',
        action: 'Reveal results',
      },
      () => call('unfreeze_contest', { ContestID }),
    )
  return (
    <section class="card" aria-labelledby="freezing">
      <h2 id="freezing">Scoreboard</h2>
      <Words contest={contest} />
      <div class="row">
        {isRunning(contest) &&
          (FrozenTime === null ? (
            <button type="button" class="button" disabled={act.isBusy} onClick={() => void freeze()}>
              Freeze now
            </button>
          ) : (
            <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void unfreeze()}>
              Unfreeze
            </button>
          ))}
        {isOver(contest) && FrozenTime !== null && (
          <>
            <a class="button main" href={contestPath(ContestID, 'resolver')}>
              Open the resolver
            </a>
            <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void reveal()}>
              Reveal results
            </button>
          </>
        )}
      </div>
      <FailedAct act={act} />
    </section>
  )
}

/** The scheduled freeze; null without one. */
const plannedFreeze = ({ EndTime, FreezeDuration }: Contest): number | null =>
  EndTime !== null && FreezeDuration ? EndTime - FreezeDuration : null

function textOfUnfreezing(contest: Contest): string {
  const planned = plannedFreeze(contest)
  return planned !== null && contest.FrozenTime! < planned
    ? 'Everyone sees all results so far. The scheduled freeze still takes place.'
    : 'The contest is still running. Everyone sees all results from now on, and the scoreboard does not freeze by itself again.'
}

function Words({ contest }: { contest: Contest }) {
  const { FrozenTime, ThawedTime } = contest
  const planned = plannedFreeze(contest)
  if (FrozenTime !== null)
    return (
      <>
        <p>
          Frozen since <Moment at={FrozenTime} />. The public and the teams see later submissions as pending.
        </p>
        {isOver(contest) && (
          <p>Reveal the results with the resolver first, step by step. Then reveal them to everyone here.</p>
        )}
      </>
    )
  if (ThawedTime !== null)
    return (
      <p>
        Results were revealed on <Moment at={ThawedTime} />.
      </p>
    )
  if (isRunning(contest) && planned !== null)
    return (
      <p>
        Freezes <Moment at={planned} />.
      </p>
    )
  return <p>Not frozen: everyone sees all results.</p>
}
