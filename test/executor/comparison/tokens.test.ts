/** The rule of tokens, as a table and against a plain reading of the rules that Kattis' default validator documents. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type FoundDifference, makeComparison } from '../../../src/executor/comparison/comparison.ts'
import { readTokenArguments, type TokenSettings } from '../../../src/lib/judging-rules/token-arguments.ts'
import { pieces } from './pieces.ts'

const cases: [words: string, output: string, expected: string, matches: boolean][] = [
  ['', '', '', true],
  ['', ' \n\t', '', true],
  ['', 'a b', 'a\n\n b \n', true],
  ['', '\n a b', 'a b', true],
  ['', 'YES', 'yes', true],
  ['', 'É', 'é', false],
  ['', 'ab', 'a b', false],
  ['', 'a b', 'ab', false],
  ['', 'a', 'a a', false],
  ['', 'a a', 'a', false],
  ['', 'a', '', false],
  ['', '', 'a', false],
  ['', '1.0', '1', false],
  ['case_sensitive', 'YES', 'yes', false],
  ['case_sensitive', 'yes  yes', 'yes yes', true],
  ['space_change_sensitive', 'a  b', 'a b', false],
  ['space_change_sensitive', 'a b\n', 'a b\n', true],
  ['space_change_sensitive', 'a b', 'a b\n', false],
  ['space_change_sensitive', 'a b\n', 'a b', false],
  ['space_change_sensitive', ' a', 'a', false],
  ['space_change_sensitive', 'a\tb', 'a b', false],
  ['space_change_sensitive', 'A b', 'a b', true],
  ['space_change_sensitive float_tolerance 0.1', '1.0 2', '1 2', true],
  ['space_change_sensitive float_tolerance 0.1', '1.0  2', '1 2', false],
  ['float_tolerance 1e-6', '3.14000000e-2', '0.0314', true],
  ['float_tolerance 1e-6', '1.000001', '1', true],
  ['float_tolerance 1e-6', '1.0000010000000001', '1', false],
  ['float_tolerance 1e-6', '1000001', '1000000', true],
  ['float_tolerance 1e-6', '1000001.1', '1000000', false],
  ['float_relative_tolerance 1e-6', '0.0000001', '0', false],
  ['float_relative_tolerance 1e-6', '0.0', '0', true],
  ['float_relative_tolerance 1e-6', '-1', '1', false],
  ['float_absolute_tolerance 1e-6', '0.0000001', '0', true],
  ['float_absolute_tolerance 1e-6', '1000000.1', '1000000', false],
  ['float_absolute_tolerance 1e-6', '1000000000000000001', '1000000000000000000', false],
  ['float_absolute_tolerance 0.5', '1e400', '1e400', true],
  ['float_absolute_tolerance 0.5', '10e399', '1e400', true],
  ['float_absolute_tolerance 0.5', '1e400', '2e400', false],
  ['float_tolerance 1e-6', '+1. .5', '1 0.50', true],
  ['float_tolerance 1e-6', 'yes 1.0000000001', 'YES 1', true],
  ['float_tolerance 1e-6', 'nan', '1', false],
  ['float_tolerance 1e-6', 'inf', '1e308', false],
  ['float_tolerance 1e-6', 'NaN inf', 'nan Inf', true],
  ['float_tolerance 1e-6', '1x', '1', false],
  ['float_tolerance 1e-6', '1', '1x', false],
  ['float_tolerance 1e-6', '0x10', '16', false],
  ['float_tolerance 1e-6', '1.0 2', '1', false],
  ['float_tolerance 1e-6', '1.0', '1 2', false],
  ['float_tolerance 1e-6', '', '0', false],
  ['float_tolerance 1e-6', '0', '', false],
  ['float_tolerance 1e-6 case_sensitive', 'A 1.0', 'a 1', false],
]

describe('the rule of tokens', () => {
  for (const [words, output, expected, matches] of cases) {
    const title = `${JSON.stringify(output)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(expected)}`
    it(`${words || 'by itself'}: ${title}`, () => {
      for (const size of [1, 2, 3, 1000])
        assert.equal(compare(settingsOf(words), output, expected, size, size) === null, matches)
    })
  }

  it('agrees with the documented rules on any two texts, however they are cut into pieces', () => {
    const number = fc.constantFrom(
      '0',
      '1',
      '1.0',
      '1.05',
      '0.95',
      '1e0',
      '10e-1',
      '-1',
      '.9',
      '1.',
      '1.1',
      '1.2',
      '2',
      '12',
    )
    const word = fc.oneof(number, fc.constantFrom('a', 'A', 'ab', 'x', '1x', '.', 'e', 'nan', '-'))
    const blank = fc.constantFrom(' ', ' ', '\n', '  ', '\r\n', '\t', '')
    const text = fc.array(fc.tuple(blank, word), { maxLength: 5 }).map((parts) => parts.flat().join(''))
    const nearly = fc
      .tuple(text, text, fc.boolean())
      .map(([one, other, isSame]) => [one, isSame ? one : other] as const)
    const tolerance = fc.constantFrom(null, '0.1', '0.05')
    const settings: fc.Arbitrary<TokenSettings> = fc.record({
      isCaseSensitive: fc.boolean(),
      isSpaceSensitive: fc.boolean(),
      tolerance: fc
        .record({ absolute: tolerance, relative: tolerance })
        .map((both) => (both.absolute === null && both.relative === null ? null : both)),
    })
    const size = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(settings, nearly, blank, size, size, (how, [one, other], end, cut, otherCut) => {
        const found = compare(how, one + end, other, cut, otherCut)
        assert.equal(found === null, isRight(how, one + end, other))
      }),
      { numRuns: 20_000 },
    )
  })

  it('compares tokens of a mebibyte as texts, and numbers no longer than a number is', () => {
    const long = '7'.repeat(1 << 20)
    const settings = settingsOf('float_tolerance 0.1')
    assert.equal(compare(settings, `${long} 1.0`, `${long} 1`, 65_536, 60_000), null)
    assert.ok(compare(settings, `${long}8`, `${long}7`, 65_536, 60_000))
    assert.ok(compare(settings, `1.${'0'.repeat(5000)}`, '1', 65_536, 60_000))
    assert.ok(compare(settings, '1', `1.${'0'.repeat(5000)}`, 65_536, 60_000))
  })

  it('takes no arguments but its own', () => {
    for (const words of [['float_tolerance'], ['float_tolerance', 'x'], ['float_tolerance', '-1'], ['unknown']])
      assert.ok('wrong' in readTokenArguments(words), words.join(' '))
  })
})

describe('the first difference', () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => `line ${i}`)
  const differ = (got: string[], expected: string[], cut = 777): FoundDifference | null => {
    const wanted = pieces(expected.join('\n'), 512)
    const comparison = makeComparison({ kind: 'lines' }, () => wanted.shift() ?? new Uint8Array(0))
    for (const piece of pieces(got.join('\n'), cut)) comparison.feed(piece)
    return comparison.finish()
  }
  it('is shown from its line on, cut to a screen', () => {
    const wrong = [...lines]
    wrong[1_000] = 'line X'
    const found = differ(wrong, lines)!
    assert.match(found.got, /^line X\nline 1001\n/)
    assert.match(found.expected, /^line 1000\nline 1001\n/)
    assert.equal(found.at, lines.slice(0, 1_000).join('\n').length + 1 + 'line '.length)
    for (const text of [found.got, found.expected]) {
      assert.ok(text.endsWith('…') && text.split('\n').length === 10, text)
    }
  })
  it('is shown at the end of either text', () => {
    assert.deepEqual(differ(lines.slice(0, 3), lines.slice(0, 4)), { got: '', expected: 'line 3', at: 21 })
    assert.deepEqual(differ(lines.slice(0, 4), lines.slice(0, 3)), { got: 'line 3', expected: '', at: 21 })
    assert.deepEqual(differ([''], ['a']), { got: '', expected: 'a', at: 0 })
  })
  it('is found within a line of a mebibyte', () => {
    const long = 'x'.repeat(1 << 20)
    const found = differ([`${long}a${long}`], [`${long}b${long}`])!
    assert.match(found.got, /^…x{200}ax+…$/)
    assert.match(found.expected, /^…x{200}bx+…$/)
    assert.ok(found.got.length <= 1_002)
  })
})

function settingsOf(words: string): TokenSettings {
  const settings = readTokenArguments(words.split(' ').filter(Boolean))
  assert.ok(!('wrong' in settings))
  return settings
}

function compare(settings: TokenSettings, output: string, expected: string, cut: number, expectedCut: number) {
  const wanted = pieces(expected, expectedCut)
  const comparison = makeComparison({ kind: 'tokens', settings }, () => wanted.shift() ?? new Uint8Array(0))
  for (const piece of pieces(output, cut)) comparison.feed(piece)
  return comparison.finish()
}

/** The rules as they are documented, with both whole texts at hand and fractions for numbers. */
function isRight(settings: TokenSettings, output: string, expected: string): boolean {
  const split = (text: string) => text.match(/[ \t\n\v\f\r]+|[^ \t\n\v\f\r]+/g) ?? []
  const isBlank = (text: string) => /^\s/.test(text)
  const [got, wanted] = [output, expected].map((text) =>
    settings.isSpaceSensitive ? split(text) : split(text).filter((each) => !isBlank(each)),
  ) as [string[], string[]]
  if (got.length !== wanted.length) return false
  return wanted.every((want, i) => {
    const have = got[i]!
    if (isBlank(want) || isBlank(have)) return want === have
    if (settings.isCaseSensitive ? want === have : want.toLowerCase() === have.toLowerCase()) return true
    const [w, h] = [fractionOf(want), fractionOf(have)]
    if (!settings.tolerance || !w || !h) return false
    const { absolute, relative } = settings.tolerance
    const size = (value: bigint) => (value < 0n ? -value : value)
    const apart = [size(w[0] * h[1] - h[0] * w[1]), w[1] * h[1]] as const
    const isAtMost = (limit: readonly [bigint, bigint]) => apart[0] * limit[1] <= limit[0] * apart[1]
    if (absolute !== null && isAtMost(fractionOf(absolute)!)) return true
    if (relative === null) return false
    const part = fractionOf(relative)!
    return isAtMost([part[0] * size(w[0]), part[1] * w[1]])
  })
}

function fractionOf(text: string): [bigint, bigint] | null {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text)
  if (!found || (found[2] === '' && !found[3])) return null
  const [, sign, whole, part = '', power = '0'] = found
  let top = BigInt(`${whole}${part}`) * (sign === '-' ? -1n : 1n)
  let bottom = 10n ** BigInt(part.length)
  if (Number(power) >= 0) top *= 10n ** BigInt(power)
  else bottom *= 10n ** BigInt(-Number(power))
  return [top, bottom]
}
