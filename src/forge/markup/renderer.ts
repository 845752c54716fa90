/** Rendering in threads of their own, which start when they are first needed and end when they are not. */
import { Failure } from '../../base/failure.ts'
import { makeIdlePool } from '../../base/idle-pool.ts'
import type { Log } from '../../base/log.ts'
import { programFile } from '../../base/program-file.ts'
import { type Rendered, type RenderForm, writePlainly } from './plain.ts'
import type { RenderContext } from './render-context.ts'
import type { RenderTask } from './render-worker.ts'

export type Renderer = ReturnType<typeof makeRenderer>

/** A text that a thread does not come to an end with is shown as it was written. */
const maxMs = 4_000

export function makeRenderer({ log }: { log: Log }) {
  const filename = programFile(import.meta.dirname, 'render-worker.ts')
  const pool = makeIdlePool<RenderTask, Rendered[]>({ filename, maxMs, what: 'texts to be rendered' })

  return {
    /** In the order of the texts. `caller`: whose turn it is. */
    async render(
      caller: string,
      texts: readonly string[],
      forms: readonly RenderForm[],
      context: RenderContext,
    ): Promise<Rendered[]> {
      if (texts.length === 0) return []
      try {
        return await pool.run(caller, { texts, forms, context })
      } catch (error) {
        // Those who are turned away are told so.
        if (error instanceof Failure) throw error
        // Too long, or more memory than a thread has: the thread is gone, and the next text gets another.
        log.warn({ err: error, texts: texts.length }, 'a text was not rendered and is shown as written')
        return texts.map((text) => writePlainly(text, forms))
      }
    },

    close: () => pool.close(),
  }
}
