/** When data sets were last used and how often they were read: kept in memory and written down together, not once a request. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'
import type { Dataset } from './dataset.ts'

const flushMs = 2_000

type Use = { reads: number; lastMs: number }

export function makeUseBook({ store, clock, log }: { store: Store; clock: Clock; log: Log }) {
  let book = new Map<number, Use>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    if (book.size === 0) return
    const uses = book
    book = new Map()
    await store.write(async (trx) => {
      for (const [key, { reads, lastMs }] of uses)
        await trx
          .updateTable('dataset')
          .set((eb) => ({
            read_count: eb('read_count', '+', reads),
            accessed_at: eb.case().when('accessed_at', '<', lastMs).then(lastMs).else(eb.ref('accessed_at')).end(),
          }))
          .where('id', '=', key)
          .execute()
    })
  }

  const flushQuietly = () => flush().catch((error) => log.error({ err: error }, 'uses of data sets were not written'))

  return {
    note(key: number) {
      const use = book.get(key)
      book.set(key, { reads: (use?.reads ?? 0) + 1, lastMs: clock.now() })
    },
    /** The data set as it will be once the book is written down. */
    bringUp(dataset: Dataset): Dataset {
      const use = book.get(dataset.key)
      if (!use) return dataset
      const accessedAt = new Date(Math.max(use.lastMs, dataset.accessedAt.getTime()))
      return { ...dataset, accessedAt, readCount: dataset.readCount + use.reads }
    },
    flush,
    start() {
      timer ??= setInterval(flushQuietly, flushMs).unref()
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
