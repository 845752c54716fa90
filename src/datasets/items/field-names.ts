/** Names of top-level fields: which are hidden, how they are decoded, and how many are kept. */

/** Beyond this many, names are data rather than fields: a list of a million is useless and takes too much memory. */
export const maxNames = 10_000

/** A longer name is data, too: ten thousand names of 9 MB would not fit into memory. */
export const isFieldName = (name: string): boolean => name.length <= 1_000

export const isHiddenName = (name: string): boolean => name.startsWith('#')

/** A name's `#` may be escaped (`\u0023`). */
export function startsHidden(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 0x5c) return bytes[at] === 0x23
  return bytes[at + 1] === 0x75 && Buffer.from(bytes.subarray(at + 2, at + 6)).toString('latin1') === '0023'
}

/** Decodes the inner text of a JSON string. */
export function decodeName(text: Buffer): string {
  return text.includes(0x5c) ? (JSON.parse(`"${text.toString()}"`) as string) : text.toString()
}
