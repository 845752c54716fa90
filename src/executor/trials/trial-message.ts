/** The result of a trial as params of the judge's method, within its limits. */
import { boundText } from '../server/report-message.ts'
import type { TrialReport, TrialRun } from './trial-judge.ts'

const textBytes = 64 * 1024
const screenBytes = 4_096
/** How much of an example is repeated. */
const exampleBytes = 1_000
/** The stderr of all runs together. */
const allStderrBytes = 256 * 1024

export function presentTrial({ result, compilerOutput, runs, judgeMessage }: TrialReport): object {
  let left = allStderrBytes
  return {
    Result: result,
    CompilerOutput: boundText(compilerOutput, textBytes),
    ...(judgeMessage !== undefined && { JudgeMessage: boundText(judgeMessage, textBytes) }),
    RunList: runs.map((run) => {
      const stderr = boundText(run.outcome.stderr, Math.min(textBytes, left))
      left -= Buffer.byteLength(stderr)
      return presentRun(run, stderr)
    }),
  }
}

function presentRun({ outcome, stdout, isStdoutCut, example }: TrialRun, stderr: string): object {
  const { difference } = outcome
  return {
    Result: outcome.result,
    Input: example ? excerpt(example.input) : '',
    Output: example ? excerpt(example.output) : '',
    // A character broken by the cut is left out; invalid bytes become replacement characters.
    Stdout: boundText(toText(stdout, isStdoutCut), textBytes),
    IsStdoutCut: isStdoutCut,
    Stderr: stderr,
    CPUTimeInMillisecond: outcome.cpuMs,
    WallTimeInMillisecond: outcome.wallMs,
    PeakMemoryInByte: outcome.peakMemoryBytes,
    ExitCode: outcome.exitCode,
    Signal: outcome.signal,
    ...(outcome.teamMessage && { TeamMessage: boundText(outcome.teamMessage, screenBytes) }),
    ...(difference && {
      Expected: boundText(difference.expected, screenBytes),
      Got: boundText(difference.got, screenBytes),
    }),
    ...(difference?.line && { DifferenceLine: difference.line }),
  }
}

const toText = (bytes: Uint8Array, isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })

function excerpt(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
  const kept = boundText(text, exampleBytes)
  return kept.length < text.length ? `${kept}...` : kept
}
