/** The store: one embedded SQLite database, or PostgreSQL when one machine is outgrown; one query for both. */
import type { Clock } from '../lib/clock.ts'
import type { Db, Schema } from './schema/schema.ts'
import type { Listener } from './signals.ts'

export type WriteOptions = {
  /**
   * What this write must be alone about, by name: PostgreSQL takes an advisory lock for each until the transaction ends.
   * SQLite writers are always alone.
   */
  readonly alone?: readonly string[]
  /** What this write may share with others that share it, but not with one that must be alone about it. */
  readonly sharing?: readonly string[]
  /** Nobody is told of this write, so a power cut may take it back: it need not wait for the disk. A kill takes nothing. */
  readonly mayBeLost?: boolean
}

/** What is found in a database that is not opened. */
export type Probe = {
  /** None where it is new. */
  readonly tables: ReadonlySet<string>
  readonly isReadOnly: boolean
}

/** `full`: its disk took no more, a short while ago. `busy`: requests have waited for a connection or a lock for seconds. */
export type DatabaseState = 'ok' | 'read-only' | 'full' | 'busy'

export type Store = {
  readonly engine: 'sqlite' | 'postgres'
  /** For reading. On SQLite a read-only connection, so that a stray write fails at once. */
  readonly db: Db
  /**
   * One transaction, durable when the promise resolves. SQLite joins concurrent writes in one commit: await only queries
   * inside. Inside another write it throws at once. A query that fails ends the transaction (PostgreSQL takes no more of it): let the error through.
   */
  write<T>(act: (trx: Db) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Reads that are all of one moment, however long they take, while others write. It has a connection of its own. Read in
   * pages: on SQLite a query holds up the event loop, as everywhere.
   */
  readSnapshot<T>(read: (db: Db) => Promise<T>): Promise<T>
  /** Tells everyone who listens to the channel, in every process, once this transaction is committed; never if it is not. On PostgreSQL `db` does as well: then at once. */
  notify(trx: Db, channel: string, payload: string): Promise<void>
  /** From now on, until the function it gives back is called. Signals are to wake by: what counts is in the tables. */
  listen(channel: string, listener: Listener): () => void
  /**
   * On SQLite a number that rises with every commit that readers see, by this process or another: what was read at a version
   * is what is stored while the version is the same. On PostgreSQL, where other servers commit unseen, undefined.
   */
  version(): number | undefined
  /** The same for these tables alone. */
  tableVersion(tables: readonly (keyof Schema)[]): number | undefined
  /** The database's time, told from this clock: servers that share a database compare times. On SQLite the clock itself. */
  alignClock(clock: Clock): Clock
  /** Answers once the database does, and how far it can be used. Never waits behind other queries. */
  ping(): Promise<DatabaseState>
  /** Gives the space of rows that were deleted from this table back to the disk, little by little, while others write. */
  reclaim(table: string): Promise<void>
  close(): Promise<void>
}

/** A unique index said no: the same finding from either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === '23505' || errcode === 2067 || errcode === 1555
}

/** A row refers to one that is not there, or no longer. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === '23503' || errcode === 787
}

/** PostgreSQL ended one of several transactions that stood in each other's way: nothing came of it, and it may be sent again. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01'
}
