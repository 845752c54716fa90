/** Transfers: a repository goes to another owner, with all that is in it. What it has of its former owner stays behind. */
import type { SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import { demandWithin, type Quotas } from '../../accounts/quotas.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditOrganisation, auditRepository } from '../access/audit-place.ts'
import { Creation } from '../access/creation.ts'
import { rankOf } from '../access/level.ts'
import type { Access, Opening } from '../access/opening.ts'
import type { OrganisationDoor } from '../access/organisation-access.ts'
import { fullName, type OpenRepository } from '../access/repository.ts'
import { isSiteAdmin, type RequiredGrant } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { endedColumns, recordEndedInvitations } from '../activity/ended-invitations.ts'
import { invalidField, notFound } from '../failures.ts'
import type { People } from '../people/people.ts'
import type { Team } from '../people/team.ts'
import type { TeamChanges } from '../people/team-changes.ts'
import type { Teams } from '../people/teams.ts'
import type { Person } from '../person.ts'
import { type StorageQuota, storageLock } from '../storage/storage-quota.ts'
import type { GrantWithin } from './direct-grants.ts'
import { demandMayCreate } from './repositories.ts'
import { demandName, refuseTakenName } from './repository-creation.ts'
import { recount, watchLock } from './watching.ts'

export type TransferDraft = {
  readonly newOwner: string
  readonly newName: string | undefined
  readonly teamIds: readonly number[]
}

type Needs = {
  store: Store
  clock: Clock
  opening: Opening
  organisationDoor: OrganisationDoor
  people: People
  teams: Teams
  teamChanges: TeamChanges
  activity: ActivityRecord
  giveWithin: GrantWithin
  quotas: Quotas
  storage: Pick<StorageQuota, 'demandSpaceFor'>
}

/** Who takes it, and whether whoever hands it over would have no say in it otherwise. */
type Taker = { readonly owner: Person; readonly isGiven: boolean }
type Act = { readonly actor: SignedIn; readonly taker: Taker; readonly name: string; readonly teams: readonly Team[] }

export type Transferring = ReturnType<typeof makeTransferring>

export function makeTransferring(needs: Needs) {
  const { store, clock, opening, organisationDoor, people, teams, teamChanges, activity, giveWithin } = needs
  const { quotas, storage } = needs

  /** Oneself, an organisation in which one may make repositories, or anyone by an admin of the server. */
  async function openTaker(actor: SignedIn, login: string, need: RequiredGrant): Promise<Taker> {
    const owner = await people.find(login)
    if (!owner) throw invalidField('new_owner', 'invalid', 'There is no account of this name.')
    if (owner.kind === 'organisation') {
      const access = await organisationDoor.open(actor, login, 'member', need)
      demandMayCreate(access)
      Creation.demand(actor, owner)
      return { owner, isGiven: !access.isOwner }
    }
    const isOneself = owner.id === actor.account.id
    if (isOneself) Creation.demand(actor, owner)
    else if (!isSiteAdmin(actor))
      throw new Failure(
        'forbidden',
        'transfer-denied',
        'You can transfer a repository to yourself or to an organization that lets you create repositories. Ask an admin of the server to give it to another user.',
      )
    return { owner, isGiven: false }
  }

  async function findTeams(organisation: Person, ids: readonly number[]): Promise<readonly Team[]> {
    if (ids.length === 0) return []
    const query = store.db.selectFrom('team').select('id').where('organisation_id', '=', organisation.id)
    const own = await query.where('id', 'in', ids).execute()
    if (own.length !== ids.length)
      throw invalidField('team_ids', 'invalid', 'Each must be a team of the new owner, named once.')
    return teams.listByIds(organisation, ids)
  }

  async function demandRoom(trx: Db, { owner, name }: { owner: Person; name: string }, one: OpenRepository) {
    const owned = trx.selectFrom('repository').where('owner_id', '=', owner.id)
    const { count } = await owned.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    demandWithin(Number(count), quotas.repositories, 'repositories')
    const rootId = one.sourceId ?? one.id
    const relative = await owned
      .select('id')
      .where((eb) => eb.or([eb('source_id', '=', rootId), eb('id', '=', rootId)]))
      .executeTakeFirst()
    if (relative)
      throw invalidField('new_owner', 'invalid', `${owner.login} already has a repository in the network of ${name}.`)
  }

  /** Rights that others have by the former owner, or that the new one has refused them. */
  async function leaveBehind(trx: Db, actorId: number, id: number, owner: Person): Promise<void> {
    await trx.deleteFrom('team_repository').where('repository_id', '=', id).execute()
    await trx.deleteFrom('app_installation_repository').where('repository_id', '=', id).execute()
    await trx.deleteFrom('collaborator').where('repository_id', '=', id).where('user_id', '=', owner.id).execute()
    const blocked = trx.selectFrom('organisation_block').select('user_id').where('organisation_id', '=', owner.id)
    await trx.deleteFrom('collaborator').where('repository_id', '=', id).where('user_id', 'in', blocked).execute()
    await trx.deleteFrom('star').where('repository_id', '=', id).where('user_id', 'in', blocked).execute()
    await trx.deleteFrom('watch').where('repository_id', '=', id).where('user_id', 'in', blocked).execute()
    const ended = await trx
      .deleteFrom('repository_invitation')
      .where('repository_id', '=', id)
      .where((eb) => eb.or([eb('invitee_id', '=', owner.id), eb('invitee_id', 'in', blocked)]))
      .returning(endedColumns)
      .execute()
    await recordEndedInvitations(trx, activity, actorId, ended)
    await recount(trx, id)
  }

  async function moveRow(trx: Db, before: OpenRepository, owner: Person, name: string): Promise<void> {
    const nameKey = name.toLowerCase()
    await trx
      .updateTable('repository')
      .set({ owner_id: owner.id, name, name_key: nameKey, updated_at: clock.now() })
      .where('id', '=', before.id)
      .execute()
    await trx.updateTable('pull').set({ head_owner_id: owner.id }).where('head_repository_id', '=', before.id).execute()
    await trx
      .deleteFrom('repository_former_name')
      .where('owner_id', '=', owner.id)
      .where('name_key', '=', nameKey)
      .execute()
    await trx
      .insertInto('repository_former_name')
      .values({ owner_id: before.owner.id, name_key: before.name.toLowerCase(), repository_id: before.id })
      .onConflict((conflict) => conflict.columns(['owner_id', 'name_key']).doUpdateSet({ repository_id: before.id }))
      .execute()
  }

  async function note(trx: Db, actor: SignedIn, before: OpenRepository, after: OpenRepository): Promise<void> {
    const { owner } = before
    await activity.record(trx, {
      kind: 'repository-changed',
      actorId: actor.account.id,
      repositoryId: after.id,
      data: { action: 'transferred', changes: { owner: { from: { id: owner.id } } } },
    })
    const data = { old_user: owner.login, old_name: before.name }
    const now = clock.now()
    await recordAudit(trx, now, actor, { action: 'repo.transfer', ...auditRepository(after), data })
    // The organisation that it leaves has the act in its own log.
    if (owner.kind === 'organisation')
      await recordAudit(trx, now, actor, {
        action: 'repo.transfer_outgoing',
        ...auditOrganisation(owner),
        repository: { id: after.id, name: fullName(after) },
        data,
      })
  }

  async function moveWithin(trx: Db, before: OpenRepository, { actor, taker, name, teams: given }: Act) {
    const { owner, isGiven } = taker
    const now = await opening.find(actor, { id: before.id }, trx)
    if (!now) throw notFound()
    demand(now.owner.id === before.owner.id, 'conflict', 'owner-changed', 'The repository has another owner by now.')
    await demandRoom(trx, { owner, name: fullName(before) }, now)
    await moveRow(trx, now, owner, name)
    await leaveBehind(trx, actor.account.id, before.id, owner)
    await storage.demandSpaceFor(owner.id, 0, trx)
    const place = { id: before.id, name, owner }
    if (isGiven) await giveWithin(trx, actor, place, actor.account.id, 'admin')
    const after = await opening.find(actor, { id: before.id }, trx)
    if (!after) throw notFound()
    for (const team of given) {
      const values = { team_id: team.id, repository_id: after.id, rank: rankOf('read'), created_at: clock.now() }
      await trx.insertInto('team_repository').values(values).execute()
      await teamChanges.noteRepository(trx, { actor, team }, after, 'read', true)
    }
    await note(trx, actor, now, after)
    return after
  }

  return {
    /** `need`: what the token must have to make a repository there. */
    async transfer(
      { actor, repository }: Access<'admin'>,
      draft: TransferDraft,
      need: RequiredGrant,
    ): Promise<OpenRepository> {
      const name = draft.newName ?? repository.name
      demandName(name)
      const taker = await openTaker(actor, draft.newOwner, need)
      if (taker.owner.id === repository.owner.id)
        throw invalidField('new_owner', 'invalid', 'The repository is of this owner already.')
      const act = { actor, taker, name, teams: await findTeams(taker.owner, draft.teamIds) }
      const locks = [
        ...[`repository:${repository.id}`, watchLock(repository.id)],
        ...[storageLock(repository.owner.id), storageLock(taker.owner.id)],
      ]
      return store.write((trx) => moveWithin(trx, repository, act), { locks }).catch(refuseTakenName)
    },
  }
}
