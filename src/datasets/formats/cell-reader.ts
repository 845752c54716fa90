/**
 * Reads the cells of a table straight from stored bytes: a trie of the paths met so far leads each value to its column, so
 * that no item is parsed into objects. Items resemble each other, so each name is predicted from the one before it.
 */
import { type Column, hashSegment, type Path, rootHash } from '../columns.ts'
import { decodeName } from '../items/field-names.ts'
import { findScalarEnd, findStringEnd, skipValue } from '../items/json-walk.ts'

/** Answers the rank of a top-level field, or null to leave it out. */
export type FieldSelector = (name: string) => number | null

/** The names of an object's members as they are spelled in the bytes, each with its node and the index of its usual successor. */
class Members {
  readonly spellings: Buffer[] = []
  readonly nodes: Node[] = []
  readonly followers: number[] = []
  readonly placeOf = new Map<string, number>()
  readonly byName = new Map<string, Node>()
}

/** One segment of a path. There are many leaves, so what only branches need is allocated when it is needed. */
class Node {
  readonly segment: string | number
  readonly parent: Node | null
  readonly isLeftOut: boolean
  readonly rank: number
  hasValue = false
  hash = 0
  slot = -1
  stamp = 0
  members: Members | null = null
  elements: Node[] | null = null

  constructor(segment: string | number, parent: Node | null, rank: number, isLeftOut: boolean) {
    this.segment = segment
    this.parent = parent
    this.rank = rank
    this.isLeftOut = isLeftOut
  }
}

/** The trie grows to this many nodes beside those of the columns asked for; only an item of megabytes has more names. */
const maxGrown = 200_000

export class CellReader {
  /** Where each slot's value starts and ends, and in which item it was last met. */
  starts: Int32Array
  ends: Int32Array
  stamps: Int32Array
  /** The number of the item read last. */
  item = 0
  /** The number of selected members of that item, empty objects and arrays included. */
  memberCount = 0
  /** Whether that item repeats a name: the last value of a name counts, so its cells must be read again. */
  hasRepeat = false
  /** Whether that item has more names than the trie can take: it may have columns that were not noted. */
  isTooWide = false
  /** The length in bytes of the longest text or number of that item. */
  longest = 0
  readonly #root = new Node('', null, 0, false)
  readonly #selectField: FieldSelector
  readonly #leaves: Node[] = []
  readonly #isShallow: boolean
  #leavesBefore = 0
  #grown = 0

  /** A shallow one takes an object or an array for one value. */
  constructor(selectField: FieldSelector, columns: readonly Column[] = [], isShallow = false) {
    this.#selectField = selectField
    this.#isShallow = isShallow
    this.starts = new Int32Array(columns.length)
    this.ends = new Int32Array(columns.length)
    this.stamps = new Int32Array(columns.length)
    for (const [slot, { path }] of columns.entries()) this.#plant(path).slot = slot
    this.#grown = 0
  }

  /** Reads the item whose brace is here and answers where it ends. */
  read(bytes: Buffer, start: number): number {
    this.item++
    this.#leavesBefore = this.#leaves.length
    this.memberCount = 0
    this.hasRepeat = false
    this.isTooWide = false
    this.longest = 0
    return this.#readMembers(bytes, start, this.#root)
  }

  /** Takes back the columns that only the last item has. */
  unread() {
    for (const leaf of this.#leaves.splice(this.#leavesBefore)) leaf.hasValue = false
  }

  /** Every column met so far, with the hash of its path. */
  *columns(): Generator<Column & { hash: number }> {
    for (const leaf of this.#leaves) {
      const path: (string | number)[] = []
      let rank = 0
      for (let node: Node = leaf; node.parent !== null; node = node.parent) {
        path.push(node.segment)
        rank = node.rank
      }
      yield { path: path.reverse(), rank, hash: hashOf(leaf) }
    }
  }

  #plant(path: Path): Node {
    let node = this.#root
    for (const segment of path)
      node = typeof segment === 'number' ? this.#element(node, segment) : this.#member(node, segment)
    return node
  }

