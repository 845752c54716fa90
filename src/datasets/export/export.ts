/** An export: the page is fixed when it is opened, then rendered slice by slice as fast as it is read. */
import { createHash } from 'node:crypto'
import { nameColumns } from '../columns.ts'
import type { Dataset } from '../dataset.ts'
import { isColumnar } from '../formats/columnar/columnar.ts'
import { demandFooterRoom } from '../formats/columnar/parquet/stream.ts'
import { type Frame, frameOf } from '../formats/frame.ts'
import { joinByCommas } from '../formats/json.ts'
import type { Feed } from '../formats/rss.ts'
import { isSelective } from '../formats/selection.ts'
import { isTable, type RenderPlan, type SlicePart } from '../formats/slice.ts'
import { renameColumns } from '../formats/table-rows.ts'
import { maxSheetRows } from '../formats/xlsx/sheet.ts'
import type { Index } from '../indexes/definitions.ts'
import type { Indexes } from '../indexes/indexes.ts'
import { mayHoldEmpty } from '../items/lines.ts'
import { release } from '../items/memory.ts'
import type { ItemLog, ItemRange, Slice } from '../log/item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { isOrdered } from '../query/order.ts'
import type { RecordPosition } from '../query/records.ts'
import { keepsItems } from '../query/transform.ts'
import type { WorkerPool } from '../workers/worker-pool.ts'
import { demandWanted, surveyPage } from './columns.ts'
import { findByIndexes, type IndexedItems } from './indexed-page.ts'
import type { KeptLines } from './kept-lines.ts'
import { mapOrdered, mapParts } from './ordered-map.ts'
import { isFixedPage, pickPage, planSlices } from './page.ts'
import { selectPage } from './selected-page.ts'
import { openSliceRenderer, type SliceRenderer } from './slice-renderer.ts'
import type { SortDiskBudget } from './sort-disk-budget.ts'
import { type ItemSource, type SortedPage, sortItems } from './sorted-page.ts'
import { streamColumns, streamSheets, streamText } from './streams.ts'

export type Export = {
  readonly dataset: Dataset
  readonly query: ItemQuery
  readonly total: number
  /** The number of stored items in the page. */
  readonly count: number
  readonly droppedColumns: number
  /** The number of sheet cells whose text was cut. */
  readonly cutCells: number
  /** Unchanged as long as the answer is the same; a strong one promises the same bytes. */
  readonly etag: string
  /** Whether no push can change it. */
  readonly isFixed: boolean
  /** Whether any byte range is available, so that a broken download can resume. */
  readonly isResumable: boolean
  /** Whether it is short enough to render at once. */
  readonly isSmall: boolean
  stream(): AsyncGenerator<Buffer>
  /** Frees its disk space; nothing can be streamed afterwards. */
  close(): Promise<void>
  /** For a resumable page: its length, and a stream of any byte range from `start` up to `end`. */
  measure(): Promise<{ length: number; streamRange(start: number, end: number): AsyncGenerator<Buffer> }>
}

/** `caller`: whose turns in the worker pool it uses. */
type Needs = {
  readonly log: ItemSource
  readonly workers: WorkerPool
  readonly caller: string
  readonly sortDiskBudget: SortDiskBudget
  readonly cutOff: () => void
  readonly keepLines: () => KeptLines
  /** The data set's indexes, each with the number of items it covers so far. */
  readonly indexes: readonly Index[]
  readonly lookups: Indexes['lookups']
}

/** Exports read the log itself; a sorted or picked page is read instead of it. */
type LogNeeds = Needs & { readonly log: ItemLog }

/** Must be raised whenever the same items are rendered differently, so that no client keeps an old answer. */
const rendererVersion = 3

/** `isGone`: whether the client has disconnected. */
export async function openExport(
  needs: LogNeeds,
  dataset: Dataset,
  query: ItemQuery,
  feed: Feed,
  isGone: () => boolean,
): Promise<Export> {
  const found = await findByIndexes(needs, dataset, query, () => demandWanted(isGone))
  if (found)
    return openArranged(needs, dataset, query, feed, isGone, await arrangeFound(needs, found, dataset, query, isGone))
  if (!isOrdered(query)) return openPage(needs, dataset, query, feed, isGone)
  const sorted = await sortItems(needs, dataset, query, () => demandWanted(isGone))
  return openArranged(needs, dataset, query, feed, isGone, sorted)
}

