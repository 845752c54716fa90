/** The repositories of a migration that still exist and that the caller may see. */
import type { Actor } from '../../accounts/actor.ts'
import type { Store } from '../../store/store.ts'
import { readSeen } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { invalidField, notFound } from '../failures.ts'

type Identified = { readonly id: number }

export function makeMigrationRepositories({ store: { db } }: { store: Store }) {
  /** Those of several migrations at once, ordered by id. */
  async function listEach(actor: Actor, migrations: readonly Identified[]): Promise<Map<number, OpenRepository[]>> {
    const lists = new Map(migrations.map(({ id }): [number, OpenRepository[]] => [id, []]))
    if (migrations.length === 0) return lists
    const links = await db
      .selectFrom('migration_repository')
      .select(['migration_id', 'repository_id'])
      .where('migration_id', 'in', [...lists.keys()])
      .orderBy('repository_id')
      .execute()
    const known = await readSeen(db, actor, [...new Set(links.map(({ repository_id }) => repository_id))])
    for (const { migration_id, repository_id } of links) {
      const repository = known.get(repository_id)
      if (repository) lists.get(migration_id)!.push(repository)
    }
    return lists
  }

  const list = async (actor: Actor, migration: Identified): Promise<OpenRepository[]> =>
    (await listEach(actor, [migration])).get(migration.id)!

  return {
    listEach,
    list,

    /** The repositories that this migration still locks. */
    async listLocked(actor: Actor, migration: Identified): Promise<OpenRepository[]> {
      const held = await db
        .selectFrom('migration_repository')
        .select('repository_id')
        .where('migration_id', '=', migration.id)
        .where('is_locked', '=', 1)
        .execute()
      const ids = new Set(held.map(({ repository_id }) => repository_id))
      return (await list(actor, migration)).filter(({ id }) => ids.has(id))
    },
  }
}

/** Finds one by `owner/name`, or by the bare name if that is unique. */
export function findNamedAmong(repositories: readonly OpenRepository[], name: string): OpenRepository {
  const key = name.toLowerCase()
  const found = repositories.filter((one) => {
    const bare = one.name.toLowerCase()
    return bare === key || `${one.owner.login.toLowerCase()}/${bare}` === key
  })
  if (found.length > 1)
    throw invalidField('repo_name', 'invalid', 'Two locked repositories have this name: say owner%2Fname.')
  if (!found[0]) throw notFound()
  return found[0]
}
