/**
 * Tidings: a submission waits, or is finished. They are to wake by; what counts is in the tables. They go out after the
 * write they tell of: on SQLite to this process, which is the only server; on PostgreSQL to all, many in one signal, so
 * that no write waits for it.
 */
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'

export type TidingsOut = {
  /** Something is in the queue. */
  tellWaiting(): void
  /** This submission is finished, or gone. */
  tellFinished(id: number): void
}

/** Without ids: some may have been missed. */
type FinishedListener = (ids: ReadonlySet<number> | undefined) => void
type WaitingListener = () => void

export type Tidings = ReturnType<typeof makeTidings>

const waitingChannel = 'judge-waiting'
const finishedChannel = 'judge-finished'
/** A signal carries so many ids at most. */
const idsInOne = 400

export function makeTidings({ store, log }: { store: Store; log: Log }) {
  const onWaiting = new Set<WaitingListener>()
  const onFinished = new Set<FinishedListener>()
  let isWaiting = false
  let finishedIds: number[] = []
  let sending: Promise<void> | undefined

  const hearWaiting = () => {
    for (const listener of [...onWaiting]) listener()
  }
  const hearFinished: FinishedListener = (ids) => {
    for (const listener of [...onFinished]) listener(ids)
  }
  const isAlone = store.engine === 'sqlite'
  const stopListening = isAlone
    ? []
    : [
        store.listen(waitingChannel, hearWaiting),
        store.listen(finishedChannel, (ids) => hearFinished(ids ? new Set(ids.split(',').map(Number)) : undefined)),
      ]

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
      if (isAlone) {
        hearWaiting()
        return
      }
      isWaiting = true
      sendSoon()
    },
    tellFinished(id: number): void {
      if (isAlone) {
        hearFinished(new Set([id]))
        return
      }
      finishedIds.push(id)
      sendSoon()
    },
    /** Both give back how to stop listening. */
    onWaiting: (listener: WaitingListener): (() => void) => subscribe(onWaiting, listener),
    onFinished: (listener: FinishedListener): (() => void) => subscribe(onFinished, listener),
    async close(): Promise<void> {
      for (const stop of stopListening) stop()
      await sending
    },
  }
}

function subscribe<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
