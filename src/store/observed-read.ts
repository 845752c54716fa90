/**
 * Observed reads: an answer is current for as long as none of the tables it was read from has changed, and where one has, for
 * as long as the statements that read it answer the same rows again.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Observed, ObserveRead } from '../base/observed.ts'
import { type Asked, type Row, StatementRead, type TableChanges, takeRenewed } from './statement-read.ts'

export type { TableChanges } from './statement-read.ts'

/** To ask so many again would take about as long as to read anew. */
const maxStatements = 40
const maxAskedAtOnce = 3
/** Enough for what is looked up by its key. */
const usualMaxBytes = 8 * 1024

/** In place of a table whose changes nobody notes: what was read from it is never current. */
export const unwatchedTable = '?'

/** What a read that goes on has read so far, for itself and for the read around it. */
class Reading {
  readonly changes: TableChanges
  readonly tables = new Set<string>()
  statements = new Set<StatementRead>()
  bytes = 0
  /** Not where something was read that can't be asked again, or too much. */
  isRepeatable = true
  #unanswered = 0
  #outer: Reading | undefined
  readonly #maxBytes: number

  constructor(changes: TableChanges, outer: Reading | undefined, maxBytes: number) {
    this.changes = changes
    this.#outer = outer
    this.#maxBytes = maxBytes
  }

  begin(tables: Iterable<string>): void {
    for (const table of tables) this.tables.add(table)
    this.#unanswered++
    this.#outer?.begin(tables)
  }

  end(statement: StatementRead): void {
    this.#unanswered--
    this.#keep(statement)
    this.#outer?.end(statement)
  }

  /** What was read before, and is used here again. */
  include(earlier: Reading): void {
    for (const table of earlier.tables) this.tables.add(table)
    if (!earlier.canRepeat()) this.forgo()
    else for (const statement of earlier.statements) this.#keep(statement)
    this.#outer?.include(earlier)
  }

  /** Its answer is complete, and may be kept for longer than the one around it. */
  detach(): void {
    this.#outer = undefined
  }

  canRepeat(): boolean {
    return this.isRepeatable && this.#unanswered === 0
  }

  forgo(): void {
    this.isRepeatable = false
    this.statements = new Set()
    this.bytes = 0
  }

  #keep(statement: StatementRead): void {
    if (!this.isRepeatable || this.statements.has(statement)) return
    this.statements.add(statement)
    this.bytes += statement.bytes
    if (this.statements.size > maxStatements || this.bytes > this.#maxBytes) this.forgo()
  }
}

const reading = new AsyncLocalStorage<Reading>()

type NoteRows = (rows: readonly Row[], readAgain: () => Awaitable<readonly Row[]>, asked?: Asked) => void

export const isReadObserved = (): boolean => reading.getStore() !== undefined

/** Every statement that is run tells the tables it reads. Where it answers nothing to the function it gets, it is not asked again. */
export function noteStatement(tables: readonly string[]): NoteRows | undefined {
  const noted = reading.getStore()
  if (!noted) return undefined
  noted.begin(tables)
  const { changes } = noted
  // The moment before the read counts: a commit while it goes on may be missing from its answer.
  const since = changes.now()
  return (rows, readAgain, asked) => noted.end(new StatementRead(changes, tables, since, rows, readAgain, asked))
}

/** The rows of a statement that was asked a moment ago whether it has others, and has; undefined where it is to be run. */
export function findRenewed(tables: readonly string[], asked: Asked): readonly Row[] | undefined {
  const noted = reading.getStore()
  return noted && takeRenewed(noted.changes, tables, asked)
}

/** For what is read from elsewhere than the database: the answer is never current. */
export const noteUnwatchedRead = (): void => reading.getStore()?.begin([unwatchedTable])

/** Asks some at a time: one read must not take every connection. */
function areCurrent(statements: readonly StatementRead[]): Awaitable<boolean> {
  const waiting: Promise<boolean>[] = []
  for (const [place, statement] of statements.entries()) {
    const isCurrent = statement.isCurrent()
    if (isCurrent === false) return false
    if (isCurrent === true || waiting.push(isCurrent) < maxAskedAtOnce) continue
    const rest = statements.slice(place + 1)
    return Promise.all(waiting).then((answers) => !answers.includes(false) && areCurrent(rest))
  }
  return waiting.length === 0 || Promise.all(waiting).then((answers) => !answers.includes(false))
}

function observe<T>(noted: Reading, read: () => T): T {
  const answer = reading.run(noted, read)
  const detach = () => noted.detach()
  if (answer instanceof Promise) answer.then(detach, detach)
  else detach()
  return answer
}

export function makeObserveRead(changes: TableChanges): ObserveRead {
  return <T>(read: () => T, maxBytes = usualMaxBytes): Observed<T> => {
    const noted = new Reading(changes, reading.getStore(), maxBytes)
    let since = changes.now()
    const answer = observe(noted, read)

    const askAgain = (now: number): Awaitable<boolean> =>
      whenKnown(areCurrent([...noted.statements]), (theyAre) => {
        if (theyAre) since = Math.max(since, now)
        return theyAre
      })

    function check(): Awaitable<boolean> {
      if (!changes.isFresh() || noted.tables.has(unwatchedTable)) return false
      const now = changes.now()
      if (now === since) return true
      for (const table of noted.tables) if (changes.hasChanged(table, since)) return noted.canRepeat() && askAgain(now)
      since = now
      return true
    }

    return {
      answer,
      isCurrent() {
        const outer = reading.getStore()
        const isCurrent = check()
        if (!outer) return isCurrent
        return whenKnown(isCurrent, (itIs) => {
          if (itIs) outer.include(noted)
          return itIs
        })
      },
      heldBytes: () => noted.bytes,
    }
  }
}
