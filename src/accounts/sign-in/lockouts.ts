/** Lock-outs that are in force, of every rule: for admins to see and to lift. */

import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/audit-log.ts'

/** `key` is the rule and who is locked out: `password:ann`, `credential:address:192.0.2.7`. */
export type LockedOut = { readonly key: string; readonly until: Date }

const mostListed = 1_000

export type Lockouts = ReturnType<typeof makeLockouts>

export function makeLockouts({ store, clock }: { store: Store; clock: Clock }) {
  return {
    /** Those that last longest first. */
    async list(): Promise<LockedOut[]> {
      const rows = await store.db
        .selectFrom('lockout')
        .select(['key', 'blocked_until'])
        .where('blocked_until', '>', clock.now())
        .orderBy('blocked_until', 'desc')
        .orderBy('key')
        .limit(mostListed)
        .execute()
      return rows.map(({ key, blocked_until }) => ({ key, until: new Date(blocked_until) }))
    },

    /** Forgets the wrong tries, too. False where there was nothing to lift. */
    lift: (actor: Actor, key: string): Promise<boolean> =>
      store.write(async (trx) => {
        const { numDeletedRows } = await trx.deleteFrom('lockout').where('key', '=', key).executeTakeFirstOrThrow()
        if (numDeletedRows > 0n)
          await recordAudit(trx, clock.now(), actor, { action: 'user.lockout_lift', data: { key } })
        return numDeletedRows > 0n
      }),
  }
}
