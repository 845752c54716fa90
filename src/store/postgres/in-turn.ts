/** Queries on one connection, each after the other has ended: PostgreSQL's client is to be asked one thing at a time. */
import type pg from 'pg'

const last = new WeakMap<pg.Client, Promise<unknown>>()

export function queryInTurn(client: pg.Client, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const asked = (last.get(client) ?? Promise.resolve()).then(() => client.query(query))
  last.set(
    client,
    asked.catch(() => {}),
  )
  return asked
}
