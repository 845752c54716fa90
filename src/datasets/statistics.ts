/** Statistics of a data set's fields, exact when asked: full chunks have theirs at hand, the rest is read. */
import type { Dataset } from './dataset.ts'
import { inOrder } from './export/in-order.ts'
import type { ItemLog, Piece } from './item-log.ts'
import { type FieldRange, joinRanges, measureFields, parseSummary, type Summary } from './summary.ts'
import type { Threads } from './threads.ts'

/** `min` and `max` are numbers as they are written, or null where there is none. */
export type FieldStatistics = {
  readonly min: string | null
  readonly max: string | null
  readonly nullCount: number
  /** Items that lack the field. */
  readonly emptyCount: number
}

/** Below this, reading takes less time than handing over. */
const smallBytes = 64 * 1024

export async function gatherStatistics(
  { items, threads }: { items: ItemLog; threads: Threads },
  { key, itemCount }: Dataset,
): Promise<Map<string, FieldStatistics>> {
  const ranges = new Map<string, FieldRange>()
  const measure = async (piece: Piece): Promise<Summary['ranges']> => {
    if (piece.summary) return parseSummary(piece.summary).ranges
    const lines = await items.read(key, piece)
    return piece.bytes < smallBytes ? [...measureFields(lines)] : threads.run('measure', lines, {})
  }
  for await (const some of inOrder(items.plan(key, { from: 0, to: itemCount }), measure)) joinRanges(ranges, some)
  const statistics = new Map<string, FieldStatistics>()
  for (const [name, { min, max, nullCount, presentCount }] of ranges)
    statistics.set(name, { min, max, nullCount, emptyCount: itemCount - presentCount })
  return statistics
}
