/** The columns of a columnar file, and a part of its rows. */
import type { Column } from '../../columns.ts'
import type { ColumnType } from './column-type.ts'

export type ColumnarPlan = {
  readonly columns: readonly Column[]
  readonly names: readonly string[]
  readonly types: readonly ColumnType[]
}

/**
 * A few rows. For Parquet: one page per column, with their lengths, compressed and not, and the number of missing
 * values. For Arrow: the buffers of a record batch, each padded to a multiple of eight bytes, and their lengths.
 */
export type ColumnarPart = {
  readonly rowCount: number
  readonly bytes: Buffer
  readonly lengths: readonly number[]
  readonly rawLengths: readonly number[]
  readonly missing: readonly number[]
}
