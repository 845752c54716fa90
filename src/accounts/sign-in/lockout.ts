/** Lock-out: after a number of wrong credentials for one name within a time, none is accepted for a while, not even the right one. */

import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
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

/** In the transaction that counts a wrong try; whether it is the one that locks. */
export type AlsoWrong = (trx: Db, isLocking: boolean) => Promise<void>

export type Lockout = {
  /** Refuses a name that is locked out, before anything costly is done. */
  check(key: string, other?: string): Promise<void>
  /**
   * Records the outcome of one try, and refuses it where the lock came first. However many tries run concurrently, only the
   * first `tries` wrong ones learn that they were wrong, and no right one passes after them.
   */
  settle(key: string, isRight: boolean, also?: AlsoWrong): Promise<void>
  /** Forgets every wrong try for the name. */
  lift(key: string): Promise<void>
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

  const findBlocks = prepareQuery(store.db, ({ key, other }: { key: string; other: string }) =>
    store.db.selectFrom('lockout').select('blocked_until').where('key', 'in', [key, other]),
  )

  async function readBlock(key: string, other = key): Promise<number> {
    const rows = await findBlocks({ key: keyOf(key), other: keyOf(other) })
    return rows.reduce((latest, row) => Math.max(latest, row.blocked_until), 0)
  }

  /** Counts one wrong try, and answers until when the name was blocked before it. */
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
      { alone: [`lockout:${keyOf(key)}`] },
    )
  }

  return {
    check: async (key, other) => refuseUntil(await readBlock(key, other)),
    settle: async (key, isRight, also) => refuseUntil(await (isRight ? readBlock(key) : countWrong(key, also))),
    async lift(key) {
      await store.write((trx) => trx.deleteFrom('lockout').where('key', '=', keyOf(key)).execute())
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
