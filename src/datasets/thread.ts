/** What a thread does with a piece of items: the acts of `threads.ts`, each on memory that was handed over. */
import { move } from 'piscina'
import { Failure } from '../base/failure.ts'
import { packPiece, renderPiece, surveyPiece } from './formats/piece.ts'
import { scanItems } from './items/scan.ts'
import { measureFields, summarizeLines } from './summary.ts'
import { type Acts, ownMemory } from './threads.ts'

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
  surveyPiece(asBuffer(lines), query)

export const render = ({ lines, plan }: Task<'render'>) => move(ownMemory(renderPiece(asBuffer(lines), plan)))

export const pack = ({ lines, plan, firstRow }: Task<'pack'>): Acts['pack']['output'] =>
  packPiece(asBuffer(lines), plan, firstRow).map((piece) => ({ ...piece, bytes: ownMemory(piece.bytes) }))

export const summarize = ({ lines }: Task<'summarize'>) => summarizeLines(asBuffer(lines))

export const measure = ({ lines }: Task<'measure'>) => [...measureFields(asBuffer(lines))]

export async function validate({ lines, schema }: Task<'validate'>): Promise<Acts['validate']['output']> {
  const { findInvalidItems } = await import('./schema-check.ts')
  return findInvalidItems(asBuffer(lines), schema)
}

const asBuffer = (lines: Uint8Array) => Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
