/** When each table was last changed: by our own commits, which name their tables, and by other processes, which do not. */
import type { DatabaseSync } from 'node:sqlite'
import type { TableChanges } from '../observed-read.ts'

/** What another process commits (the command line, say) is seen within so long. */
const foreignLookMs = 50

export type SqliteTableChanges = TableChanges & {
  /** Rises with every commit that readers see, by this process or another. */
  version(): number
  /** Rises when one of these tables may have changed. */
  tableVersion(tables: readonly string[]): number
  /** A statement of the open transaction writes these. */
  touch(tables: readonly string[]): void
  /** The transaction was committed, or may have been. */
  settle(): void
}

/**
 * `writer`: SQLite's data version tells a connection of all commits but its own. While readers are held at an earlier
 * state, what others commit is not seen, and what is read then must count as read before it.
 */
export function makeTableChanges(writer: DatabaseSync, areReadersHeld = () => false): SqliteTableChanges {
  const dataVersion = writer.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const readVersion = () => (dataVersion.get() as unknown as [number])[0]
  const changedAt = new Map<string, number>()
  const touched = new Set<string>()
  let now = 0
  let allChangedAt = 0
  let foreignVersion = readVersion()
  let isFresh = false

  function look(): void {
    const found = readVersion()
    if (found !== foreignVersion) allChangedAt = ++now
    foreignVersion = found
  }

  function lookNowAndThen(): void {
    look()
    isFresh = true
    setTimeout(() => {
      isFresh = false
    }, foreignLookMs).unref()
  }

  function version(): number {
    if (!areReadersHeld()) look()
    return now
  }

  return {
    version,
    tableVersion(tables) {
      version()
      return tables.reduce((newest, table) => Math.max(newest, changedAt.get(table) ?? 0), allChangedAt)
    },
    now() {
      if (!isFresh && !areReadersHeld()) lookNowAndThen()
      return now
    },
    isUnknownSince: (since) => allChangedAt > since,
    hasChanged: (table, since) => allChangedAt > since || (changedAt.get(table) ?? 0) > since,
    // `now` looks.
    isFresh: () => true,
    touch(tables) {
      for (const table of tables) touched.add(table)
    },
    settle() {
      if (touched.size === 0) return
      now++
      for (const table of touched) changedAt.set(table, now)
      touched.clear()
    },
  }
}
