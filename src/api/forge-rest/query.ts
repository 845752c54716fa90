/** A request's query: words, flags, times and pages, read the same way everywhere. */

import { invalidField } from '../../forge/failures.ts'
import type { PageRequest } from '../../lib/page.ts'

export type Query = {
  text(name: string): string | undefined
  /** The values of a repeated name, sent as `name` or `name[]`, or as one comma-separated value. */
  texts(name: string): string[]
  /** `True`, `TRUE` and `1` are also true. */
  flag(name: string, otherwise?: boolean): boolean
  oneOf<const T extends string>(name: string, allowed: readonly T[], otherwise: NoInfer<T>): T
  /** Also with fractions and offsets; anything else is a 422. */
  time(name: string): Date | undefined
  whole(name: string, otherwise: number): number
}

export function makeQuery(given: Record<string, string | string[] | undefined>): Query {
  const text = (name: string) => {
    const value = given[name]
    const last = Array.isArray(value) ? value.at(-1) : value
    return last === '' ? undefined : last
  }
  return {
    text,
    texts(name) {
      const values = [given[name], given[`${name}[]`]].flat().filter((value) => value !== undefined)
      return values.flatMap((value) => value.split(',')).filter(Boolean)
    },
    flag(name, otherwise = false) {
      const value = text(name)?.toLowerCase()
      return value === undefined ? otherwise : value === 'true' || value === '1'
    },
    oneOf: (name, allowed, otherwise) => allowed.find((value) => value === text(name)?.toLowerCase()) ?? otherwise,
    time(name) {
      const value = text(name)
      return value === undefined ? undefined : parseTime(name, value)
    },
    whole(name, otherwise) {
      const value = text(name)
      return value !== undefined && /^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : otherwise
    },
  }
}

/** An id in an address in its canonical form; any other text gives 0, which no row has. */
export const readId = (text = ''): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0)

const timePattern = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i

export function parseTime(field: string, value: string): Date {
  // An unencoded plus sign arrives as a blank.
  const repaired = value.replace(/ (\d{2}:?\d{2})$/, '+$1').replace(' ', 'T')
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(repaired)
  const date = new Date(hasZone || !repaired.includes('T') ? repaired : `${repaired}Z`)
  if (timePattern.test(repaired) && !Number.isNaN(date.getTime()) && isOfCalendar(repaired)) return date
  throw invalidField(field, 'invalid', `${field} must be a time such as 2026-03-10T12:00:00Z.`)
}

/** JavaScript reads February 30 as March 2. */
function isOfCalendar(time: string): boolean {
  const day = time.slice(0, 10)
  return new Date(day).toISOString().startsWith(day)
}

export type PageSize = { readonly usual: number; readonly most: number }

/** Larger pages are silently cut to the maximum; zero, negative or not a number means the default. */
export function readPage(query: Query, { usual, most }: PageSize): PageRequest & { number: number } {
  const limit = Math.min(query.whole('per_page', usual) || usual, most)
  const number = query.whole('page', 1) || 1
  return { offset: Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER), limit, number }
}

/** prev, next, last, first, in that order; empty if one page holds everything. */
export function linkHeader(
  address: string,
  total: number,
  { limit, number }: { limit: number; number: number },
): string | undefined {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1) return undefined
  const to = (page: number, rel: string) => `<${withQuery(address, 'page', page)}>; rel="${rel}"`
  const links = [
    ...(number > 1 ? [to(Math.min(number - 1, last), 'prev')] : []),
    ...(number < last ? [to(number + 1, 'next'), to(last, 'last')] : []),
    ...(number > 1 ? [to(1, 'first')] : []),
  ]
  return links.join(', ')
}

/** For lists that are continued after an id. */
export const sinceLink = (address: string, since: number): string =>
  `<${withQuery(address, 'since', since)}>; rel="next"`

/** Parses only the query: the host comes from the client, and may be invalid. */
function withQuery(address: string, name: string, value: number): string {
  const [path, query] = address.split(/\?(.*)/s, 2)
  const words = new URLSearchParams(query)
  words.set(name, String(value))
  return `${path}?${words}`
}
