/** Searches issues and pulls that the actor may read, up to a limit. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../../accounts/actor.ts'
import type { PageRequest } from '../../../lib/page.ts'
import type { Schema } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { type OpenRepository, readRepositories, selectRepositories, viewerOf } from '../../access/repository.ts'
import { isGrantedTo } from '../../access/required-grant.ts'
import { invalidField } from '../../failures.ts'
import { accountKey } from '../../person.ts'
import { visibleTo } from '../../repositories/repository-lists.ts'
import type { Issue } from '../issue.ts'
import { readIssuePage, selectIssueIds } from '../issue-reading.ts'
import { parseSearch, type SearchQuery } from './search-query.ts'
import { type Names, toWheres, wordsWhere } from './search-wheres.ts'

export type FoundIssue = { readonly issue: Issue; readonly repository: OpenRepository }

export type SearchOrder = { readonly sort: 'comments' | 'created' | 'updated'; readonly direction: 'asc' | 'desc' }

export type SearchResult = {
  readonly total: number
  /** Whether there were more candidates than the search reads. */
  readonly isIncomplete: boolean
  readonly items: readonly FoundIssue[]
  /** The words of the search. */
  readonly words: readonly string[]
}

/** The most candidates, newest first, of issues with the longest word or of all: others add more every day. */
export const maxCandidates = 10_000
/** The most results shown of one search. */
export const maxResults = 1_000

type Eb = ExpressionBuilder<Schema, 'issue' | 'repository'>
type Where = (eb: Eb) => Expression<SqlBool>

export type IssueSearch = ReturnType<typeof makeIssueSearch>

export function makeIssueSearch({ store: { db } }: { store: Store }) {
  /** Resolves the names in the qualifiers. Missing and unreadable things are treated alike. */
  async function resolveNames(actor: Actor, { qualifiers }: SearchQuery): Promise<Names> {
    const logins = qualifiers.flatMap(({ name, value }) => (peopleNames.has(name) ? [accountKey(value)] : []))
    const accounts = logins.length
      ? await db.selectFrom('account').select(['id', 'name_key']).where('name_key', 'in', logins).execute()
      : []
    const places = qualifiers
      .filter(({ name }) => name === 'repo')
      .map(({ value }) => value.toLowerCase().split('/', 2))
    const repositories = places.length
      ? await selectRepositories(db, viewerOf(actor)?.id ?? 0)
          .where((eb) =>
            eb.or(
              places.map(([owner = '', name = '']) =>
                eb.and([eb('owner.name_key', '=', owner), eb('repository.name_key', '=', name)]),
              ),
            ),
          )
          .where((eb) => visibleTo(actor)(eb as unknown as ExpressionBuilder<Schema, 'repository'>))
          .execute()
      : []
    const people = new Map(accounts.map(({ id, name_key }) => [name_key, id]))
    if (actor.account) people.set('@me', actor.account.id)
    return {
      people,
      repositories: new Map(
        repositories.map((row) => [`${row.owner_name}/${row.name}`.toLowerCase(), row.id] as const),
      ),
    }
  }

  /** A search without repositories, people or owners covers everything: only the newest candidates are read. */
  function narrow(query: SearchQuery, names: Names): { where?: Where; isAtMost?: () => Promise<boolean> } {
    const isScoped = query.qualifiers.some(({ name, isNegated }) => !isNegated && scopes.has(name))
    const word = query.words.toSorted((a, b) => b.length - a.length)[0]
    if (isScoped) {
      if (word === undefined || names.repositories.size === 0) return {}
      const ids = [...names.repositories.values()]
      return {
        where: (eb) =>
          eb(
            'issue.id',
            'in',
            eb
              .selectFrom('issue_word')
              .select('issue_word.issue_id')
              .where('issue_word.repository_id', 'in', ids)
              .where('issue_word.word', '=', word),
          ),
      }
    }
    if (word === undefined)
      return {
        where: (eb) =>
          eb(
            'issue.id',
            'in',
            eb.selectFrom('issue as newest').select('newest.id').orderBy('newest.id', 'desc').limit(maxCandidates),
          ),
        isAtMost: async () => {
          const row = await db
            .selectFrom('issue')
            .select('id')
            .orderBy('id')
            .offset(maxCandidates)
            .limit(1)
            .executeTakeFirst()
          return row === undefined
        },
      }
    return {
      where: (eb) =>
        eb(
          'issue.id',
          'in',
          eb
            .selectFrom('issue_word')
            .select('issue_word.issue_id')
            .where('issue_word.word', '=', word)
            .orderBy('issue_word.issue_id', 'desc')
            .limit(maxCandidates),
        ),
      isAtMost: async () => {
        const row = await db
          .selectFrom('issue_word')
          .select('issue_id')
          .where('word', '=', word)
          .orderBy('issue_id')
          .offset(maxCandidates)
          .limit(1)
          .executeTakeFirst()
        return row === undefined
      },
    }
  }

  return {
    async search(
      actor: Actor,
      text: string,
      order: SearchOrder,
      { offset, limit, withoutTexts = false }: PageRequest,
    ): Promise<SearchResult> {
      if (offset >= maxResults)
        throw invalidField('page', 'invalid', `Only the first ${maxResults} search results are available`)
      const query = parseSearch(text)
      const names = await resolveNames(actor, query)
      const { where, isAtMost } = narrow(query, names)
      const wheres: Where[] = [
        (eb) => visibleTo(actor)(eb as unknown as ExpressionBuilder<Schema, 'repository'>) as Expression<SqlBool>,
        ...grantedTo(actor),
        ...(where ? [where] : []),
        ...toWheres(query, names),
        ...(query.words.length > 0 ? [wordsWhere(query, query.words, true)] : []),
        ...(query.withoutWords.length > 0 ? [wordsWhere(query, query.withoutWords, false)] : []),
      ]
      let found = selectIssueIds(db)
      for (const each of wheres) found = found.where((eb) => each(eb as unknown as Eb))
      const page = { offset, limit: Math.min(limit, maxResults - offset), withoutTexts }
      const { total, items } = await readIssuePage(db, found, readSort(query) ?? order, page)
      return {
        total,
        isIncomplete: isAtMost ? !(await isAtMost()) : false,
        items: await inRepositories(actor, items),
        words: query.words,
      }
    },
  }

  async function inRepositories(actor: Actor, issues: readonly Issue[]): Promise<FoundIssue[]> {
    const ids = issues.map(({ repositoryId }) => repositoryId)
    const byId = await readRepositories(db, actor, ids)
    return issues.flatMap((issue) => {
      const repository = byId.get(issue.repositoryId)
      return repository ? [{ issue, repository }] : []
    })
  }
}

