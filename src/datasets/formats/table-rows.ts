/** The rows of a table over stored lines: the selected fields, their columns, and a walk from row to row. */
import {
  addMissingFields,
  type Column,
  type ColumnSurvey,
  ColumnTally,
  hashSegment,
  rootHash,
  type SliceColumns,
} from '../columns.ts'
import { type FieldSelector, ItemReader } from '../items/item-reader.ts'
import { writeDistinct } from '../items/json-text.ts'
import { JsonTree } from '../items/json-tree.ts'
import type { Transformation } from '../query/item-query.ts'
import { keepsItems } from '../query/transform.ts'
import { isSelective, type Selection } from './selection.ts'
import { isCutCell, maxCellLength } from './xlsx/cell-text.ts'

/** Whether cells can be read from the stored items; otherwise they are transformed first. */
export function readsStoredItems(query: Transformation): boolean {
  const { outputFields } = query
  return (
    keepsItems({ ...query, fields: null, omit: [] }) &&
    (outputFields === null || new Set(outputFields).size === outputFields.length)
  )
}

/** Selects the fields of stored items by the query, under their stored names. */
export function selectByQuery({ fields, omit, skipHidden }: Transformation): FieldSelector {
  const omitted = new Set(omit)
  return (name) => {
    if ((skipHidden && name.startsWith('#')) || omitted.has(name)) return null
    if (fields === null) return 0
    const rank = fields.indexOf(name)
    return rank === -1 ? null : rank
  }
}

/** Selects every field of transformed items, with the rank that the transformation found. */
export const selectByRank =
  (rankOf: ReadonlyMap<string, number>): FieldSelector =>
  (name) =>
    rankOf.get(name) ?? 0

export type Survey = {
  readonly columns: SliceColumns
  readonly rowCount: number
  /** The number of texts longer than a spreadsheet's cell. */
  readonly cutCells: number
  /** The length in bytes of the longest text or number. */
  readonly longest: number
  /** The kinds of values in each column, if types are needed. */
  readonly kinds?: readonly number[]
}

/** `isShallow`: an object or an array is one value, not a set of columns. */
export function surveyLines(lines: Buffer, selectField: FieldSelector, skipEmpty: boolean, isShallow = false): Survey {
  const reader = new ItemReader(selectField, [], isShallow)
  const tally = new ColumnTally()
  let rowCount = 0
  let cutCells = 0
  let longest = 0
  const countCut = (item: string) =>
    eachLeaf(item, selectField, isShallow, (_path, _rank, _hash, json) => {
      if (isCutCell(json)) cutCells++
    })
  const onRow = (bytes: Buffer, start: number, end: number) => {
    rowCount++
    longest = Math.max(longest, reader.longest)
    if (reader.longest > maxCellLength && !isShallow) countCut(bytes.toString('utf8', start, end))
  }
  const onWide = (item: string) =>
    eachLeaf(item, selectField, isShallow, (path, rank, hash) => tally.note(path, rank, hash))
  walkRows(lines, reader, skipEmpty, onRow, onWide)
  for (const { path, rank, hash } of reader.columns()) tally.note(path, rank, hash)
  return { columns: tally.finish(), rowCount, cutCells, longest }
}

type OnLeaf = (path: readonly (string | number)[], rank: number, hash: number, json: string) => void

/** Walks an item that has more columns than a reader's trie holds, or whose texts must be checked. */
function eachLeaf(item: string, selectField: FieldSelector, isShallow: boolean, act: OnLeaf) {
  const path: (string | number)[] = []
  const tree = new JsonTree(item)
  const walk = (segment: string | number, at: number, rank: number, before: number) => {
    const hash = hashSegment(before, segment)
    path.push(segment)
    if (isShallow) act(path, rank, hash, '')
    else if (tree.isObject(at)) {
      const { names, starts } = tree.members(at)
      for (let i = 0; i < names.length; i++) walk(names[i]!, starts[i]!, rank, hash)
    } else if (tree.isArray(at)) {
      let index = 0
      for (const element of tree.elements(at)) walk(index++, element, rank, hash)
    } else act(path, rank, hash, tree.slice(at))
    path.pop()
  }
  const { names, starts } = tree.members(0)
  for (let i = 0; i < names.length; i++) {
    const rank = selectField(names[i]!)
    if (rank !== null) walk(names[i]!, starts[i]!, rank, rootHash)
  }
}

/** Whether every item makes exactly one row. */
export const keepsRows = (query: Transformation & Selection): boolean =>
  !isSelective(query) && query.unwind.length === 0 && !query.skipEmpty && !query.skipFailedPages

/** Reads the columns from a chunk's summary: the same as reading the chunk, if items are exported as stored. */
export function surveySummary(
  { columns }: { columns: readonly Column[] },
  query: Transformation,
  items: number,
): Survey {
  const selectField = selectByQuery(query)
  const tally = new ColumnTally()
  for (const { path } of columns) {
    const rank = selectField(String(path[0]))
    if (rank !== null) tally.note(path, rank)
  }
  return { columns: tally.finish(), rowCount: items, cutCells: 0, longest: 0 }
}

/** Adds a column for every field that was asked for and not omitted; transformed items have it under its new name. */
export function settleColumns(found: ColumnSurvey, query: Transformation): ColumnSurvey {
  const { fields, outputFields, omit } = query
  if (fields === null) return found
  const names = readsStoredItems(query) ? fields : (outputFields ?? fields)
  const asked = fields.flatMap((field, rank) => (omit.includes(field) ? [] : [{ path: [names[rank]!], rank }]))
  return addMissingFields(found, asked)
}

/** The paths as shown: stored fields under the names that the query gives them. */
export function renameColumns(columns: readonly Column[], query: Transformation): readonly Column[] {
  const { fields, outputFields } = query
  if (fields === null || outputFields === null || !readsStoredItems(query)) return columns
  return columns.map(({ path, rank }) => ({ path: [outputFields[rank]!, ...path.slice(1)], rank }))
}

/**
 * Reads row after row; at each `onRow` the reader holds the offsets of the row's cells in the passed bytes. An item
 * that repeats a name is rewritten first: the last value counts, in every format. `onWide` is called with an item that
 * has too many columns for the reader.
 */
export function walkRows(
  lines: Buffer,
  reader: ItemReader,
  skipEmpty: boolean,
  onRow: (bytes: Buffer, start: number, end: number) => void,
  onWide?: (item: string) => void,
) {
  for (let at = 0; at < lines.length; ) {
    let bytes = lines
    let start = at
    let end = reader.read(lines, at)
    at = end + 1
    if (reader.isTooWide && onWide) {
      reader.unread()
      onWide(lines.toString('utf8', start, end))
    } else if (reader.hasRepeat) {
      reader.unread()
      bytes = Buffer.from(writeDistinct(lines.toString('utf8', start, end)))
      start = 0
      end = reader.read(bytes, 0)
    }
    if (!skipEmpty || reader.memberCount > 0) onRow(bytes, start, end)
  }
}
