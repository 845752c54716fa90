/**
 * Walks from value to value of stored items, and knows the path of each by a trie of the paths met so far, so that no item is
 * parsed into objects. Items resemble each other: what stood between two values in one is expected there in the next.
 */
import { viewWords } from '../items/byte-words.ts'
import { ExpectedBytes } from '../items/expected-bytes.ts'
import { decodeName } from '../items/field-names.ts'
import { findStringEnd, skipValue } from '../items/json-walk.ts'

/** Answers the rank of a top-level field, or null to leave it out. */
export type FieldSelector = (name: string) => number | null

/** One segment of a path. There are many leaves, so what only branches need is allocated when it is needed. */
export class PathNode {
  readonly segment: string | number
  readonly parent: PathNode | null
  readonly rank: number
  readonly isLeftOut: boolean
  /** Whether an object or an array here is one value. */
  readonly isWhole: boolean
  /** The columns have a place each; -1 where this is none of them. */
  slot = -1
  hasValue = false
  hash = 0
  /** The number of the item in which its name was last met. */
  stamp = 0
  byName: Map<string, PathNode> | null = null
  /** By the bytes of the name as they are stored. */
  bySpelling: Map<string, PathNode> | null = null
  elements: PathNode[] | null = null
  /** What comes after its value, as far as it was met. */
  steps: readonly Step[] = noSteps

  constructor(segment: string | number, parent: PathNode | null, rank: number, isLeftOut: boolean, isWhole: boolean) {
    this.segment = segment
    this.parent = parent
    this.rank = rank
    this.isLeftOut = isLeftOut
    this.isWhole = isWhole
  }
}

/** From a value to the next one, or to the end of the item. */
type Step = {
  readonly bytes: ExpectedBytes
  /** Null at the end. */
  readonly node: PathNode | null
  /** The names that stand in it and are not left out, and how many of them are top-level fields. */
  readonly named: readonly PathNode[]
  readonly fieldCount: number
}

const noSteps: readonly Step[] = []

/** More steps than these, and longer ones, are data rather than structure. */
const maxStepsAfter = 8
const maxSteps = 10_000
const maxStepLength = 256

/** The trie grows to this many nodes beside those of the columns asked for; only an item of megabytes has more names. */
const maxGrown = 200_000

const startsScalar = new Uint8Array(256)
for (const letter of '"-0123456789tfn') startsScalar[letter.charCodeAt(0)] = 1

export class ValueWalk {
  /** Where the value starts that `next` came to, or the item ends. */
  at = 0
  /** The number of the item. */
  item = 0
  /** The number of its selected fields, empty objects and arrays included. */
  memberCount = 0
  /** Whether it repeats a name. */
  hasRepeat = false
  /** Whether it has more names than the trie can take: some of its values were passed over. */
  isTooWide = false
  readonly root: PathNode
  private readonly selectField: FieldSelector
  readonly isShallow: boolean
  private bytes: Buffer = Buffer.alloc(0)
  private words: DataView = viewWords(this.bytes)
  private grown = 0
  private stepCount = 0

  /** A shallow one takes an object or an array for one value. */
  constructor(selectField: FieldSelector, isShallow: boolean) {
    this.selectField = selectField
    this.isShallow = isShallow
    this.root = new PathNode('', null, 0, false, false)
  }

  /** Makes the node of a path, which counts for nothing. */
  plant(path: readonly (string | number)[]): PathNode {
    let node = this.root
    for (const segment of path)
      node = typeof segment === 'number' ? this.element(node, segment) : this.member(node, segment)
    this.grown = 0
    return node
  }

  /** Begins the item whose brace is here, and answers the node of its first value; null if it has none. */
  open(bytes: Buffer, start: number): PathNode | null {
    this.bytes = bytes
    this.words = viewWords(bytes)
    this.item++
    this.memberCount = 0
    this.hasRepeat = false
    this.isTooWide = false
    return this.next(this.root, start)
  }

  /** Passes over an item whose values are known, and which repeats no name. */
  pass(end: number, memberCount: number) {
    this.item++
    this.at = end
    this.memberCount = memberCount
    this.hasRepeat = false
    this.isTooWide = false
  }

