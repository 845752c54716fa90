/** The report on a submission, in the judge's spelling and within its sizes. */
import type { Report } from '../judging/judging.ts'

const textBytes = 64 * 1024
/** All the stderr of one report together: ten thousand noisy tests must still fit into one request. */
const allStderrBytes = 8 * 1024 * 1024

export function presentReport(report: Report): object {
  let left = allStderrBytes
  // The last test is the one that decided: it is served first.
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

/** At most so many bytes of UTF-8, never inside a character, and without NUL, which some stores can't hold as text. */
export function boundText(text: string, bytes: number): string {
  const clean = text.replaceAll('\0', '\uFFFD')
  if (Buffer.byteLength(clean) <= bytes) return clean
  let end = bytes
  const whole = Buffer.from(clean)
  while (end > 0 && (whole[end]! & 0xc0) === 0x80) end--
  return whole.toString('utf8', 0, end)
}
