/** Makes records from stored lines, from any place on. Every format reads them this way. */
import { writeMembers } from '../items/json-text.ts'
import { dropEmptyItems, dropHiddenFields, mayHoldEmpty, skipLines } from '../items/lines.ts'
import type { Transformation } from './item-query.ts'
import { keepsItems, makeTransform, type Row, type Work } from './transform.ts'

/** The items of a slice that are done, and the records done of the next item. */
export type RecordPosition = { readonly item: number; readonly record: number }

export const sliceStart: RecordPosition = { item: 0, record: 0 }

type Cursor = { item: number; record: number }

/**
 * Yields each record as JSON, with the cursor after it, and null for one that is left out because it is empty. One item
 * of 9 MB may be unwound into terabytes, so the reader may stop at any record and resume from the cursor.
 */
export function* eachRecord(
  lines: Buffer,
  query: Transformation,
  cursor: Cursor,
  onRow?: (row: Row) => void,
  work: Work = { steps: 0 },
): Generator<string | null> {
  if (keepsItems(query)) {
    for (const text of eachText(skipLines(keepBytes(lines, query), cursor.item))) {
      cursor.item++
      yield text
    }
    return
  }
  const transform = makeTransform(query, work)
  for (const text of eachText(skipLines(lines, cursor.item))) {
    for (const row of transform(text, cursor.record)) {
      cursor.record++
      if (row !== null) onRow?.(row)
      yield row && writeMembers(row)
    }
    cursor.record = 0
    cursor.item++
  }
}

/** Removes hidden fields and empty items without parsing an item. */
export function keepBytes(lines: Buffer, { skipHidden, skipEmpty }: Transformation): Buffer {
  const visible = skipHidden && mayHide(lines) ? dropHiddenFields(lines) : lines
  return skipEmpty && mayHoldEmpty(visible) ? dropEmptyItems(visible) : visible
}

const mayHide = (lines: Buffer) => lines.includes('"#') || lines.includes('"\\u0023')

/** V8 keeps larger strings where only a full garbage collection frees them; small ones are freed at once. */
const textBytes = 32 * 1024

export function* eachText(lines: Buffer): Generator<string> {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(0x0a, Math.min(start + textBytes, lines.length) - 1) + 1
    const text = lines.toString('utf8', start, end)
    for (let from = 0; from < text.length; ) {
      const to = text.indexOf('\n', from)
      yield text.slice(from, to)
      from = to + 1
    }
    start = end
  }
}
