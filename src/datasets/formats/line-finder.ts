/**
 * Finds lines that a filter may select without parsing the others: searches the bytes of a field's name, and compares
 * the value after it. Lines found still have to be matched, because the name may occur at any depth.
 */
import { scanValue } from '../items/scan-value.ts'
import type { Comparison, Condition } from '../query/filter.ts'
import { makeComparison, type ScalarTest } from './comparison.ts'

const lineFeed = 0x0a

/** Such a name is stored as it is, or with an escape that begins like this. */
const plainName = /^[ !#-.0-[\]-~]{1,100}$/
const nameEscape = Buffer.from('\\u00')

/** Fields of a filter that are searched for: each costs a look at the lines that have the others. */
const maxFields = 4

/** Null if the filter has no field that every selected item must have. */
export function makeLineFinder(filter: Condition | null): LineFinder | null {
  const fields = filter === null ? [] : listFields(filter)
  return fields.length > 0 ? new LineFinder(fields.slice(0, maxFields)) : null
}

/** The fields that every selected item must have, with the tests for their values. */
function listFields(condition: Condition): FieldSearch[] {
  if (condition.kind === 'and') return condition.parts.flatMap(listFields)
  if (condition.kind === 'comparison') return listCompared([condition])
  const { kind } = condition
  return kind === 'or' && condition.parts.every(isComparison) ? listCompared(condition.parts) : []
}

const isComparison = (condition: Condition): condition is Comparison => condition.kind === 'comparison'

/** Alternatives of comparisons: usable only if all are on one field. */
function listCompared(comparisons: readonly Comparison[]): FieldSearch[] {
  const { path } = comparisons[0]!
  const name = path.at(-1)!
  const isIndex = path.length > 1 && /^\d+$/.test(name)
  if (isIndex || !plainName.test(name)) return []
  if (comparisons.some((other) => other.operator === 'contains' || other.path.at(-1) !== name)) return []
  return [
    new FieldSearch(
      name,
      comparisons.map(({ operator, value }) => makeComparison(operator, value)),
    ),
  ]
}

/** For the lines of one slice, searched from start to end. */
export class LineFinder {
  readonly #fields: readonly FieldSearch[]
  /** The next value that matches, and the next escape that may be part of a name. */
  #valueAt = -1
  #escapeAt = -1

  constructor(fields: readonly FieldSearch[]) {
    this.#fields = fields
  }

  /**
   * The start of the next line that may be selected, at or after `from`, which starts a line; the end of the lines if
   * there is none.
   */
  find(lines: Buffer, from: number): number {
    if (this.#valueAt < from) this.#valueAt = this.#findValue(lines, from)
    if (this.#escapeAt < from) {
      const found = lines.indexOf(nameEscape, from)
      this.#escapeAt = found < 0 ? lines.length : found
    }
    const at = Math.min(this.#valueAt, this.#escapeAt)
    return at === lines.length ? at : lines.lastIndexOf(lineFeed, at) + 1
  }

  #findValue(lines: Buffer, start: number): number {
    const [first, ...others] = this.#fields
    for (let from = start; ; ) {
      const at = first!.find(lines, from, lines.length)
      if (at === lines.length || others.length === 0) return at
      const lineStart = lines.lastIndexOf(lineFeed, at) + 1
      const lineEnd = lines.indexOf(lineFeed, at) + 1
      if (others.every((other) => other.find(lines, lineStart, lineEnd) < lineEnd)) return at
      from = lineEnd
    }
  }
}

/** Searches for a field with a matching value. */
class FieldSearch {
  readonly #name: Buffer
  readonly #tests: readonly ScalarTest[]

  constructor(name: string, tests: readonly ScalarTest[]) {
    this.#name = Buffer.from(`"${name}":`)
    this.#tests = tests
  }

  /** The start of its value; `to` if there is none. */
  find(lines: Buffer, from: number, to: number): number {
    for (let at = from; ; ) {
      const found = lines.indexOf(this.#name, at)
      if (found < 0 || found >= to) return to
      at = found + this.#name.length
      if (this.#passes(lines, at)) return at
    }
  }

  #passes(lines: Buffer, start: number): boolean {
    const first = lines[start]
    if (first === 0x7b || first === 0x5b) return false
    const end = scanValue(lines, start, 0, 0)
    return this.#tests.some((test) => test(lines, start, end))
  }
}
