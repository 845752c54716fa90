/**
 * Compiles submissions so that a long compilation costs its author alone: after a few seconds it leaves its slot, and begins
 * anew beside the runs with a smaller share of the processors, authors in turn. A source that did not compile a
 * moment ago is not compiled again, nor is one whose program is still kept.
 */
import { createHash } from 'node:crypto'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { mebibyte } from '../../lib/text/bytes.ts'
import type { Language } from '../languages/language.ts'
import { slowSlotCount } from '../sandboxes/slots/slots.ts'
import { type Compilation, type CompileContext, compileSource } from './compilation.ts'
import { makeProgramCache } from './program-cache.ts'

export type CompileRequest = {
  readonly source: Uint8Array
  /** Whose turn it takes where it takes long. */
  readonly author: string
  readonly signal: AbortSignal
  /** In a slot and no longer than this: what takes longer is given up. */
  readonly mostSeconds?: number
  /** Is called when it leaves its slot: others may have its place until the answer has been called and has resolved. */
  onSlow?(): ComeBack
}

export type ComeBack = (signal: AbortSignal) => Promise<void>

export type SubmissionCompiler = {
  compile(context: CompileContext, language: Language, request: CompileRequest): Promise<Compilation>
  /** Remembers that this source is no program, for as long as the toolchain is likely to be the same. */
  rememberFailure(language: Language, source: Uint8Array, words: string): void
}

/** What most programs need to compile, several times over; a template bomb has had its slot for so long. */
export const quickCompileSeconds = 5
/** Beyond so many that wait for their turn, a long compilation keeps its place with the judge. */
const mostWaiting = 1_000
const mostFailures = 200
const failureFreshMs = 10 * 60_000
/** What the programs that are kept may take of the disk. */
const keptBytes = 256 * mebibyte

export function makeSubmissionCompiler(quickSeconds = quickCompileSeconds): SubmissionCompiler {
  const turns = makeFairScheduler({ slots: slowSlotCount, slotsPerCaller: 1, what: 'long compilations' })
  const failures = new Map<string, { words: string; at: number }>()
  const programs = makeProgramCache(keptBytes)

  const findFailure = (key: string): Compilation | null => {
    const found = failures.get(key)
    if (!found) return null
    if (performance.now() - found.at < failureFreshMs) return { program: null, words: found.words }
    failures.delete(key)
    return null
  }

  return {
    async compile(context, language, { source, author, signal, onSlow, mostSeconds }) {
      const key = keyOf(language, source)
      const known = findFailure(key) ?? programs.find(key)
      const keep = (compiled: Compilation) => {
        if (language.compile) programs.keep(key, compiled)
        return compiled
      }
      if (known) return known
      if (language.compileSeconds <= quickSeconds) return keep(await compileSource(context, language, source))
      if (mostSeconds !== undefined) {
        const compileSeconds = Math.min(mostSeconds, language.compileSeconds)
        return keep(await compileSource(context, { ...language, compileSeconds }, source))
      }
      const quick = await compileSource(
        { ...context, isQuick: true },
        { ...language, compileSeconds: quickSeconds },
        source,
      )
      if (!quick.isTooSlow) return keep(quick)
      const comeBack = turns.waitingCount() < mostWaiting ? onSlow?.() : undefined
      const slot = await turns.take(author, { signal })
      try {
        const compilation = findFailure(key) ?? (await compileSource({ ...context, isSlow: true }, language, source))
        const { program } = compilation
        // The turn goes on meanwhile, so that no more programs lie about than there are turns and places.
        if (program)
          await comeBack?.(signal).catch((error: unknown) => {
            program.drop()
            throw error
          })
        return keep(compilation)
      } finally {
        slot.release()
      }
    },
    rememberFailure(language, source, words) {
      failures.set(keyOf(language, source), { words, at: performance.now() })
      if (failures.size > mostFailures) failures.delete(failures.keys().next().value!)
    },
  }
}

const keyOf = (language: Language, source: Uint8Array): string =>
  createHash('sha256').update(`${language.value}\n`).update(source).digest('base64')
