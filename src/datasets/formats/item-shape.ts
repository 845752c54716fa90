/**
 * The shape of an item: all that stands around its values, from its first brace to its last. Most
 * items have the shape of one before; then their values are found without a look at any path.
 */
import { firstMarked, markTextEnd, viewWords } from '../items/byte-words.ts'
import { findScalarEnd, findStringEnd, skipValue } from '../items/json-walk.ts'
import { worthCode } from '../items/step-code.ts'
import { itemEnd, StepList } from '../items/step-list.ts'
import { type CellPlaces, findCode, keepCode, leftOut, noSlot, type ReadShape, startsScalar } from './shape-code.ts'
import type { PathNode, ValueWalk } from './value-walk.ts'

/** Notes what stands around the values of an item while it is read. */
export class ShapeDraft {
  private readonly steps = new StepList()

  /** Adds what stands before a value. */
  add(bytes: Buffer, from: number, to: number, { slot, isLeftOut }: PathNode): void {
    this.steps.add(bytes, from, to, isLeftOut ? leftOut : slot)
  }

  /** The shape, once the walk is at the end of the item; null for one that is not worth it. */
  finish(bytes: Buffer, from: number, { at, memberCount, isShallow }: ValueWalk): ItemShape | null {
    this.steps.add(bytes, from, at, itemEnd)
    const numbers = this.steps.finish()
    return numbers && new ItemShape(numbers, memberCount, isShallow)
  }
}

export class ItemShape {
  readonly memberCount: number
  // The members are TypeScript's `private`, not `#`: this is the inner loop of tables and filters.
  private readonly numbers: Int32Array
  /** Whether an object or an array is one value. */
  private readonly isShallow: boolean
  private code: ReadShape | null
  private metCount = 0

  constructor(numbers: Int32Array, memberCount: number, isShallow: boolean) {
    this.numbers = numbers
    this.memberCount = memberCount
    this.isShallow = isShallow
    this.code = findCode(numbers, isShallow)
  }

  /** Notes the places of the values of the item that starts here and answers where it ends; -1 where it has another shape. */
  read(bytes: Buffer, start: number, item: number, places: CellPlaces): number {
    if (this.code !== null) return this.code(bytes, viewWords(bytes), start, item, places)
    const end = this.readByNumbers(bytes, start, item, places)
    if (end >= 0 && ++this.metCount === worthCode) this.code = keepCode(this.numbers, this.isShallow)
    return end
  }

  private readByNumbers(bytes: Buffer, start: number, item: number, places: CellPlaces): number {
    const { numbers } = this
    const { starts, ends, stamps } = places
    const words = viewWords(bytes)
    const lastWord = bytes.length - 4
    let longest = 0
    let at = start
    for (let i = 0; ; ) {
      const valueAt = at + numbers[i++]!
      const lastAt = valueAt - 4
      if (lastAt > lastWord || lastAt < 0) return -1
      for (; at < lastAt; at += 4) if (words.getInt32(at, true) !== numbers[i++]) return -1
      const last = numbers[i++]!
      if (((words.getInt32(lastAt, true) ^ last) & numbers[i++]!) !== 0) return -1
      const slot = numbers[i++]!
      if (slot === itemEnd) {
        places.longest = longest
        return valueAt
      }
      const byte = bytes[valueAt]!
      if (byte === 0x22) {
        at = valueAt + 1
        let marks = 0
        while (at <= lastWord) {
          marks = markTextEnd(words.getInt32(at, true))
          if (marks !== 0) break
          at += 4
        }
        if (marks !== 0) at += firstMarked(marks)
        if (bytes[at] !== 0x22) at = findStringEnd(bytes, at)
        at++
      } else if (startsScalar[byte] === 1) at = findScalarEnd(bytes, valueAt)
      else if (slot === leftOut || this.isShallow) at = skipValue(bytes, valueAt)
      else return -1
      if (slot === leftOut) continue
      if (at - valueAt > longest) longest = at - valueAt
      if (slot === noSlot) continue
      starts[slot] = valueAt
      ends[slot] = at
      stamps[slot] = item
    }
  }
}
