/** The problems of a contest: found by name, with label, colour and order. */
import { useState } from 'preact/hooks'
import type { Contest, ContestProblem } from '../../api/contests.ts'
import type { FoundProblem } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { type Act, ActButton, useAct } from '../../parts/form.tsx'
import { ProblemFinder } from '../../parts/problem-finder.tsx'
import { Empty, FailedAct } from '../../parts/state.tsx'
import { ProblemLabel } from '../problem-label.tsx'
import { ManagePage } from './manage-page.tsx'

export const ManageProblems = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="problems">
    {({ contest }, { reload }) => <Problems contest={contest} reload={reload} />}
  </ManagePage>
)

/** Distinguishable in a hall and for most colour-blind people. */
const colours = [
  '#e6194b',
  '#3cb44b',
  '#ffe119',
  '#4363d8',
  '#f58231',
  '#911eb4',
  '#46f0f0',
  '#f032e6',
  '#ffffff',
  '#fabebe',
  '#008080',
  '#9a6324',
  '#000000',
  '#bcf60c',
  '#808000',
  '#e6beff',
]

/** A to Z, then AA. */
function labelOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : labelOf(Math.floor(at / 26) - 1) + letter
}

function firstFree<T>(used: readonly T[], make: (at: number) => T): T {
  for (let at = 0; ; at++) if (!used.includes(make(at))) return make(at)
}

function Problems({ contest, reload }: { contest: Contest; reload(): void }) {
  const act = useAct()
  const list = contest.ProblemList
  const put = ({ DisplayName, ...problem }: ContestProblem) =>
    call('put_contest_problem', { ContestID: contest.ID, ...problem })
  const run = (work: () => Promise<unknown>) =>
    act.run(async () => {
      await work()
      reload()
    })
  const add = ({ UUID }: FoundProblem) => {
    const ids = list.map(({ ID }) => ID.toLowerCase())
    const Label = firstFree(
      list.map((one) => one.Label),
      labelOf,
    )
    const ID = firstFree(ids, (at) => (at === 0 ? Label.toLowerCase() : `${Label.toLowerCase()}${at}`))
    const used = list.map(({ Colour }) => Colour.toLowerCase())
    const Colour = used.length < colours.length ? firstFree(used, (at) => colours[at % colours.length]!) : colours[0]!
    const Ordinal = Math.max(-1, ...list.map((one) => one.Ordinal)) + 1
    return run(() => put({ ID, Label, UUID, Ordinal, Colour, DisplayName: '' }))
  }
  const move = (at: number, by: -1 | 1) =>
    run(async () => {
      const next = [...list]
      const [one] = next.splice(at, 1)
      next.splice(at + by, 0, one!)
      for (const [Ordinal, problem] of next.entries())
        if (problem.Ordinal !== Ordinal) await put({ ...problem, Ordinal })
    })
  const remove = ({ ID, Label, DisplayName }: ContestProblem) =>
    run(async () => {
      const text = 'The problem itself stays. It can’t be removed once somebody has submitted to it here.'
      if (!(await ask({ title: `Remove ${Label}, ${DisplayName}?`, text, action: 'Remove' }))) return
      await call('delete_contest_problem', { ContestID: contest.ID, ID })
    })
  return (
    <div class="side">
      <section class="card" aria-labelledby="chosen-problems">
        <h2 id="chosen-problems">Problems</h2>
        {list.length === 0 ? (
          <Empty title="No problems yet">
            <p>Add problems with the search on this page.</p>
          </Empty>
        ) : (
          <ol class="rows">
            {list.map((problem, at) => (
              <ProblemRow
                key={problem.ID}
                problem={problem}
                act={act}
                isFirst={at === 0}
                isLast={at === list.length - 1}
                save={(part) => void run(() => put({ ...problem, ...part }))}
                move={(by) => void move(at, by)}
                remove={() => void remove(problem)}
              />
            ))}
          </ol>
        )}
        <FailedAct act={act} />
      </section>
      <section class="card" aria-label="Add problems">
        <ProblemFinder
          hint="Search by name or tag. Your unreleased problems are found too: the contest opens them to its teams at the start and to everyone at the end."
          action="Add"
          isOffered={({ UUID }) => !list.some((one) => one.UUID === UUID)}
          choose={(problem) => void add(problem)}
        />
      </section>
    </div>
  )
}

type RowProps = {
  readonly problem: ContestProblem
  readonly act: Act
  readonly isFirst: boolean
  readonly isLast: boolean
  save(part: Partial<Pick<ContestProblem, 'Label' | 'Colour'>>): void
  move(by: -1 | 1): void
  remove(): void
}

function ProblemRow({ problem, act, isFirst, isLast, save, move, remove }: RowProps) {
  const { DisplayName, UUID } = problem
  const [label, setLabel] = useState(problem.Label)
  return (
    <li>
      <ProblemLabel problem={problem} />
      <a class="grow" href={`/-/judge/problems/${UUID}`} target="_blank" rel="noreferrer">
        {DisplayName}
      </a>
      <input
        class="input label-field"
        aria-label={`Label of ${DisplayName}`}
        value={label}
        maxLength={16}
        required
        onInput={(event) => setLabel(event.currentTarget.value)}
        onBlur={() => label.trim() && label !== problem.Label && save({ Label: label.trim() })}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
      <input
        class="colour-field"
        type="color"
        aria-label={`Colour of ${DisplayName}`}
        value={problem.Colour}
        onChange={(event) => save({ Colour: event.currentTarget.value })}
      />
      <button
        type="button"
        class="button tight quiet"
        disabled={isFirst || act.isBusy}
        aria-label={`Move ${DisplayName} up`}
        onClick={() => move(-1)}
      >
        Up
      </button>
      <button
        type="button"
        class="button tight quiet"
        disabled={isLast || act.isBusy}
        aria-label={`Move ${DisplayName} down`}
        onClick={() => move(1)}
      >
        Down
      </button>
      <ActButton act={act} what={`Remove ${DisplayName}`} run={remove}>
        Remove
      </ActButton>
    </li>
  )
}
