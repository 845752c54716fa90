/** Feeds: recent events of a repository, its fork network, an organisation, by a user, and around a user. */
import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Schema } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { findSeen, readSeen } from '../access/opening.ts'
import type { Repository, RepositorySight } from '../access/repository.ts'
import { actsForPerson } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { FeedEvent } from './feed-event.ts'
import type { FeedReading, FeedRow } from './feed-reading.ts'
import { recordFeedEvents } from './feed-recording.ts'

/** As on the public platform, no feed is longer, however many events are stored. */
export const maxEvents = 300
const dayMs = 24 * 60 * 60 * 1000
const keptMs = 90 * dayMs
/** The longest that a reader waits for activity recorded just before. */
const longestWaitMs = 1_000
/** Among everything that a user watches or follows, the sources with the latest events. */
const maxSources = 100
const portion = 500
const pruningKind = 'forge.feed-pruning'

type Needs = { store: Store; clock: Clock; jobs: Jobs; activity: ActivityRecord; reading: FeedReading }
type Eb = ExpressionBuilder<Schema, 'feed_event'>
type Where = (eb: Eb) => Expression<SqlBool>
/** The columns that decide whether an event is shown. Up to 300 rows are checked, so no more than these are read. */
const keyColumns = ['id', 'repository_id', 'actor_id', 'is_private', 'created_at'] as const
type EventKey = Pick<FeedRow, (typeof keyColumns)[number]>
type Shown = (row: EventKey, repository: RepositorySight) => boolean
type Keys = SelectQueryBuilder<Schema, 'feed_event', EventKey>

export type Feeds = ReturnType<typeof makeFeeds>

