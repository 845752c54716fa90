/** The summary of a chunk saves reading it again: its columns, and the range of each field. It is pure. */
import { type Column, maxColumns, measurePaths } from '../columns.ts'
import { surveyLines } from '../formats/table-rows.ts'
import { isFieldName, maxNames } from '../items/field-names.ts'
import { isArray, isObject, isString, readElements, readMembers, readString } from '../items/json-text.ts'
import { compareNumbers } from '../items/number-order.ts'
import { eachText } from '../query/records.ts'

/** `min` and `max` are kept as they are written, so that no digit is lost. */
export type FieldRange = { min: string | null; max: string | null; nullCount: number; presentCount: number }

export type Summary = {
  readonly columns: readonly Column[]
  readonly ranges: readonly [string, FieldRange][]
  /** The length in bytes of the longest text; older summaries lack it. */
  readonly longest?: number
}

export const parseSummary = (text: string): Summary => JSON.parse(text)

const maxSummaryText = 65_536

/** Answers null where the items differ so much that a summary would be no shorter than they are. */
export function summarizeLines(lines: Buffer): Summary | null {
  const { columns, longest } = surveyLines(lines, () => 0, false)
  if (columns.count > maxColumns / 4 || measurePaths(columns.columns) > maxSummaryText) return null
  return { columns: columns.columns, ranges: [...measureFields(lines)], longest }
}

export function measureFields(lines: Buffer): Map<string, FieldRange> {
  const ranges = new Map<string, FieldRange>()
  for (const text of eachText(lines)) {
    const { names, texts } = readMembers(text)
    for (let i = 0; i < names.length; i++) {
      let range = ranges.get(names[i]!)
      if (range === undefined) {
        if (ranges.size >= maxNames || !isFieldName(names[i]!)) continue
        range = { min: null, max: null, nullCount: 0, presentCount: 0 }
        ranges.set(names[i]!, range)
      }
      measure(range, texts[i]!)
    }
  }
  return ranges
}

function measure(range: FieldRange, json: string) {
  range.presentCount++
  if (json === 'null') range.nullCount++
  else widen(range, sizeOf(json))
}

/** Numbers count by value, text and arrays by length, objects by size, booleans as 0 and 1. */
function sizeOf(json: string): string {
  if (isString(json)) return String(readString(json).length)
  if (isObject(json)) return String(readMembers(json).names.length)
  if (isArray(json)) return String(countElements(json))
  return json === 'true' ? '1' : json === 'false' ? '0' : json
}

function countElements(json: string): number {
  let count = 0
  for (const _element of readElements(json)) count++
  return count
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
