/**
 * Connections to PostgreSQL: a limited number, lent in a fair order of the kinds of work, each query for at most the bound
 * of an answer.
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { type HeldSlot, makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { currentKind } from '../../lib/scheduling/work-kind.ts'
import { answerBoundMs, type ConnectionOptions } from './connection-options.ts'
import { type LentConnection, lendConnection } from './lent-connection.ts'
import { databaseBusy, isDiskRefused, unanswered, unreachable } from './refusals.ts'
import { makeStatementNames } from './statement-names.ts'

export type Connections = PostgresPool & {
  readonly pool: pg.Pool
  /**
   * While the database is unreachable, callers fail at once: idle connections and those waiting for an answer are
   * closed.
   */
  setAway(isAway: boolean): void
  /** Whether PostgreSQL recently refused anything because of its disk. */
  isDiskFull(): boolean
  /** How long the first of the callers waiting for a connection has waited. */
  waitedMs(): number
}

type Lent = PostgresPoolClient & Pick<LentConnection, 'busySince'>

/** The wait for a connection. */
const waitTimeoutMs = 30_000
/** After PostgreSQL had no connection to give, new ones are tried again after this time. */
const widenAfterMs = 10_000
/** On a full disk some writes still find room: it counts as full for this long after one that did not. */
const diskFullMs = 60_000
const watchEveryMs = 1_000
/** When the database is known to be unreachable, a query without an answer after this time will get none. */
const lostAfterMs = 2_000
/** A connection that does not close when told to is cut off after this time. */
const closeTimeoutMs = 1_000

export function makeConnections(options: ConnectionOptions, most: number, log: Log): Connections {
  const pool = new pg.Pool({ ...options, max: most })
  const clients = new Set<pg.PoolClient>()
  const handles = new WeakMap<pg.PoolClient, Lent>()
  const lent = new Map<pg.PoolClient, Lent>()
  const slotOf = new WeakMap<pg.PoolClient, HeldSlot>()
  const scheduler = makeFairScheduler({
    slots: most,
    maxWaitMs: waitTimeoutMs,
    what: () => databaseBusy('no database connection became free in time'),
  })
  let widening: NodeJS.Timeout | undefined
  let isAway = false
  let diskFullAt = Number.NEGATIVE_INFINITY
  const names = makeStatementNames()

  // A connection that dies, idle or between two queries of a transaction, emits an error, which without a listener
  // would end the process. The pool replaces it at the next use, and a query in progress fails.
  const tellLoss = (error: Error) => logOutage(log, 'warn', { err: error }, 'a database connection was lost')
  pool.on('error', tellLoss)
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', tellLoss)
  })
  pool.on('remove', (client) => clients.delete(client))

  /** Temporarily limits the connections to those that exist. */
  function narrow(held: number): void {
    scheduler.resize(held)
    clearTimeout(widening)
    widening = setTimeout(() => scheduler.resize(most), widenAfterMs).unref()
  }

  function lend(client: pg.PoolClient, slot: HeldSlot): Lent {
    slotOf.set(client, slot)
    const handle = handles.get(client) ?? makeHandle(client)
    handles.set(client, handle)
    lent.set(client, handle)
    return handle
  }

  function makeHandle(client: pg.PoolClient): Lent {
    const connection = lendConnection({ client, names, noteFailure })
    return {
      ...connection,
      query: connection.query as unknown as PostgresPoolClient['query'],
      release(isBroken) {
        connection.end()
        lent.delete(client)
        client.release(isBroken || connection.isWorn())
        slotOf.get(client)!.release()
      },
    }
  }

  function noteFailure(error: unknown): void {
    if (isDiskRefused(error)) diskFullAt = performance.now()
  }

  /**
   * A network that drops packets reports nothing: without this a query would wait for minutes until the system gives
   * up.
   */
  function endLate(boundMs: number): void {
    const before = performance.now() - boundMs
    for (const [client, { busySince }] of lent) if ((busySince() ?? before) < before) sever(client)
  }

  async function connect(): Promise<Lent> {
    if (isAway) throw unreachable()
    for (;;) {
      const slot = await scheduler.take(currentKind())
      try {
        return lend(await pool.connect(), slot)
      } catch (error) {
        const held = lent.size + pool.idleCount
        // The waiting callers would fail in the same way, one after another.
        if (held === 0) scheduler.refuseAll(error as Error)
        // PostgreSQL has no more connections, but we have some: they serve all callers in turn.
        else narrow(held)
        slot.release()
        if (held === 0) throw error
      }
    }
  }

  const watching = setInterval(() => endLate(isAway ? lostAfterMs : answerBoundMs), watchEveryMs).unref()

  return {
    pool,
    options: pool.options,

    connect,

    setAway(away) {
      isAway = away
      if (!away) return
      for (const client of clients) if (!lent.has(client)) sever(client)
      endLate(lostAfterMs)
      scheduler.refuseAll(unreachable())
    },

    isDiskFull: () => performance.now() - diskFullAt < diskFullMs,
    waitedMs: scheduler.waitedMs,

    async end() {
      clearInterval(watching)
      clearTimeout(widening)
      scheduler.refuseAll(new Error('Connection terminated: the server stops'))
      const cutting = setTimeout(() => clients.forEach(sever), closeTimeoutMs)
      await pool.end()
      clearTimeout(cutting)
    },
  }
}

/** The query in progress on this connection fails; the pool removes the connection. */
export function sever(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection
  stream.destroy(unanswered())
}
