/** Bytes looked at four at a time, as words: what takes most of the time of reading items takes a third of it this way. */

/** The view of the bytes that were read last: a slice is read many times, one after the other. */
let viewed: Uint8Array | null = null
let view: DataView = new DataView(new ArrayBuffer(0))

export function viewWords(bytes: Uint8Array): DataView {
  if (bytes !== viewed) {
    viewed = bytes
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return view
}

/** The byte in each of a word's four places. */
export const repeatByte = (byte: number): number => Math.imul(byte, 0x01010101)

const quotes = repeatByte(0x22)
const backslashes = repeatByte(0x5c)

/** Marks the bytes of a word that are this one. The lowest mark is always right; one above it may be wrong. */
export const markByte = (word: number, repeated: number): number => {
  const rest = word ^ repeated
  return (rest - 0x01010101) & ~rest & 0x80808080
}

/** Marks what ends a run of plain text in a JSON string: a quote or a backslash. */
export const markTextEnd = (word: number): number => markByte(word, quotes) | markByte(word, backslashes)

/**
 * Marks what ends a run of plain text, and control characters, which no JSON string may hold as they are. With its second
 * bit turned a quote is 0x20 and what is below a blank stays there: one comparison finds them all.
 */
export const markTextEndOrControl = (word: number): number => {
  const turned = word ^ 0x02020202
  const rest = word ^ backslashes
  return (((turned - 0x21212121) & ~turned) | ((rest - 0x01010101) & ~rest)) & 0x80808080
}

/** The place in its word, from 0 to 3, of the first byte that is marked. */
export const firstMarked = (marks: number): number => (31 - Math.clz32(marks & -marks)) >> 3
