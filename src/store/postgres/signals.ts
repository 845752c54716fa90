/** Signals through PostgreSQL: one connection that listens for the whole process, with a heartbeat, made again when it is lost. */
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

/** Of the connection that listens, in PostgreSQL's list of sessions. */
const listeningName = 'guildhall signals'
/** One channel of PostgreSQL carries all of ours: to listen is then a matter of this process alone, with no gap. */
const notifyChannel = 'guildhall'
const longestPauseMs = 5_000
const beatEveryMs = 3_000
const beatBoundMs = 3_000
const closeTimeoutMs = 500

export type PostgresSignals = {
  listen(channel: string, listener: Listener): () => void
  /** Asks the database now. Rejects where it does not answer, or is known to be away. */
  beat(): Promise<Beat>
  close(): Promise<void>
}

type Needs = {
  readonly options: ConnectionOptions
  readonly log: Log
  onBeat(beat: Beat): void
  /** The connection was lost and no other could be made, since nobody is there or answers; then, that there is one again. */
  onAway(isAway: boolean): void
}

/** PostgreSQL tells the listeners once the transaction commits, and never if it does not. Without values, so that it goes with the commit. */
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
  /** The connection is to a standby, where nothing can be listened for. */
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
        // Who is refused a connection by PostgreSQL itself has reached it.
        if (!isAnswer(error)) onAway(true)
      }
    }
  }

  /** One at a time: whoever asks meanwhile gets the same answer. A connection that does not answer is made anew. */
  async function ask(): Promise<Beat> {
    const asked = client
    if (!asked) {
      hurry.abort()
      throw unreachable()
    }
    try {
      const answer = await beat(asked, beatBoundMs)
      onBeat(answer)
      // A standby that became the primary keeps its connections: a new one listens.
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

/** `listen` is a change to PostgreSQL. */
function unlessReadOnly(error: { code?: string }): true {
  if (error.code !== '25006') throw error
  return true
}

/** PostgreSQL's own codes have five characters. */
export const isAnswer = (error: unknown): boolean =>
  /^(?!EPIPE)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))
