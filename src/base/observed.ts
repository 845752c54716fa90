/** A read together with whether a new one would still answer the same: what every cache of reads stands on. */

export type Observed<T> = {
  readonly answer: T
  /** Whether nothing that was read has changed since. Ask only once the answer is complete. */
  isCurrent(): boolean
  /** Whether nothing at all has changed since the read began, which may still go on. */
  isUntouched(): boolean
}

export type ObserveRead = <T>(read: () => T) => Observed<T>
