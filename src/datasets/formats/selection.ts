/**
 * Selects the stored lines that a query's `filter` and `search` ask for. Fields that are compared are read from the bytes by
 * the reader of tables, so that nothing else of an item is looked into.
 */
import { type Column, compareColumns, type Path } from '../columns.ts'
import { decodeName } from '../items/field-names.ts'
import {
  isArray,
  isObject,
  isString,
  readElements,
  readMembers,
  readString,
  writeDistinct,
} from '../items/json-text.ts'
import { eachLine } from '../items/lines.ts'
import { compareNumbers } from '../items/number-order.ts'
import type { Comparison, Condition, FieldPath } from '../query/filter.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { CellReader } from './cell-reader.ts'

export type Selection = Pick<ItemQuery, 'filter' | 'search'>

export const isSelective = ({ filter, search }: Selection): boolean => filter !== null || search !== null

/** The lines that match, as they are stored. */
export function selectLines(lines: Buffer, selection: Selection): Buffer {
  const kept: Buffer[] = []
  let from = -1
  let last = 0
  const matches = makeMatcher(selection)
  for (const [start, end] of eachLine(lines)) {
    const isKept = matches(lines, start, end - 1)
    if (isKept && from < 0) from = start
    if (!isKept && from >= 0) {
      kept.push(lines.subarray(from, start))
      from = -1
    }
    last = end
  }
  if (from >= 0) kept.push(lines.subarray(from, last))
  return kept.length === 1 ? kept[0]! : Buffer.concat(kept)
}

/** Which of the lines match, by their places. */
export function findMatches(lines: Buffer, selection: Selection): number[] {
  const matches = makeMatcher(selection)
  const found: number[] = []
  let place = 0
  for (const [start, end] of eachLine(lines)) {
    if (matches(lines, start, end - 1)) found.push(place)
    place++
  }
  return found
}

export function countMatches(lines: Buffer, selection: Selection): number {
  const matches = makeMatcher(selection)
  let count = 0
  for (const [start, end] of eachLine(lines)) if (matches(lines, start, end - 1)) count++
  return count
}

type Matcher = (lines: Buffer, start: number, end: number) => boolean

export function makeMatcher({ filter, search }: Selection): Matcher {
  const passes = filter === null ? null : makeFilter(filter)
  const finds = search === null ? null : makeSearch(search)
  return (lines, start, end) => (!passes || passes(lines, start, end)) && (!finds || finds(lines, start, end))
}

/** Where a scalar of the item read last stands, by the place of its path. */
type Item = { readonly bytes: Buffer; readonly start: number; readonly end: number; readonly reader: CellReader }
type Test = (item: Item) => boolean

function makeFilter(filter: Condition): Matcher {
  const columns: Column[] = []
  const test = compile(filter, columns)
  const fields = new Set(columns.map(({ path }) => path[0]))
  const reader = new CellReader((name) => (fields.has(name) ? 0 : null), columns)
  return (lines, start, end) => {
    let [bytes, from, to] = [lines, start, end]
    reader.read(bytes, from)
    if (reader.walk.hasRepeat) {
      // Of a repeated name the last value counts.
      bytes = Buffer.from(writeDistinct(lines.toString('utf8', start, end)))
      from = 0
      to = bytes.length
      reader.read(bytes, 0)
    }
    return test({ bytes, start: from, end: to, reader })
  }
}

function compile(condition: Condition, columns: Column[]): Test {
  switch (condition.kind) {
    case 'and': {
      const parts = condition.parts.map((part) => compile(part, columns))
      return (item) => parts.every((part) => part(item))
    }
    case 'or': {
      const parts = condition.parts.map((part) => compile(part, columns))
      return (item) => parts.some((part) => part(item))
    }
    case 'not': {
      const part = compile(condition.part, columns)
      return (item) => !part(item)
    }
    case 'exists':
      return ({ bytes, start, end }) => findValue(bytes.toString('utf8', start, end), condition.path) !== undefined
    case 'comparison':
      return condition.operator === 'contains' ? compileContains(condition) : compileComparison(condition, columns)
  }
}

/** A field that is compared is a scalar; in an object its name, in an array its index stands in the path. */
function compileComparison({ path, operator, value }: Comparison, columns: Column[]): Test {
  const slots = slotsOf(path, columns)
  const isMatch = makeComparison(operator, value)
  return ({ bytes, reader }) => {
    for (const slot of slots)
      if (reader.stamps[slot] === reader.item) return isMatch(bytes, reader.starts[slot]!, reader.ends[slot]!)
    return false
  }
}

