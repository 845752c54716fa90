/**
 * Names for repeated statements: PostgreSQL keeps the plan of a named one, and planning takes longer than execution.
 */
import { createHash } from 'node:crypto'

/** Each connection keeps the plans of all of them, and of those dropped since it began. */
const maxNames = 300
/** A connection with this many statements is replaced, since PostgreSQL forgets none by itself. */
export const mostOnConnection = 400
/**
 * A name unused for this long is dropped in favour of a used text: otherwise lists of every length would occupy all
 * names.
 */
const idleMs = 60_000
const namedAtUse = 3
/** The most statements without a name that are counted. */
const maxCounted = 2_000
const maxLength = 20_000
/**
 * The longest text of a named write: statements for many rows rarely repeat with the same number, and each such plan
 * takes megabytes.
 */
export const maxWriteLength = 2_000

export type StatementNames = {
  /** Undefined for rare statements. */
  find(text: string, isInTransaction: boolean): string | undefined
  /**
   * After PostgreSQL refused the name: from now on the text is sent unnamed, and so are all statements in transactions.
   */
  drop(text: string, isInTransaction: boolean): void
}

/**
 * PostgreSQL does not know the name (because of a pooler, or `deallocate`), knows another statement by it, or the
 * tables have changed since.
 */
const refusals: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000'])

export const isNameRefused = (error: unknown): boolean => refusals.has((error as { code?: string }).code)

type Named = { readonly name: string | undefined; readonly usedAt: number }

export function makeStatementNames(now = () => performance.now()): StatementNames {
  /** Least recently used first. */
  const names = new Map<string, Named>()
  let uses = new Map<string, number>()
  /** Each refused name ends a transaction: it must not happen twice. */
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
      // A hash of the text: servers behind a pooler that share connections use the same name for the same statement.
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
