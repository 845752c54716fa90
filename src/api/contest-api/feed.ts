/**
 * The event feed: first one event for each existing object, then changes in the order in which they were logged. An
 * event shows the object's present state as this caller may see it. Its token lets a client resume there.
 */

import { hasStarted } from '../../judge/contest-access/contest.ts'
import type { LogType } from '../../judge/contests/contest-log.ts'
import type { ContestReading, LoggedEvent } from '../../judge/contests/contest-reading.ts'
import { Failure } from '../../lib/failure.ts'
import { type Endpoint, type FeedType, feedTypes } from './access.ts'
import { type FeedChannel, makeFeedChannels } from './feed-channels.ts'
import type { FeedPosition, FeedTokens } from './feed-tokens.ts'
import type { ApiObject, ContestObjects, ContestView } from './objects.ts'
import { makeSentObjects, type SentObjects } from './sent-objects.ts'

/** Undefined if the caller may not continue. */
export type Look = () => Promise<Seen | undefined>

/**
 * `epoch` is the contest's when the client connected. Feeds of one audience see the same, and share what they read; a
 * feed without one reads for itself.
 */
export type FeedStart = {
  readonly audience: string | undefined
  readonly contestId: number
  readonly epoch: number
  readonly tokens: FeedTokens
  readonly place: FeedPosition
}
/** What the client was last sent of the types whose changes are found by comparison. */
type LastSent = { readonly awards: SentObjects; readonly problems: SentObjects; readonly accounts: SentObjects }
type Round = {
  readonly logged: readonly LoggedEvent[]
  readonly seen: Seen | undefined
  readonly text: string | undefined
}
type Seen = { readonly view: ContestView; readonly endpoints: ReadonlyMap<Endpoint, readonly string[]> }

const newlineMs = 60_000
/** How often problems are checked for changes. */
const problemsMs = 15_000
/** The wait until the board may have been rebuilt. */
const boardMs = 1_000
const pollMs = 5_000
const batch = 500

/** The state comes last in the snapshot, because it may say that nothing more follows. */
const order: readonly FeedType[] = [...feedTypes.filter((type) => type !== 'state'), 'state']

export const unknownToken = () =>
  new Failure(
    'invalid',
    'unknown-token',
    'This token is unknown, or from before the contest was reopened: start again without it.',
  )

/** Where this token left off. */
export function readToken(tokens: FeedTokens, text: string): FeedPosition {
  const place = tokens.read(text)
  if (!place || (place.snapshot && place.snapshot.type >= order.length)) throw unknownToken()
  return place
}

export type Feeds = ReturnType<typeof makeFeeds>

