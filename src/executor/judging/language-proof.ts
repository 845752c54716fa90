/** Proof: a language is offered only once its toolchain has compiled and run a tiny program in the sandbox. */
import type { Log } from '../../base/log.ts'
import { type Language, mebibyte } from '../languages/language.ts'
import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { compileSource, prepareFile } from './compilation.ts'
import { runTest } from './test-run.ts'
import { result } from './verdict.ts'

export type ProvenLanguage = { readonly language: Language; readonly prepared?: KeptFile | undefined }

export type ProvenLanguages = {
  /** Those whose last proof held. */
  list(): readonly Language[]
  /** Any that has ever been proven here: one that broke since is a failure of ours, not an unsupported language. */
  find(value: string): ProvenLanguage | undefined
  /** Throws when the toolchain has broken since: then the submission is not to blame. */
  prove(value: string): Promise<void>
  /** Tries again what has broken, and what failed at the start: the machine may have been short of something then. */
  mend(): Promise<void>
}

/** How long a proof stands. Only failed submissions ask for a new one, so this is at most one small run in that time. */
export const proofFreshMs = 10_000

export async function proveLanguages(
  sandbox: Sandbox,
  languages: readonly Language[],
  log: Log,
  freshMs = proofFreshMs,
): Promise<ProvenLanguages> {
  const proven = new Map<string, ProvenLanguage & { provenAt: number; isBroken: boolean }>()
  const proveFirst = async (language: Language) => {
    let prepared: KeptFile | undefined
    try {
      prepared = await prepareFile(sandbox, language)
      await demandProof(sandbox, { language, prepared })
      proven.set(language.value, { language, prepared, provenAt: performance.now(), isBroken: false })
    } catch (error) {
      prepared?.drop()
      log.warn({ language: language.value, reason: (error as Error).message }, 'a language failed its self-test')
    }
  }
  await Promise.all(languages.map(proveFirst))
  const prove = async (value: string) => {
    const entry = proven.get(value)
    if (!entry || (!entry.isBroken && performance.now() - entry.provenAt < freshMs)) return
    try {
      // Offered meanwhile as before: a claim that left it out would do so for as long as it waits.
      await demandProof(sandbox, entry)
      entry.isBroken = false
      entry.provenAt = performance.now()
    } catch (error) {
      entry.isBroken = true
      throw error
    }
  }
  return {
    list: () => languages.filter((language) => proven.get(language.value)?.isBroken === false),
    find: (value) => proven.get(value),
    prove,
    async mend() {
      for (const language of languages) {
        const entry = proven.get(language.value)
        if (!entry) await proveFirst(language)
        else if (entry.isBroken) await prove(language.value).catch(() => undefined)
      }
    },
  }
}

async function demandProof(sandbox: Sandbox, { language, prepared }: ProvenLanguage): Promise<void> {
  const { selfTest } = language
  const kept: KeptFile[] = []
  try {
    const { program, words } = await compileSource({ sandbox, prepared }, language, Buffer.from(selfTest.source))
    if (!program) throw new Error(`${language.name} no longer compiles: ${words.slice(0, 500)}`)
    kept.push(program)
    const input = await sandbox.keep(Buffer.from(selfTest.input))
    const output = await sandbox.keep(Buffer.from(selfTest.output))
    kept.push(input, output)
    const outcome = await runTest(
      {
        sandbox,
        language,
        program,
        limits: { timeLimitMs: 10_000, memoryLimitBytes: 256 * mebibyte },
        signal: new AbortController().signal,
      },
      { uuid: '', inputPath: input.path, outputPath: output.path, outputBytes: output.size },
    )
    if (outcome?.result === result.ok) return
    throw new Error(`${language.name} no longer runs: result ${outcome?.result}, ${outcome?.stderr.slice(0, 500)}`)
  } finally {
    for (const file of kept) file.drop()
  }
}
