/** Organisations: made by admins, or by everyone where the server lets them, run by their owners. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import { demandWithin, type Quotas } from '../../accounts/quotas.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isOfCountedOwner } from '../access/counted-owners.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import { actsForPerson, isGrantedTo, isSiteAdmin } from '../access/required-grant.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { listLackingSignOn } from '../access/sign-on.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { notFound } from '../failures.ts'
import { type Person, type Profile, toPerson } from '../person.ts'
import { countRows } from '../row-pages.ts'
import { type People, type ProfileChange, withEmailsLock } from './people.ts'

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  people: People
  quotas: Quotas
  makesOrganisations: 'admins' | 'everyone'
}

export type Organisations = ReturnType<typeof makeOrganisations>

export function makeOrganisations({ store, clock, accounts, people, quotas, makesOrganisations }: Needs) {
  const { db } = store

  const ownWithin = (trx: Db, organisationId: number, userId: number) =>
    trx
      .insertInto('organisation_member')
      .values({
        ...{ organisation_id: organisationId, user_id: userId, role: 'admin', state: 'active' },
        ...{ is_public: 0, created_at: clock.now() },
      })
      .execute()

  return {
    async create(
      { actor }: SiteAdmin,
      draft: { login: string; owner: string; name?: string | undefined },
    ): Promise<Person> {
      const owner = await people.find(draft.owner)
      demand(
        owner?.kind === 'user',
        'invalid',
        'owner-unknown',
        `There is no user ${draft.owner} to own the organisation.`,
        {
          faults: [{ field: 'admin', code: 'missing', reason: `There is no user ${draft.owner}.` }],
        },
      )
      const account = await accounts.insert(
        { kind: 'organisation', name: draft.login, displayName: draft.name ?? draft.login, role: 'contestant' },
        (trx, { id }) => ownWithin(trx, id, owner.id),
        undefined,
        actor,
      )
      return toPerson(account)
    },

    /** Who may make one: admins of the server alone, or everyone. */
    makers: makesOrganisations,

    /** By whoever will own it, where the server lets everyone make some. */
    async createOwn({ actor }: SelfAccess, draft: { login: string; name?: string | undefined }): Promise<Person> {
      demand(
        makesOrganisations === 'everyone' || isSiteAdmin(actor),
        'forbidden',
        'organisations-by-admins',
        'Organizations are made by admins of this server: ask one of them.',
      )
      const { id: userId } = actor.account
      const account = await accounts.insert(
        { kind: 'organisation', name: draft.login, displayName: draft.name ?? draft.login, role: 'contestant' },
        async (trx, { id }) => {
          const owned = trx.selectFrom('organisation_member').where('user_id', '=', userId).where('role', '=', 'admin')
          demandWithin(await countRows(owned), quotas.organizations, 'organizations')
          await ownWithin(trx, id, userId)
        },
        { locks: [`organisations:${userId}`] },
        actor,
      )
      return toPerson(account)
    },

    async update({ organisation }: OrganisationAccess<'owner'>, change: ProfileChange): Promise<Profile> {
      return store.write(async (trx) => {
        await people.change(trx, organisation.id, change)
        return people.getById(organisation.id, trx)
      }, withEmailsLock)
    },

    /** Changes that a server admin makes: the plan, and what `within` sets in the same transaction. */
    async administer(
      _admin: SiteAdmin,
      login: string,
      change: ProfileChange,
      within?: (trx: Db, organisationId: number) => Promise<void> | undefined,
    ): Promise<Profile> {
      const { id } = await people.get(login, 'organisation')
      return store.write(
        async (trx) => {
          await people.change(trx, id, change)
          await within?.(trx, id)
          return people.getById(id, trx)
        },
        { locks: [`organisation:${id}`] },
      )
    },

    async remove({ organisation }: OrganisationAccess<'owner'>): Promise<void> {
      await store.write(async (trx) => {
        const repository = await trx
          .selectFrom('repository')
          .select('id')
          .where('owner_id', '=', organisation.id)
          .limit(1)
          .executeTakeFirst()
        demand(!repository, 'precondition', 'has-repositories', 'Delete or rename its repositories away first.')
        await trx.deleteFrom('account').where('id', '=', organisation.id).execute()
      })
    },

    /** Organisations of a user: all for the user, only public memberships for others. */
    async listOf(actor: Actor, user: { id: number }, page: PageRequest): Promise<Page<Profile>> {
      const isSelf = actor.account?.id === user.id && actsForPerson(actor) && isGrantedTo(actor, ownMemberships)
      const seesAll = isSelf || isSiteAdmin(actor)
      let query = db
        .selectFrom('organisation_member')
        .innerJoin('account', 'account.id', 'organisation_member.organisation_id')
        .where('user_id', '=', user.id)
        .where('state', '=', 'active')
      const lacking = listLackingSignOn(actor)
      const counted = isOfCountedOwner(actor, 'organisation_id')
      if (!seesAll) query = query.where('is_public', '=', 1)
      else if (lacking.length > 0)
        query = query.where((eb) => eb.or([eb('is_public', '=', 1), eb('organisation_id', 'not in', lacking)]))
      if (seesAll) query = query.where((eb) => eb.or([eb('is_public', '=', 1), counted]))
      return people.listAmong(query.select('account.id'), page)
    },

    async getById(id: number): Promise<Profile> {
      const profile = await people.getById(id)
      if (profile.kind !== 'organisation') throw notFound()
      return profile
    },
  }
}

/** The grants that a token needs to list its user's private memberships. */
const ownMemberships = { scopes: ['user', 'read:org'], permissions: [{ name: 'members', level: 'read' }] } as const
