/** An export: the page is fixed when it is opened, then made piece by piece as fast as its reader takes it. */
import { createHash } from 'node:crypto'
import { nameColumns } from '../columns.ts'
import type { Dataset } from '../dataset.ts'
import { type Frame, frameOf } from '../formats/frame.ts'
import { joinByCommas } from '../formats/json.ts'
import { isTable, type Part, type PiecePlan } from '../formats/piece.ts'
import type { Feed } from '../formats/rss.ts'
import { renameColumns } from '../formats/table-rows.ts'
import { maxSheetRows } from '../formats/xlsx/sheet.ts'
import { streamWorkbook } from '../formats/xlsx/stream.ts'
import type { ItemLog, ItemRange, Piece } from '../item-log.ts'
import { mayHoldEmpty } from '../items/lines.ts'
import { release } from '../items/memory.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { Place } from '../query/records.ts'
import { keepsItems } from '../query/transform.ts'
import type { Threads } from '../threads.ts'
import { demandWanted, type PageColumns, type RowsOfPart, surveyPage } from './columns.ts'
import { inOrder, inParts } from './in-order.ts'
import { isFixedPage, pickPage, planPieces } from './page.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

export type Export = {
  readonly dataset: Dataset
  readonly query: ItemQuery
  readonly total: number
  /** Stored items in the page. */
  readonly count: number
  readonly droppedColumns: number
  /** The same for as long as the answer is the same, byte for byte unless it is weak. */
  readonly etag: string
  /** Whether no push can change it, so that a broken download can go on where it ended. */
  readonly isFixed: boolean
  /** Whether it is short enough to be made at once. */
  readonly isSmall: boolean
  stream(): AsyncGenerator<Buffer>
  /** For what is fixed: its length, and then any part of it, from `start` up to `end`. */
  measure(): Promise<{ length: number; streamRange(start: number, end: number): AsyncGenerator<Buffer> }>
}

type Needs = { readonly log: ItemLog; readonly threads: Threads }

/** To be raised whenever the same items come to be written otherwise. */
const rendererVersion = 2

/** `isGone` tells whether nobody waits for the answer any more. */
export async function openExport(
  needs: Needs,
  dataset: Dataset,
  query: ItemQuery,
  feed: Feed,
  isGone: () => boolean,
): Promise<Export> {
  const { log, threads } = needs
  const range = pickPage(dataset.itemCount, query)
  const workshop = await openWorkshop(log, threads, dataset.key, range, query)
  const pieces = () => planPieces(log, dataset.key, range, query.desc)
  const survey = isTable(query.format) ? await surveyPage(pieces(), workshop, query, isGone) : null
  const columns = survey?.columns ?? []
  workshop.noteColumns(columns.length)
  const names = nameColumns(renameColumns(columns, query))
  const isSheet = query.format === 'xlsx'
  const sheet = isSheet ? { columns, names, hasHeader: !query.skipHeaderRow, sheetRows: maxSheetRows } : null
  const plan: PiecePlan = { query, columns, sheet }
  const frame = frameOf(query, { names, feed, title: dataset.title ?? dataset.name ?? dataset.id })
  const render = makeRender(workshop, plan)

  return {
    dataset,
    query,
    total: dataset.itemCount,
    count: range.to - range.from,
    droppedColumns: survey ? Math.max(0, survey.foundCount - columns.length) : 0,
    // A large sheet is packed in pieces as they are stored: the same content, not always in the same bytes.
    etag: (isSheet && !workshop.isSmall ? 'W/' : '') + makeEtag(dataset, query, range, frame),
    isFixed: ['json', 'jsonl', 'csv'].includes(query.format) && isFixedPage(dataset.itemCount, query),
    isSmall: workshop.isSmall,
    stream: () =>
      isSheet
        ? streamSheets(workshop, plan, survey!.rows, pieces(), range, dataset.byteCount)
        : streamText(frame, inParts(pieces(), render)),
    measure: () => measureText(frame, pieces(), render, makeMeasure(workshop, query, render), isGone),
  }
}

type Render = (piece: Piece, from: Place) => Promise<Part<Buffer>>

