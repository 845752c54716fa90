/** Judging: one submission compiled once and run test after test, up to the first that fails. */

import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { checkSource, compileSource } from './compilation.ts'
import type { ProvenLanguages } from './language-proof.ts'
import { type ProblemLimits, runTest, type TestBench, type TestCase, type TestResult } from './test-run.ts'
import { type Result, result } from './verdict.ts'

export type Report = {
  readonly result: Result
  readonly compilerOutput: string
  readonly tests: readonly TestResult[]
}

export type Assignment = {
  readonly language: string
  readonly source: Uint8Array
  readonly limits: ProblemLimits
  readonly tests: readonly TestCase[]
  readonly signal: AbortSignal
  onProgress?(finishedCount: number): void
}

export type Judging = { judge(assignment: Assignment): Promise<Report> }

/** Throws when the executor could not judge; a bad program is never a reason to throw. */
export function makeJudging({ sandbox, languages }: { sandbox: Sandbox; languages: ProvenLanguages }): Judging {
  return {
    async judge(assignment) {
      const entry = languages.find(assignment.language)
      if (!entry) return { result: result.unsupportedLanguage, compilerOutput: '', tests: [] }
      const { language, prepared } = entry
      const shop = { sandbox, prepared, signal: assignment.signal }
      const { program, words } = await compileSource(shop, language, assignment.source)
      if (!program) {
        await languages.prove(language.value)
        return { result: result.compileError, compilerOutput: words, tests: [] }
      }
      try {
        const bench: TestBench = { sandbox, language, program, limits: assignment.limits, signal: assignment.signal }
        const tests = await runTests(bench, assignment)
        const last = tests.at(-1)
        const verdict = last?.result ?? result.ok
        if (last === undefined || verdict === result.runtimeError) {
          const complaint = tests.length < 2 ? await checkSource(shop, language, program) : null
          if (last !== undefined || complaint !== null) await languages.prove(language.value)
          if (complaint !== null) return { result: result.compileError, compilerOutput: complaint, tests: [] }
        }
        return { result: verdict, compilerOutput: words, tests }
      } finally {
        dropQuietly(program)
      }
    },
  }
}

/**
 * Runs tests ahead while slots are free. What counts is the order of the list: the first failure ends the judging,
 * and what ran after it is called off and forgotten.
 */
async function runTests(bench: TestBench, assignment: Assignment): Promise<TestResult[]> {
  const { tests } = assignment
  const results = new Map<number, TestResult>()
  const ahead = tests.map(() => new AbortController())
  let next = 0
  let firstFailure = tests.length

  const callOff = (from: number) => {
    for (const controller of ahead.slice(from)) controller.abort()
  }
  const work = async () => {
    while (next < firstFailure) {
      const place = next++
      const signal = AbortSignal.any([bench.signal, ahead[place]!.signal])
      const outcome = await runTest({ ...bench, signal }, tests[place]!).catch((error: unknown) => {
        if (ahead[place]!.signal.aborted) return null
        callOff(0)
        throw error
      })
      if (bench.signal.aborted) throw new Error('The judging was called off.')
      if (!outcome) continue
      results.set(place, outcome)
      if (outcome.result !== result.ok && place < firstFailure) {
        firstFailure = place
        callOff(place + 1)
      }
      assignment.onProgress?.(results.size)
    }
  }
  const workers = await Promise.allSettled(
    Array.from({ length: Math.min(bench.sandbox.slotCount, tests.length) }, work),
  )
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  return Array.from({ length: Math.min(firstFailure + 1, tests.length) }, (_, place) => results.get(place)!)
}

function dropQuietly(program: KeptFile): void {
  try {
    program.drop()
  } catch {
    // It is swept with the folder.
  }
}
