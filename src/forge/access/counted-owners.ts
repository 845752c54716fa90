/** For lists over many owners: the owners whose things the credential may read. */
import { type SqlBool, sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import { listOwners } from './required-grant.ts'

/** The condition that the owner in this column is one at whom the credential counts. */
export function isOfCountedOwner(actor: Actor, column: string) {
  const owners = listOwners(actor)
  if (!owners) return sql<SqlBool>`1 = 1`
  return owners.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${sql.ref(column)} in (${sql.join(owners)})`
}
