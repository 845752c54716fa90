/** Collects the accounts that records name, so that each gets a record of its own. */
import type { Db } from '../../../store/schema/schema.ts'
import type { Addresses } from './addresses.ts'

const portion = 500

export type PeopleIndex = ReturnType<typeof makePeopleIndex>

export function makePeopleIndex(db: Db, addresses: Addresses) {
  const logins = new Map<number, string>()
  const named = new Set<number>()

  function address(id: number): string {
    const login = logins.get(id)
    if (login === undefined) throw new Error(`Account ${id} was named before it was looked up.`)
    named.add(id)
    return addresses.account(login)
  }

  return {
    /** Loads many accounts at once; call it before their addresses are asked for. */
    async look(ids: Iterable<number | null | undefined>): Promise<void> {
      const unknown = [...new Set(ids)].filter((id): id is number => typeof id === 'number' && !logins.has(id))
      for (let at = 0; at < unknown.length; at += portion) {
        const rows = await db
          .selectFrom('account')
          .select(['id', 'name'])
          .where('id', 'in', unknown.slice(at, at + portion))
          .execute()
        for (const { id, name } of rows) logins.set(id, name)
      }
    },

    address,
    addressOrNull: (id: number | null | undefined): string | null =>
      typeof id === 'number' && logins.has(id) ? address(id) : null,

    /** Lists the named accounts by id, in portions. */
    *listNamed(): Generator<number[]> {
      const ids = [...named].sort((a, b) => a - b)
      for (let at = 0; at < ids.length; at += portion) yield ids.slice(at, at + portion)
    },
  }
}
