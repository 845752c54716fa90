/**
 * Publishes how many slots this server holds to the other servers: whole counts with a rising version, so that a lost,
 * repeated or late statement does no harm. A killed server stops renewing, and its rows expire.
 */
import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { outsideRequests } from '../../lib/request-context.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { makeHeldSlots } from './held-slots.ts'

type Needs = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly leaseMs: number
  /** The id of this process among the servers. */
  readonly server: string
  readonly slots: ReturnType<typeof makeHeldSlots>
}

/** Freed slots are written in batches, this long after the first. */
const writeAfterMs = 10
const againAfterMs = 1_000

export function makeSlotWriter({ db, clock, log, leaseMs, server, slots }: Needs) {
  let version = 0
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isClosed = false

  async function write(keys: readonly string[]): Promise<void> {
    const counts = keys.map(slots.count)
    await sql`insert into concurrency_slot as c (key, server, held, version, expires_at)
      select name, ${server}, amount, ${++version}::bigint, ${leaseEnd()}::bigint
      from unnest(${keys}::text[], ${counts}::bigint[]) as u (name, amount) order by name
      on conflict (key, server) do update
      set held = excluded.held, version = excluded.version, expires_at = excluded.expires_at
      where c.version < excluded.version`.execute(db)
  }

  const leaseEnd = () => clock.now() + leaseMs

  function writeAfter(delayMs: number): void {
    if (isClosed || writing || changed.size === 0) return
    timer ??= outsideRequests(() => setTimeout(writeChanged, delayMs).unref())
  }

  function writeChanged(): void {
    timer = undefined
    const keys = [...changed]
    changed = new Set()
    let delayMs = writeAfterMs
    writing = write(keys)
      .catch((error) => {
        logOutage(log, 'warn', { err: error }, 'the slots in use could not be written')
        for (const key of keys) changed.add(key)
        delayMs = againAfterMs
      })
      .finally(() => {
        writing = undefined
        writeAfter(delayMs)
      })
  }

  function note(key: string): void {
    changed.add(key)
    writeAfter(writeAfterMs)
  }

  const renewing = setInterval(() => {
    for (const key of slots.keys()) note(key)
  }, leaseMs / 3).unref()

  return {
    /** Records that the count of this key has changed. */
    note,
    nextVersion: () => ++version,
    leaseEnd,

    /** Skips locked rows, so it can't deadlock with another server's pruning. */
    async prune(): Promise<void> {
      await sql`delete from concurrency_slot where (key, server) in (
        select key, server from concurrency_slot where expires_at <= ${clock.now()} for update skip locked)`.execute(db)
    },

    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      clearInterval(renewing)
      await writing
      // Rows that it misses will expire.
      await sql`delete from concurrency_slot where server = ${server}`.execute(db).catch(() => {})
    },
  }
}
