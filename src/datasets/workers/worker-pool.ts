/**
 * A pool of worker threads for heavy work on items, so that large exports block no other requests. Starts on demand.
 */
import { availableParallelism } from 'node:os'
import type { Piscina } from 'piscina'
import { Failure } from '../../lib/failure.ts'
import { programFile } from '../../lib/process/program-file.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import type { ColumnarPart } from '../formats/columnar/columnar-part.ts'
import type { Selection } from '../formats/selection.ts'
import type { RenderPlan, SlicePart } from '../formats/slice.ts'
import type { Survey } from '../formats/table-rows.ts'
import type { SheetPart } from '../formats/xlsx/sheet.ts'
import type { ItemKeys } from '../index-keys/item-keys.ts'
import { readCsvBody } from '../items/csv-body.ts'
import type { CsvOptions } from '../items/csv-reading.ts'
import { ownMemory } from '../items/memory.ts'
import { type ScannedItems, scanItems } from '../items/scan.ts'
import type { MergedPiece, MergePlan } from '../order/merge.ts'
import type { OrderPlan } from '../order/records.ts'
import type { FieldPath } from '../query/filter.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { RecordPosition } from '../query/records.ts'
import type { Window } from '../query/window.ts'
import type { InvalidItem } from '../schemas/schema-validator.ts'
import type { Summary } from '../summaries/summary.ts'

/** The tasks of a worker, each with its input besides the lines, and its output. */
export type WorkerTasks = {
  scan: { input: { csv: CsvOptions | null }; output: ScannedItems }
  select: {
    input: { query: ItemQuery; mostBytes: number }
    output: { count: number; lines: Uint8Array | null }
  }
  survey: { input: { query: ItemQuery; from: RecordPosition; window?: Window | undefined }; output: SlicePart<Survey> }
  render: {
    input: { plan: RenderPlan; from: RecordPosition; window?: Window | undefined }
    output: SlicePart<Uint8Array>
  }
  pack: {
    input: { plan: RenderPlan; from: RecordPosition; firstRow: number; window?: Window | undefined }
    output: SlicePart<SheetPart[]>
  }
  packColumns: {
    input: { plan: RenderPlan; from: RecordPosition; window?: Window | undefined }
    output: SlicePart<Omit<ColumnarPart, 'bytes'> & { bytes: Uint8Array }>
  }
  order: { input: { plan: OrderPlan }; output: Uint8Array }
  sortRecords: { input: { keep: number }; output: Uint8Array }
  match: { input: { selection: Selection }; output: number[] }
  readKeys: { input: { count: number; paths: readonly FieldPath[] }; output: ItemKeys[] }
  merge: { input: MergePlan; output: MergedPiece }
  summarize: { input: object; output: Summary | null }
  measure: { input: object; output: Summary['ranges'] }
  check: { input: { fields: unknown; begun?: Int32Array }; output: string | null }
  validate: { input: { fields: object; begun?: Int32Array }; output: InvalidItem[] }
}

export type Outcome<T> = { value: T } | { failure: Pick<Failure, 'kind' | 'code' | 'message' | 'detail'> }

export type WorkerPool = ReturnType<typeof makeWorkerPool>

export const workerCount = Math.max(2, Math.min(availableParallelism(), 8))

/** A schema whose patterns never finish is stopped this long after a thread has begun with it. */
const maxValidationMs = 5_000
/** After waiting this long for a thread, a caller is told that the server is busy. */
const maxValidationWaitMs = 30_000

/** A body is scanned in a fraction of a second: a scan that takes this long would never free its thread. */
const maxScanMs = 30_000

/** A piece of an export takes about a second, even beside many others: one that takes this long is ended. */
const maxPieceMs = 20_000
/** How often a running piece is checked; one that is unwanted at two checks is ended with its thread. */
const watchMs = 250

/** One thread more than a single caller may have, for callers who have none. */
const exportThreads = workerCount + 1

