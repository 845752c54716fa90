/**
 * Versions of tables. Our own commits advance the tables that they change; a commit of another process advances all.
 */
import type { DatabaseSync } from 'node:sqlite'

export type TableVersions = {
  /** Increases with every commit that readers see. */
  version(): number
  /** Increases when one of these tables may have changed. */
  tableVersion(tables: readonly string[]): number
  /** A statement of the open transaction writes these tables. */
  touch(tables: readonly string[]): void
  /** The transaction has committed, and readers see it. */
  settle(): void
}

/**
 * `writer`: SQLite's data version tells a connection of all commits except its own. While readers are held at an
 * earlier state they do not see others' commits, and what is read then must count as read before them.
 */
export function makeTableVersions(writer: DatabaseSync, areReadersHeld: () => boolean): TableVersions {
  const dataVersion = writer.prepare('pragma data_version')
  const readForeign = () => dataVersion.get()!.data_version
  const changedAt = new Map<string, number>()
  const touched = new Set<string>()
  let foreign = readForeign()
  let now = 0
  let allChangedAt = 0

  function version(): number {
    if (areReadersHeld()) return now
    const found = readForeign()
    if (found !== foreign) allChangedAt = ++now
    foreign = found
    return now
  }

  return {
    version,
    tableVersion(tables) {
      version()
      return tables.reduce((newest, table) => Math.max(newest, changedAt.get(table) ?? 0), allChangedAt)
    },
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
