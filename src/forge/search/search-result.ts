/** The result of a search, and the limits and conditions that all searches share. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { invalidField } from '../failures.ts'
import type { Range } from '../issues/search/search-query.ts'

export type SearchResult<T> = {
  readonly total: number
  /** Whether more existed than was searched. */
  readonly isIncomplete: boolean
  readonly items: readonly T[]
  /** The words searched for. */
  readonly words: readonly string[]
}

/** The newest rows that a search looks at, because the number of rows grows daily. */
export const maxCandidates = 10_000
/** Results shown per search. */
export const maxResults = 1_000

export function demandShown(offset: number): void {
  if (offset >= maxResults)
    throw invalidField('page', 'invalid', `Only the first ${maxResults} search results are available`)
}

export const refuse = (reason: string) => invalidField('q', 'invalid', reason)

export const unsearchable = () =>
  refuse(
    'The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.',
  )

/** Whether a text contains a word or a part of it. An underscore, the only wildcard a word can have, is escaped. */
export const contains = (text: RawBuilder<string>, word: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${text}) like ${`%${word.replaceAll('_', '\\_')}%`} escape '\\'`

export const within = (value: RawBuilder<number>, { from, below }: Range): Expression<SqlBool> =>
  sql<SqlBool>`(${from === undefined ? sql`1 = 1` : sql`${value} >= ${from}`} and ${
    below === undefined ? sql`1 = 1` : sql`${value} < ${below}`
  })`

export const negated = (condition: Expression<SqlBool>, isNegated: boolean): Expression<SqlBool> =>
  isNegated ? sql<SqlBool>`not (${condition})` : condition

export function readFlag(name: string, value: string): boolean {
  const word = value.toLowerCase()
  if (word !== 'true' && word !== 'false') throw refuse(`${name} is true or false.`)
  return word === 'true'
}
