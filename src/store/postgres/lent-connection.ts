/** A lent connection: transactions in few messages, and repeated queries as prepared statements. */
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
/** PostgreSQL delivers signals at the commit, so they need not be sent before it. */
const signal = /^select pg_notify\('/
const nothing = { command: '', rowCount: 0, rows: [] }

/** A query that only reads. */
const read = /^\s*(select|with)\b/i
/** PostgreSQL accepts several statements in one text only if they have no values, and never as a named statement. */
const isShortWrite = (text: string, values: readonly unknown[]): boolean =>
  values.length > 0 && text.length <= maxWriteLength

export function lendConnection({ client, names, noteFailure }: Needs) {
  let busySince: number | undefined
  let isInTransaction = false
  /** The beginning of a transaction that has not been sent yet. */
  let opening: string | undefined
  /** Sent together with the commit. */
  let signals: string[] = []
  /** The statement names that PostgreSQL knows on this connection. */
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
      // The error ends a transaction, which is then retried as a whole.
      if (isInTransaction) throw error
      return await ask(text, values)
    } finally {
      busySince = undefined
    }
  }

  /** For a single statement. */
  const askByName = (text: string, values: unknown[]) => ask(text, values, names.find(text, isInTransaction))

  /** In one message if PostgreSQL accepts several statements, which must have no values. */
  async function begin(begun: string, text: string, values: unknown[]): Promise<pg.QueryResult | undefined> {
    const isWhole = values.length === 0
    const answer: unknown = await ask(isWhole ? `${begun}; ${text}` : begun, [])
    return isWhole ? (answer as pg.QueryResult[]).at(-1) : undefined
  }

  /** A transaction with only signals is also sent. */
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
    /** Since when it has waited for an answer; undefined if it does not. */
    busySince: () => busySince,
    /** Whether it should not be lent again. */
    isWorn: () => named.size >= mostOnConnection,
    end(): void {
      isInTransaction = false
      opening = undefined
      signals = []
    },
  }
}
