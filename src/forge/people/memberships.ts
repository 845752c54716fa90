/** Memberships of organisations: invited by an owner, accepted by the invited user, public or not. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditOrganisation, auditUser } from '../access/audit-place.ts'
import { isOfCountedOwner } from '../access/counted-owners.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import { countsAt, isSiteAdmin, tokenOf } from '../access/required-grant.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { demandSignOn, listLackingSignOn } from '../access/sign-on.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { endedColumns, recordEndedInvitations } from '../activity/ended-invitations.ts'
import { notFound } from '../failures.ts'
import { asPerson, type Person, toPerson } from '../person.ts'
import { readPage } from '../row-pages.ts'
import type { People } from './people.ts'

export type Membership = {
  readonly organisation: Person
  readonly user: Person
  readonly role: 'admin' | 'member'
  readonly state: 'active' | 'pending'
}

type Needs = { store: Store; clock: Clock; people: People; activity: ActivityRecord }

export type Memberships = ReturnType<typeof makeMemberships>

export function makeMemberships({ store, clock, people, activity }: Needs) {
  const { db } = store
  const rowsOf = (organisation: number, on: Db = db) =>
    on
      .selectFrom('organisation_member')
      .innerJoin('account', 'account.id', 'organisation_member.user_id')
      .where('organisation_id', '=', organisation)

  async function find(
    organisation: Person,
    login: string,
    on: Db = db,
  ): Promise<(Membership & { isPublic: boolean }) | undefined> {
    const row = await rowsOf(organisation.id, on)
      .select(['account.id', 'kind', 'name', 'account.role', 'organisation_member.role as part', 'state', 'is_public'])
      .where('name_key', '=', login.toLowerCase())
      .executeTakeFirst()
    if (!row) return undefined
    const { part, state, is_public, ...person } = row
    return {
      organisation,
      user: toPerson(person),
      role: part,
      state,
      isPublic: is_public === 1,
    }
  }

  async function read(organisation: Person, login: string, on?: Db): Promise<Membership & { isPublic: boolean }> {
    const found = await find(organisation, login, on)
    if (!found) throw notFound()
    return found
  }

  /** A suspended owner does not count. */
  async function demandOtherOwner(trx: Db, organisation: number, user: number): Promise<void> {
    const other = await trx
      .selectFrom('organisation_member')
      .innerJoin('account', 'account.id', 'organisation_member.user_id')
      .select('user_id')
      .where('organisation_id', '=', organisation)
      .where('organisation_member.role', '=', 'admin')
      .where('state', '=', 'active')
      .where('suspended_at', 'is', null)
      .where('user_id', '!=', user)
      .limit(1)
      .executeTakeFirst()
    demand(other, 'forbidden', 'last-owner', 'This is the last owner: make another member an owner first.')
  }

  async function removeWithin(trx: Db, actorId: number, organisation: Person, membership: Membership): Promise<void> {
    const { user } = membership
    if (membership.role === 'admin' && membership.state === 'active')
      await demandOtherOwner(trx, organisation.id, user.id)
    const teams = trx.selectFrom('team').select('id').where('organisation_id', '=', organisation.id)
    await trx.deleteFrom('team_member').where('user_id', '=', user.id).where('team_id', 'in', teams).execute()
    const repositories = trx.selectFrom('repository').select('id').where('owner_id', '=', organisation.id)
    await trx
      .deleteFrom('collaborator')
      .where('user_id', '=', user.id)
      .where('repository_id', 'in', repositories)
      .execute()
    const ended = await trx
      .deleteFrom('repository_invitation')
      .where((eb) => eb.or([eb('inviter_id', '=', user.id), eb('invitee_id', '=', user.id)]))
      .where('repository_id', 'in', repositories)
      .returning(endedColumns)
      .execute()
    await recordEndedInvitations(trx, activity, actorId, ended)
    await trx
      .deleteFrom('organisation_member')
      .where('organisation_id', '=', organisation.id)
      .where('user_id', '=', user.id)
      .execute()
  }

  const audit = (
    trx: Db,
    actor: Actor,
    action: string,
    organisation: Person,
    user: Person,
    data: Record<string, string>,
  ) => recordAudit(trx, clock.now(), actor, { action, ...auditOrganisation(organisation), ...auditUser(user), data })

  const withOrganisationLock = (organisation: Person) => ({ locks: [`organisation:${organisation.id}`] })

  const setRole = (trx: Db, organisation: Person, user: Person, role: Membership['role']) =>
    trx
      .updateTable('organisation_member')
      .set({ role })
      .where('organisation_id', '=', organisation.id)
      .where('user_id', '=', user.id)
      .execute()

  /** Part of another write that holds the organisation's lock, for a user who is no member yet. */
  async function inviteWithin(
    trx: Db,
    { actor, organisation, isOwner }: OrganisationAccess<'member'>,
    user: Person,
    role: Membership['role'],
  ): Promise<void> {
    demand(isOwner, 'forbidden', 'not-near', 'Only an owner of the organization may invite someone to it.')
    const state = isSiteAdmin(actor) || actor.account.id === user.id ? 'active' : 'pending'
    const member = { organisation_id: organisation.id, user_id: user.id, role, is_public: 0 }
    await trx
      .insertInto('organisation_member')
      .values({ ...member, state, created_at: clock.now() })
      .execute()
    const what = { actorId: actor.account.id, organisationId: organisation.id, subjectId: user.id }
    await activity.record(trx, { kind: state === 'active' ? 'member-joined' : 'member-invited', ...what })
    const action = state === 'active' ? 'org.add_member' : 'org.invite_member'
    await audit(trx, actor, action, organisation, user, { role })
  }

  const removeAs = (actor: SignedIn, organisation: Person, login: string): Promise<void> =>
    store.write(async (trx) => {
      const membership = await read(organisation, login, trx)
      await removeWithin(trx, actor.account.id, organisation, membership)
      const what = { actorId: actor.account.id, organisationId: organisation.id, subjectId: membership.user.id }
      await activity.record(trx, { kind: 'member-removed', ...what })
      await audit(trx, actor, 'org.remove_member', organisation, membership.user, { role: membership.role })
    }, withOrganisationLock(organisation))

  return {
    /** Members; non-members see only the public ones. */
    async list(
      { organisation, isNear }: OrganisationAccess<'anyone'>,
      { role, onlyPublic = false }: { role?: 'admin' | 'member' | undefined; onlyPublic?: boolean },
      page: PageRequest,
    ): Promise<Page<Person>> {
      let query = rowsOf(organisation.id).where('state', '=', 'active')
      if (onlyPublic || !isNear) query = query.where('is_public', '=', 1)
      if (role) query = query.where('organisation_member.role', '=', role)
      const found = query.select(['account.id', 'kind', 'name', 'account.role']).orderBy('account.id')
      return readPage(found, page, toPerson)
    },

    /** For owners: with roles, and with invited users. */
    async listAll(
      { organisation }: OrganisationAccess<'owner'>,
      { role, state }: { role: Membership['role'] | undefined; state: Membership['state'] | undefined },
      page: PageRequest,
    ): Promise<Page<Membership>> {
      let query = rowsOf(organisation.id)
      if (role) query = query.where('organisation_member.role', '=', role)
      if (state) query = query.where('state', '=', state)
      const found = query
        .select(['account.id', 'kind', 'name', 'account.role', 'organisation_member.role as part', 'state'])
        .orderBy('account.id')
      return readPage(found, page, ({ part, state, ...person }) => ({
        organisation,
        user: toPerson(person),
        role: part,
        state,
      }))
    },

    /** Whether the user is a member, as far as the actor may know. */
    async isMember(
      { organisation, isNear }: OrganisationAccess<'anyone'>,
      login: string,
      onlyPublic = false,
    ): Promise<boolean> {
      const membership = await find(organisation, login)
      if (membership?.state !== 'active') return false
      return membership.isPublic || (isNear && !onlyPublic)
    },

    get: ({ organisation }: OrganisationAccess<'member'>, login: string): Promise<Membership> =>
      read(organisation, login),
    async getOwn({ actor }: SelfAccess, organisation: Person): Promise<Membership> {
      if (!countsAt(actor, organisation)) throw notFound()
      demandSignOn(actor, organisation.id)
      return read(organisation, actor.account.name)
    },
    find: ({ organisation }: OrganisationAccess<'member'>, login: string, on?: Db): Promise<Membership | undefined> =>
      find(organisation, login, on),
    withOrganisationLock,
    inviteWithin,

    /** Invites a user, or changes a member's role. An admin of the server adds the user at once. */
    async set(access: OrganisationAccess<'owner'>, login: string, role: Membership['role']): Promise<Membership> {
      const { organisation } = access
      const user = await people.get(login, 'user')
      return store.write(async (trx) => {
        const before = await find(organisation, login, trx)
        if (before?.role === 'admin' && role === 'member' && before.state === 'active')
          await demandOtherOwner(trx, organisation.id, user.id)
        if (!before) await inviteWithin(trx, access, user, role)
        else if (before.role !== role) {
          await setRole(trx, organisation, user, role)
          await audit(trx, access.actor, 'org.update_member', organisation, user, { role, role_was: before.role })
        }
        return read(organisation, login, trx)
      }, withOrganisationLock(organisation))
    },

    remove: ({ actor, organisation }: OrganisationAccess<'owner'>, login: string): Promise<void> =>
      removeAs(actor, organisation, login),

    /** The member leaves, or the invited user declines. */
    async leave({ actor }: SelfAccess, organisation: Person): Promise<void> {
      if (!countsAt(actor, organisation)) throw notFound()
      await removeAs(actor, organisation, actor.account.name)
    },

    /** Only the member decides whether the membership is public. */
    async publicise(
      { actor, organisation }: OrganisationAccess<'member'>,
      login: string,
      isPublic: boolean,
    ): Promise<void> {
      const isSelf = actor.account.name.toLowerCase() === login.toLowerCase()
      demand(isSelf, 'forbidden', 'not-yours', 'Only the member decides whether the membership is public.')
      await read(organisation, login)
      await store.write((trx) =>
        trx
          .updateTable('organisation_member')
          .set({ is_public: isPublic ? 1 : 0 })
          .where('organisation_id', '=', organisation.id)
          .where('user_id', '=', actor.account.id)
          .execute(),
      )
    },

    async listOwn(
      { actor }: SelfAccess,
      state: Membership['state'] | undefined,
      page: PageRequest,
    ): Promise<Page<Membership>> {
      const user = asPerson(actor.account)
      let query = db
        .selectFrom('organisation_member')
        .innerJoin('account', 'account.id', 'organisation_member.organisation_id')
        .where('user_id', '=', user.id)
        .where(isOfCountedOwner(actor, 'organisation_id'))
      if (state) query = query.where('state', '=', state)
      const lacking = listLackingSignOn(actor)
      if (lacking.length > 0) query = query.where('organisation_id', 'not in', lacking)
      const found = query
        .select(['account.id', 'kind', 'name', 'account.role', 'organisation_member.role as part', 'state'])
        .orderBy('account.id')
      return readPage(found, page, (row) => ({
        organisation: toPerson(row),
        user,
        role: row.part,
        state: row.state,
      }))
    },

    /** The invited user accepts. */
    async accept({ actor }: SelfAccess, organisation: Person): Promise<Membership> {
      if (!countsAt(actor, organisation)) throw notFound()
      return store.write(async (trx) => {
        const before = await read(organisation, actor.account.name, trx)
        if (before.state === 'pending') demandOtherCredential(actor, organisation)
        await trx
          .updateTable('organisation_member')
          .set({ state: 'active' })
          .where('organisation_id', '=', organisation.id)
          .where('user_id', '=', actor.account.id)
          .execute()
        const { id: userId } = actor.account
        const what = { actorId: userId, organisationId: organisation.id, subjectId: userId }
        if (before.state === 'pending') {
          await activity.record(trx, { kind: 'member-joined', ...what })
          await audit(trx, actor, 'org.add_member', organisation, before.user, { role: before.role })
        }
        return read(organisation, actor.account.name, trx)
      })
    },
  }
}

/**
 * A token for an organisation belongs to one membership: after removal and a new invitation, users accept in person.
 */
function demandOtherCredential(actor: Actor, { id }: Person): void {
  demand(
    tokenOf(actor)?.resourceOwner?.id !== id,
    'forbidden',
    'token-of-former-member',
    'A fine-grained token for the organization can’t accept an invitation to it.',
  )
}
