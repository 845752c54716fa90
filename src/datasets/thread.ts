/** What a thread does with a piece of items: the acts of `threads.ts`, each on memory that was handed over. */
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { move } from 'piscina'
import { Failure } from '../base/failure.ts'
import { packPiece, renderPiece, surveyPiece } from './formats/piece.ts'
import { ownMemory, release } from './items/memory.ts'
import { scanItems } from './items/scan.ts'
import { measureFields, summarizeLines } from './summary.ts'
import type { Acts } from './threads.ts'

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

export function scan({ lines }: Task<'scan'>): Acts['scan']['output'] {
  try {
    return { scanned: scanItems(asBuffer(lines)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { kind, code, message, detail } = error
    return { failure: { kind, code, message, detail } }
  }
}

export const survey = ({ lines, query }: Task<'survey'>): Acts['survey']['output'] =>
  spend(lines, (own) => surveyPiece(own, query))

export const render = ({ lines, plan }: Task<'render'>) =>
  spend(lines, (own) => {
    const bytes = renderPiece(own, plan)
    return move(ownMemory(bytes === own ? Buffer.from(own) : bytes))
  })

export const pack = ({ lines, plan, firstRow }: Task<'pack'>): Acts['pack']['output'] =>
  spend(lines, (own) => packPiece(own, plan, firstRow))

export const summarize = ({ lines }: Task<'summarize'>) => spend(lines, summarizeLines)

export const measure = ({ lines }: Task<'measure'>) => spend(lines, (own) => [...measureFields(own)])

export async function validate({ lines, schema }: Task<'validate'>): Promise<Acts['validate']['output']> {
  const { findInvalidItems } = await import('./schema-check.ts')
  return findInvalidItems(asBuffer(lines), schema)
}

/** Lines are handed over for good: when the act is done their memory is free. */
function spend<R>(lines: Uint8Array, act: (own: Buffer) => R): R {
  try {
    return act(asBuffer(lines))
  } finally {
    release(lines)
  }
}

const asBuffer = (lines: Uint8Array) => Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
