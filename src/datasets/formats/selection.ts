/**
 * Selects the stored lines that a query's `filter` and `search` ask for. Fields that are compared are read from the bytes by
 * the reader of tables, so that nothing else of an item is looked into.
 */
import { decodeName } from '../items/field-names.ts'
import { isArray, isObject, isString, readElements, readString, writeDistinct } from '../items/json-text.ts'
import { JsonTree } from '../items/json-tree.ts'
import { eachLine } from '../items/lines.ts'
import { compareNumbers } from '../items/number-order.ts'
import type { Comparison, Condition, FieldPath } from '../query/filter.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { makeTextSearch } from '../query/text-search.ts'
import { CellReader } from './cell-reader.ts'
import { ColumnSlots } from './column-slots.ts'
import { ItemValues } from './item-values.ts'

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

/** `reader`: where a scalar of the item read last stands, by the place of its path. */
type Item = { readonly bytes: Buffer; readonly reader: CellReader; readonly values: () => ItemValues }
type Test = (item: Item) => boolean

/** What the conditions of a filter look at: scalars by their places, and whole values, whose paths are kept once each. */
type Looks = { readonly slots: ColumnSlots; readonly paths: Map<string, FieldPath> }

function makeFilter(filter: Condition): Matcher {
  const slots = new ColumnSlots()
  const test = compile(filter, { slots, paths: new Map() })
  const fields = new Set(slots.columns.map(({ path }) => path[0]))
  const reader = new CellReader((name) => (fields.has(name) ? 0 : null), slots.columns)
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
    let values: ItemValues | undefined
    return test({ bytes, reader, values: () => (values ??= new ItemValues(bytes.toString('utf8', from, to))) })
  }
}

function compile(condition: Condition, looks: Looks): Test {
  switch (condition.kind) {
    case 'and': {
      const parts = condition.parts.map((part) => compile(part, looks))
      return (item) => parts.every((part) => part(item))
    }
    case 'or': {
      const parts = condition.parts.map((part) => compile(part, looks))
      return (item) => parts.some((part) => part(item))
    }
    case 'not': {
      const part = compile(condition.part, looks)
      return (item) => !part(item)
    }
    case 'exists': {
      const path = keepPath(condition.path, looks)
      return ({ values }) => values().find(path) !== undefined
    }
    case 'comparison':
      return condition.operator === 'contains'
        ? compileContains(condition, keepPath(condition.path, looks))
        : compileComparison(condition, looks.slots)
  }
}

function keepPath(path: FieldPath, { paths }: Looks): FieldPath {
  const key = JSON.stringify(path)
  const known = paths.get(key) ?? path
  paths.set(key, known)
  return known
}

/** So many bytes, over all comparisons, are compared in some milliseconds. */
const quickBytes = 1024 * 1024

/** Up to this size lines are tried in some milliseconds, so that the thread that answers may do it. */
export const quickSelectionBytes = ({ filter, search }: Selection): number =>
  quickBytes / Math.max(1, (filter === null ? 0 : countLeaves(filter)) + Number(search !== null))

function countLeaves(condition: Condition): number {
  if (condition.kind === 'not') return countLeaves(condition.part)
  if (condition.kind !== 'and' && condition.kind !== 'or') return 1
  return condition.parts.reduce((sum, part) => sum + countLeaves(part), 0)
}

/** A field that is compared is a scalar; in an object its name, in an array its index stands in the path. */
function compileComparison({ path, operator, value }: Comparison, columns: ColumnSlots): Test {
  const slots = columns.of(path)
  const isMatch = makeComparison(operator, value)
  return ({ bytes, reader }) => {
    for (const slot of slots)
      if (reader.stamps[slot] === reader.item) return isMatch(bytes, reader.starts[slot]!, reader.ends[slot]!)
    return false
  }
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
function compileContains({ value }: Comparison, path: FieldPath): Test {
  const holds = isString(value) ? makeTextSearch(readString(value)) : null
  const isSame = makeComparison('=', value)
  return ({ values }) => {
    const found = values().find(path)
    if (found === undefined) return false
    if (found.text !== null) return holds?.(found.text) ?? false
    if (!isArray(found.json)) return false
    for (const element of readElements(found.json)) {
      const json = Buffer.from(element)
      if (!isArray(element) && !isObject(element) && isSame(json, 0, json.length)) return true
    }
    return false
  }
}

/** The text anywhere in a value that is text, in whatever case. */
function makeSearch(search: string): Matcher {
  const holds = makeTextSearch(search.toLowerCase())
  return (lines, start, end) => {
    const text = lines.toString('utf8', start, end)
    // Most items are passed over here; an escape may hide a letter.
    if (!text.includes('\\') && !holds(text.toLowerCase())) return false
    return hasText(new JsonTree(text), 0, (value) => holds(value.toLowerCase()))
  }
}

function hasText(tree: JsonTree, at: number, holds: (text: string) => boolean): boolean {
  if (tree.isObject(at)) return tree.members(at).starts.some((start) => hasText(tree, start, holds))
  if (tree.isArray(at)) {
    for (const element of tree.elements(at)) if (hasText(tree, element, holds)) return true
    return false
  }
  const json = tree.slice(at)
  return isString(json) && holds(readString(json))
}
