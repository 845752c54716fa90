/** Reading pushed bodies: what is JSON and what is not, and that items keep their own bytes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readMembers, writeDistinct, writeMembers } from '../../src/datasets/items/json-text.ts'
import { compareNumbers } from '../../src/datasets/items/number-order.ts'
import { scanItems } from '../../src/datasets/items/scan.ts'
import { maxDepth } from '../../src/datasets/items/scan-value.ts'
import { measureFields } from '../../src/datasets/summaries/summary.ts'
import { Failure } from '../../src/lib/failure.ts'

const scan = (text: string | Buffer) => scanItems(Buffer.from(text))
const linesOf = (text: string) => scan(text).lines.toString()

function failureOf(text: string | Buffer): Failure {
  try {
    scan(text)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new assert.AssertionError({ message: `accepted: ${text}` })
}

test('items keep their own bytes, less the white space between tokens', () => {
  const cases: [string, string][] = [
    ['{}', '{}\n'],
    [' \r\n\t{ } ', '{}\n'],
    ['[]', ''],
    [' [ ] ', ''],
    ['[{}]', '{}\n'],
    ['[{},{}]', '{}\n{}\n'],
    ['[ {"a" : 1 } ,\n {"b":[ 1 , 2 ,{ } ] } ] ', '{"a":1}\n{"b":[1,2,{}]}\n'],
    [
      '{"a":12345678901234567890,"b":-0,"c":1e400,"d":1.50E+05}',
      '{"a":12345678901234567890,"b":-0,"c":1e400,"d":1.50E+05}\n',
    ],
    ['{"a":1,"a":2}', '{"a":1,"a":2}\n'],
    ['{"10":1,"2":2,"__proto__":{"x":1}}', '{"10":1,"2":2,"__proto__":{"x":1}}\n'],
    ['{"a":" b\\n c ","\\u0041":"\\ud800"}', '{"a":" b\\n c ","\\u0041":"\\ud800"}\n'],
    ['\ufeff{"a":1}', '{"a":1}\n'],
    ['\ufeff[{"a":"ž€😀"}]', '{"a":"ž€😀"}\n'],
    ['[{"a":1} , {"b" :2}]', '{"a":1}\n{"b":2}\n'],
    ['[{"a":"x\\\\"} ,{"b":"\\"  ,"}]', '{"a":"x\\\\"}\n{"b":"\\"  ,"}\n'],
  ]
  for (const [text, lines] of cases) assert.equal(linesOf(text), lines, text)
})

test('what is not JSON is refused as invalid-json', () => {
  const cases = [
    '',
    '  ',
    '[',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[{},]',
    '[,{}]',
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
  ]
  const more = [
    '{"a":+1}',
    '{"a":1e}',
    '{"a":-}',
    '{"a":tru}',
    '{"a":nul}',
    '{"a":NaN}',
    "{'a':1}",
    '{a:1}',
    '{"a":"\n"}',
  ]
  const evenMore = ['{"a":"\\x"}', '{"a":"\\u12g4"}', '{"a":"', '{"a":"\\', '{"a":1 2}', '{"a":1"b":2}', '{"a":[1 2]}']
  const last = [
    '[{}{}]',
    '[{} {}]',
    '{}{}',
    '{} x',
    '[{}]]',
    '[{}] 1',
    '{"a":tr ue}',
    '{"a":1]',
    '{"a":[1}',
    '{,}',
    '{"a":[,1]}',
  ]
  for (const text of [...cases, ...more, ...evenMore, ...last]) assert.equal(failureOf(text).code, 'invalid-json', text)
  assert.equal(failureOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])).code, 'invalid-json')
  assert.equal(failureOf(Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])).code, 'invalid-json')
})

test('an element that is no object is refused with its position', () => {
  for (const [text, position] of [
    ['[1]', 0],
    ['[{},"x"]', 1],
    ['[{},{},[]]', 2],
    ['[{} , null]', 1],
    ['[{},{}, true]', 2],
  ] as const) {
    const { code, detail } = failureOf(text)
    assert.equal(code, 'invalid-value', text)
    assert.equal(detail.itemPosition, position, text)
  }
  for (const text of ['1', '"x"', 'null', 'true', '-1']) {
    const { code, detail } = failureOf(text)
    assert.deepEqual([code, detail.itemPosition], ['invalid-value', 0], text)
  }
  assert.equal(failureOf('[{},{"a":x}]').detail.itemPosition, 1)
  assert.equal(failureOf(Buffer.from('[{}, {"a":"\xe9"}]', 'latin1')).detail.itemPosition, 1)
})

test('nesting goes to 256, the item being 1', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
  const arrays = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  assert.equal(scan(nested(maxDepth)).count, 1)
  assert.equal(scan(arrays(maxDepth)).count, 1)
  for (const text of [nested(maxDepth + 1), arrays(maxDepth + 1), nested(100_000)])
    assert.equal(failureOf(`[{},${text}]`).detail.itemPosition, 1)
})

test('names, clean and hidden items are counted', () => {
  const { count, cleanCount, hiddenCount, names } = scan(
    '[{"a":1},{},{"#h":1},{"\\u0023i":1},{"b":{"#no":1},"#h":2},{"__proto__":1,"a":2}]',
  )
  assert.deepEqual({ count, cleanCount, hiddenCount }, { count: 6, cleanCount: 3, hiddenCount: 3 })
  assert.deepEqual(names, ['a', '#h', '#i', 'b', '__proto__'])
})

const jsonObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }), { maxKeys: 6 })

test('any objects, with any white space, come back as JSON.stringify writes them', () => {
  const indent = fc.constantFrom('', ' ', '\t', ' \n', '    ')
  fc.assert(
    fc.property(fc.array(jsonObject, { maxLength: 5 }), indent, (items, space) => {
      const expected = items.map((item) => `${JSON.stringify(item)}\n`).join('')
      assert.equal(linesOf(JSON.stringify(items, null, space)), expected)
      for (const item of items) assert.equal(linesOf(JSON.stringify(item, null, space)), `${JSON.stringify(item)}\n`)
    }),
  )
})

const few = fc.constantFrom('a', 'b', '#c', 'long name', '\u0023d', '"')
const { alike } = fc.letrec((tie) => ({
  alike: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('', 'x', 'a "text" of words\n')),
    fc.array(tie('alike'), { maxLength: 3 }),
    fc.dictionary(few, tie('alike'), { maxKeys: 3 }),
  ),
}))
/** Many items of few shapes: most of each was met before. */
const alikeItems = fc.array(fc.dictionary(few, alike, { maxKeys: 4 }), { minLength: 3, maxLength: 12 })

