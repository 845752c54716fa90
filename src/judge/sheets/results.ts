/** Results of sheets as other modules see them. Points are in millionths. */
import type { CountedCell } from './counted-submissions.ts'
import type { Sheet } from './sheet.ts'
import type { Mark } from './sheet-marks.ts'

export type ResultCell = CountedCell & { readonly mark: Mark | null }

export type ResultRow = {
  readonly accountName: string
  readonly rosterName: string
  /** Whether the student is no longer in the class. Only what counted until then is shown. */
  readonly hasLeft: boolean
  readonly cells: readonly ResultCell[]
  /** In millionths. */
  readonly total: number
}

export type SheetResults = { readonly sheet: Sheet; readonly rows: readonly ResultRow[] }

export type TableFormat = 'csv' | 'xlsx'

/** Renders items as a table whose columns are their members, in order. */
export type RenderTable = (items: readonly object[], format: TableFormat) => Promise<Buffer>

export type ClassResultRow = {
  readonly accountName: string
  readonly rosterName: string
  readonly hasLeft: boolean
  /** In millionths, in the order of the sheets. Null if nothing was tried or marked. */
  readonly totals: readonly (number | null)[]
  readonly total: number
  /** Submissions that are not judged yet. */
  readonly waiting: number
}

export type ClassResults = {
  /** Sheets that open first come first. Points in millionths. */
  readonly sheets: readonly { readonly id: number; readonly title: string; readonly points: number }[]
  readonly rows: readonly ClassResultRow[]
}
