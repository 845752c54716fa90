/** Finds accounts by a part of the login or of the display name. */
import { sql } from 'kysely'
import type { Page, PageRequest } from '../lib/page.ts'
import type { Db } from '../store/schema/schema.ts'
import { accountColumns, toAccount } from './account-row.ts'
import type { Account } from './actor.ts'

/** A search looks at this many of the newest accounts; a larger server's older ones are not searched. */
const mostLookedAt = 20_000

export async function searchAccounts(db: Db, text: string, { offset, limit }: PageRequest): Promise<Page<Account>> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const newest = db
    .selectFrom('account')
    .select(['id as looked_id', 'name_key', 'display_name'])
    .where('kind', '=', 'user')
    .orderBy('id', 'desc')
    .limit(mostLookedAt)
  const matching = db
    .selectFrom(newest.as('looked'))
    .where(sql<boolean>`(name_key like ${pattern} escape '\\' or lower(display_name) like ${pattern} escape '\\')`)
  const { count } = await matching.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom(matching.select('looked_id').orderBy('looked_id', 'desc').offset(offset).limit(limit).as('found'))
    .innerJoin('account', 'account.id', 'looked_id')
    .select(accountColumns)
    .orderBy('account.id', 'desc')
    .execute()
  return { total: Number(count), items: rows.map(toAccount) }
}
