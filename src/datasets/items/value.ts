/**
 * A JSON value that can be changed and written again without loss: names keep their order, digit-only ones and `__proto__`
 * too, and a number keeps its own digits.
 */

export type Value = string | boolean | null | NumberText | Value[] | Fields

/** A number as it was written: `1e400`, `-0` and digits beyond 2^53 stay what they are. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An object's members in their order. */
export class Fields {
  readonly names: string[] = []
  readonly values: Value[] = []

  get size(): number {
    return this.names.length
  }

  indexOf(name: string): number {
    return this.names.indexOf(name)
  }

  get(name: string): Value | undefined {
    return this.values[this.names.indexOf(name)]
  }

  add(name: string, value: Value) {
    this.names.push(name)
    this.values.push(value)
  }
}

/** Reads one stored item: its text has been proved to be JSON when it was pushed. Of a repeated name the last value counts. */
export function readItem(text: string): Fields {
  source = text
  position = 0
  return readValue() as Fields
}

// Positions live in the module, not in a closure or an object: reading is one synchronous walk, and this halves its time.
let source = ''
let position = 0

function readValue(): Value {
  const code = source.charCodeAt(position)
  switch (code) {
    case 0x22:
      return readString()
    case 0x7b:
      return readFields()
    case 0x5b:
      return readArray()
    case 0x74:
      position += 4
      return true
    case 0x66:
      position += 5
      return false
    case 0x6e:
      position += 4
      return null
    default:
      return readNumber()
  }
}

function readString(): string {
  const start = position + 1
  const end = source.indexOf('"', start)
  const text = source.slice(start, end)
  position = end + 1
  if (!text.includes('\\')) return text
  let close = start
  while (source.charCodeAt(close) !== 0x22) close += source.charCodeAt(close) === 0x5c ? 2 : 1
  position = close + 1
  return JSON.parse(source.slice(start - 1, close + 1)) as string
}

function readNumber(): NumberText {
  const start = position
  let code = source.charCodeAt(position)
  while (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2e ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x65 ||
    code === 0x45
  )
    code = source.charCodeAt(++position)
  return new NumberText(source.slice(start, position))
}

function readArray(): Value[] {
  const values: Value[] = []
  position++
  while (source.charCodeAt(position) !== 0x5d) {
    values.push(readValue())
    if (source.charCodeAt(position) === 0x2c) position++
  }
  position++
  return values
}

function readFields(): Fields {
  const fields = new Fields()
  position++
  while (source.charCodeAt(position) === 0x22) {
    const name = readString()
    position++
    fields.add(name, readValue())
    if (source.charCodeAt(position) === 0x2c) position++
  }
  position++
  return fields.size > 1 ? dropRepeats(fields) : fields
}

function dropRepeats(fields: Fields): Fields {
  const { names, values } = fields
  if (names.length <= 16 ? !repeatsByPairs(names) : new Set(names).size === names.length) return fields
  const last = new Map<string, Value>()
  for (let i = 0; i < names.length; i++) last.set(names[i]!, values[i]!)
  const single = new Fields()
  for (const [name, value] of last) single.add(name, value)
  return single
}

function repeatsByPairs(names: string[]): boolean {
  for (let i = 1; i < names.length; i++) for (let j = 0; j < i; j++) if (names[i] === names[j]) return true
  return false
}

/** The value as JSON without white space. A lone half of a surrogate pair stays an escape. */
export function writeValue(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (value instanceof NumberText) return value.text
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`
  return writeFields(value)
}

export function writeFields({ names, values }: Fields): string {
  let text = '{'
  for (let i = 0; i < names.length; i++)
    text += `${i === 0 ? '' : ','}${JSON.stringify(names[i])}:${writeValue(values[i]!)}`
  return `${text}}`
}
