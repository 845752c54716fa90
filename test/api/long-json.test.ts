/** Long bodies of JSON: parsed in pieces, they are what JSON.parse makes of them whole, and hold nobody up. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { makeJsonParsing } from '../../src/api/json/json-parsing.ts'
import { LongJson } from '../../src/api/json/long-json.ts'
import { Failure } from '../../src/lib/failure.ts'
import { damage, harm, parseWhole, part, spell } from '../support/spelled-json.ts'

const values = 100_000

function parse(json: Buffer, bounds: object = {}): unknown {
  const long = new LongJson(json, { values, pieceBytes: 16, ...bounds })
  while (!long.read());
  return long.value
}

function tryParse(json: Buffer): unknown {
  try {
    return parse(json)
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error))
    return undefined
  }
}

const text = (json: string) => Buffer.from(json)

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.jsonValue(),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(tie('value'), { maxLength: 6 }),
    fc
      .array(fc.tuple(fc.oneof(fc.string({ maxLength: 20 }), fc.constant('__proto__')), tie('value')), { maxLength: 6 })
      .map((members) => ({ members })),
  ),
})).value

const spelled = fc
  .tuple(value, fc.infiniteStream(part))
  .map(([given, stream]) => Buffer.from(spell(given, () => stream.next().value)))

describe('long JSON', () => {
  test('parsed in pieces is what JSON.parse makes of it, be it JSON or not', () => {
    fc.assert(
      fc.property(spelled, fc.array(damage, { maxLength: 2 }), (json, damages) => {
        const given = damages.reduce(harm, json)
        // What is not UTF-8 is refused before, or decoded by Node.
        if (!isUtf8(given)) return
        const whole = parseWhole(given)
        assert.deepEqual(tryParse(given), whole)
      }),
      { numRuns: 3_000 },
    )
  })

  for (const [what, json] of [
    ['a comma before the end of a long list', `["${'a'.repeat(40)}",]`],
    ['two commas', `["${'a'.repeat(40)}",,"b"]`],
    ['a comma at the start', `[,"${'a'.repeat(40)}"]`],
    ['two long values without a comma', `["${'a'.repeat(40)}" "${'b'.repeat(40)}"]`],
    ['a word after a long value', `["${'a'.repeat(40)}"b]`],
    ['a member without a name', `{"${'a'.repeat(40)}"}`],
    ['a name without quotes', `{a:["${'a'.repeat(40)}"]}`],
    ['two names', `{"a":"b":["${'a'.repeat(40)}"]}`],
    ['brackets of two kinds', `{"a":["${'a'.repeat(40)}"}]`],
    ['no end', `{"a":["${'a'.repeat(40)}"`],
    ['a text without an end', `["${'a'.repeat(40)}`],
    ['more after the end', `["${'a'.repeat(40)}"] 1`],
    ['a control character in a long text', `["${'a'.repeat(40)}\n${'a'.repeat(40)}"]`],
    ['half of an escape', `["${'a'.repeat(40)}\\u00"]`],
  ] as const)
    test(`with ${what} is refused`, () => {
      assert.throws(() => JSON.parse(json))
      assert.throws(() => parse(text(json)), SyntaxError)
    })

  test('has so many values, members of an object and levels, and no more', () => {
    const list = (count: number) => text(JSON.stringify(Array.from({ length: count }, (_, i) => i)))
    assert.deepEqual(parse(list(50), { values: 50 }), JSON.parse(list(50).toString()))
    assert.throws(() => parse(list(51), { values: 50 }), /more than 50 values/)
    const object = (count: number) =>
      text(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i]))))
    assert.equal(Object.keys(parse(object(10_000)) as object).length, 10_000)
    assert.throws(() => parse(object(10_001)), /more than 10000 members/)
    const deep = (levels: number) => text('['.repeat(levels) + ']'.repeat(levels))
    assert.ok(parse(deep(30), { depth: 30 }))
    assert.throws(() => parse(deep(31), { depth: 30 }), /deeper than 30 levels/)
    assert.throws(() => parse(text(`{"${'n'.repeat(70_000)}": 1}`)), /name of a member/)
  })

  test('of fifty thousand levels is parsed like any other', () => {
    let found = parse(text('['.repeat(50_000) + ']'.repeat(50_000)))
    let levels = 0
    for (; Array.isArray(found); found = found[0]) levels++
    assert.equal(levels, 50_000)
  })
})

describe('bodies of two callers', () => {
  const parseJson = makeJsonParsing()
  const account = (id: number) => ({ account: { id }, address: '127.0.0.1' }) as Parameters<typeof parseJson>[0]
  const long = (count: number) => text(JSON.stringify(Array.from({ length: count }, (_, i) => ({ [`name${i}`]: i }))))

  test('are parsed in turn: a short one is there before the long ones that came first', async () => {
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    const bodies = [1, 2, 3].map(() => Promise.resolve(parseJson(account(1), long(60_000))).then(note('long')))
    await Promise.all([...bodies, Promise.resolve(parseJson(account(2), long(5_000))).then(note('short'))])
    assert.equal(order[0], 'short')
  })

  test('who has not signed in sends few values', async () => {
    const stranger = { account: undefined, address: '127.0.0.1' }
    await assert.rejects(
      async () => parseJson(stranger, long(6_000)),
      (error) => error instanceof Failure && error.code === 'too-large',
    )
    assert.ok(await parseJson(stranger, long(4_000)))
  })
})
