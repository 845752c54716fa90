/** Names of uploaded files. */
import { invalidField } from '../failures.ts'

/** Makes a name one path segment that is safe in headers and URLs; leading dots, which would hide it, are removed. */
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

/** RFC 6266: `filename` for every client, and `filename*`, which newer clients prefer. */
export const dispositionOf = (kind: 'attachment' | 'inline', name: string): string =>
  `${kind}; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)}`
