/**
 * Whether this server is the only one at its database: then nobody else commits, so it need not look before it answers from
 * a cache, and may count rates itself.
 *
 * Every server shares an advisory lock on the connection that listens, before it serves. One that gets it for itself is
 * alone, until another asks for a share. It relies on the lock only for `leaseMs` after its last look began: who finds it
 * held by one that does not answer cuts that one off, and waits for as long.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { queryInTurn } from './in-turn.ts'

export const leaseMs = 1_000

const tryEveryMs = 3_000
/** A server that stepped down tries again after so long: another may have come for a moment only (a command, say). */
const quietMs = 2_000
/** It tries again so much later where something was changed past all servers (by psql, say). */
const distrustMs = 60_000
const saveBoundMs = 2_000
const maxAsked = 30
/** Asked so often, at half a second each (`lock_timeout`), a server that holds the lock is taken for one that hangs. */
const hangsAfter = 5

/** Of the connection that listens, in PostgreSQL's list of sessions. */
export const listeningName = 'guildhall signals'

const lockNotAvailable = '55P03'

const key = '1735551335, 1'
const lockedBy = `from pg_locks where locktype = 'advisory' and classid = 1735551335 and objid = 1 and objsubid = 2
  and database = (select oid from pg_database where datname = current_database())`

/**
 * Others that may write are known by their connections, too: servers of before this share no lock, and one whose connection
 * that listens was lost goes on with those it has. `$1` is what this one's are named.
 */
const others = `exists (select from pg_stat_activity where application_name like 'guildhall%' and datname = current_database()
  and application_name <> $1 and pid <> pg_backend_pid())`
const tryLock = `select case when pg_is_in_recovery() or ${others} then false
  else pg_try_advisory_lock(${key}) end as is_had`

/** The notification by which a share is asked for; signals begin with the name of their channel, and have none of that name. */
export const shareAsked = 'share'

type Sharing = { ask(): Promise<unknown>; readonly log: Log; readonly signal: AbortSignal }

/**
 * Shares the lock on a new connection, until it ends. Nothing may be written, nor answered from a cache, before.
 * `ask` tells a server that is alone that it is to be so no longer.
 */
export async function share(client: pg.Client, { ask, log, signal }: Sharing): Promise<void> {
  for (let asked = 0; asked < maxAsked; asked++) {
    signal.throwIfAborted()
    if (await shareNow(client, asked === 0)) return
    await ask()
    if (asked < hangsAfter || !(await cutOff(client))) continue
    log.warn('a server that had the database for itself did not answer, and was cut off')
    // It may answer from what it knows for as long.
    await sleep(1.5 * leaseMs)
  }
  throw new OperatorError(
    `Another server has this database for itself and does not answer. Stop it, or end its session “${listeningName}” in PostgreSQL.`,
  )
}

/** Waits for half a second, unless it is the first try. */
async function shareNow(client: pg.Client, isFirst: boolean): Promise<boolean> {
  const text = isFirst
    ? `select pg_try_advisory_lock_shared(${key}) as is_had`
    : `select pg_advisory_lock_shared(${key}), true as is_had`
  try {
    return (await client.query(text)).rows[0].is_had
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) return false
    throw error
  }
}

const cutOff = async (client: pg.Client): Promise<boolean> =>
  ((await client.query(`select pg_terminate_backend(pid) ${lockedBy} and granted and mode = 'ExclusiveLock'`))
    .rowCount ?? 0) > 0

type Needs = {
  /** The connection that listens, on which the lock is shared; undefined while there is none. */
  readonly client: () => pg.Client | undefined
  /** Resolves once all that was committed before the call is known. */
  look(): Promise<unknown>
  /** Of all other connections of this server. */
  readonly name: string
  readonly log: Log
}

export type SoleServer = ReturnType<typeof makeSoleServer>

export function makeSoleServer({ client: findClient, look, name, log }: Needs) {
  const savers: (() => Promise<void>)[] = []
  /** The connection that has the lock for itself. */
  let holder: pg.Client | undefined
  let trying: Promise<void> | undefined
  let stepping: Promise<void> | undefined
  let terms = 0
  let quietUntil = 0

  const isAlone = (): boolean => holder !== undefined && holder === findClient()

  /** One at a time: a lock that was had twice would have to be given up twice. */
  function tryAlone(): Promise<void> {
    trying ??= tryNow().finally(() => {
      trying = undefined
    })
    return trying
  }

  async function tryNow(): Promise<void> {
    const client = findClient()
    // What had the lock is lost.
    if (holder && holder !== client) await stepDown(0)
    if (!client || stepping) return
    if (isAlone()) {
      const { rows } = await queryInTurn(client, { text: `select ${others} as are_there`, values: [name] })
      if (rows[0].are_there) await stepDown(quietMs)
      return
    }
    if (performance.now() < quietUntil) return
    const { rows } = await queryInTurn(client, { text: tryLock, values: [name] })
    if (!rows[0].is_had) return
    // What others committed before they left.
    await look()
    holder = client
    terms++
    // Somebody asked for a share meanwhile.
    if (performance.now() < quietUntil) await stepDown(quietMs)
  }

  async function stepDown(forMs: number): Promise<void> {
    quietUntil = Math.max(quietUntil, performance.now() + forMs)
    const client = holder
    holder = undefined
    if (client)
      stepping = saveAndUnlock(client).finally(() => {
        stepping = undefined
      })
    await stepping
  }

  /** The savers write down what was kept in place of the database before another can have a share. */
  async function saveAndUnlock(client: pg.Client): Promise<void> {
    const saving = savers.map((save) => save().catch((error) => log.warn({ err: error }, 'rates could not be saved')))
    await Promise.race([Promise.all(saving), sleep(saveBoundMs, undefined, { ref: false })])
    // With the connection the lock is gone as well.
    await queryInTurn(client, { text: `select pg_advisory_unlock(${key})` }).catch(() => {})
  }

  const timer = setInterval(() => void tryAlone().catch(() => {}), tryEveryMs).unref()

  return {
    /** Whether it is, on this connection; what it relies on is not older than the last look. */
    isAlone,
    /** Another number each time it becomes alone; undefined while it is not. */
    term: () => (isAlone() ? terms : undefined),
    tryAlone,
    /** Called when it is alone no longer, before another may write. */
    onStepDown: (save: () => Promise<void>) => void savers.push(save),
    stepDown: () => stepDown(quietMs),
    distrust: () => void stepDown(distrustMs),
    close: () => clearInterval(timer),
  }
}