/** A body of one item many times, before another of others. */
const scanOften = (item: object) => scan(JSON.stringify(Array(300).fill(item)))

test('items that resemble each other are counted and named as each would be alone', () => {
  fc.assert(
    fc.property(alikeItems, fc.boolean(), (items, isWarm) => {
      if (isWarm) scanOften(items[0]!)
      const scanned = scan(JSON.stringify(items))
      const alone = items.map((item) => scan(JSON.stringify(item)))
      const sum = (key: 'count' | 'cleanCount' | 'hiddenCount') => alone.reduce((all, one) => all + one[key], 0)
      assert.equal(scanned.lines.toString(), alone.map(({ lines }) => lines).join(''))
      for (const key of ['count', 'cleanCount', 'hiddenCount'] as const) assert.equal(scanned[key], sum(key))
      assert.deepEqual(scanned.names, [...new Set(alone.flatMap(({ names }) => names))])
    }),
    { numRuns: 500 },
  )
})

const change = fc.record({ at: fc.nat(), byte: fc.constantFrom(...' \n{}[],:"\\01-+.eEtrufalsn\0x') })
const changes = fc.array(change, { minLength: 1, maxLength: 3 })

for (const [what, items, isWarm] of [
  ['a body', fc.array(jsonObject, { minLength: 1, maxLength: 3 }), false],
  ['a body of items that resemble each other', alikeItems, false],
  ['a body of items that resemble one that came often', alikeItems, true],
] as const)
  test(`${what} that was tampered with is taken exactly if JSON.parse takes it`, () => {
    fc.assert(
      fc.property(items, changes, (items, changes) => {
        if (isWarm) scanOften(items[0]!)
        let text = JSON.stringify(items, null, changes[0]!.at % 2)
        for (const { at, byte } of changes)
          text = text.slice(0, at % text.length) + byte + text.slice((at % text.length) + 1)
        const expected = parse(text.toWellFormed())
        const isTaken = Array.isArray(expected) && expected.every(isObject)
        if (isTaken || isObject(expected)) assert.equal(scan(text.toWellFormed()).count, isTaken ? expected.length : 1)
        else failureOf(text.toWellFormed())
      }),
      { numRuns: isWarm ? 500 : 2000 },
    )
  })

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

