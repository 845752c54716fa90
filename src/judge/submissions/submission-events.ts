/**
 * Submission events: "one waits in the queue" and "this one is finished". They only wake calls that wait; the tables hold
 * the truth. An event is published after the write it tells of. On SQLite it stays in this process, which is the only
 * server; on PostgreSQL it reaches every server, many events in one notification, so that no write waits for it.
 */
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'

export type SubmissionEventPublisher = {
  /** A submission is in the queue. */
  publishWaiting(): void
  /** This submission is finished or deleted. */
  publishFinished(id: number): void
}

/** Without ids the listener must assume that it missed some. */
type FinishedListener = (ids: ReadonlySet<number> | undefined) => void
type WaitingListener = () => void

export type SubmissionEvents = ReturnType<typeof makeSubmissionEvents>

const waitingChannel = 'judge-waiting'
const finishedChannel = 'judge-finished'
/** PostgreSQL refuses a notification over 8,000 bytes; 400 ids of 16 digits fit. */
const idsPerNotification = 400

export function makeSubmissionEvents({ store, log }: { store: Store; log: Log }) {
  const onWaiting = new Set<WaitingListener>()
  const onFinished = new Set<FinishedListener>()
  let isWaitingUnsent = false
  let unsentIds: number[] = []
  let sending: Promise<void> | undefined

  const deliverWaiting = () => {
    for (const listener of [...onWaiting]) listener()
  }
  const deliverFinished: FinishedListener = (ids) => {
    for (const listener of [...onFinished]) listener(ids)
  }
  const isOnlyServer = store.engine === 'sqlite'
  const stopListening = isOnlyServer
    ? []
    : [
        store.listen(waitingChannel, deliverWaiting),
        store.listen(finishedChannel, (ids) => deliverFinished(ids ? new Set(ids.split(',').map(Number)) : undefined)),
      ]

  async function send(): Promise<void> {
    while (isWaitingUnsent || unsentIds.length > 0) {
      const sendsWaiting = isWaitingUnsent
      const ids = unsentIds.slice(0, idsPerNotification)
      isWaitingUnsent = false
      unsentIds = unsentIds.slice(idsPerNotification)
      await store.write(async (trx) => {
        if (sendsWaiting) await store.notify(trx, waitingChannel, '')
        if (ids.length > 0) await store.notify(trx, finishedChannel, ids.join(','))
      })
    }
  }

  /** A call that waits also polls, so an event that is lost only delays it. */
  function sendSoon(): void {
    sending ??= send()
      .catch((error) => log.warn({ err: error }, 'waiting calls could not be woken'))
      .finally(() => {
        sending = undefined
      })
  }

  return {
    publishWaiting(): void {
      if (isOnlyServer) {
        deliverWaiting()
        return
      }
      isWaitingUnsent = true
      sendSoon()
    },
    publishFinished(id: number): void {
      if (isOnlyServer) {
        deliverFinished(new Set([id]))
        return
      }
      unsentIds.push(id)
      sendSoon()
    },
    /** Both return a function that stops the listening. */
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
