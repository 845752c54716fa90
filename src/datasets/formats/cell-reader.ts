/** Reads the cells of a table straight from stored bytes: where the value of each column stands. */
import { type Column, hashSegment, rootHash } from '../columns.ts'
import { findValueEnd } from '../items/json-walk.ts'
import { type ItemShape, ShapeDraft } from './item-shape.ts'
import type { CellPlaces } from './shape-code.ts'
import { type FieldSelector, type PathNode, ValueWalk } from './value-walk.ts'

/** Where items have more shapes than these, or most have one that was not met before, shapes are no longer tried. */
const maxShapes = 4
const maxMisses = 64

export class CellReader implements CellPlaces {
  /** Where each slot's value starts and ends, and in which item it was last met. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly stamps: Int32Array
  /** The length in bytes of the longest text or number of the item read last. */
  longest = 0
  readonly walk: ValueWalk
  readonly #leaves: PathNode[] = []
  #leavesBefore = 0
  #shapes: readonly ItemShape[] = []
  #misses = 0

  /** A shallow one takes an object or an array for one value. */
  constructor(selectField: FieldSelector, columns: readonly Column[] = [], isShallow = false) {
    this.walk = new ValueWalk(selectField, isShallow)
    this.starts = new Int32Array(columns.length)
    this.ends = new Int32Array(columns.length)
    this.stamps = new Int32Array(columns.length)
    for (const [slot, { path }] of columns.entries()) this.walk.plant(path).slot = slot
  }

  /** The number of the item read last. */
  get item(): number {
    return this.walk.item
  }

  /** Reads the item whose brace is here and answers where it ends. */
  read(bytes: Buffer, start: number): number {
    const { walk } = this
    this.#leavesBefore = this.#leaves.length
    for (let i = 0; i < this.#shapes.length; i++) {
      const shape = this.#shapes[i]!
      const end = shape.read(bytes, start, walk.item + 1, this)
      if (end < 0) continue
      walk.pass(end, shape.memberCount)
      if (this.#misses > 0) this.#misses--
      return end
    }
    if (this.#misses < maxMisses) this.#misses += 2
    else this.#shapes = []
    return this.#walkItem(bytes, start)
  }

  #walkItem(bytes: Buffer, start: number): number {
    const { walk, starts, ends, stamps } = this
    const draft = this.#misses < maxMisses && this.#shapes.length < maxShapes ? new ShapeDraft() : null
    this.longest = 0
    let end = start
    for (let node = walk.open(bytes, start); node !== null; node = walk.next(node, end)) {
      const { at } = walk
      draft?.add(bytes, end, at, node)
      end = findValueEnd(bytes, at)
      if (node.isLeftOut) continue
      if (!node.hasValue) {
        node.hasValue = true
        this.#leaves.push(node)
      }
      if (end - at > this.longest) this.longest = end - at
      const { slot } = node
      if (slot < 0) continue
      starts[slot] = at
      ends[slot] = end
      stamps[slot] = walk.item
    }
    if (draft && !walk.hasRepeat && !walk.isTooWide) {
      const shape = draft.finish(bytes, end, walk)
      if (shape) this.#shapes = [...this.#shapes, shape]
    }
    return walk.at
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
      for (let node: PathNode = leaf; node.parent !== null; node = node.parent) {
        path.push(node.segment)
        rank = node.rank
      }
      yield { path: path.reverse(), rank, hash: hashOf(leaf) }
    }
  }
}

function hashOf(node: PathNode): number {
  if (node.parent === null) return rootHash
  if (node.hash === 0) node.hash = hashSegment(hashOf(node.parent), node.segment)
  return node.hash
}
