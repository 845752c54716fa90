/** Renders the slices of an export: a small page in this thread, a large one in workers. */

import type { ColumnarPart } from '../formats/columnar/columnar-part.ts'
import { countMatches, quickSelectionBytes } from '../formats/selection.ts'
import {
  isTable,
  type Part,
  packColumnarSlice,
  packSlice,
  type RenderPlan,
  renderSlice,
  surveySlice,
} from '../formats/slice.ts'
import type { Survey } from '../formats/table-rows.ts'
import type { SheetPart } from '../formats/xlsx/sheet.ts'
import type { ItemRange, Slice } from '../log/item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { Place } from '../query/records.ts'
import type { Window } from '../query/window.ts'
import type { WorkerPool, WorkerTasks } from '../workers/worker-pool.ts'
import type { ItemSource } from './sorted-page.ts'

/**
 * Below this size a page is rendered in this thread: passing it to a worker would take longer. Where something is repeated
 * for every element (the item, a path, a tag), a page grows, and the limit is lower, the more so where one such growth
 * multiplies another: 16 MB may come of a page of either limit. Three or more go to a worker.
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

  /** Reads the stored lines. A small page is read once, however often it is used. */
  async function read({ from, to }: ItemRange): Promise<Buffer> {
    if (kept?.from === from && kept.to === to) return kept.lines
    const lines = await log.read(key, { from, to })
    if (isSmall) kept = { from, to, lines }
    return lines
  }

  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    if (isSmall) return act()
    return workers.inTurn(caller, () => {
      // Its client may have left while it waited.
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
    /** Those of a page that was found to be small: one, or none where there are no items. */
    slices,
    /** A page that is small in bytes may be a large table. */
    noteColumns(count: number) {
      if (!isSmall || (range.to - range.from) * count <= smallCells) return
      isSmall = false
      kept = undefined
    },
    read,
    inTurn,
    /** How many items of the slice the query selects. */
    count: (range: ItemRange): Promise<number> =>
      inTurn(async () => {
        const lines = await read(range)
        return isSmall ? countMatches(lines, query) : run('count', lines, { query })
      }),
    survey: (slice: Slice, from: Place): Promise<Part<Survey>> =>
      inTurn(async () => {
        const lines = await read(slice)
        const { window } = slice
        return isSmall ? surveySlice(lines, query, from, window) : run('survey', lines, { query, from, window })
      }),
    /** In a turn of the caller's. */
    async render(lines: Buffer, plan: RenderPlan, from: Place, window?: Window): Promise<Part<Buffer>> {
      if (isSmall) return renderSlice(lines, plan, from, window)
      const { made, next } = await run('render', lines, { plan, from, window })
      return { made: Buffer.from(made.buffer, made.byteOffset, made.byteLength), next }
    },
    pack: (slice: Slice, plan: RenderPlan, from: Place, firstRow: number): Promise<Part<SheetPart[]>> =>
      inTurn(async () => {
        const lines = await read(slice)
        const { window } = slice
        if (isSmall) return packSlice(lines, plan, from, firstRow, window)
        return run('pack', lines, { plan, from, firstRow, window })
      }),
    packColumns: (slice: Slice, plan: RenderPlan, from: Place): Promise<Part<ColumnarPart>> =>
      inTurn(async () => {
        const lines = await read(slice)
        const { window } = slice
        if (isSmall) return packColumnarSlice(lines, plan, from, window)
        const { made, next } = await run('packColumns', lines, { plan, from, window })
        const { buffer, byteOffset, byteLength } = made.bytes
        return { made: { ...made, bytes: Buffer.from(buffer, byteOffset, byteLength) }, next }
      }),
  }
}

/** Every array that is unwound multiplies, and a table has each column in every row; what is flattened stands beside each other. */
const countGrowths = ({ unwind, flatten, format }: ItemQuery) =>
  unwind.length +
  Number(unwind.length > 0 && isTable(format)) +
  Number(flatten.length > 0) +
  Number(format === 'xml' || format === 'rss')

/** Null where the page is not small. */
async function planSmallPage(log: ItemSource, key: number, range: ItemRange, limit: number): Promise<Slice[] | null> {
  for await (const slice of log.plan(key, range))
    return slice.to === range.to && slice.bytes <= limit ? [{ ...slice, summary: null }] : null
  return []
}
