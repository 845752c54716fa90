/** The report, test by test, drawn against the limits. */
import type { TestReport } from '../api/operations.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { resultName, toneOf } from './results.ts'

export type Limits = { readonly timeMs: number; readonly memoryBytes: number }

/** More would only slow the page down. */
const mostShown = 200

export function Tests({ tests, limits }: { tests: readonly TestReport[]; limits: Limits | undefined }) {
  const first = tests.length - Math.min(tests.length, mostShown)
  const told = tests.find(({ Expected, Got }) => Expected || Got)
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
          {tests.slice(first).map((test, at) => (
            <Row key={test.TestCaseUUID} test={test} number={first + at + 1} limits={limits} isTold={test === told} />
          ))}
        </tbody>
      </table>
      {first > 0 && <p class="soft small">The first {first} tests are not shown.</p>}
    </section>
  )
}

type RowProps = {
  readonly test: TestReport
  readonly number: number
  readonly limits: Limits | undefined
  /** The first difference is expanded. */
  readonly isTold: boolean
}

/** A test of a group that was given up has no result, and no figures. */
const Row = ({ test, number, limits, isTold }: RowProps) => (
  <tr>
    <td>{number}</td>
    <td>
      <span class={`dot ${toneOf(test.Result)}`} aria-hidden="true" />
      {test.Result === 0 ? 'Not run' : resultName(test.Result)}
      {typeof test.Score === 'number' && <span class="soft"> {test.Score} points</span>}
      {test.TeamMessage && <p class="small">{test.TeamMessage}</p>}
      <Text title={`expected${fromLine(test)}`} text={test.Expected} isOpen={isTold} />
      <Text title="got" text={test.Got} isOpen={isTold} />
      <Text title="stderr" text={test.Stderr} />
      <Text title="checker message" text={test.JudgeMessage} />
    </td>
    <td>
      {test.Result > 0 && (
        <Share of={test.CPUTimeInMillisecond} limit={limits?.timeMs} text={formatMs(test.CPUTimeInMillisecond)} />
      )}
    </td>
    <td>
      {test.Result > 0 && (
        <Share of={test.PeakMemoryInByte} limit={limits?.memoryBytes} text={formatBytes(test.PeakMemoryInByte)} />
      )}
    </td>
  </tr>
)

const fromLine = ({ DifferenceLine }: TestReport): string => (DifferenceLine ? `, from line ${DifferenceLine}` : '')

type TextProps = { readonly title: string; readonly text: string | null | undefined; readonly isOpen?: boolean }

const Text = ({ title, text, isOpen = false }: TextProps) =>
  text ? (
    <details open={isOpen}>
      <summary class="small soft">{title}</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  ) : null

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