export function makeFeeds({ reading, objects }: { reading: ContestReading; objects: ContestObjects }) {
  const channels = makeFeedChannels(reading.listen)

  async function* readSnapshot(look: Look, { place, tokens }: FeedStart, lastSent: LastSent): AsyncGenerator<string> {
    const from = place.snapshot
    for (const [at, type] of order.entries()) {
      if (from && at < from.type) continue
      const seen = await look()
      if (!seen) return
      if (!seen.endpoints.has(type)) continue
      const all = await objects.list(seen.view, type)
      const sent = from?.type === at ? all.findIndex(({ id }) => id === from.last) + 1 : 0
      const isSingle = type === 'contest' || type === 'state'
      if (isRemembered(type) && from?.type !== at) lastSent[type].note(all)
      // This state says that nothing more follows, so it is sent after everything else.
      if (isSingle && isLastOf(type, all[0]!)) continue
      for (const object of all.slice(isSingle ? 0 : sent)) {
        const id = isSingle ? null : (object.id as string)
        const token = tokens.write({ sequence: place.sequence, snapshot: { type: at, last: id ?? '' } })
        yield write(type, id, keepKnown(seen.endpoints.get(type)!, object), token)
      }
    }
  }

  /** Turns logged changes into events. If an object changed several times, only its last change counts. */
  async function* presentEvents(
    { view, endpoints }: Seen,
    logged: readonly LoggedEvent[],
    tokens: FeedTokens,
  ): AsyncGenerator<string> {
    const last = new Map(logged.map((event, i) => [`${event.type} ${event.id}`, i]))
    const events = logged.filter((event, i) => !isCompared(view, event) && last.get(`${event.type} ${event.id}`) === i)
    const found = new Map<string, readonly ApiObject[]>()
    for (const [type, own] of Map.groupBy(events, typeOf)) {
      if (!endpoints.has(type)) continue
      const ids = own.flatMap(({ id }) => (id === null ? [] : [id]))
      const wanted = own.some(({ id }) => id === null) ? undefined : ids
      found.set(type, await objects.list(view, type, wanted))
    }
    const frozen = await findFrozen(view, events)
    for (const event of events) {
      const { sequence, id } = event
      const type = typeOf(event)
      const list = found.get(type)
      if (!list) continue
      const token = tokens.write({ sequence, snapshot: undefined })
      const known = endpoints.get(type)!
      const show = (object: ApiObject) => keepKnown(known, object)
      if (type === 'contest' || type === 'state') {
        // The state that says that nothing more follows is sent at the very end.
        if (!isLastOf(type, list[0]!)) yield write(type, null, show(list[0]!), token)
      } else if (id === null) yield write(type, null, list.map(show), token)
      else if (type === 'runs') {
        const own = list.filter((run) => run.judgement_id === id)
        for (const run of own) yield write(type, run.id as string, show(run), token)
      } else {
        const object = list.find((one) => one.id === id)
        if (object) yield write(type, id, show(object), token)
        else if (!frozen.has(Number(id)) || !isOfSubmission(type)) {
          if (await mayHaveBeenSeen(view, event, id)) yield write(type, id, null, token)
        }
      }
    }
  }

  /**
   * A deletion is sent only to callers who may have seen the object: it must not reveal objects that were hidden from
   * them.
   */
  async function mayHaveBeenSeen({ standing, now }: ContestView, event: LoggedEvent, id: string): Promise<boolean> {
    const type = typeOf(event)
    if (type === 'clarifications') return false
    if (event.type === hiddenTeams) return standing.isJury
    if (type === 'problems') return standing.isJury || hasStarted(standing.contest, now)
    return !isOfSubmission(type) || reading.isGone(standing, Number(id))
  }

  async function findFrozen(view: ContestView, events: readonly LoggedEvent[]): Promise<ReadonlySet<number>> {
    const ids = events.filter(({ type }) => type === 'judgements').map(({ id }) => Number(id))
    if (ids.length === 0) return new Set()
    const rows = await reading.readSubmissions(view.standing, ids)
    return new Set(rows.filter(({ verdict }) => !verdict).map(({ id }) => id))
  }

  /**
   * Sends the awards that changed since they were last sent, from a board that includes this event. Answers whether
   * there is such a board yet.
   */
  async function* presentAwards(
    seen: Seen,
    sequence: number,
    token: string,
    before: SentObjects,
  ): AsyncGenerator<string, boolean> {
    const found = seen.endpoints.has('awards') && (await objects.readAwards(seen.view))
    if (!found) return true
    if (found.sequence < sequence) return false
    if (found.etag === before.etag) return true
    const now = found.list()
    yield* presentChanges(seen, 'awards', now, token, before)
    before.note(now, found.etag)
    return true
  }

  /** Limits, names and tests of problems change without an event of the contest. */
  async function* presentAll(
    seen: Seen,
    type: 'problems' | 'accounts',
    token: string,
    lastSent: LastSent,
  ): AsyncGenerator<string> {
    if (!seen.endpoints.has(type)) return
    const now = await objects.list(seen.view, type)
    yield* presentChanges(seen, type, now, token, lastSent[type])
    lastSent[type].note(now)
  }

  function* presentChanges(
    { endpoints }: Seen,
    type: FeedType,
    now: readonly ApiObject[],
    token: string,
    before: SentObjects,
  ): Generator<string> {
    const known = endpoints.get(type)!
    for (const [id, object] of before.findChanges(now)) {
      const shown = id === null ? now.map((one) => keepKnown(known, one)) : object && keepKnown(known, object)
      yield write(type, id, shown, token)
    }
  }

  /** All events after this number; `text` only where it is shared. */
  async function readRound(channel: FeedChannel, look: Look, start: FeedStart, sequence: number): Promise<Round> {
    const { contestId, audience, tokens } = start
    const logged = await channel.share(`log ${sequence}`, () => reading.readLog(contestId, sequence, batch))
    const seen = await look()
    if (audience === undefined || !seen) return { logged, seen, text: undefined }
    let text = ''
    for await (const line of presentEvents(seen, logged, tokens)) text += line
    return { logged, seen, text }
  }

  async function* presentEnd({ view, endpoints }: Seen, sequence: number, token: string): AsyncGenerator<string> {
    const [state] = await objects.list(view, 'state')
    if (sequence >= view.standing.contest.sequence && isLastOf('state', state!))
      yield write('state', null, keepKnown(endpoints.get('state')!, state!), token)
  }

  async function* follow(
    channel: FeedChannel,
    look: Look,
    start: FeedStart,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const { epoch, audience, tokens, place } = start
    const lastSent: LastSent = { awards: makeSentObjects(), problems: makeSentObjects(), accounts: makeSentObjects() }
    let problemsAt = Number.NEGATIVE_INFINITY
    let writtenAt = performance.now()
    let isEndSent = false
    const sent = (line: string) => {
      writtenAt = performance.now()
      // What follows the end is followed by the end again. Events that the client does not see don't count.
      isEndSent = false
      return line
    }
    if (place.snapshot)
      for await (const line of readSnapshot(look, start, lastSent)) {
        if (signal.aborted) return
        yield sent(line)
      }
    let areAwardsSent = false
    let areAccountsSent = false
    for (let { sequence } = place; !signal.aborted; ) {
      const changes = channel.changes()
      const read = () => readRound(channel, look, start, sequence)
      const round = audience === undefined ? read() : channel.share(`${audience} ${epoch} ${sequence}`, read)
      const { logged, seen, text } = await round
      // Reopening the contest invalidates its tokens: clients reconnect.
      if (!seen || seen.view.standing.contest.feedEpoch !== epoch) return
      if (logged.length > 0) {
        if (text === undefined) for await (const line of presentEvents(seen, logged, tokens)) yield sent(line)
        else if (text !== '') yield sent(text)
        sequence = logged.at(-1)!.sequence
        areAwardsSent = false
        if (logged.some(({ type }) => type === 'accounts')) areAccountsSent = false
        continue
      }
      const token = tokens.write({ sequence, snapshot: undefined })
      if (!areAccountsSent && !seen.view.standing.isJury)
        for await (const line of presentAll(seen, 'accounts', token, lastSent)) yield sent(line)
      areAccountsSent = true
      if (!areAwardsSent) areAwardsSent = yield* mapLines(presentAwards(seen, sequence, token, lastSent.awards), sent)
      const mayChange = seen.view.standing.contest.finalizedAt === null || problemsAt < 0
      if (mayChange && performance.now() - problemsAt >= problemsMs) {
        problemsAt = performance.now()
        for await (const line of presentAll(seen, 'problems', token, lastSent)) yield sent(line)
      }
      if (areAwardsSent && !isEndSent) {
        for await (const line of presentEnd(seen, sequence, token)) yield sent(line)
        isEndSent = sequence >= seen.view.standing.contest.sequence
      }
      const silentMs = performance.now() - writtenAt
      if (silentMs >= newlineMs) {
        writtenAt = performance.now()
        yield '\n'
      }
      const waitMs = Math.min(areAwardsSent ? pollMs : boardMs, newlineMs - silentMs)
      await channel.wait(changes, Math.max(1, waitMs), signal)
    }
  }

  return {
    async *stream(look: Look, start: FeedStart, signal: AbortSignal): AsyncGenerator<string> {
      const channel = channels.join(start.contestId)
      try {
        yield* follow(channel, look, start, signal)
      } finally {
        channel.leave()
      }
    },

    close: channels.close,
  }
}

