/** Rows of a subquery as one column of JSON: what belongs to a row is read together with it, in one query. */
import { PostgresAdapter, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { jsonArrayFrom as postgresRows } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteRows } from 'kysely/helpers/sqlite'
import type { Db } from './schema/schema.ts'

/** PostgreSQL's client parses the JSON, SQLite answers its text. */
export type JsonRows<R> = string | readonly R[]

/** The subquery names its columns one by one: on SQLite `*` can't be told from JSON. */
// biome-ignore lint/suspicious/noExplicitAny: any query can be asked for inside another
export function jsonRows<R>(db: Db, query: SelectQueryBuilder<any, any, R>): RawBuilder<JsonRows<R>> {
  const rows = db.getExecutor().adapter instanceof PostgresAdapter ? postgresRows(query) : sqliteRows(query)
  return rows as unknown as RawBuilder<JsonRows<R>>
}

export const readJson = <R>(rows: JsonRows<R>): readonly R[] =>
  typeof rows === 'string' ? (rows === '[]' ? [] : JSON.parse(rows)) : rows
