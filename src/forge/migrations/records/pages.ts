/** Reading many rows by their key, a page at a time: memory stays flat however many there are. */
import type { Selectable } from 'kysely'
import type { Db, Schema } from '../../../store/schema/schema.ts'

export const pageSize = 100

/** `read` answers the rows whose key is greater than the last one's, in its order, a page of them at most. */
export async function* readPages<Row>(
  read: (after: number) => Promise<Row[]>,
  keyOf: (row: Row) => number,
): AsyncGenerator<Row[]> {
  for (let after = 0; ; ) {
    const rows = await read(after)
    if (rows.length > 0) yield rows
    if (rows.length < pageSize) return
    after = keyOf(rows.at(-1)!)
  }
}

/** Rows of a table that belong to a repository, in the order of their ids. */
export function readRowsOf<Table extends 'attachment' | 'commit_comment' | 'release'>(
  db: Db,
  table: Table,
  repositoryId: number,
): AsyncGenerator<Selectable<Schema[Table]>[]> {
  const read = (after: number) =>
    db
      .selectFrom<'attachment' | 'commit_comment' | 'release'>(table)
      .selectAll()
      .where('repository_id', '=', repositoryId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize)
      .execute()
  return readPages(read, ({ id }) => id) as AsyncGenerator<Selectable<Schema[Table]>[]>
}

/** Rows of another table by what they belong to; each list in the order it was read in. */
export function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): (key: Key) => Row[] {
  const groups = Map.groupBy(rows, keyOf)
  return (key) => groups.get(key) ?? []
}
