/** Subscriptions to issues and pulls by their own address: also for people whose inbox has no thread of them yet. */
import type { Clock } from '../../../lib/clock.ts'
import type { SubscriptionState } from '../../../store/schema/notification-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { type Access, demandUnblocked } from '../../access/opening.ts'
import { notFound } from '../../failures.ts'
import type { Reason } from '../delivery/reasons.ts'
import { findIssueSubject, findOrMakeSubject } from '../delivery/subjects.ts'
import type { Inbox } from './inbox.ts'
import { floorToSecond, type InboxChanges } from './inbox-changes.ts'

export type IssueSubscription = {
  readonly isSubscribed: boolean
  readonly isIgnored: boolean
  /** Why its activity is delivered; `subscribed` to those who watch the repository. */
  readonly reason: Reason | null
}

type Needs = { store: Store; clock: Clock; inbox: Inbox; changes: InboxChanges }
type Look = Access<'read', 'look'>

const silent: IssueSubscription = { isSubscribed: false, isIgnored: false, reason: null }

export type IssueSubscriptions = ReturnType<typeof makeIssueSubscriptions>

export function makeIssueSubscriptions({ store, clock, inbox, changes }: Needs) {
  const findThread = (on: Db, { actor, repository }: Look, issueId: number) =>
    on
      .selectFrom('thread')
      .innerJoin('thread_subject', 'thread_subject.id', 'thread.subject_id')
      .select(['thread.subscription', 'thread.stored_reason', 'thread.state'])
      .where('thread_subject.repository_id', '=', repository.id)
      .where('thread_subject.kind', '=', 'issue')
      .where('thread_subject.key', '=', String(issueId))
      .where('thread.user_id', '=', actor.account.id)
      .executeTakeFirst()

  const findWatch = (on: Db, { actor, repository }: Look) =>
    on
      .selectFrom('watch')
      .select('is_ignored')
      .where('repository_id', '=', repository.id)
      .where('user_id', '=', actor.account.id)
      .executeTakeFirst()

  async function read(on: Db, look: Look, issueId: number): Promise<IssueSubscription> {
    const [thread, watch] = [await findThread(on, look, issueId), await findWatch(on, look)]
    if (watch?.is_ignored === 1 || thread?.subscription === 'ignored') return { ...silent, isIgnored: true }
    if (thread?.subscription === 'subscribed')
      return { isSubscribed: true, isIgnored: false, reason: (thread.stored_reason as Reason | null) ?? 'manual' }
    return watch ? { isSubscribed: true, isIgnored: false, reason: 'subscribed' } : silent
  }

  return {
    async get(look: Look, issueId: number): Promise<IssueSubscription> {
      await inbox.waitUntilCurrent(look)
      return read(store.db, look, issueId)
    },

    /** A thread without activity is in no list; it keeps what is to be delivered later. */
    async set(
      look: Look,
      issueId: number,
      subscription: Exclude<SubscriptionState, 'none'>,
    ): Promise<IssueSubscription> {
      const { actor, repository } = look
      if (subscription === 'subscribed') demandUnblocked(repository)
      await inbox.waitUntilCurrent(look)
      const userId = actor.account.id
      return store.write(async (trx) => {
        const key = { repositoryId: repository.id, kind: 'issue', key: String(issueId) } as const
        const known = await findIssueSubject(trx, repository.id, issueId)
        const subjectId = known?.id ?? (await findOrMakeSubject(trx, key))?.subjectId
        if (subjectId === undefined) throw notFound()
        await changes.lock(trx, [userId])
        const before = await findThread(trx, look, issueId)
        const now = clock.now()
        const next = {
          subscription,
          stored_reason: subscription === 'subscribed' ? 'manual' : null,
          subscribed_at: now,
        }
        const times = { updated_at: floorToSecond(now), last_activity_id: 0, change: 0 }
        const fresh = { reason: 'manual', is_participating: 0, state: 'none', ...times } as const
        await trx
          .insertInto('thread')
          .values({ user_id: userId, subject_id: subjectId, repository_id: repository.id, ...next, ...fresh })
          .onConflict((conflict) => conflict.columns(['subject_id', 'user_id']).doUpdateSet(next))
          .execute()
        if (before && before.state !== 'none') await changes.note(trx, [userId])
        return read(trx, look, issueId)
      })
    },
  }
}
