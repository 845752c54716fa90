/** Bytes that are expected to come again, compared four at a time: items resemble each other in all but their values. */
export class ExpectedBytes {
  readonly length: number
  // The members are TypeScript's `private`, not `#`: this is the inner loop of every push and export.
  private readonly words: Int32Array
  /** The first and the last four bytes, and which of the last count where there are fewer. */
  private readonly first: number
  private readonly last: number
  private readonly mask: number

  constructor(bytes: Uint8Array) {
    this.length = bytes.length
    const padded = Buffer.alloc(Math.max(4, bytes.length))
    padded.set(bytes, padded.length - bytes.length)
    this.first = padded.readInt32LE(0)
    this.last = padded.readInt32LE(padded.length - 4)
    this.mask = bytes.length >= 4 ? -1 : -1 << (8 * (4 - bytes.length))
    this.words = new Int32Array(Math.max(0, Math.ceil(bytes.length / 4) - 1))
    for (let i = 0; i < this.words.length; i++) this.words[i] = padded.readInt32LE(4 * i)
  }

  /** Whether they stand here, before `end`. Where there are fewer than four, as many must come before as are lacking. */
  isAt(view: DataView, at: number, end: number): boolean {
    const { length } = this
    const lastAt = at + length - 4
    if (lastAt + 4 > end || lastAt < 0) return false
    if (((view.getInt32(lastAt, true) ^ this.last) & this.mask) !== 0) return false
    if (length <= 4) return true
    if (view.getInt32(at, true) !== this.first) return false
    if (length <= 8) return true
    const { words } = this
    for (let i = 1; i < words.length; i++) if (view.getInt32(at + 4 * i, true) !== words[i]) return false
    return true
  }
}
