/** The users who can be assigned: the owner, members of the organisation and collaborators with read rights. */
import { sql } from 'kysely'
import { hasPart } from '../../../store/name-words.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { reaches } from '../../access/level.ts'
import { type Repository, selectNear, selectRepositories, toOpenRepository } from '../../access/repository.ts'
import { type Person, toPerson } from '../../person.ts'

export type AssignableFilter = {
  /** Only these. */
  readonly logins?: readonly string[]
  /** A part of the login or the name. */
  readonly words?: string | undefined
}

/** Ordered by id. */
export async function listAssignable(
  db: Db,
  repository: Repository,
  { logins, words }: AssignableFilter = {},
): Promise<Person[]> {
  if (logins?.length === 0) return []
  const blocked = db
    .selectFrom('organisation_block')
    .select('user_id')
    .where('organisation_id', '=', repository.owner.id)
  const keys = logins?.map((login) => login.toLowerCase())
  const rows = await selectRepositories(db, sql.ref<number>('account.id'))
    .innerJoin('account', (join) => join.onTrue())
    .select(['account.id as user_id', 'account.kind as kind', 'account.name as login', 'account.role as role'])
    .where('repository.id', '=', repository.id)
    .where((eb) =>
      eb.or([eb('account.id', 'in', selectNear(db, repository)), eb('account.id', '=', repository.owner.id)]),
    )
    .where('account.kind', '=', 'user')
    .where('account.suspended_at', 'is', null)
    .where('account.id', 'not in', blocked)
    .$if(keys !== undefined, (query) => query.where('account.name_key', 'in', keys!))
    .$if(Boolean(words), (query) =>
      query.where((eb) => eb.or([hasPart('account.name_key', words!), hasPart('account.display_name', words!)])),
    )
    .orderBy('account.id')
    .execute()
  return rows.flatMap((row) => {
    const { level } = toOpenRepository(row, { id: row.user_id, isSiteAdmin: false })
    const user = toPerson({ id: row.user_id, kind: row.kind, name: row.login, role: row.role })
    return reaches(level, 'read') ? [user] : []
  })
}
