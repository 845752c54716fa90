/** The verdict on a submission as it arrives: how far it is, then the result, test by test, drawn against the limits. */
import type { Report, TestReport } from '../api/operations.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Ready } from '../parts/state.tsx'
import { ResultBadge } from './badge.tsx'
import { advice, executing, finished, resultName, toneOf } from './results.ts'
import { useWatched, type Watched } from './watched.ts'

export type Limits = { readonly timeMs: number; readonly memoryBytes: number }

export function Verdict({ id, limits }: { id: number; limits: Limits | undefined }) {
  const watched = useWatched(id)
  return <Ready of={watched}>{(value) => <Outcome watched={value} limits={limits} />}</Ready>
}

function Outcome({ watched: { submission, report }, limits }: { watched: Watched; limits: Limits | undefined }) {
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
                : 'Being compiled and run'
              : 'In the queue'}
          </span>
        </div>
        <progress aria-label="Judging" {...(total > 0 && { value: done, max: total })} />
      </div>
    )
  }
  const tests = report?.Report?.TestList ?? []
  const failed = tests.findIndex((test) => test.Result > 1)
  return (
    <div class="verdict">
      <div role="status" class={`verdict-head ${toneOf(Result)}`}>
        <strong>{resultName(Result)}</strong>
        <span>
          {submission.Score !== null && describeScore(submission.Score, submission.MaximumScore)}
          {submission.Score === null &&
            tests.length > 0 &&
            (failed < 0 ? describePassed(tests.length) : `on test ${failed + 1}`)}
        </span>
      </div>
      {advice[Result] && <p class="soft small">{advice[Result]}</p>}
      {report?.Report?.JudgeMessage && <Words name="From the judge" text={report.Report.JudgeMessage} />}
      {report?.Report && report.Report.GroupList.length > 0 && <Groups list={report.Report.GroupList} />}
      {report?.Report?.CompilerOutput && <Words name="Compiler output" text={report.Report.CompilerOutput} />}
      {tests.length > 0 && <Tests tests={tests} limits={limits} />}
    </div>
  )
}

const describePassed = (count: number): string => (count === 1 ? 'its one test passed' : `all ${count} tests passed`)

const describeScore = (score: number, maximum: number | null): string =>
  maximum === null ? `${score} points` : `${score} of ${maximum} points`

const Words = ({ name, text }: { name: string; text: string }) => (
  <>
    <p class="label">{name}</p>
    <pre tabIndex={0}>{text}</pre>
  </>
)

const Groups = ({ list }: { list: Report['GroupList'] }) => (
  <table class="tests">
    <thead>
      <tr>
        <th scope="col">Group</th>
        <th scope="col">Result</th>
        <th scope="col">Points</th>
      </tr>
    </thead>
    <tbody>
      {list.map(({ Name, Result, Score }) => (
        <tr key={Name}>
          <td>{Name}</td>
          <td>
            <TestResult result={Result} />
          </td>
          <td class="number">{Score}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** A test or a group that was not run because of another has no result. */
const TestResult = ({ result }: { result: number }) => (
  <>
    <span class={`dot ${toneOf(result)}`} aria-hidden="true" />
    {result === 0 ? 'Not run' : resultName(result)}
  </>
)

/** More would only slow the page down: those that failed are at the end. */
const mostShown = 200

function Tests({ tests, limits }: { tests: readonly TestReport[]; limits: Limits | undefined }) {
  const shown = tests.length > mostShown ? tests.slice(-mostShown) : tests
  const first = tests.length - shown.length
  return (
    <section class="scroll" tabIndex={0} aria-label="Tests">
      <table class="tests">
        <thead>
          <tr>
            <th scope="col">Test</th>
            <th scope="col">Result</th>
            <th scope="col">Time</th>
            <th scope="col">Memory</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((test, at) => (
            <tr key={test.TestCaseUUID}>
              <td>{first + at + 1}</td>
              <td>
                <TestResult result={test.Result} />
                {test.Score !== undefined && <span class="soft small"> · {test.Score} points</span>}
                {test.TeamMessage && <pre tabIndex={0}>{test.TeamMessage}</pre>}
                {test.Got !== undefined && (
                  <details>
                    <summary class="small soft">difference</summary>
                    <Words name="Expected" text={test.Expected ?? ''} />
                    <Words name="Got" text={test.Got} />
                  </details>
                )}
                {test.JudgeMessage && (
                  <details>
                    <summary class="small soft">from the judge</summary>
                    <pre tabIndex={0}>{test.JudgeMessage}</pre>
                  </details>
                )}
                {test.Stderr && (
                  <details>
                    <summary class="small soft">stderr</summary>
                    <pre tabIndex={0}>{test.Stderr}</pre>
                  </details>
                )}
              </td>
              <td>
                <Share
                  of={test.CPUTimeInMillisecond}
                  limit={limits?.timeMs}
                  text={formatMs(test.CPUTimeInMillisecond)}
                />
              </td>
              <td>
                <Share
                  of={test.PeakMemoryInByte}
                  limit={limits?.memoryBytes}
                  text={formatBytes(test.PeakMemoryInByte)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {first > 0 && <p class="soft small">The first {first} tests are not shown.</p>}
    </section>
  )
}

/** A figure, and how much of its limit that is. */
function Share({ of, limit, text }: { of: number; limit: number | undefined; text: string }) {
  const part = limit ? Math.min(1, of / limit) : 0
  return (
    <div class="share" title={limit ? `${Math.round(part * 100)} % of the limit` : undefined}>
      <span class="number">{text}</span>
      {limit && (
        <span class="share-bar" aria-hidden="true">
          <span class={part >= 1 ? 'full' : ''} style={{ width: `${Math.max(2, part * 100)}%` }} />
        </span>
      )}
    </div>
  )
}
