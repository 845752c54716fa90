/** Reading people for other things that name them. */
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import { type Person, toPerson } from '../person.ts'

const accountsByIds = prepareFor((db, { ids }: { readonly ids: readonly number[] }) =>
  db.selectFrom('account').select(['id', 'kind', 'name', 'role']).where('id', 'in', ids),
)

/** Accounts by id, each once. */
export async function readPeople(db: Db, ids: readonly number[]): Promise<Map<number, Person>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await accountsByIds(db, { ids: wanted })
  return new Map(rows.map((row) => [row.id, toPerson(row)]))
}