/** The places of the columns that a path may mean; those that are missing are added. */
export const slotsOf = (path: FieldPath, columns: Column[]): number[] =>
  spellings(path).map((each) => slotOf(each, columns))

/** A path has one place, however often it is compared. */
function slotOf(path: Path, columns: Column[]): number {
  const known = columns.findIndex((column) => compareColumns(column, { path, rank: 0 }) === 0)
  return known === -1 ? columns.push({ path, rank: 0 }) - 1 : known
}

/** A segment of digits is an index or a name. */
function spellings(path: FieldPath): (string | number)[][] {
  let all: (string | number)[][] = [[]]
  for (const [i, segment] of path.entries()) {
    const forms = i > 0 && /^\d{1,6}$/.test(segment) ? [segment, Number(segment)] : [segment]
    all = all.flatMap((start) => forms.map((form) => [...start, form])).slice(0, 16)
  }
  return all
}

/** Values of different kinds are neither alike nor one before the other. */
function makeComparison(operator: Comparison['operator'], value: string): (b: Buffer, s: number, e: number) => boolean {
  const kind = kindOf(value)
  const text = kind === 'text' ? readString(value) : value
  const bytes = Buffer.from(value)
  const number = Number(value)
  const holds = (order: number) => {
    if (operator === '=') return order === 0
    if (operator === '!=') return order !== 0
    if (operator === '<') return order < 0
    if (operator === '<=') return order <= 0
    return operator === '>' ? order > 0 : order >= 0
  }
  return (lines, start, end) => {
    const first = lines[start]!
    const found = first === 0x22 ? 'text' : first === 0x2d || (first >= 0x30 && first <= 0x39) ? 'number' : 'word'
    if (found !== kind) return operator === '!='
    if (kind === 'number') {
      const other = lines.toString('latin1', start, end)
      const double = Number(other)
      return holds(double < number ? -1 : double > number ? 1 : compareNumbers(other, value))
    }
    if (kind === 'word' || operator === '=' || operator === '!=') {
      const isSame = end - start === bytes.length && lines.compare(bytes, 0, bytes.length, start, end) === 0
      if (isSame || kind === 'word' || !lines.subarray(start, end).includes(0x5c)) return holds(isSame ? 0 : 1)
    }
    const other = decodeName(lines.subarray(start + 1, end - 1))
    return holds(other === text ? 0 : Buffer.compare(Buffer.from(other), Buffer.from(text)))
  }
}

const kindOf = (json: string): 'text' | 'number' | 'word' =>
  isString(json) ? 'text' : /^[-\d]/.test(json) ? 'number' : 'word'

/** A part of a text, or an element of an array. */
function compileContains({ path, value }: Comparison): Test {
  const text = isString(value) ? readString(value) : null
  const isSame = makeComparison('=', value)
  return ({ bytes, start, end }) => {
    const found = findValue(bytes.toString('utf8', start, end), path)
    if (found === undefined) return false
    if (isString(found)) return text !== null && readString(found).includes(text)
    if (!isArray(found)) return false
    for (const element of readElements(found)) {
      const json = Buffer.from(element)
      if (!isArray(element) && !isObject(element) && isSame(json, 0, json.length)) return true
    }
    return false
  }
}

export function findValue(json: string, path: FieldPath): string | undefined {
  let value: string | undefined = json
  for (const segment of path) {
    if (value === undefined) return undefined
    if (isObject(value)) {
      const { names, texts }: { names: readonly string[]; texts: readonly string[] } = readMembers(value)
      const place = names.indexOf(segment)
      value = place === -1 ? undefined : texts[place]
    } else if (isArray(value) && /^\d{1,9}$/.test(segment)) {
      let index = Number(segment)
      let found: string | undefined
      for (const element of readElements(value)) {
        if (index-- > 0) continue
        found = element
        break
      }
      value = found
    } else return undefined
  }
  return value
}

/** The text anywhere in a value that is text, in whatever case. */
function makeSearch(search: string): Matcher {
  const wanted = search.toLowerCase()
  return (lines, start, end) => {
    const text = lines.toString('utf8', start, end)
    // Most items are passed over here; an escape may hide a letter.
    if (!text.includes('\\') && !text.toLowerCase().includes(wanted)) return false
    return hasText(text, wanted)
  }
}

function hasText(json: string, wanted: string): boolean {
  if (isString(json)) return readString(json).toLowerCase().includes(wanted)
  if (isObject(json)) return readMembers(json).texts.some((text) => hasText(text, wanted))
  if (!isArray(json)) return false
  for (const element of readElements(json)) if (hasText(element, wanted)) return true
  return false
}
