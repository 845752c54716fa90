/** Names for statements that come again and again: PostgreSQL keeps the plan of a named one, and planning takes longer than answering. */
import { createHash } from 'node:crypto'

/** Each connection keeps the plans of all of them. */
const maxNames = 300
const namedAtUse = 3
/** Of statements that have no name yet. */
const maxCounted = 2_000
const maxLength = 20_000

export type StatementNames = {
  /** Undefined for what is asked too seldom. */
  find(text: string, isInTransaction: boolean): string | undefined
  /** After PostgreSQL refused the name: the text is sent whole from now on, and so is all that is asked in transactions. */
  drop(text: string, isInTransaction: boolean): void
}

/** It does not know the name (a pooler's doing, or `deallocate`), knows it otherwise, or the tables have changed since. */
const refusals: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000'])

export const isNameRefused = (error: unknown): boolean => refusals.has((error as { code?: string }).code)

export function makeStatementNames(): StatementNames {
  const names = new Map<string, string | undefined>()
  let uses = new Map<string, number>()
  /** Each name that is refused ends a transaction: there is not to be a second. */
  let areRefusedInTransactions = false
  return {
    find(text, isInTransaction) {
      if (isInTransaction && areRefusedInTransactions) return undefined
      const name = names.get(text)
      if (name || names.size >= maxNames || names.has(text) || text.length > maxLength) return name
      const count = (uses.get(text) ?? 0) + 1
      if (uses.size >= maxCounted) uses = new Map()
      uses.set(text, count)
      if (count < namedAtUse) return undefined
      uses.delete(text)
      // Of its text: servers that are given each other's connections mean the same by it.
      const given = `read-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
      names.set(text, given)
      return given
    },
    drop(text, isInTransaction) {
      names.set(text, undefined)
      if (isInTransaction) areRefusedInTransactions = true
    },
  }
}
