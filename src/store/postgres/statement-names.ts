/** Names for statements that come again and again: PostgreSQL keeps the plan of a named one, and planning takes longer than answering. */
import { createHash } from 'node:crypto'

/** Each connection keeps the plans of all of them, and of those that were given up since it began. */
const maxNames = 300
/** A connection that has been sent so many is renewed, since PostgreSQL forgets none by itself. */
export const mostOnConnection = 400
/** A name that was not used for so long is given up for a text that is: lists of every length would have all of them for ever. */
const idleMs = 60_000
const namedAtUse = 3
/** Of statements that have no name yet. */
const maxCounted = 2_000
const maxLength = 20_000
/** Of what is no read: many rows to be written in one statement are seldom as many again, and each such plan takes megabytes. */
export const maxWriteLength = 2_000

export type StatementNames = {
  /** Undefined for what is asked too seldom. */
  find(text: string, isInTransaction: boolean): string | undefined
  /** After PostgreSQL refused the name: the text is sent whole from now on, and so is all that is asked in transactions. */
  drop(text: string, isInTransaction: boolean): void
}

/** It does not know the name (a pooler's doing, or `deallocate`), knows it otherwise, or the tables have changed since. */
const refusals: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000'])

export const isNameRefused = (error: unknown): boolean => refusals.has((error as { code?: string }).code)

type Named = { readonly name: string | undefined; readonly usedAt: number }

export function makeStatementNames(now = () => performance.now()): StatementNames {
  /** The least recently used first. */
  const names = new Map<string, Named>()
  let uses = new Map<string, number>()
  /** Each name that is refused ends a transaction: there is not to be a second. */
  let areRefusedInTransactions = false

  function put(text: string, name: string | undefined): void {
    names.delete(text)
    names.set(text, { name, usedAt: now() })
  }

  function makeRoom(): boolean {
    if (names.size < maxNames) return true
    const [text, { usedAt }] = names.entries().next().value!
    return usedAt <= now() - idleMs && names.delete(text)
  }

  return {
    find(text, isInTransaction) {
      if (isInTransaction && areRefusedInTransactions) return undefined
      const known = names.get(text)
      if (known) {
        put(text, known.name)
        return known.name
      }
      if (text.length > maxLength) return undefined
      const count = (uses.get(text) ?? 0) + 1
      if (uses.size >= maxCounted) uses = new Map()
      uses.set(text, count)
      if (count < namedAtUse || !makeRoom()) return undefined
      uses.delete(text)
      // Of its text: servers that are given each other's connections mean the same by it.
      const given = `statement-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
      put(text, given)
      return given
    },
    drop(text, isInTransaction) {
      put(text, undefined)
      if (isInTransaction) areRefusedInTransactions = true
    },
  }
}
