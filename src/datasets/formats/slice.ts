/**
 * One slice of an export: stored lines in, bytes of the requested format out. Slices are independent, so they can be
 * rendered on any thread and concatenated. A slice whose output grows large is rendered in parts.
 */
import type { Column } from '../columns.ts'
import { ByteWriter } from '../items/byte-writer.ts'
import type { FieldSelector } from '../items/item-reader.ts'
import { JsonTree } from '../items/json-tree.ts'
import { eachLine, reverseLines, skipLines } from '../items/lines.ts'
import type { Format, ItemQuery } from '../query/item-query.ts'
import { eachRecord, keepBytes, type RecordPosition } from '../query/records.ts'
import { keepsItems } from '../query/transform.ts'
import type { Window } from '../query/window.ts'
import { XmlWriter } from '../xml/xml-writer.ts'
import { isColumnar, packColumns, surveyKinds } from './columnar/columnar.ts'
import type { ColumnarPart, ColumnarPlan } from './columnar/columnar-part.ts'
import { writeCsvRows } from './csv/csv.ts'
import { writeHtmlRows } from './html.ts'
import { joinByCommas } from './json.ts'
import { writeRssItem } from './rss.ts'
import { isSelective, selectLines } from './selection.ts'
import { readsStoredItems, type Survey, selectByQuery, selectByRank, surveyLines } from './table-rows.ts'
import { packRows, type SheetPart, type SheetPlan } from './xlsx/sheet.ts'
import { writeElement } from './xml.ts'
import { XmlBytes } from './xml-bytes.ts'

/** Everything that rendering needs besides the slice, as plain data, so that it can be sent to a worker. */
export type RenderPlan = {
  readonly query: ItemQuery
  readonly columns: readonly Column[]
  readonly sheet: SheetPlan | null
  readonly columnar: ColumnarPlan | null
}

/** A slice's output from some place on; `next` is where to continue, null at the slice's end. */
export type SlicePart<T> = { readonly made: T; readonly next: RecordPosition | null }

/** A part ends with the record that exceeds this size. Ordinary slices stay far below it. */
const partBytes = 16 * 1024 * 1024

/** Or with the one that exceeds this many steps, half a second of a thread: many records may produce nothing. */
const partSteps = 5_000_000

/** Even a blank cell takes this many bytes of a row: `<td></td>`. */
const cellBytes = 9

/** Formats whose columns must be known before the first row. */
export const isTable = (format: Format): boolean =>
  format === 'csv' || format === 'html' || format === 'xlsx' || isColumnar(format)

/** Finds the columns and the number of rows of a slice of a table. */
export function surveySlice(
  stored: Buffer,
  query: ItemQuery,
  from: RecordPosition,
  window?: Window,
): SlicePart<Survey> {
  const { rows, selectField, next } = openTable(prepareLines(stored, query, window), query, from, 0)
  if (!isColumnar(query.format)) return { made: surveyLines(rows, selectField, query.skipEmpty), next }
  const survey = surveyLines(rows, selectField, query.skipEmpty, true)
  const kinds = surveyKinds(rows, survey.columns.columns, selectField, query.skipEmpty)
  return { made: { ...survey, kinds }, next }
}

export function renderSlice(
  stored: Buffer,
  { query, columns }: RenderPlan,
  from: RecordPosition,
  window?: Window,
): SlicePart<Buffer> {
  const lines = prepareLines(stored, query, window)
  switch (query.format) {
    case 'jsonl':
      return renderJson(lines, query, from, (made) => made)
    case 'json':
      return renderJson(lines, query, from, joinByCommas)
    case 'xml':
      return renderXml(lines, query, from, {
        open: (capacity) => new XmlBytes(capacity, query.xmlRow, false),
        write: (out, item) => writeElement(out, query.xmlRow, item, 0),
      })
    case 'rss':
      return renderXml(lines, query, from, {
        open: (capacity) => new XmlBytes(capacity, 'item', true, ['guid']),
        write: writeRssItem,
      })
    case 'csv': {
      const { rows, selectField, next } = openTable(lines, query, from, columns.length * cellBytes)
      return { made: writeCsvRows(rows, columns, selectField, query.skipEmpty, query.delimiter), next }
    }
    case 'html': {
      const { rows, selectField, next } = openTable(lines, query, from, columns.length * cellBytes)
      return { made: writeHtmlRows(rows, columns, selectField, query.skipEmpty), next }
    }
    case 'xlsx':
    case 'parquet':
    case 'arrow':
      throw new Error(`The parts of ${query.format} are packed, not rendered.`)
  }
}

/** Renders a slice of xlsx sheets, given the number of rows before it. Its parts are those of the survey. */
export function packSlice(
  stored: Buffer,
  { query, sheet }: RenderPlan,
  from: RecordPosition,
  firstRow: number,
  window?: Window,
): SlicePart<SheetPart[]> {
  const { rows, selectField, next } = openTable(prepareLines(stored, query, window), query, from, 0)
  return { made: packRows(rows, sheet!, selectField, query.skipEmpty, firstRow), next }
}

