/** What is worth knowing of a chunk without reading it again: its columns, and the range of each field. Pure. */
import { type Column, maxColumns } from './columns.ts'
import { surveyLines } from './formats/table-rows.ts'
import { maxNames } from './items/name-book.ts'
import { compareNumbers } from './items/number-order.ts'
import { Fields, NumberText, readItem, type Value } from './items/value.ts'
import { eachText } from './query/transform-lines.ts'

/** `min` and `max` as they are written, so that no digit is lost. */
export type FieldRange = { min: string | null; max: string | null; nullCount: number; presentCount: number }

export type Summary = { readonly columns: readonly Column[]; readonly ranges: readonly [string, FieldRange][] }

export const parseSummary = (text: string): Summary => JSON.parse(text)

/** Null where the items differ so much that a summary would be no shorter than they are. */
export function summarizeLines(lines: Buffer): Summary | null {
  const { columns } = surveyLines(lines, () => 0, false)
  if (columns.count > maxColumns / 4) return null
  return { columns: columns.columns, ranges: [...measureFields(lines)] }
}

export function measureFields(lines: Buffer): Map<string, FieldRange> {
  const ranges = new Map<string, FieldRange>()
  for (const text of eachText(lines)) {
    const { names, values } = readItem(text)
    for (let i = 0; i < names.length; i++) {
      let range = ranges.get(names[i]!)
      if (range === undefined) {
        if (ranges.size >= maxNames) continue
        range = { min: null, max: null, nullCount: 0, presentCount: 0 }
        ranges.set(names[i]!, range)
      }
      measure(range, values[i]!)
    }
  }
  return ranges
}

function measure(range: FieldRange, value: Value) {
  range.presentCount++
  if (value === null) range.nullCount++
  else widen(range, sizeOf(value))
}

/** Numbers count by value, text and arrays by length, objects by size, booleans as 0 and 1. */
function sizeOf(value: Exclude<Value, null>): string {
  if (value instanceof NumberText) return value.text
  if (typeof value === 'boolean') return value ? '1' : '0'
  return String(value instanceof Fields ? value.size : value.length)
}

function widen(range: FieldRange, size: string) {
  if (range.min === null || compareNumbers(size, range.min) < 0) range.min = size
  if (range.max === null || compareNumbers(size, range.max) > 0) range.max = size
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