/** Items found by indexes are the page already, or still have to be sorted. */
async function arrangeFound(
  needs: Needs,
  { items, isPage }: IndexedItems,
  { key }: Dataset,
  query: ItemQuery,
  isGone: () => boolean,
): Promise<SortedPage> {
  const { source, count, byteCount } = items
  if (isPage) return { source, count, byteCount, close: async () => {} }
  return sortItems({ ...needs, log: source }, { key, itemCount: count }, query, () => demandWanted(isGone))
}

async function openPage(
  needs: Needs,
  dataset: Dataset,
  query: ItemQuery,
  feed: Feed,
  isGone: () => boolean,
): Promise<Export> {
  const kept = needs.keepLines()
  try {
    return await openUnordered(needs, dataset, query, feed, isGone, kept)
  } catch (error) {
    kept.release()
    throw error
  }
}

async function openUnordered(
  { log, workers, caller }: Needs,
  dataset: Dataset,
  query: ItemQuery,
  feed: Feed,
  isGone: () => boolean,
  kept: KeptLines,
): Promise<Export> {
  const isSelected = isSelective(query)
  const range = isSelected ? { from: 0, to: dataset.itemCount } : pickPage(dataset.itemCount, query)
  const renderer = await openSliceRenderer(log, workers, dataset.key, range, query, caller, () => demandWanted(isGone))
  const selected = isSelected
    ? await selectPage(log, dataset.key, dataset.itemCount, query, renderer, kept, isGone)
    : null
  const known = selected?.slices ?? renderer.slices
  const slices = () => (known ? each(known) : planSlices(log, dataset.key, range, query.desc))
  const survey = isTable(query.format) ? await surveyPage(slices(), renderer, query, isGone) : null
  const columns = survey?.columns ?? []
  renderer.noteColumns(columns.length)
  const names = nameColumns(renameColumns(columns, query))
  const isSheet = query.format === 'xlsx'
  const sheet = isSheet ? { columns, names, hasHeader: !query.skipHeaderRow, sheetRows: maxSheetRows } : null
  if (query.format === 'parquet') demandFooterRoom(columns.length, dataset.byteCount)
  const columnar = isColumnar(query.format) ? { columns, names, types: survey!.types } : null
  const plan: RenderPlan = { query, columns, sheet, columnar }
  const frame = frameOf(query, { names, feed, title: dataset.title ?? dataset.name ?? dataset.id })
  const render = makeRender(renderer, plan)

  return {
    dataset,
    query,
    total: dataset.itemCount,
    count: selected?.count ?? range.to - range.from,
    droppedColumns: survey ? Math.max(0, survey.foundCount - columns.length) : 0,
    cutCells: survey?.cutCells ?? 0,
    // Packed in slices that follow the stored chunks: the content is the same, the bytes not always.
    etag: ((isSheet || columnar) && !renderer.isSmall ? 'W/' : '') + makeEtag(dataset, query, range, frame),
    isFixed: selected ? selected.isFull && !query.desc : isFixedPage(dataset.itemCount, query),
    isResumable: ['json', 'jsonl', 'csv'].includes(query.format),
    isSmall: renderer.isSmall,
    stream: () => {
      if (isSheet) return streamSheets(renderer, plan, survey!.rows, slices(), range, dataset.byteCount)
      if (columnar) return streamColumns(renderer, plan, slices())
      return streamText(frame, mapParts(slices(), render))
    },
    close: async () => kept.release(),
    measure: () => measureText(frame, slices(), render, makeMeasure(renderer, query, render), isGone),
  }
}

