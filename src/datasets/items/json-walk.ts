/** Steps over JSON bytes that were validated when they were pushed, and have no white space outside strings. */

const endsString = new Uint8Array(256)
endsString[0x22] = 1
endsString[0x5c] = 2

/** The closing quote of the string that starts here. */
export function findStringEnd(bytes: Buffer, start: number): number {
  let at = start
  for (;;) {
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
