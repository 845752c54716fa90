/** Serializes queries on one connection: PostgreSQL's client must get one at a time. */
import type pg from 'pg'

const last = new WeakMap<pg.Client, Promise<unknown>>()

export const querySerially = (client: pg.Client, query: pg.QueryConfig): Promise<pg.QueryResult> =>
  serially(client, () => client.query(query))

export function serially<T>(client: pg.Client, act: () => Promise<T>): Promise<T> {
  const asked = (last.get(client) ?? Promise.resolve()).then(act)
  last.set(
    client,
    asked.catch(() => {}),
  )
  return asked
}
