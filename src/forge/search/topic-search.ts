/** Searches the topics of public repositories. */
import { sql } from 'kysely'
import type { PageRequest } from '../../lib/page.ts'
import type { Store } from '../../store/store.ts'
import { parseNumbers, takeApart } from '../issues/search/search-query.ts'
import { contains, demandShown, maxCandidates, type SearchResult } from './search-result.ts'

const names = ['repositories'] as const
const unserved: ReadonlySet<string> = new Set(['is', 'created'])

export type Topic = {
  readonly name: string
  readonly repositoryCount: number
  /** When the first repository with this topic was made, and when one with it was last changed. */
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type TopicSearch = ReturnType<typeof makeTopicSearch>

export function makeTopicSearch({ store: { db } }: { store: Store }) {
  return {
    async search(text: string, { offset, limit }: PageRequest): Promise<SearchResult<Topic>> {
      demandShown(offset)
      const { words, withoutWords, qualifiers } = takeApart(text, { names, unserved })
      let found = db
        .selectFrom('repository')
        .select(['topics', 'created_at', 'updated_at'])
        .where('is_private', '=', 0)
        .where('topics', '!=', '[]')
      for (const word of words) found = found.where(contains(sql<string>`repository.topics`, word))
      const rows = await found
        .orderBy('id', 'desc')
        .limit(maxCandidates + 1)
        .execute()
      const topics = new Map<string, { count: number; first: number; last: number }>()
      for (const row of rows.slice(0, maxCandidates))
        for (const name of JSON.parse(row.topics) as string[]) {
          if (!words.every((word) => name.includes(word)) || withoutWords.some((word) => name.includes(word))) continue
          const known = topics.get(name) ?? { count: 0, first: row.created_at, last: row.updated_at }
          topics.set(name, {
            count: known.count + 1,
            first: Math.min(known.first, row.created_at),
            last: Math.max(known.last, row.updated_at),
          })
        }
      const counts = qualifiers.map(({ value, isNegated }) => ({ ...parseNumbers('repositories', value), isNegated }))
      const items = [...topics]
        .filter(([, { count }]) =>
          counts.every(
            ({ from = 0, below = Number.POSITIVE_INFINITY, isNegated }) =>
              (count >= from && count < below) !== isNegated,
          ),
        )
        .sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
        .map(([name, { count, first, last }]) => ({
          name,
          repositoryCount: count,
          createdAt: new Date(first),
          updatedAt: new Date(last),
        }))
      return {
        total: items.length,
        isIncomplete: rows.length > maxCandidates,
        items: items.slice(offset, offset + limit),
        words,
      }
    },
  }
}
