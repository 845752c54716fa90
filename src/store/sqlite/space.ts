/** Returns the pages of deleted rows to the disk, a few at a time, while the server runs. */
import type { DatabaseSync } from 'node:sqlite'

/** Must be set before the first table exists: a file can be made shrinkable later only by rewriting it. */
export const shrinkable = 'pragma auto_vacuum = incremental'

/** An older version's file up to this size is rewritten when it is opened, which takes less than a second. */
const smallPages = 16_384

/** How many pages are returned in one transaction: about 10 ms. */
const pagesAtOnce = 512
/** Fewer free pages are kept for later rows. */
const worthwhilePages = 256

const readNumber = (connection: DatabaseSync, pragma: string): number =>
  Number(Object.values(connection.prepare(`pragma ${pragma}`).get() ?? {})[0])

export function makeShrinkable(connection: DatabaseSync): void {
  if (readNumber(connection, 'auto_vacuum') !== 0 || readNumber(connection, 'page_count') > smallPages) return
  try {
    connection.exec(`${shrinkable}; vacuum`)
  } catch {
    // Another process has it open, or the disk is full: the space of deleted rows is reused anyway.
  }
}

/** Returns whether there is more to return. */
export function givePagesBack(connection: DatabaseSync): boolean {
  if (readNumber(connection, 'auto_vacuum') === 0) return false
  const free = readNumber(connection, 'freelist_count')
  if (free <= worthwhilePages) return false
  connection.exec(`pragma incremental_vacuum(${pagesAtOnce})`)
  return readNumber(connection, 'freelist_count') < free
}
