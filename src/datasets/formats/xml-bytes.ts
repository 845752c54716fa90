/**
 * Writes an ordinary item as XML directly from its bytes. If an item needs care (attributes, a repeated name, a name
 * with a meaning in feeds), nothing is written, and `xml.ts` writes it from the parsed text.
 */
import { ByteWriter } from '../items/byte-writer.ts'
import { decodeName } from '../items/field-names.ts'
import { type Named, NameTable } from '../items/name-table.ts'
import { scanString, scanWord } from '../items/scan-value.ts'
import { sanitizeXmlName } from '../xml/xml-names.ts'
import { markupGrowth, writeMarkupText } from './markup-text.ts'

/** An object's name as a tag. `seenAt`: for each depth, the object in which it was last seen. */
class Tag implements Named {
  readonly name: string
  spelling: Uint8Array | null = null
  readonly open: Buffer
  readonly close: Buffer
  readonly empty: Buffer
  readonly seenAt: number[] = []

  constructor(name: string, tag: string) {
    this.name = name
    this.open = Buffer.from(`<${tag}>`)
    this.close = Buffer.from(`</${tag}>`)
    this.empty = Buffer.from(`<${tag}/>`)
  }
}

/** More names than this are data; an item may also grow much longer than it is. */
const maxTags = 10_000
const maxNameBytes = 1_000
const maxItemBytes = 1024 * 1024

export class XmlBytes {
  readonly out: ByteWriter
  // The members are TypeScript's `private`, not `#`: this is the inner loop of XML.
  private readonly tags = new NameTable<Tag>()
  private tagCount = 0
  private readonly rareNames: ReadonlySet<string>
  private readonly row: Tag
  private readonly isFeed: boolean
  private object = 0
  private limit = 0
  private fails = false

  /** `isFeed`: an item without children gets both tags. `rareNames`: top-level names that need care. */
  constructor(capacity: number, row: string, isFeed: boolean, rareNames: readonly string[] = []) {
    this.out = new ByteWriter(capacity)
    this.row = new Tag(row, row)
    this.isFeed = isFeed
    this.rareNames = new Set(rareNames)
  }

  /** Answers whether the item that starts here was written. */
  writeItem(bytes: Buffer, start: number): boolean {
    const { out } = this
    const before = out.length
    this.limit = before + maxItemBytes
    this.fails = false
    this.writeObject(bytes, start, this.row, 1)
    if (this.fails) out.length = before
    return !this.fails
  }

  private add(part: Buffer) {
    this.out.reserve(part.length)
    this.out.addRange(part, 0, part.length)
  }

  private fail(bytes: Buffer): number {
    this.fails = true
    return bytes.length
  }

  private writeObject(bytes: Buffer, start: number, tag: Tag, depth: number): number {
    if (this.out.length > this.limit) return this.fail(bytes)
    const { out } = this
    const opened = out.length
    const object = ++this.object
    this.add(tag.open)
    const inside = out.length
    let at = start + 1
    while (bytes[at] === 0x22) {
      const member = this.tags.find(bytes, at + 1) ?? this.learnTag(bytes, at + 1)
      if (member === null || (depth === 1 && this.rareNames.has(member.name))) return this.fail(bytes)
      if (member.seenAt[depth] === object) return this.fail(bytes)
      member.seenAt[depth] = object
      at = this.writeProperty(bytes, this.tags.end + 2, member, depth)
      if (this.fails) return at
      if (bytes[at] === 0x2c) at++
    }
    if (out.length > inside || (this.isFeed && depth === 1)) this.add(tag.close)
    else {
      out.length = opened
      this.add(tag.empty)
    }
    return at + 1
  }

  private writeProperty(bytes: Buffer, at: number, tag: Tag, depth: number): number {
    return bytes[at] === 0x5b ? this.writeElements(bytes, at, tag, depth) : this.writeValue(bytes, at, tag, depth)
  }

  private writeElements(bytes: Buffer, start: number, tag: Tag, depth: number): number {
    let at = start + 1
    while (bytes[at] !== 0x5d && !this.fails) {
      at = this.writeValue(bytes, at, tag, depth)
      if (bytes[at] === 0x2c) at++
    }
    return at + 1
  }

  private writeValue(bytes: Buffer, at: number, tag: Tag, depth: number): number {
    if (this.out.length > this.limit) return this.fail(bytes)
    const byte = bytes[at]
    if (byte === 0x7b) return this.writeObject(bytes, at, tag, depth + 1)
    if (byte === 0x5b) {
      this.add(tag.open)
      const end = this.writeElements(bytes, at, tag, depth)
      this.add(tag.close)
      return end
    }
    const end = byte === 0x22 ? scanString(bytes, at + 1, 0) : scanWord(bytes, at, 0)
    if (byte === 0x6e) {
      this.add(tag.empty)
      return end
    }
    this.add(tag.open)
    const { out } = this
    out.reserve(markupGrowth * (end - at))
    if (byte === 0x22) out.length = writeMarkupText(out.bytes, out.length, bytes, at + 1, end - 1)
    else out.addRange(bytes, at, end)
    this.add(tag.close)
    return end
  }

  /** Null for a name that needs care, or is data rather than a name. */
  private learnTag(bytes: Buffer, start: number): Tag | null {
    const { end } = this.tags
    if (end - start > maxNameBytes) return null
    const spelling = bytes.subarray(start, end)
    const name = decodeName(spelling)
    if (name === '@' || name === '#' || spelling.includes(0x5c)) return null
    const known = this.tags.findName(name)
    if (known) return known
    if (this.tagCount++ >= maxTags) return null
    const tag = new Tag(name, sanitizeXmlName(name))
    this.tags.add(tag)
    this.tags.learn(tag, bytes, start)
    return tag
  }
}
