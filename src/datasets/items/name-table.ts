/** Looks up names by their bytes: most names are repeated, and no string is made for those. */

export interface Named {
  readonly name: string
  /** The bytes of the name as first seen. */
  spelling: Uint8Array | null
}

export class NameTable<T extends Named> {
  /** The closing quote of the last looked-up name. */
  end = 0
  private hash = 0
  private readonly byHash = new Map<number, T>()
  private readonly byName = new Map<string, T>()

  /**
   * Looks up the name here. Unknown names, other spellings of known ones, and names with a taken hash are not found.
   */
  find(bytes: Uint8Array, start: number): T | undefined {
    let hash = 0
    let at = start
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === 0x22) break
      hash = (Math.imul(hash, 31) + byte) & 0x3fffffff
      if (byte === 0x5c) at++
    }
    this.end = at
    this.hash = hash
    const known = this.byHash.get(hash)
    return known !== undefined && isSpelledAt(known.spelling!, bytes, start) ? known : undefined
  }

  findName(name: string): T | undefined {
    return this.byName.get(name)
  }

  add(one: T): void {
    this.byName.set(one.name, one)
  }

  /** Adds the bytes that were looked up last as this name's spelling. */
  learn(one: T, bytes: Uint8Array, start: number): void {
    if (one.spelling !== null || this.byHash.has(this.hash)) return
    one.spelling = Uint8Array.from(bytes.subarray(start, this.end))
    this.byHash.set(this.hash, one)
  }
}

/** Whether exactly this name stands here, with its closing quote. */
export function isSpelledAt(spelling: Uint8Array, bytes: Uint8Array, at: number): boolean {
  const { length } = spelling
  if (bytes[at + length] !== 0x22) return false
  for (let i = 0; i < length; i++) if (spelling[i] !== bytes[at + i]) return false
  return true
}
