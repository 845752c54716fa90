/** Connections to PostgreSQL: so many at most, lent in the order they were asked for, none for longer than an answer may take. */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { type HeldSlot, makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { answerBoundMs, type ConnectionOptions } from './connection-options.ts'
import { type LentConnection, lendConnection } from './lent-connection.ts'
import { databaseBusy, isDiskRefused, unanswered, unreachable } from './refusals.ts'
import { makeStatementNames } from './statement-names.ts'

export type Connections = PostgresPool & {
  readonly pool: pg.Pool
  /** While the database can't be reached, callers hear of it now: what is idle or waits for an answer is ended. */
  setAway(isAway: boolean): void
  /** Whether PostgreSQL refused anything for want of its disk, a short while ago. */
  isDiskFull(): boolean
  /** For how long the first of those who wait for a connection has waited. */
  waitedMs(): number
}

type Lent = PostgresPoolClient & Pick<LentConnection, 'busySince'>

/** For a connection. */
const waitTimeoutMs = 30_000
/** After PostgreSQL had none to give, new connections are tried again so much later. */
const widenAfterMs = 10_000
/** Of a disk that is full some writes find room and some do not: it counts as full for so long after one that did not. */
const diskFullMs = 60_000
const watchEveryMs = 1_000
/** When the database is known to be away, a query that has no answer after so long will have none. */
const lostAfterMs = 2_000
/** A connection that is told to end and does not is cut. */
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

  // A connection that dies, idle or between two queries of a transaction, says so; with no listener it would end the
  // process. The pool replaces it at the next use, and a query that had it fails.
  const tellLoss = (error: Error) => logOutage(log, 'warn', { err: error }, 'a database connection was lost')
  pool.on('error', tellLoss)
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', tellLoss)
  })
  pool.on('remove', (client) => clients.delete(client))

  /** No more than there are, for a while. */
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

  /** A network that swallows what is sent tells nobody: without this a query would wait until the system gives up, minutes later. */
  function endLate(boundMs: number): void {
    const before = performance.now() - boundMs
    for (const [client, { busySince }] of lent) if ((busySince() ?? before) < before) sever(client)
  }

  async function connect(): Promise<Lent> {
    if (isAway) throw unreachable()
    for (;;) {
      const slot = await scheduler.take('')
      try {
        return lend(await pool.connect(), slot)
      } catch (error) {
        const held = lent.size + pool.idleCount
        // Those who wait would only learn the same, one after the other.
        if (held === 0) scheduler.refuseAll(error as Error)
        // PostgreSQL has no more to give, but we have some: they serve all who ask, in turn.
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

/** Whoever waits for this connection's answer gets the error; the pool lets go of it. */
export function sever(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection
  stream.destroy(unanswered())
}
