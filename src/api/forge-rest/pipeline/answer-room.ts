/** What one answer takes of the budget of memory: first the texts that are read for it, then what is sent. */
import type { Hold } from '../../../http/byte-budget.ts'

export class AnswerRoom {
  readonly #open: () => Hold
  #hold: Hold | undefined
  #taken = 0

  constructor(open: () => Hold) {
    this.#open = open
  }

  /** Before so many bytes are read or made; it may refuse. */
  take(bytes: number): Promise<void> | undefined {
    this.#hold ??= this.#open()
    this.#taken += bytes
    return this.#hold.take(bytes)
  }

  /** What is sent is all that is left of it, and is counted until the client has read it. */
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
