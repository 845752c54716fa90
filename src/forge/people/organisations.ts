/** Organisations: made by admins, run by their owners. */
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { demand } from '../../base/failure.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import { notFound } from '../faults.ts'
import { demandGrant, demandSiteAdmin, demandTokenKind, type Need } from '../need.ts'
import { readPage } from '../pages.ts'
import type { People, ProfileChange } from './people.ts'
import { type Person, type Profile, toPerson } from './person.ts'

/** How near one must be: anyone at all, a member, an owner. */
export type Nearness = 'anyone' | 'member' | 'owner'

export type Organisation = Profile & {
  /** The asking account's own part in it. */
  readonly role: 'admin' | 'member' | undefined
}

type Needs = { store: Store; clock: Clock; accounts: Accounts; people: People }

export type Organisations = ReturnType<typeof makeOrganisations>

export function makeOrganisations({ store, clock, accounts, people }: Needs) {
  const { db } = store
  const roleOf = prepareQuery(db, ({ organisation, user }: { organisation: number; user: number }) =>
    db
      .selectFrom('organisation_member')
      .select('role')
      .where('organisation_id', '=', organisation)
      .where('user_id', '=', user)
      .where('state', '=', 'active'),
  )

  async function readRole(organisation: number, user: number | undefined): Promise<Organisation['role']> {
    if (user === undefined) return undefined
    const [row] = await roleOf({ organisation, user })
    return row?.role as Organisation['role']
  }

  return {
    readRole,

    /** The organisation, for one who is near enough and whose token may. Only reading as anyone needs neither. */
    async open(actor: Actor, login: string, nearness: Nearness, need: Need): Promise<Organisation> {
      const profile = await people.get(login, 'organisation')
      const role = await readRole(profile.id, actor.account?.id)
      if (nearness === 'anyone') return { ...profile, role }
      requireSignIn(actor)
      demandTokenKind(actor, need)
      demandGrant(actor, need)
      const isOwner = role === 'admin' || actor.account.role === 'admin'
      demand(isOwner || (nearness === 'member' && role), 'forbidden', 'not-near', refusals[nearness])
      return { ...profile, role }
    },

    async create(actor: Actor, draft: { login: string; owner: string; name?: string | undefined }): Promise<Person> {
      demandSiteAdmin(actor)
      const owner = await people.get(draft.owner, 'user').catch(() => undefined)
      demand(owner, 'invalid', 'owner-unknown', `There is no user ${draft.owner} to own the organisation.`, {
        faults: [{ field: 'admin', code: 'missing', reason: `There is no user ${draft.owner}.` }],
      })
      const account = await accounts.insert(
        { kind: 'organisation', name: draft.login, displayName: draft.name ?? draft.login, role: 'contestant' },
        (trx, { id }) =>
          trx
            .insertInto('organisation_member')
            .values({
              organisation_id: id,
              user_id: owner.id,
              role: 'admin',
              state: 'active',
              is_public: 0,
              created_at: clock.now(),
            })
            .execute(),
      )
      return toPerson(account)
    },

    async update(_actor: Actor, organisation: Organisation, change: ProfileChange): Promise<Organisation> {
      return store.write(async (trx) => {
        await people.change(trx, organisation.id, change)
        return { ...(await people.getById(organisation.id, trx)), role: organisation.role }
      })
    },

    /** What an admin of the server sets: the plan. */
    async administer(actor: Actor, login: string, change: ProfileChange): Promise<Profile> {
      demandSiteAdmin(actor)
      const { id } = await people.get(login, 'organisation')
      return store.write(async (trx) => {
        await people.change(trx, id, change)
        return people.getById(id, trx)
      })
    },

    async remove(_actor: Actor, organisation: Organisation): Promise<void> {
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

    /** Organisations of a user: all for themselves, for others those where membership is public. */
    async listOf(actor: Actor, user: Person, page: PageRequest): Promise<Page<Profile>> {
      const seesAll = actor.account?.id === user.id || actor.account?.role === 'admin'
      let query = db
        .selectFrom('organisation_member')
        .innerJoin('account', 'account.id', 'organisation_member.organisation_id')
        .where('user_id', '=', user.id)
        .where('state', '=', 'active')
      if (!seesAll) query = query.where('is_public', '=', 1)
      return readPage(query.select('account.id').orderBy('account.id'), page, ({ id }) => people.getById(id))
    },

    async getById(id: number): Promise<Profile> {
      const profile = await people.getById(id)
      if (profile.kind !== 'organisation') throw notFound()
      return profile
    },
  }
}

const refusals: Record<Nearness, string> = {
  anyone: '',
  member: 'You must be a member of the organization.',
  owner: 'You must be an owner of the organization.',
}
