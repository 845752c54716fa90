/** Where an export's pieces are made: a small page on the spot, a large one by threads. */

import { type PiecePlan, packPiece, renderPiece, surveyPiece } from '../formats/piece.ts'
import type { Survey } from '../formats/table-rows.ts'
import type { SheetPiece } from '../formats/xlsx/sheet.ts'
import type { ItemLog, ItemRange } from '../item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { Threads } from '../threads.ts'

/** Below this a page is made on the spot: handing it to a thread would take longer than making it. */
const smallBytes = 128 * 1024
/** To unwind is to repeat the item for every element: then far less is small. */
const smallUnwoundBytes = 8 * 1024

export type Workshop = Awaited<ReturnType<typeof openWorkshop>>

export async function openWorkshop(log: ItemLog, threads: Threads, key: number, range: ItemRange, query: ItemQuery) {
  const isSmall = await isSmallPage(log, key, range, query.unwind.length > 0 ? smallUnwoundBytes : smallBytes)
  let kept: { from: number; to: number; lines: Buffer } | undefined

  /** Lines as they are stored. A small page is read once, however often it is looked at. */
  async function read({ from, to }: ItemRange): Promise<Buffer> {
    if (kept?.from === from && kept.to === to) return kept.lines
    const lines = await log.read(key, { from, to })
    if (isSmall) kept = { from, to, lines }
    return lines
  }

  return {
    isSmall,
    read,
    async survey(range: ItemRange): Promise<Survey> {
      const lines = await read(range)
      return isSmall ? surveyPiece(lines, query) : threads.run('survey', lines, { query })
    },
    async render(lines: Buffer, plan: PiecePlan): Promise<Buffer> {
      if (isSmall) return renderPiece(lines, plan)
      const { buffer, byteOffset, byteLength } = await threads.run('render', lines, { plan })
      return Buffer.from(buffer, byteOffset, byteLength)
    },
    async pack(range: ItemRange, plan: PiecePlan, firstRow: number): Promise<SheetPiece[]> {
      const lines = await read(range)
      return isSmall ? packPiece(lines, plan, firstRow) : threads.run('pack', lines, { plan, firstRow })
    },
  }
}

async function isSmallPage(log: ItemLog, key: number, range: ItemRange, limit: number): Promise<boolean> {
  for await (const piece of log.plan(key, range)) return piece.to === range.to && piece.bytes <= limit
  return true
}
