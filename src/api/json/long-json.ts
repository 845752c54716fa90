/**
 * Parses long JSON piece by piece, with the same result as JSON.parse. It finds brackets, commas and quotes itself and
 * passes the text between them to JSON.parse, so each byte is read twice, however the values are nested.
 */
import { Failure } from '../../lib/failure.ts'

/** No call needs an object with so many members. Names take the longest to parse. */
export const maxMembers = 10_000
const maxNameBytes = 64 * 1024

/** The usual length passed to JSON.parse; a number or white space may be longer. */
const usualPieceBytes = 32 * 1024
/** Finding the end of a string is faster than parsing it. */
const seekBytes = 1024 * 1024

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** An open container. `start` and `last` are the positions of its first and its last unparsed member. */
type Level = { readonly isObject: boolean; readonly openedAt: number; start: number; last: number }
/** A level longer than a piece, with its members so far; `name` is its name in the enclosing level. */
type Frame = { readonly value: unknown[] | Record<string, unknown>; readonly name: string | undefined; members: number }
/** A string longer than a piece. */
type UnfinishedText = { readonly name: string | undefined; readonly end: number; at: number; read: string }

export type LongJsonBounds = { readonly values: number; readonly depth?: number; readonly pieceBytes?: number }

export class LongJson {
  /** The parsed value, once `read` has returned true. */
  value: unknown
  readonly #bytes: Buffer
  readonly #maxValues: number
  readonly #maxDepth: number
  readonly #pieceBytes: number
  readonly #levels: Level[] = []
  /** Frames of the outermost levels. */
  readonly #frames: Frame[] = []
  #at: number
  #values = 0
  /** Where the string begins whose end is being searched, or -1. */
  #textStart = -1
  #text: UnfinishedText | undefined
  /** A long value has just ended: a comma or the end of the enclosing level must follow. */
  #isAfterValue = false
  /** The next member of the innermost frame follows a comma. */
  #isAfterComma = false

  constructor(bytes: Buffer, most: LongJsonBounds) {
    this.#bytes = bytes
    this.#maxValues = most.values
    this.#maxDepth = most.depth ?? Number.POSITIVE_INFINITY
    this.#pieceBytes = most.pieceBytes ?? usualPieceBytes
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  }

