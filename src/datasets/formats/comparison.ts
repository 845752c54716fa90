/** Compares a stored scalar with a value of a filter. */
import { decodeName } from '../items/field-names.ts'
import { isString, readString } from '../items/json-text.ts'
import { compareNumbers } from '../items/number-order.ts'
import type { Comparison } from '../query/filter.ts'

/** Whether the scalar between two offsets matches. */
export type ScalarTest = (bytes: Buffer, start: number, end: number) => boolean

/** Values of different kinds are neither equal nor ordered. */
export function makeComparison(operator: Comparison['operator'], value: string): ScalarTest {
  const kind = kindOf(value)
  if (kind === 'number') return makeNumberTest(operator, value)
  const holds = makeOrderTest(operator)
  const text = kind === 'text' ? readString(value) : value
  const bytes = Buffer.from(value)
  return (lines, start, end) => {
    if (kindAt(lines, start) !== kind) return operator === '!='
    if (kind === 'word' || operator === '=' || operator === '!=') {
      const isSame = isAt(lines, start, end, bytes)
      if (isSame || kind === 'word' || !hasEscape(lines, start, end)) return holds(isSame ? 0 : 1)
    }
    const other = decodeName(lines.subarray(start + 1, end - 1))
    return holds(other === text ? 0 : Buffer.compare(Buffer.from(other), Buffer.from(text)))
  }
}

function makeNumberTest(operator: Comparison['operator'], value: string): ScalarTest {
  const holds = makeOrderTest(operator)
  const number = Number(value)
  const [ofLess, ofMore] = [holds(-1), holds(1)]
  return (lines, start, end) => {
    if (kindAt(lines, start) !== 'number') return operator === '!='
    const double = readDouble(lines, start, end)
    if (double < number) return ofLess
    if (double > number) return ofMore
    return holds(compareNumbers(lines.toString('latin1', start, end), value))
  }
}

/** Whether an operator holds, given the order of its operands. */
function makeOrderTest(operator: Comparison['operator']): (order: number) => boolean {
  return (order) => {
    if (operator === '=') return order === 0
    if (operator === '!=') return order !== 0
    if (operator === '<') return order < 0
    if (operator === '<=') return order <= 0
    return operator === '>' ? order > 0 : order >= 0
  }
}

type Kind = 'text' | 'number' | 'word'

function kindAt(lines: Buffer, start: number): Kind {
  const first = lines[start]!
  return first === 0x22 ? 'text' : first === 0x2d || (first >= 0x30 && first <= 0x39) ? 'number' : 'word'
}

const kindOf = (json: string): Kind => (isString(json) ? 'text' : /^[-\d]/.test(json) ? 'number' : 'word')

/** Most texts are short, and a call into native code would take longer than these loops. */
function isAt(lines: Buffer, start: number, end: number, bytes: Buffer): boolean {
  if (end - start !== bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (lines[start + i] !== bytes[i]) return false
  return true
}

function hasEscape(lines: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (lines[at] === 0x5c) return true
  return false
}

/**
 * With this many digits, both the whole number and the power of ten that divides it are exact doubles: the quotient is
 * rounded once, as by `Number`.
 */
const maxDigits = 15
const powersOfTen = Float64Array.from({ length: maxDigits + 1 }, (_, power) => 10 ** power)

/** The double nearest to a number. Most numbers are short, and are read without making a string. */
export function readDouble(bytes: Buffer, start: number, end: number): number {
  if (end - start > maxDigits) return Number(bytes.toString('latin1', start, end))
  const isNegative = bytes[start] === 0x2d
  let digits = 0
  let pointAt = end
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const digit = bytes[at]! - 0x30
    if (digit >= 0 && digit <= 9) digits = 10 * digits + digit
    else if (bytes[at] === 0x2e) pointAt = at + 1
    else return Number(bytes.toString('latin1', start, end))
  }
  const double = digits / powersOfTen[end - pointAt]!
  return isNegative ? -double : double
}
