/**
 * Tidings between servers: a submission waits, or is finished. They are to wake by; what counts is in the tables. They go
 * out after the write they tell of, many in one, so that no write waits for them.
 */
import type { Log } from '../base/log.ts'
import type { Store } from '../store/store.ts'

export type TidingsOut = {
  /** Something is in the queue. */
  tellWaiting(): void
  /** This submission is finished, or gone. */
  tellFinished(id: number): void
}

export type Tidings = ReturnType<typeof makeTidings>

const waitingChannel = 'judge-waiting'
const finishedChannel = 'judge-finished'
/** A signal carries so many ids at most. */
const idsInOne = 400

export function makeTidings({ store, log }: { store: Store; log: Log }) {
  let isWaiting = false
  let finishedIds: number[] = []
  let sending: Promise<void> | undefined

  async function send(): Promise<void> {
    while (isWaiting || finishedIds.length > 0) {
      const tellsWaiting = isWaiting
      const ids = finishedIds.slice(0, idsInOne)
      isWaiting = false
      finishedIds = finishedIds.slice(idsInOne)
      await store.write(async (trx) => {
        if (tellsWaiting) await store.notify(trx, waitingChannel, '')
        if (ids.length > 0) await store.notify(trx, finishedChannel, ids.join(','))
      })
    }
  }

  /** Those who wait look for themselves now and then: a signal that is lost delays them, no more. */
  function sendSoon(): void {
    sending ??= send()
      .catch((error) => log.warn({ err: error }, 'waiting calls could not be woken'))
      .finally(() => {
        sending = undefined
      })
  }

  return {
    tellWaiting(): void {
      isWaiting = true
      sendSoon()
    },
    tellFinished(id: number): void {
      finishedIds.push(id)
      sendSoon()
    },
    onWaiting: (listener: () => void): (() => void) => store.listen(waitingChannel, () => listener()),
    /** Called without ids when some may have been missed. */
    onFinished: (listener: (ids: ReadonlySet<number> | undefined) => void): (() => void) =>
      store.listen(finishedChannel, (payload) =>
        listener(payload ? new Set(payload.split(',').map(Number)) : undefined),
      ),
    close: async () => sending,
  }
}
