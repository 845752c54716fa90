/** The slots that this process holds in PostgreSQL: under a name with a lease that it renews; the name of a process that is gone expires. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { Slot } from './rate-counts.ts'

type Needs = { store: Store; clock: Clock; log: Log; leaseMs: number }

/** So many slots of each key, that one holder gives back. */
export type Leaving = { readonly holder: string; readonly keys: readonly string[]; readonly counts: readonly number[] }

export const noneLeaving: Leaving = { holder: '', keys: [], counts: [] }

/**
 * PostgreSQL has `used` and `spare` ones written down for this process. `least` were spare all the time since they were last
 * looked at; more than `mostSpare` are not kept, lest another server refuse somebody for want of them. `unwritten` of the
 * used ones are not written down: they were taken while no other server was there.
 */
type Held = { used: number; spare: number; least: number; mostSpare: number; unwritten: number }

/** A slot that was left is given back when nobody has taken it over for so long, or at most twice as long. */
const spareMs = 10
const surplusMs = 2
/** Of as many as a caller may have. */
const spareShare = 1 / 10

const maxGivenUp = 100

/** `wake`: some slots are to be given back after so long. */
export function makeRateSlots({ store: { db }, clock, log, leaseMs }: Needs, wake: (afterMs: number) => void) {
  let holder: string | undefined
  let expiresAt = 0
  let renewing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let doubts = 0
  /** Names under which something may be written down that does not count any more. */
  const givenUp = new Set<string>()
  const held = new Map<string, Held>()
  let unwritten = 0

  async function renew(): Promise<void> {
    const until = clock.now() + leaseMs
    const { numAffectedRows } = await sql`update rate_holder set expires_at = ${until}
      where holder = ${holder ?? ''} and expires_at > ${clock.now()}`.execute(db)
    if (!holder || Number(numAffectedRows) === 0) await beginAnew(until)
    expiresAt = until
  }

  /** The first time; or the process stood still until its lease expired; or it is not known what was written down. */
  async function beginAnew(until: number): Promise<void> {
    giveUpName()
    const fresh = randomUUID()
    const known = doubts
    for (const [key, each] of held) {
      unwritten -= each.unwritten
      Object.assign(each, { spare: 0, least: 0, unwritten: 0 })
      if (each.used === 0) held.delete(key)
    }
    const [keys, counts] = [[...held.keys()], [...held.values()].map(({ used }) => used)]
    const former = [...givenUp]
    giveUp(fresh)
    await sql`with gone as (delete from rate_holder where holder = any (${former})),
      named as (insert into rate_holder values (${fresh}, ${until}))
      insert into rate_slot (key, holder, held)
      select name, ${fresh}, amount from unnest(${keys}::text[], ${counts}::bigint[]) as u (name, amount)`.execute(db)
    for (const name of former) givenUp.delete(name)
    if (known !== doubts) return beginAnew(until)
    givenUp.delete(fresh)
    holder = fresh
    // Those who left meanwhile.
    wake(spareMs)
  }

  function giveUpName(): void {
    if (holder) giveUp(holder)
    holder = undefined
  }

  /** While the database is away a name is given up with each try; the first have expired by then. */
  function giveUp(name: string): void {
    const [first] = givenUp
    if (first && givenUp.size >= maxGivenUp) givenUp.delete(first)
    givenUp.add(name)
  }

  function renewOnce(): Promise<void> {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  function findHeld(key: string): Held {
    let found = held.get(key)
    if (!found) {
      found = { used: 0, spare: 0, least: 0, mostSpare: 0, unwritten: 0 }
      held.set(key, found)
    }
    return found
  }

  function leave(key: string): void {
    const each = findHeld(key)
    each.used--
    if (each.unwritten > 0) {
      each.unwritten--
      unwritten--
      if (each.used === 0 && each.spare === 0) held.delete(key)
      return
    }
    each.spare++
    wake(each.spare > each.mostSpare ? surplusMs : spareMs)
  }

  /** It is not known whether what was sent was written down: what is in use is written down under a new name. */
  function doubt(): void {
    doubts++
    giveUpName()
    // While the database is away it fails, and is tried again by whoever comes.
    renewOnce().catch(() => {})
  }

  return {
    /** Answers the name under which slots are held from now on. */
    async hold(): Promise<string> {
      while (!holder || clock.now() >= expiresAt) await renewOnce()
      timer ??= setInterval(() => {
        renewOnce().catch((error) => log.warn({ err: error }, 'the lease of the slots could not be renewed'))
      }, leaseMs / 3).unref()
      return holder
    },

    /** A slot that somebody left a moment ago is taken over, with no word to PostgreSQL. Answers whether there was one. */
    takeOver(key: string): boolean {
      const each = held.get(key)
      if (!each || each.spare === 0) return false
      each.used++
      each.spare--
      each.least = Math.min(each.least, each.spare)
      return true
    },

    /** Where no other server is there, with no word to PostgreSQL. Answers whether one was free. */
    enterUnwritten({ key, limit }: Slot): boolean {
      const each = findHeld(key)
      if (each.used >= limit) return false
      each.used++
      if (each.spare > 0) each.least = Math.min(each.least, --each.spare)
      else {
        each.unwritten++
        unwritten++
      }
      return true
    },

    /** Before others are let in, and as soon as they may have come. */
    async writeDown(): Promise<void> {
      if (unwritten === 0) return
      doubt()
      await renewing
    },

    /** What was written down under this name is in use from now on. */
    enter({ key, limit }: Slot, mine: string): void {
      const each = findHeld(key)
      each.used++
      each.mostSpare = Math.floor(limit * spareShare)
      // The name was given up meanwhile, and what is held under another may have been written down before.
      if (mine !== holder) doubt()
    },

    leave,

    /** Those to be given back now: what nobody took over since the last time, and the surplus. */
    takeLeaving(): Leaving {
      if (!holder) return noneLeaving
      const keys: string[] = []
      const counts: number[] = []
      for (const [key, each] of held) {
        const due = Math.max(each.least, each.spare - each.mostSpare)
        if (due > 0) {
          keys.push(key)
          counts.push(due)
          each.spare -= due
        }
        each.least = each.spare
        if (each.spare > 0) wake(spareMs)
        else if (each.used === 0) held.delete(key)
      }
      return { holder, keys, counts }
    },

    /** Those of them that could not be given back stay here, until the next time. */
    keep({ holder: former, keys, counts }: Leaving, kept: readonly string[]): void {
      if (former !== holder) return
      for (const key of kept) findHeld(key).spare += counts[keys.indexOf(key)]!
      if (kept.length > 0) wake(spareMs)
    },

    doubt,

    async prune(): Promise<void> {
      // It skips locked rows, so it never waits while it holds a lock and can't deadlock with a group, or with another's pruning.
      await sql`delete from rate_holder where holder in (
        select holder from rate_holder where expires_at <= ${clock.now() - leaseMs} for update skip locked)`.execute(db)
      await sql`delete from rate_slot where (key, holder) in (
        select s.key, s.holder from rate_slot s
        where held = 0 or not exists (select from rate_holder h where h.holder = s.holder)
        for update skip locked)`.execute(db)
    },

    async close(): Promise<void> {
      clearInterval(timer)
      await renewing?.catch(() => {})
      giveUpName()
      // What it does not reach expires.
      await sql`delete from rate_holder where holder = any (${[...givenUp]})`.execute(db).catch(() => {})
    },
  }
}
