/**
 * One piece of an export: stored lines in, bytes of the asked format out. Pieces know nothing of each other, so they can be
 * made on any thread and put one after the other.
 */
import type { Column } from '../columns.ts'
import { ByteWriter } from '../items/byte-writer.ts'
import { reverseLines } from '../items/lines.ts'
import { release } from '../items/memory.ts'
import { readItem } from '../items/value.ts'
import type { Format, ItemQuery } from '../query/item-query.ts'
import { eachText, transformLines } from '../query/transform-lines.ts'
import type { Admission } from './cell-reader.ts'
import { writeCsvRows } from './csv.ts'
import { writeHtmlRows } from './html.ts'
import { joinByCommas } from './json.ts'
import { writeRssItem } from './rss.ts'
import { admitByQuery, admitByRank, readsStoredItems, type Survey, surveyLines } from './table-rows.ts'
import { packRows, type SheetPiece, type SheetPlan } from './xlsx/sheet.ts'
import { writeElement } from './xml.ts'

/** All that rendering a piece needs beside the piece: plain data, so that it can be sent to another thread. */
export type PiecePlan = {
  readonly query: ItemQuery
  readonly columns: readonly Column[]
  readonly sheet: SheetPlan | null
}

export const isTable = (format: Format): boolean => format === 'csv' || format === 'html' || format === 'xlsx'

/** The columns and rows that a piece of a table will have, in whichever order. */
export function surveyPiece(lines: Buffer, query: ItemQuery): Survey {
  const { lines: rows, admit } = openTable(lines, query)
  return surveyLines(rows, admit, query.skipEmpty)
}

export function renderPiece(stored: Buffer, { query, columns }: PiecePlan): Buffer {
  const lines = putInOrder(stored, query)
  switch (query.format) {
    case 'jsonl':
      return transformLines(lines, query).lines
    case 'json':
      return joinByCommas(transformLines(lines, query).lines)
    case 'xml':
      return renderItems(lines, query, (text) => `${writeElement(query.xmlRow, readItem(text))}\n`)
    case 'rss':
      return renderItems(lines, query, (text) => `${writeRssItem(readItem(text))}\n`)
    case 'csv': {
      const { lines: rows, admit } = openTable(lines, query)
      return writeCsvRows(rows, columns, admit, query.skipEmpty, query.delimiter)
    }
    case 'html': {
      const { lines: rows, admit } = openTable(lines, query)
      return writeHtmlRows(rows, columns, admit, query.skipEmpty)
    }
    case 'xlsx':
      throw new Error('The sheets of xlsx are made by packPiece.')
  }
}

/** The part of the sheets that a piece makes, given the number of rows before it. */
export function packPiece(stored: Buffer, { query, sheet }: PiecePlan, firstRow: number): SheetPiece[] {
  const { lines: rows, admit } = openTable(putInOrder(stored, query), query)
  return packRows(rows, sheet!, admit, query.skipEmpty, firstRow)
}

const putInOrder = (stored: Buffer, { desc }: ItemQuery) => (desc ? reverseLines(stored) : stored)

function renderItems(lines: Buffer, query: ItemQuery, write: (text: string) => string): Buffer {
  const transformed = transformLines(lines, query).lines
  const out = new ByteWriter(2 * transformed.length)
  for (const line of eachText(transformed)) out.addText(write(line))
  if (transformed !== lines) release(transformed)
  return out.take()
}

function openTable(lines: Buffer, query: ItemQuery): { lines: Buffer; admit: Admission } {
  if (readsStoredItems(query)) return { lines, admit: admitByQuery(query) }
  const transformed = transformLines(lines, query)
  return { lines: transformed.lines, admit: admitByRank(transformed.rankOf) }
}