  /** Reads a piece, and returns whether it was the last. Throws a SyntaxError for invalid JSON. */
  read(): boolean {
    if (this.#text) this.#readText(this.#text)
    else if (this.#textStart >= 0) this.#seekEnd()
    else if (this.#levels.length === 0) return this.#begin()
    else return this.#readLevels()
    return false
  }

  #begin(): boolean {
    while (isSpace(this.#bytes[this.#at])) this.#at++
    const byte = this.#bytes[this.#at]
    if (byte === openBracket || byte === openBrace) {
      this.#open(byte === openBrace)
      return false
    }
    this.value = this.#parse(this.#at, this.#bytes.length)
    return true
  }

  #readLevels(): boolean {
    const stop = Math.min(this.#bytes.length, this.#at + this.#pieceBytes)
    while (this.#at < stop) {
      const byte = this.#bytes[this.#at]!
      if (byte === comma) this.#passComma()
      else if (byte === closeBracket || byte === closeBrace) {
        if (this.#close(byte === closeBrace)) return true
      } else if (byte !== quote && byte !== openBracket && byte !== openBrace) {
        if (this.#isAfterValue && !isSpace(byte)) throw malformed()
        this.#at++
      } else if (this.#isAfterValue) throw malformed()
      else if (byte === quote) {
        this.#textStart = this.#at++
        this.#seekEnd()
        if (this.#textStart >= 0 || this.#text) return false
      } else this.#open(byte === openBrace)
    }
    if (this.#at >= this.#bytes.length) throw malformed()
    this.#flush()
    return false
  }

  #open(isObject: boolean): void {
    this.#countValue()
    if (this.#levels.length === this.#maxDepth) throw tooDeep(this.#maxDepth)
    const openedAt = this.#at++
    this.#levels.push({ isObject, openedAt, start: this.#at, last: this.#at })
  }

  #passComma(): void {
    this.#countValue()
    const level = this.#levels.at(-1)!
    level.last = ++this.#at
    if (!this.#isAfterValue) return
    level.start = this.#at
    this.#isAfterValue = false
    this.#isAfterComma = true
  }

  /** An empty list or object counts as two. */
  #countValue(): void {
    if (++this.#values > this.#maxValues) throw tooMany(`The body has more than ${this.#maxValues} values`)
  }

  #close(isObject: boolean): boolean {
    const level = this.#levels.at(-1)!
    if (this.#levels.length > this.#frames.length) {
      this.#at++
      this.#levels.pop()
      if (this.#levels.length > 0) return false
      this.value = this.#parse(level.openedAt, this.#at)
      return this.#end()
    }
    if (isObject !== level.isObject) throw malformed()
    if (!this.#isAfterValue) this.#add(level.start, this.#at, this.#isAfterComma)
    this.#at++
    this.#levels.pop()
    const { value, name } = this.#frames.pop()!
    if (this.#frames.length > 0) {
      this.#addValue(name, value)
      return false
    }
    this.value = value
    return this.#end()
  }

  #end(): true {
    for (; this.#at < this.#bytes.length; this.#at++) if (!isSpace(this.#bytes[this.#at])) throw malformed()
    return true
  }

  /** Makes all levels frames, and parses those of their members that have ended. */
  #flush(): void {
    if (this.#isAfterValue) return
    for (let depth = Math.max(0, this.#frames.length - 1); depth < this.#levels.length; depth++) {
      const level = this.#levels[depth]!
      if (depth === this.#frames.length) {
        const name = depth > 0 ? this.#readName(this.#levels[depth - 1]!, level.openedAt) : undefined
        this.#frames.push({ value: level.isObject ? {} : [], name, members: 0 })
        this.#isAfterComma = false
      }
      if (level.last === level.start) continue
      this.#add(level.start, level.last - 1, true)
      level.start = level.last
      this.#isAfterComma = true
    }
  }

  /** Reads the name between the last comma of a level and the value that begins at `end`. */
  #readName({ isObject, last }: Level, end: number): string | undefined {
    if (isObject) {
      const [name] = Object.keys(JSON.parse(`{${this.#bytes.toString('utf8', last, end)}0}`))
      if (name === undefined) throw malformed()
      return name
    }
    for (let at = last; at < end; at++) if (!isSpace(this.#bytes[at])) throw malformed()
    return undefined
  }

  /** Adds whole members to the innermost frame. `isSome`: there must be at least one, because a comma is beside it. */
  #add(start: number, end: number, isSome: boolean): void {
    const frame = this.#frames.at(-1)!
    const text = this.#bytes.toString('utf8', start, end)
    if (Array.isArray(frame.value)) {
      const part: unknown[] = JSON.parse(`[${text}]`)
      if (isSome && part.length === 0) throw malformed()
      for (const one of part) frame.value.push(one)
    } else {
      const part: Record<string, unknown> = JSON.parse(`{${text}}`)
      const names = Object.keys(part)
      if (isSome && names.length === 0) throw malformed()
      for (const name of names) setMember(frame, name, part[name])
    }
  }

  #addValue(name: string | undefined, value: unknown): void {
    const frame = this.#frames.at(-1)!
    if (Array.isArray(frame.value)) frame.value.push(value)
    else setMember(frame, name!, value)
    this.#isAfterValue = true
  }

  /** Searches the end of a string. A short string is parsed together with its surroundings. */
  #seekEnd(): void {
    const limit = Math.min(this.#bytes.length, this.#at + seekBytes)
    const found = findEnd(this.#bytes, this.#at, limit)
    this.#at = found.at
    if (!found.isEnd) {
      if (found.at >= this.#bytes.length) throw malformed()
      return
    }
    const start = this.#textStart
    const end = this.#at++
    this.#textStart = -1
    if (end - start <= this.#pieceBytes) return
    let next = this.#at
    while (isSpace(this.#bytes[next])) next++
    if (this.#bytes[next] !== colon) {
      this.#flush()
      this.#text = { name: this.#readName(this.#levels.at(-1)!, start), end, at: start + 1, read: '' }
    } else if (end - start > maxNameBytes) throw tooMany(`The name of a member is over ${maxNameBytes} bytes`)
  }

  #readText(text: UnfinishedText): void {
    const stop = text.at + this.#pieceBytes < text.end ? endOfPiece(this.#bytes, text.at, this.#pieceBytes) : text.end
    text.read += JSON.parse(`"${this.#bytes.toString('utf8', text.at, stop)}"`)
    text.at = stop
    if (stop < text.end) return
    this.#text = undefined
    this.#addValue(text.name, text.read)
  }

  #parse(start: number, end: number): unknown {
    return JSON.parse(this.#bytes.toString('utf8', start, end))
  }
}

function setMember(frame: Frame, name: string, value: unknown): void {
  if (++frame.members > maxMembers) throw tooMany(`An object in the body has more than ${maxMembers} members`)
  const object = frame.value as Record<string, unknown>
  // A plain assignment would set the object's prototype.
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  else object[name] = value
}

/** Each API adds its own advice. */
const tooMany = (what: string) => new Failure('invalid', 'too-large', `${what}.`)

export const tooDeep = (most: number) =>
  new Failure('invalid', 'too-deep', `The body is nested deeper than ${most} levels: make it flatter.`)

const malformed = () => new SyntaxError('The text is not JSON.')

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The closing quote of a string, or where to continue searching. No escape begins before `from`. */
function findEnd(bytes: Buffer, from: number, limit: number): { at: number; isEnd: boolean } {
  for (let at = from; ; ) {
    const found = findQuote(bytes, at, limit)
    let slashes = 0
    while (found - 1 - slashes >= at && bytes[found - 1 - slashes] === backslash) slashes++
    const isEscaped = slashes % 2 === 1
    if (found === limit) return { at: isEscaped ? limit + 1 : limit, isEnd: false }
    if (!isEscaped) return { at: found, isEnd: true }
    at = found + 1
  }
}

/** Like indexOf, whose call costs too much if millions of quotes are close together. */
function findQuote(bytes: Buffer, from: number, limit: number): number {
  const near = Math.min(from + 16, limit)
  for (let at = from; at < near; at++) if (bytes[at] === quote) return at
  const found = bytes.subarray(near, limit).indexOf(quote)
  return found === -1 ? limit : near + found
}

/** The longest piece that cuts no character and no escape. */
function endOfPiece(bytes: Buffer, start: number, length: number): number {
  let end = start + length
  while ((bytes[end]! & 0xc0) === 0x80) end--
  const tail = Math.max(start, end - 5)
  const last = tail + bytes.subarray(tail, end).lastIndexOf(backslash)
  if (last < tail) return end
  let first = last
  while (first > start && bytes[first - 1] === backslash) first--
  const isEscaped = (last - first) % 2 === 1
  const escapeBytes = bytes[last + 1] === 0x75 ? 6 : 2
  return isEscaped || last + escapeBytes <= end ? end : last
}
