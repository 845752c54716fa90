/** Outages: errors that tell of the machine and not of a bug (a full disk, a database that is away), in words for callers. */
import { Failure } from './failure.ts'

/** The system's codes and PostgreSQL's, then SQLite's: read-only, full. */
const diskCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', '53100']
const sqliteDiskCodes: readonly unknown[] = [8, 13]
/** PostgreSQL's classes 08 (connections) and 57P (it stops or starts), and what its client says by itself. */
const awayCodes = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|08\w{3}|57P\w\d|53300)$/
const awayWords =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/

/** The error itself where it is no outage. */
export function explainOutage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error
  const { code = '', errcode } = error as { code?: string; errcode?: number }
  if (diskCodes.includes(code) || sqliteDiskCodes.includes(errcode)) {
    const message =
      'The server’s disk is full or can’t be written, so this was not kept: tell its admin, and try again.'
    return new Failure('unavailable', 'disk-full', message)
  }
  // So Node says that the caller broke off.
  if (error.message === 'aborted') return error
  if (!awayCodes.test(code) && !awayWords.test(error.message)) return error
  const message = 'The server’s database does not answer: try again in a moment.'
  return new Failure('unavailable', 'database-away', message, { retryAfterSeconds: 5 })
}

/** For what may be left undone then, and nothing else. */
export function ignoreOutage(error: unknown): void {
  if (explainOutage(error) === error) throw error
}
