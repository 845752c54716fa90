/** The pure half of an export for tests: items as JSON texts in, the file's bytes out, cut into pieces of any size. */
import { makeColumnUnion, nameColumns } from '../../src/datasets/columns.ts'
import { pickPage } from '../../src/datasets/export/page.ts'
import { frameOf } from '../../src/datasets/formats/frame.ts'
import { isTable, packSlice, renderSlice, type SlicePart, surveySlice } from '../../src/datasets/formats/slice.ts'
import { renameColumns, settleColumns } from '../../src/datasets/formats/table-rows.ts'
import { maxSheetRows } from '../../src/datasets/formats/xlsx/sheet.ts'
import { streamWorkbook } from '../../src/datasets/formats/xlsx/stream.ts'
import { scanItems } from '../../src/datasets/items/scan.ts'
import { applyView, parseItemQuery } from '../../src/datasets/query/item-query.ts'
import { type RecordPosition, sliceStart } from '../../src/datasets/query/records.ts'

export const feed = {
  title: 'A feed & more',
  description: 'What is new',
  link: 'http://127.0.0.1/-/datasets/x',
  self: 'http://127.0.0.1/v2/datasets/x/items?format=rss&fields=a',
}

export const queryOf = (text: string, schema: unknown = null) =>
  applyView(parseItemQuery(new URLSearchParams(text)), schema)

export async function renderTexts(
  texts: readonly string[],
  queryText: string,
  { sliceSize = texts.length || 1, sheetRows = maxSheetRows } = {},
): Promise<Buffer> {
  const query = queryOf(queryText)
  const { from, to } = pickPage(texts.length, query)
  const page = texts.slice(from, to)
  const slices: Buffer[] = []
  for (let i = 0; i < page.length; i += sliceSize)
    slices.push(scanItems(Buffer.from(`[${page.slice(i, i + sliceSize).join(',')}]`)).lines)
  if (query.desc) slices.reverse()

  const union = makeColumnUnion()
  const rowCounts: number[] = []
  for (const slice of isTable(query.format) ? slices : []) {
    let count = 0
    for (const { columns, rowCount } of allParts((from) => surveySlice(slice, query, from))) {
      union.add(columns)
      count += rowCount
    }
    rowCounts.push(count)
  }
  const { columns } = settleColumns(union.survey(), query)
  const names = nameColumns(renameColumns(columns, query))
  const sheet = { columns, names, hasHeader: !query.skipHeaderRow, sheetRows }
  const plan = { query, columns, sheet, columnar: null }
  const parts: Buffer[] = []
  if (query.format === 'xlsx') {
    let firstRow = 0
    const packed = slices.map((slice, i) => {
      const before = firstRow
      firstRow += rowCounts[i]!
      return packSlice(slice, plan, sliceStart, before).made
    })
    const source = (async function* () {
      yield* packed
    })()
    for await (const part of streamWorkbook(sheet, firstRow, 0, source)) parts.push(part)
    return Buffer.concat(parts)
  }
  const { start, separator, end } = frameOf(query, { names, feed, title: 'x' })
  const rendered = slices
    .flatMap((slice) => allParts((from) => renderSlice(slice, plan, from)))
    .filter((bytes) => bytes.length > 0)
  for (const [i, bytes] of rendered.entries()) parts.push(...(i > 0 ? [separator] : []), bytes)
  return Buffer.concat([start, ...parts, end])
}

function allParts<T>(act: (from: RecordPosition) => SlicePart<T>): T[] {
  const parts: T[] = []
  for (let from: RecordPosition | null = sliceStart; from !== null; ) {
    const { made, next }: SlicePart<T> = act(from)
    parts.push(made)
    from = next
  }
  return parts
}

export const renderItems = (items: readonly object[], query: string, options = {}) =>
  renderTexts(
    items.map((item) => JSON.stringify(item)),
    query,
    options,
  )
