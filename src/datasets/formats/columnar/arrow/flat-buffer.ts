/** Writes FlatBuffers, as far as the metadata of Arrow needs them: from the end to the beginning, what is referred to first. */

/** Where something was written, counted from the end. */
export type Place = number

/** A field of a table: a number of so many bytes, or a reference. Null leaves it out. */
export type Field = { readonly size: 1 | 2 | 4 | 8; readonly value: number } | { readonly to: Place } | null

export class FlatBuffer {
  #bytes = Buffer.alloc(1024)
  #used = 0

  text(text: string): Place {
    const bytes = Buffer.from(`${text}\0`)
    this.#align(4, bytes.length)
    this.#take(bytes.length, (at) => bytes.copy(this.#bytes, at))
    return this.#number(4, bytes.length - 1)
  }

  tables(places: readonly Place[]): Place {
    this.#align(4, 4 * places.length)
    for (const place of places.toReversed()) this.#reference(place)
    return this.#number(4, places.length)
  }

  /** Structs of eight bytes' alignment, written by the caller. */
  structs(bytes: Buffer, count: number): Place {
    this.#align(8, bytes.length)
    this.#take(bytes.length, (at) => bytes.copy(this.#bytes, at))
    return this.#number(4, count)
  }

  table(fields: readonly Field[]): Place {
    const start = this.#used
    const places = fields.map((field) => {
      if (field === null) return 0
      return 'to' in field ? this.#reference(field.to) : this.#number(field.size, field.value)
    })
    const table = this.#number(4, 0)
    this.#align(2, 2 * fields.length + 4)
    for (const place of places.toReversed()) this.#number(2, place === 0 ? 0 : table - place)
    this.#number(2, table - start)
    const schedule = this.#number(2, 2 * fields.length + 4)
    this.#bytes.writeInt32LE(schedule - table, this.#bytes.length - table)
    return table
  }

  /** The whole, a multiple of eight bytes long, with this table as its root. */
  finish(root: Place): Buffer {
    this.#align(8, 4)
    this.#reference(root)
    return this.#bytes.subarray(this.#bytes.length - this.#used)
  }

  /** So that what has this length begins at a multiple of this size. */
  #align(size: number, length: number): void {
    const rest = (this.#used + length) % size
    if (rest > 0) this.#take(size - rest, () => {})
  }

  #take(length: number, write: (at: number) => void): Place {
    while (this.#used + length > this.#bytes.length)
      this.#bytes = Buffer.concat([Buffer.alloc(this.#bytes.length), this.#bytes])
    this.#used += length
    write(this.#bytes.length - this.#used)
    return this.#used
  }

  #number(size: 1 | 2 | 4 | 8, value: number): Place {
    this.#align(size, size)
    return this.#take(size, (at) => {
      if (size === 8) this.#bytes.writeBigInt64LE(BigInt(value), at)
      else this.#bytes.writeUIntLE(value, at, size)
    })
  }

  #reference(to: Place): Place {
    this.#align(4, 4)
    return this.#number(4, this.#used + 4 - to)
  }
}
