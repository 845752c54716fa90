/**
 * Writes an ordinary item as XML straight from its bytes. Where an item needs care (attributes, a repeated name, an escape
 * by number, a name that a feed knows) nothing is written, and `xml.ts` does it from the parsed text.
 */
import { firstMarked, markByte, repeatByte, viewWords } from '../items/byte-words.ts'
import { ByteWriter, Literal } from '../items/byte-writer.ts'
import { ExpectedBytes } from '../items/expected-bytes.ts'
import { decodeName } from '../items/field-names.ts'
import { findScalarEnd, findStringEnd } from '../items/json-walk.ts'
import { sanitizeXmlName } from '../xml/xml-names.ts'

/** A name of objects, as it is written around values. `seenAt` tells, for each depth, in which object it was last met. */
type Tag = {
  readonly name: string
  /** Its bytes up to the value. */
  readonly spelling: ExpectedBytes
  readonly open: Literal
  readonly close: Literal
  readonly empty: Literal
  readonly needsCare: boolean
  readonly seenAt: number[]
  /** The tag that came after it the last time, and the first one within it. */
  follower: Tag | null
  child: Tag | null
}

/** More names than this are data; an item may also become much longer than it is. */
const maxTags = 10_000
const maxItemBytes = 1024 * 1024

const entities: { readonly [byte: number]: Buffer } = {
  60: Buffer.from('&lt;'),
  62: Buffer.from('&gt;'),
  38: Buffer.from('&amp;'),
}
/** What an escape of one letter stands for; others need care. */
const unescaped: { readonly [byte: number]: Buffer } = {
  34: Buffer.from('"'),
  92: Buffer.from('\\'),
  47: Buffer.from('/'),
  110: Buffer.from('\n'),
  116: Buffer.from('\t'),
  114: Buffer.from('&#13;'),
}

export class XmlBytes {
  readonly out: ByteWriter
  readonly #tags = new Map<string, Tag>()
  readonly #rareNames: ReadonlySet<string>
  readonly #row: Tag
  readonly #isFeed: boolean
  #object = 0
  #limit = 0
  #fails = false

  /** `isFeed`: an item without children has both tags. `rareNames`: top-level names that need care. */
  constructor(capacity: number, row: string, isFeed: boolean, rareNames: readonly string[] = []) {
    this.out = new ByteWriter(capacity)
    this.#row = makeTag(Buffer.from(row), row, row, false)
    this.#isFeed = isFeed
    this.#rareNames = new Set(rareNames)
  }

  /** Answers whether the item that starts here was written. */
  writeItem(bytes: Buffer, start: number): boolean {
    const { out } = this
    const before = out.length
    this.#limit = before + maxItemBytes
    this.#fails = false
    this.#writeObject(bytes, start, this.#row, 1)
    if (this.#fails) out.length = before
    return !this.#fails
  }

  #add(part: Literal) {
    this.out.reserve(part.length + 3)
    this.out.addLiteral(part)
  }

