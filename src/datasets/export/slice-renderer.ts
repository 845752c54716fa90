/** Renders the slices of an export: a small page in this thread, a large one in workers. */

import type { ColumnarPart } from '../formats/columnar/columnar-part.ts'
import { countMatches, quickSelectionBytes } from '../formats/selection.ts'
import {
  isTable,
  packColumnarSlice,
  packSlice,
  type RenderPlan,
  renderSlice,
  type SlicePart,
  surveySlice,
} from '../formats/slice.ts'
import type { Survey } from '../formats/table-rows.ts'
import type { SheetPart } from '../formats/xlsx/sheet.ts'
import type { ItemRange, Slice } from '../log/item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { RecordPosition } from '../query/records.ts'
import type { WorkerPool, WorkerTasks } from '../workers/worker-pool.ts'
import type { ItemSource } from './sorted-page.ts'

/**
 * Below this size a page is rendered in this thread: passing it to a worker would take longer. If something is repeated
 * for every element (the item, a path, a tag), output grows, and the limit is lower, the more so if several such
 * growths multiply: a page of either limit may grow to 16 MB. Three or more go to a worker.
 */
const smallBytes = [128 * 1024, 8 * 1024, 768]
/** A table with more cells is not small, even if all are blank. */
const smallCells = 100_000

export type SliceRenderer = Awaited<ReturnType<typeof openSliceRenderer>>

export async function openSliceRenderer(
  log: ItemSource,
  workers: WorkerPool,
  key: number,
  range: ItemRange,
  query: ItemQuery,
  caller: string,
  demandWanted: () => void,
) {
  const limit = Math.min(smallBytes[countGrowths(query)] ?? 0, quickSelectionBytes(query))
  const slices = await planSmallPage(log, key, range, limit)
  let isSmall = slices !== null
  let kept: { from: number; to: number; lines: Buffer } | undefined

  /** Reads the stored lines, or the selected ones that were kept. A small page is read once for all uses. */
  async function read({ from, to, selected }: Slice): Promise<Buffer> {
    // Copied, because the reader may pass the buffer to a thread or free it, and the kept lines may be needed again.
    if (selected) return Buffer.from(selected)
    if (kept?.from === from && kept.to === to) return kept.lines
    const lines = await log.read(key, { from, to })
    if (isSmall) kept = { from, to, lines }
    return lines
  }

  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    if (isSmall) return act()
    return workers.inTurn(caller, () => {
      // The client may have left while it waited.
      demandWanted()
      return act()
    })
  }

  const run = <A extends keyof WorkerTasks>(act: A, lines: Buffer, input: WorkerTasks[A]['input']) =>
    workers.runWanted(act, lines, input, demandWanted)

  return {
    get isSmall() {
      return isSmall
    },
    /** The slices of a small page: one, or none if it has no items. */
    slices,
    /** A page of few bytes may be a large table. */
    noteColumns(count: number) {
      if (!isSmall || (range.to - range.from) * count <= smallCells) return
      isSmall = false
      kept = undefined
    },
    read,
    inTurn,
    /** The number of items in the slice that the query selects, and their lines if they fit in `mostBytes`. */
    select: (slice: Slice, mostBytes: () => number): Promise<{ count: number; lines: Buffer | null }> =>
      inTurn(async () => {
        const stored = await read(slice)
        if (isSmall) return { count: countMatches(stored, query), lines: null }
        const { count, lines } = await run('select', stored, { query, mostBytes: mostBytes() })
        return { count, lines: lines && asBuffer(lines) }
      }),
    survey: (slice: Slice, from: RecordPosition): Promise<SlicePart<Survey>> =>
      inTurn(async () => {
        const lines = await read(slice)
        const { window } = slice
        const input = { query: queryOf(slice, query), from, window }
        return isSmall ? surveySlice(lines, input.query, from, window) : run('survey', lines, input)
      }),
    /** Called in one of the caller's turns. */
    async render(slice: Slice, lines: Buffer, whole: RenderPlan, from: RecordPosition): Promise<SlicePart<Buffer>> {
      const { window } = slice
      const plan = planOf(slice, whole)
      if (isSmall) return renderSlice(lines, plan, from, window)
      const { made, next } = await run('render', lines, { plan, from, window })
      return { made: asBuffer(made), next }
    },
    pack: (slice: Slice, whole: RenderPlan, from: RecordPosition, firstRow: number): Promise<SlicePart<SheetPart[]>> =>
      inTurn(async () => {
        const plan = planOf(slice, whole)
        const lines = await read(slice)
        const { window } = slice
        if (isSmall) return packSlice(lines, plan, from, firstRow, window)
        return run('pack', lines, { plan, from, firstRow, window })
      }),
    packColumns: (slice: Slice, whole: RenderPlan, from: RecordPosition): Promise<SlicePart<ColumnarPart>> =>
      inTurn(async () => {
        const plan = planOf(slice, whole)
        const lines = await read(slice)
        const { window } = slice
        if (isSmall) return packColumnarSlice(lines, plan, from, window)
        const { made, next } = await run('packColumns', lines, { plan, from, window })
        return { made: { ...made, bytes: asBuffer(made.bytes) }, next }
      }),
  }
}

/** Lines that were selected before are not matched again. */
const queryOf = ({ selected }: Slice, query: ItemQuery): ItemQuery =>
  selected ? { ...query, filter: null, search: null } : query

const planOf = (slice: Slice, plan: RenderPlan): RenderPlan =>
  slice.selected ? { ...plan, query: queryOf(slice, plan.query) } : plan

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

/** Every unwound array multiplies, and a table has each column in every row; flattened fields only add up. */
const countGrowths = ({ unwind, flatten, format }: ItemQuery) =>
  unwind.length +
  Number(unwind.length > 0 && isTable(format)) +
  Number(flatten.length > 0) +
  Number(format === 'xml' || format === 'rss')

/** Null if the page is not small. */
async function planSmallPage(log: ItemSource, key: number, range: ItemRange, limit: number): Promise<Slice[] | null> {
  for await (const slice of log.plan(key, range))
    return slice.to === range.to && slice.bytes <= limit ? [{ ...slice, summary: null }] : null
  return []
}
