/**
 * Live updates: server-sent events that say which submissions have changed, to whom they are there, and that one's own inbox
 * has. They are hints and hold nothing else: the page reads what changed over the interfaces, as anybody who may. One timer
 * serves all streams.
 */
import { Readable } from 'node:stream'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { makeEventIds } from './event-ids.ts'

type ProblemAccess = { readonly authorId: number; readonly isHeld: boolean }

export type SubmissionChanges = {
  /** Refuses a token that may not read what the stream tells of. */
  demandScope(actor: Actor): void
  /** Without ids: some may have been missed. Of those that are deleted it tells what they were handed in to. */
  onChange(
    listener: (ids: ReadonlySet<number> | undefined, deleted?: ReadonlyMap<number, ProblemAccess>) => void,
  ): () => void
  maySeeProblem(actor: SignedIn, problem: ProblemAccess): boolean
  /** A submission to a problem that is held is hidden from most; of one that was deleted nobody knows. */
  findVisibility(ids: readonly number[]): Promise<(actor: SignedIn, id: number) => 'shown' | 'hidden' | 'gone'>
}

/** Of the people whose inboxes changed; without ids: some may have been missed. */
export type InboxChanges = {
  /** Refuses a token that may not read an inbox. */
  demandScope(actor: Actor): void
  onChange(listener: (accountIds: readonly number[] | undefined) => void): () => void
}

/** Of one account, on one server: browser tabs and a few tools. */
export const mostStreamsOfOne = 20
export const mostStreams = 5_000
/** Those a stream tells of; without any it tells of all. */
export const mostWatched = 100
const heartbeatMs = 15_000
/** Then the client comes again, by itself, and who it is is looked at again. */
const longestMs = 5 * 60_000
/** What a client may have missed while it was away and still be told, in changes of all submissions. */
const keptChanges = 1_000
/** A client that reads so little of it is let go. */
const mostUnreadBytes = 64 * 1024

/** A client that is to look at everything again is told so no more often. */
const resyncEveryMs = 1_000
/** A client is told of its inbox no more often. */
const inboxEveryMs = 1_000
/** Looked up at once, at most. */
const mostLookedUp = 1_000

/** `event` is what every stream that may tell of it says. */
type Change = {
  readonly at: number
  readonly id: number
  readonly event: string
  /** What it was handed in to, where it is deleted. */
  readonly deletedFrom: ProblemAccess | undefined
}
type Stream = {
  readonly actor: SignedIn
  readonly output: Readable
  /** Those that the actor could see when it was opened; undefined: all. */
  watched: ReadonlySet<number> | undefined
  readonly hasInbox: boolean
  /** When it was last told of its inbox; in the future: when it will be. */
  inboxToldAt: number
  readonly endsAt: number
  resyncedAt: number
  /** It was told a moment ago to look at everything, and is to be told again. Until then it need be told of nothing else. */
  isResyncDue: boolean
}

export type Live = ReturnType<typeof makeLive>

type Needs = Pick<SubmissionChanges, 'onChange' | 'findVisibility' | 'maySeeProblem'> & {
  readonly inboxes?: Pick<InboxChanges, 'onChange'>
  readonly log: Log
}

export function makeLive({ onChange, findVisibility, maySeeProblem, inboxes, log }: Needs) {
  const eventIds = makeEventIds()
  let count = 0
  const kept: Change[] = []
  const untold: Change[] = []
  let isTelling = false
  const streams = new Map<number, Set<Stream>>()
  let streamCount = 0
  let timer: NodeJS.Timeout | undefined
  let resyncTimer: NodeJS.Timeout | undefined

  const all = () => [...streams.values()].flatMap((own) => [...own])
  const writeChange = (at: number, id: number) => `id: ${eventIds.write(at)}\nevent: submission\ndata: {"ID":${id}}\n\n`
  const mayResync = (stream: Stream) => performance.now() - stream.resyncedAt >= resyncEveryMs

  /** The client is to look at everything again. */
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
      if (streamCount > 0) untold.push(change)
    }
    void tellAll()
  })

  const stopListeningToInboxes = inboxes?.onChange((accountIds) => {
    const concerned = accountIds ? accountIds.flatMap((id) => [...(streams.get(id) ?? [])]) : all()
    for (const stream of concerned) if (stream.hasInbox) tellOfInbox(stream)
  })

  /** At once, and of all that changes within the second after it once more. */
  function tellOfInbox(stream: Stream): void {
    const waitMs = stream.inboxToldAt + inboxEveryMs - performance.now()
    if (waitMs > inboxEveryMs) return
    stream.inboxToldAt = performance.now() + Math.max(0, waitMs)
    if (waitMs <= 0) write(stream, inboxEvent)
    else setTimeout(() => write(stream, inboxEvent), waitMs).unref()
  }

  async function tellAll(): Promise<void> {
    if (isTelling) return
    isTelling = true
    while (untold.length > 0) {
      const changes = untold.splice(0, mostLookedUp)
      try {
        const visibility = await findVisibility(changes.map(({ id }) => id))
        for (const stream of all()) tell(stream, changes, visibility)
      } catch (error) {
        log.warn({ err: error }, 'pages look at everything again: whom a change concerns could not be found out')
        resyncAll()
      }
    }
    isTelling = false
  }

  /** Of what is deleted only those are told who watch it by its id; others who could know of it look again, and learn no id. */
  function tell(stream: Stream, changes: readonly Change[], visibility: FoundVisibility): void {
    if (stream.isResyncDue) return
    const { actor, watched } = stream
    const isTold = ({ id }: Change) => {
      const seen = visibility(actor, id)
      return watched ? watched.has(id) && seen !== 'hidden' : seen === 'shown'
    }
    const mustLookAgain =
      !watched && changes.some(({ deletedFrom }) => deletedFrom && maySeeProblem(actor, deletedFrom))
    // Who came again with the id of one of these would not be told to look again.
    const isLate = mustLookAgain && !mayResync(stream)
    if (!isLate)
      write(
        stream,
        changes
          .filter(isTold)
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

  /** Undefined where it is not known any more. */
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
    const inboxToldAt = Number.NEGATIVE_INFINITY
    const stream = { actor, output, watched, hasInbox, inboxToldAt, endsAt, resyncedAt, isResyncDue: false }
    if (streamCount === 0) timer = setInterval(beat, heartbeatMs).unref()
    own.add(stream)
    streams.set(accountId, own)
    streamCount++
    return stream
  }

  return {
    /** Without `ids` it tells of all submissions. */
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
        const visibility = await findVisibility([...(ids ?? []), ...(missed ?? []).map(({ id }) => id)])
        stream.watched = ids && new Set(ids.filter((id) => visibility(actor, id) === 'shown'))
        const meanwhile = ids ? kept.filter(({ at }) => at > openedAt) : []
        if (missed) tell(stream, [...missed, ...meanwhile], visibility)
        else resync(stream)
      } catch (error) {
        stream.output.destroy()
        throw error
      }
      return stream.output
    },
    countStreams: (): number => streamCount,
    /** The server stops: clients are to go to another one. */
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

type FoundVisibility = Awaited<ReturnType<SubmissionChanges['findVisibility']>>

function write({ output }: Stream, text: string): void {
  if (text === '' || output.destroyed || output.readableEnded) return
  if (output.readableLength > mostUnreadBytes) output.destroy()
  else output.push(text)
}
