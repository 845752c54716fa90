/** Steps over JSON bytes that were validated when they were pushed, and have no white space outside strings. */

const endsString = new Uint8Array(256)
endsString[0x22] = 1
endsString[0x5c] = 2

/** The view of the bytes that were read last, as words of four: a slice is read many times, one after the other. */
let viewed: Uint8Array | null = null
let view: DataView = new DataView(new ArrayBuffer(0))

export function viewWords(bytes: Uint8Array): DataView {
  if (bytes !== viewed) {
    viewed = bytes
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return view
}

/** Whether one of the word's four bytes is this one, which stands in all four of `repeated`. */
export const holdsByte = (word: number, repeated: number): boolean => {
  const rest = word ^ repeated
  return ((rest - 0x01010101) & ~rest & 0x80808080) !== 0
}

/** Whether one of the word's four bytes is a control character. */
export const holdsControl = (word: number): boolean => ((word - 0x20202020) & ~word & 0x80808080) !== 0

/** The closing quote of the string that starts here. It is looked for in words of four, which takes two thirds of the time. */
export function findStringEnd(bytes: Buffer, start: number): number {
  const words = viewWords(bytes)
  const lastWord = bytes.length - 4
  let at = start
  for (;;) {
    while (at <= lastWord) {
      const word = words.getInt32(at, true)
      if (holdsByte(word, 0x22222222) || holdsByte(word, 0x5c5c5c5c)) break
      at += 4
    }
    while (endsString[bytes[at]!] === 0) at++
    if (bytes[at] === 0x22) return at
    at += 2
  }
}

const endsScalar = new Uint8Array(256)
for (const letter of ',}]') endsScalar[letter.charCodeAt(0)] = 1

export function findScalarEnd(bytes: Buffer, start: number): number {
  let at = start
  while (endsScalar[bytes[at]!] === 0) at++
  return at
}

/** The comma or bracket after the value that starts here. */
export function skipValue(bytes: Buffer, start: number): number {
  let depth = 0
  let at = start
  for (;;) {
    const byte = bytes[at]!
    if (byte === 0x22) at = findStringEnd(bytes, at + 1)
    else if (byte === 0x7b || byte === 0x5b) depth++
    else if (depth === 0 && endsScalar[byte] === 1) return at
    else if (byte === 0x7d || byte === 0x5d) depth--
    at++
  }
}
