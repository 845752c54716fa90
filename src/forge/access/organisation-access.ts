/** The one door to an organisation, and the proof of having come through it: how near one is, as far as one's token lets that count. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import type { Person, Profile } from '../person.ts'
import { countsAt, demandGrant, demandTokenKind, isGrantedTo, isSiteAdmin, type Need, rightsHolderOf } from './need.ts'
import { demandSignOn, lacksSignOn } from './sign-on.ts'

/** How near one must be: anyone at all, a member, an owner. */
export type MembershipLevel = 'anyone' | 'member' | 'owner'

type Standing = {
  /** The asking account's own part in it. */
  readonly role: 'admin' | 'member' | undefined
  /** Whether the asking account runs it: as one of its owners, or as an admin of the server. */
  readonly isOwner: boolean
}

const stranger: Standing = { role: undefined, isOwner: false }

/** What a proof stands for. An owner's will do where a member's is asked for, a member's where anyone's is. */
type Reach = {
  anyone: { actor: Actor; anyone: true }
  member: { actor: SignedIn; anyone: true; member: true }
  owner: { actor: SignedIn; anyone: true; member: true; owner: true }
}

/** Acts on an organisation take it. Only the door below makes one: the class is known nowhere else. */
export type OrganisationAccess<N extends MembershipLevel> = Proof<Reach[N]>

class Proof<out R extends Reach['anyone']> implements Standing {
  readonly #actor: R['actor']
  readonly organisation: Profile
  readonly role: Standing['role']
  readonly isOwner: boolean
  /** For types alone. */
  declare readonly reach: R

  constructor(actor: R['actor'], organisation: Profile, { role, isOwner }: Standing) {
    this.#actor = actor
    this.organisation = organisation
    this.role = role
    this.isOwner = isOwner
  }

  get actor(): R['actor'] {
    return this.#actor
  }

  /** Whether it is seen from within. */
  get isNear(): boolean {
    return this.role !== undefined || this.isOwner
  }
}

type Needs = {
  store: Store
  people: { get(login: string, kind: Person['kind']): Promise<Profile>; getById(id: number): Promise<Profile> }
}

export type OrganisationDoor = ReturnType<typeof makeOrganisationDoor>

export function makeOrganisationDoor({ store: { db }, people }: Needs) {
  const roleOf = prepareQuery(db, ({ organisation, user }: { organisation: number; user: number }) =>
    db
      .selectFrom('organisation_member')
      .select('role')
      .where('organisation_id', '=', organisation)
      .where('user_id', '=', user)
      .where('state', '=', 'active'),
  )
  const roleByName = prepareQuery(db, ({ key, user }: { key: string; user: number }) =>
    db
      .selectFrom('organisation_member')
      .innerJoin('account', 'account.id', 'organisation_member.organisation_id')
      .select('organisation_member.role')
      .where('account.name_key', '=', key)
      .where('user_id', '=', user)
      .where('state', '=', 'active'),
  )

  async function readRole(organisation: number, user: number | undefined): Promise<Standing['role']> {
    if (user === undefined) return undefined
    const [row] = await roleOf({ organisation, user })
    return row?.role
  }

  const standingOf = (actor: Actor, role: Standing['role']): Standing => ({
    role,
    isOwner: role === 'admin' || isSiteAdmin(actor),
  })

  /** Both are asked for at once. */
  async function find(actor: Actor, login: string): Promise<{ organisation: Profile; standing: Standing }> {
    const { account } = actor
    const [organisation, roles] = await Promise.all([
      people.get(login, 'organisation'),
      account ? roleByName({ key: login.toLowerCase(), user: account.id }) : [],
    ])
    return { organisation, standing: standingOf(actor, roles[0]?.role) }
  }

  return {
    readRole,

    /**
     * The need decides whether the asking account counts for more than a stranger. Refuses nobody, but where a member is
     * shown more (`isWithin`) it tells members whose token lacks single sign-on, rather than show them less.
     */
    async look(actor: Actor, login: string, need: Need, isWithin: boolean): Promise<OrganisationAccess<'anyone'>> {
      const { organisation, standing } = await find(actor, login)
      if (isWithin) demandSignOn(actor, organisation.id)
      const counts =
        countsAt(actor, organisation) && isGrantedTo(actor, need, organisation) && !lacksSignOn(actor, organisation.id)
      return new Proof<Reach['anyone']>(actor, organisation, counts ? standing : stranger)
    },

    /** For one who is near enough and whose token may. */
    async open<N extends 'member' | 'owner'>(
      actor: Actor,
      login: string,
      membership: N,
      need: Need,
    ): Promise<OrganisationAccess<N>> {
      const { organisation, standing } = await find(actor, login)
      requireSignIn(actor)
      demandTokenKind(actor, need)
      demandGrant(actor, need, need.scopes, organisation)
      const isNear = standing.isOwner || (membership === 'member' && standing.role)
      demand(isNear, 'forbidden', 'not-near', refusals[membership])
      demandSignOn(actor, organisation.id)
      return new Proof<Reach[N]>(actor, organisation, standing)
    },

    /** The owner of a repository, for whom its own door asked already what the token must have. */
    async lookFrom({ actor, repository }: { actor: Actor; repository: { owner: Person } }) {
      const { id } = repository.owner
      // An app that is installed on the organisation comes in its name.
      const isItself = rightsHolderOf(actor) === id
      const counts = countsAt(actor, { id }) && !lacksSignOn(actor, id)
      const [organisation, role] = await Promise.all([people.getById(id), readRole(id, actor.account?.id)])
      const standing = counts ? standingOf(actor, role) : { ...stranger, isOwner: isItself }
      return new Proof<Reach['anyone']>(actor, organisation, standing)
    },
  }
}

const refusals = {
  member: 'You must be a member of the organization.',
  owner: 'You must be an owner of the organization.',
}
