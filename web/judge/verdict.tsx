/** The verdict on a submission as it arrives: how far it is, then the result, test by test, drawn against the limits. */
import { useEffect } from 'preact/hooks'
import type { GroupReport, Rejudged, Submission, TestReport } from '../api/operations.ts'
import { Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { ResultBadge } from './badge.tsx'
import { formatScore, Points } from './points.tsx'
import { advice, executing, finished, ownerAdvice, resultName, toneOf } from './results.ts'
import { type Limits, Tests } from './test-reports.tsx'
import { useWatched, type Watched } from './watched.ts'

type Props = {
  readonly id: number
  readonly limits: Limits | undefined
  onFinished?(id: number): void
  readonly ownsProblem?: boolean
}

export function Verdict({ id, limits, onFinished, ownsProblem = false }: Props) {
  const watched = useWatched(id)
  const isFinished = watched.value?.submission.Status === finished
  useEffect(() => {
    if (isFinished) onFinished?.(id)
  }, [id, isFinished, onFinished])
  return <Ready of={watched}>{(value) => <Outcome watched={value} limits={limits} ownsProblem={ownsProblem} />}</Ready>
}

type OutcomeProps = { readonly watched: Watched; readonly limits: Limits | undefined; readonly ownsProblem: boolean }

function Outcome({ watched: { submission, report }, limits, ownsProblem }: OutcomeProps) {
  const { Status, Result } = submission
  if (Status !== finished) {
    const { FinishedTestCaseCount: done = 0, TotalTestCaseCount: total = 0 } = report?.Progress ?? {}
    return (
      <div role="status" class="verdict">
        <div class="row">
          <ResultBadge status={Status} result={Result} />
          <span class="soft small">
            {Status === executing
              ? total > 0
                ? `${done} of ${total} tests run`
                : 'Compiling and running'
              : 'In the queue'}
          </span>
        </div>
        <progress aria-label="Judging" {...(total > 0 && { value: done, max: total })} />
      </div>
    )
  }
  const tests = report?.Report?.TestList ?? []
  const groups = report?.Report?.GroupList ?? []
  const passed = tests.filter((test) => test.Result === 1).length
  return (
    <div class="verdict">
      <div role="status" class={`verdict-head ${toneOf(Result)}`}>
        <strong>{resultName(Result)}</strong>
        <span>
          {tests.length > 0 && (passed === tests.length ? describePassed(passed) : `on test ${findFailed(tests)}`)}
        </span>
        <Points score={submission.Score} maximum={submission.MaximumScore} />
      </div>
      {report?.Rejudged && <Change rejudged={report.Rejudged} submission={submission} />}
      {advice[Result] && (
        <p class="soft small">{ownsProblem ? (ownerAdvice[Result] ?? advice[Result]) : advice[Result]}</p>
      )}
      {report?.Report?.CompilerOutput && (
        <>
          <p class="label">Compiler output</p>
          <pre tabIndex={0}>{report.Report.CompilerOutput}</pre>
        </>
      )}
      {report?.Report?.JudgeMessage && (
        <>
          <p class="label">Message from the judge</p>
          <pre tabIndex={0}>{report.Report.JudgeMessage}</pre>
        </>
      )}
      {groups.length > 0 && <Groups list={groups} />}
      {tests.length > 0 && <Tests tests={tests} limits={limits} />}
    </div>
  )
}

type ChangeProps = { readonly rejudged: Rejudged; readonly submission: Submission }

/** What a rejudging changed. */
function Change({ rejudged, submission }: ChangeProps) {
  const { Time, ResultBefore, ScoreBefore, MaximumScoreBefore } = rejudged
  const { Result, Score, MaximumScore } = submission
  const isSame = ScoreBefore === Score && MaximumScoreBefore === MaximumScore
  const wordsFor = (score: number | null | undefined, maximum: number | null | undefined, result: number): string =>
    isSame || typeof score !== 'number'
      ? resultName(result)
      : `${formatScore(score)}${typeof maximum === 'number' ? ` of ${maximum}` : ''} points`
  return (
    <p class="small">
      Judged again <When at={Time} />: {wordsFor(ScoreBefore, MaximumScoreBefore, ResultBefore)} before,{' '}
      {wordsFor(Score, MaximumScore, Result)} now.
    </p>
  )
}

const findFailed = (tests: readonly TestReport[]): number => tests.findIndex(({ Result }) => Result > 1) + 1

const describePassed = (count: number): string => (count === 1 ? 'the only test passed' : `all ${count} tests passed`)

const Groups = ({ list }: { list: readonly GroupReport[] }) => (
  <section class="scroll" tabIndex={0} aria-label="Groups">
    <table class="tests">
      <thead>
        <tr>
          <th scope="col">Group</th>
          <th scope="col">Result</th>
          <th scope="col" class="number">
            Points
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map(({ Name, Score, Result }) => (
          <tr key={Name}>
            <td>{Name || 'the others'}</td>
            <td>
              <span class={`dot ${toneOf(Result)}`} aria-hidden="true" />
              {Result === 0 ? 'Not run' : resultName(Result)}
            </td>
            <td class="number">{Score}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
