/**
 * Reads items byte by byte: validates every value and locates it by a trie of the known paths, so that no item is
 * parsed into objects and each value keeps its own bytes. Pushes, tables, filters and indexes all use it.
 */
import { type Column, hashSegment, rootHash } from '../columns.ts'
import { decodeName, isHiddenName } from './field-names.ts'
import { isSpelledAt, type Named, NameTable } from './name-table.ts'
import { demandDepth, refuse, scanString, scanValue, scanWord } from './scan-value.ts'

/** The rank of a top-level field, or null to leave it out. */
export type FieldSelector = (name: string) => number | null

/** One segment of a path. Most nodes are leaves, so the parts that only branches need are allocated on demand. */
export class PathNode implements Named {
  readonly segment: string | number
  readonly parent: PathNode | null
  readonly rank: number
  readonly isLeftOut: boolean
  /** Whether an object or an array here is one value. */
  readonly isWhole: boolean
  readonly isHidden: boolean
  /** The slot of a column; -1 if this is no column. */
  slot = -1
  hasValue = false
  hash = 0
  /** The number of the item in which it was last seen. */
  stamp = 0
  spelling: Uint8Array | null = null
  /** The name that followed it last time, and the first name within it. */
  follower: PathNode | null = null
  first: PathNode | null = null
  /** Its children, by name or by index. */
  members: NameTable<PathNode> | null = null
  elements: PathNode[] | null = null

  constructor(segment: string | number, parent: PathNode | null, rank: number, isLeftOut: boolean, isWhole: boolean) {
    this.segment = segment
    this.parent = parent
    this.rank = rank
    this.isLeftOut = isLeftOut
    this.isWhole = isWhole
    this.isHidden = typeof segment === 'string' && isHiddenName(segment)
  }

  get name(): string {
    return String(this.segment)
  }
}

/** The trie grows to this many nodes besides the requested columns; only an item of megabytes has more names. */
const maxGrown = 200_000

export class ItemReader {
  // The members are TypeScript's `private`, not `#`: this is the inner loop of every push and export.
  /** By slot: where the column's value starts and ends, and the item in which it was last seen. */
  starts: Int32Array
  ends: Int32Array
  stamps: Int32Array
  /** The number of columns with a slot. */
  slotCount: number
  /** The number of the current item, from 1. */
  item = 0
  /** The number of its selected fields, including empty objects and arrays. */
  memberCount = 0
  /** The number of hidden ones among them. */
  hiddenCount = 0
  /** The length in bytes of its longest text or number. */
  longest = 0
  /** Whether it repeats a name. */
  hasRepeat = false
  /** Whether it has more names than the trie holds: some of its values were skipped. */
  isTooWide = false
  private readonly root = new PathNode('', null, 0, false, false)
  private readonly selectField: FieldSelector
  private readonly isShallow: boolean
  private readonly most: number
  private readonly isOpen: boolean
  private readonly leaves: PathNode[] = []
  private leavesBefore = 0
  private grown = 0
  private position = 0
  private bytes: Buffer = Buffer.alloc(0)
  /** The end of the last looked-up name. */
  private nameEnd = 0

  /**
   * `isShallow`: an object or an array is one value. `most`: the trie's maximum number of nodes. With `columns` null,
   * columns get slots when they are first seen.
   */
  constructor(selectField: FieldSelector, columns: readonly Column[] | null = [], isShallow = false, most = maxGrown) {
    this.selectField = selectField
    this.isShallow = isShallow
    this.most = most
    this.isOpen = columns === null
    this.slotCount = columns?.length ?? 0
    this.starts = new Int32Array(this.slotCount)
    this.ends = new Int32Array(this.slotCount)
    this.stamps = new Int32Array(this.slotCount)
    for (const [slot, { path }] of (columns ?? []).entries()) this.plant(path).slot = slot
    this.grown = 0
  }

  /** Reads the item that starts here and answers where it ends. `position`: the item's index, for error messages. */
  read(bytes: Buffer, start: number, position = 0): number {
    this.bytes = bytes
    this.position = position
    this.item++
    this.memberCount = 0
    this.hiddenCount = 0
    this.longest = 0
    this.hasRepeat = false
    this.isTooWide = false
    this.leavesBefore = this.leaves.length
    return this.readObject(start, this.root, 1)
  }

  /** Forgets the columns that only the last item has. */
  unread() {
    for (const leaf of this.leaves.splice(this.leavesBefore)) leaf.hasValue = false
  }

  /** Every column seen so far, with the hash of its path and its slot. */
  *columns(): Generator<Column & { hash: number; slot: number }> {
    for (const leaf of this.leaves) {
      const path: (string | number)[] = []
      let rank = 0
      for (let node: PathNode = leaf; node.parent !== null; node = node.parent) {
        path.push(node.segment)
        rank = node.rank
      }
      yield { path: path.reverse(), rank, hash: hashOf(leaf), slot: leaf.slot }
    }
  }

