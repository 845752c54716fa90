/**
 * Blocking: an organisation bars users from its repositories. They can read public things, but get no notifications and
 * cannot write.
 */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { blockLock, isBlockedBy } from '../access/block.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { Repository } from '../access/repository.ts'
import { appOf } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField } from '../failures.ts'
import type { People } from '../people/people.ts'
import { type Person, toPerson } from '../person.ts'
import { listRemovalLocks, removeAccessWithin } from '../repositories/access-removal.ts'
import { readPage } from '../row-pages.ts'
import { recordEvent } from './event-recording.ts'
import { withIssueLocks } from './issue-act.ts'
import { findIssue } from './issue-row.ts'

/** The issue that gave reason for the block. */
export type BlockReason = { readonly repository: Repository; readonly number: number }

export type Blocking = ReturnType<typeof makeBlocking>

type Needs = { store: Store; clock: Clock; people: People; activity: ActivityRecord }

export function makeBlocking({ store, clock, people, activity }: Needs) {
  const { db } = store

  async function demandBlockable({ organisation, actor }: OrganisationAccess<'owner'>, user: Person): Promise<void> {
    const member = await db
      .selectFrom('organisation_member')
      .select('role')
      .where('organisation_id', '=', organisation.id)
      .where('user_id', '=', user.id)
      .executeTakeFirst()
    if (member || user.id === actor.account.id)
      throw invalidField('username', 'invalid', 'Members of the organization can’t be blocked.')
  }

  return {
    list: ({ organisation }: OrganisationAccess<'owner'>, page: PageRequest): Promise<Page<Person>> =>
      readPage(
        db
          .selectFrom('organisation_block')
          .innerJoin('account', 'account.id', 'organisation_block.user_id')
          .select(['account.id', 'kind', 'name', 'role'])
          .where('organisation_id', '=', organisation.id)
          .orderBy('account.id'),
        page,
        toPerson,
      ),

    async isBlocked({ organisation }: OrganisationAccess<'owner'>, login: string): Promise<boolean> {
      const { id } = await people.get(login, 'user')
      return isBlockedBy(db, organisation.id, id)
    },

    /** Ends everything that the user has in the organisation's repositories; a repeated block records nothing more. */
    async block(access: OrganisationAccess<'owner'>, login: string, reason?: BlockReason): Promise<void> {
      const user = await people.get(login, 'user')
      await demandBlockable(access, user)
      if (reason && reason.repository.owner.id !== access.organisation.id)
        throw invalidField('issue_url', 'invalid', 'The issue is of another owner.')
      const { actor, organisation: owner } = access
      const locks = [
        blockLock(owner.id, user.id),
        ...(reason ? withIssueLocks(reason.repository.id).locks : []),
        ...(await listRemovalLocks(db, owner, user)),
      ]
      await store.write(
        async (trx) => {
          const values = { organisation_id: access.organisation.id, user_id: user.id, created_at: clock.now() }
          const made = await trx
            .insertInto('organisation_block')
            .values(values)
            .onConflict((conflict) => conflict.columns(['organisation_id', 'user_id']).doNothing())
            .returning('user_id')
            .executeTakeFirst()
          await removeAccessWithin(trx, { activity, actor, owner, user, now: clock.now() })
          if (made && reason) await recordReason(trx, access.actor, reason)
        },
        { locks },
      )
    },

    async unblock({ organisation }: OrganisationAccess<'owner'>, login: string): Promise<void> {
      const { id } = await people.get(login, 'user')
      await store.write((trx) =>
        trx
          .deleteFrom('organisation_block')
          .where('organisation_id', '=', organisation.id)
          .where('user_id', '=', id)
          .execute(),
      )
    },
  }

  async function recordReason(trx: Db, actor: Actor, { repository, number }: BlockReason): Promise<void> {
    const issue = await findIssue(trx, repository.id, number)
    const place = { repositoryId: repository.id, issueId: issue.id, actorId: actor.account!.id, appId: appOf(actor) }
    await recordEvent(trx, { ...place, now: clock.now() }, 'user_blocked', {})
  }
}

/** The users among these whom the repository's owner has blocked: they get no notifications of it. */
export async function listBlocked(db: Db, repositoryId: number, userIds: readonly number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('organisation_block')
    .innerJoin('repository', 'repository.owner_id', 'organisation_block.organisation_id')
    .select('organisation_block.user_id')
    .where('repository.id', '=', repositoryId)
    .where('organisation_block.user_id', 'in', userIds)
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}
