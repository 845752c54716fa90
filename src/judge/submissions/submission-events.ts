/**
 * Submission events: "one waits in the queue", "this one progressed" and "this one is finished". They only wake waiting
 * calls; the tables are authoritative. An event is published after its write. On SQLite it stays in this process, the
 * only server; on PostgreSQL it reaches every server, with many events in one notification, so that no write waits for
 * it.
 */
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'

export type SubmissionEventPublisher = {
  /** A submission waits in the queue. */
  publishWaiting(): void
  /** The judging of this submission began, or more of its tests have run. */
  publishProgress(id: number): void
  /** This submission is finished. */
  publishFinished(id: number): void
  /** These submissions to this problem were deleted. */
  publishDeleted(ids: readonly number[], problem: ProblemAccess): void
}

/** The properties of a problem that decide who may know of its submissions. */
export type ProblemAccess = {
  readonly id: number
  readonly authorId: number
  readonly isHeld: boolean
  /** Who handed in the deleted submission; undefined if the problem was deleted, too. */
  readonly submitterId?: number | undefined
}

/** Without ids the listener must assume that it missed some. `deleted` maps deleted submissions to their problems. */
type IdsListener = (ids: ReadonlySet<number> | undefined, deleted?: ReadonlyMap<number, ProblemAccess>) => void
type WaitingListener = () => void

export type SubmissionEvents = ReturnType<typeof makeSubmissionEvents>

const waitingChannel = 'judge-waiting'
const finishedChannel = 'judge-finished'
const progressChannel = 'judge-progress'
/** A deletion is sent as id, author of the problem, whether the problem is held, its id, and who handed it in: `12:7:1:3:9`. */
const deletedChannel = 'judge-deleted'
/** PostgreSQL refuses a notification over 8,000 bytes; 400 ids of 16 digits fit. */
const idsPerNotification = 400
const deletedPerNotification = 80

export function makeSubmissionEvents({ store, log }: { store: Store; log: Log }) {
  const onWaiting = new Set<WaitingListener>()
  const onFinished = new Set<IdsListener>()
  const onProgress = new Set<IdsListener>()
  let isWaitingUnsent = false
  const unsent = { [finishedChannel]: [] as number[], [progressChannel]: [] as number[] }
  const unsentDeleted: string[] = []
  let sending: Promise<void> | undefined

  const deliverWaiting = () => {
    for (const listener of [...onWaiting]) listener()
  }
  const deliverTo =
    (listeners: ReadonlySet<IdsListener>): IdsListener =>
    (ids, deleted) => {
      for (const listener of [...listeners]) listener(ids, deleted)
    }
  const deliver = { [finishedChannel]: deliverTo(onFinished), [progressChannel]: deliverTo(onProgress) }
  const listenTo = (channel: keyof typeof deliver) =>
    store.listen(channel, (ids) => deliver[channel](ids ? new Set(ids.split(',').map(Number)) : undefined))
  const deliverDeleted = (deleted: ReadonlyMap<number, ProblemAccess> | undefined) =>
    deliver[finishedChannel](deleted && new Set(deleted.keys()), deleted)
  const listenToDeleted = () =>
    store.listen(deletedChannel, (text) => deliverDeleted(text ? new Map(text.split(',').map(readDeleted)) : undefined))
  const isOnlyServer = store.engine === 'sqlite'
  const stopListening = isOnlyServer
    ? []
    : [
        store.listen(waitingChannel, deliverWaiting),
        listenTo(finishedChannel),
        listenTo(progressChannel),
        listenToDeleted(),
      ]
  const isUnsent = () =>
    isWaitingUnsent ||
    [unsent[finishedChannel], unsent[progressChannel], unsentDeleted].some(({ length }) => length > 0)

  async function send(): Promise<void> {
    while (isUnsent()) {
      const sendsWaiting = isWaitingUnsent
      const finished = unsent[finishedChannel].splice(0, idsPerNotification)
      const further = unsent[progressChannel].splice(0, idsPerNotification)
      const deleted = unsentDeleted.splice(0, deletedPerNotification)
      isWaitingUnsent = false
      // Sent outside any transaction, because the writes are already committed.
      if (sendsWaiting) await store.notify(store.db, waitingChannel, '')
      if (finished.length > 0) await store.notify(store.db, finishedChannel, finished.join(','))
      if (further.length > 0) await store.notify(store.db, progressChannel, further.join(','))
      if (deleted.length > 0) await store.notify(store.db, deletedChannel, deleted.join(','))
    }
  }

  /** A waiting call also polls, so a lost event only delays it. */
  function sendSoon(): void {
    sending ??= send()
      .catch((error) => log.warn({ err: error }, 'waiting calls could not be woken'))
      .finally(() => {
        sending = undefined
      })
  }

  function publishId(channel: keyof typeof unsent, id: number): void {
    if (isOnlyServer) {
      deliver[channel](new Set([id]))
      return
    }
    unsent[channel].push(id)
    sendSoon()
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
    publishFinished: (id: number): void => publishId(finishedChannel, id),
    publishProgress: (id: number): void => publishId(progressChannel, id),
    publishDeleted(ids: readonly number[], problem: ProblemAccess): void {
      if (isOnlyServer) {
        deliverDeleted(new Map(ids.map((id) => [id, problem])))
        return
      }
      unsentDeleted.push(...ids.map((id) => writeDeleted(id, problem)))
      sendSoon()
    },
    /** Each returns a function that unsubscribes. */
    onWaiting: (listener: WaitingListener): (() => void) => subscribe(onWaiting, listener),
    onFinished: (listener: IdsListener): (() => void) => subscribe(onFinished, listener),
    /** Both progress and the end: more tests have run, or it is finished or deleted. */
    onChange(listener: IdsListener): () => void {
      const stops = [subscribe(onProgress, listener), subscribe(onFinished, listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    async close(): Promise<void> {
      for (const stop of stopListening) stop()
      await sending
    },
  }
}

const writeDeleted = (id: number, problem: ProblemAccess): string =>
  `${id}:${problem.authorId}:${Number(problem.isHeld)}:${problem.id}:${problem.submitterId ?? 0}`

function readDeleted(text: string): [id: number, problem: ProblemAccess] {
  const [id, authorId, isHeld, problemId, submitterId] = text.split(':').map(Number)
  return [id!, { id: problemId!, authorId: authorId!, isHeld: isHeld === 1, submitterId }]
}

function subscribe<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
