/** What a thread does with a piece of items: the acts of `threads.ts`, each on memory that was handed over. */
import { move } from 'piscina'
import { packPiece, renderPiece, surveyPiece } from './formats/piece.ts'
import { measureFields, summarizeLines } from './summary.ts'
import { type Acts, ownMemory } from './threads.ts'

type Task<A extends keyof Acts> = Acts[A]['input'] & { lines: Uint8Array }

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
