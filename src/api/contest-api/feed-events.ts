/** Events of a feed: logged changes, and changes found by comparison, as the objects that a reader may see now. */
import { hasStarted } from '../../judge/contest-access/contest.ts'
import type { LogType } from '../../judge/contests/contest-log.ts'
import type { ContestReading, LoggedEvent } from '../../judge/contests/contest-reading.ts'
import type { Endpoint, FeedType } from './access.ts'
import type { FeedTokens } from './feed-tokens.ts'
import type { ApiObject, ContestObjects, ContestView } from './objects.ts'
import type { SentObjects } from './sent-objects.ts'

/** What a reader may see. Readers of one audience see the same. */
export type Seen = {
  readonly view: ContestView
  readonly endpoints: ReadonlyMap<Endpoint, readonly string[]>
  readonly audience: string
}

export function makeFeedEvents({ reading, objects }: { reading: ContestReading; objects: ContestObjects }) {
  /** Turns logged changes into events. If an object changed several times, only its last change counts. */
  async function* presentLogged(
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
        if (!isLastOf(type, list[0]!)) yield writeEvent(type, null, show(list[0]!), token)
      } else if (id === null) yield writeEvent(type, null, list.map(show), token)
      else if (type === 'runs') {
        const own = list.filter((run) => run.judgement_id === id)
        for (const run of own) yield writeEvent(type, run.id as string, show(run), token)
      } else {
        const object = list.find((one) => one.id === id)
        if (object) yield writeEvent(type, id, show(object), token)
        else if (!frozen.has(Number(id)) || !isOfSubmission(type)) {
          if (await mayHaveBeenSeen(view, event, id)) yield writeEvent(type, id, null, token)
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

  return {
    async presentLogged(seen: Seen, logged: readonly LoggedEvent[], tokens: FeedTokens): Promise<string> {
      let text = ''
      for await (const line of presentLogged(seen, logged, tokens)) text += line
      return text
    },

    /** What differs now from what was sent. */
    *presentChanges(
      { endpoints }: Seen,
      type: FeedType,
      now: readonly ApiObject[],
      token: string,
      before: SentObjects,
    ): Generator<string> {
      const known = endpoints.get(type)!
      for (const [id, object] of before.findChanges(now)) {
        const shown = id === null ? now.map((one) => keepKnown(known, one)) : object && keepKnown(known, object)
        yield writeEvent(type, id, shown, token)
      }
    },
  }
}

/**
 * Whether changes are found by comparison with what was sent. Awards wait for a board that includes the event. The
 * accounts of other teams change, too, which is no news for those who see only their own.
 */
const isCompared = ({ standing }: ContestView, { type }: LoggedEvent): boolean =>
  type === 'awards' || (type === 'accounts' && !standing.isJury)

/** Whether this is the state that says that nothing more follows. */
export const isLastOf = (type: string, object: ApiObject) => type === 'state' && object.end_of_updates !== null

const hiddenTeams: LogType = 'hidden-teams'
const typeOf = ({ type }: LoggedEvent): FeedType => (type === hiddenTeams ? 'teams' : (type as FeedType))

const isOfSubmission = (type: FeedType) => type === 'submissions' || type === 'judgements' || type === 'runs'

export const writeEvent = (type: string, id: string | null, data: unknown, token: string): string =>
  `${JSON.stringify({ type, id, data, token })}\n`

/** Leaves out every property that `access` does not name. */
export function keepKnown(known: readonly string[], object: ApiObject): ApiObject {
  return Object.fromEntries(known.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])))
}
