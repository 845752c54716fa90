/** Gives the pages of deleted rows back to the disk, a few at a time, while the server runs. */
import type { DatabaseSync } from 'node:sqlite'

/** Before the first table is made: a file can't be made to shrink later without writing all of it anew. */
export const shrinkable = 'pragma auto_vacuum = incremental'

/** A file of an older version that is no larger is written anew when it is opened, which takes less than a second. */
const smallPages = 16_384

/** So many pages are given back in one transaction: about 10 ms. */
const pagesAtOnce = 512
/** Fewer free pages are kept for what comes next. */
const worthwhilePages = 256

const readNumber = (connection: DatabaseSync, pragma: string): number =>
  Number(Object.values(connection.prepare(`pragma ${pragma}`).get() ?? {})[0])

export function makeShrinkable(connection: DatabaseSync): void {
  if (readNumber(connection, 'auto_vacuum') !== 0 || readNumber(connection, 'page_count') > smallPages) return
  try {
    connection.exec(`${shrinkable}; vacuum`)
  } catch {
    // Another process has it open, or the disk is full: the space of what is deleted is used again all the same.
  }
}

/** Answers whether there is more to give back. */
export function givePagesBack(connection: DatabaseSync): boolean {
  if (readNumber(connection, 'auto_vacuum') === 0) return false
  const free = readNumber(connection, 'freelist_count')
  if (free <= worthwhilePages) return false
  connection.exec(`pragma incremental_vacuum(${pagesAtOnce})`)
  return readNumber(connection, 'freelist_count') < free
}
