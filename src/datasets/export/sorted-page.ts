/**
 * Sorts the items that a query selects, however many: sorted runs go into a temporary file and are merged piece by
 * piece in threads. The result is a file of lines, which an export reads like the log itself.
 */
import { Failure } from '../../lib/failure.ts'
import type { TemporaryFile } from '../../store/files/temporary-files.ts'
import type { ItemLog, ItemRange, Slice } from '../log/item-log.ts'
import type { Run } from '../order/merge.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import { mapOrdered } from './ordered-map.ts'
import type { SortDiskBudget } from './sort-disk-budget.ts'

/** The source of an export: the log, or a sorted page of it. */
export type ItemSource = Pick<ItemLog, 'plan' | 'read'>

export type SortedPage = {
  readonly source: ItemSource
  readonly count: number
  readonly byteCount: number
  close(): Promise<void>
}

type Needs = {
  readonly log: ItemSource
  readonly workers: WorkerPool
  readonly caller: string
  readonly sortDiskBudget: SortDiskBudget
  /** Ends the client's connection if others need the space of its answer. */
  readonly cutOff: () => void
  /** Runs merged at a time: each needs a window in memory. */
  readonly fanIn?: number
}

type Runs = { readonly file: TemporaryFile; readonly runs: readonly Run[] }
type Stage = { readonly isDistinct: boolean; readonly isFinal: boolean; readonly skip: number; readonly take: number }

/** `demandClient` throws once nobody waits for the answer. */
export async function sortItems(
  { log, workers, caller, sortDiskBudget, cutOff, fanIn = 64 }: Needs,
  { key, itemCount }: { readonly key: number; readonly itemCount: number },
  query: ItemQuery,
  demandClient: () => void,
): Promise<SortedPage> {
  const files = sortDiskBudget.open(caller, cutOff)
  const demandWanted = () => {
    demandClient()
    files.demandHeld()
  }
  const keep = query.limit === null ? Number.POSITIVE_INFINITY : query.offset + query.limit

  /** A slice's selected items as sorted records. */
  const order = (slice: Slice): Promise<Uint8Array> =>
    workers.inTurn(caller, async () => {
      demandWanted()
      const lines = await log.read(key, slice)
      const plan = { query, first: slice.from, total: itemCount, keep }
      return workers.runWanted('order', lines, { plan }, demandWanted)
    })

  async function writeRuns(sorted: AsyncIterable<Uint8Array>): Promise<Runs> {
    const file = await files.make()
    const runs: Run[] = []
    for await (const bytes of sorted) {
      demandWanted()
      if (bytes.length === 0) continue
      runs.push({ start: file.length, end: file.length + bytes.length })
      await files.write(file, bytes)
    }
    return { file, runs }
  }

  async function* mergeSome({ file, runs }: Runs, stage: Stage): AsyncGenerator<{ bytes: Buffer; count: number }> {
    let [rest, last, skip, take] = [runs, null as Uint8Array | null, stage.skip, stage.take]
    while (rest.length > 0 && take > 0) {
      const plan = { ...stage, fd: file.fd, runs: rest, last, skip, take }
      // A thread that was ended may read on for a moment from a reused file number: what it reads is discarded.
      const piece = await workers.inTurn(caller, () => workers.runWanted('merge', Buffer.alloc(0), plan, demandWanted))
      demandWanted()
      ;[rest, last, skip, take] = [piece.runs, piece.last, skip - piece.skipped, take - piece.count]
      const { buffer, byteOffset, byteLength } = piece.bytes
      if (piece.count > 0) yield { bytes: Buffer.from(buffer, byteOffset, byteLength), count: piece.count }
    }
  }

  /** Merges runs until there are few enough for one merge. */
  async function reduce({ file, runs }: Runs, isDistinct: boolean, most: number): Promise<Runs> {
    if (runs.length <= fanIn) return { file, runs }
    const next = await files.make()
    const longer: Run[] = []
    for (let i = 0; i < runs.length; i += fanIn) {
      const start = next.length
      const stage = { isDistinct, isFinal: false, skip: 0, take: most }
      for await (const { bytes } of mergeSome({ file, runs: runs.slice(i, i + fanIn) }, stage))
        await files.write(next, bytes)
      longer.push({ start, end: next.length })
    }
    await files.close(file)
    return reduce({ file: next, runs: longer }, isDistinct, most)
  }

  async function* sortAgain(first: Runs): AsyncGenerator<Uint8Array> {
    const stage = { isDistinct: true, isFinal: true, skip: 0, take: Number.POSITIVE_INFINITY }
    for await (const { bytes } of mergeSome(first, stage))
      yield await workers.inTurn(caller, () => workers.runWanted('sortRecords', bytes, { keep }, demandWanted))
    await files.close(first.file)
  }

  try {
    let runs = await writeRuns(mapOrdered(log.plan(key, { from: 0, to: itemCount }), order))
    if (query.distinct.length > 0) runs = await writeRuns(sortAgain(await reduce(runs, true, Number.POSITIVE_INFINITY)))
    const last = await reduce(runs, false, keep)
    const lines = await files.make()
    const stage = {
      isDistinct: false,
      isFinal: true,
      skip: query.offset,
      take: query.limit ?? Number.POSITIVE_INFINITY,
    }
    const slices: (Slice & { readonly at: number })[] = []
    let count = 0
    for await (const { bytes, count: some } of mergeSome(last, stage)) {
      slices.push({
        at: lines.length,
        from: count,
        to: count + some,
        bytes: bytes.length,
        isWhole: true,
        hasHidden: true,
        summary: null,
      })
      await files.write(lines, bytes)
      count += some
    }
    await files.close(last.file)
    return {
      source: makeSource((start, length) => files.read(lines, start, length), slices),
      count,
      byteCount: lines.length,
      close: files.closeAll,
    }
  } catch (error) {
    await files.closeAll()
    throw error
  }
}

/** Only whole slices are read. */
function makeSource(read: TemporaryFile['read'], slices: readonly (Slice & { readonly at: number })[]): ItemSource {
  const byStart = new Map(slices.map((slice) => [slice.from, slice]))
  return {
    async *plan() {
      yield* slices
    },
    async read(_key: number, { from, to }: ItemRange) {
      const slice = byStart.get(from)
      if (!slice || slice.to !== to)
        throw new Failure('unavailable', 'unavailable', 'The sorted items have expired: ask again.')
      return read(slice.at, slice.bytes)
    },
  }
}
