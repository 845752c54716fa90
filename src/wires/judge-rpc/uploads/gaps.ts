/** What stands between the texts of JSON: signs, numbers, words and blanks. Calls need long texts, but little besides. */

/** Ten million values would hold the server up for seconds. */
export const maxValues = 500_000
/** A number may be as long as it likes, and costs more to read than a text. Many blanks count as one. */
const maxBytes = 8 * 1024 * 1024
const longGap = 64

const space = 0x20
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b]

export class Gaps {
  /** The last that was no blank. */
  lastSign = 0
  #values = 0
  #bytes = 0

  get isTooMuch(): boolean {
    return this.#values > maxValues || this.#bytes > maxBytes
  }

  /** Gives back a long gap with single blanks for many: to JSON it is the same. */
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
