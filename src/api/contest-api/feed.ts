/**
 * The event feed: first one event for each existing object, then changes in the order in which they were logged. An
 * event shows the object's present state as this caller may see it. Its token lets a client resume there. Feeds of one
 * audience share what they read and send.
 */
import type { ContestReading } from '../../judge/contests/contest-reading.ts'
import { Failure } from '../../lib/failure.ts'
import { runAs } from '../../lib/scheduling/work-kind.ts'
import { type FeedChannel, makeFeedChannels } from './feed-channels.ts'
import { isLastOf, keepKnown, makeFeedEvents, type Seen, writeEvent } from './feed-events.ts'
import { type ComparedType, isCompared, readSnapshotPart, snapshotTypes } from './feed-snapshot.ts'
import type { FeedPosition, FeedTokens } from './feed-tokens.ts'
import type { ContestObjects } from './objects.ts'
import { makeSentObjects, type SentObjects } from './sent-objects.ts'

export type FeedReader = {
  /** Readers of one name are the same account, and ask in the same way. */
  readonly name: string
  /** Whether the credential is still good. */
  isAdmitted(): Promise<boolean>
  /** Undefined if the contest is hidden from the reader by now. */
  look(): Promise<Seen | undefined>
}

/** `epoch` and `sequence` are the contest's when the client connected. */
export type FeedStart = {
  readonly contestId: number
  readonly epoch: number
  readonly sequence: number
  readonly audience: string
  readonly tokens: FeedTokens
  /** Undefined for a client that begins. */
  readonly since: FeedPosition | undefined
}

/** What the client was last sent of the types whose changes are found by comparison. */
type LastSent = Readonly<Record<ComparedType, SentObjects>>

/** The reader's view of this place in the log or a later one; undefined if the feed has to end. */
type Look = (place: string) => Promise<Seen | undefined>

const newlineMs = 60_000
/** The wait until the board may have been rebuilt. */
const boardMs = 1_000
const pollMs = 5_000
const batch = 500

export const unknownToken = () =>
  new Failure(
    'invalid',
    'unknown-token',
    'This token is unknown, or from before the contest was reopened: start again without it.',
  )

/** Where this token left off. */
export function readToken(tokens: FeedTokens, text: string): FeedPosition {
  const place = tokens.read(text)
  if (!place || (place.snapshot && place.snapshot.type >= snapshotTypes.length)) throw unknownToken()
  return place
}

export type Feeds = ReturnType<typeof makeFeeds>

