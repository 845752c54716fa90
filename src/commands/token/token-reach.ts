/** Checks the repositories that a token names, and warns if a token has no rights. */
import type { Account } from '../../accounts/actor.ts'
import { hasScope, type Token } from '../../accounts/tokens/token.ts'
import { isOfRepositories } from '../../forge/access/required-grant.ts'
import { OperatorError } from '../../lib/failure.ts'
import type { Services } from '../../services.ts'
import { takesScopes } from './token-options.ts'

const maxNamed = 20

export async function demandRepositories(
  { store: { db } }: Services,
  account: Account,
  ids: readonly number[],
): Promise<void> {
  const rows = await db.selectFrom('repository').select('id').where('id', 'in', ids).execute()
  const found = new Set(rows.map(({ id }) => id))
  const missing = ids.find((id) => !found.has(id))
  if (missing === undefined) return
  const own = await db
    .selectFrom('repository')
    .select(['id', 'name'])
    .where('owner_id', '=', account.id)
    .orderBy('id')
    .limit(maxNamed + 1)
    .execute()
  const named = own.slice(0, maxNamed).map(({ id, name }) => `${id} (${name})`)
  const theirs =
    named.length > 0
      ? `${account.name} has ${named.join(', ')}${own.length > maxNamed ? ' and more' : ''}`
      : `${account.name} has none`
  throw new OperatorError(`There is no repository with the id ${missing}: ${theirs}.`)
}

/** Scopes apply to all repositories: with `repo` to all of the account's, without it to public ones. */
export function describeRepositories(token: Token): string {
  if (takesScopes(token.kind)) return hasScope(token, 'repo') ? 'all' : 'public'
  return typeof token.repositories === 'string' ? token.repositories : token.repositories.join(',')
}

/** Warns whoever made a token without the option that gives it rights; a refresh token needs none. */
export function describeLack({ kind, scopes, permissions, repositories }: Token): string | undefined {
  if (takesScopes(kind))
    return scopes.length === 0
      ? 'It has no scopes, so it can read only public data: add --scopes, such as repo or all.'
      : undefined
  if (kind === 'refresh') return undefined
  if (Object.keys(permissions).length === 0)
    return 'It has no permissions, so it is refused wherever one is needed: add --permissions, such as contents=read.'
  if (repositories === 'none' && Object.keys(permissions).some(isOfRepositories))
    return 'It has access to no repository: add --repositories with all or their ids.'
  return undefined
}
