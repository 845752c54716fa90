/** A program with the verdict it must get: one row of the suite. */
import { result } from '../../../src/executor/judging/verdict.ts'

export type SuiteProgram = {
  readonly name: string
  readonly language: string
  readonly source: string
  readonly input?: string
  readonly expected?: string
  readonly result: number
  readonly exitCode?: number
  readonly signal?: string
  /** A part of what the compiler, or else the program's stderr, must have said. */
  readonly says?: RegExp
  readonly timeLimitMs?: number
  readonly memoryLimitMiB?: number
}

type Row = Omit<SuiteProgram, 'language' | 'result' | 'source' | 'name'>

/** `passes` and the like read as the verdict in front of the program. */
export function programsIn(language: string) {
  const row =
    (verdict: number) =>
    (name: string, source: string, more: Row = {}): SuiteProgram => ({
      name,
      language,
      source,
      result: verdict,
      ...more,
    })
  return {
    passes: row(result.ok),
    isNoProgram: row(result.compileError),
    crashes: row(result.runtimeError),
    runsOver: row(result.timeLimitExceeded),
    eatsMemory: row(result.memoryLimitExceeded),
    isWrong: row(result.wrongAnswer),
    isUnsupported: row(result.unsupportedLanguage),
    floods: row(result.outputLimitExceeded),
  }
}
