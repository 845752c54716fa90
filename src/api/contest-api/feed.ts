/**
 * The event feed: first one event for each existing object, then changes in the order in which they were logged. An
 * event shows the object's present state as this caller may see it. Its token lets a client resume there.
 */
import type { ContestReading, LoggedEvent } from '../../judge/contests/contest-reading.ts'
import { Failure } from '../../lib/failure.ts'
import { type Endpoint, type FeedType, feedTypes } from './access.ts'
import type { ApiObject, ContestObjects, View } from './objects.ts'
import { makeToldObjects, type ToldObjects } from './told-objects.ts'

/** Undefined if the caller may not continue. */
export type Look = () => Promise<Seen | undefined>

type Place = {
  readonly epoch: number
  readonly sequence: number
  /** In the snapshot: the current type, and its last object that was sent. */
  readonly snapshot: { readonly type: number; readonly last: string } | undefined
}

type Told = { readonly awards: ToldObjects; readonly problems: ToldObjects }
type Seen = { readonly view: View; readonly endpoints: ReadonlyMap<Endpoint, readonly string[]> }

const newlineMs = 60_000
/** How often problems are checked for changes. */
const problemsMs = 15_000
/** How long a board is kept before it may be rebuilt. */
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

export function readToken(text: string): Place {
  const found = /^(\d{1,15})\.(\d{1,15})(?:\.(\d{1,2})\.([A-Za-z0-9_.-]{0,60}))?$/.exec(text)
  if (!found) throw unknownToken()
  const [, epoch, sequence, type, last = ''] = found
  if (type !== undefined && Number(type) >= order.length) throw unknownToken()
  const snapshot = type === undefined ? undefined : { type: Number(type), last }
  return { epoch: Number(epoch), sequence: Number(sequence), snapshot }
}

export type Feeds = ReturnType<typeof makeFeeds>