  /** The node of the value after this one, which ends here. */
  next(last: PathNode, from: number): PathNode | null {
    const { steps } = last
    for (let i = 0; i < steps.length; i++) {
      const { bytes, node, named, fieldCount } = steps[i]!
      if (!bytes.isAt(this.words, from, this.bytes.length)) continue
      const at = from + bytes.length
      if (node !== null && !node.isWhole && startsScalar[this.bytes[at]!] === 0) continue
      for (let j = 0; j < named.length; j++) this.note(named[j]!)
      this.memberCount += fieldCount
      this.at = at
      return node
    }
    return this.readStep(last, from)
  }

  /** Reads what stands between two values byte by byte, and expects it from then on. */
  private readStep(last: PathNode, from: number): PathNode | null {
    const { bytes, root } = this
    const before = this.memberCount
    const named: PathNode[] = []
    let isExpected = true
    let at = last === root ? from + 1 : from
    let container = last === root ? root : last.parent!
    let index = last === root ? -1 : indexAfter(last)
    let node: PathNode | null = null
    for (;;) {
      const byte = bytes[at]
      if (byte === 0x7d || byte === 0x5d) {
        at++
        if (container === root) break
        index = indexAfter(container)
        container = container.parent!
        continue
      }
      if (byte === 0x2c) at++
      if (index >= 0) node = this.findElement(container, index++)
      else {
        const nameStart = at + 1
        const nameEnd = findStringEnd(bytes, nameStart)
        node = this.findMember(container, nameStart, nameEnd)
        at = nameEnd + 2
        if (node !== null && !node.isLeftOut) {
          this.note(node)
          named.push(node)
          if (container === root) this.memberCount++
        }
      }
      if (node === null) {
        isExpected = false
        at = skipValue(bytes, at)
        continue
      }
      const opening = bytes[at]
      if (node.isWhole || (opening !== 0x7b && opening !== 0x5b)) break
      container = node
      index = opening === 0x5b ? 0 : -1
      node = null
      at++
    }
    this.at = at
    const fieldCount = this.memberCount - before
    if (isExpected && at - from <= maxStepLength && last.steps.length < maxStepsAfter && this.stepCount < maxSteps) {
      this.stepCount++
      const step = { bytes: new ExpectedBytes(bytes.subarray(from, at)), node, named, fieldCount }
      last.steps = [...last.steps, step]
    }
    return node
  }

  private note(node: PathNode) {
    if (node.stamp === this.item) this.hasRepeat = true
    node.stamp = this.item
  }

  /** Null where the trie is full. */
  private findMember(parent: PathNode, start: number, end: number): PathNode | null {
    const spelling = this.bytes.toString('latin1', start, end)
    const known = parent.bySpelling?.get(spelling)
    if (known !== undefined) return known
    const name = decodeName(this.bytes.subarray(start, end))
    if (this.grown >= maxGrown) return parent.byName?.get(name) ?? this.passOver(parent, name)
    this.grown++
    const node = this.member(parent, name)
    parent.bySpelling ??= new Map()
    parent.bySpelling.set(spelling, node)
    return node
  }

  private passOver(parent: PathNode, name: string): null {
    this.isTooWide = true
    if (parent === this.root && this.selectField(name) !== null) this.memberCount++
    return null
  }

  private findElement(parent: PathNode, index: number): PathNode | null {
    const known = parent.elements?.[index]
    if (known !== undefined) return known
    if (this.grown < maxGrown) return this.element(parent, index)
    this.isTooWide = true
    return null
  }

  private member(parent: PathNode, name: string): PathNode {
    parent.byName ??= new Map()
    let node = parent.byName.get(name)
    if (node === undefined) {
      const rank = parent === this.root ? this.selectField(name) : 0
      node = new PathNode(name, parent, rank ?? 0, rank === null, rank === null || this.isShallow)
      this.grown++
      parent.byName.set(name, node)
    }
    return node
  }

  private element(parent: PathNode, index: number): PathNode {
    parent.elements ??= []
    while (parent.elements.length <= index) {
      parent.elements.push(new PathNode(parent.elements.length, parent, 0, false, false))
      this.grown++
    }
    return parent.elements[index]!
  }
}

/** The index of the next element after this one; -1 where it is not in an array. */
const indexAfter = ({ segment }: PathNode): number => (typeof segment === 'number' ? segment + 1 : -1)
