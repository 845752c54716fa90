/**
 * Usage records: when each data set was last used and how often it was read. They are gathered in memory and written in
 * batches, not per request.
 */
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { logOutage } from '../lib/outages/outage-log.ts'
import type { Db } from '../store/schema/schema.ts'
import type { Store } from '../store/store.ts'
import type { Dataset } from './dataset.ts'

const flushMs = 2_000

type UsageRecord = { reads: number; lastMs: number }
type Records = Map<number, UsageRecord>

export type Usage = ReturnType<typeof makeUsage>

export function makeUsage({ store, clock, log }: { store: Store; clock: Clock; log: Log }) {
  let unsaved: Records = new Map()
  /** Records being written, which may not be in the table yet. */
  let saving: Records = new Map()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function writeRows(trx: Db, records: Records): Promise<void> {
    for (const [key, { reads, lastMs }] of records)
      await trx
        .updateTable('dataset')
        .set((eb) => ({
          read_count: eb('read_count', '+', reads),
          accessed_at: eb.case().when('accessed_at', '<', lastMs).then(lastMs).else(eb.ref('accessed_at')).end(),
        }))
        .where('id', '=', key)
        .execute()
  }

  /**
   * Usage records may be lost in a power cut: syncing them delayed every request (measured beside a client that fills
   * the disk: 20 to 140 ms).
   */
  async function save(): Promise<void> {
    ;[saving, unsaved] = [unsaved, new Map()]
    try {
      await store.write((trx) => writeRows(trx, saving), { mayBeLost: true })
    } catch (error) {
      for (const [key, { reads, lastMs }] of saving) add(key, reads, lastMs)
      throw error
    } finally {
      saving = new Map()
      running = undefined
    }
  }

  /** When it resolves, everything recorded before is in the table. */
  async function flush(): Promise<void> {
    while (running) await running.catch(() => {})
    if (unsaved.size === 0) return
    running = save()
    await running
  }

  function add(key: number, reads: number, lastMs: number) {
    const record = unsaved.get(key)
    unsaved.set(key, { reads: (record?.reads ?? 0) + reads, lastMs: Math.max(record?.lastMs ?? 0, lastMs) })
  }

  const flushQuietly = () =>
    flush().catch((error) => logOutage(log, 'error', { err: error }, 'usage of data sets was not written'))

  return {
    recordRead: (key: number) => add(key, 1, clock.now()),
    /** The data set as its row will be once the unsaved records are written. */
    withUnsaved(dataset: Dataset): Dataset {
      const records = [saving.get(dataset.key), unsaved.get(dataset.key)].filter((record) => record !== undefined)
      if (records.length === 0) return dataset
      const accessedAt = new Date(Math.max(dataset.accessedAt.getTime(), ...records.map(({ lastMs }) => lastMs)))
      return { ...dataset, accessedAt, readCount: records.reduce((sum, { reads }) => sum + reads, dataset.readCount) }
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
