/** Searches repositories by name, description and topics, among all that the caller may read. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { PageRequest } from '../../lib/page.ts'
import type { Schema } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type OpenRepository, selectRepositories, toOpenRepository, viewerOf } from '../access/repository.ts'
import { parseNumbers, parseTimes, type QualifierOf, type QueryOf, takeApart } from '../issues/search/search-query.ts'
import { visibleTo } from '../repositories/repository-lists.ts'
import { countRows } from '../row-pages.ts'
import {
  contains,
  demandShown,
  maxCandidates,
  maxResults,
  negated,
  readFlag,
  refuse,
  type SearchResult,
  unsearchable,
  within,
} from './search-result.ts'

const names = [
  ...(['repo', 'user', 'org', 'in', 'language', 'topic', 'topics', 'stars', 'forks', 'size'] as const),
  ...(['created', 'pushed', 'updated', 'is', 'archived', 'fork', 'template'] as const),
] as const
type Name = (typeof names)[number]
type Qualifier = QualifierOf<Name>

const unserved: ReadonlySet<string> = new Set(
  'followers good-first-issues help-wanted-issues license mirror sponsor props custom-properties'.split(' '),
)

export type RepositorySearchOrder = {
  readonly sort: 'best' | 'stars' | 'forks' | 'updated'
  readonly direction: 'asc' | 'desc'
}

type Eb = ExpressionBuilder<Schema, 'repository'>
type Where = Expression<SqlBool>

const forkCount = sql<number>`(select count(*) from repository f
  where f.parent_id = repository.id and f.is_private <= repository.is_private)`

export type RepositorySearch = ReturnType<typeof makeRepositorySearch>

export function makeRepositorySearch({ store: { db } }: { store: Store }) {
  async function findScope(actor: Actor, { qualifiers }: QueryOf<Name>): Promise<Where | undefined> {
    const places = qualifiers.filter(({ name, isNegated }) => placeNames.has(name) && !isNegated)
    if (places.length === 0) return undefined
    const owners = places.filter(({ name }) => name !== 'repo').map(({ value }) => value.toLowerCase())
    const own = owners.includes('@me') && actor.account ? [actor.account.id] : []
    const accounts = owners.length
      ? await db.selectFrom('account').select('id').where('name_key', 'in', owners).execute()
      : []
    const ownerIds = [...own, ...accounts.map(({ id }) => id)]
    const repositoryIds: number[] = []
    for (const { value } of places.filter(({ name }) => name === 'repo')) {
      const [owner = '', name = ''] = value.toLowerCase().split('/', 2)
      const row = await db
        .selectFrom('repository')
        .innerJoin('account', 'account.id', 'repository.owner_id')
        .select('repository.id')
        .where('account.name_key', '=', owner)
        .where('repository.name_key', '=', name)
        .where((eb) => visibleTo(actor)(eb as unknown as Eb))
        .executeTakeFirst()
      if (!row) throw unsearchable()
      repositoryIds.push(row.id)
    }
    if (ownerIds.length < new Set(owners).size) throw unsearchable()
    const ways = [
      ...(ownerIds.length > 0 ? [sql<SqlBool>`repository.owner_id in (${sql.join(ownerIds)})`] : []),
      ...(repositoryIds.length > 0 ? [sql<SqlBool>`repository.id in (${sql.join(repositoryIds)})`] : []),
    ]
    return sql<SqlBool>`(${sql.join(ways, sql` or `)})`
  }

  return {
    async search(
      actor: Actor,
      text: string,
      { sort, direction }: RepositorySearchOrder,
      { offset, limit }: PageRequest,
    ): Promise<SearchResult<OpenRepository>> {
      demandShown(offset)
      const query = takeApart(text, { names, unserved })
      const scope = await findScope(actor, query)
      const candidates = db
        .selectFrom('repository')
        .select('repository.id')
        .where((eb) => visibleTo(actor)(eb))
        .$if(scope !== undefined, (found) => found.where(scope!))
      let found = selectRepositories(db, actor.account?.id ?? 0).where(
        'repository.id',
        'in',
        candidates.orderBy('repository.id', 'desc').limit(maxCandidates),
      )
      for (const where of toWheres(query)) found = found.where(where)
      const column = {
        best: sql`repository.star_count`,
        stars: sql`repository.star_count`,
        forks: forkCount,
        updated: sql`repository.updated_at`,
      }[sort]
      const order = sort === 'best' ? 'desc' : direction
      const rows = await found
        .orderBy(column, order)
        .orderBy('repository.id', order)
        .offset(offset)
        .limit(Math.min(limit, maxResults - offset))
        .execute()
      const beyond = await candidates.orderBy('repository.id', 'desc').offset(maxCandidates).limit(1).executeTakeFirst()
      const viewer = viewerOf(actor)
      return {
        total: await countRows(found),
        isIncomplete: beyond !== undefined,
        items: rows.map((row) => toOpenRepository(row, viewer)),
        words: query.words,
      }
    },
  }
}

const placeNames: ReadonlySet<string> = new Set(['repo', 'user', 'org'])

function toWheres({ words, withoutWords, qualifiers }: QueryOf<Name>): Where[] {
  const fields = readFields(qualifiers)
  const has = (word: string): Where =>
    sql<SqlBool>`(${sql.join(
      fields.map((field) => contains(field, word)),
      sql` or `,
    )})`
  const others = qualifiers.filter(({ name, isNegated }) => name !== 'in' && (!placeNames.has(name) || isNegated))
  return [
    ...words.map(has),
    ...withoutWords.map((word) => negated(has(word), true)),
    ...others.map((qualifier) => negated(toWhere(qualifier), qualifier.isNegated)),
    // Forks are found only on request, as on the public platform.
    ...(qualifiers.some(({ name }) => name === 'fork' || name === 'repo')
      ? []
      : [sql<SqlBool>`repository.parent_id is null`]),
  ]
}

const fieldByName = {
  name: sql<string>`repository.name_key`,
  description: sql<string>`coalesce(repository.description, '')`,
  topics: sql<string>`repository.topics`,
}

function readFields(qualifiers: readonly Qualifier[]) {
  const asked = qualifiers.filter(({ name }) => name === 'in').flatMap(({ value }) => value.toLowerCase().split(','))
  if (asked.length === 0) return Object.values(fieldByName)
  return asked.map((field) => {
    if (Object.hasOwn(fieldByName, field)) return fieldByName[field as keyof typeof fieldByName]
    throw refuse(`in:${field} is not served here.`)
  })
}

function toWhere({ name, value }: Qualifier): Where {
  const word = value.toLowerCase()
  switch (name) {
    case 'user':
    case 'org':
      return sql<SqlBool>`repository.owner_id in (select a.id from account a where a.name_key = ${word})`
    case 'repo':
      return sql<SqlBool>`repository.id in (select r.id from repository r join account a on a.id = r.owner_id
        where a.name_key = ${word.split('/')[0] ?? ''} and r.name_key = ${word.split('/')[1] ?? ''})`
    case 'language':
      return sql<SqlBool>`lower(coalesce(repository.language, '')) = ${word}`
    case 'topic':
      return sql<SqlBool>`repository.topics like ${`%"${word.replace(/[^a-z0-9-]/g, '')}"%`}`
    case 'topics':
      return within(
        sql<number>`case when repository.topics = '[]' then 0
        else 1 + length(repository.topics) - length(replace(repository.topics, ',', '')) end`,
        parseNumbers(name, value),
      )
    case 'stars':
      return within(sql<number>`repository.star_count`, parseNumbers(name, value))
    case 'forks':
      return within(forkCount, parseNumbers(name, value))
    case 'size':
      return within(sql<number>`repository.size_kib`, parseNumbers(name, value))
    case 'created':
      return within(sql<number>`repository.created_at`, parseTimes(name, value))
    case 'pushed':
      return within(sql<number>`repository.pushed_at`, parseTimes(name, value))
    case 'updated':
      return within(sql<number>`repository.updated_at`, parseTimes(name, value))
    case 'is':
      if (word === 'public' || word === 'private')
        return sql<SqlBool>`repository.is_private = ${word === 'private' ? 1 : 0}`
      throw refuse(`is:${word} is not known.`)
    case 'archived':
      return sql<SqlBool>`repository.is_archived = ${readFlag(name, value) ? 1 : 0}`
    case 'template': {
      const isTemplate = sql<SqlBool>`repository.options like '%"isTemplate":true%'`
      return negated(isTemplate, !readFlag(name, value))
    }
    case 'fork':
      if (word === 'only') return sql<SqlBool>`repository.parent_id is not null`
      return readFlag(name, value) ? sql<SqlBool>`1 = 1` : sql<SqlBool>`repository.parent_id is null`
    case 'in':
      return sql<SqlBool>`1 = 1`
  }
}
