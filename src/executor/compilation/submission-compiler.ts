/**
 * Compiles submissions so that a long compilation costs only its author: after a few seconds it leaves its slot and
 * starts over beside the runs, with a smaller share of the processors, authors in turn. A source that recently failed
 * to compile is not compiled again, nor is one whose program is cached.
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
  /** The author whose turn a long compilation takes. */
  readonly author: string
  readonly signal: AbortSignal
  /** Compiles only in a slot, for at most this long; then gives up. */
  readonly mostSeconds?: number
  /** Called when it leaves its slot: others may use the place until the returned function is called and resolves. */
  onSlow?(): ResumeJudging
}

export type ResumeJudging = (signal: AbortSignal) => Promise<void>

export type SubmissionCompiler = {
  compile(context: CompileContext, language: Language, request: CompileRequest): Promise<Compilation>
  /** Remembers that this source does not compile, for as long as the toolchain is probably the same. */
  rememberFailure(language: Language, source: Uint8Array, words: string): void
}

/** Several times the need of most programs, and the longest that a template bomb can hold a slot. */
export const quickCompileSeconds = 5
/** If more than this many wait for their turn, a long compilation does not give up its place. */
const mostWaiting = 1_000
const mostFailures = 200
const failureFreshMs = 10 * 60_000
/** The most disk space of cached programs. */
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
      const resume = turns.waitingCount() < mostWaiting ? onSlow?.() : undefined
      const slot = await turns.take(author, { signal })
      try {
        const compilation = findFailure(key) ?? (await compileSource({ ...context, isSlow: true }, language, source))
        const { program } = compilation
        // The turn is held meanwhile, so that no more programs are on disk than there are turns and places.
        if (program)
          await resume?.(signal).catch((error: unknown) => {
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
