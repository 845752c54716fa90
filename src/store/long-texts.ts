/**
 * Long texts are left out of a page of rows, and read afterwards in batches: a hundred at once would block the event
 * loop.
 */
import { type AliasedRawBuilder, sql } from 'kysely'
import { takeRoom } from '../lib/request-context.ts'
import { makeSlices, sliceBytes } from '../lib/scheduling/slices.ts'
import type { Db } from './schema/schema.ts'

/** A hundred texts of this size are read in a millisecond or two. */
const longBytes = 16 * 1024

type Table =
  | 'check_run'
  | 'issue'
  | 'issue_comment'
  | 'commit_comment'
  | 'review'
  | 'review_comment'
  | 'release'
  | 'milestone'
type Column = 'body' | 'description'

/** For `select`: the text if it is short, else null. Neither engine reads a text to determine its length. */
export function shortText<T extends string | null, C extends Column>(
  table: Table,
  column: C,
): [AliasedRawBuilder<T, C>, AliasedRawBuilder<number, 'text_bytes'>] {
  const text = sql.ref(`${table}.${column}`)
  const length = sql`octet_length(${text})`
  return [
    sql<T>`case when ${length} <= ${sql.lit(longBytes)} then ${text} end`.as(column),
    // The length of an omitted text, else 0.
    sql<number>`case when ${length} > ${sql.lit(longBytes)} then ${length} else 0 end`.as('text_bytes'),
  ]
}

type Row = { readonly id: number; readonly text_bytes: number }

/**
 * Adds the omitted texts to the rows, once the memory budget has room for all of them. A single one is counted with the
 * response: a write, which reads one row at a time and keeps other writers waiting, neither waits for room nor pauses.
 */
export async function readLongTexts(
  db: Db,
  table: Table,
  rows: readonly Row[],
  column: Column = 'body',
): Promise<void> {
  const long = rows.filter(({ text_bytes }) => Number(text_bytes) > 0)
  if (long.length === 0) return
  if (long.length > 1) await takeRoom(long.reduce((sum, { text_bytes }) => sum + Number(text_bytes), 0))
  const slices = makeSlices()
  for (let at = 0; at < long.length; ) {
    let bytes = 0
    const batch: Row[] = []
    while (at < long.length && (batch.length === 0 || bytes + Number(long[at]!.text_bytes) <= sliceBytes)) {
      bytes += Number(long[at]!.text_bytes)
      batch.push(long[at++]!)
    }
    await readBatch(db, table, column, batch)
    if (slices.isDue(bytes) && at < long.length) await slices.pause()
  }
}

async function readBatch(db: Db, table: Table, column: Column, batch: readonly Row[]): Promise<void> {
  const ids = sql.join(batch.map(({ id }) => sql.val(id)))
  const { rows } = await sql<{ id: number; text: string }>`
    select id, ${sql.ref(column)} as text from ${sql.table(table)} where id in (${ids})`.execute(db)
  const texts = new Map(rows.map(({ id, text }) => [Number(id), text]))
  // A row deleted meanwhile is shown without its text.
  for (const row of batch) Object.assign(row, { [column]: texts.get(row.id) ?? '', text_bytes: 0 })
}
