/** Delivers an act to the inboxes of its recipients: up to a bound at once, more by a job in batches. */
import { type Insertable, sql } from 'kysely'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { ThreadTable } from '../../../store/schema/notification-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { ActivityRecord, ConsumedActivity } from '../../activity/activity.ts'
import { floorToSecond, type InboxChanges } from '../inbox/inbox-changes.ts'
import { type NotifyingAct, toNotifyingAct } from './notifying-acts.ts'
import { isParticipating, type Reason } from './reasons.ts'
import { decideOutcome, type Outcome } from './recipients.ts'
import { listFollowers, listTeamMembers, type PersonStanding, readStandings, type SubjectPlace } from './standings.ts'
import { findOrMakeSubject } from './subjects.ts'

/** Up to this many followers are notified while the act is told; beyond that a job does it. */
const mostAtOnce = 300
/** Followers per write of the job. */
const batchSize = 500
/** Rows per statement. */
const rowsAtOnce = 250

const fanOutKind = 'forge.notification-fan-out'

/** An act as a batch of recipients needs it. `activityId` 0: from another system, which tells it once. */
export type Delivered = Pick<NotifyingAct, 'activityId' | 'actorId' | 'own' | 'reach' | 'isVisible' | 'at'>
export type Namings = ReadonlyMap<number, readonly Reason[]>
type FanOut = { readonly act: Delivered; readonly place: SubjectPlace }

type Needs = { store: Store; clock: Clock; jobs: Jobs; activity: ActivityRecord; changes: InboxChanges }

export type Delivery = ReturnType<typeof makeDelivery>

export function makeDelivery({ store, clock, jobs, activity, changes }: Needs) {
  async function consume(trx: Db, recorded: ConsumedActivity): Promise<void> {
    const act = toNotifyingAct(recorded)
    const place = act && (await findOrMakeSubject(trx, act.subject))
    if (!place) return
    const namings = await expandNamings(trx, act)
    const isForFollowers = act.reach === 'everyone' || act.isVisible
    const followers = isForFollowers ? await listFollowers(trx, place, 0, mostAtOnce + 1) : []
    const isLarge = followers.length > mostAtOnce
    const concerned = new Set([act.actorId, ...namings.keys(), ...(isLarge ? [] : followers)])
    await deliver(trx, act, place, [...concerned], namings, act.subject.kind === 'invitation')
    if (!isLarge) return
    const { activityId, actorId, reach, isVisible, at } = act
    const rest: FanOut = { act: { activityId, actorId, own: undefined, reach, isVisible, at }, place }
    await jobs.enqueue(trx, fanOutKind, rest)
  }

  /** Answers how many people were notified. Those who have it already are skipped, because a batch may be retried. */
  async function deliver(
    trx: Db,
    act: Delivered,
    place: SubjectPlace,
    userIds: readonly number[],
    namings: Namings,
    isForAnyone = false,
  ): Promise<number> {
    await changes.lock(trx, userIds)
    const standings = await readStandings(trx, place, userIds)
    const people = standings
      .filter(({ lastActivityId }) => act.activityId === 0 || lastActivityId < act.activityId)
      .map((person) => {
        const named = namings.get(person.userId) ?? []
        const isActor = person.userId === act.actorId
        const standing = isForAnyone ? { ...person, mayRead: true } : person
        return { person, outcome: decideOutcome({ isActor, own: act.own, named, reach: act.reach }, standing) }
      })
    const told = people.filter(({ outcome }) => outcome.delivered !== undefined)
    const untold = people.filter(({ outcome }) => outcome.delivered === undefined)
    const shown = act.isVisible ? untold.filter(({ person }) => person.threadState !== 'none') : []
    const noted = await changes.note(
      trx,
      [...told, ...shown].map(({ person }) => person.userId),
    )
    const toRow = ({ person, outcome }: (typeof people)[number]) => rowOf(act, place, person, outcome, clock.now())
    const delivered = told.map((one) => ({ ...toRow(one), change: noted.get(one.person.userId)! }))
    for (let i = 0; i < delivered.length; i += rowsAtOnce) await saveThreads(trx, delivered.slice(i, i + rowsAtOnce))
    const changed = untold.filter(({ person, outcome }) => isOther(person, outcome))
    if (changed.length > 0) await saveSubscriptions(trx, changed.map(toRow))
    return told.length
  }

  jobs.define<FanOut>(fanOutKind, async ({ act, place }, { signal }) => {
    for (let last = 0; ; ) {
      signal.throwIfAborted()
      const followers = await listFollowers(store.db, place, last, batchSize)
      if (followers.length === 0) return
      await store.write((trx) => deliver(trx, act, place, followers, new Map()))
      last = followers.at(-1)!
    }
  })
  activity.consume(consume)

  return { deliver }
}

async function expandNamings(trx: Db, { users, teams }: NotifyingAct): Promise<Namings> {
  const namings = new Map<number, Reason[]>()
  const add = (userId: number, reason: Reason) => namings.set(userId, [...(namings.get(userId) ?? []), reason])
  for (const { id, reason } of users) add(id, reason)
  const members = await listTeamMembers(
    trx,
    teams.map(({ id }) => id),
  )
  for (const { id, reason } of teams)
    for (const { teamId, userId } of members)
      if (teamId === id && namings.get(userId)?.at(-1) !== reason) add(userId, reason)
  return namings
}

type Row = Omit<Insertable<ThreadTable>, 'id'>

function rowOf(act: Delivered, place: SubjectPlace, person: PersonStanding, outcome: Outcome, now: number): Row {
  const { subscription, storedReason, delivered } = outcome
  const since = person.subscription === subscription ? person.subscribedAt : now
  const reason = delivered ?? 'subscribed'
  return {
    user_id: person.userId,
    subject_id: place.subjectId,
    repository_id: place.repositoryId,
    subscription,
    stored_reason: storedReason,
    subscribed_at: subscription === 'none' ? null : since,
    reason,
    is_participating: isParticipating(reason) ? 1 : 0,
    state: delivered ? 'unread' : 'none',
    updated_at: floorToSecond(act.at),
    last_read_at: null,
    last_activity_id: delivered ? act.activityId : 0,
    change: 0,
  }
}

const isOther = (person: PersonStanding, { subscription, storedReason }: Outcome): boolean =>
  person.subscription !== subscription || person.storedReason !== storedReason

const subscriptionColumns = {
  subscription: sql<ThreadTable['subscription']>`excluded.subscription`,
  stored_reason: sql<string | null>`excluded.stored_reason`,
  subscribed_at: sql<number | null>`excluded.subscribed_at`,
}

const later = (name: 'updated_at' | 'last_activity_id') =>
  sql<number>`case when excluded.${sql.ref(name)} > thread.${sql.ref(name)} then excluded.${sql.ref(name)} else thread.${sql.ref(name)} end`

/** A delivery makes a thread unread, whatever its state; its time never goes back. */
async function saveThreads(trx: Db, rows: readonly Row[]): Promise<void> {
  await trx
    .insertInto('thread')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['subject_id', 'user_id']).doUpdateSet({
        ...subscriptionColumns,
        reason: sql<string>`excluded.reason`,
        is_participating: sql<number>`excluded.is_participating`,
        state: sql<'unread'>`excluded.state`,
        updated_at: later('updated_at'),
        last_activity_id: later('last_activity_id'),
        change: sql<number>`excluded.change`,
      }),
    )
    .execute()
}

async function saveSubscriptions(trx: Db, rows: readonly Row[]): Promise<void> {
  await trx
    .insertInto('thread')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['subject_id', 'user_id']).doUpdateSet(subscriptionColumns))
    .execute()
}
