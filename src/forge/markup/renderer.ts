/** Rendering in threads of their own, which start when they are first needed and end when they are not. */
import { join } from 'node:path'
import type { Piscina } from 'piscina'
import { makeFairSemaphore } from '../../base/fair-semaphore.ts'
import type { Log } from '../../base/log.ts'
import { type Rendered, type RenderForm, writePlainly } from './plain.ts'
import type { RenderContext } from './render-context.ts'
import type { RenderTask } from './render-worker.ts'

export type Renderer = ReturnType<typeof makeRenderer>

const threads = 2
/** A text that a thread does not come to an end with is shown as it was written. */
const maxMs = 4_000

export function makeRenderer({ log }: { log: Log }) {
  let pool: Promise<Piscina> | undefined
  /** As many at a time as there are threads, so that what has its turn begins at once; callers take turns. */
  const takeTurn = makeFairSemaphore({
    slots: threads,
    slotsPerCaller: 1,
    queuePerCaller: 50,
    queue: 500,
    maxWaitMs: 30_000,
    what: 'texts to be rendered',
  })

  const open = async () => {
    const { Piscina } = await import('piscina')
    return new Piscina({
      filename: join(import.meta.dirname, 'render-worker.ts'),
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
    })
  }

  async function run(task: RenderTask): Promise<Rendered[]> {
    pool ??= open()
    try {
      return await (await pool).run(task, { signal: AbortSignal.timeout(maxMs) })
    } catch (error) {
      // Too long, or more memory than a thread has: the thread is gone, and the next text gets another.
      log.warn({ err: error, texts: task.texts.length }, 'a text was not rendered and is shown as written')
      return task.texts.map((text) => writePlainly(text, task.forms))
    }
  }

  return {
    /** In the order of the texts. `caller`: whose turn it is. */
    render: (
      caller: string,
      texts: readonly string[],
      forms: readonly RenderForm[],
      context: RenderContext,
    ): Promise<Rendered[]> =>
      texts.length === 0 ? Promise.resolve([]) : takeTurn(caller, () => run({ texts, forms, context })),

    async close(): Promise<void> {
      await (await pool)?.destroy()
    },
  }
}
