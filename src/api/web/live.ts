/**
 * Live updates: server-sent events with the ids of changed submissions, for those who may see them, and a hint that the
 * account's own inbox changed. They contain nothing else: the page reads the changes over the APIs, with the usual
 * access checks. One timer serves all streams.
 */
import { Readable } from 'node:stream'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { makeEventIds } from './event-ids.ts'

type ProblemAccess = {
  readonly id: number
  readonly authorId: number
  readonly isHeld: boolean
  readonly submitterId?: number | undefined
}

export type SubmissionChanges = {
  /** Refuses a token without access to what the stream reports. */
  demandScope(actor: Actor): void
  /**
   * Without ids, some changes may have been missed. `deleted` maps deleted submissions to the problems that they were
   * for.
   */
  onChange(
    listener: (ids: ReadonlySet<number> | undefined, deleted?: ReadonlyMap<number, ProblemAccess>) => void,
  ): () => void
  /** Who may have known of deleted submissions to these problems. */
  findDeletionAudience(problemIds: readonly number[]): Promise<(actor: SignedIn, problem: ProblemAccess) => boolean>
  /** A submission to a held problem is hidden from most. Nothing is known of a deleted one. */
  findVisibility(ids: readonly number[]): Promise<(actor: SignedIn, id: number) => 'shown' | 'hidden' | 'gone'>
}

/** Reports the accounts whose inboxes changed; without ids, some changes may have been missed. */
export type InboxChanges = {
  /** Refuses a token without access to an inbox. */
  demandScope(actor: Actor): void
  onChange(listener: (accountIds: readonly number[] | undefined) => void): () => void
}

/** For one account on one server: browser tabs and a few tools. */
export const mostStreamsOfOne = 20
export const mostStreams = 5_000
/** The most submissions that a stream names; without any it reports all. */
export const mostWatched = 100
const heartbeatMs = 15_000
/** After this time the stream ends. The client reconnects by itself, and is identified again. */
const longestMs = 5 * 60_000
/** How many changes, of all submissions, a client may miss and still receive after reconnecting. */
const keptChanges = 1_000
/** A client that leaves this much unread is disconnected. */
const mostUnreadBytes = 64 * 1024

/** The shortest time between two hints to a client to reload everything. */
const resyncEveryMs = 1_000
/** The shortest time between two hints about the inbox. */
const inboxEveryMs = 1_000
/** The most changes in one look-up. */
const mostLookedUp = 1_000

/** `event`: the text sent to every stream that may report the change. */
type Change = {
  readonly at: number
  readonly id: number
  readonly event: string
  /** The problem of a deleted submission. */
  readonly deletedFrom: ProblemAccess | undefined
}
type Stream = {
  readonly actor: SignedIn
  readonly output: Readable
  /** Submissions that the actor could see when it was opened; undefined for all. */
  watched: ReadonlySet<number> | undefined
  readonly hasInbox: boolean
  /** When it last got an inbox hint, or, if in the future, when it will get the next. */
  inboxSentAt: number
  readonly endsAt: number
  resyncedAt: number
  /** It was just asked to reload everything, and must be asked again soon. Until then it needs no other event. */
  isResyncDue: boolean
}

export type Live = ReturnType<typeof makeLive>

type Needs = Pick<SubmissionChanges, 'onChange' | 'findVisibility' | 'findDeletionAudience'> & {
  readonly inboxes?: Pick<InboxChanges, 'onChange'>
  readonly log: Log
}

