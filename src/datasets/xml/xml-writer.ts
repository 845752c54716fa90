/** Writes XML a little at a time: one item of 9 MB may become gigabytes, so it is never one string. */
import { Failure } from '../../lib/failure.ts'
import { ByteWriter } from '../items/byte-writer.ts'

/** The maximum size of one record; a name of a megabyte may surround each of a million elements. */
const maxRecordBytes = 128 * 1024 * 1024

const pendingLength = 16 * 1024

export class XmlWriter {
  readonly #out: ByteWriter
  #pending = ''
  #recordStart = 0

  constructor(capacity: number) {
    this.#out = new ByteWriter(capacity)
  }

  /** Begins the next record, and answers the length of everything before it. */
  endRecord(): number {
    if (this.#pending.length > pendingLength / 2) this.#flush()
    this.#recordStart = this.#out.length
    return this.#out.length
  }

  add(text: string) {
    this.#pending += text
    if (this.#pending.length > pendingLength) this.#flush()
  }

  take(): Buffer {
    this.#flush()
    return this.#out.take()
  }

  #flush() {
    this.#out.addText(this.#pending)
    this.#pending = ''
    if (this.#out.length - this.#recordStart > maxRecordBytes)
      throw new Failure(
        'invalid',
        'invalid-value',
        'An item is too large as XML, for its names are long and repeated: take it out as json, or leave the field out with omit.',
      )
  }
}
