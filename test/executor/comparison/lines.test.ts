/** The compare rule, as a table and against a plain reading of its sentence. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeComparison } from '../../../src/executor/comparison/comparison.ts'
import { pieces } from './pieces.ts'

const cases: [output: string, expected: string, matches: boolean][] = [
  ['', '', true],
  ['', '\n\n', true],
  [' \t\r\n\f\v\n', '', true],
  ['a', 'a', true],
  ['a\n', 'a', true],
  ['a', 'a\n', true],
  ['a\n\n \n', 'a', true],
  ['a', 'a\n\n \n', true],
  ['a \t\r\f\v', 'a', true],
  ['a', 'a \t', true],
  ['a \tb', 'a \tb', true],
  ['a  \nb', 'a\t\nb', true],
  ['a\r\nb\r\n', 'a\nb\n', true],
  ['a\n\nb', 'a\n\nb', true],
  ['a\n \nb', 'a\n\nb', true],
  ['a\0b', 'a\0b', true],
  ['a', 'b', false],
  ['a', '', false],
  ['', 'a', false],
  [' a', 'a', false],
  ['a b', 'a  b', false],
  ['a\tb', 'a b', false],
  ['a \t b', 'a  b', false],
  ['a\nb', 'a b', false],
  ['a\n\nb', 'a\nb', false],
  ['a\nb', 'a\n\nb', false],
  ['\na', 'a', false],
  ['a\rb', 'a\nb', false],
  ['a\n\n\nb', 'a', false],
  ['a', 'a\n\n\nb', false],
  ['A', 'a', false],
  ['1.0', '1', false],
  ['a\0', 'a', false],
  ['a\u00a0', 'a', false],
]

describe('the compare rule', () => {
  for (const [output, expected, matches] of cases) {
    it(`${JSON.stringify(output)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(expected)}`, () => {
      for (const size of [1, 2, 3, 1000]) assert.equal(compare(output, expected, size, size), matches)
    })
  }

  it('agrees with its own sentence on any two texts, however they are cut into pieces', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '\t', '\r', '\n', '\n', '\f', '\v', '\0'),
      maxLength: 14,
    })
    const size = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(text, text, size, size, (one, other, cut, otherCut) => {
        assert.equal(compare(one, other, cut, otherCut), canonical(one) === canonical(other))
      }),
      { numRuns: 3000 },
    )
  })

  it('forgives what it must in a text that is right', () => {
    const line = fc.string({ unit: fc.constantFrom('x', 'y', ' ', '\t'), maxLength: 8 })
    const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\f', '\v'), maxLength: 4 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, blanks), { maxLength: 6 }),
        fc.array(blanks, { maxLength: 3 }),
        (rows, tail) => {
          const expected = rows.map(([text]) => text).join('\n')
          const output = [...rows.map(([text, more]) => text + more), ...tail].join('\n')
          assert.equal(compare(output, expected, 3, 4), true)
        },
      ),
    )
  })
})

function compare(output: string, expected: string, outputCut: number, expectedCut: number): boolean {
  const wanted = pieces(expected, expectedCut)
  const comparison = makeComparison({ kind: 'lines' }, () => wanted.shift() ?? new Uint8Array(0))
  for (const piece of pieces(output, outputCut)) comparison.feed(piece)
  return comparison.finish() === null
}

/** The rule as it is written, with the whole text at hand. */
function canonical(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\r\f\v]+$/, ''))
  while (lines.at(-1) === '') lines.pop()
  return lines.join('\n')
}