export function makeLive({ onChange, findVisibility, findDeletionAudience, inboxes, log }: Needs) {
  const eventIds = makeEventIds()
  let count = 0
  const kept: Change[] = []
  const pending: Change[] = []
  let isSending = false
  const streams = new Map<number, Set<Stream>>()
  let streamCount = 0
  let timer: NodeJS.Timeout | undefined
  let resyncTimer: NodeJS.Timeout | undefined

  const all = () => [...streams.values()].flatMap((own) => [...own])
  const writeChange = (at: number, id: number) => `id: ${eventIds.write(at)}\nevent: submission\ndata: {"ID":${id}}\n\n`
  const mayResync = (stream: Stream) => performance.now() - stream.resyncedAt >= resyncEveryMs

  /** Asks the client to reload everything. */
  function resync(stream: Stream): void {
    stream.isResyncDue = !mayResync(stream)
    if (stream.isResyncDue) {
      resyncTimer ??= setTimeout(resyncDue, resyncEveryMs).unref()
      return
    }
    stream.resyncedAt = performance.now()
    write(stream, `id: ${eventIds.write(count)}\nevent: resync\ndata: {}\n\n`)
  }
  function resyncDue(): void {
    resyncTimer = undefined
    for (const stream of all()) if (stream.isResyncDue) resync(stream)
  }
  const resyncAll = () => {
    for (const stream of all()) resync(stream)
  }

  const stopListening = onChange((ids, deleted) => {
    if (!ids) {
      kept.length = 0
      count++
      resyncAll()
      return
    }
    for (const id of ids) {
      const at = ++count
      const change = { at, id, event: writeChange(at, id), deletedFrom: deleted?.get(id) }
      kept.push(change)
      if (kept.length > 2 * keptChanges) kept.splice(0, keptChanges)
      if (streamCount > 0) pending.push(change)
    }
    void sendAll()
  })

  const stopListeningToInboxes = inboxes?.onChange((accountIds) => {
    const concerned = accountIds ? accountIds.flatMap((id) => [...(streams.get(id) ?? [])]) : all()
    for (const stream of concerned) if (stream.hasInbox) sendInboxHint(stream)
  })

  /** Sends a hint at once, and one more for all changes in the second after it. */
  function sendInboxHint(stream: Stream): void {
    const waitMs = stream.inboxSentAt + inboxEveryMs - performance.now()
    if (waitMs > inboxEveryMs) return
    stream.inboxSentAt = performance.now() + Math.max(0, waitMs)
    if (waitMs <= 0) write(stream, inboxEvent)
    else setTimeout(() => write(stream, inboxEvent), waitMs).unref()
  }

  async function findAudience(changes: readonly Change[], further: readonly number[] = []): Promise<Audience> {
    const visibility = await findVisibility([...further, ...changes.map(({ id }) => id)])
    const problemIds = new Set(changes.flatMap(({ deletedFrom }) => deletedFrom?.id ?? []))
    const mayHaveSeen = problemIds.size > 0 ? await findDeletionAudience([...problemIds]) : () => false
    return { visibility, mayHaveSeen }
  }

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    while (pending.length > 0) {
      const changes = pending.splice(0, mostLookedUp)
      try {
        const audience = await findAudience(changes)
        for (const stream of all()) send(stream, changes, audience)
      } catch (error) {
        log.warn({ err: error }, 'pages look at everything again: whom a change concerns could not be found out')
        resyncAll()
      }
    }
    isSending = false
  }

  /**
   * A deletion is sent by id only to streams that watch that id. Others who could have seen it are asked to reload, and
   * learn no id.
   */
  function send(stream: Stream, changes: readonly Change[], { visibility, mayHaveSeen }: Audience): void {
    if (stream.isResyncDue) return
    const { actor, watched } = stream
    const isSent = ({ id }: Change) => {
      const seen = visibility(actor, id)
      return watched ? watched.has(id) && seen !== 'hidden' : seen === 'shown'
    }
    const mustLookAgain = !watched && changes.some(({ deletedFrom }) => deletedFrom && mayHaveSeen(actor, deletedFrom))
    // Withheld: a client that reconnected with the id of one of these events would not be asked to reload.
    const isLate = mustLookAgain && !mayResync(stream)
    if (!isLate)
      write(
        stream,
        changes
          .filter(isSent)
          .map(({ event }) => event)
          .join(''),
      )
    if (mustLookAgain) resync(stream)
  }

  function beat(): void {
    const now = performance.now()
    for (const stream of all())
      if (stream.endsAt <= now) stream.output.push(null)
      else write(stream, ': heartbeat\n\n')
  }

  /** Undefined if the changes are no longer kept. */
  function listMissed(lastEventId: string): readonly Change[] | undefined {
    const since = eventIds.read(lastEventId)
    if (since === undefined || since > count) return undefined
    const isKept = since === count || (kept[0]?.at ?? count + 1) <= since + 1
    return isKept ? kept.filter((change) => change.at > since) : undefined
  }

  function register(actor: SignedIn, watchesAll: boolean, hasInbox: boolean): Stream {
    const accountId = actor.account.id
    const own = streams.get(accountId) ?? new Set<Stream>()
    const hasSpace = own.size < mostStreamsOfOne && streamCount < mostStreams
    demand(
      hasSpace,
      'limited',
      'too-many-streams',
      'Too many pages are open: close some, or ask again from time to time.',
    )
    const output = new Readable({
      read() {},
      destroy(error, done) {
        if (own.delete(stream)) streamCount--
        if (own.size === 0 && streams.get(accountId) === own) streams.delete(accountId)
        if (streamCount === 0) clearInterval(timer)
        done(error)
      },
    })
    const watched = watchesAll ? undefined : new Set<number>()
    const endsAt = performance.now() + longestMs
    const resyncedAt = Number.NEGATIVE_INFINITY
    const inboxSentAt = Number.NEGATIVE_INFINITY
    const stream = { actor, output, watched, hasInbox, inboxSentAt, endsAt, resyncedAt, isResyncDue: false }
    if (streamCount === 0) timer = setInterval(beat, heartbeatMs).unref()
    own.add(stream)
    streams.set(accountId, own)
    streamCount++
    return stream
  }

  return {
    /** Without `ids` it reports all submissions. */
    async open(
      actor: SignedIn,
      ids: readonly number[] | undefined,
      lastEventId: string | undefined,
      hasInbox = false,
    ): Promise<Readable> {
      const stream = register(actor, ids === undefined, hasInbox)
      write(stream, `retry: 2000\nid: ${eventIds.write(count)}\n\n`)
      const missed = lastEventId === undefined ? [] : listMissed(lastEventId)
      const openedAt = count
      try {
        const audience = await findAudience(missed ?? [], ids)
        stream.watched = ids && new Set(ids.filter((id) => audience.visibility(actor, id) === 'shown'))
        const meanwhile = ids ? kept.filter(({ at }) => at > openedAt) : []
        if (missed) send(stream, [...missed, ...meanwhile], audience)
        else resync(stream)
      } catch (error) {
        stream.output.destroy()
        throw error
      }
      return stream.output
    },
    countStreams: (): number => streamCount,
    /** The server is stopping: clients should reconnect to another one. */
    close(): void {
      clearInterval(timer)
      clearTimeout(resyncTimer)
      stopListening()
      stopListeningToInboxes?.()
      for (const { output } of all()) output.push(null)
    },
  }
}

const inboxEvent = 'event: inbox\ndata: {}\n\n'

type Audience = {
  readonly visibility: Awaited<ReturnType<SubmissionChanges['findVisibility']>>
  readonly mayHaveSeen: Awaited<ReturnType<SubmissionChanges['findDeletionAudience']>>
}

function write({ output }: Stream, text: string): void {
  if (text === '' || output.destroyed || output.readableEnded) return
  if (output.readableLength > mostUnreadBytes) output.destroy()
  else output.push(text)
}