/** A sorted or picked page is exported as all items of its own source. */
async function openArranged(
  needs: Needs,
  dataset: Dataset,
  query: ItemQuery,
  feed: Feed,
  isGone: () => boolean,
  sorted: SortedPage,
): Promise<Export> {
  try {
    const whole: ItemQuery = { ...query, ...wholePage }
    const page = await openPage(
      { ...needs, log: sorted.source },
      { ...dataset, itemCount: sorted.count, byteCount: sorted.byteCount },
      whole,
      feed,
      isGone,
    )
    const { offset, limit, desc, filter, search, sort, distinct } = query
    const what = JSON.stringify([offset, limit, desc, filter, search, sort, distinct, dataset.itemCount, page.etag])
    return {
      ...page,
      dataset,
      query,
      total: dataset.itemCount,
      etag: `${page.etag.startsWith('W/') ? 'W/' : ''}"${digest(what)}"`,
      isFixed: false,
      close: sorted.close,
    }
  } catch (error) {
    await sorted.close()
    throw error
  }
}

const wholePage = { offset: 0, limit: null, desc: false, filter: null, search: null, sort: [], distinct: [] }

const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 27)

/** A list as a stream. */
async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}

type Render = (slice: Slice, from: RecordPosition) => Promise<SlicePart<Buffer>>

/** Raw json and jsonl only copy bytes, so a worker would not pay. It pays if lines are reordered or filtered. */
function makeRender(renderer: SliceRenderer, plan: RenderPlan): Render {
  const { query } = plan
  const mayCopy = (query.format === 'json' || query.format === 'jsonl') && keepsItems(query) && !query.desc
  return (slice, from) =>
    renderer.inTurn(async () => {
      const lines = await renderer.read(slice)
      const isTried = !isSelective(query) || slice.selected !== undefined
      const isCopy =
        mayCopy && isTried && !(query.skipHidden && slice.hasHidden) && !(query.skipEmpty && mayHoldEmpty(lines))
      if (!isCopy || renderer.isSmall) return renderer.render(slice, lines, plan, from)
      const made = query.format === 'json' ? joinByCommas(lines) : lines
      if (made !== lines) release(lines)
      return { made, next: null }
    })
}

/** Whether the answer has the length of the stored lines. */
const isVerbatim = (query: ItemQuery) =>
  (query.format === 'json' || query.format === 'jsonl') &&
  keepsItems(query) &&
  !query.skipHidden &&
  !query.skipEmpty &&
  !isSelective(query)

type Measure = (slice: Slice, from: RecordPosition) => Promise<SlicePart<number>>

function makeMeasure(renderer: SliceRenderer, query: ItemQuery, render: Render): Measure {
  return async (slice, from) => {
    const mayTell = slice.isWhole && isVerbatim(query)
    if (mayTell) return { made: slice.bytes - (query.format === 'json' ? 1 : 0), next: null }
    const { made, next } = await render(slice, from)
    const { length } = made
    // Rendered only to be measured, so free it; but the one slice of a small page is kept for sending.
    if (!renderer.isSmall) release(made)
    return { made: length, next }
  }
}

async function measureText(
  { start, separator, end }: Frame,
  slices: AsyncIterable<Slice>,
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
  for await (const { slice, from, made } of mapParts(slices, lengthOf)) {
    demandWanted(isGone)
    if (made === 0) continue
    if (length > start.length) add(separator.length, async () => separator)
    add(made, async () => (await render(slice, from)).made)
  }
  add(end.length, async () => end)

  async function* streamRange(from: number, to: number): AsyncGenerator<Buffer> {
    const wanted = parts.filter((part) => part.at < to && part.at + part.length > from)
    const made = mapOrdered(wanted, async ({ at, make }) => (await make()).subarray(Math.max(0, from - at), to - at))
    yield* made
  }
  return { length, streamRange }
}

function makeEtag(dataset: Dataset, query: ItemQuery, range: ItemRange, frame: Frame): string {
  const { offset, limit, attachment: _attachment, ...rest } = query
  // For a selected page the range is that of the scan, so offset and limit are included.
  const place = isSelective(query) ? [offset, limit] : []
  const what = JSON.stringify([...place, rendererVersion, dataset.id, dataset.key, range.from, range.to, rest])
  return `"${createHash('sha256').update(what).update(frame.start).digest('base64url').slice(0, 27)}"`
}
