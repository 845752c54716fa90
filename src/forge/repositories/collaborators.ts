/** Collaborators of a repository: their levels, from every source, and adding new ones. */

import { sql } from 'kysely'
import type { Accounts } from '../../accounts/accounts.ts'
import type { SignedIn } from '../../accounts/actor.ts'
import { actingFor } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository, auditUser } from '../access/audit-place.ts'
import { blockLock, isBlockedBy } from '../access/block.ts'
import { type Level, levelOf, rankOf, reaches } from '../access/level.ts'
import type { Access, Opening } from '../access/opening.ts'
import type { OrganisationDoor } from '../access/organisation-access.ts'
import { type Repository, selectNear, selectRepositories, toOpenRepository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { endedColumns, recordEndedInvitations } from '../activity/ended-invitations.ts'
import { invalidField, notFound } from '../failures.ts'
import type { People } from '../people/people.ts'
import { asPerson, type Person, toPerson } from '../person.ts'
import { type Invitation, invitationLifetimeMs } from './invitations.ts'

export type CollaboratorFilter = {
  /** `direct`: added by name. `outside`: added by name, and no member of the organisation. */
  readonly affiliation: 'all' | 'direct' | 'outside'
  readonly level?: Level | undefined
}

export type Collaborator = { readonly user: Person; readonly level: Level }

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  people: People
  organisationDoor: OrganisationDoor
  opening: Opening
  activity: ActivityRecord
}

export type Collaborators = ReturnType<typeof makeCollaborators>

