/** A read together with whether a new one would still answer the same: what every cache of reads stands on. */
import type { Awaitable } from './awaitable.ts'

export type Observed<T> = {
  readonly answer: T
  /** Whether a new read would answer the same. Ask only once the answer is complete. */
  isCurrent(): Awaitable<boolean>
  /** What is kept beside the answer to find that out. */
  heldBytes(): number
}

/** `maxBytes`: where the rows that were read take more, nothing of them is kept, and a change to their tables is taken for a change to them. */
export type ObserveRead = <T>(read: () => T, maxBytes?: number) => Observed<T>