/** Raw json and jsonl are copies of bytes: a thread would only carry them to and fro. Where lines are moved or cut it is worth it. */
function makeRender(workshop: Workshop, plan: PiecePlan): Render {
  const { query } = plan
  const mayCopy = (query.format === 'json' || query.format === 'jsonl') && keepsItems(query) && !query.desc
  return async (piece, from) => {
    const lines = await workshop.read(piece)
    const isCopy = mayCopy && !(query.skipHidden && piece.hasHidden) && !(query.skipEmpty && mayHoldEmpty(lines))
    if (!isCopy || workshop.isSmall) return workshop.render(lines, plan, from)
    const made = query.format === 'json' ? joinByCommas(lines) : lines
    if (made !== lines) release(lines)
    return { made, next: null }
  }
}

/** Nothing is sent before the first piece is made: what is wrong with it can still be said. */
async function* streamText(
  { start, separator, end }: Frame,
  rendered: AsyncIterable<{ made: Buffer }>,
): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const { made } of rendered) {
    if (made.length === 0) continue
    const before = isFirst ? start : separator
    if (before.length > 0) yield before
    isFirst = false
    yield made
  }
  const after = isFirst ? Buffer.concat([start, end]) : end
  if (after.length > 0) yield after
}

function streamSheets(
  workshop: Workshop,
  plan: PiecePlan,
  rows: PageColumns['rows'],
  pieces: AsyncIterable<Piece>,
  range: ItemRange,
  itemBytes: number,
): AsyncGenerator<Buffer> {
  if (rows === null) return streamWorkbook(plan.sheet!, range.to - range.from, itemBytes, packItems())
  const rowCount = rows.reduce((sum, part) => sum + part.rowCount, 0)
  return streamWorkbook(plan.sheet!, rowCount, itemBytes, packParts(rows))

  /** A row an item. */
  async function* packItems() {
    const rowOf = ({ from, to }: Piece) => (plan.query.desc ? range.to - to : from - range.from)
    const pack = (piece: Piece, from: Place) => workshop.pack(piece, plan, from, rowOf(piece) + from.item)
    for await (const { made } of inParts(pieces, pack)) yield made
  }

  async function* packParts(parts: readonly RowsOfPart[]) {
    let firstRow = 0
    const pack = ({ piece, from, rowCount }: RowsOfPart) => {
      const before = firstRow
      firstRow += rowCount
      return workshop.pack(piece, plan, from, before)
    }
    for await (const { made } of inOrder(parts, pack)) yield made
  }
}

/** Whether the lengths of stored lines are those of the answer. */
const isVerbatim = (query: ItemQuery) =>
  (query.format === 'json' || query.format === 'jsonl') && keepsItems(query) && !query.skipHidden && !query.skipEmpty

type Measure = (piece: Piece, from: Place) => Promise<Part<number>>

function makeMeasure(workshop: Workshop, query: ItemQuery, render: Render): Measure {
  return async (piece, from) => {
    const mayTell = piece.isWhole && isVerbatim(query)
    if (mayTell) return { made: piece.bytes - (query.format === 'json' ? 1 : 0), next: null }
    const { made, next } = await render(piece, from)
    const { length } = made
    // Made only to be measured; but the one piece of a small page is kept to be sent.
    if (!workshop.isSmall) release(made)
    return { made: length, next }
  }
}

async function measureText(
  { start, separator, end }: Frame,
  pieces: AsyncIterable<Piece>,
  render: Render,
  lengthOf: Measure,
  isGone: () => boolean,
) {
  const parts: { at: number; length: number; make: () => Promise<Buffer> }[] = []
  let length = 0
  const add = (count: number, make: () => Promise<Buffer>) => {
    if (count > 0) parts.push({ at: length, length: count, make })
    length += count
  }
  add(start.length, async () => start)
  for await (const { piece, from, made } of inParts(pieces, lengthOf)) {
    demandWanted(isGone)
    if (made === 0) continue
    if (length > start.length) add(separator.length, async () => separator)
    add(made, async () => (await render(piece, from)).made)
  }
  add(end.length, async () => end)

  async function* streamRange(from: number, to: number): AsyncGenerator<Buffer> {
    const wanted = parts.filter((part) => part.at < to && part.at + part.length > from)
    const made = inOrder(wanted, async ({ at, make }) => (await make()).subarray(Math.max(0, from - at), to - at))
    yield* made
  }
  return { length, streamRange }
}

function makeEtag(dataset: Dataset, query: ItemQuery, range: ItemRange, frame: Frame): string {
  const { offset: _offset, limit: _limit, attachment: _attachment, ...rest } = query
  const what = JSON.stringify([rendererVersion, dataset.id, range.from, range.to, rest])
  return `"${createHash('sha256').update(what).update(frame.start).digest('base64url').slice(0, 27)}"`
}
