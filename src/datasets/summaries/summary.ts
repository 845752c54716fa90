/** The summary of a chunk saves reading it again: its columns, and the range of each field. Pure. */
import { type Column, maxColumns, measurePaths } from '../columns.ts'
import { readDouble } from '../formats/comparison.ts'
import { surveyLines, walkRows } from '../formats/table-rows.ts'
import { isFieldName, maxNames } from '../items/field-names.ts'
import { ItemReader } from '../items/item-reader.ts'
import { readMembers } from '../items/json-text.ts'
import { compareNumbers } from '../items/number-order.ts'
import { scanValue } from '../items/scan-value.ts'

/** `min` and `max` are stored as written, so that no digit is lost. */
export type FieldRange = { min: string | null; max: string | null; nullCount: number; presentCount: number }

export type Summary = {
  readonly columns: readonly Column[]
  readonly ranges: readonly [string, FieldRange][]
  /** The length in bytes of the longest text; older summaries lack it. */
  readonly longest?: number
}

export const parseSummary = (text: string): Summary => JSON.parse(text)

const maxSummaryText = 65_536

/** Null if the items differ so much that a summary would be no shorter than they are. */
export function summarizeLines(lines: Buffer): Summary | null {
  const { columns, longest } = surveyLines(lines, () => 0, false)
  if (columns.count > maxColumns / 4 || measurePaths(columns.columns) > maxSummaryText) return null
  return { columns: columns.columns, ranges: [...measureFields(lines)], longest }
}

/** Further names, and longer ones, are left out: they are data rather than fields. */
export function measureFields(lines: Buffer): Map<string, FieldRange> {
  const reader = new ItemReader(() => 0, null, true, 2 * maxNames)
  const bySlot: Measured[] = []
  walkRows(lines, reader, false, (bytes) => {
    const { starts, ends, stamps, item, slotCount } = reader
    for (let slot = 0; slot < slotCount; slot++) {
      if (stamps[slot] !== item) continue
      const measured = bySlot[slot] ?? new Measured()
      bySlot[slot] = measured
      measured.add(bytes, starts[slot]!, ends[slot]!)
    }
  })
  const ranges = new Map<string, FieldRange>()
  for (const { path, slot } of reader.columns()) {
    const name = String(path[0])
    if (ranges.size < maxNames && isFieldName(name)) ranges.set(name, bySlot[slot]!.range())
  }
  return ranges
}

/** A range being measured: doubles distinguish most sizes, and equal doubles are compared by digits. */
class Measured {
  private least = Number.POSITIVE_INFINITY
  private most = Number.NEGATIVE_INFINITY
  private min: string | null = null
  private max: string | null = null
  private nullCount = 0
  private presentCount = 0

  add(bytes: Buffer, start: number, end: number) {
    const first = bytes[start]!
    this.presentCount++
    if (first === 0x6e) {
      this.nullCount++
      return
    }
    const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39)
    const size = isNumber ? readDouble(bytes, start, end) : sizeOf(bytes, start, end)
    if (size > this.least && size < this.most) return
    const text = isNumber ? bytes.toString('latin1', start, end) : String(size)
    if (this.min === null || compareNumbers(text, this.min) < 0) {
      this.min = text
      this.least = size
    }
    if (this.max === null || compareNumbers(text, this.max) > 0) {
      this.max = text
      this.most = size
    }
  }

  range(): FieldRange {
    const { min, max, nullCount, presentCount } = this
    return { min, max, nullCount, presentCount }
  }
}

/** Text and arrays count by length, objects by size, booleans as 0 and 1. */
function sizeOf(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start]
  if (first === 0x22) return measureText(bytes, start + 1, end - 1)
  if (first === 0x7b) return readMembers(bytes.toString('utf8', start, end)).names.length
  if (first === 0x5b) return countElements(bytes, start)
  return first === 0x74 ? 1 : 0
}

/** The length of a text as JavaScript counts it: a character of four bytes is two, an escape is one. */
function measureText(bytes: Buffer, start: number, end: number): number {
  let length = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if ((byte & 0xc0) === 0x80) continue
    length += byte >= 0xf0 ? 2 : 1
    if (byte === 0x5c) at += bytes[at + 1] === 0x75 ? 5 : 1
  }
  return length
}

function countElements(bytes: Buffer, start: number): number {
  let count = 0
  for (let at = start; bytes[at] !== 0x5d && bytes[at + 1] !== 0x5d; count++) at = scanValue(bytes, at + 1, 0, 0)
  return count
}

export function joinRanges(all: Map<string, FieldRange>, more: Iterable<readonly [string, FieldRange]>) {
  for (const [name, { min, max, nullCount, presentCount }] of more) {
    const range = all.get(name)
    if (range === undefined) {
      if (all.size < maxNames) all.set(name, { min, max, nullCount, presentCount })
    } else {
      range.nullCount += nullCount
      range.presentCount += presentCount
      if (min !== null) widen(range, min)
      if (max !== null) widen(range, max)
    }
  }
}

function widen(range: FieldRange, size: string) {
  if (range.min === null || compareNumbers(size, range.min) < 0) range.min = size
  if (range.max === null || compareNumbers(size, range.max) > 0) range.max = size
}
