/** Self-tests: a language is offered only after its toolchain has compiled and run a tiny program in the sandbox. */

import type { Log } from '../../lib/log.ts'
import { mebibyte } from '../../lib/text/bytes.ts'
import { compileSource, prepareFile } from '../compilation/compilation.ts'
import type { Language } from '../languages/language.ts'
import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { isMachineFault, LanguageShort, TooSlow } from '../sandboxes/shortage.ts'
import { plainMethod } from './test-case.ts'
import { runTest } from './test-run.ts'
import { result } from './verdict.ts'

export type TestedLanguage = {
  readonly language: Language
  readonly prepared?: KeptFile | undefined
  /** The peak of its self-test: the memory of the runtime itself. */
  readonly runtimeBytes?: number
}

/**
 * Additional runtime memory of a larger program: compiled code, collectors, threads. It is subtracted only as measured,
 * because a program could use what its runtime does not.
 */
const runtimeHeadroomBytes = 48 * mebibyte

export type TestedLanguages = {
  /** The languages whose last self-test passed. */
  list(): readonly Language[]
  /** Languages whose last self-test failed because of the machine, not of the toolchain: they will return. */
  listShort(): readonly Language[]
  isShort(value: string): boolean
  /**
   * Finds any language that has ever passed here: if it has broken since, that is an executor failure, not an
   * unsupported language.
   */
  find(value: string): TestedLanguage | undefined
  /**
   * Tests the language again unless it passed a moment ago (or `now` is given). Throws if its toolchain has broken
   * since, or the machine is short of something: then the submission is not to blame.
   */
  retest(value: string, now?: 'now'): Promise<void>
  /**
   * Tests languages again that have broken, or failed at startup, when the machine may have been short of memory or
   * time.
   */
  retestBroken(): Promise<void>
}

/**
 * A passed self-test is valid for this long. Only failed submissions request another, so this is at most one small run
 * in that time.
 */
export const selfTestFreshMs = 10_000

export async function testLanguages(
  sandbox: Sandbox,
  languages: readonly Language[],
  log: Log,
  freshMs = selfTestFreshMs,
): Promise<TestedLanguages> {
  const tested = new Map<string, TestedLanguage & { testedAt: number; isBroken: boolean }>()
  const short = new Set<string>()
  const blame = (value: string, error: unknown) => {
    if (isMachineFault(error)) short.add(value)
    else short.delete(value)
  }
  const testFirst = async (language: Language) => {
    let prepared: KeptFile | undefined
    try {
      prepared = await prepareFile(sandbox, language)
      const { viewed, runtimeBytes } = await testFirstTime(sandbox, { language, prepared })
      const extraMemoryBytes = Math.min(language.extraMemoryBytes, runtimeBytes + runtimeHeadroomBytes)
      const granted = { ...viewed, extraMemoryBytes }
      const testedAt = performance.now()
      tested.set(language.value, { language: granted, prepared, runtimeBytes, testedAt, isBroken: false })
      short.delete(language.value)
    } catch (error) {
      prepared?.drop()
      blame(language.value, error)
      log.warn({ language: language.value, reason: (error as Error).message }, 'a language failed its self-test')
    }
  }
  await Promise.all(languages.map(testFirst))
  const retest = async (value: string, now?: 'now') => {
    const entry = tested.get(value)
    if (!entry || (!entry.isBroken && !now && performance.now() - entry.testedAt < freshMs)) return
    try {
      // The language stays offered meanwhile: a waiting claim made without it would lack it until it ends.
      await demandSelfTest(sandbox, entry)
      entry.isBroken = false
      short.delete(value)
      entry.testedAt = performance.now()
    } catch (error) {
      entry.isBroken = true
      blame(value, error)
      throw short.has(value) ? new LanguageShort(entry.language.name, error) : error
    }
  }
  return {
    list: () => languages.filter((language) => tested.get(language.value)?.isBroken === false),
    listShort: () => languages.filter((language) => short.has(language.value)),
    isShort: (value) => short.has(value),
    find: (value) => tested.get(value),
    retest,
    async retestBroken() {
      for (const language of languages) {
        const entry = tested.get(language.value)
        if (!entry) await testFirst(language)
        else if (entry.isBroken) await retest(language.value).catch(() => undefined)
      }
    },
  }
}

/** First finds the host's files that a run sees: the language's own, and the libraries of the self-test's program. */
async function testFirstTime(
  sandbox: Sandbox,
  entry: TestedLanguage,
): Promise<{ viewed: Language; runtimeBytes: number }> {
  const { language } = entry
  const { value, runtime, files } = language
  const program = await compileSelfTest(sandbox, entry)
  try {
    const beside = [program.path, ...files.map(({ from }) => from)]
    const viewed = runtime ? { ...language, view: await sandbox.show(value, { ...runtime, beside }) } : language
    return { viewed, runtimeBytes: await runSelfTest(sandbox, viewed, program) }
  } finally {
    program.drop()
  }
}

async function compileSelfTest(sandbox: Sandbox, { language, prepared }: TestedLanguage): Promise<KeptFile> {
  const compiled = await compileSource({ sandbox, prepared }, language, Buffer.from(language.selfTest.source))
  const { program, words, isTooSlow } = compiled
  if (isTooSlow) throw new TooSlow(`${language.name} compiles too slowly: ${words.slice(0, 500)}`)
  if (!program) throw new Error(`${language.name} no longer compiles: ${words.slice(0, 500)}`)
  return program
}

async function demandSelfTest(sandbox: Sandbox, entry: TestedLanguage): Promise<void> {
  const program = await compileSelfTest(sandbox, entry)
  try {
    await runSelfTest(sandbox, entry.language, program)
  } finally {
    program.drop()
  }
}

/** Returns its peak memory. */
async function runSelfTest(sandbox: Sandbox, language: Language, program: KeptFile): Promise<number> {
  const { selfTest } = language
  const kept: KeptFile[] = []
  try {
    const input = await sandbox.keep(Buffer.from(selfTest.input))
    const output = await sandbox.keep(Buffer.from(selfTest.output))
    kept.push(input, output)
    const outcome = await runTest(
      {
        sandbox,
        language,
        program,
        method: plainMethod,
        limits: { timeLimitMs: 10_000, memoryLimitBytes: 256 * mebibyte },
        signal: new AbortController().signal,
      },
      { uuid: '', inputPath: input.path, outputPath: output.path, outputBytes: output.size },
    )
    if (outcome?.result === result.ok) return outcome.peakMemoryBytes
    const said = `${language.name} no longer runs: result ${outcome?.result}, ${outcome?.stderr.slice(0, 500)}`
    throw outcome?.result === result.timeLimitExceeded ? new TooSlow(said) : new Error(said)
  } finally {
    for (const file of kept) file.drop()
  }
}
