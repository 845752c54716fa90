/** What the columns of a columnar file are, and a few rows of it. */
import type { Column } from '../../columns.ts'
import type { ColumnType } from './column-type.ts'

export type ColumnarPlan = {
  readonly columns: readonly Column[]
  readonly names: readonly string[]
  readonly types: readonly ColumnType[]
}

/**
 * A few rows. Of Parquet these are the pages, one for each column, with their lengths, packed and not, and the number of
 * missing values; of Arrow the buffers of a record batch, each filled up to a multiple of eight bytes, and their lengths.
 */
export type ColumnarPart = {
  readonly rowCount: number
  readonly bytes: Buffer
  readonly lengths: readonly number[]
  readonly rawLengths: readonly number[]
  readonly missing: readonly number[]
}
