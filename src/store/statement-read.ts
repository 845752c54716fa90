/** One statement of an observed read: what it answered, and whether it would answer the same now. */
import { type Awaitable, recover, whenKnown } from '../base/awaitable.ts'

export type Row = object
export type TableChanges = {
  /** A number that grows with each commit, or with each look that finds some. */
  now(): number
  hasChanged(table: string, since: number): boolean
  /** Whether anything may have changed since then, unseen. */
  isUnknownSince(since: number): boolean
  /** Whether what other processes committed is known as of now. */
  isFresh(): boolean
}

/** A statement as it was sent. */
export type Asked = { readonly text: string; readonly values: readonly unknown[] }

type Renewal = { readonly values: readonly unknown[]; readonly rows: readonly Row[]; readonly since: number }

/** Of so many statements: they are taken within the same request, or never. */
const maxRenewed = 20

/** By store, and by the statement's text. */
const renewed = new WeakMap<TableChanges, Map<string, Renewal>>()

function keepRenewed(changes: TableChanges, { text, values }: Asked, rows: readonly Row[], since: number): void {
  const known = renewed.get(changes) ?? new Map<string, Renewal>()
  renewed.set(changes, known)
  if (known.size >= maxRenewed) known.clear()
  known.set(text, { values, rows, since })
}

/**
 * Where a statement was asked again and has other rows, what was made of it is made anew, of this statement first: it has
 * these rows already, once.
 */
export function takeRenewed(
  changes: TableChanges,
  tables: readonly string[],
  { text, values }: Asked,
): readonly Row[] | undefined {
  const known = renewed.get(changes)
  const found = known?.get(text)
  if (!found || !areSameValues(found.values, values)) return undefined
  known!.delete(text)
  const { since, rows } = found
  const hasChanged = changes.isUnknownSince(since) || tables.some((table) => changes.hasChanged(table, since))
  return hasChanged || !changes.isFresh() ? undefined : rows
}

const areSameValues = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((value, i) => value === others[i])

export class StatementRead {
  readonly bytes: number
  readonly #changes: TableChanges
  readonly #tables: readonly string[]
  readonly #rows: readonly Row[]
  readonly #readAgain: () => Awaitable<readonly Row[]>
  readonly #asked: Asked | undefined
  /** So far it is known to be as it was read; undefined once it is not. */
  #since: number | undefined
  #asking: Promise<unknown> | undefined

  constructor(
    changes: TableChanges,
    tables: readonly string[],
    since: number,
    rows: readonly Row[],
    readAgain: () => Awaitable<readonly Row[]>,
    asked?: Asked,
  ) {
    this.#changes = changes
    this.#tables = tables
    this.#since = since
    // Whoever asked may take rows away from the list.
    this.#rows = rows.slice()
    this.#readAgain = readAgain
    this.#asked = asked
    this.bytes = measure(rows)
  }

  /**
   * Asks the database where a table has changed: most changes are to other rows. `asOf`: who waits for an answer that is
   * under way needs to know no more than what had changed when they came.
   */
  isCurrent(asOf = this.#changes.now()): Awaitable<boolean> {
    if (this.#since === undefined || this.#changes.isUnknownSince(this.#since)) return false
    if (this.#since >= asOf) return true
    const now = this.#changes.now()
    if (!this.#hasChanged(this.#since)) {
      this.#since = now
      return true
    }
    // It may be answered from before the newest change.
    if (this.#asking) return this.#asking.then(() => this.isCurrent(asOf))
    const isSame = recover(
      () => whenKnown(this.#readAgain(), (rows) => areSame(rows, this.#rows) || this.#keepRenewed(rows, now)),
      () => false,
    )
    const settled = whenKnown(isSame, (itIs) => {
      this.#since = itIs ? now : undefined
      this.#asking = undefined
      return itIs
    })
    if (settled instanceof Promise) this.#asking = settled
    return settled
  }

  #keepRenewed(rows: readonly Row[], since: number): false {
    if (this.#asked) keepRenewed(this.#changes, this.#asked, rows, since)
    return false
  }

  #hasChanged(since: number): boolean {
    for (const table of this.#tables) if (this.#changes.hasChanged(table, since)) return true
    return false
  }
}

/** About what a list of rows takes. */
function measure(rows: readonly Row[]): number {
  let bytes = 200
  for (const row of rows) {
    bytes += 40
    for (const value of Object.values(row)) {
      if (typeof value === 'string') bytes += value.length
      else if (value instanceof Uint8Array) bytes += value.byteLength
      else if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value).length
      bytes += 8
    }
  }
  return bytes
}

function areSame(some: readonly Row[], others: readonly Row[]): boolean {
  return some.length === others.length && some.every((row, i) => isSame(row, others[i]!))
}

function isSame(one: Row, other: Row): boolean {
  const [some, others] = [one as Record<string, unknown>, other as Record<string, unknown>]
  for (const name in some) if (some[name] !== others[name] && !isSameValue(some[name], others[name])) return false
  return true
}

/** Rows of one statement have the same columns; what is no plain value is bytes, a time, or JSON. */
function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(one, other) === 0
  return JSON.stringify(one) === JSON.stringify(other)
}
