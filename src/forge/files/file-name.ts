/** Names of files that people upload. */
import { invalidField } from '../failures.ts'

/** One step of a path, in text that can be a header and an address; dots at its start would hide it. */
export function readFileName(name: string | undefined): string {
  if (name === undefined) throw invalidField('name', 'missing_field', 'name is required')
  const plain = name
    .normalize('NFC')
    .replace(/[\x00-\x1f\x7f/\\:*?"<>|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, '.')
    .replace(/^[. ]+|[. ]+$/g, '')
  if (plain === '' || plain.length > 255 || !plain.isWellFormed())
    throw invalidField('name', 'invalid', 'name is 1 to 255 characters that can be a file’s name.')
  return plain
}

/** RFC 6266: what every client reads, and what newer ones read in its place. */
export const dispositionOf = (kind: 'attachment' | 'inline', name: string): string =>
  `${kind}; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)}`