export function makeFeeds({ reading, objects }: { reading: ContestReading; objects: ContestObjects }) {
  const waiting = new Set<{ contestId: number; wake: () => void }>()
  const stop = reading.listen((contestId) => {
    for (const one of [...waiting]) if (contestId === undefined || one.contestId === contestId) one.wake()
  })

  const wait = (contestId: number, ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(entry)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const entry = { contestId, wake: end }
      const timer = setTimeout(end, ms)
      waiting.add(entry)
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })

  async function* readSnapshot(look: Look, place: Place, told: Told): AsyncGenerator<string> {
    const from = place.snapshot
    for (const [at, type] of order.entries()) {
      if (from && at < from.type) continue
      const seen = await look()
      if (!seen) return
      if (!seen.endpoints.has(type)) continue
      const all = await objects.list(seen.view, type)
      const sent = from?.type === at ? all.findIndex(({ id }) => id === from.last) + 1 : 0
      const isSingle = type === 'contest' || type === 'state'
      if ((type === 'awards' || type === 'problems') && from?.type !== at) told[type].note(all)
      // This state says that nothing more follows, so it is sent after everything else.
      if (isSingle && isLastOf(type, all[0]!)) continue
      for (const object of all.slice(isSingle ? 0 : sent)) {
        const id = isSingle ? null : (object.id as string)
        const token = `${place.epoch}.${place.sequence}.${at}.${id ?? ''}`
        yield write(type, id, keepKnown(seen.endpoints.get(type)!, object), token)
      }
    }
  }

  /** Turns logged changes into events. If an object changed several times, only its last change counts. */
  async function* tell(
    { view, endpoints }: Seen,
    logged: readonly LoggedEvent[],
    epoch: number,
  ): AsyncGenerator<string> {
    const last = new Map(logged.map((event, i) => [`${event.type} ${event.id}`, i]))
    // Awards are sent once a board has been built that includes these events.
    const events = logged.filter((event, i) => event.type !== 'awards' && last.get(`${event.type} ${event.id}`) === i)
    const found = new Map<string, readonly ApiObject[]>()
    for (const [type, own] of Map.groupBy(events, (event) => event.type)) {
      if (!endpoints.has(type as FeedType)) continue
      const ids = own.flatMap(({ id }) => (id === null ? [] : [id]))
      const wanted = own.some(({ id }) => id === null) ? undefined : ids
      found.set(type, await objects.list(view, type as FeedType, wanted))
    }
    const frozen = await findFrozen(view, events)
    for (const { sequence, type: name, id } of events) {
      const type = name as FeedType
      const list = found.get(type)
      if (!list) continue
      const token = `${epoch}.${sequence}`
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
          if (await mayHaveBeenSeen(type, id)) yield write(type, id, null, token)
        }
      }
    }
  }

  /**
   * A deletion is sent only to callers who may have seen the object: it must not reveal objects that were hidden from
   * them.
   */
  async function mayHaveBeenSeen(type: FeedType, id: string): Promise<boolean> {
    if (type === 'clarifications') return false
    return !isOfSubmission(type) || reading.isGone(Number(id))
  }

  async function findFrozen(view: View, events: readonly LoggedEvent[]): Promise<ReadonlySet<number>> {
    const ids = events.filter(({ type }) => type === 'judgements').map(({ id }) => Number(id))
    if (ids.length === 0) return new Set()
    const rows = await reading.readSubmissions(view.standing, ids)
    return new Set(rows.filter(({ verdict }) => !verdict).map(({ id }) => id))
  }

  /**
   * Sends the awards that changed since they were last sent, from a board that includes this event. Answers whether
   * there is such a board yet.
   */
  async function* tellAwards(seen: Seen, place: Place, told: ToldObjects): AsyncGenerator<string, boolean> {
    const found = seen.endpoints.has('awards') && (await objects.readAwards(seen.view))
    if (!found) return true
    if (found.sequence < place.sequence) return false
    if (found.etag === told.etag) return true
    const now = found.list()
    yield* tellChanges(seen, 'awards', now, place, told)
    told.note(now, found.etag)
    return true
  }

  /** Limits, names and tests of problems change without an event of the contest. */
  async function* tellProblems(seen: Seen, place: Place, told: ToldObjects): AsyncGenerator<string> {
    const now = await objects.list(seen.view, 'problems')
    yield* tellChanges(seen, 'problems', now, place, told)
    told.note(now)
  }

  function* tellChanges(
    { endpoints }: Seen,
    type: FeedType,
    now: readonly ApiObject[],
    { epoch, sequence }: Place,
    told: ToldObjects,
  ): Generator<string> {
    const known = endpoints.get(type)!
    for (const [id, object] of told.findChanges(now)) {
      const shown = id === null ? now.map((one) => keepKnown(known, one)) : object && keepKnown(known, object)
      yield write(type, id, shown, `${epoch}.${sequence}`)
    }
  }

  async function* tellEnd({ view, endpoints }: Seen, { epoch, sequence }: Place): AsyncGenerator<string> {
    const [state] = await objects.list(view, 'state')
    if (sequence >= view.standing.contest.sequence && isLastOf('state', state!))
      yield write('state', null, keepKnown(endpoints.get('state')!, state!), `${epoch}.${sequence}`)
  }

  return {
    /** `epoch` and `sequence` are the contest's when the caller connected. */
    async *stream(look: Look, contestId: number, start: Place, signal: AbortSignal): AsyncGenerator<string> {
      const told: Told = { awards: makeToldObjects(), problems: makeToldObjects() }
      let problemsAt = Number.NEGATIVE_INFINITY
      let writtenAt = performance.now()
      const sent = (line: string) => {
        writtenAt = performance.now()
        return line
      }
      if (start.snapshot)
        for await (const line of readSnapshot(look, start, told)) {
          if (signal.aborted) return
          yield sent(line)
        }
      let areAwardsTold = false
      let isEndTold = false
      for (let { sequence } = start; !signal.aborted; ) {
        const logged = await reading.readLog(contestId, sequence, batch)
        const seen = await look()
        // Reopening the contest invalidates its tokens: clients reconnect.
        if (!seen || seen.view.standing.contest.feedEpoch !== start.epoch) return
        if (logged.length > 0) {
          for await (const line of tell(seen, logged, start.epoch)) yield sent(line)
          sequence = logged.at(-1)!.sequence
          areAwardsTold = false
          isEndTold = false
          continue
        }
        const place = { epoch: start.epoch, sequence, snapshot: undefined }
        if (!areAwardsTold) areAwardsTold = yield* mapLines(tellAwards(seen, place, told.awards), sent)
        const mayChange = seen.view.standing.contest.finalizedAt === null || problemsAt < 0
        if (mayChange && performance.now() - problemsAt >= problemsMs) {
          problemsAt = performance.now()
          for await (const line of tellProblems(seen, place, told.problems)) yield sent(line)
        }
        if (areAwardsTold && !isEndTold) {
          for await (const line of tellEnd(seen, place)) yield sent(line)
          isEndTold = sequence >= seen.view.standing.contest.sequence
        }
        const silentMs = performance.now() - writtenAt
        if (silentMs >= newlineMs) yield sent('\n')
        const waitMs = Math.min(areAwardsTold ? pollMs : boardMs, newlineMs - silentMs)
        await wait(contestId, Math.max(1, waitMs), signal)
      }
    },

    close: () => stop(),
  }
}

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

const isOfSubmission = (type: FeedType) => type === 'submissions' || type === 'judgements' || type === 'runs'

const write = (type: string, id: string | null, data: unknown, token: string): string =>
  `${JSON.stringify({ type, id, data, token })}\n`

/** Leaves out every property that `access` does not name. */
export function keepKnown(known: readonly string[], object: ApiObject): ApiObject {
  return Object.fromEntries(known.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])))
}