  #member(parent: Node, name: string): Node {
    parent.members ??= new Members()
    let node = parent.members.byName.get(name)
    if (node === undefined) {
      const rank = parent === this.#root ? this.#selectField(name) : 0
      node = new Node(name, parent, rank ?? 0, rank === null)
      this.#grown++
      parent.members.byName.set(name, node)
    }
    return node
  }

  #element(parent: Node, index: number): Node {
    parent.elements ??= []
    while (parent.elements.length <= index) {
      parent.elements.push(new Node(parent.elements.length, parent, 0, false))
      this.#grown++
    }
    return parent.elements[index]!
  }

  #readMembers(bytes: Buffer, start: number, node: Node): number {
    node.members ??= new Members()
    const { members } = node
    const isRoot = node === this.#root
    let at = start + 1
    let place = 0
    let last = -1
    while (bytes[at] === 0x22) {
      const nameStart = at + 1
      const guessed = members.spellings[place]
      if (guessed !== undefined && isSpelledHere(guessed, bytes, nameStart)) at = nameStart + guessed.length + 2
      else {
        const nameEnd = findStringEnd(bytes, nameStart)
        place = this.#findPlace(node, members, bytes, nameStart, nameEnd)
        if (last >= 0 && place >= 0) members.followers[last] = place
        at = nameEnd + 2
      }
      if (place >= 0) {
        const member = members.nodes[place]!
        last = place
        place = members.followers[place]!
        at = this.#readMember(bytes, at, member, isRoot)
      } else {
        at = this.#readRare(bytes, nameStart, at, node, isRoot)
        place = 0
      }
      if (bytes[at] === 0x2c) at++
    }
    return at + 1
  }

  #readMember(bytes: Buffer, at: number, member: Node, isRoot: boolean): number {
    if (member.isLeftOut) return skipValue(bytes, at)
    if (member.stamp === this.item) this.hasRepeat = true
    member.stamp = this.item
    if (isRoot) this.memberCount++
    return this.#readValue(bytes, at, member)
  }

  /** Reads a member whose name is not in the trie by its spelling; it may still lead to a column that was asked for. */
  #readRare(bytes: Buffer, nameStart: number, at: number, parent: Node, isRoot: boolean): number {
    const name = decodeName(bytes.subarray(nameStart, at - 2))
    const known = parent.members!.byName.get(name)
    if (known) return this.#readMember(bytes, at, known, isRoot)
    this.isTooWide = true
    if (isRoot && this.#selectField(name) !== null) this.memberCount++
    return skipValue(bytes, at)
  }

  #readElements(bytes: Buffer, start: number, node: Node): number {
    let at = start + 1
    for (let index = 0; bytes[at] !== 0x5d; index++) {
      const known = node.elements?.[index]
      if (known) at = this.#readValue(bytes, at, known)
      else if (this.#grown < maxGrown) at = this.#readValue(bytes, at, this.#element(node, index))
      else {
        this.isTooWide = true
        at = skipValue(bytes, at)
      }
      if (bytes[at] === 0x2c) at++
    }
    return at + 1
  }

  #readValue(bytes: Buffer, at: number, node: Node): number {
    const byte = bytes[at]
    const isNested = byte === 0x7b || byte === 0x5b
    if (isNested && !this.#isShallow)
      return byte === 0x7b ? this.#readMembers(bytes, at, node) : this.#readElements(bytes, at, node)
    const end = findEnd(bytes, at, byte!, isNested)
    if (!node.hasValue) {
      node.hasValue = true
      this.#leaves.push(node)
    }
    if (end - at > this.longest) this.longest = end - at
    const slot = node.slot
    if (slot >= 0) {
      this.starts[slot] = at
      this.ends[slot] = end
      this.stamps[slot] = this.item
    }
    return end
  }

  /** The index of a name among its object's names, or -1 where the trie is full. */
  #findPlace(node: Node, members: Members, bytes: Buffer, start: number, end: number): number {
    const key = bytes.toString('latin1', start, end)
    const known = members.placeOf.get(key)
    if (known !== undefined) return known
    if (this.#grown >= maxGrown) return -1
    this.#grown++
    const spelling = Buffer.from(bytes.subarray(start, end))
    members.placeOf.set(key, members.nodes.length)
    members.spellings.push(spelling)
    members.followers.push(members.nodes.length + 1)
    return members.nodes.push(this.#member(node, decodeName(spelling))) - 1
  }
}

function findEnd(bytes: Buffer, at: number, first: number, isNested: boolean): number {
  if (first === 0x22) return findStringEnd(bytes, at + 1) + 1
  return isNested ? skipValue(bytes, at) : findScalarEnd(bytes, at)
}

function hashOf(node: Node): number {
  if (node.parent === null) return rootHash
  if (node.hash === 0) node.hash = hashSegment(hashOf(node.parent), node.segment)
  return node.hash
}

/** Whether the name stands here with its closing quote after it; a longer name that begins with it does not match. */
function isSpelledHere(spelling: Buffer, bytes: Buffer, start: number): boolean {
  const { length } = spelling
  for (let i = 0; i < length; i++) if (spelling[i] !== bytes[start + i]) return false
  return bytes[start + length] === 0x22
}
