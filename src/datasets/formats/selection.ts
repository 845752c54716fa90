/**
 * Selects the stored lines that match a query's `filter` and `search`. Compared fields are read from the bytes by the
 * reader of tables, so that the rest of an item is not parsed.
 */

import { ItemReader } from '../items/item-reader.ts'
import { isArray, isObject, isString, readElements, readString, writeDistinct } from '../items/json-text.ts'
import { JsonTree } from '../items/json-tree.ts'
import { eachLine } from '../items/lines.ts'
import type { Comparison, Condition, FieldPath } from '../query/filter.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { makeTextSearch } from '../query/text-search.ts'
import { ColumnSlots } from './column-slots.ts'
import { makeComparison } from './comparison.ts'
import { ItemValues } from './item-values.ts'
import { makeLineFinder } from './line-finder.ts'

export type Selection = Pick<ItemQuery, 'filter' | 'search'>

const lineFeed = 0x0a

export const isSelective = ({ filter, search }: Selection): boolean => filter !== null || search !== null

/** Calls back with the start of each matching line and the offset after its line feed. */
function eachMatch(lines: Buffer, selection: Selection, act: (start: number, end: number) => void): void {
  const matches = makeMatcher(selection)
  const finder = makeLineFinder(selection.filter)
  for (let start = finder?.find(lines, 0) ?? 0; start < lines.length; ) {
    const end = lines.indexOf(lineFeed, start) + 1
    if (matches(lines, start, end - 1)) act(start, end)
    start = finder?.find(lines, end) ?? end
  }
}

export type SelectedLines = { readonly count: number; readonly lines: Buffer }

/** The matching lines, as stored. */
export function selectLines(lines: Buffer, selection: Selection): SelectedLines {
  const kept: Buffer[] = []
  let from = 0
  let to = 0
  let count = 0
  eachMatch(lines, selection, (start, end) => {
    if (start > to) {
      if (to > from) kept.push(lines.subarray(from, to))
      from = start
    }
    to = end
    count++
  })
  if (to > from) kept.push(lines.subarray(from, to))
  return { count, lines: kept.length === 1 ? kept[0]! : Buffer.concat(kept) }
}

/** The indexes of the matching lines. */
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
  let count = 0
  eachMatch(lines, selection, () => count++)
  return count
}

type Matcher = (lines: Buffer, start: number, end: number) => boolean

export function makeMatcher({ filter, search }: Selection): Matcher {
  const passes = filter === null ? null : makeFilter(filter)
  const finds = search === null ? null : makeSearch(search)
  return (lines, start, end) => (!passes || passes(lines, start, end)) && (!finds || finds(lines, start, end))
}

/** `reader`: has the offsets of the item's scalars, by slot. */
type Item = { readonly bytes: Buffer; readonly reader: ItemReader; readonly values: () => ItemValues }
type Test = (item: Item) => boolean

/** The values that a filter's conditions read: scalars by slot, and whole values by path, each path kept once. */
type Looks = { readonly slots: ColumnSlots; readonly paths: Map<string, FieldPath> }

function makeFilter(filter: Condition): Matcher {
  const slots = new ColumnSlots()
  const test = compile(filter, { slots, paths: new Map() })
  const fields = new Set(slots.columns.map(({ path }) => path[0]))
  const reader = new ItemReader((name) => (fields.has(name) ? 0 : null), slots.columns)
  return (lines, start, end) => {
    let [bytes, from, to] = [lines, start, end]
    reader.read(bytes, from)
    if (reader.hasRepeat) {
      // The last value of a repeated name counts.
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

/** This many bytes, over all comparisons, are compared in a few milliseconds. */
const quickBytes = 1024 * 1024

/** Lines up to this size are matched in a few milliseconds, so the main thread may do it. */
export const quickSelectionBytes = ({ filter, search }: Selection): number =>
  quickBytes / Math.max(1, (filter === null ? 0 : countLeaves(filter)) + Number(search !== null))

function countLeaves(condition: Condition): number {
  if (condition.kind === 'not') return countLeaves(condition.part)
  if (condition.kind !== 'and' && condition.kind !== 'or') return 1
  return condition.parts.reduce((sum, part) => sum + countLeaves(part), 0)
}

/** A compared field is a scalar; its path has names for objects and indexes for arrays. */
function compileComparison({ path, operator, value }: Comparison, columns: ColumnSlots): Test {
  const slots = columns.of(path)
  const isMatch = makeComparison(operator, value)
  return ({ bytes, reader }) => {
    for (const slot of slots)
      if (reader.stamps[slot] === reader.item) return isMatch(bytes, reader.starts[slot]!, reader.ends[slot]!)
    return false
  }
}

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

/** The text anywhere in a string value, ignoring case. */
function makeSearch(search: string): Matcher {
  const holds = makeTextSearch(search.toLowerCase())
  return (lines, start, end) => {
    const text = lines.toString('utf8', start, end)
    // Rules out most items; an escape may hide a letter.
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
