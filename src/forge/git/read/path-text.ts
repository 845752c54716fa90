/**
 * Paths as text. To git a path is bytes, usually UTF-8. A byte that is not UTF-8 is written as U+FFFD and its two
 * hexadecimal digits (`caf�E9.txt`), and so are the bytes of U+FFFD itself. So no two paths have the same text, and the
 * text finds its path again.
 */
import { isUtf8 } from 'node:buffer'

const mark = '\uFFFD'
const markBytes = Buffer.from(mark)

export function spellPath(bytes: Buffer): string {
  if (isUtf8(bytes) && !bytes.includes(markBytes)) return bytes.toString('utf8')
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOf(bytes[at]!)
    const character = bytes.subarray(at, at + length)
    const isPlain = character.length === length && isUtf8(character) && !character.equals(markBytes)
    text += isPlain ? character.toString('utf8') : mark + bytes[at]!.toString(16).toUpperCase().padStart(2, '0')
    at += isPlain ? length : 1
  }
  return text
}

/** A U+FFFD without digits after it stands for itself. */
export function pathBytes(text: string): Buffer {
  if (!text.includes(mark)) return Buffer.from(text)
  const parts = text.split(/\uFFFD([0-9A-F]{2})/)
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from(part, 'hex'))))
}

/** Decodes git output that contains paths. Each part must still go through `spell`. */
export function readPaths(output: Buffer): { text: string; spell: (part: string) => string } {
  if (isUtf8(output) && !output.includes(markBytes)) return { text: output.toString('utf8'), spell: (part) => part }
  return { text: output.toString('latin1'), spell: (part) => spellPath(Buffer.from(part, 'latin1')) }
}

/** The length of the UTF-8 character that starts with this byte. */
const lengthOf = (byte: number): number => (byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)