  private readObject(start: number, parent: PathNode, depth: number): number {
    const { bytes, root } = this
    demandDepth(depth, this.position)
    let at = start + 1
    if (bytes[at] === 0x7d) return at + 1
    let last: PathNode | null = null
    let node = parent.first
    for (;;) {
      if (bytes[at] !== 0x22) refuse(bytes, at, 'expected a name in quotes', this.position)
      at++
      // Most objects resemble the previous one: the next name is predicted, and otherwise looked up.
      if (node !== null && node.spelling !== null && isSpelledAt(node.spelling, bytes, at))
        at += node.spelling.length + 1
      else {
        node = this.findMember(parent, at)
        at = this.nameEnd + 1
        if (last !== null) last.follower = node
        else parent.first = node
      }
      if (bytes[at] !== 0x3a) refuse(bytes, at, 'expected :', this.position)
      at++
      if (node === null) at = scanValue(bytes, at, depth, this.position)
      else {
        if (!node.isLeftOut) {
          if (node.stamp === this.item) this.hasRepeat = true
          node.stamp = this.item
          if (parent === root) this.noteField(node)
        }
        at = this.readValue(at, node, depth)
      }
      last = node
      node = last === null ? null : last.follower
      if (bytes[at] === 0x7d) return at + 1
      if (bytes[at] !== 0x2c) refuse(bytes, at, 'expected , or }', this.position)
      at++
    }
  }

  private noteField(node: PathNode) {
    this.memberCount++
    if (node.isHidden) this.hiddenCount++
  }

  private readArray(start: number, parent: PathNode, depth: number): number {
    const { bytes } = this
    demandDepth(depth, this.position)
    let at = start + 1
    if (bytes[at] === 0x5d) return at + 1
    for (let index = 0; ; index++) {
      const node = this.findElement(parent, index)
      at = node === null ? scanValue(bytes, at, depth, this.position) : this.readValue(at, node, depth)
      if (bytes[at] === 0x5d) return at + 1
      if (bytes[at] !== 0x2c) refuse(bytes, at, 'expected , or ]', this.position)
      at++
    }
  }

  private readValue(start: number, node: PathNode, depth: number): number {
    const { bytes, item } = this
    const byte = bytes[start]
    let end: number
    if (byte === 0x22) end = scanString(bytes, start + 1, this.position)
    else if (byte !== 0x7b && byte !== 0x5b) end = scanWord(bytes, start, this.position)
    else if (node.isWhole) end = scanValue(bytes, start, depth, this.position)
    else if (byte === 0x7b) return this.readObject(start, node, depth + 1)
    else return this.readArray(start, node, depth + 1)
    if (node.isLeftOut) return end
    if (!node.hasValue) {
      node.hasValue = true
      this.leaves.push(node)
      if (this.isOpen && node.slot < 0) this.assignSlot(node)
    }
    if (end - start > this.longest) this.longest = end - start
    const { slot } = node
    if (slot >= 0) {
      this.starts[slot] = start
      this.ends[slot] = end
      this.stamps[slot] = item
    }
    return end
  }

  private assignSlot(node: PathNode) {
    node.slot = this.slotCount++
    if (node.slot < this.starts.length) return
    const grow = (old: Int32Array) => {
      const larger = new Int32Array(2 * old.length + 64)
      larger.set(old)
      return larger
    }
    this.starts = grow(this.starts)
    this.ends = grow(this.ends)
    this.stamps = grow(this.stamps)
  }

  /** The node of the name that starts here; null if the trie is full. */
  private findMember(parent: PathNode, start: number): PathNode | null {
    parent.members ??= new NameTable()
    const { members } = parent
    const known = members.find(this.bytes, start)
    this.nameEnd = members.end
    return known ?? this.learnMember(parent, members, start)
  }

  private learnMember(parent: PathNode, members: NameTable<PathNode>, start: number): PathNode | null {
    const end = scanString(this.bytes, start, this.position) - 1
    const name = decodeName(this.bytes.subarray(start, end))
    if (this.grown >= this.most) return members.findName(name) ?? this.passOver(parent, name)
    const node = this.member(parent, name)
    members.learn(node, this.bytes, start)
    return node
  }

  private passOver(parent: PathNode, name: string): null {
    this.isTooWide = true
    if (parent === this.root && this.selectField(name) !== null) {
      this.memberCount++
      if (isHiddenName(name)) this.hiddenCount++
    }
    return null
  }

  private findElement(parent: PathNode, index: number): PathNode | null {
    const known = parent.elements?.[index]
    if (known !== undefined) return known
    if (this.grown < this.most) return this.element(parent, index)
    this.isTooWide = true
    return null
  }

  /** Makes the nodes of a path. */
  private plant(path: readonly (string | number)[]): PathNode {
    let node = this.root
    for (const segment of path)
      node = typeof segment === 'number' ? this.element(node, segment) : this.member(node, segment)
    return node
  }

  private member(parent: PathNode, name: string): PathNode {
    parent.members ??= new NameTable()
    let node = parent.members.findName(name)
    if (node === undefined) {
      const rank = parent === this.root ? this.selectField(name) : 0
      node = new PathNode(name, parent, rank ?? 0, rank === null, rank === null || this.isShallow)
      this.grown++
      parent.members.add(node)
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

function hashOf(node: PathNode): number {
  if (node.parent === null) return rootHash
  if (node.hash === 0) node.hash = hashSegment(hashOf(node.parent), node.segment)
  return node.hash
}
