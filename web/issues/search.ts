/** The search of a list: its text in the address as people write it, taken apart for the filters and sent to the interface. */

import { read } from '../api/forge.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Issue } from '../api/issue-types.ts'
import { getSession } from '../app/session.ts'

const part = /(-?)([a-z-]+):("[^"]*"|[^\s"]+)|"[^"]*"|[^\s"]+/gi

/** The parts of a search: qualifiers with their names, and words. */
export const partsOf = (text: string): readonly string[] => text.match(part) ?? []

const quote = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

const nameOf = (piece: string): string => /^([a-z-]+):/i.exec(piece)?.[1]?.toLowerCase() ?? ''

/** The values that a qualifier has in the search. */
export const valuesOf = (text: string, name: string): readonly string[] =>
  partsOf(text)
    .filter((piece) => nameOf(piece) === name)
    .map((piece) => piece.slice(name.length + 1).replaceAll('"', ''))

/** The same search with this qualifier in place of any of its name; without it where the value is undefined. */
export function withQualifier(text: string, name: string, value: string | undefined): string {
  const others = partsOf(text).filter((piece) => nameOf(piece) !== name)
  return [...others, ...(value === undefined ? [] : [`${name}:${quote(value)}`])].join(' ')
}

/** Adds a qualifier beside others of its name, or takes exactly it away. */
export function toggleQualifier(text: string, name: string, value: string, isWanted: boolean): string {
  const piece = `${name}:${quote(value)}`
  const others = partsOf(text).filter((each) => each.toLowerCase() !== piece.toLowerCase())
  return [...others, ...(isWanted ? [piece] : [])].join(' ')
}

const isState = (piece: string) => /^(?:is|state):(?:open|closed)$/i.test(piece)

export const stateOf = (text: string): 'open' | 'closed' | undefined =>
  partsOf(text)
    .filter(isState)
    .map((piece) => piece.slice(piece.indexOf(':') + 1).toLowerCase() as 'open' | 'closed')
    .at(-1)

export const withState = (text: string, state: 'open' | 'closed'): string => {
  const pieces = partsOf(text)
  const at = pieces.findIndex(isState)
  const others = pieces.filter((piece) => !isState(piece))
  return [...others.slice(0, Math.max(at, 0)), `is:${state}`, ...others.slice(Math.max(at, 0))].join(' ')
}

export type Found = {
  readonly items: readonly Issue[]
  readonly total: number
  /** How many the other state has; undefined where nobody can tell. */
  readonly others: number | undefined
}

/** `place` is `owner/name`. How it is sorted stands in the search, as `sort:updated-desc`. */
export const findIssues = (place: string, text: string, page: number, size: number): Promise<Found> =>
  find(`repo:${place} `, text, page, size)

/** In all repositories that one may see. */
export const findEverywhere = (text: string, page: number, size: number): Promise<Found> => find('', text, page, size)

async function find(scope: string, text: string, page: number, size: number): Promise<Found> {
  const [sort, order] = (valuesOf(text, 'sort').at(-1) ?? 'created-desc').split('-')
  const whole = (own: string) => scope + withQualifier(own, 'sort', undefined)
  const state = stateOf(text)
  const [found, others] = await Promise.all([
    read<{ items: readonly Issue[]; total_count: number }>('/search/issues', {
      q: whole(text),
      sort,
      order,
      per_page: size,
      page,
    }),
    state && countFound(whole(withState(text, state === 'open' ? 'closed' : 'open'))),
  ])
  return { items: found.items, total: found.total_count, others }
}

/** Over GraphQL, which has a budget of its own, so that looking at lists does not use up one's searches. */
async function countFound(text: string): Promise<number | undefined> {
  if (!getSession().account) return undefined
  try {
    const question = 'query($text: String!) { search(query: $text, type: ISSUE, first: 1) { issueCount } }'
    return (await queryGraphql<{ search: { issueCount: number } }>(question, { text })).search.issueCount
  } catch {
    return undefined
  }
}
