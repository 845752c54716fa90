/** Counts the values of a JSON text before it is parsed, because parsing blocks the event loop. */

/** The limit for anonymous callers, whose calls need less than a hundredth of it. */
export const maxAnonymousValues = 10_000
/** The limit for everybody: a tree of ten thousand entries, or a push of as many items, is far below. */
export const maxValues = 200_000
export const maxAnonymousBytes = 1024 * 1024

const quote = 0x22
const backslash = 0x5c
const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b]

/** Stops reading as soon as the answer is certain. */
export function hasMoreValues(json: Buffer, most: number): boolean {
  // Each value takes at least one character and a separator.
  if (json.length < 2 * most) return false
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = findEnd(json, at)
    else if (byte === comma || byte === bracket || byte === brace) values++
    if (values > most) return true
  }
  return false
}

/** Checked before code recurses into a value: a very deep one would overflow the stack. */
export function isDeeperThan(most: number, json: Buffer): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) at = findEnd(json, at)
    else if (byte === bracket || byte === brace) depth++
    else if (byte === bracket + 2 || byte === brace + 2) depth--
    if (depth > most) return true
  }
  return false
}

/** The closing quote of the string that begins there, or the end of the text. */
function findEnd(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) return at
    if (byte === backslash) at++
  }
  return json.length
}