export function makeCollaborators({ store, clock, accounts, people, organisationDoor, opening, activity }: Needs) {
  const { db } = store

  /** A user's level, by ownership, membership, teams and collaboration. */
  async function levelFor({ repository }: Access<'write', 'look'>, login: string): Promise<Collaborator> {
    const account = await accounts.findByName(login)
    if (account?.kind !== 'user') throw notFound()
    const seen = await opening.find(actingFor(account), { id: repository.id })
    return { user: asPerson(account), level: seen?.level ?? 'none' }
  }

  const setRank = (trx: Db, repositoryId: number, userId: number, level: Level) =>
    trx
      .insertInto('collaborator')
      .values({ repository_id: repositoryId, user_id: userId, rank: rankOf(level), created_at: clock.now() })
      .onConflict((conflict) => conflict.columns(['repository_id', 'user_id']).doUpdateSet({ rank: rankOf(level) }))
      .execute()

  async function findRank(on: Db, repositoryId: number, userId: number): Promise<number | undefined> {
    const row = await on
      .selectFrom('collaborator')
      .select('rank')
      .where('repository_id', '=', repositoryId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return row?.rank
  }

  return {
    levelFor,

    /** The owner, members of the organisation who may read it, and users added by name. */
    async list(
      { repository }: Access<'write', 'look'>,
      { affiliation, level }: CollaboratorFilter,
      { offset, limit }: PageRequest,
    ): Promise<Page<Collaborator>> {
      const rows = await selectRepositories(db, sql.ref<number>('account.id'))
        .innerJoin('account', (join) => join.onTrue())
        .select(['account.id as user_id', 'account.kind as kind', 'account.name as login', 'account.role as role'])
        .where('repository.id', '=', repository.id)
        .where((eb) =>
          eb.or([eb('account.id', 'in', selectNear(db, repository)), eb('account.id', '=', repository.owner.id)]),
        )
        .where('account.kind', '=', 'user')
        .orderBy('account.id')
        .execute()
      const found = rows.flatMap((row): Collaborator[] => {
        const user = toPerson({ id: row.user_id, kind: row.kind, name: row.login, role: row.role })
        const found = toOpenRepository(row, user).level
        const isAdded = row.collaborator_rank !== null
        if (affiliation === 'direct' && !isAdded && user.id !== repository.owner.id) return []
        if (affiliation === 'outside' && !(isAdded && row.member_role === null)) return []
        return reaches(found, 'read') && (level ?? found) === found ? [{ user, level: found }] : []
      })
      return { total: found.length, items: found.slice(offset, offset + limit) }
    },

    async isCollaborator({ repository }: Access<'write', 'look'>, login: string): Promise<boolean> {
      const account = await accounts.findByName(login)
      if (account?.kind !== 'user') return false
      if (account.id === repository.owner.id) return true
      if (await organisationDoor.readRole(repository.owner.id, account.id)) return true
      return (await findRank(db, repository.id, account.id)) !== undefined
    },

    /** Members of the organisation and present collaborators get the level at once; others are invited. */
    async add({ actor, repository }: Access<'admin'>, login: string, level: Level): Promise<Invitation | undefined> {
      const user = await people.get(login, 'user')
      if (user.id === repository.owner.id)
        throw invalidField('username', 'custom', 'Repository owner cannot be a collaborator')
      const isMember = (await organisationDoor.readRole(repository.owner.id, user.id)) !== undefined
      const inviter = asPerson(actor.account)
      return store.write(
        async (trx) => {
          await demandNotBlocked(trx, repository, user)
          const former = await findRank(trx, repository.id, user.id)
          if (isMember || former !== undefined) {
            if (former === rankOf(level)) return undefined
            await setRank(trx, repository.id, user.id, level)
            const what = { actorId: inviter.id, repositoryId: repository.id, subjectId: user.id }
            const data = { level, ...(former !== undefined && { former: levelOf(former) }) }
            await activity.record(trx, { kind: 'collaborator-added', ...what, data })
            await audit(trx, actor, 'repo.add_member', repository, user, { permission: level })
            return undefined
          }
          // An expired invitation no longer counts: this is a new one.
          const expired = await trx
            .deleteFrom('repository_invitation')
            .where('repository_id', '=', repository.id)
            .where('invitee_id', '=', user.id)
            .where('created_at', '<=', clock.now() - invitationLifetimeMs)
            .returning(endedColumns)
            .execute()
          await recordEndedInvitations(trx, activity, inviter.id, expired)
          const row = await trx
            .insertInto('repository_invitation')
            .values({
              repository_id: repository.id,
              invitee_id: user.id,
              inviter_id: inviter.id,
              rank: rankOf(level),
              created_at: clock.now(),
            })
            .onConflict((conflict) =>
              conflict.columns(['repository_id', 'invitee_id']).doUpdateSet({ rank: rankOf(level) }),
            )
            .returning(['id', 'rank', 'created_at'])
            .executeTakeFirstOrThrow()
          await activity.record(trx, {
            kind: 'repository-invitation',
            actorId: inviter.id,
            repositoryId: repository.id,
            subjectId: row.id,
            data: { inviteeId: user.id },
          })
          await audit(trx, actor, 'repository_invitation.create', repository, user, { permission: level })
          return {
            id: row.id,
            repository,
            invitee: user,
            inviter,
            level: levelOf(row.rank),
            createdAt: new Date(row.created_at),
            isExpired: false,
          }
        },
        { locks: [`collaborators:${repository.id}`, blockLock(repository.owner.id, user.id)] },
      )
    },

    async remove({ actor, repository }: Access<'admin'>, login: string): Promise<void> {
      await removeUser(actor, repository, await people.get(login, 'user'))
    },

    /** The user leaves. */
    leave: ({ actor, repository }: Access<'read'>): Promise<void> =>
      removeUser(actor, repository, asPerson(actor.account)),
  }

  function audit(
    trx: Db,
    actor: SignedIn,
    action: string,
    repository: Repository,
    user: Person,
    data: Record<string, string> = {},
  ): Promise<void> {
    const act = { action, ...auditRepository(repository), ...auditUser(user), data }
    return recordAudit(trx, clock.now(), actor, act)
  }

  /** Also ends invitations to the user, and those that they made as a collaborator. */
  async function removeUser(actor: SignedIn, repository: Repository, user: Person): Promise<void> {
    await store.write(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('collaborator')
        .where('repository_id', '=', repository.id)
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow()
      const wasThere = numDeletedRows > 0n
      const what = { actorId: actor.account.id, repositoryId: repository.id, subjectId: user.id }
      if (wasThere) {
        await activity.record(trx, { kind: 'collaborator-removed', ...what })
        await audit(trx, actor, 'repo.remove_member', repository, user)
      }
      const ended = await trx
        .deleteFrom('repository_invitation')
        .where('repository_id', '=', repository.id)
        .where((eb) => eb.or([eb('invitee_id', '=', user.id), ...(wasThere ? [eb('inviter_id', '=', user.id)] : [])]))
        .returning(endedColumns)
        .execute()
      await recordEndedInvitations(trx, activity, actor.account.id, ended)
    })
  }
}

async function demandNotBlocked(db: Db, { owner }: Repository, user: Person): Promise<void> {
  if (await isBlockedBy(db, owner.id, user.id))
    throw invalidField('username', 'custom', 'The organization has blocked this user: unblock them first.')
}
