/** Rows of a subquery as one JSON column, so that a row and its dependent rows are read in one query. */
import { PostgresAdapter, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { jsonArrayFrom as postgresRows } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteRows } from 'kysely/helpers/sqlite'
import type { Db } from './schema/schema.ts'

/** PostgreSQL's client parses the JSON; SQLite returns it as text. */
export type JsonRows<R> = string | readonly R[]

/** The subquery must name its columns: on SQLite `*` can't be converted to JSON. */
// biome-ignore lint/suspicious/noExplicitAny: any query can be asked for inside another
export function jsonRows<R>(db: Db, query: SelectQueryBuilder<any, any, R>): RawBuilder<JsonRows<R>> {
  const rows = db.getExecutor().adapter instanceof PostgresAdapter ? postgresRows(query) : sqliteRows(query)
  return rows as unknown as RawBuilder<JsonRows<R>>
}

export const readJson = <R>(rows: JsonRows<R>): readonly R[] =>
  typeof rows === 'string' ? (rows === '[]' ? [] : JSON.parse(rows)) : rows
