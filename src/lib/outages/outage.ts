/** Outages: errors of the machine that are no bugs (a full disk, a database that is away), in words for callers. */
import { Failure } from '../failure.ts'

type Outage = { readonly code: string; readonly message: string; readonly retryAfterSeconds?: number }

const diskFull: Outage = {
  code: 'disk-full',
  message: 'The server’s disk is full or can’t be written, so this was not saved: tell its admin, and try again.',
}
const diskFailed: Outage = {
  code: 'disk-failed',
  message: 'The server’s disk failed while saving, so this may not be saved: tell its admin.',
}
const databaseFull: Outage = {
  code: 'database-full',
  message:
    'The database’s disk is full or can’t be written, so this was not saved: tell the server’s admin, and try again.',
}
const databaseAway: Outage = {
  code: 'database-away',
  message: 'The server’s database does not answer: try again in a moment.',
  retryAfterSeconds: 5,
}
const contended: Outage = {
  code: 'contended',
  message: 'Somebody else is changing the same thing, so this was not saved: try again in a moment.',
  retryAfterSeconds: 5,
}
const databaseReadOnly: Outage = {
  code: 'database-read-only',
  // A read may fail this way, too, if it is counted.
  message: 'The server’s database takes no changes at the moment: try again later.',
  retryAfterSeconds: 30,
}
const exhausted: Outage = {
  code: 'exhausted',
  message: 'The server has no more open files, memory or processes to spare: try again in a moment.',
  retryAfterSeconds: 5,
}

/** The code of a commit whose sync failed: its writes may or may not exist after a restart. */
export const logSyncFailed = 'ERR_LOG_SYNC'

/** System codes and PostgreSQL's codes (those of five characters), by their meaning. */
const byCode: readonly (readonly [RegExp, Outage])[] = [
  [/^(?:ENOSPC|EDQUOT|EFBIG|EROFS|EIO)$/, diskFull],
  [/^(?:53100|58030)$/, databaseFull],
  [new RegExp(`^${logSyncFailed}$`), diskFailed],
  [/^25006$/, databaseReadOnly],
  [/^55P03$/, contended],
  [/^(?:EMFILE|ENFILE|ENOMEM|EAGAIN|53000|53200|53400)$/, exhausted],
  [/^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EADDRNOTAVAIL)$/, databaseAway],
  [/^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENETRESET|EAI_[A-Z]+)$/, databaseAway],
  // Connection errors, too many connections, refused sign-in, missing database, cancelled query, shutdown.
  [/^(?:08\w{3}|53300|28\w{3}|3D000|57014|25P0[34]|57P\w\d)$/, databaseAway],
]

/** An unlogged table is not there on a standby; PostgreSQL has no code of its own for that. */
const onStandby = /during recovery$/

/** SQLite's codes, the last byte of extended ones: busy, no memory, read-only, I/O error, full, can't open. */
const bySqliteCode: Readonly<Record<number, Outage>> = {
  5: databaseAway,
  7: exhausted,
  8: diskFull,
  10: diskFull,
  13: diskFull,
  14: databaseAway,
}

/** Messages of the database clients that have no code; the last three come when a server stops. */
const awayMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection|Query read timeout|Client was closed|Cannot use a pool after|driver has already been destroyed|database is not open)/

/** Answers the error itself if it is no outage. */
export function explainOutage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error
  // Node's message when the client aborts.
  if (error.message === 'aborted') return error
  const outage = findOutage(error)
  if (!outage) return error
  const { code, message, retryAfterSeconds } = outage
  return new Failure('unavailable', code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}

function findOutage(error: Error): Outage | undefined {
  const { code, errcode, cause } = error as { code?: unknown; errcode?: number; cause?: unknown }
  const known = typeof code === 'string' ? byCode.find(([pattern]) => pattern.test(code))?.[1] : undefined
  return (
    known ??
    (errcode === undefined ? undefined : bySqliteCode[errcode & 0xff]) ??
    (awayMessages.test(error.message) ? databaseAway : undefined) ??
    (code === '0A000' && onStandby.test(error.message) ? databaseReadOnly : undefined) ??
    (cause instanceof Error ? findOutage(cause) : undefined)
  )
}

/** Whether it may be tried again at once on another connection. */
export const isDatabaseAway = (error: unknown): boolean => error instanceof Error && findOutage(error) === databaseAway

/** Ignores outages and rethrows everything else: for work that may be left undone. */
export function ignoreOutage(error: unknown): void {
  if (explainOutage(error) === error) throw error
}

/** The C library's messages for these codes, which programs print when they fail. */
const complaints: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|Out of diskspace/i, 'ENOSPC'],
  [/Disk quota exceeded/i, 'EDQUOT'],
  [/File too large/i, 'EFBIG'],
  [/Read-only file system/i, 'EROFS'],
  [/Input\/output error/i, 'EIO'],
  [/Too many open files/i, 'EMFILE'],
  [/Cannot allocate memory|out of memory/i, 'ENOMEM'],
  [/Resource temporarily unavailable/i, 'EAGAIN'],
]

/** The system code that a program's message means; undefined if none. */
export const findSystemCode = (complaint: string): string | undefined =>
  complaints.find(([pattern]) => pattern.test(complaint))?.[1]
