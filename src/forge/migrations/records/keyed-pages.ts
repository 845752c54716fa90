/** Reads many rows by their key, a page at a time: memory stays flat however many there are. */
import type { Selectable } from 'kysely'
import type { Db, Schema } from '../../../store/schema/schema.ts'

export const pageSize = 100

/** `read` answers the rows whose key is greater than `after`, in key order, one page at most. */
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

/** The rows of a table that belong to a repository, ordered by id. */
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

/** Groups rows by key; each group keeps the order in which its rows were read. */
export function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): (key: Key) => Row[] {
  const groups = Map.groupBy(rows, keyOf)
  return (key) => groups.get(key) ?? []
}
