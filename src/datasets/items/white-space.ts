/** The white space of JSON, which is removed between tokens before items are stored. */

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && isSpace(bytes[at])) at++
  return at
}

const structural = new Uint8Array(256)
for (const letter of '{}[],:\n') structural[letter.charCodeAt(0)] = 1

/**
 * Removes all white space outside strings, from an offset between tokens on, and answers the new end. White space that
 * separates two values (`1 2`) is an error, since without it they would become one value: then it answers -1.
 */
export function removeWhiteSpace(bytes: Uint8Array, from: number, end: number): number {
  let written = from
  let at = from
  while (at < end) {
    const byte = bytes[at]!
    if (isSpace(byte)) {
      at = skipSpace(bytes, at, end)
      const before = written === 0 ? 0x2c : bytes[written - 1]!
      if (at < end && structural[before] !== 1 && structural[bytes[at]!] !== 1) return -1
    } else if (byte === 0x22) {
      const close = findClose(bytes, at + 1, end)
      bytes.copyWithin(written, at, close)
      written += close - at
      at = close
    } else {
      bytes[written++] = byte
      at++
    }
  }
  return written
}

function findClose(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1
  return Math.min(at + 1, end)
}
