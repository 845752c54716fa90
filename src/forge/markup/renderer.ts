/** Renders in worker threads, which start on demand and end when idle. Nothing is rendered elsewhere. */
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { programFile } from '../../lib/process/program-file.ts'
import { takeRoom } from '../../lib/request-context.ts'
import { makeIdlePool } from '../../lib/scheduling/idle-pool.ts'
import type { Rendered, RenderForm } from './plain.ts'
import type { RenderContext } from './render-context.ts'
import type { Allowance, RenderResult, RenderTask } from './render-worker.ts'

export type Renderer = ReturnType<typeof makeRenderer>

/** A text that a thread cannot finish in this time is shown as written. */
const maxMs = 4_000

/**
 * A page's budget of time and characters; texts beyond it are shown as written. Measured in processor time of a fresh
 * thread: 64 KiB of prose full of names take 0.2 s, of the worst table 1.3 s; output from a definition that is used
 * often grows without bound.
 */
const pageAllowance: Allowance = { ms: 2_000, characters: 8 * 1024 * 1024 }
const spent: Allowance = { ms: 0, characters: 0 }

/** A result is copied into this thread in one piece, and can be six times as long if the text is all quotes. */
const batchCharacters = 256 * 1024

export function makeRenderer({ log }: { log: Log }) {
  const filename = programFile(import.meta.dirname, 'render-worker.ts')
  const pool = makeIdlePool<RenderTask, RenderResult>({ filename, maxMs, what: 'texts to be rendered' })

  async function renderOrNone(caller: string, task: RenderTask): Promise<RenderResult | undefined> {
    try {
      return await pool.run(caller, task)
    } catch (error) {
      // Callers that the queue refuses get that error.
      if (error instanceof Failure) throw error
      // It took too long or exceeded the thread's memory: that thread is gone, and the next text gets a new one.
      log.warn({ err: error, texts: task.texts.length }, 'a text was not rendered and is shown as written')
      return undefined
    }
  }

  return {
    /** Keeps the order of the texts. `caller`: the name for fair scheduling. */
    async render(
      caller: string,
      texts: readonly string[],
      forms: readonly RenderForm[],
      context: RenderContext,
    ): Promise<Rendered[]> {
      const all: Rendered[] = []
      let allowance = pageAllowance
      for (const batch of inBatches(texts)) {
        const given = countCharacters(batch) * forms.length
        await takeRoom(given)
        const isSpent = allowance.ms <= 0 || allowance.characters <= 0
        const made = isSpent
          ? undefined
          : await renderOrNone(caller, { act: 'render', texts: batch, forms, context, allowance })
        allowance = made?.allowance ?? spent
        const { rendered } = made ?? (await pool.run(caller, { act: 'write-plainly', texts: batch, forms }))
        const characters = rendered!.reduce((sum, { html = '', text = '' }) => sum + html.length + text.length, 0)
        if (characters > given) await takeRoom(characters - given)
        all.push(...rendered!)
      }
      return all
    },

    /** The logins that the texts mention. */
    async findLogins(caller: string, texts: readonly string[]): Promise<string[]> {
      const found: string[] = []
      for (const batch of inBatches(texts.filter((text) => text.includes('@'))))
        found.push(...((await renderOrNone(caller, { act: 'find-logins', texts: batch }))?.logins ?? []))
      return found
    },

    close: () => pool.close(),
  }
}

const countCharacters = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

function* inBatches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length > 0 && characters + text.length > batchCharacters) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}
