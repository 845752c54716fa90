/** A sandbox with a few languages, in which single tests are judged by any method, with programs that are compiled once. */

import { buildChecker, type CheckerProgram } from '../../../src/executor/checkers/checker-program.ts'
import { compileSource } from '../../../src/executor/compilation/compilation.ts'
import { testLanguages } from '../../../src/executor/judging/language-self-test.ts'
import {
  type JudgingMethod,
  plainMethod,
  type TestCase,
  type TestResult,
} from '../../../src/executor/judging/test-case.ts'
import { runTest } from '../../../src/executor/judging/test-run.ts'
import { surveyLanguages } from '../../../src/executor/languages/configuration.ts'
import { makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import { type BoxLimits, type KeptFile, SandboxFailure } from '../../../src/executor/sandboxes/sandbox.ts'
import { makeLog } from '../../../src/lib/log.ts'

export type Trial = {
  readonly program: KeptFile
  readonly method: Partial<JudgingMethod>
  readonly input?: string
  readonly answer?: string
  readonly test?: Partial<TestCase>
  readonly timeLimitMs?: number
  readonly checkerLimits?: Partial<BoxLimits>
  readonly mostSentBytes?: number
}

export type Court = Awaited<ReturnType<typeof openCourt>>

const { signal } = new AbortController()

export async function openCourt(values: readonly string[] = ['c'], slotCount = 6) {
  const survey = await surveyLanguages()
  const languages = survey.languages.filter(({ value }) => values.includes(value))
  const sandbox = makeBubblewrap({ folders: languages.flatMap(({ folders }) => folders), slotCount })
  const tested = await testLanguages(sandbox, languages, makeLog('warn'))
  const entryOf = (value: string) => tested.find(value)!

  return {
    sandbox,
    languages: tested,
    async compile(value: string, source: string): Promise<KeptFile> {
      const { language, prepared } = entryOf(value)
      const { program, words } = await compileSource({ sandbox, prepared }, language, Buffer.from(source))
      if (!program) throw new SandboxFailure(words)
      return program
    },
    build: (value: string, files: Record<string, string>): Promise<CheckerProgram> =>
      buildChecker(
        { sandbox, languages: tested, signal },
        {
          language: value,
          files: Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) })),
        },
      ),
    async judge(trial: Trial, value = 'c'): Promise<TestResult> {
      const [input, answer] = await Promise.all(
        [trial.input ?? '', trial.answer ?? ''].map((text) => sandbox.keep(Buffer.from(text))),
      )
      const limits = { timeLimitMs: trial.timeLimitMs ?? 1_000, memoryLimitBytes: 64 * 1024 * 1024 }
      const { language, runtimeBytes = 0 } = entryOf(value)
      try {
        const method = { ...plainMethod, ...trial.method }
        const test = { uuid: '', inputPath: input!.path, outputPath: answer!.path, outputBytes: answer!.size }
        const { program, checkerLimits = {} } = trial
        const { mostSentBytes } = trial
        const context = {
          ...{ sandbox, language, runtimeBytes, program, limits, method, signal, checkerLimits },
          ...(mostSentBytes !== undefined && { mostSentBytes }),
        }
        return (await runTest(context, { ...test, ...trial.test }))!
      } finally {
        input!.drop()
        answer!.drop()
      }
    },
    close: sandbox.close,
  }
}
