/** Reads accounts for other things that name them. */
import { sql } from 'kysely'
import { type JsonRows, jsonRows, readJson } from '../../store/json-rows.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import { type Person, type PersonRow, toPerson } from '../person.ts'

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

/** The account that a column names, read in the row's own query. */
export const personBy = (db: Db, column: string) =>
  jsonRows<PersonRow>(
    db,
    db
      .selectFrom('account as person')
      .select(['person.id', 'person.kind', 'person.name', 'person.role'])
      .where('person.id', '=', sql.ref<number>(column)),
  )

export const readPerson = (rows: JsonRows<PersonRow>): Person | undefined => {
  const [row] = readJson(rows)
  return row && toPerson(row)
}
