/** What a connection is asked while it is lent: a transaction in few messages, and what is asked again and again by its name. */
import type pg from 'pg'
import { isReadObserved, noteStatement } from '../observed-read.ts'
import { isNameRefused, type StatementNames } from './statement-names.ts'
import type { StatementFacts } from './tables-read.ts'

type Needs = {
  readonly client: pg.PoolClient
  readonly names: StatementNames
  findFacts(text: string): StatementFacts
  noteFailure(error: unknown): void
  /** On whichever connection is free. */
  readAgain(text: string, values: unknown[]): Promise<readonly object[]>
}

export type LentConnection = ReturnType<typeof lendConnection>

const beginning = /^(begin|start transaction)\b/
const ending = /^(commit|rollback)$/
const nothing = { command: '', rowCount: 0, rows: [] }

export function lendConnection({ client, names, findFacts, noteFailure, readAgain }: Needs) {
  let busySince: number | undefined
  let isInTransaction = false
  /** How a transaction begins of which nothing was sent yet. */
  let opening: string | undefined

  async function ask(text: string, values: unknown[], name?: string): Promise<pg.QueryResult> {
    busySince = performance.now()
    try {
      return await client.query(name ? { name, text, values } : { text, values })
    } catch (error) {
      noteFailure(error)
      if (!name || !isNameRefused(error)) throw error
      names.drop(text, isInTransaction)
      // A transaction is ended by it, and is tried again as a whole.
      if (isInTransaction) throw error
      return await ask(text, values)
    } finally {
      busySince = undefined
    }
  }

  /** What only reads. */
  const read = (text: string, values: unknown[]) => ask(text, values, names.find(text, isInTransaction))

  /** In one message, where PostgreSQL takes several statements in one: those that have no values. */
  async function begin(begun: string, text: string, values: unknown[]): Promise<pg.QueryResult | undefined> {
    const isWhole = values.length === 0
    const answer: unknown = await ask(isWhole ? `${begun}; ${text}` : begun, [])
    return isWhole ? (answer as pg.QueryResult[]).at(-1) : undefined
  }

  async function query(
    text: string,
    values: unknown[],
  ): Promise<Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>> {
    if (beginning.test(text)) {
      isInTransaction = true
      opening = text
      return nothing
    }
    const begun = opening
    opening = undefined
    if (ending.test(text)) {
      isInTransaction = false
      return begun === undefined ? ask(text, values) : nothing
    }
    const { tables, isPlainRead } = findFacts(text)
    const isObserved = isReadObserved()
    const note = isObserved ? noteStatement(tables) : undefined
    const answered = begun === undefined ? undefined : await begin(begun, text, values)
    if (answered) return answered
    if (!isPlainRead || !(isObserved || isInTransaction)) return ask(text, values)
    const answer = await read(text, values)
    // What is read in a transaction may never be committed.
    if (!isInTransaction) note?.(answer.rows, () => readAgain(text, values))
    return answer
  }

  return {
    query,
    read,
    /** Since when it waits for an answer; undefined where it does not. */
    busySince: () => busySince,
    end(): void {
      isInTransaction = false
      opening = undefined
    },
  }
}
