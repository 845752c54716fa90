/** Organisations: made by admins, run by their owners. */
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { demand } from '../../base/failure.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import {
  actsForPerson,
  demandGrant,
  demandSiteAdmin,
  demandTokenKind,
  isGrantedTo,
  isSiteAdmin,
  type Need,
} from '../access/need.ts'
import { notFound } from '../faults.ts'
import { readPage } from '../pages.ts'
import { type Person, type Profile, toPerson } from '../person.ts'
import { aloneOnEmails, type People, type ProfileChange } from './people.ts'

/** How near one must be: anyone at all, a member, an owner. */
export type Nearness = 'anyone' | 'member' | 'owner'

export type Organisation = Profile & {
  /** The asking account's own part in it, as far as its credential lets that count. */
  readonly role: 'admin' | 'member' | undefined
  /** Whether the asking account runs it: as one of its owners, or as an admin of the server. */
  readonly isOwner: boolean
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
    return row?.role
  }

  return {
    readRole,

    /**
     * The organisation, for one who is near enough and whose token may. Reading as anyone refuses nobody: there the need
     * decides whether the asking account counts for more than a stranger.
     */
    async open(actor: Actor, login: string, nearness: Nearness, need: Need): Promise<Organisation> {
      const profile = await people.get(login, 'organisation')
      if (nearness !== 'anyone') {
        requireSignIn(actor)
        demandTokenKind(actor, need)
        demandGrant(actor, need)
      } else if (!actsForPerson(actor) || !isGrantedTo(actor, need)) {
        return { ...profile, role: undefined, isOwner: false }
      }
      const role = await readRole(profile.id, actor.account?.id)
      const isOwner = role === 'admin' || isSiteAdmin(actor)
      const isNear = nearness === 'anyone' || isOwner || (nearness === 'member' && role)
      demand(isNear, 'forbidden', 'not-near', refusals[nearness])
      return { ...profile, role, isOwner }
    },

    /** The organisation as the actor stands to it, for a route whose own door asks what the token must have. */
    async near(actor: Actor, id: number): Promise<Organisation> {
      const profile = await people.getById(id)
      const role = actsForPerson(actor) ? await readRole(id, actor.account?.id) : undefined
      // An app that is installed on the organisation comes in its name.
      const isOwner = role === 'admin' || isSiteAdmin(actor) || actor.account?.id === id
      return { ...profile, role, isOwner }
    },

    async create(actor: Actor, draft: { login: string; owner: string; name?: string | undefined }): Promise<Person> {
      demandSiteAdmin(actor)
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
        const { role, isOwner } = organisation
        return { ...(await people.getById(organisation.id, trx)), role, isOwner }
      }, aloneOnEmails)
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
      const isSelf = actor.account?.id === user.id && actsForPerson(actor) && isGrantedTo(actor, ownMemberships)
      const seesAll = isSelf || isSiteAdmin(actor)
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

/** What a token needs to tell which organisations its person is in, where that is not public. */
const ownMemberships = { scopes: ['user', 'read:org'], permissions: [{ name: 'members', level: 'read' }] } as const

const refusals: Record<Nearness, string> = {
  anyone: '',
  member: 'You must be a member of the organization.',
  owner: 'You must be an owner of the organization.',
}
