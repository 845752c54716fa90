/** Statistics of a data set's fields, computed on request: full chunks have them in their summary, the rest is read. */
import { makeLruCache } from '../lib/lru-cache.ts'
import type { Dataset } from './dataset.ts'
import { mapOrdered } from './export/ordered-map.ts'
import type { ItemLog, Slice } from './log/item-log.ts'
import { type FieldRange, joinRanges, measureFields, parseSummary, type Summary } from './summaries/summary.ts'
import type { WorkerPool } from './workers/worker-pool.ts'

/** `min` and `max`: numbers as written, or null if there are none. */
export type FieldStatistics = {
  readonly min: string | null
  readonly max: string | null
  readonly nullCount: number
  /** The number of items that lack the field. */
  readonly emptyCount: number
}

/** Below this size, reading in this thread takes less time than passing the lines to a worker. */
const smallBytes = 64 * 1024

const keptBytes = 4 * 1024 * 1024

export type Statistics = ReadonlyMap<string, FieldStatistics>

type Needs = { readonly items: ItemLog; readonly workers: WorkerPool }

/** Items are only ever appended: a data set with the same number of items has the same statistics. */
export function makeStatistics(needs: Needs) {
  const known = makeLruCache<Statistics>(keptBytes)
  return (dataset: Dataset, caller: string): Promise<Statistics> =>
    known.get(`${dataset.key}/${dataset.itemCount}`, () => gather(needs, dataset, caller), measureStatistics)
}

function measureStatistics(statistics: Statistics): number {
  let bytes = 64
  for (const [name, { min, max }] of statistics)
    bytes += 2 * (name.length + (min?.length ?? 0) + (max?.length ?? 0)) + 200
  return bytes
}

async function gather({ items, workers }: Needs, { key, itemCount }: Dataset, caller: string): Promise<Statistics> {
  const ranges = new Map<string, FieldRange>()
  const measure = async (slice: Slice): Promise<Summary['ranges']> => {
    if (slice.summary) return parseSummary(slice.summary).ranges
    if (slice.bytes < smallBytes) return [...measureFields(await items.read(key, slice))]
    return workers.inTurn(caller, async () => workers.runWanted('measure', await items.read(key, slice), {}))
  }
  for await (const some of mapOrdered(items.plan(key, { from: 0, to: itemCount }), measure)) joinRanges(ranges, some)
  const statistics = new Map<string, FieldStatistics>()
  for (const [name, { min, max, nullCount, presentCount }] of ranges)
    statistics.set(name, { min, max, nullCount, emptyCount: itemCount - presentCount })
  return statistics
}
