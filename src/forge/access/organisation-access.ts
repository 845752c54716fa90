/**
 * Opens an organisation: every act checks account and token here, and gets a proof of the caller's membership, as far
 * as the token lets it count.
 */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import type { Person, Profile } from '../person.ts'
import {
  countsAt,
  demandGrant,
  demandTokenKind,
  isGrantedTo,
  isSiteAdmin,
  type RequiredGrant,
  rightsHolderOf,
} from './required-grant.ts'
import { demandSignOn, lacksSignOn } from './sign-on.ts'

/** The membership that an act requires: anyone, a member, or an owner. */
export type MembershipLevel = 'anyone' | 'member' | 'owner'

type Standing = {
  /** The caller's own role in it. */
  readonly role: 'admin' | 'member' | undefined
  /** Whether the caller runs it: as one of its owners, or as a site admin. */
  readonly isOwner: boolean
}

const stranger: Standing = { role: undefined, isOwner: false }

/** An owner's proof is accepted in place of a member's, and a member's in place of anyone's. */
type Reach = {
  anyone: { actor: Actor; anyone: true }
  member: { actor: SignedIn; anyone: true; member: true }
  owner: { actor: SignedIn; anyone: true; member: true; owner: true }
}

/** Acts on an organisation require this proof. Only this module makes one: the class is not exported. */
export type OrganisationAccess<N extends MembershipLevel> = Proof<Reach[N]>

class Proof<out R extends Reach['anyone']> implements Standing {
  readonly #actor: R['actor']
  readonly organisation: Profile
  readonly role: Standing['role']
  readonly isOwner: boolean
  /** Exists only in types. */
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

  /** Whether the caller sees it as an insider. */
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

  /** Reads the organisation and the role in parallel. */
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
     * The need decides whether the caller counts as more than a stranger. Nobody is refused, with one exception: if
     * members see more (`isWithin`), a member whose token lacks single sign-on gets that error rather than less data.
     */
    async look(
      actor: Actor,
      login: string,
      need: RequiredGrant,
      isWithin: boolean,
    ): Promise<OrganisationAccess<'anyone'>> {
      const { organisation, standing } = await find(actor, login)
      if (isWithin) demandSignOn(actor, organisation.id)
      const counts =
        countsAt(actor, organisation) && isGrantedTo(actor, need, organisation) && !lacksSignOn(actor, organisation.id)
      return new Proof<Reach['anyone']>(actor, organisation, counts ? standing : stranger)
    },

    /** For a caller with the required membership and token. */
    async open<N extends 'member' | 'owner'>(
      actor: Actor,
      login: string,
      membership: N,
      need: RequiredGrant,
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

    /** The owner of a repository that was opened before: the token's need was checked there. */
    async lookFrom({ actor, repository }: { actor: Actor; repository: { owner: Person } }) {
      const { id } = repository.owner
      // An app installed on the organisation acts in its name.
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