/** Even a missing value takes this much of a row: the end of a text and a bit. */
const slotBytes = 9

/** Packs a slice into columns. */
export function packColumnarSlice(
  stored: Buffer,
  { query, columnar }: RenderPlan,
  from: RecordPosition,
  window?: Window,
): SlicePart<ColumnarPart> {
  const lines = prepareLines(stored, query, window)
  const { rows, selectField, next } = openTable(lines, query, from, columnar!.columns.length * slotBytes)
  return { made: packColumns(query.format, rows, columnar!, selectField, query.skipEmpty), next }
}

/** The lines that the query selects, in its order, as far as they belong to the page. */
function prepareLines(stored: Buffer, query: ItemQuery, window?: Window): Buffer {
  const selected = isSelective(query) ? selectLines(stored, query).lines : stored
  const ordered = query.desc ? reverseLines(selected) : selected
  if (!window) return ordered
  const rest = skipLines(ordered, window.skip)
  return rest.subarray(0, rest.length - skipLines(rest, window.take).length)
}

function renderJson(
  lines: Buffer,
  query: ItemQuery,
  from: RecordPosition,
  join: (lines: Buffer) => Buffer,
): SlicePart<Buffer> {
  if (keepsItems(query)) return { made: join(keepBytes(lines, query)), next: null }
  const { rows, next } = gatherRecords(lines, query, from, 0)
  return { made: join(rows), next }
}

/** How items become XML: most from their bytes, the others from the parsed text. */
type Markup = {
  open(capacity: number): XmlBytes
  write(out: XmlWriter, item: JsonTree): void
}

function renderXml(lines: Buffer, query: ItemQuery, from: RecordPosition, { open, write }: Markup): SlicePart<Buffer> {
  if (keepsItems(query)) return renderStoredXml(keepBytes(lines, query), from, { open, write })
  const out = new XmlWriter(2 * lines.length)
  const cursor = { ...from }
  const work = { steps: 0 }
  for (const json of eachRecord(lines, query, cursor, undefined, work)) {
    if (json !== null) {
      write(out, new JsonTree(json))
      out.add('\n')
    }
    if (out.endRecord() > partBytes || work.steps > partSteps) return { made: out.take(), next: cursor }
  }
  return { made: out.take(), next: null }
}

function renderStoredXml(kept: Buffer, from: RecordPosition, { open, write }: Markup): SlicePart<Buffer> {
  const lines = skipLines(kept, from.item)
  const writer = open(2 * lines.length)
  const { out } = writer
  let item = from.item
  for (const [start, end] of eachLine(lines)) {
    if (!writer.writeItem(lines, start)) {
      const single = new XmlWriter(2 * (end - start))
      write(single, new JsonTree(lines.toString('utf8', start, end - 1)))
      const made = single.take()
      out.reserve(made.length)
      made.copy(out.bytes, out.length)
      out.length += made.length
    }
    out.reserve(1)
    out.bytes[out.length++] = 0x0a
    item++
    if (out.length > partBytes && end < lines.length) return { made: out.take(), next: { item, record: 0 } }
  }
  return { made: out.take(), next: null }
}

type Rows = { readonly rows: Buffer; readonly selectField: FieldSelector; readonly next: RecordPosition | null }

function openTable(lines: Buffer, query: ItemQuery, from: RecordPosition, rowBytes: number): Rows {
  if (!readsStoredItems(query)) return gatherRecords(lines, query, from, rowBytes)
  const selectField = selectByQuery(query)
  if (rowBytes === 0) return { rows: lines, selectField, next: null }
  const count = Math.ceil(partBytes / rowBytes)
  const left = skipLines(lines, from.item)
  const after = skipLines(left, count)
  if (after.length === 0) return { rows: left, selectField, next: null }
  const next = { item: from.item + count, record: 0 }
  return { rows: left.subarray(0, left.length - after.length), selectField, next }
}

/** Writes transformed items as lines again. */
function gatherRecords(lines: Buffer, query: ItemQuery, from: RecordPosition, rowBytes: number): Rows {
  const rankOf = new Map<string, number>()
  const selectField = selectByRank(rankOf)
  const out = new ByteWriter(lines.length)
  const cursor = { ...from }
  let count = 0
  const noteRanks = query.fields === null ? undefined : makeRankNotes(rankOf)
  const work = { steps: 0 }
  for (const json of eachRecord(lines, query, cursor, noteRanks, work)) {
    if (json !== null) {
      out.addText(json)
      out.addText('\n')
      count++
    }
    if (out.length + count * rowBytes > partBytes || work.steps > partSteps)
      return { rows: out.take(), selectField, next: cursor }
  }
  return { rows: out.take(), selectField, next: null }
}

/** Records the index in `fields` of each top-level name. */
const makeRankNotes =
  (rankOf: Map<string, number>) =>
  ({ names, ranks }: { names: readonly string[]; ranks: readonly number[] | null }) => {
    for (const [i, rank] of ranks!.entries()) {
      const known = rankOf.get(names[i]!)
      if (known === undefined || rank < known) rankOf.set(names[i]!, rank)
    }
  }
