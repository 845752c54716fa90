/** A connection while it is lent: transactions in few messages, and repeated queries as prepared statements. */
import type pg from 'pg'
import { isNameRefused, maxWriteLength, mostOnConnection, type StatementNames } from './statement-names.ts'

type Needs = {
  readonly client: pg.PoolClient
  readonly names: StatementNames
  noteFailure(error: unknown): void
}

export type LentConnection = ReturnType<typeof lendConnection>

const beginning = /^(begin|start transaction)\b/
const ending = /^(commit|rollback)$/
/** PostgreSQL sends signals at the commit: they need not go before it. */
const signal = /^select pg_notify\('/
const nothing = { command: '', rowCount: 0, rows: [] }

/** It reads, and does nothing else. */
const read = /^\s*(select|with)\b/i
/** PostgreSQL takes several statements in one text only where they have no values, and never by a name. */
const isShortWrite = (text: string, values: readonly unknown[]): boolean =>
  values.length > 0 && text.length <= maxWriteLength

export function lendConnection({ client, names, noteFailure }: Needs) {
  let busySince: number | undefined
  let isInTransaction = false
  /** How a transaction begins of which nothing was sent yet. */
  let opening: string | undefined
  /** What goes with the commit. */
  let signals: string[] = []
  /** The names that PostgreSQL knows on this connection. */
  const named = new Set<string>()

  async function ask(text: string, values: unknown[], name?: string): Promise<pg.QueryResult> {
    busySince = performance.now()
    if (name) named.add(name)
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

  /** What is one statement. */
  const askByName = (text: string, values: unknown[]) => ask(text, values, names.find(text, isInTransaction))

  /** In one message, where PostgreSQL takes several statements in one: those that have no values. */
  async function begin(begun: string, text: string, values: unknown[]): Promise<pg.QueryResult | undefined> {
    const isWhole = values.length === 0
    const answer: unknown = await ask(isWhole ? `${begun}; ${text}` : begun, [])
    return isWhole ? (answer as pg.QueryResult[]).at(-1) : undefined
  }

  /** A transaction that was signals alone is sent as well. */
  async function finish(text: string, begun: string | undefined) {
    isInTransaction = false
    const last = text === 'commit' ? signals : []
    signals = []
    if (begun !== undefined && last.length === 0) return nothing
    await ask([...(begun === undefined ? [] : [begun]), ...last, text].join('; '), [])
    return nothing
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
    if (signal.test(text)) {
      if (!isInTransaction) return ask(text, values)
      signals.push(text)
      return nothing
    }
    const begun = opening
    opening = undefined
    if (ending.test(text)) return finish(text, begun)
    const answered = begun === undefined ? undefined : await begin(begun, text, values)
    if (answered) return answered
    const isNamed = read.test(text) || (isInTransaction && isShortWrite(text, values))
    return isNamed ? askByName(text, values) : ask(text, values)
  }

  return {
    query,
    askByName,
    /** Since when it waits for an answer; undefined where it does not. */
    busySince: () => busySince,
    /** Whether it should be lent no more. */
    isWorn: () => named.size >= mostOnConnection,
    end(): void {
      isInTransaction = false
      opening = undefined
      signals = []
    },
  }
}
