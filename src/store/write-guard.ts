/**
 * Refuses a write that is started inside another: on SQLite, which has one writer, it would wait for itself forever.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A bug of the caller, which must pass on the transaction that it was given. */
export class NestedWriteError extends Error {
  override readonly name = 'NestedWriteError'
  constructor() {
    super('store.write was called inside store.write: use the transaction that is open.')
  }
}

type OpenWrite = { isOpen: boolean }

export function makeWriteGuard() {
  const writes = new AsyncLocalStorage<OpenWrite>()
  return {
    demandNoneOpen(): void {
      if (writes.getStore()?.isOpen) throw new NestedWriteError()
    },
    /** Work that the act starts without waiting for it inherits its context, and may write once the act is over. */
    async run<T>(act: () => Promise<T>): Promise<T> {
      const write: OpenWrite = { isOpen: true }
      try {
        return await writes.run(write, act)
      } finally {
        write.isOpen = false
      }
    },
  }
}
