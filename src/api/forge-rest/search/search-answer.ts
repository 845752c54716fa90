/**
 * The response of every search: the total, whether it is complete, a page, and text matches if the media type requests
 * them.
 */
import { invalidField } from '../../../forge/failures.ts'
import { maxResults, type SearchResult } from '../../../forge/search/search-result.ts'
import type { Query } from '../query.ts'
import type { RestAnswer } from '../rest-answer.ts'
import type { ForgeCall } from '../route.ts'

/** A text that was searched for words. */
export type SearchedText = { readonly property: string; readonly text: string | null }
export type Searched = {
  readonly type: string | null
  readonly url: string
  readonly texts: readonly SearchedText[]
}

/** `application/vnd.github.text-match+json`, and the platform's own type. */
export const wantsMatches = (accept: string): boolean =>
  /\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.text-match\b/i.test(accept)

export function demandQuery(query: Query): string {
  const text = query.text('q')
  if (text === undefined || text.trim() === '') throw invalidField('q', 'missing', 'Say what to search for.')
  return text
}

export const readDirection = (query: Query): 'asc' | 'desc' => query.oneOf('order', ['asc', 'desc'], 'desc')

export function answerSearch<T>(
  { accept }: Pick<ForgeCall, 'accept'>,
  { total, isIncomplete, items, words }: SearchResult<T>,
  present: (item: T) => object,
  searchedOf: (item: T) => Searched,
  more: object = {},
): RestAnswer {
  const withMatches = wantsMatches(accept)
  return {
    status: 200,
    total: Math.min(total, maxResults),
    body: {
      total_count: total,
      incomplete_results: isIncomplete,
      ...more,
      items: items.map((item) => ({
        ...present(item),
        score: 1,
        ...(withMatches && { text_matches: findMatches(searchedOf(item), words) }),
      })),
    },
  }
}

/** The length shown around the first match, and the most matches in it. */
const fragmentLength = 240
const maxMatches = 20
/** Only the beginning of a longer text is searched. */
const maxLooked = 20_000

function findMatches({ type, url, texts }: Searched, words: readonly string[]) {
  return texts.flatMap(({ property, text }) => {
    const looked = (text ?? '').slice(0, maxLooked)
    const lower = looked.toLowerCase()
    // If lower case changes the length, offsets in it do not apply to the text.
    if (lower.length !== looked.length) return []
    const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
    if (places.length === 0) return []
    const start = Math.max(0, Math.min(...places) - fragmentLength / 4)
    const fragment = looked.slice(start, start + fragmentLength)
    const matches = words
      .flatMap((word) => findAll(fragment, word))
      .sort((a, b) => a.indices[0]! - b.indices[0]!)
      .slice(0, maxMatches)
    return [{ object_url: url, object_type: type, property, fragment, matches }]
  })
}

function findAll(fragment: string, word: string): { text: string; indices: number[] }[] {
  const lower = fragment.toLowerCase()
  const found: { text: string; indices: number[] }[] = []
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
    found.push({ text: fragment.slice(at, at + word.length), indices: [at, at + word.length] })
  return found
}
