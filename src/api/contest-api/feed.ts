/**
 * The event feed: first one event for each object there is, then what changes, as it is logged. An event has the object's
 * present state as this caller may see it. Each has a token with which a client goes on where it stood.
 */
import type { ContestReading, LoggedEvent } from '../../judge/contests/contest-reading.ts'
import { Failure } from '../../lib/failure.ts'
import { type Endpoint, type FeedType, feedTypes } from './access.ts'
import type { ApiObject, ContestObjects, View } from './objects.ts'

/** Undefined where the caller may not go on. */
export type Look = () => Promise<{ view: View; endpoints: ReadonlyMap<Endpoint, readonly string[]> } | undefined>

type Place = {
  readonly epoch: number
  readonly sequence: number
  /** In the snapshot: the type, and the last object of it that was sent. */
  readonly snapshot: { readonly type: number; readonly last: string } | undefined
}

const newlineMs = 60_000
const pollMs = 5_000
const batch = 500

/** In the snapshot the state is last: what it says may be that nothing more comes. */
const order: readonly FeedType[] = [...feedTypes.filter((type) => type !== 'state'), 'state']

export const unknownToken = () =>
  new Failure('invalid', 'unknown-token', 'This token is unknown, or of before the contest was reopened: begin anew.')

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

  async function* readSnapshot(look: Look, place: Place): AsyncGenerator<string> {
    const from = place.snapshot
    for (const [at, type] of order.entries()) {
      if (from && at < from.type) continue
      const seen = await look()
      if (!seen) return
      if (!seen.endpoints.has(type)) continue
      const all = await objects.list(seen.view, type)
      const sent = from?.type === at ? all.findIndex(({ id }) => id === from.last) + 1 : 0
      const isSingle = type === 'contest' || type === 'state'
      for (const object of all.slice(isSingle ? 0 : sent)) {
        const id = isSingle ? null : (object.id as string)
        const token = `${place.epoch}.${place.sequence}.${at}.${id ?? ''}`
        yield write(type, id, keepKnown(seen.endpoints.get(type)!, object), token)
      }
    }
  }

  /** What these changes come to. Of what was changed often, the last one counts. */
  async function* tell(look: Look, logged: readonly LoggedEvent[], epoch: number): AsyncGenerator<string> {
    const seen = await look()
    if (!seen) return
    const { view, endpoints } = seen
    const last = new Map(logged.map((event, i) => [`${event.type} ${event.id}`, i]))
    const events = logged.filter((event, i) => last.get(`${event.type} ${event.id}`) === i)
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
        // What says that nothing more comes is told at the very end.
        const isEarly =
          type === 'state' && list[0]!.end_of_updates !== null && sequence < view.standing.contest.sequence
        if (!isEarly) yield write(type, null, show(list[0]!), token)
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

  /** That something is gone is told of what this caller may have seen: what was never shown is not there. */
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

  return {
    /** `epoch` and `sequence`: of the contest as it was when the caller came. */
    async *stream(look: Look, contestId: number, start: Place, signal: AbortSignal): AsyncGenerator<string> {
      let writtenAt = performance.now()
      if (start.snapshot)
        for await (const line of readSnapshot(look, start)) {
          if (signal.aborted) return
          writtenAt = performance.now()
          yield line
        }
      for (let sequence = start.sequence; !signal.aborted; ) {
        const logged = await reading.readLog(contestId, sequence, batch)
        if (logged.length > 0) {
          for await (const line of tell(look, logged, start.epoch)) {
            writtenAt = performance.now()
            yield line
          }
          sequence = logged.at(-1)!.sequence
          continue
        }
        const seen = await look()
        // After it is reopened tokens begin anew: clients come again.
        if (!seen || seen.view.standing.contest.feedEpoch !== start.epoch) return
        const silentMs = performance.now() - writtenAt
        if (silentMs >= newlineMs) {
          writtenAt = performance.now()
          yield '\n'
        }
        await wait(contestId, Math.max(1, Math.min(pollMs, newlineMs - silentMs)), signal)
      }
    },

    close: () => stop(),
  }
}

const isOfSubmission = (type: FeedType) => type === 'submissions' || type === 'judgements' || type === 'runs'

const write = (type: string, id: string | null, data: unknown, token: string): string =>
  `${JSON.stringify({ type, id, data, token })}\n`

/** Nothing is sent that `access` does not name. */
export function keepKnown(known: readonly string[], object: ApiObject): ApiObject {
  return Object.fromEntries(known.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])))
}
