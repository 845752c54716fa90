/** Chooses the repositories whose git data a search reads: matching ones that the actor may read, last pushed first. */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Db, Schema } from '../../store/schema/schema.ts'
import { type OpenRepository, selectRepositories, toOpenRepository, viewerOf } from '../access/repository.ts'
import { isGrantedTo } from '../access/required-grant.ts'
import type { QualifierOf } from '../issues/search/search-query.ts'
import { visibleTo } from '../repositories/repository-lists.ts'
import { readFlag, refuse, unsearchable } from './search-result.ts'

/** Each costs one or more git processes. */
const maxRepositories = 10

export type SearchedRepositories = { readonly repositories: readonly OpenRepository[]; readonly isMore: boolean }

const placeNames: ReadonlySet<string> = new Set(['repo', 'user', 'org'])

/** Filters by `repo`, `user`, `org`, `is` and `fork`. `leavesForks`: forks are searched only if named or requested. */
export async function findSearchedRepositories(
  db: Db,
  actor: Actor,
  qualifiers: readonly QualifierOf<string>[],
  { leavesForks = false } = {},
): Promise<SearchedRepositories> {
  const viewer = viewerOf(actor)
  const places = qualifiers.filter(({ name, isNegated }) => placeNames.has(name) && !isNegated)
  const isPrivate = qualifiers.find(({ name }) => name === 'is')
  const fork = qualifiers.find(({ name }) => name === 'fork')
  let query = selectRepositories(db, viewer?.id ?? 0)
    .where((eb) => visibleTo(actor)(eb as unknown as ExpressionBuilder<Schema, 'repository'>))
    .where('repository.last_push_id', '>', 0)
  if (places.length > 0)
    query = query.where((eb) =>
      eb.or(
        places.map(({ name, value }) => {
          const [owner = '', repo = ''] = value.toLowerCase().split('/', 2)
          const ofOwner = eb('owner.name_key', '=', owner === '@me' ? (actor.account?.name.toLowerCase() ?? '') : owner)
          return name === 'repo' ? eb.and([ofOwner, eb('repository.name_key', '=', repo)]) : ofOwner
        }),
      ),
    )
  if (isPrivate) {
    const word = isPrivate.value.toLowerCase()
    if (word !== 'public' && word !== 'private') throw refuse(`is:${word} is not known.`)
    query = query.where(sql`repository.is_private`, '=', (word === 'private') !== isPrivate.isNegated ? 1 : 0)
  }
  if (fork?.value.toLowerCase() === 'only') query = query.where('repository.parent_id', 'is not', null)
  else if (fork ? !readFlag('fork', fork.value) : leavesForks && !places.some(({ name }) => name === 'repo'))
    query = query.where('repository.parent_id', 'is', null)
  // A token needs the permission `contents` to read git data of private repositories.
  if (!isGrantedTo(actor, { scopes: [], permissions: [{ name: 'contents', level: 'read' }] }))
    query = query.where('repository.is_private', '=', 0)
  const rows = await query
    .orderBy('repository.pushed_at', 'desc')
    .limit(maxRepositories + 1)
    .execute()
  if (places.some(({ name }) => name === 'repo') && rows.length === 0) throw unsearchable()
  return {
    repositories: rows.slice(0, maxRepositories).map((row) => toOpenRepository(row, viewer)),
    isMore: rows.length > maxRepositories,
  }
}
