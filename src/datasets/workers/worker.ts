/** A worker thread: runs the tasks of `worker-pool.ts`, each on memory that was transferred to it. */
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { Failure } from '../../lib/failure.ts'
import { findMatches, selectLines } from '../formats/selection.ts'
import { packColumnarSlice, packSlice, renderSlice, surveySlice } from '../formats/slice.ts'
import { readItemKeys } from '../index-keys/item-keys.ts'
import { readCsvBody } from '../items/csv-body.ts'
import { ownMemory, release } from '../items/memory.ts'
import { scanItems } from '../items/scan.ts'
import { mergePiece } from '../order/merge.ts'
import { orderLines, sortRecords as sortInOrder } from '../order/records.ts'
import { measureFields, summarizeLines } from '../summaries/summary.ts'
import type { Outcome, WorkerTasks } from './worker-pool.ts'

lowerPriority()

/**
 * If the system has priorities per thread, as Linux does, workers run below the thread that answers requests. Measured
 * on two busy cores: a small request during an xlsx export took 2 ms instead of 4, and 60 ms instead of 300 at p99.
 */
function lowerPriority() {
  try {
    const [, , thread] = readlinkSync('/proc/thread-self').split('/')
    setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {}
}

type TaskInput<A extends keyof WorkerTasks> = WorkerTasks[A]['input'] & { lines: Uint8Array }
type WorkerTask<A extends keyof WorkerTasks> = (task: TaskInput<A>) => Promise<Outcome<WorkerTasks[A]['output']>>

export const scan = defineTask<'scan'>((lines, { csv }) => scanItems(csv ? readCsvBody(lines, csv) : lines))

export const select = defineTask<'select'>(
  releasing((stored, { query, mostBytes }) => {
    const { count, lines } = selectLines(stored, query)
    const isKept = count > 0 && lines.length <= mostBytes
    return { count, lines: isKept ? ownMemory(lines.buffer === stored.buffer ? Buffer.from(lines) : lines) : null }
  }),
  ({ lines }) => lines,
)

export const survey = defineTask<'survey'>(
  releasing((lines, { query, from, window }) => surveySlice(lines, query, from, window)),
)

export const render = defineTask<'render'>(
  releasing((lines, { plan, from, window }) => {
    const { made, next } = renderSlice(lines, plan, from, window)
    return { made: ownMemory(made.buffer === lines.buffer ? Buffer.from(made) : made) as Buffer, next }
  }),
  ({ made }) => made,
)

export const pack = defineTask<'pack'>(
  releasing((lines, { plan, from, firstRow, window }) => packSlice(lines, plan, from, firstRow, window)),
)

export const packColumns = defineTask<'packColumns'>(
  releasing((lines, { plan, from, window }) => {
    const { made, next } = packColumnarSlice(lines, plan, from, window)
    return { made: { ...made, bytes: ownMemory(made.bytes) }, next }
  }),
  ({ made }) => made.bytes,
)

export const order = defineTask<'order'>(
  releasing((lines, { plan }) => ownMemory(orderLines(lines, plan))),
  (made) => made,
)

export const sortRecords = defineTask<'sortRecords'>(
  releasing((records, { keep }) => ownMemory(sortInOrder(records, keep))),
  (made) => made,
)

export const match = defineTask<'match'>(releasing((lines, { selection }) => findMatches(lines, selection)))

export const readKeys = defineTask<'readKeys'>(
  releasing((lines, { count, paths }) => readItemKeys(lines, count, paths)),
)

export const merge = defineTask<'merge'>(
  (_lines, plan) => {
    const piece = mergePiece(plan)
    return { ...piece, bytes: ownMemory(piece.bytes) }
  },
  ({ bytes }) => bytes,
)

export const summarize = defineTask<'summarize'>(releasing((lines) => summarizeLines(lines)))

export const measure = defineTask<'measure'>(releasing((lines) => [...measureFields(lines)]))

export const check = defineTask<'check'>(async (_lines, { fields, begun }) => {
  const { findSchemaFault } = await import('../schemas/schema-validator.ts')
  noteBegun(begun)
  return findSchemaFault(fields)
})

export const validate = defineTask<'validate'>(async (lines, { fields, begun }) => {
  const { findInvalidItems } = await import('../schemas/schema-validator.ts')
  noteBegun(begun)
  return findInvalidItems(lines, fields)
})

/** Tells the waiting thread that its clock may start. */
function noteBegun(begun: Int32Array | undefined): void {
  if (!begun) return
  Atomics.store(begun, 0, 1)
  Atomics.notify(begun, 0)
}

/** An error loses its class between threads, so failures are passed as values. `moved`: bytes sent without a copy. */
function defineTask<A extends keyof WorkerTasks>(
  act: (lines: Buffer, task: TaskInput<A>) => WorkerTasks[A]['output'] | Promise<WorkerTasks[A]['output']>,
  moved?: (output: WorkerTasks[A]['output']) => Uint8Array | null,
): WorkerTask<A> {
  return async (task) => {
    try {
      const value = await act(asBuffer(task.lines), task)
      const bytes = moved?.(value) ?? null
      return bytes ? transferring({ value }, bytes) : { value }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { kind, code, message, detail } = error
      return { failure: { kind, code, message, detail } }
    }
  }
}

const transferring = <T extends object>(outcome: T, bytes: Uint8Array): T =>
  move({ [transferableSymbol]: bytes.buffer as ArrayBuffer, [valueSymbol]: outcome }) as T

/** The worker owns the lines, and frees their memory when the task is done. */
function releasing<T, R>(act: (lines: Buffer, task: T) => R): (lines: Buffer, task: T) => R {
  return (lines, task) => {
    try {
      return act(lines, task)
    } finally {
      release(lines)
    }
  }
}

const asBuffer = (lines: Uint8Array) => Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
