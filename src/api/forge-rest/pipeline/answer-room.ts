/** The memory budget of one response: first the texts read for it, then the bytes to send. */
import type { Hold } from '../../../http/byte-budget.ts'

export class AnswerRoom {
  readonly #open: () => Hold
  #hold: Hold | undefined
  #taken = 0

  constructor(open: () => Hold) {
    this.#open = open
  }

  /** To be called before so many bytes are read or produced; it may refuse. */
  take(bytes: number): Promise<void> | undefined {
    this.#hold ??= this.#open()
    this.#taken += bytes
    return this.#hold.take(bytes)
  }

  /** From now on only the bytes to send count, until the client has read them. */
  async keep(bytes: number): Promise<Hold> {
    this.#hold ??= this.#open()
    if (bytes > this.#taken) await this.#hold.take(bytes - this.#taken)
    else this.#hold.give(this.#taken - bytes)
    this.#taken = bytes
    return this.#hold
  }

  release(): void {
    this.#hold?.release()
    this.#hold = undefined
    this.#taken = 0
  }
}
