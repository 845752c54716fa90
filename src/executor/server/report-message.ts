/** The report on a submission as params of the judge's method, within its limits. */
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import type { Report } from '../judging/submission-judge.ts'

const textBytes = 64 * 1024
const teamMessageBytes = 4096
/** The limit on all texts of one kind in a report: ten thousand noisy tests must fit into one request. */
const allBytes = 8 * 1024 * 1024

export function presentReport(report: Report): object {
  const { tests } = report
  const stderrs = boundTexts(tests.map(({ stderr }) => stderr))
  const judgeMessages = boundTexts(tests.map(({ judgeMessage = '' }) => judgeMessage))
  const expected = boundTexts(tests.map(({ difference }) => difference?.expected ?? ''))
  const got = boundTexts(tests.map(({ difference }) => difference?.got ?? ''))
  return {
    Result: report.result,
    CompilerOutput: boundText(report.compilerOutput, textBytes),
    ...(report.judgeMessage !== undefined && { JudgeMessage: boundText(report.judgeMessage, textBytes) }),
    TestList: tests.map((test, i) => ({
      TestCaseUUID: test.uuid,
      Result: test.result,
      CPUTimeInMillisecond: test.cpuMs,
      WallTimeInMillisecond: test.wallMs,
      PeakMemoryInByte: test.peakMemoryBytes,
      Stderr: stderrs[i],
      ExitCode: test.exitCode,
      Signal: test.signal,
      ...(test.score !== undefined && { Score: toPoints(test.score) }),
      ...(judgeMessages[i] && { JudgeMessage: judgeMessages[i] }),
      ...(test.teamMessage && { TeamMessage: boundText(test.teamMessage, teamMessageBytes) }),
      ...(test.difference && { Expected: expected[i], Got: got[i] }),
      ...(test.difference?.line && { DifferenceLine: test.difference.line }),
    })),
  }
}

/** The last test usually decided the verdict, so its text is kept first. */
function boundTexts(texts: readonly string[]): string[] {
  let left = allBytes
  const bounded = texts.toReversed().map((text) => {
    const kept = boundText(text, Math.min(textBytes, left))
    left -= Buffer.byteLength(kept)
    return kept
  })
  return bounded.reverse()
}

/** Cuts a text to this many bytes of UTF-8 between characters, and replaces NUL, which PostgreSQL's text can't hold. */
export function boundText(text: string, bytes: number): string {
  const clean = text.replaceAll('\0', '\uFFFD')
  if (Buffer.byteLength(clean) <= bytes) return clean
  let end = bytes
  const whole = Buffer.from(clean)
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--
  return whole.toString('utf8', 0, end)
}