/** A thread takes a tenth of a second to start, and its code as long to compile; exports follow each other. */
const keptMs = 5 * 60_000

/** Up to this size a body is scanned in this thread: that takes about as long as passing it to a worker. */
const smallBodyBytes = 256 * 1024
/** Rows of CSV may grow much as JSON. */
const smallCsvBytes = 16 * 1024

const mayTakeLong = (act: keyof WorkerTasks) => act === 'check' || act === 'validate'

/**
 * Separate pools: pushes do not wait behind the pieces of exports, of which there may be many, and nothing waits behind
 * schemas, which may take any time.
 */
const poolOf = (act: keyof WorkerTasks) =>
  mayTakeLong(act) ? 'forSchemas' : act === 'scan' || act === 'readKeys' ? 'forPushes' : 'forExports'

/** As many threads as turns: whoever has a turn has a thread, or a new one if a thread was ended. */
const threadsOf = { forPushes: workerCount + 1, forExports: exportThreads, forSchemas: workerCount }

export function makeWorkerPool({ pieceMs = maxPieceMs } = {}) {
  const pools: { forPushes?: Promise<Piscina>; forExports?: Promise<Piscina>; forSchemas?: Promise<Piscina> } = {}
  /** As many turns as threads: a task with a turn begins at once. No owner has more than half of them. */
  const { run: takeTurn } = makeFairScheduler({
    slots: workerCount,
    slotsPerCaller: Math.floor(workerCount / 2),
    // However many owners have endless schemas, half of the threads remain for the others.
    heavy: { afterMs: 1_000, slots: Math.floor(workerCount / 2) },
    queuePerCaller: 20,
    queue: 200,
    maxWaitMs: maxValidationWaitMs,
    what: 'schemas to be checked',
  })

  /**
   * Pieces of exports wait here, not in the pool, which serves in order of arrival: one account's hundred exports would
   * all come before another's one. A caller gets as many threads as there are processors. A running export can't be
   * refused any more, so the queue is unbounded.
   */
  const { run: takeExportTurn } = makeFairScheduler({
    slots: exportThreads,
    slotsPerCaller: exportThreads - 1,
    reserve: 1,
    // However many callers send long work, one thread remains for the others.
    heavy: { afterMs: 5_000, slots: exportThreads - 1 },
    what: 'exports',
  })

  /**
   * Work that pushes wait for. There is one thread more than a single owner may have, for owners who have none. The
   * queue is bounded by the byte budget that its bodies hold.
   */
  const { run: takePushTurn } = makeFairScheduler({
    slots: workerCount + 1,
    slotsPerCaller: workerCount,
    reserve: 1,
    what: 'items to be read',
  })

  const open = async (maxThreads: number) => {
    const { Piscina } = await import('piscina')
    return new Piscina({
      filename: programFile(import.meta.dirname, 'worker.ts'),
      minThreads: 0,
      maxThreads,
      idleTimeout: keptMs,
      // The limits are small on purpose: what a worker allocates for a slice is soon garbage.
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
    })
  }

  /** Transfers the lines to the worker: the caller must not use them afterwards. */
  async function run<A extends keyof WorkerTasks>(
    act: A,
    lines: Buffer,
    input: WorkerTasks[A]['input'],
    signal: AbortSignal | null = null,
  ): Promise<WorkerTasks[A]['output']> {
    const which = poolOf(act)
    pools[which] ??= open(threadsOf[which])
    const pool = await pools[which]
    const own = ownMemory(lines)
    const task = { lines: own, ...input }
    const options = { name: act, transferList: [own.buffer as ArrayBuffer], signal }
    const outcome: Outcome<WorkerTasks[A]['output']> = await pool.run(task, options)
    if ('value' in outcome) return outcome.value
    const { kind, code, message, detail } = outcome.failure
    throw new Failure(kind, code, message, detail)
  }

  /**
   * Runs a task as long as its outcome is wanted. Tasks do not check that themselves: one that goes on after its client
   * has left, which is rare, is ended with its thread.
   */
  async function runWanted<A extends keyof WorkerTasks>(
    act: A,
    lines: Buffer,
    input: WorkerTasks[A]['input'],
    demandWanted: () => void = () => {},
  ): Promise<WorkerTasks[A]['output']> {
    const stop = new AbortController()
    const endAt = performance.now() + pieceMs
    let reason: unknown
    const watch = setInterval(
      () => {
        const isUnwanted = reason !== undefined
        try {
          demandWanted()
          if (performance.now() < endAt) return
          reason = tooSlow()
        } catch (error) {
          reason = error
          if (!isUnwanted) return
        }
        stop.abort()
      },
      Math.min(watchMs, pieceMs),
    )
    try {
      return await run(act, lines, input, stop.signal)
    } catch (error) {
      throw stop.signal.aborted ? reason : error
    } finally {
      clearInterval(watch)
    }
  }

  return {
    run,
    runWanted,

    /** Runs a piece of an export in the caller's turn. Reads its input within it, so that waiting takes no memory. */
    inTurn: <T>(caller: string, act: () => Promise<T>): Promise<T> => takeExportTurn(caller, act),

    /** Runs work that a push waits for in its owner's turn. */
    inPushTurn: <T>(owner: number, act: () => Promise<T>): Promise<T> => takePushTurn(String(owner), act),

    /** Runs a schema's task in its owner's turn. The clock starts with a thread: waiting is nobody's fault. */
    runBounded: <A extends 'check' | 'validate'>(
      owner: number,
      act: A,
      lines: Buffer,
      input: WorkerTasks[A]['input'],
    ): Promise<WorkerTasks[A]['output']> =>
      takeTurn(String(owner), async (slot) => {
        const begun = new Int32Array(new SharedArrayBuffer(4))
        const stop = new AbortController()
        let timer: NodeJS.Timeout | undefined
        let begunAt: number | undefined
        const start = () => {
          begunAt = performance.now()
          timer = setTimeout(() => stop.abort(), maxValidationMs)
        }
        const noted = Atomics.waitAsync(begun, 0, 0)
        if (noted.async) void noted.value.then(start)
        try {
          return await run(act, lines, { ...input, begun }, stop.signal)
        } finally {
          // Starting a thread takes time, which is not counted.
          slot.countUsed(begunAt === undefined ? 0 : performance.now() - begunAt)
          // Also notifies for a task that never began; otherwise the wait would never end.
          Atomics.notify(begun, 0)
          await noted.value
          clearTimeout(timer)
        }
      }),

    /** Scans a pushed body, a large one in a worker, unless its client has left before its turn. */
    async scan(owner: number, body: Buffer, csv: CsvOptions | null, demandWanted = () => {}): Promise<ScannedItems> {
      if (body.length <= (csv ? smallCsvBytes : smallBodyBytes)) return scanItems(csv ? readCsvBody(body, csv) : body)
      const scanned = await takePushTurn(String(owner), () => {
        demandWanted()
        return run('scan', body, { csv }, AbortSignal.timeout(maxScanMs)).catch(explainTimeout)
      })
      const { buffer, byteOffset, byteLength } = scanned.lines
      return { ...scanned, lines: Buffer.from(buffer, byteOffset, byteLength) }
    },
    async close() {
      await Promise.all(Object.values(pools).map(async (pool) => (await pool).destroy()))
    },
  }
}

const tooSlow = () =>
  new Failure(
    'unavailable',
    'busy',
    'A piece of the answer was not made in time: ask for less at a time, by a limit, fewer fields or a simpler filter.',
    { retryAfterSeconds: 10 },
  )

function explainTimeout(error: Error): never {
  if (error.name !== 'AbortError') throw error
  throw new Failure('unavailable', 'busy', 'The items were not read in time: push fewer at a time.', {
    retryAfterSeconds: 10,
  })
}