export function makeFeeds({ store, clock, jobs, activity, reading }: Needs) {
  const { db } = store
  activity.consume(recordFeedEvents)
  jobs.define(pruningKind, async () => {
    while (await prunePortion());
  })
  jobs.every(pruningKind, dayMs)

  async function prunePortion(): Promise<boolean> {
    const old = db
      .selectFrom('feed_event')
      .select('id')
      .where('created_at', '<', clock.now() - keptMs)
      .limit(portion)
    const ids = (await old.execute()).map(({ id }) => id)
    if (ids.length > 0) await store.write((trx) => trx.deleteFrom('feed_event').where('id', 'in', ids).execute())
    return ids.length === portion
  }

  /** The newest matching events; each of these filters has an index in this order. */
  const newest = (where: Where): Keys =>
    db.selectFrom('feed_event').select(keyColumns).where(where).orderBy('id', 'desc').limit(maxEvents)

  async function show(
    actor: Actor,
    keys: readonly EventKey[],
    { offset, limit }: PageRequest,
    isShown: Shown = () => true,
  ): Promise<Page<FeedEvent>> {
    const since = clock.now() - keptMs
    const kept = keys.filter((key) => key.created_at >= since)
    const places = (some: readonly EventKey[]) => some.map((key) => key.repository_id)
    // Checks access for up to 300 events, and reads full repositories only for the page of about 30.
    const sights = await findSeen(db, actor, places(kept))
    const seen = kept.filter((key) => {
      const sight = sights.get(key.repository_id)
      return sight !== undefined && isShown(key, sight)
    })
    const shown = seen.slice(offset, offset + limit).map(({ id }) => id)
    if (shown.length === 0) return { total: seen.length, items: [] }
    const page = await db.selectFrom('feed_event').selectAll().where('id', 'in', shown).orderBy('id', 'desc').execute()
    const repositories = await readSeen(db, actor, places(page))
    return { total: seen.length, items: await reading.complete(actor, page, repositories) }
  }

  /** Reads each source's newest events by its own index, then takes the newest of them all. */
  async function readSources(wheres: readonly Where[]): Promise<EventKey[]> {
    const found = new Map<number, EventKey>()
    for (let at = 0; at < wheres.length; at += 50) {
      const [first, ...others] = wheres
        .slice(at, at + 50)
        .map((where) => db.selectFrom(newest(where).as('source')).selectAll())
      for (const key of await others.reduce((all, each) => all.unionAll(each), first!).execute()) found.set(key.id, key)
    }
    return [...found.values()].sort((a, b) => b.id - a.id).slice(0, maxEvents)
  }

  const byNewest = sql<number>`(select max(f.id) from feed_event f where f.repository_id = repository.id)`

  async function listWatched(userId: number): Promise<Where[]> {
    const rows = await db
      .selectFrom('watch')
      .innerJoin('repository', 'repository.id', 'watch.repository_id')
      .select('repository.id')
      .where('watch.user_id', '=', userId)
      .where('watch.is_ignored', '=', 0)
      .where(byNewest, 'is not', null)
      .orderBy(byNewest, 'desc')
      .limit(maxSources)
      .execute()
    return rows.map(({ id }) => ofRepository(id))
  }

  async function listFollowed(userId: number): Promise<Where[]> {
    const latest = sql<number>`(select max(f.id) from feed_event f
      where f.actor_id = follow.followed_id and f.is_private = 0)`
    const rows = await db
      .selectFrom('follow')
      .select('followed_id')
      .where('follower_id', '=', userId)
      .where(latest, 'is not', null)
      .orderBy(latest, 'desc')
      .limit(maxSources)
      .execute()
    return rows.map(({ followed_id }) => publicBy(followed_id))
  }

  /** Everything that happened before the request is in its answer. */
  const settle = () => activity.waitUntilAllDispatched(longestWaitMs)

  /** Private events of a user's feeds are shown only to that user, with a credential of their own. */
  const isOwn = (actor: Actor, user: { id: number }): boolean => actor.account?.id === user.id && actsForPerson(actor)

  return {
    async listOfRepository(actor: Actor, { id }: Repository, page: PageRequest): Promise<Page<FeedEvent>> {
      await settle()
      return show(actor, await newest(ofRepository(id)).execute(), page)
    },

    /** Public events of a repository and of its whole fork network. */
    async listOfNetwork(actor: Actor, { id, sourceId }: Repository, page: PageRequest): Promise<Page<FeedEvent>> {
      await settle()
      const rootId = sourceId ?? id
      const rows = await db
        .selectFrom('repository')
        .select('id')
        .where((eb) => eb.or([eb('id', '=', rootId), eb('source_id', '=', rootId)]))
        .where('is_private', '=', 0)
        .where(byNewest, 'is not', null)
        .orderBy(byNewest, 'desc')
        .limit(maxSources)
        .execute()
      return show(actor, await readSources(rows.map((row) => ofRepository(row.id))), page, isPublic)
    },

    async listOfOrganisation(actor: Actor, organisation: { id: number }, page: PageRequest) {
      await settle()
      const where: Where = (eb) => eb.and([eb('organisation_id', '=', organisation.id), publicOnly(eb)])
      return show(actor, await newest(where).execute(), page, isPublic)
    },

    /** For members: includes private repositories that they may read. */
    async listWithinOrganisation(actor: Actor, organisation: { id: number }, page: PageRequest) {
      await settle()
      const rows = await db
        .selectFrom('repository')
        .select('id')
        .where('owner_id', '=', organisation.id)
        .where(byNewest, 'is not', null)
        .orderBy(byNewest, 'desc')
        .limit(maxSources)
        .execute()
      return show(actor, await readSources(rows.map((row) => ofRepository(row.id))), page)
    },

    async listPublic(actor: Actor, page: PageRequest): Promise<Page<FeedEvent>> {
      await settle()
      return show(actor, await newest(publicOnly).execute(), page, isPublic)
    },

    /** Events by a user; private ones only for the user. */
    async listBy(actor: Actor, user: { id: number }, page: PageRequest, { publicOnly: isPlain = false } = {}) {
      await settle()
      const isWhole = !isPlain && isOwn(actor, user)
      const where: Where = isWhole ? (eb) => eb('actor_id', '=', user.id) : publicBy(user.id)
      return show(actor, await newest(where).execute(), page, isWhole ? undefined : isPublic)
    },

    /** Events by others in repositories that the user watches, and public events by people they follow. */
    async listReceived(actor: Actor, user: { id: number }, page: PageRequest, { publicOnly: isPlain = false } = {}) {
      await settle()
      const isWhole = !isPlain && isOwn(actor, user)
      const keys = await readSources([...(await listWatched(user.id)), ...(await listFollowed(user.id))])
      return show(actor, keys, page, (row, repository) => {
        return row.actor_id !== user.id && (isWhole || isPublic(row, repository))
      })
    },
  }
}

// A literal, never a parameter: a partial index serves only a query that names its condition.
const publicOnly: Where = () => sql<SqlBool>`feed_event.is_private = 0`
/** Public when it happened and public now. */
const isPublic: Shown = ({ is_private }, { isPrivate }) => is_private === 0 && !isPrivate

const ofRepository =
  (id: number): Where =>
  (eb) =>
    eb('repository_id', '=', id)

const publicBy =
  (id: number): Where =>
  (eb) =>
    eb.and([eb('actor_id', '=', id), publicOnly(eb)])