  #fail(bytes: Buffer): number {
    this.#fails = true
    return bytes.length
  }

  #writeObject(bytes: Buffer, start: number, tag: Tag, depth: number): number {
    if (this.out.length > this.#limit) return this.#fail(bytes)
    const { out } = this
    const words = viewWords(bytes)
    const opened = out.length
    const object = ++this.#object
    this.#add(tag.open)
    const inside = out.length
    let at = start + 1
    let guess = tag.child
    let last: Tag | null = null
    while (bytes[at] === 0x22) {
      const nameStart = at + 1
      let member = guess?.spelling.isAt(words, nameStart, bytes.length) ? guess : null
      if (member === null) {
        member = this.#findTag(bytes, nameStart, findStringEnd(bytes, nameStart))
        if (member === null) return this.#fail(bytes)
        if (last !== null) last.follower = member
        else tag.child = member
      }
      if (member.needsCare && (depth === 1 || !this.#isRare(member))) return this.#fail(bytes)
      if (member.seenAt[depth] === object) return this.#fail(bytes)
      member.seenAt[depth] = object
      last = member
      guess = member.follower
      at = this.#writeProperty(bytes, nameStart + member.spelling.length, member, depth)
      if (this.#fails) return at
      if (bytes[at] === 0x2c) at++
    }
    if (out.length > inside || (this.#isFeed && depth === 1)) this.#add(tag.close)
    else {
      out.length = opened
      this.#add(tag.empty)
    }
    return at + 1
  }

  #writeProperty(bytes: Buffer, at: number, tag: Tag, depth: number): number {
    return bytes[at] === 0x5b ? this.#writeElements(bytes, at, tag, depth) : this.#writeValue(bytes, at, tag, depth)
  }

  #writeElements(bytes: Buffer, start: number, tag: Tag, depth: number): number {
    let at = start + 1
    while (bytes[at] !== 0x5d && !this.#fails) {
      at = this.#writeValue(bytes, at, tag, depth)
      if (bytes[at] === 0x2c) at++
    }
    return at + 1
  }

  #writeValue(bytes: Buffer, at: number, tag: Tag, depth: number): number {
    if (this.out.length > this.#limit) return this.#fail(bytes)
    const byte = bytes[at]
    if (byte === 0x7b) return this.#writeObject(bytes, at, tag, depth + 1)
    if (byte === 0x5b) {
      this.#add(tag.open)
      const end = this.#writeElements(bytes, at, tag, depth)
      this.#add(tag.close)
      return end
    }
    if (byte === 0x22) return this.#writeString(bytes, at + 1, tag)
    const end = findScalarEnd(bytes, at)
    if (byte === 0x6e) this.#add(tag.empty)
    else {
      this.out.reserve(tag.open.length + tag.close.length + end - at + 3)
      this.out.addLiteral(tag.open)
      this.out.addRange(bytes, at, end)
      this.out.addLiteral(tag.close)
    }
    return end
  }

  /** From the byte after the opening quote; answers the place after the closing one. */
  #writeString(bytes: Buffer, start: number, tag: Tag): number {
    const { out } = this
    const end = findStringEnd(bytes, start)
    // An entity is at most five bytes, for one of the text.
    out.reserve(tag.open.length + tag.close.length + 5 * (end - start) + 7)
    out.addLiteral(tag.open)
    if (!this.#writeText(bytes, start, end)) return this.#fail(bytes)
    out.addLiteral(tag.close)
    return end + 1
  }

  #writeText(bytes: Buffer, start: number, end: number): boolean {
    const { out } = this
    const from = viewWords(bytes)
    const into = out.words
    const lastWord = bytes.length - 4
    let to = out.length
    let at = start
    while (at < end) {
      if (at <= lastWord) {
        const word = from.getInt32(at, true)
        const marks = markSpecial(word)
        into.setInt32(to, word, true)
        const plain = Math.min(marks === 0 ? 4 : firstMarked(marks), end - at)
        at += plain
        to += plain
        if (plain === 4 || at === end) continue
      }
      const byte = bytes[at++]!
      if (byte === 0xef) return false
      const instead = byte === 0x5c ? unescaped[bytes[at++]!] : entities[byte]
      if (instead === undefined) {
        if (byte === 0x5c) return false
        out.bytes[to++] = byte
      } else for (let i = 0; i < instead.length; i++) out.bytes[to++] = instead[i]!
    }
    out.length = to
    return true
  }

  #isRare(tag: Tag): boolean {
    return this.#rareNames.has(tag.name)
  }

  #findTag(bytes: Buffer, start: number, end: number): Tag | null {
    const key = bytes.toString('latin1', start, end)
    const known = this.#tags.get(key)
    if (known) return known
    if (this.#tags.size >= maxTags || end - start > 1_000) return null
    const spelling = Buffer.from(bytes.subarray(start, end))
    const name = decodeName(spelling)
    const needsCare = name === '@' || name === '#' || spelling.includes(0x5c) || this.#rareNames.has(name)
    const tag = makeTag(spelling, name, sanitizeXmlName(name), needsCare)
    this.#tags.set(key, tag)
    return tag
  }
}

const makeTag = (spelling: Buffer, name: string, tag: string, needsCare: boolean): Tag => ({
  name,
  spelling: new ExpectedBytes(Buffer.concat([spelling, Buffer.from('":')])),
  open: new Literal(`<${tag}>`),
  close: new Literal(`</${tag}>`),
  empty: new Literal(`<${tag}/>`),
  needsCare,
  seenAt: [],
  follower: null,
  child: null,
})

/** Marks what can't be copied into XML as it is: `<`, `>`, `&`, a backslash, and 0xEF, with which U+FFFE and U+FFFF begin. */
const markSpecial = (word: number): number =>
  // The two brackets differ in one bit.
  markByte(word | repeatByte(0x02), repeatByte(0x3e)) |
  markByte(word, repeatByte(0x26)) |
  markByte(word, repeatByte(0x5c)) |
  markByte(word, repeatByte(0xef))
