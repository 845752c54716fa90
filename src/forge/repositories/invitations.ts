/** Invitations to a repository: listed by admins and the invited user, accepted or declined, expired after a week. */

import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository } from '../access/audit-place.ts'
import { blockLock } from '../access/block.ts'
import { isOfCountedOwner } from '../access/counted-owners.ts'
import { type Level, levelOf, rankOf } from '../access/level.ts'
import { type Access, demandUnlocked, type Opening } from '../access/opening.ts'
import { type Repository, readRepositories } from '../access/repository.ts'
import type { SelfAccess } from '../access/self-access.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { endedColumns, recordEndedInvitations } from '../activity/ended-invitations.ts'
import { notFound } from '../failures.ts'
import { type Person, toPerson } from '../person.ts'
import { readPage } from '../row-pages.ts'
import { watchWithin } from './watching.ts'

export type Invitation = {
  readonly id: number
  readonly repository: Repository
  readonly invitee: Person
  readonly inviter: Person
  readonly level: Level
  readonly createdAt: Date
  readonly isExpired: boolean
}

export const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000

type Needs = { store: Store; clock: Clock; opening: Opening; activity: ActivityRecord }

export type Invitations = ReturnType<typeof makeInvitations>

export function makeInvitations({ store, clock, opening, activity }: Needs) {
  const { db } = store
  const rows = (on: Db = db) =>
    on
      .selectFrom('repository_invitation')
      .innerJoin('account as invitee', 'invitee.id', 'repository_invitation.invitee_id')
      .innerJoin('account as inviter', 'inviter.id', 'repository_invitation.inviter_id')
      .innerJoin('repository', 'repository.id', 'repository_invitation.repository_id')
      .select(['repository_invitation.id', 'repository_id', 'rank', 'repository_invitation.created_at'])
      .select(['invitee.id as e_id', 'invitee.kind as e_kind', 'invitee.name as e_name', 'invitee.role as e_role'])
      .select(['inviter.id as r_id', 'inviter.kind as r_kind', 'inviter.name as r_name', 'inviter.role as r_role'])

  type Row = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>

  const toInvitation = (row: Row, repository: Repository): Invitation => ({
    id: row.id,
    repository,
    invitee: toPerson({ id: row.e_id, kind: row.e_kind, name: row.e_name, role: row.e_role }),
    inviter: toPerson({ id: row.r_id, kind: row.r_kind, name: row.r_name, role: row.r_role }),
    level: levelOf(row.rank),
    createdAt: new Date(row.created_at),
    isExpired: row.created_at + invitationLifetimeMs <= clock.now(),
  })

  async function own({ actor }: SelfAccess, id: number, on: Db = db): Promise<Row> {
    const row = await rows(on)
      .where('repository_invitation.id', '=', id)
      .where('invitee_id', '=', actor.account.id)
      .where(isOfCountedOwner(actor, 'repository.owner_id'))
      .executeTakeFirst()
    if (!row || row.created_at + invitationLifetimeMs <= clock.now()) throw notFound()
    return row
  }

  async function drop(trx: Db, actorId: number, id: number): Promise<void> {
    const ended = await trx.deleteFrom('repository_invitation').where('id', '=', id).returning(endedColumns).execute()
    await recordEndedInvitations(trx, activity, actorId, ended)
  }

  return {
    list({ repository }: Access<'admin', 'look'>, page: PageRequest): Promise<Page<Invitation>> {
      const found = rows().where('repository_id', '=', repository.id).orderBy('repository_invitation.id')
      return readPage(found, page, (row) => toInvitation(row, repository))
    },

    async change({ repository }: Access<'admin'>, id: number, level: Level): Promise<Invitation> {
      return store.write(async (trx) => {
        await trx
          .updateTable('repository_invitation')
          .set({ rank: rankOf(level) })
          .where('id', '=', id)
          .where('repository_id', '=', repository.id)
          .execute()
        const row = await rows(trx)
          .where('repository_invitation.id', '=', id)
          .where('repository_id', '=', repository.id)
          .executeTakeFirst()
        if (!row) throw notFound()
        return toInvitation(row, repository)
      })
    },

    async withdraw({ actor, repository }: Access<'admin'>, id: number): Promise<void> {
      await store.write(async (trx) => {
        const ended = await trx
          .deleteFrom('repository_invitation')
          .where('id', '=', id)
          .where('repository_id', '=', repository.id)
          .returning(endedColumns)
          .executeTakeFirstOrThrow(notFound)
        await recordEndedInvitations(trx, activity, actor.account.id, [ended])
      })
    },

    async listOwn({ actor }: SelfAccess, page: PageRequest): Promise<Page<Invitation>> {
      const found = rows()
        .where('invitee_id', '=', actor.account.id)
        .where(isOfCountedOwner(actor, 'repository.owner_id'))
        .where('repository_invitation.created_at', '>', clock.now() - invitationLifetimeMs)
        .orderBy('repository_invitation.id')
      const { total, items } = await readPage(found, page, (row) => row)
      // An invitation shows a private repository to the invited user, who can't read it yet.
      const ids = items.map(({ repository_id }) => repository_id)
      const repositories = await readRepositories(db, actor, ids)
      const isThere = ({ repository_id }: Row) => repositories.has(repository_id)
      const described = items.filter(isThere).map((row) => toInvitation(row, repositories.get(row.repository_id)!))
      return { total, items: described }
    },

    /** Joining a repository watches it. */
    async accept(self: SelfAccess, id: number): Promise<void> {
      const { actor } = self
      const userId = actor.account.id
      const { owner_id: ownerId } = await db
        .selectFrom('repository')
        .select('owner_id')
        .where('id', '=', (await own(self, id)).repository_id)
        .executeTakeFirstOrThrow(notFound)
      const accept = async (trx: Db) => {
        const row = await own(self, id, trx)
        const repository = await opening.find(actor, { id: row.repository_id }, trx)
        if (repository) demandUnlocked(repository)
        const now = clock.now()
        const collaborator = { repository_id: row.repository_id, user_id: userId, rank: row.rank, created_at: now }
        await trx
          .insertInto('collaborator')
          .values(collaborator)
          .onConflict((conflict) => conflict.columns(['repository_id', 'user_id']).doUpdateSet({ rank: row.rank }))
          .execute()
        await drop(trx, userId, id)
        const what = { actorId: userId, repositoryId: row.repository_id, subjectId: userId }
        await activity.record(trx, { kind: 'collaborator-added', ...what, data: { level: levelOf(row.rank) } })
        if (repository) {
          const place = { ...auditRepository(repository), user: actor.account }
          await recordAudit(trx, now, actor, {
            action: 'repo.add_member',
            ...place,
            data: { permission: levelOf(row.rank) },
          })
        }
        await watchWithin(trx, { repositoryId: row.repository_id, userId, isIgnored: false, now })
      }
      // The block lock: a block then removes either the invitation or the collaborator.
      await store.write(accept, { locks: [blockLock(ownerId, userId)] })
    },

    async decline(self: SelfAccess, id: number): Promise<void> {
      await store.write(async (trx) => {
        await own(self, id, trx)
        await drop(trx, self.actor.account.id, id)
      })
    },
  }
}
