/**
 * Signals through PostgreSQL: one listening connection for the whole process, with a heartbeat, re-established when
 * lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../schema/schema.ts'
import { decodeSignal, encodeSignal, type Listener, makeListeners, type Signal } from '../signals.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { sever } from './connections.ts'
import { type Beat, beat } from './heartbeat.ts'
import { unreachable } from './refusals.ts'

/** The listening connection's name in PostgreSQL's list of sessions. */
const listeningName = 'guildhall signals'
/**
 * One channel of PostgreSQL carries all of ours: a new listener is then a matter of this process alone, without a gap.
 */
const notifyChannel = 'guildhall'
const longestPauseMs = 5_000
const beatEveryMs = 3_000
const beatBoundMs = 3_000
const closeTimeoutMs = 500

export type PostgresSignals = {
  listen(channel: string, listener: Listener): () => void
  /** Queries the database now. Rejects if it does not answer, or is known to be unreachable. */
  beat(): Promise<Beat>
  close(): Promise<void>
}

type Needs = {
  readonly options: ConnectionOptions
  readonly log: Log
  onBeat(beat: Beat): void
  /**
   * Called when the connection was lost and can't be re-established, because the database is down or does not answer;
   * and again when it can.
   */
  onAway(isAway: boolean): void
}

/**
 * PostgreSQL notifies listeners after the transaction has committed, and never if it fails. Without values, so that it
 * is sent with the commit.
 */
export async function sendSignal(trx: Db, signal: Signal): Promise<void> {
  await sql.raw(`select pg_notify('${notifyChannel}', ${pg.escapeLiteral(encodeSignal(signal))})`).execute(trx)
}

export async function openPostgresSignals(needs: Needs): Promise<PostgresSignals> {
  const { options, log, onBeat, onAway } = needs
  const listeners = makeListeners()
  const closing = new AbortController()
  let client: pg.Client | undefined
  let mending: Promise<void> | undefined
  let beating: Promise<Beat> | undefined
  /** The connection is to a standby, which does not support listening. */
  let isDeaf = false
  /** Ends the pause before the next try. */
  let hurry = new AbortController()

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ ...options, application_name: listeningName })
    let isUp = false
    const lose = (error?: Error) => {
      if (!isUp) return
      isUp = false
      client = undefined
      if (closing.signal.aborted) return
      log.warn({ err: error }, 'the connection that listens for signals was lost')
      mending = mend()
    }
    fresh.on('error', lose)
    fresh.on('end', () => lose())
    fresh.on('notification', ({ payload }) => listeners.deliver(decodeSignal(payload ?? '')))
    try {
      await fresh.connect()
      isDeaf = await fresh.query(`listen ${notifyChannel}`).then(() => false, unlessReadOnly)
      onBeat(await beat(fresh, beatBoundMs))
    } catch (error) {
      sever(fresh)
      throw error
    }
    isUp = true
    client = fresh
  }

  async function mend(): Promise<void> {
    for (let pauseMs = 100; !closing.signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      hurry = new AbortController()
      const signal = AbortSignal.any([closing.signal, hurry.signal])
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      if (closing.signal.aborted) return
      try {
        await connect()
        onAway(false)
        listeners.wakeAll()
        log.info(isDeaf ? 'the database is a standby, which takes no changes' : 'signals are heard again')
        return
      } catch (error) {
        log.warn({ err: error }, 'signals still have no connection')
        // A connection refused by PostgreSQL itself has reached it.
        if (!isAnswer(error)) onAway(true)
      }
    }
  }

  /** One at a time: concurrent callers share the answer. A connection without an answer is replaced. */
  async function ask(): Promise<Beat> {
    const asked = client
    if (!asked) {
      hurry.abort()
      throw unreachable()
    }
    try {
      const answer = await beat(asked, beatBoundMs)
      onBeat(answer)
      // A standby that became the primary keeps its connections: a new one is needed to listen.
      if (isDeaf && !answer.isReadOnly) sever(asked)
      return answer
    } catch (error) {
      sever(asked)
      throw error
    }
  }

  function askOnce(): Promise<Beat> {
    beating ??= ask().finally(() => {
      beating = undefined
    })
    return beating
  }

  await connect()
  const heart = setInterval(() => client && askOnce().catch(() => {}), beatEveryMs).unref()
  return {
    listen: (channel, listener) => listeners.add(channel, listener),
    beat: askOnce,
    close: async () => {
      closing.abort()
      clearInterval(heart)
      await mending
      const last = client
      if (!last) return
      const cutting = setTimeout(() => sever(last), closeTimeoutMs)
      await last.end().catch(() => {})
      clearTimeout(cutting)
    },
  }
}

/** For PostgreSQL `listen` is a change. */
function unlessReadOnly(error: { code?: string }): true {
  if (error.code !== '25006') throw error
  return true
}

/** PostgreSQL's own error codes have five characters. */
export const isAnswer = (error: unknown): boolean =>
  /^(?!EPIPE)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))
