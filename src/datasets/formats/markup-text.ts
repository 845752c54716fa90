/** Writes the text of JSON strings into XML and HTML directly from their bytes. */
import { escapeText } from '../xml/xml-text.ts'

/** Replacements for markup bytes and for one-letter escapes; others are left to `escapeText`. */
export const entities: (Buffer | undefined)[] = []
for (const [character, entity] of Object.entries({ '<': '&lt;', '>': '&gt;', '&': '&amp;' }))
  entities[character.charCodeAt(0)] = Buffer.from(entity)
const unescaped: (Buffer | undefined)[] = []
for (const [letter, text] of Object.entries({ '"': '"', '\\': '\\', '/': '/', n: '\n', t: '\t', r: '&#13;' }))
  unescaped[letter.charCodeAt(0)] = Buffer.from(text)

/** Bytes that can't be copied as they are; U+FFFE and U+FFFF begin with 0xEF. */
const special = new Uint8Array(256)
for (const letter of '<>&\\') special[letter.charCodeAt(0)] = 1
special[0xef] = 1

/** The text may grow by this factor: `&` becomes `&amp;`. */
export const markupGrowth = 5

/** Writes the inner text of a JSON string where room is reserved, and answers where it ends. */
export function writeMarkupText(into: Buffer, from: number, bytes: Buffer, start: number, end: number): number {
  let to = from
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (special[byte] === 0) {
      into[to++] = byte
      continue
    }
    const instead = byte === 0x5c ? unescaped[bytes[++at]!] : entities[byte]
    if (instead === undefined)
      return from + into.write(escapeText(JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string), from)
    for (let i = 0; i < instead.length; i++) into[to++] = instead[i]!
  }
  return to
}
