/** The slots that this process holds in PostgreSQL: under a name with a lease that it renews; the name of a process that is gone expires. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'

type Needs = { store: Store; clock: Clock; log: Log; leaseMs: number }

/** So many slots of each key, that one holder gives back. */
export type Leaving = { readonly holder: string; readonly keys: readonly string[]; readonly counts: readonly number[] }

/** `wake`: some slots are to be given back. */
export function makeRateSlots({ store: { db }, clock, log, leaseMs }: Needs, wake: () => void) {
  let holder: string | undefined
  let expiresAt = 0
  let renewing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let leaving = new Map<string, number>()

  async function renew(): Promise<void> {
    const until = clock.now() + leaseMs
    const { numAffectedRows } = await sql`update rate_holder set expires_at = ${until}
      where holder = ${holder ?? ''} and expires_at > ${clock.now()}`.execute(db)
    if (Number(numAffectedRows) === 0) {
      // This is the first time, or the process stood still so long that its lease expired and its slots are lost.
      holder = randomUUID()
      leaving = new Map()
      await sql`insert into rate_holder values (${holder}, ${until})`.execute(db)
    }
    expiresAt = until
    if (leaving.size > 0) wake()
  }

  function renewOnce(): Promise<void> {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const add = (key: string, count: number) => leaving.set(key, (leaving.get(key) ?? 0) + count)

  return {
    /** Answers the name under which slots are held from now on. */
    async hold(): Promise<string> {
      if (clock.now() >= expiresAt) await renewOnce()
      timer ??= setInterval(() => {
        renewOnce().catch((error) => log.warn({ err: error }, 'the lease of the slots could not be renewed'))
      }, leaseMs / 3).unref()
      return holder!
    },

    makeLeave(key: string, mine: string): () => void {
      let left = false
      return () => {
        if (left || mine !== holder) return
        left = true
        add(key, 1)
        wake()
      }
    },

    /** Those to be given back now, by whoever asks. */
    takeLeaving(): Leaving {
      const taken = leaving
      leaving = new Map()
      return { holder: holder ?? '', keys: [...taken.keys()], counts: [...taken.values()] }
    },

    /** They could not be given back, and are tried again with the next renewal. */
    keepLeaving({ holder: mine, keys, counts }: Leaving): void {
      if (mine === holder) for (const [i, key] of keys.entries()) add(key, counts[i]!)
    },

    async prune(): Promise<void> {
      await sql`delete from rate_holder where expires_at <= ${clock.now() - leaseMs}`.execute(db)
      // It skips locked rows, so it never waits while it holds a lock and can't deadlock with a group.
      await sql`delete from rate_slot where (key, holder) in (
        select s.key, s.holder from rate_slot s
        where held = 0 or not exists (select from rate_holder h where h.holder = s.holder)
        for update skip locked)`.execute(db)
    },

    async close(): Promise<void> {
      clearInterval(timer)
      await renewing?.catch(() => {})
      if (holder) await sql`delete from rate_holder where holder = ${holder}`.execute(db).catch(() => {})
    },
  }
}
