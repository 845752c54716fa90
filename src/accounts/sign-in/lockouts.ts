/** Current lock-outs of every rule, for admins to see and lift. */

import type { Clock } from '../../lib/clock.ts'
import { networkOf } from '../../lib/network.ts'
import type { Store } from '../../store/store.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/audit-log.ts'

/** `key` is the rule and the login or address that is locked out: `password:ann`, `credential:address:192.0.2.7`. */
export type LockedOut = { readonly key: string; readonly who: string; readonly until: Date }

/** Prefixes of keys before the login or address. */
const rules = ['password:', 'credential:user:', 'credential:address:', 'credential:cross-site:', 'credential:ssh:']
const nameWho = (key: string): string => key.slice(rules.find((rule) => key.startsWith(rule))?.length ?? 0)
const namesOf = (who: string): string[] => [
  who,
  ...rules.flatMap((rule) => [rule + who.toLowerCase(), rule + networkOf(who.toLowerCase())]),
]

const mostListed = 1_000

export type Lockouts = ReturnType<typeof makeLockouts>

export function makeLockouts({ store, clock }: { store: Store; clock: Clock }) {
  return {
    /** The longest remaining first. */
    async list(): Promise<LockedOut[]> {
      const rows = await store.db
        .selectFrom('lockout')
        .select(['key', 'blocked_until'])
        .where('blocked_until', '>', clock.now())
        .orderBy('blocked_until', 'desc')
        .orderBy('key')
        .limit(mostListed)
        .execute()
      return rows.map(({ key, blocked_until }) => ({ key, who: nameWho(key), until: new Date(blocked_until) }))
    },

    /** By a key, or all of a login or an address, with its wrong tries. False if there was nothing to lift. */
    lift: (actor: Actor, who: string): Promise<boolean> =>
      store.write(async (trx) => {
        const gone = await trx.deleteFrom('lockout').where('key', 'in', namesOf(who)).returning('key').execute()
        for (const { key } of gone)
          await recordAudit(trx, clock.now(), actor, { action: 'user.lockout_lift', data: { key } })
        return gone.length > 0
      }),
  }
}
