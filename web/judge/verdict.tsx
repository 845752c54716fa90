/** The verdict on a submission as it arrives: how far it is, then the result, test by test, drawn against the limits. */
import type { TestReport } from '../api/operations.ts'
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
  const passed = tests.filter((test) => test.Result === 1).length
  return (
    <div class="verdict">
      <div role="status" class={`verdict-head ${toneOf(Result)}`}>
        <strong>{resultName(Result)}</strong>
        <span>
          {tests.length > 0 && (passed === tests.length ? describePassed(passed) : `on test ${tests.length}`)}
        </span>
      </div>
      {advice[Result] && <p class="soft small">{advice[Result]}</p>}
      {report?.Report?.CompilerOutput && (
        <>
          <p class="label">Compiler output</p>
          <pre tabIndex={0}>{report.Report.CompilerOutput}</pre>
        </>
      )}
      {tests.length > 0 && <Tests tests={tests} limits={limits} />}
    </div>
  )
}

const describePassed = (count: number): string => (count === 1 ? 'its one test passed' : `all ${count} tests passed`)

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
                <span class={`dot ${toneOf(test.Result)}`} aria-hidden="true" />
                {resultName(test.Result)}
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
      {first > 0 && <p class="soft small">The first {first} tests passed and are not shown.</p>}
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
