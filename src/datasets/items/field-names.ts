/** A table of the top-level field names met while reading items. Items resemble each other, so the next name is predicted before it is looked up. */

/** Beyond this many, names are data rather than fields: a list of a million helps nobody, and would take too much memory. */
export const maxNames = 10_000

/** A longer name is data, too: ten thousand names of 9 MB would not fit into memory. */
export const isFieldName = (name: string): boolean => name.length <= 1_000

export class FieldNameTable {
  sawHidden = false
  sawClean = false
  // The members are TypeScript's `private`, not `#`: this is the inner loop of every push.
  private readonly texts: Buffer[] = []
  private readonly isHidden: boolean[] = []
  private readonly follower: number[] = []
  private readonly placeOf = new Map<string, number>()
  private readonly names = new Set<string>()
  private guess = 0
  private last = -1

  /** A new item begins; its first name is likely that of the item before. */
  rewind() {
    this.guess = 0
    this.last = -1
    this.sawHidden = false
    this.sawClean = false
  }

  /** If the expected name starts here, answers the place after its closing quote; else 0. */
  noteExpected(bytes: Uint8Array, start: number): number {
    const text = this.texts[this.guess]
    if (text === undefined) return 0
    const { length } = text
    if (bytes[start + length] !== 0x22) return 0
    for (let i = 0; i < length; i++) if (text[i] !== bytes[start + i]) return 0
    this.noteAt(this.guess)
    return start + length + 1
  }

  /** Notes the name between two positions, which is still escaped. */
  note(bytes: Uint8Array, start: number, end: number) {
    const place = this.find(bytes, start, end)
    if (place === -1) {
      if (startsHidden(bytes, start)) this.sawHidden = true
      else this.sawClean = true
      return
    }
    if (this.last >= 0) this.follower[this.last] = place
    this.noteAt(place)
  }

  all(): string[] {
    return [...this.names]
  }

  private noteAt(place: number) {
    this.last = place
    this.guess = this.follower[place]!
    if (this.isHidden[place]) this.sawHidden = true
    else this.sawClean = true
  }

  private find(bytes: Uint8Array, start: number, end: number): number {
    const text = Buffer.from(bytes.subarray(start, end))
    const key = text.toString('latin1')
    const known = this.placeOf.get(key)
    if (known !== undefined) return known
    if (this.texts.length >= maxNames) return -1
    const name = decodeName(text)
    this.names.add(name)
    this.placeOf.set(key, this.texts.length)
    this.isHidden.push(name.startsWith('#'))
    this.follower.push(this.texts.length + 1)
    return this.texts.push(text) - 1
  }
}

/** A name may hide its `#` behind an escape (`\u0023`). */
export function startsHidden(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 0x5c) return bytes[at] === 0x23
  return bytes[at + 1] === 0x75 && Buffer.from(bytes.subarray(at + 2, at + 6)).toString('latin1') === '0023'
}

/** The name that the inner text of a JSON string stands for. */
export function decodeName(text: Buffer): string {
  return text.includes(0x5c) ? (JSON.parse(`"${text.toString()}"`) as string) : text.toString()
}
