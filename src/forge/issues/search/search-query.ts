/** Parses a search: words, and qualifiers such as `repo:ann/tool`, `-label:bug` and `created:>=2026-01-01`. */
import { invalidField } from '../../failures.ts'
import { listWords } from './words.ts'

export type QualifierOf<N extends string> = {
  readonly name: N
  readonly value: string
  readonly isNegated: boolean
}

export type QueryOf<N extends string> = {
  readonly words: readonly string[]
  readonly withoutWords: readonly string[]
  readonly qualifiers: readonly QualifierOf<N>[]
}

/** The qualifiers of a search, and those of the public platform that are not supported. */
export type Language<N extends string> = { readonly names: readonly N[]; readonly unserved: ReadonlySet<string> }

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
  ...(['archived', 'draft', 'head', 'base', 'review-requested', 'user-review-requested'] as const),
  ...(['merged', 'review', 'reviewed-by', 'reason', 'language', 'sort'] as const),
] as const
export type QualifierName = (typeof qualifierNames)[number]
export type Qualifier = QualifierOf<QualifierName>
export type SearchQuery = QueryOf<QualifierName>

/** The public platform's limits: on the words without operators and qualifiers, and on the whole text. */
const maxLength = 256
const maxWhole = 1_024
const maxOperators = 5
const maxParts = 30
/** Each is a condition that the database must plan: thirty of them take longer to plan than to run. */
const maxConditions = 10
/** Several of these make one condition. */
const places: ReadonlySet<string> = new Set(['repo', 'user', 'org'])

const part = /(-?)(?:([a-z-]+):)?("[^"]*"|[^\s"]+)/gi

/** The public platform's other qualifiers. Treated as words they would find nothing, which the caller would believe. */
const unserved: ReadonlySet<string> = new Set(
  `closes interactions linked parent-issue project reactions sha status sub-issue team team-review-requested`.split(
    /\s+/,
  ),
)

export const parseSearch = (text: string): SearchQuery => takeApart(text, { names: qualifierNames, unserved })

const refuse = (reason: string) => invalidField('q', 'invalid', reason)

export function takeApart<N extends string>(text: string, language: Language<N>): QueryOf<N> {
  if (text.length > maxWhole) throw refuse(`The search is longer than ${maxWhole} characters.`)
  const words: string[] = []
  const withoutWords: string[] = []
  const qualifiers: QualifierOf<N>[] = []
  let [isNot, operators, length] = [false, 0, 0]
  for (const [whole, minus, given = '', quoted = ''] of text.matchAll(part)) {
    if (/^(?:AND|OR|NOT)$/.test(whole)) {
      if (++operators > maxOperators)
        throw refuse(`The search has more than ${maxOperators} AND, OR and NOT operators.`)
      if (whole === 'OR') throw refuse('The operator OR is not served here.')
      isNot = whole === 'NOT'
      continue
    }
    const isNegated = minus === '-' || isNot
    const name = language.names.find((known) => known === given.toLowerCase())
    const value = quoted.replaceAll('"', '')
    if (language.unserved.has(given.toLowerCase())) throw refuse(`The qualifier ${given} is not served here.`)
    if (name && value !== '') qualifiers.push({ name, value, isNegated })
    // Anything else is words; an unknown qualifier's name is a word, too.
    else {
      length += whole.length + 1
      for (const word of listWords(given ? `${given} ${value}` : value)) (isNegated ? withoutWords : words).push(word)
    }
    isNot = false
  }
  if (length > maxLength + 1) throw refuse(`The words of the search are longer than ${maxLength} characters.`)
  if (words.length + withoutWords.length + qualifiers.length > maxParts)
    throw refuse(`The search has more than ${maxParts} words and qualifiers.`)
  if (qualifiers.filter(({ name }) => !places.has(name)).length > maxConditions)
    throw refuse(`The search has more than ${maxConditions} qualifiers beside repo, user and org.`)
  if (words.length + withoutWords.length + qualifiers.length === 0)
    throw invalidField('q', 'missing', 'Say what to search for.')
  return { words: [...new Set(words)], withoutWords: [...new Set(withoutWords)], qualifiers }
}

/** From `from` up to, but not including, `below`. */
export type Range = { readonly from?: number; readonly below?: number }

const dayMs = 24 * 60 * 60 * 1000

/** `2026-01-01`, `>=2026-01-01`, `2026-01-01..2026-02-01`, `*..2026-02-01T12:00:00Z`. A date means the whole day. */
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