/** Each of these has an index, so that the search reads no rows of others. */
const indexed = [
  ...['user', 'org', 'author', 'assignee', 'mentions', 'commenter', 'involves'],
  ...['review-requested', 'user-review-requested'],
]
const peopleNames: ReadonlySet<string> = new Set([...indexed, 'reviewed-by'])
const scopes: ReadonlySet<string> = new Set(['repo', ...indexed])

/** `sort:updated-asc` in the text wins over the order that is asked for beside it. */
function readSort({ qualifiers }: SearchQuery): SearchOrder | undefined {
  const asked = qualifiers.findLast(({ name, isNegated }) => name === 'sort' && !isNegated)
  if (!asked) return undefined
  const [, sort, direction = 'desc'] = /^(created|updated|comments)(?:-(asc|desc))?$/i.exec(asked.value) ?? []
  if (!sort)
    throw invalidField('q', 'invalid', 'sort takes created, updated or comments here, with -asc or -desc at its end.')
  return { sort: sort.toLowerCase(), direction: direction.toLowerCase() } as SearchOrder
}

/** Of private repositories a token sees only the kinds it has permissions for. If issues are off, there are none. */
function grantedTo(actor: Actor): Where[] {
  const mayRead = (name: string) => isGrantedTo(actor, { scopes: [], permissions: [{ name, level: 'read' }] })
  const kinds = [
    { isPull: 0, isGranted: mayRead('issues') },
    { isPull: 1, isGranted: mayRead('pull_requests') },
  ]
  const hidden = kinds.filter(({ isGranted }) => !isGranted)
  return [
    ...hidden.map(
      ({ isPull }): Where =>
        (eb) =>
          eb.or([eb('issue.is_pull', '!=', isPull), eb('repository.is_private', '=', 0)]),
    ),
    (eb) => eb.or([eb('issue.is_pull', '=', 1), sql<SqlBool>`repository.options not like '%"hasIssues":false%'`]),
  ]
}
