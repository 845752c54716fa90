/** Observed reads, by their tables: an answer is current for as long as none of the tables it was read from has changed. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Observed, ObserveRead } from '../base/observed.ts'

/** The tables of a read that is going on, and of the read around it. */
class TableSet {
  readonly names = new Set<string>()
  readonly #outer: TableSet | undefined

  constructor(outer: TableSet | undefined) {
    this.#outer = outer
  }

  addAll(names: Iterable<string>): void {
    for (const name of names) this.names.add(name)
    this.#outer?.addAll(names)
  }
}

const reading = new AsyncLocalStorage<TableSet>()

/** In place of a table whose changes nobody notes: what was read from it is never current. */
export const unwatchedTable = '?'

export const isReadObserved = (): boolean => reading.getStore() !== undefined

/** Every statement that is run tells the tables it reads. */
export function noteTablesRead(names: readonly string[]): void {
  reading.getStore()?.addAll(names)
}

/** For what is read from elsewhere than the database: the answer is never current. */
export const noteUnwatchedRead = (): void => noteTablesRead([unwatchedTable])

export type TableChanges = {
  /** A number that grows with each commit, or with each look that finds some. */
  now(): number
  hasChanged(table: string, since: number): boolean
  /** Whether what other processes committed is known as of now. */
  isFresh(): boolean
}

export function makeObserveRead(changes: TableChanges): ObserveRead {
  return <T>(read: () => T): Observed<T> => {
    const tables = new TableSet(reading.getStore())
    // The moment before the read counts: a commit while it goes on may be missing from its answer.
    const begunAt = changes.now()
    let since = begunAt
    const answer = reading.run(tables, read)
    return {
      answer,
      isCurrent() {
        reading.getStore()?.addAll(tables.names)
        if (!changes.isFresh() || tables.names.has(unwatchedTable)) return false
        const now = changes.now()
        if (now === since) return true
        for (const table of tables.names) if (changes.hasChanged(table, since)) return false
        since = now
        return true
      },
      isUntouched: () => changes.isFresh() && changes.now() === begunAt && !tables.names.has(unwatchedTable),
    }
  }
}
