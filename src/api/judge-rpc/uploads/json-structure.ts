/**
 * The JSON between strings: punctuation, numbers, literals and white space. It is limited, since calls need long
 * strings but little else.
 */

/** Parsing ten million values would block the event loop for seconds. */
export const maxValues = 500_000
/** A number may have any length, and is slower to parse than a string. A run of white space counts as one byte. */
const maxBytes = 8 * 1024 * 1024
const longGap = 64

const space = 0x20
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b]

export class JsonStructure {
  /** The last byte other than white space. */
  lastSign = 0
  #values = 0
  #bytes = 0
  readonly #maxValues: number

  constructor(most = maxValues) {
    this.#maxValues = most
  }

  get isTooMuch(): boolean {
    return this.#values > this.#maxValues || this.#bytes > maxBytes
  }

  /** Returns a long gap with each run of white space shortened to one byte: the same JSON. */
  read(gap: Buffer): Buffer | undefined {
    const shorter = gap.length > longGap ? Buffer.allocUnsafe(gap.length) : undefined
    let length = 0
    let wasBlank = false
    for (let at = 0; at < gap.length; at++) {
      const byte = gap[at]!
      if (byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        if (wasBlank) continue
        wasBlank = true
      } else {
        wasBlank = false
        this.lastSign = byte
        if (byte === comma || byte === bracket || byte === brace) this.#values++
      }
      if (shorter) shorter[length] = byte
      length++
    }
    this.#bytes += length
    return shorter && Buffer.from(shorter.subarray(0, length))
  }
}
