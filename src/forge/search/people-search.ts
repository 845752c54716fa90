/** Searches users and organisations by their public profile. */
import { type Expression, type SqlBool, sql } from 'kysely'
import type { PageRequest } from '../../lib/page.ts'
import type { Store } from '../../store/store.ts'
import { parseNumbers, parseTimes, type QualifierOf, type QueryOf, takeApart } from '../issues/search/search-query.ts'
import { type Person, toPerson } from '../person.ts'
import { countRows } from '../row-pages.ts'
import {
  contains,
  demandShown,
  maxCandidates,
  maxResults,
  negated,
  refuse,
  type SearchResult,
  within,
} from './search-result.ts'

const names = [
  'type',
  'user',
  'org',
  'in',
  'repos',
  'followers',
  'location',
  'created',
  'language',
  'fullname',
] as const
type Name = (typeof names)[number]

const unserved: ReadonlySet<string> = new Set(['is', 'email', 'sponsorable'])

export type FoundPerson = Person & { readonly name: string }

export type PeopleSearchOrder = {
  readonly sort: 'best' | 'followers' | 'repositories' | 'joined'
  readonly direction: 'asc' | 'desc'
}

/** Counts public repositories: the number of private ones is secret. */
const repositoryCount = sql<number>`(select count(*) from repository r where r.owner_id = account.id and r.is_private = 0)`
const followerCount = sql<number>`coalesce((select c.followers from follow_count c where c.account_id = account.id), 0)`

export type PeopleSearch = ReturnType<typeof makePeopleSearch>

export function makePeopleSearch({ store: { db } }: { store: Store }) {
  return {
    async search(
      text: string,
      { sort, direction }: PeopleSearchOrder,
      { offset, limit }: PageRequest,
    ): Promise<SearchResult<FoundPerson>> {
      demandShown(offset)
      const query = takeApart(text, { names, unserved })
      const candidates = db.selectFrom('account').select('account.id').orderBy('account.id', 'desc')
      let found = db
        .selectFrom('account')
        .leftJoin('profile', 'profile.account_id', 'account.id')
        .select(['account.id', 'account.kind', 'account.name', 'account.role', 'account.display_name'])
        .where('account.suspended_at', 'is', null)
        .where('account.id', 'in', candidates.limit(maxCandidates))
      for (const where of toWheres(query)) found = found.where(where)
      const column = {
        best: followerCount,
        followers: followerCount,
        repositories: repositoryCount,
        joined: sql`account.created_at`,
      }[sort]
      const order = sort === 'best' ? 'desc' : direction
      const rows = await found
        .orderBy(column, order)
        .orderBy('account.id', sort === 'best' ? 'asc' : order)
        .offset(offset)
        .limit(Math.min(limit, maxResults - offset))
        .execute()
      const beyond = await candidates.offset(maxCandidates).limit(1).executeTakeFirst()
      return {
        total: await countRows(found),
        isIncomplete: beyond !== undefined,
        items: rows.map((row) => ({ ...toPerson(row), name: row.display_name })),
        words: query.words,
      }
    },
  }
}

type Where = Expression<SqlBool>

const fieldByName = {
  login: sql<string>`account.name_key`,
  name: sql<string>`account.display_name`,
  fullname: sql<string>`account.display_name`,
}

function toWheres({ words, withoutWords, qualifiers }: QueryOf<Name>): Where[] {
  const asked = qualifiers.filter(({ name }) => name === 'in').flatMap(({ value }) => value.toLowerCase().split(','))
  const unknown = asked.find((field) => !Object.hasOwn(fieldByName, field))
  if (unknown !== undefined) throw refuse(`in:${unknown} is not served here.`)
  const fields = (asked.length > 0 ? asked : ['login', 'name']) as (keyof typeof fieldByName)[]
  const has = (word: string): Where =>
    sql<SqlBool>`(${sql.join(
      fields.map((field) => contains(fieldByName[field], word)),
      sql` or `,
    )})`
  const others = qualifiers.filter(({ name }) => name !== 'in')
  return [
    ...words.map(has),
    ...withoutWords.map((word) => negated(has(word), true)),
    ...others.map((qualifier) => negated(toWhere(qualifier), qualifier.isNegated)),
  ]
}

function toWhere({ name, value }: QualifierOf<Name>): Where {
  const word = value.toLowerCase()
  switch (name) {
    case 'type':
      if (word === 'user') return sql<SqlBool>`account.kind = 'user'`
      if (word === 'org' || word === 'organization') return sql<SqlBool>`account.kind = 'organisation'`
      throw refuse(`type:${word} is not known.`)
    case 'user':
    case 'org':
      return sql<SqlBool>`account.name_key = ${word}`
    case 'repos':
      return within(repositoryCount, parseNumbers(name, value))
    case 'followers':
      return within(followerCount, parseNumbers(name, value))
    case 'created':
      return within(sql<number>`account.created_at`, parseTimes(name, value))
    case 'location':
      return contains(sql<string>`coalesce(profile.location, '')`, word.replace(/[%\\]/g, ''))
    case 'fullname':
      return contains(sql<string>`account.display_name`, word.replace(/[%\\]/g, ''))
    case 'language':
      return sql<SqlBool>`exists (select 1 from repository r
        where r.owner_id = account.id and r.is_private = 0 and lower(coalesce(r.language, '')) = ${word})`
    case 'in':
      return sql<SqlBool>`1 = 1`
  }
}
