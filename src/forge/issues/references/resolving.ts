/**
 * Resolves the issues that a text refers to: only those that its author may read with the credential in use, in
 * repositories that have not blocked the author.
 */
import type { Db } from '../../../store/schema/schema.ts'
import { findSeen } from '../../access/opening.ts'
import { listReaders } from '../../access/repository.ts'
import { findReferences, type IssueReference, type NamedRepository, type Reference } from '../../markup/references.ts'
import { listBlocked } from '../blocking.ts'
import type { IssueAct } from '../issue-act.ts'

export type ReferredIssue = {
  readonly id: number
  readonly repositoryId: number
  readonly isPull: boolean
  readonly closes: boolean
}

/** The most other repositories per text: each needs a check of the author's rights. */
const maxRepositories = 10

type Author = Pick<IssueAct, 'repository' | 'actorId' | 'actor'> & {
  /**
   * Only public repositories count besides the text's own. For pushes and merges: a pusher's token may not reach the
   * private one, and a merger has not written the merged text.
   */
  readonly isPublicElsewhere?: boolean
}

/** The references that the former text did not have, in the order of the text. */
export const resolveReferences = (
  db: Db,
  author: Author,
  origin: string | undefined,
  text: string,
  formerText = '',
): Promise<ReferredIssue[]> => {
  const known = new Set(findReferences(formerText).map(keyOf))
  return resolve(
    db,
    author,
    origin,
    findReferences(text).filter((found) => !known.has(keyOf(found))),
  )
}

const keyOf = (found: Reference): string =>
  found.kind === 'commit' ? found.sha : JSON.stringify([found.origin, found.repository, found.number])

export async function resolve(
  db: Db,
  author: Author,
  origin: string | undefined,
  references: readonly Reference[],
): Promise<ReferredIssue[]> {
  const issues = references.filter(
    (found): found is IssueReference =>
      found.kind === 'issue' && (found.origin === undefined || found.origin === origin?.toLowerCase()),
  )
  if (issues.length === 0) return []
  const ids = await resolveRepositories(db, author, issues)
  const numbersById = Map.groupBy(
    issues.filter((found) => ids.has(placeOf(found.repository))),
    ({ repository }) => ids.get(placeOf(repository))!,
  )
  const found = new Map<string, ReferredIssue>()
  for (const [repositoryId, wanted] of numbersById) {
    const rows = await db
      .selectFrom('issue')
      .select(['id', 'number', 'is_pull'])
      .where('repository_id', '=', repositoryId)
      .where('number', 'in', [...new Set(wanted.map(({ number }) => number))])
      .where('deleted_at', 'is', null)
      .execute()
    for (const { number, closes } of wanted) {
      const row = rows.find((each) => each.number === number)
      const known = found.get(`${repositoryId}#${number}`)
      if (row)
        found.set(`${repositoryId}#${number}`, {
          id: row.id,
          repositoryId,
          isPull: row.is_pull === 1,
          closes: closes || (known?.closes ?? false),
        })
    }
  }
  return [...found.values()]
}

const placeOf = (named: NamedRepository | undefined): string =>
  named ? `${named.owner}/${named.name}`.toLowerCase() : ''

/** The ids of the named repositories; the text's own also has the empty name. */
async function resolveRepositories(
  db: Db,
  author: Author,
  issues: readonly IssueReference[],
): Promise<Map<string, number>> {
  const { repository, actorId } = author
  const ids = new Map([
    ['', repository.id],
    [`${repository.owner.login}/${repository.name}`.toLowerCase(), repository.id],
  ])
  const others = new Map(
    issues.flatMap((found) => (found.repository ? [[placeOf(found.repository), found.repository]] : [])),
  )
  for (const place of ids.keys()) others.delete(place)
  for (const [place, { owner, name }] of [...others].slice(0, maxRepositories)) {
    const row = await db
      .selectFrom('repository')
      .innerJoin('account', 'account.id', 'repository.owner_id')
      .select('repository.id')
      .where('account.name_key', '=', owner.toLowerCase())
      .where('repository.name_key', '=', name.toLowerCase())
      .executeTakeFirst()
    if (!row) continue
    const mayRead = await mayReadBy(db, author, row.id)
    const isBlocked = (await listBlocked(db, row.id, [actorId])).has(actorId)
    if (mayRead && !isBlocked) ids.set(place, row.id)
  }
  return ids
}

/** A reference must not reveal an issue of a private repository that the author's token does not reach. */
async function mayReadBy(db: Db, { actor, actorId, isPublicElsewhere = false }: Author, id: number): Promise<boolean> {
  const readers = await listReaders(db, id, [actorId])
  if (readers === 'everyone') return true
  if (isPublicElsewhere || !readers.has(actorId)) return false
  return !actor || (await findSeen(db, actor, [id])).has(id)
}
