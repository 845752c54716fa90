/** Wrong values: JSON as text, so that it can hold what no program would write, and words for addresses and queries. */
import type { Random } from './random.ts'

/** As much of JSON Schema as the interfaces use. */
export type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const quote = (text: string): string => JSON.stringify(text)

const oddTexts: readonly string[] = [
  '""',
  '"x"',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u2028\\u2029\\r\\n"',
  quote('😀é\u202e中'),
  quote('\u0301'.repeat(50)),
  quote('a'.repeat(300)),
  quote('ß'.repeat(5_000)),
  quote('../../etc/passwd'),
  quote("'; drop table account; --"),
  quote('--upload-pack=touch'),
  quote('nobody/nothing'),
  quote('nobody'),
  quote('__proto__'),
  quote('constructor'),
  quote('2026-02-31T99:99:99Z'),
  quote('+275760-09-13T00:00:00Z'),
  quote('true'),
  quote('null'),
]
const oddNumbers: readonly string[] = [
  '-1',
  '-0',
  '1.5',
  '1e2',
  '1e308',
  '1e400',
  '-1e400',
  '2147483648',
  '4294967296',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551616',
  '1'.repeat(400),
  '0.1e-400',
]
const oddOthers: readonly string[] = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '[null,null,null]',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":1,"a":2}',
  '{"":""}',
  '{"toString":1,"hasOwnProperty":2,"then":3}',
]

const rareTexts: readonly (() => string)[] = [
  () => quote('x'.repeat(200_000)),
  () => '['.repeat(900) + ']'.repeat(900),
  () => '['.repeat(50_000) + ']'.repeat(50_000),
  () => `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  () => `[${Array(20_000).fill('0').join()}]`,
  () => `[${Array(101).fill('"nobody"').join()}]`,
  () => `{${Array.from({ length: 5_000 }, (_, at) => `"k${at}":${at}`).join()}}`,
]

export function drawOddJson(random: Random): string {
  if (random.isChance(0.04)) return random.pick(rareTexts)()
  return random.pick(random.pick([oddTexts, oddTexts, oddNumbers, oddOthers]))
}

/** Something of the right form, which need not mean anything. */
export function drawFitting(random: Random, schema: Schema, depth = 0): string {
  if (schema.enum) return JSON.stringify(random.pick(schema.enum))
  if (schema.anyOf) return drawFitting(random, random.pick(schema.anyOf), depth)
  switch (schema.type) {
    case 'boolean':
      return random.pick(['true', 'false'])
    case 'integer':
    case 'number':
      return String(random.pick([schema.minimum ?? 0, schema.maximum ?? 999_999, 999_999_999]))
    case 'array':
      return `[${random.some([0, 1, 2], 3).map(() => drawFitting(random, schema.items ?? {}, depth + 1))}]`
    case 'object': {
      const members = Object.entries(schema.properties ?? {})
      return depth > 4 ? '{}' : drawObject(random, members, (member) => drawFitting(random, member, depth + 1))
    }
    case 'null':
      return 'null'
    default:
      if (schema.format === 'uuid') return quote('6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11')
      return quote(random.pick(['nobody', 'nothing', 'no-such-thing', 'nobody/nothing', 'y'.repeat(8)]))
  }
}

/** Each member is right, of the right form, or odd; now and then one is missing, there twice, or unknown. */
export function drawBody(random: Random, schema: Schema, right: Readonly<Record<string, string>> = {}): string {
  const schemaOf = schema.anyOf ? random.pick(schema.anyOf) : schema
  if (schemaOf.type === 'array') return drawFitting(random, schemaOf)
  const members = Object.entries(schemaOf.properties ?? {})
  const text = drawObject(random, members, (member, name) => {
    if (random.isChance(0.4) && right[name] !== undefined) return right[name]
    return random.isChance(0.4) ? drawFitting(random, member) : drawOddJson(random)
  })
  if (random.isChance(0.05)) return drawOddJson(random)
  return random.isChance(0.03) ? text.slice(0, random.below(text.length)) : text
}

function drawObject(
  random: Random,
  members: readonly (readonly [string, Schema])[],
  draw: (schema: Schema, name: string) => string,
): string {
  const chosen = members.filter(() => !random.isChance(0.2))
  const parts = chosen.map(([name, schema]) => `${quote(name)}:${draw(schema, name)}`)
  if (random.isChance(0.05) && chosen.length > 0) {
    const [name, schema] = random.pick(chosen)
    parts.push(`${quote(name)}:${draw(schema, name)}`)
  }
  if (random.isChance(0.1))
    parts.push(random.pick(['"__proto__":{"x":1}', '"constructor":1', '"unknown":null', '"":0']))
  return `{${parts.join()}}`
}

const oddWords: readonly string[] = [
  '',
  '%00',
  '%ff',
  '%',
  '%2',
  '%e0%a4%a',
  '%2e%2e',
  '..',
  '.',
  '%2f',
  'a%2fb',
  '%5c',
  '%0a',
  '%0d%0aX-Planted:%20yes',
  '%20',
  '%F0%9F%98%80',
  '%ED%A0%80',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'nobody',
  '-',
  '--help',
  '--output=x',
  '-c',
  '@',
  '@{0}',
  '@{-1}',
  'HEAD',
  'HEAD~1',
  'main^{tree}',
  'main:README.md',
  ':/First',
  'refs%2fheads%2fmain',
  'main..main',
  'main...main',
  'a...b...c',
  '0',
  '-1',
  '1.5',
  '1e3',
  '999999999',
  '9007199254740993',
  '99999999999999999999',
  '0000000000000000000000000000000000000000',
  'ffffffffffffffffffffffffffffffffffffffff',
  'deadbeef',
  'x.git',
  '.git',
  'a.lock',
  '*',
  ';',
  'a;b=c',
  'ann~open',
  '~',
  'me',
]

const rareWords: readonly (() => string)[] = [
  () => 'a'.repeat(5_000),
  () => '.'.repeat(15_000),
  () => `a${'/'.repeat(15_000)}`,
  () => 'a/'.repeat(7_000),
  () => '%20'.repeat(5_000),
  () => '..%2f'.repeat(3_000),
  () => '1'.repeat(15_000),
  () => ','.repeat(15_000),
]

/** As it stands in an address. */
export const drawOddWord = (random: Random): string =>
  random.isChance(0.05) ? random.pick(rareWords)() : random.pick(oddWords)

/** A query of known and unknown names with right and odd values. */
export function drawQuery(
  random: Random,
  names: readonly string[],
  right: Readonly<Record<string, readonly string[]>> = {},
): string {
  const chosen = random.some([...names, ...names, '__proto__', 'a[b]', '', '%00', 'constructor'], 5)
  const parts = chosen.map((name) => {
    const fitting = right[name]
    return `${name}=${fitting && random.isChance(0.6) ? random.pick(fitting) : drawOddWord(random)}`
  })
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}
