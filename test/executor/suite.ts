/** The suite's runner: one sandbox with every language, and each program judged through the judging itself. */

import { type TestedLanguages, testLanguages } from '../../src/executor/judging/language-self-test.ts'
import {
  makeJudgingParts,
  makeSubmissionJudge,
  type Report,
  type SubmissionJudge,
} from '../../src/executor/judging/submission-judge.ts'
import { surveyLanguages } from '../../src/executor/languages/configuration.ts'
import { type Bubblewrap, type BubblewrapOptions, makeBubblewrap } from '../../src/executor/sandboxes/bubblewrap.ts'
import { makeLog } from '../../src/lib/log.ts'
import { cPrograms } from './programs/c.ts'
import { cSystemPrograms } from './programs/c-system.ts'
import { compilerPrograms } from './programs/compilers.ts'
import { javaPrograms } from './programs/java.ts'
import { javascriptPrograms } from './programs/javascript.ts'
import { kernelPrograms } from './programs/kernel.ts'
import type { SuiteProgram } from './programs/program.ts'
import { pythonPrograms } from './programs/python.ts'

export const suite: readonly SuiteProgram[] = [
  ...javaPrograms,
  ...compilerPrograms,
  ...cPrograms,
  ...cSystemPrograms,
  ...kernelPrograms,
  ...pythonPrograms,
  ...javascriptPrograms,
]

export type Court = {
  sandbox: Bubblewrap
  find: TestedLanguages['find']
  judge(program: SuiteProgram): Promise<Report>
  close(): Promise<void>
}

/** Compilations get less time and memory than in production, so that a compile bomb costs seconds, not a minute. */
export async function openCourt(options: BubblewrapOptions = {}, only?: readonly string[]): Promise<Court> {
  const survey = await surveyLanguages()
  const languages = survey.languages
    .filter((language) => !only || only.includes(language.value))
    .map((language) => ({
      ...language,
      // A compiler of C needs some tenths of a second for any other program here, and most bombs are for it.
      compileSeconds: language.value === 'c' ? 3 : 6,
      compileMemoryBytes: 512 * 1024 * 1024,
    }))
  const folders = languages.flatMap((language) => language.folders)
  const sandbox = makeBubblewrap({ folders, ...options })
  const tested = await testLanguages(sandbox, languages, makeLog('warn'))
  const judging = makeSubmissionJudge(makeJudgingParts({ sandbox, languages: tested }, 6))
  return {
    sandbox,
    find: tested.find,
    judge: (program) => judgeProgram(sandbox, judging, program),
    close: sandbox.close,
  }
}

async function judgeProgram(sandbox: Bubblewrap, judging: SubmissionJudge, program: SuiteProgram): Promise<Report> {
  const input = await sandbox.keep(Buffer.from(program.input ?? ''))
  const output = await sandbox.keep(Buffer.from(program.expected ?? ''))
  const test = { uuid: 'test', inputPath: input.path, outputPath: output.path, outputBytes: output.size }
  try {
    return await judging.judge({
      language: program.language,
      source: Buffer.from(program.source),
      limits: {
        timeLimitMs: program.timeLimitMs ?? 250,
        memoryLimitBytes: (program.memoryLimitMiB ?? 64) * 1024 * 1024,
      },
      tests: [test],
      signal: new AbortController().signal,
    })
  } finally {
    input.drop()
    output.drop()
  }
}
