/** Searches the labels of one repository, which has a thousand at most. */
import type { PageRequest } from '../../lib/page.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import type { Label } from '../issues/issue.ts'
import { toLabel } from '../issues/labels/label-rows.ts'
import { takeApart } from '../issues/search/search-query.ts'
import { demandShown, type SearchResult } from './search-result.ts'

const language = { names: [], unserved: new Set<string>() } as const

export type LabelSearch = ReturnType<typeof makeLabelSearch>

export function makeLabelSearch({ store: { db } }: { store: Store }) {
  return {
    async search(
      { id }: Repository,
      text: string,
      direction: 'asc' | 'desc',
      { offset, limit }: PageRequest,
    ): Promise<SearchResult<Label>> {
      demandShown(offset)
      const { words, withoutWords } = takeApart(text, language)
      const rows = await db
        .selectFrom('label')
        .selectAll()
        .where('repository_id', '=', id)
        .orderBy('id', direction)
        .execute()
      const found = rows.map(toLabel).filter(({ name, description }) => {
        const said = `${name}\n${description ?? ''}`.normalize('NFKC').toLowerCase()
        return words.every((word) => said.includes(word)) && !withoutWords.some((word) => said.includes(word))
      })
      return { total: found.length, isIncomplete: false, items: found.slice(offset, offset + limit), words }
    },
  }
}
