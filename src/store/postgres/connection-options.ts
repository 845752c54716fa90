/** The options of each connection to PostgreSQL: timeouts on both sides, so that neither waits forever. */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'

export type ConnectionOptions = Pick<
  pg.ClientConfig,
  | 'connectionString'
  | 'application_name'
  | 'types'
  | 'options'
  | 'keepAlive'
  | 'keepAliveInitialDelayMillis'
  | 'connectionTimeoutMillis'
>

/**
 * PostgreSQL cancels a statement that takes longer. Our longest work in portions of a few hundred rows; migrations lift
 * the limit.
 */
const statementBoundMs = 60_000
/** PostgreSQL ends a transaction that idles for this long, so that a hanging server does not keep its locks. */
const idleInTransactionMs = 10_000
/** Longer than PostgreSQL takes to cancel the statement itself. */
export const answerBoundMs = 75_000
const connectBoundMs = 5_000
/**
 * Data is in memory or on a disk without seek times. By default PostgreSQL assumes that a page found by an index costs
 * four, and so scans a small table, with all its deleted rows, once for each of thirty rows.
 */
const indexedPageCost = 1.1
/** PostgreSQL notices a server that has silently disappeared within about half a minute, and releases its locks. */
const keepAlive = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }

const int8 = 20

/** Ids, counts and times all stay far below 2^53. */
const makeTypes = (library: typeof pg.types): pg.CustomTypesConfig => ({
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : library.getTypeParser(oid, format)) as typeof library.getTypeParser,
})

/** Options in the address (`?options=-c…`) come after ours and take precedence. */
export function makeConnectionOptions(url: string, library: typeof pg): ConnectionOptions {
  const settings = {
    statement_timeout: statementBoundMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    random_page_cost: indexedPageCost,
    ...keepAlive,
    tcp_user_timeout: 30_000,
  }
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const address = new URL(url)
  const theirs = address.searchParams.get('options') ?? ''
  address.searchParams.delete('options')
  return {
    connectionString: theirs ? address.href : url,
    options: [...ours, theirs].join(' ').trim(),
    // Shown in `pg_stat_activity`; servers distinguish each other's connections by it.
    application_name: `guildhall ${randomBytes(4).toString('hex')}`,
    types: makeTypes(library.types),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectBoundMs,
  }
}
