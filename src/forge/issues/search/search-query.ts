/** A search as people write it: words, and qualifiers such as `repo:ann/tool`, `-label:bug` and `created:>=2026-01-01`. */
import { invalidField } from '../../failures.ts'
import { listWords } from './words.ts'

export type Qualifier = { readonly name: QualifierName; readonly value: string; readonly isNegated: boolean }

export type SearchQuery = {
  readonly words: readonly string[]
  readonly withoutWords: readonly string[]
  readonly qualifiers: readonly Qualifier[]
}

export const qualifierNames = [
  ...([
    'repo',
    'org',
    'user',
    'is',
    'type',
    'state',
    'author',
    'assignee',
    'mentions',
    'commenter',
    'involves',
  ] as const),
  ...(['label', 'milestone', 'no', 'in', 'created', 'updated', 'closed', 'comments'] as const),
] as const
export type QualifierName = (typeof qualifierNames)[number]

const maxLength = 256
const maxParts = 30

const part = /(-?)(?:([a-z-]+):)?("[^"]*"|[^\s"]+)/gi

/** Those that the public platform has: taken for words they would find nothing, and their caller would believe it. */
const unserved: ReadonlySet<string> = new Set(
  `archived base closes draft head interactions language linked merged parent-issue project reactions reason review
  review-requested reviewed-by sha status sub-issue team team-review-requested user-review-requested`.split(/\s+/),
)

export function parseSearch(text: string): SearchQuery {
  if (text.length > maxLength) throw invalidField('q', 'invalid', `The search is longer than ${maxLength} characters.`)
  const words: string[] = []
  const withoutWords: string[] = []
  const qualifiers: Qualifier[] = []
  let isNot = false
  for (const [whole, minus, given = '', quoted = ''] of text.matchAll(part)) {
    if (whole === 'NOT') {
      isNot = true
      continue
    }
    if (whole === 'AND') continue
    const isNegated = minus === '-' || isNot
    const name = qualifierNames.find((known) => known === given.toLowerCase())
    const value = quoted.replaceAll('"', '')
    if (unserved.has(given.toLowerCase()))
      throw invalidField('q', 'invalid', `The qualifier ${given} is not served here.`)
    if (name && value !== '') qualifiers.push({ name, value, isNegated })
    // What is no qualifier is words, with the mark that was taken for one.
    else
      for (const word of listWords(given ? `${given} ${value}` : value)) (isNegated ? withoutWords : words).push(word)
    isNot = false
  }
  if (words.length + withoutWords.length + qualifiers.length > maxParts)
    throw invalidField('q', 'invalid', `The search has more than ${maxParts} words and qualifiers.`)
  if (words.length + withoutWords.length + qualifiers.length === 0)
    throw invalidField('q', 'missing', 'Say what to search for.')
  return { words, withoutWords, qualifiers }
}

/** From the one up to, not with, the other. */
export type Range = { readonly from?: number; readonly below?: number }

const dayMs = 24 * 60 * 60 * 1000

/** `2026-01-01`, `>=2026-01-01`, `2026-01-01..2026-02-01`, `*..2026-02-01T12:00:00Z`: a day is all of it. */
export function parseTimes(name: string, text: string): Range {
  const read = (value: string): { start: number; end: number } => {
    const start = Date.parse(/[zZ+]|T.*-/.test(value) || !value.includes('T') ? value : `${value}Z`)
    if (!/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(value) || Number.isNaN(start))
      throw invalidField('q', 'invalid', `${name} takes times such as 2026-03-10 or >=2026-03-10.`)
    return { start, end: value.includes('T') ? start + 1000 : start + dayMs }
  }
  return parseRange(text, read)
}

/** `5`, `>5`, `5..10`, `*..10`. */
export function parseNumbers(name: string, text: string): Range {
  const read = (value: string) => {
    if (!/^\d{1,9}$/.test(value)) throw invalidField('q', 'invalid', `${name} takes numbers such as 5, >5 or 5..10.`)
    return { start: Number(value), end: Number(value) + 1 }
  }
  return parseRange(text, read)
}

function parseRange(text: string, read: (value: string) => { start: number; end: number }): Range {
  const [first = '', last] = text.split('..')
  if (last !== undefined)
    return {
      ...(first !== '*' && { from: read(first).start }),
      ...(last !== '*' && { below: read(last).end }),
    }
  const [, mark = '', value = ''] = /^(>=|<=|>|<)?(.*)$/.exec(text)!
  const { start, end } = read(value)
  if (mark === '>') return { from: end }
  if (mark === '>=') return { from: start }
  if (mark === '<') return { below: start }
  if (mark === '<=') return { below: end }
  return { from: start, below: end }
}