export function makeFeeds({ reading, objects }: { reading: ContestReading; objects: ContestObjects }) {
  const channels = makeFeedChannels({ listen: reading.listen, readProblems: reading.describeProblems })
  const events = makeFeedEvents({ reading, objects })

  async function* readSnapshot(
    channel: FeedChannel,
    look: Look,
    place: FeedPosition,
    tokens: FeedTokens,
    lastSent: LastSent,
  ): AsyncGenerator<string> {
    const { sequence, snapshot: from } = place
    for (const [index, type] of snapshotTypes.entries()) {
      if (from && index < from.type) continue
      const seen = await look(`from ${sequence}`)
      if (!seen) return
      const isResumed = from?.type === index
      const part = await channel.share(`part ${seen.audience} ${sequence} ${index} ${isResumed ? from.last : ''}`, () =>
        readSnapshotPart(objects, seen, index, { place, tokens }),
      )
      if (!part) continue
      if (isCompared(type) && !isResumed) lastSent[type].note(part.objects)
      yield* part.texts
    }
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
    yield* events.presentChanges(seen, 'awards', now, token, before)
    before.note(now, found.etag)
    return true
  }

  /** For types that change without an event of the contest. */
  async function* presentAll(
    channel: FeedChannel,
    seen: Seen,
    type: 'problems' | 'accounts',
    { place, token }: { readonly place: string; readonly token: string },
    before: SentObjects,
  ): AsyncGenerator<string> {
    if (!seen.endpoints.has(type)) return
    const now = await channel.share(`${type} ${seen.audience} ${place}`, () => objects.list(seen.view, type))
    yield* events.presentChanges(seen, type, now, token, before)
    before.note(now)
  }

  async function* presentEnd({ view, endpoints }: Seen, sequence: number, token: string): AsyncGenerator<string> {
    const [state] = await objects.list(view, 'state')
    if (sequence >= view.standing.contest.sequence && isLastOf('state', state!))
      yield writeEvent('state', null, keepKnown(endpoints.get('state')!, state!), token)
  }

  async function* follow(
    channel: FeedChannel,
    reader: FeedReader,
    start: FeedStart,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const { contestId, epoch, tokens, audience } = start
    const lastSent: LastSent = { awards: makeSentObjects(), problems: makeSentObjects(), accounts: makeSentObjects() }
    let writtenAt = performance.now()
    let isEndSent = false
    const sent = (text: string) => {
      writtenAt = performance.now()
      // What follows the end is followed by the end again. Events that the client does not see don't count.
      isEndSent = false
      return text
    }
    const look: Look = async (place) => {
      if (!(await runAs('feeds', reader.isAdmitted))) return undefined
      const seen = await channel.share(`look ${reader.name} ${place}`, reader.look)
      // Reopening the contest invalidates its tokens: clients reconnect.
      return seen?.view.standing.contest.feedEpoch === epoch ? seen : undefined
    }
    // Those who begin within a second begin at the same place.
    const begin = async () => ({
      sequence: await channel.share(`begin ${audience}`, async () => start.sequence),
      snapshot: { type: 0, last: '' },
    })
    const place = start.since ?? (await begin())
    if (place.snapshot)
      for await (const text of readSnapshot(channel, look, place, tokens, lastSent)) {
        if (signal.aborted) return
        yield sent(text)
      }
    let areAwardsSent = false
    let areAccountsSent = false
    let comparedProblems: number | undefined
    for (let { sequence } = place; !signal.aborted; ) {
      const changes = channel.changes()
      const problemChanges = channel.problemChanges()
      const logged = await channel.share(`log ${changes} ${sequence}`, () =>
        reading.readLog(contestId, sequence, batch),
      )
      const reached = logged.at(-1)?.sequence ?? sequence
      const seen = await look(`${changes} ${reached}`)
      if (!seen) return
      if (logged.length > 0) {
        const text = await channel.share(`events ${seen.audience} ${sequence} ${reached}`, () =>
          events.presentLogged(seen, logged, tokens),
        )
        if (text !== '') yield sent(text)
        sequence = reached
        areAwardsSent = false
        if (logged.some(({ type }) => type === 'accounts')) areAccountsSent = false
        continue
      }
      const token = tokens.write({ sequence, snapshot: undefined })
      const at = (count: number) => ({ place: `${sequence} ${count}`, token })
      const { contest, isJury } = seen.view.standing
      if (!areAccountsSent && !isJury)
        for await (const line of presentAll(channel, seen, 'accounts', at(0), lastSent.accounts)) yield sent(line)
      areAccountsSent = true
      if (!areAwardsSent) areAwardsSent = yield* mapLines(presentAwards(seen, sequence, token, lastSent.awards), sent)
      const mayChange = contest.finalizedAt === null || comparedProblems === undefined
      if (mayChange && problemChanges !== comparedProblems) {
        comparedProblems = problemChanges
        const lines = presentAll(channel, seen, 'problems', at(problemChanges), lastSent.problems)
        for await (const line of lines) yield sent(line)
      }
      if (areAwardsSent && !isEndSent) {
        for await (const line of presentEnd(seen, sequence, token)) yield sent(line)
        isEndSent = sequence >= contest.sequence
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
    async *stream(reader: FeedReader, start: FeedStart, signal: AbortSignal): AsyncGenerator<string> {
      const channel = channels.join(start.contestId, start.epoch)
      try {
        yield* follow(channel, reader, start, signal)
      } finally {
        channel.leave()
      }
    },

    close: channels.close,
  }
}

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
