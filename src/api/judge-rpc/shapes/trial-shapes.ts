/** Trials: what an executor gets and reports, and what the caller is shown. */
import { type Static, Type } from 'typebox'
import type { TrialClaim, TrialReport, TrialRun } from '../../../judge/trials/trial.ts'
import { orNull, Uint64, Uuid } from './basic-shapes.ts'

const keptCharacters = 65_536
const Words = Type.String({ format: 'bytes', maxLength: keptCharacters })
const Screen = Type.String({ format: 'bytes', maxLength: 4_096 })
const mostRuns = 100

const Run = Type.Object({
  Result: Type.Integer({ minimum: 0, maximum: 9 }),
  Input: Screen,
  Output: Screen,
  Stdout: Words,
  IsStdoutCut: Type.Boolean(),
  Stderr: Words,
  CPUTimeInMillisecond: Uint64,
  WallTimeInMillisecond: Uint64,
  PeakMemoryInByte: Uint64,
  ExitCode: orNull<number>({ type: 'integer' }),
  Signal: orNull<string>({ type: 'string', format: 'bytes', maxLength: 32 }),
  TeamMessage: Type.Optional(Screen),
  Expected: Type.Optional(Screen),
  Got: Type.Optional(Screen),
  DifferenceLine: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
})

export const TrialReportSchema = Type.Object({
  Result: Type.Integer({ minimum: 1, maximum: 9 }),
  CompilerOutput: Words,
  RunList: Type.Array(Run, { maxItems: mostRuns }),
  JudgeMessage: Type.Optional(Words),
})

export const TrialClaimSchema = Type.Object({
  ID: Uint64,
  Lease: Type.String(),
  LeaseExpiryTime: Uint64,
  ProblemUUID: Uuid,
  JudgingHash: Type.String(),
  Language: Type.String(),
  Content: Type.String(),
  Input: orNull<string>({ type: 'string' }),
  ExampleList: Type.Array(
    Type.Object({
      Input: Type.String(),
      Output: Type.String(),
      ArgumentList: orNull<string[]>({ type: 'array', items: { type: 'string' } }),
    }),
  ),
  TimeLimitInMillisecond: Uint64,
  MemoryLimitInByte: Uint64,
  ChargedAccount: Type.Object({ ID: Uint64 }),
})

type Words = Static<typeof TrialReportSchema>

export const toTrialReport = ({ Result, CompilerOutput, RunList, JudgeMessage }: Words): TrialReport => ({
  result: Result,
  compilerOutput: CompilerOutput,
  runs: RunList.map(toRun),
  judgeMessage: JudgeMessage,
})

const toRun = (run: Words['RunList'][number]): TrialRun => ({
  result: run.Result,
  input: run.Input,
  output: run.Output,
  stdout: run.Stdout,
  isStdoutCut: run.IsStdoutCut,
  stderr: run.Stderr,
  cpuMs: run.CPUTimeInMillisecond,
  wallMs: run.WallTimeInMillisecond,
  peakMemoryBytes: run.PeakMemoryInByte,
  exitCode: run.ExitCode,
  signal: run.Signal,
  teamMessage: run.TeamMessage,
  expected: run.Expected,
  got: run.Got,
  differenceLine: run.DifferenceLine,
})

export const presentTrialReport = ({ result, compilerOutput, runs, judgeMessage }: TrialReport): Words => ({
  Result: result,
  CompilerOutput: compilerOutput,
  ...(judgeMessage !== undefined && { JudgeMessage: judgeMessage }),
  RunList: runs.map((run) => ({
    Result: run.result,
    Input: run.input,
    Output: run.output,
    Stdout: run.stdout,
    IsStdoutCut: run.isStdoutCut,
    Stderr: run.stderr,
    CPUTimeInMillisecond: run.cpuMs,
    WallTimeInMillisecond: run.wallMs,
    PeakMemoryInByte: run.peakMemoryBytes,
    ExitCode: run.exitCode,
    Signal: run.signal,
    ...(run.teamMessage !== undefined && { TeamMessage: run.teamMessage }),
    ...(run.expected !== undefined && { Expected: run.expected }),
    ...(run.got !== undefined && { Got: run.got }),
    ...(run.differenceLine !== undefined && { DifferenceLine: run.differenceLine }),
  })),
})

const toText = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()

export const presentTrialClaim = (claim: TrialClaim): Static<typeof TrialClaimSchema> => ({
  ID: claim.id,
  Lease: claim.lease,
  LeaseExpiryTime: claim.leaseExpiresAt,
  ProblemUUID: claim.problemUuid,
  JudgingHash: claim.judgingHash,
  Language: claim.language,
  Content: claim.content,
  Input: claim.input,
  ExampleList: claim.examples.map(({ input, output, arguments: list }) => ({
    Input: toText(input),
    Output: toText(output),
    ArgumentList: list && [...list],
  })),
  TimeLimitInMillisecond: claim.timeLimitMs,
  MemoryLimitInByte: claim.memoryLimitBytes,
  ChargedAccount: { ID: claim.accountId },
})
