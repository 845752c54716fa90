/** Signals through PostgreSQL: one connection that listens for the whole process, made again when it is lost. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../../base/log.ts'
import type { Db } from '../schema/schema.ts'
import { decodeSignal, encodeSignal, type Listener, makeListeners, type Signal } from '../signals.ts'

/** One channel of PostgreSQL carries all of ours: to listen is then a matter of this process alone, with no gap. */
const wire = 'guildhall'
const longestPauseMs = 5_000

export type PostgresSignals = {
  listen(channel: string, listener: Listener): () => void
  close(): Promise<void>
}

/** PostgreSQL tells the listeners once the transaction commits, and never if it does not. */
export async function sendSignal(trx: Db, signal: Signal): Promise<void> {
  await sql`select pg_notify(${wire}, ${encodeSignal(signal)})`.execute(trx)
}

export async function openPostgresSignals(url: string, log: Log): Promise<PostgresSignals> {
  const listeners = makeListeners()
  const closing = new AbortController()
  let client: pg.Client
  let mending: Promise<void> | undefined

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 10_000 })
    let isUp = false
    const lose = (error?: Error) => {
      if (!isUp || closing.signal.aborted) return
      isUp = false
      log.warn({ err: error }, 'the connection that listens for signals was lost')
      fresh.end().catch(() => {})
      mending = mend()
    }
    fresh.on('error', lose)
    fresh.on('end', () => lose())
    fresh.on('notification', ({ payload }) => listeners.deliver(decodeSignal(payload ?? '')))
    try {
      await fresh.connect()
      await fresh.query(`listen ${wire}`)
    } catch (error) {
      fresh.end().catch(() => {})
      throw error
    }
    isUp = true
    client = fresh
  }

  async function mend(): Promise<void> {
    for (let pauseMs = 100; !closing.signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
      if (closing.signal.aborted) return
      try {
        await connect()
        log.info('signals are heard again')
        listeners.wakeAll()
        return
      } catch (error) {
        log.warn({ err: error }, 'signals still have no connection')
      }
    }
  }

  await connect()
  return {
    listen: (channel, listener) => listeners.add(channel, listener),
    close: async () => {
      closing.abort()
      await mending
      await client.end().catch(() => {})
    },
  }
}
