/** The top-level names met while reading items. Items resemble each other, so the next name is guessed before it is looked up. */

export class NameBook {
  sawHidden = false
  sawClean = false
  readonly #texts: Buffer[] = []
  readonly #isHidden: boolean[] = []
  readonly #follower: number[] = []
  readonly #placeOf = new Map<string, number>()
  readonly #names = new Set<string>()
  #guess = 0
  #last = -1

  /** A new item begins: its first name is likely the first one again. */
  rewind() {
    this.#guess = 0
    this.#last = -1
    this.sawHidden = false
    this.sawClean = false
  }

  /** Notes the name that stands, still escaped, between two positions. */
  note(bytes: Uint8Array, start: number, end: number) {
    let place = this.#guess
    const text = this.#texts[place]
    if (text === undefined || !isSame(text, bytes, start, end)) {
      place = this.#find(bytes, start, end)
      if (this.#last >= 0) this.#follower[this.#last] = place
    }
    this.#last = place
    this.#guess = this.#follower[place]!
    if (this.#isHidden[place]) this.sawHidden = true
    else this.sawClean = true
  }

  all(): string[] {
    return [...this.#names]
  }

  #find(bytes: Uint8Array, start: number, end: number): number {
    const text = Buffer.from(bytes.subarray(start, end))
    const key = text.toString('latin1')
    const known = this.#placeOf.get(key)
    if (known !== undefined) return known
    const name = decodeName(text)
    this.#names.add(name)
    this.#placeOf.set(key, this.#texts.length)
    this.#isHidden.push(name.startsWith('#'))
    this.#follower.push(this.#texts.length + 1)
    return this.#texts.push(text) - 1
  }
}

/** The name that the inner text of a JSON string stands for. */
export function decodeName(text: Buffer): string {
  return text.includes(0x5c) ? (JSON.parse(`"${text.toString()}"`) as string) : text.toString()
}

function isSame(text: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let i = 0; i < text.length; i++) if (text[i] !== bytes[start + i]) return false
  return true
}
