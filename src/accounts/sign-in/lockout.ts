/**
 * Lock-out: after a number of wrong credentials for one name within a time, none is accepted for a while, not even the
 * right one.
 */

import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

export type LockoutRule = {
  readonly name: string
  readonly tries: number
  readonly withinMs: number
  readonly blockMs: number
  readonly message: string
}

const minuteMs = 60_000

/** Wrong credentials of requests, counted for the account they name or for the sender. */
export const credentialRule: LockoutRule = {
  name: 'credential',
  tries: 10,
  withinMs: 5 * minuteMs,
  blockMs: 10 * minuteMs,
  message: 'Maximum number of login attempts exceeded. Please try again later.',
}

/** For queries that join `account`: until when credentials of the account, or of this sender, are locked out. */
export const credentialBlock = (sender: string) =>
  sql<number | null>`(select max(l.blocked_until) from lockout l
    where l.key in (${sql.lit(`${credentialRule.name}:user:`)} || account.name_key, ${sender}))`.as('blocked_until')

/** Runs in the transaction that counts a wrong try; `isLocking` if this try starts the lock-out. */
export type AlsoWrong = (trx: Db, isLocking: boolean) => Promise<void>

export type Lockout = {
  /** Throws if the name is locked out; called before anything costly is done. */
  check(key: string): Promise<void>
  /** The same, if the end of the lock was read with another query (`credentialBlock`). */
  refuseUntil(blockedUntil: number): void
  /**
   * Records the outcome of a try, and throws if the lock came first. However many tries run concurrently, only the
   * first `tries` wrong ones learn that they were wrong, and no right one succeeds after them.
   */
  settle(key: string, isRight: boolean, also?: AlsoWrong): Promise<void>
  /** Forgets every wrong try for the name. */
  lift(key: string, trx?: Db): Promise<void>
  prune(): Promise<void>
}

export function makeLockout({ store, clock, rule }: { store: Store; clock: Clock; rule: LockoutRule }): Lockout {
  const keyOf = (key: string) => `${rule.name}:${key}`

  function refuseUntil(blockedUntil: number): void {
    const now = clock.now()
    if (blockedUntil <= now) return
    throw new Failure('limited', 'locked-out', rule.message, {
      retryAfterSeconds: Math.ceil((blockedUntil - now) / 1000),
    })
  }

  const findBlock = prepareQuery(store.db, ({ key }: { key: string }) =>
    store.db.selectFrom('lockout').select('blocked_until').where('key', '=', key),
  )

  async function readBlock(key: string): Promise<number> {
    const [row] = await findBlock({ key: keyOf(key) })
    return row?.blocked_until ?? 0
  }

  /** Counts one wrong try. Answers until when the name was already blocked. */
  function countWrong(key: string, also?: AlsoWrong): Promise<number> {
    const now = clock.now()
    return store.write(
      async (trx) => {
        const row = await trx
          .selectFrom('lockout')
          .select(['failures', 'blocked_until'])
          .where('key', '=', keyOf(key))
          .executeTakeFirst()
        if (row && row.blocked_until > now) return row.blocked_until
        const earlier = row ? (JSON.parse(row.failures) as number[]) : []
        const recent = [...earlier.filter((at) => at > now - rule.withinMs), now]
        const isFull = recent.length >= rule.tries
        const entry = {
          failures: JSON.stringify(isFull ? [] : recent),
          blocked_until: isFull ? now + rule.blockMs : 0,
        }
        await trx
          .insertInto('lockout')
          .values({ key: keyOf(key), ...entry })
          .onConflict((conflict) => conflict.column('key').doUpdateSet(entry))
          .execute()
        await also?.(trx, isFull)
        return 0
      },
      { locks: [`lockout:${keyOf(key)}`] },
    )
  }

  return {
    check: async (key) => refuseUntil(await readBlock(key)),
    refuseUntil,
    settle: async (key, isRight, also) => refuseUntil(await (isRight ? readBlock(key) : countWrong(key, also))),
    async lift(key, trx) {
      const forget = (db: Db) => db.deleteFrom('lockout').where('key', '=', keyOf(key)).execute()
      await (trx ? forget(trx) : store.write(forget))
    },
    async prune() {
      const now = clock.now()
      await store.write(async (trx) => {
        const rows = await trx.selectFrom('lockout').selectAll().where('blocked_until', '<=', now).execute()
        for (const { key, failures } of rows) {
          const last = (JSON.parse(failures) as number[]).at(-1) ?? 0
          if (last <= now - rule.withinMs) await trx.deleteFrom('lockout').where('key', '=', key).execute()
        }
      })
    },
  }
}
