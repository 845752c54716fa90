/** The options of each connection to PostgreSQL: timeouts on both sides, so that neither waits for ever. */
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

/** PostgreSQL ends a statement that takes longer. Our longest go by portions of a few hundred rows; migrations lift it. */
const statementBoundMs = 60_000
/** A server that stands still in the middle of a transaction keeps its locks no longer: others wait for them. */
const idleInTransactionMs = 10_000
/** Longer than PostgreSQL takes to end the statement itself. */
export const answerBoundMs = 75_000
const connectBoundMs = 5_000
/**
 * What is read is in memory or on a disk that does not turn. By its default PostgreSQL takes a page that is found by an index
 * for four, and reads a small table as a whole, once for each of thirty rows, with all that was deleted from it.
 */
const indexedPageCost = 1.1
/** PostgreSQL notices a server that is gone without a word, and lets go of what it held, within about half a minute. */
const keepAlive = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }

const int8 = 20

/** Ids, counts and times all stay far below 2^53. */
const makeTypes = (library: typeof pg.types): pg.CustomTypesConfig => ({
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : library.getTypeParser(oid, format)) as typeof library.getTypeParser,
})

/** What the address says itself (`?options=-c…`) comes after ours, and counts. */
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
    // As `pg_stat_activity` shows it; servers tell each other's from their own.
    application_name: `guildhall ${randomBytes(4).toString('hex')}`,
    types: makeTypes(library.types),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectBoundMs,
  }
}
