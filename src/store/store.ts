/**
 * The store: one embedded SQLite database, or PostgreSQL when one machine is no longer enough; the same queries for
 * both.
 */
import type { Clock } from '../lib/clock.ts'
import type { Db, Schema } from './schema/schema.ts'
import type { Listener } from './signals.ts'

export type WriteOptions = {
  /**
   * Names of exclusive locks of this write: PostgreSQL takes an advisory lock for each until the transaction ends.
   * On SQLite every write is exclusive already.
   */
  readonly locks?: readonly string[]
  /** Names of shared locks: compatible with each other, but not with an exclusive one. */
  readonly sharedLocks?: readonly string[]
  /**
   * Nobody is told of this write, so a power failure may undo it: it need not wait for the disk. A killed process loses
   * nothing.
   */
  readonly mayBeLost?: boolean
}

/** The result of inspecting a database without opening the store. */
export type Probe = {
  /** Empty for a new database. */
  readonly tables: ReadonlySet<string>
  readonly isReadOnly: boolean
}

/** `full`: its disk recently refused data. `busy`: requests have waited for a connection or a lock for seconds. */
export type DatabaseState = 'ok' | 'read-only' | 'full' | 'busy'

export type Store = {
  readonly engine: 'sqlite' | 'postgres'
  /** For reading. On SQLite a read-only connection, so that an accidental write fails at once. */
  readonly db: Db
  /**
   * One transaction, durable when the promise resolves. SQLite joins concurrent writes in one commit: await only
   * queries inside. Inside another write it throws at once. A failed query ends the transaction (PostgreSQL accepts no
   * more queries in it): let the error through.
   */
  write<T>(act: (trx: Db) => Promise<T>, options?: WriteOptions): Promise<T>
  /**
   * Reads that all see one moment, however long they take, while others write. It has its own connection. Read in
   * pages: on SQLite every query blocks the event loop.
   */
  readSnapshot<T>(read: (db: Db) => Promise<T>): Promise<T>
  /**
   * Notifies all listeners of the channel, in every process, after this transaction has committed; never if it fails.
   * On PostgreSQL `db` is also accepted: then at once.
   */
  notify(trx: Db, channel: string, payload: string): Promise<void>
  /** Listens until the returned function is called. Signals only wake listeners: the tables are authoritative. */
  listen(channel: string, listener: Listener): () => void
  /**
   * On SQLite a number that increases with every commit that readers see, from this process or another: data read at a
   * version is current while the version is the same. On PostgreSQL, where other servers commit unnoticed, undefined.
   */
  version(): number | undefined
  /** The same for only these tables. */
  tableVersion(tables: readonly (keyof Schema)[]): number | undefined
  /**
   * The database's time, derived from this clock: servers that share a database compare times. On SQLite the clock
   * itself.
   */
  alignClock(clock: Clock): Clock
  /** Resolves once the database answers, with how far it can be used. Never waits behind other queries. */
  ping(): Promise<DatabaseState>
  /** Returns the space of this table's deleted rows to the disk, gradually, while others write. */
  reclaim(table: string): Promise<void>
  close(): Promise<void>
}

/** A unique index refused the row, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === '23505' || errcode === 2067 || errcode === 1555
}

/** A row refers to one that does not exist, or no longer. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === '23503' || errcode === 787
}

/** PostgreSQL ended one of several conflicting transactions: it had no effect, and may be retried. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01'
}