const isRemembered = (type: FeedType) => type === 'awards' || type === 'problems' || type === 'accounts'

/**
 * Whether changes are found by comparison with what was sent. Awards wait for a board that includes the event. The
 * accounts of other teams change, too, which is no news for those who see only their own.
 */
const isCompared = ({ standing }: ContestView, { type }: LoggedEvent): boolean =>
  type === 'awards' || (type === 'accounts' && !standing.isJury)

/** Whether this is the state that says that nothing more follows. */
const isLastOf = (type: string, object: ApiObject) => type === 'state' && object.end_of_updates !== null

async function* mapLines<R>(
  lines: AsyncGenerator<string, R>,
  mark: (line: string) => string,
): AsyncGenerator<string, R> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) return value
    yield mark(value)
  }
}

const hiddenTeams: LogType = 'hidden-teams'
const typeOf = ({ type }: LoggedEvent): FeedType => (type === hiddenTeams ? 'teams' : (type as FeedType))

const isOfSubmission = (type: FeedType) => type === 'submissions' || type === 'judgements' || type === 'runs'

const write = (type: string, id: string | null, data: unknown, token: string): string =>
  `${JSON.stringify({ type, id, data, token })}\n`

/** Leaves out every property that `access` does not name. */
export function keepKnown(known: readonly string[], object: ApiObject): ApiObject {
  return Object.fromEntries(known.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])))
}
