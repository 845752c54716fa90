/** The report on a submission as the params of the judge's method, within its limits. */
import type { Report } from '../judging/judging.ts'

const textBytes = 64 * 1024
/** The limit for all stderr of one report: ten thousand noisy tests must fit into one request. */
const allStderrBytes = 8 * 1024 * 1024

export function presentReport(report: Report): object {
  let left = allStderrBytes
  // The last test decided the verdict, so its stderr is kept first.
  const texts = report.tests.toReversed().map((test) => {
    const text = boundText(test.stderr, Math.min(textBytes, left))
    left -= Buffer.byteLength(text)
    return text
  })
  texts.reverse()
  return {
    Result: report.result,
    CompilerOutput: boundText(report.compilerOutput, textBytes),
    TestList: report.tests.map((test, i) => ({
      TestCaseUUID: test.uuid,
      Result: test.result,
      CPUTimeInMillisecond: test.cpuMs,
      WallTimeInMillisecond: test.wallMs,
      PeakMemoryInByte: test.peakMemoryBytes,
      Stderr: texts[i],
      ExitCode: test.exitCode,
      Signal: test.signal,
    })),
  }
}

/** Cuts a text to this many bytes of UTF-8, never inside a character, and replaces NUL, which PostgreSQL's text can't hold. */
export function boundText(text: string, bytes: number): string {
  const clean = text.replaceAll('\0', '\uFFFD')
  if (Buffer.byteLength(clean) <= bytes) return clean
  let end = bytes
  const whole = Buffer.from(clean)
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--
  return whole.toString('utf8', 0, end)
}
