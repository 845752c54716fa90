/**
 * The steps of an item as one list of numbers: what stands before each of its values and after the last (brackets, commas,
 * names). Most items have the steps of one before, and to compare these takes no look at any object. The loops that do it are
 * written out where they are used: a function between them costs a fifth of their time.
 */

/** Longer steps, and more of them, are data rather than structure. */
const maxLength = 256
const maxSteps = 256

/** The tag of what stands after the last value. */
export const itemEnd = -3

/** A step is its length, its bytes as words but for the last four, those, which of them count, and its tag. */
export class StepList {
  private readonly numbers: number[] = []
  private count = 0
  private isSound = true

  /** The last four bytes may be some of those before, too. */
  add(bytes: Buffer, from: number, to: number, tag: number): void {
    const length = to - from
    if (!this.isSound || length > maxLength || to < 4 || ++this.count > maxSteps) {
      this.isSound = false
      return
    }
    const { numbers } = this
    numbers.push(length)
    for (let at = from; at < to - 4; at += 4) numbers.push(bytes.readInt32LE(at))
    numbers.push(bytes.readInt32LE(to - 4), length >= 4 ? -1 : -1 << (8 * (4 - length)), tag)
  }

  /** Null for an item that is not worth it. */
  finish(): Int32Array | null {
    return this.isSound ? Int32Array.from(this.numbers) : null
  }
}
