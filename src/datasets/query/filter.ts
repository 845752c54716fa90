/** The `filter` of a query: comparisons of fields with values, with and, or, not and parentheses, as plain data. */
import { Failure } from '../../lib/failure.ts'

/** Segments of a path; a segment of digits alone is also an index. */
export type FieldPath = readonly string[]

const operators = ['=', '!=', '<=', '>=', '<', '>', 'contains'] as const
export type Operator = (typeof operators)[number]

export type Comparison = {
  readonly kind: 'comparison'
  readonly path: FieldPath
  readonly operator: Operator
  /** JSON, as written. */
  readonly value: string
}

export type Condition =
  | Comparison
  | { readonly kind: 'exists'; readonly path: FieldPath }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }

const maxLength = 4_000
const maxDepth = 32

const invalid = (message: string) => new Failure('invalid', 'invalid-value', `Query parameter filter: ${message}.`)

type Token = { readonly kind: 'word' | 'name' | 'value' | 'sign'; readonly text: string; readonly at: number }

const pattern =
  /\s*(?:(?<value>"(?:[^"\\]|\\.)*"|'[^']*'|-?\d[\w.+-]*)|`(?<name>[^`]+)`|(?<sign><=|>=|!=|==|=|<|>|\(|\))|(?<word>[^\s=<>!()"'`]+))/y

/** `year >= 1900 and (lang = "en" or not tags contains "novel")` */
export function parseFilter(text: string): Condition {
  if (text.length > maxLength) throw invalid(`it has over ${maxLength} characters`)
  const tokens = readTokens(text)
  let next = 0
  const peek = () => tokens[next]
  const isWord = (word: string) => peek()?.kind === 'word' && peek()!.text.toLowerCase() === word
  const accept = (word: string) => {
    if (isWord(word)) return tokens[next++]
    return peek()?.kind === 'sign' && peek()!.text === word ? tokens[next++] : undefined
  }
  const place = () => (peek() ? `at character ${peek()!.at + 1}` : 'at its end')

  function readJoined(kind: 'and' | 'or', readPart: (depth: number) => Condition, depth: number): Condition {
    const parts = [readPart(depth)]
    while (accept(kind)) parts.push(readPart(depth))
    return parts.length === 1 ? parts[0]! : { kind, parts }
  }
  const readOr = (depth: number): Condition => readJoined('or', readAnd, depth)
  const readAnd = (depth: number): Condition => readJoined('and', readNot, depth)

  function readNot(depth: number): Condition {
    if (depth > maxDepth) throw invalid(`it is nested deeper than ${maxDepth} levels`)
    if (accept('not')) return { kind: 'not', part: readNot(depth + 1) }
    if (accept('(')) {
      const inner = readOr(depth + 1)
      if (!accept(')')) throw invalid(`a parenthesis is not closed ${place()}`)
      return inner
    }
    return readComparison()
  }

  function readComparison(): Condition {
    const field = peek()
    if (field?.kind !== 'word' && field?.kind !== 'name')
      throw invalid(`the name of a field is expected ${place()} (odd ones between backticks)`)
    next++
    // Between backticks a slash is part of the name.
    const path = field.kind === 'name' ? [field.text] : field.text.split('/')
    if (accept('exists')) return { kind: 'exists', path }
    const sign = peek()
    const spelled = sign?.text.toLowerCase() === '==' ? '=' : sign?.text.toLowerCase()
    const operator = operators.find((each) => each === spelled)
    if (operator === undefined) throw invalid(`one of ${operators.join(' ')} or exists is expected ${place()}`)
    next++
    return { kind: 'comparison', path, operator, value: readValue() }
  }

  function readValue(): string {
    const token = peek()
    const word = token?.kind === 'word' && /^(?:true|false|null)$/.test(token.text) ? token.text : undefined
    if (word === undefined && token?.kind !== 'value')
      throw invalid(`a value is expected ${place()}: text in quotes, a number, true, false or null`)
    next++
    if (word !== undefined) return word
    const { text: given } = token!
    if (given.startsWith("'")) return JSON.stringify(given.slice(1, -1))
    try {
      return typeof JSON.parse(given) === 'string' ? JSON.stringify(JSON.parse(given)) : given
    } catch {
      throw invalid(`${given} is neither a number nor text in quotes`)
    }
  }

  const whole = readOr(0)
  if (peek()) throw invalid(`and, or, or the end is expected ${place()}`)
  return whole
}

function readTokens(text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  pattern.lastIndex = 0
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const groups = pattern.exec(text)?.groups
    if (!groups) throw invalid(`character ${at + 1} can't be read: a quote may not be closed`)
    const [kind, found] = Object.entries(groups).find(([, each]) => each !== undefined)!
    tokens.push({ kind: kind as Token['kind'], text: found!, at })
  }
  if (tokens.length === 0) throw invalid('it is empty')
  return tokens
}