test('fields are measured as JavaScript counts them: numbers by value, texts and arrays by length, objects by size', () => {
  const sizeOf = (value: unknown) => {
    if (typeof value === 'string' || Array.isArray(value)) return value.length
    return typeof value === 'object' ? Object.keys(value!).length : Number(value)
  }
  fc.assert(
    fc.property(fc.array(jsonObject, { minLength: 1, maxLength: 6 }), (items) => {
      const expected = new Map<string, (number | null)[]>()
      for (const item of items)
        for (const [name, value] of Object.entries(item))
          expected.set(name, [...(expected.get(name) ?? []), value === null ? null : sizeOf(value)])
      const ranges = measureFields(scan(JSON.stringify(items)).lines)
      assert.deepEqual(new Set(ranges.keys()), new Set(expected.keys()))
      for (const [name, { min, max, nullCount, presentCount }] of ranges) {
        const all = expected.get(name)!
        const sizes = all.filter((size) => size !== null)
        const range = sizes.length === 0 ? [null, null] : [Math.min(...sizes), Math.max(...sizes)]
        assert.deepEqual(
          [min, max].map((text) => (text === null ? null : Number(text))),
          range,
        )
        assert.deepEqual([nullCount, presentCount], [all.length - sizes.length, all.length])
      }
    }),
  )
  const digits = measureFields(Buffer.from('{"a":9007199254740993}\n{"a":9007199254740992}\n{"a":1,"a":1e400}\n')).get(
    'a',
  )
  assert.deepEqual([digits?.min, digits?.max], ['9007199254740992', '1e400'])
})

test('an item read and written again is the same, digit for digit', () => {
  for (const text of ['{"a":-0,"b":1e400,"c":123456789012345678901234567890,"10":1,"2":[1.0,{}],"__proto__":null}'])
    assert.equal(writeMembers(readMembers(text)), text)
  assert.equal(writeMembers(readMembers('{"a":1,"b":2,"a":3}')), '{"a":3,"b":2}')
  for (const text of ['{"a":"\\u0041\\"\\\\","b":"\\ud800"}', '{"a\\\\":"]}\\\\\\"","b":[",{"]}'])
    assert.equal(writeMembers(readMembers(text)), text)
  assert.equal(writeDistinct('{"a":[{"x":1,"y":[],"x":{"z":1,"z":2}}],"b":2}'), '{"a":[{"x":{"z":2},"y":[]}],"b":2}')
  fc.assert(
    fc.property(jsonObject, (item) =>
      assert.equal(writeMembers(readMembers(JSON.stringify(item))), JSON.stringify(item)),
    ),
  )
})

test('numbers are put in order by value, where doubles are equal by their digits', () => {
  const ascending = [
    '-1e401',
    '-1e400',
    '-9007199254740993',
    '-9007199254740992',
    '-1.0000000000000000001',
    '-1',
    '-1e-400',
  ]
  const more = ['0', '1e-401', '1e-400', '0.1', '0.10000000000000000001', '1', '9007199254740992', '9007199254740993']
  const sorted = [...ascending, ...more, '1e400', '2e400', '1e00401', '1e99999999999999999999']
  for (const [i, a] of sorted.entries())
    for (const [j, b] of sorted.entries()) assert.equal(compareNumbers(a, b), Math.sign(i - j), `${a} ${b}`)
  for (const [a, b] of [
    ['1', '1.0'],
    ['10', '1e1'],
    ['0', '-0.0'],
    ['1e400', '10e399'],
    ['0e9', '0'],
  ] as const)
    assert.equal(compareNumbers(a, b), 0, `${a} ${b}`)
})
