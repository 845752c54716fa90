/** When data sets were last used and how often they were read: kept in memory and written down together, not once a request. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Db } from '../store/schema/schema.ts'
import type { Store } from '../store/store.ts'
import type { Dataset } from './dataset.ts'

const flushMs = 2_000

type Use = { reads: number; lastMs: number }
type Book = Map<number, Use>

export function makeUseBook({ store, clock, log }: { store: Store; clock: Clock; log: Log }) {
  let book: Book = new Map()
  /** What is being written down: not yet in the table, perhaps. */
  let writing: Book = new Map()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function writeDown(trx: Db, uses: Book): Promise<void> {
    for (const [key, { reads, lastMs }] of uses)
      await trx
        .updateTable('dataset')
        .set((eb) => ({
          read_count: eb('read_count', '+', reads),
          accessed_at: eb.case().when('accessed_at', '<', lastMs).then(lastMs).else(eb.ref('accessed_at')).end(),
        }))
        .where('id', '=', key)
        .execute()
  }

  /** Not worth a sync: it would hold every request up (measured beside a client that fills the disk, 20 to 140 ms). */
  async function writeBook(): Promise<void> {
    ;[writing, book] = [book, new Map()]
    try {
      await store.write((trx) => writeDown(trx, writing), { mayBeLost: true })
    } catch (error) {
      for (const [key, { reads, lastMs }] of writing) add(key, reads, lastMs)
      throw error
    } finally {
      writing = new Map()
      running = undefined
    }
  }

  /** Once it answers, all that was noted before is in the table. */
  async function flush(): Promise<void> {
    while (running) await running.catch(() => {})
    if (book.size === 0) return
    running = writeBook()
    await running
  }

  function add(key: number, reads: number, lastMs: number) {
    const use = book.get(key)
    book.set(key, { reads: (use?.reads ?? 0) + reads, lastMs: Math.max(use?.lastMs ?? 0, lastMs) })
  }

  const flushQuietly = () => flush().catch((error) => log.error({ err: error }, 'uses of data sets were not written'))

  return {
    note: (key: number) => add(key, 1, clock.now()),
    /** The data set as it will be once the book is written down. */
    bringUp(dataset: Dataset): Dataset {
      const uses = [writing.get(dataset.key), book.get(dataset.key)].filter((use) => use !== undefined)
      if (uses.length === 0) return dataset
      const accessedAt = new Date(Math.max(dataset.accessedAt.getTime(), ...uses.map(({ lastMs }) => lastMs)))
      return { ...dataset, accessedAt, readCount: uses.reduce((sum, { reads }) => sum + reads, dataset.readCount) }
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
