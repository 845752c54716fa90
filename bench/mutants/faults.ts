/** Small faults in source text, as somebody might make them: where one can be planted in a file, and the file with it. */
import { stripTypeScriptTypes } from 'node:module'
import { maskText } from './mask.ts'

export type Fault = {
  readonly kind: string
  /** From where to where the text is replaced. */
  readonly from: number
  readonly to: number
  readonly text: string
}

/** All places in one file; at some the fault would not parse. */
export function listFaults(source: string): Fault[] {
  // Types become blanks, texts and comments dots: positions stay.
  const code = maskText(stripTypeScriptTypes(source, { mode: 'strip' }))
  return finders.flatMap((find) => [...find(code, source)])
}

export const plant = (source: string, { from, to, text }: Fault): string =>
  source.slice(0, from) + text + source.slice(to)

/** What does not parse would be caught by any test. */
export function isSound(source: string, fault: Fault): boolean {
  try {
    stripTypeScriptTypes(plant(source, fault), { mode: 'strip' })
    return true
  } catch {
    return false
  }
}

/** Places are found in the code; what is written there is taken from the source. */
type Finder = (code: string, source: string) => Iterable<Fault>

const finders: readonly Finder[] = [
  function* negatedConditions(code, source) {
    for (const { index } of code.matchAll(/\bif \(/g)) {
      const from = index + 'if ('.length
      const to = endOfPart(code, from)
      yield { kind: 'negated condition', from, to, text: `!(${source.slice(from, to)})` }
    }
  },
  function* comparisons(code) {
    const other: Record<string, string> = { '===': '!==', '!==': '===' }
    for (const { 0: sign, index } of code.matchAll(/(?<= )[=!]==(?= )/g))
      yield { kind: 'comparison', from: index, to: index + sign.length, text: other[sign]! }
  },
  function* bounds(code) {
    const other: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
    for (const { 0: sign, index } of code.matchAll(/(?<= )[<>]=?(?= )/g))
      yield { kind: 'bound', from: index, to: index + sign.length, text: other[sign]! }
  },
  function* droppedClauses(code) {
    for (const { 0: sign, index } of code.matchAll(/\s(?:&&|\|\|) /g)) {
      const to = endOfOperand(code, index + sign.length)
      yield { kind: 'dropped clause', from: index, to, text: '' }
    }
  },
  function* constants(code) {
    for (const { 0: number, index } of code.matchAll(/(?<![\w.$])\d[\d_]*(?![\w.n])/g))
      yield {
        kind: 'constant',
        from: index,
        to: index + number.length,
        text: String(Number(number.replaceAll('_', '')) + 1),
      }
    for (const { 0: word, index } of code.matchAll(/(?<![\w.$'])(?:true|false)(?![\w:'])/g))
      yield { kind: 'constant', from: index, to: index + word.length, text: word === 'true' ? 'false' : 'true' }
  },
  function* droppedCalls(code) {
    for (const { 0: line, index } of code.matchAll(/^ +(?:await )?[\w.!?]+\(.*\)$/gm)) {
      const isWhole = endOfPart(line, line.indexOf('(') + 1) === line.length - 1
      // Without another link of its chain a query would not be one.
      const isLink = line.trimStart().startsWith('.')
      if (isWhole && (isLink ? /^ +\.(?:where|having|orderBy|limit|filter)\(/.test(line) : isStatement(code, index)))
        yield { kind: 'dropped call', from: index, to: index + line.length, text: '' }
    }
  },
  function* swappedBranches(code, source) {
    for (const { index } of code.matchAll(/ \? /g)) {
      const first = index + 3
      const middle = endOfPart(code, first, ':')
      const last = endOfOperand(code, middle + 2)
      if (code.slice(middle - 1, middle + 2) !== ' : ') continue
      const [one, two] = [source.slice(first, middle - 1), source.slice(middle + 2, last)]
      yield { kind: 'swapped branches', from: first, to: last, text: `${two} : ${one}` }
    }
  },
]

/** Whether a line begins a statement: the one before it is not continued. */
const isStatement = (code: string, at: number): boolean =>
  /(?:[{};)\w'\]]|=> \{)\s*$/.test(code.slice(Math.max(0, at - 80), at))

/** Where the brackets close that are open here, or the sign stands beside them. */
function endOfPart(code: string, from: number, sign?: string): number {
  let depth = 0
  for (let at = from; at < code.length; at++) {
    const letter = code[at]!
    if (depth === 0 && letter === sign && code[at - 1] === ' ') return at
    if ('([{'.includes(letter)) depth++
    else if (')]}'.includes(letter) && depth-- === 0) return at
  }
  return code.length
}

/** Where an operand ends: at the next operator that binds less, a closing bracket, a comma, or the end of the line. */
function endOfOperand(code: string, from: number): number {
  let depth = 0
  for (let at = from; at < code.length; at++) {
    const letter = code[at]!
    if ('([{'.includes(letter)) depth++
    else if (')]}'.includes(letter) && depth-- === 0) return at
    if (depth === 0 && (letter === ',' || letter === ';' || letter === '\n')) return at
    if (depth === 0 && /^ (?:&&|\|\||\?\??|:) /.test(code.slice(at, at + 4))) return at
  }
  return code.length
}
