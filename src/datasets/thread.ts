/** What a thread does with a piece of items: the acts of `threads.ts`, each on memory that was handed over. */
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { Failure } from '../base/failure.ts'
import { packPiece, renderPiece, surveyPiece } from './formats/piece.ts'
import { ownMemory, release } from './items/memory.ts'
import { scanItems } from './items/scan.ts'
import { measureFields, summarizeLines } from './summary.ts'
import type { Acts, Outcome } from './threads.ts'

giveWay()

/**
 * Behind the thread that answers requests, where the system has a priority for each thread, as Linux does. Measured on two
 * busy cores: a small request during an xlsx export took 2 ms, not 4, and in the worst hundredth 60 ms, not 300.
 */
function giveWay() {
  try {
    const [, , thread] = readlinkSync('/proc/thread-self').split('/')
    setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {}
}

type Task<A extends keyof Acts> = Acts[A]['input'] & { lines: Uint8Array }
type Act<A extends keyof Acts> = (task: Task<A>) => Promise<Outcome<Acts[A]['output']>>

export const scan = actOn<'scan'>((lines) => scanItems(lines))

export const survey = actOn<'survey'>(spend((lines, { query, from }) => surveyPiece(lines, query, from)))

export const render = actOn<'render'>(
  spend((lines, { plan, from }) => {
    const { made, next } = renderPiece(lines, plan, from)
    return { made: ownMemory(made === lines ? Buffer.from(lines) : made) as Buffer, next }
  }),
  ({ made }) => made,
)

export const pack = actOn<'pack'>(spend((lines, { plan, from, firstRow }) => packPiece(lines, plan, from, firstRow)))

export const summarize = actOn<'summarize'>(spend((lines) => summarizeLines(lines)))

export const measure = actOn<'measure'>(spend((lines) => [...measureFields(lines)]))

export const check = actOn<'check'>(async (_lines, { fields }) => {
  const { findSchemaFault } = await import('./schema-check.ts')
  return findSchemaFault(fields)
})

export const validate = actOn<'validate'>(async (lines, { fields }) => {
  const { findInvalidItems } = await import('./schema-check.ts')
  return findInvalidItems(lines, fields)
})

/** An error loses its class on the way between threads, so a failure comes as a value. `moved` are bytes that go without a copy. */
function actOn<A extends keyof Acts>(
  act: (lines: Buffer, task: Task<A>) => Acts[A]['output'] | Promise<Acts[A]['output']>,
  moved?: (output: Acts[A]['output']) => Uint8Array,
): Act<A> {
  return async (task) => {
    try {
      const value = await act(asBuffer(task.lines), task)
      return moved ? moveAlong({ value }, moved(value)) : { value }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { kind, code, message, detail } = error
      return { failure: { kind, code, message, detail } }
    }
  }
}

const moveAlong = <T extends object>(outcome: T, bytes: Uint8Array): T =>
  move({ [transferableSymbol]: bytes.buffer as ArrayBuffer, [valueSymbol]: outcome }) as T

/** Lines are handed over for good: when the act is done their memory is free. */
function spend<T, R>(act: (lines: Buffer, task: T) => R): (lines: Buffer, task: T) => R {
  return (lines, task) => {
    try {
      return act(lines, task)
    } finally {
      release(lines)
    }
  }
}

const asBuffer = (lines: Uint8Array) => Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
