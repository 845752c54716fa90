/** Acts on memberships: who is in an organisation, who may know, who invites, accepts, removes and publicises. */
import { enter, nearOrganisation, seesMembers, signedIn } from '../access.ts'
import { type Act, drawOrganisation, drawPerson, loginsOf, type Names } from '../act.ts'
import { type Credential, isFor, isGranted } from '../credential.ts'
import type { Random } from '../random.ts'
import { complain, decide } from '../truth.ts'
import { type Organisation, ownersOf, siteAdmin, type World } from '../world.ts'

const drawBoth = (world: World, random: Random) => {
  const one = drawOrganisation(world, random)
  return one && { ...one, user: drawPerson(world, random) }
}

const active = ({ members }: Organisation, onlyPublic = false): string[] =>
  [...members].flatMap(([name, { state, isPublic }]) => (state === 'active' && (isPublic || !onlyPublic) ? [name] : []))

const owning = (world: World, credential: Credential, organisation: Organisation) =>
  nearOrganisation(world, credential, organisation, 'owner', ['admin:org'], ['members', 'write'])

/** Without this one, nobody who can act would own it. */
const isLastOwner = (world: World, organisation: Organisation, user: string): boolean => {
  const { role, state } = organisation.members.get(user) ?? {}
  return role === 'admin' && state === 'active' && !ownersOf(world, organisation).some((name) => name !== user)
}

/**
 * All access goes with the membership: teams, repositories that one was added to by name, and the invitations to
 * repositories that one has got or sent.
 */
export function removeMember(world: World, organisation: Organisation, user: string): void {
  organisation.members.delete(user)
  for (const team of organisation.teams.values()) team.members.delete(user)
  for (const { owner, collaborators, invitations } of world.repositories.values()) {
    if (owner !== organisation.name) continue
    collaborators.delete(user)
    for (const [invited, { by }] of invitations) if (by === user || invited === user) invitations.delete(invited)
  }
}

const listOf = (onlyPublic: boolean): Act => ({
  name: onlyPublic ? 'list public members' : 'list members',
  weight: onlyPublic ? 1 : 5,
  draw: drawOrganisation,
  expect(world, credential, { org }, names) {
    const organisation = world.organisations.get(org)
    if (!organisation) return undefined
    const isNear = onlyPublic ? false : seesMembers(credential, organisation)
    const must = active(organisation, isNear !== true)
    const may = isNear === 'unclear' ? active(organisation) : []
    return {
      statuses: decide(enter(world, credential), 200),
      complain: ({ body }) => complain(loginsOf(names, body), must, may),
    }
  },
  request: ({ org }, names) => ({
    method: 'GET',
    path: `/orgs/${names.spell(org)}/${onlyPublic ? 'public_members' : 'members'}?per_page=100`,
  }),
})

const checkOf = (onlyPublic: boolean): Act => ({
  name: onlyPublic ? 'check a public member' : 'check a member',
  weight: 2,
  draw: drawBoth,
  expect(world, credential, { org, user }) {
    const organisation = world.organisations.get(org)
    if (!organisation) return undefined
    const isNear = onlyPublic ? false : seesMembers(credential, organisation)
    const isShown = active(organisation, isNear !== true).includes(user)
    const isConcealed = !isShown && isNear === 'unclear' && active(organisation).includes(user)
    const answers = isShown ? [204] : isConcealed ? [204, 302, 404] : [302, 404]
    return { statuses: decide(enter(world, credential), ...answers) }
  },
  request: ({ org, user }, names) => ({
    method: 'GET',
    path: `/orgs/${names.spell(org)}/${onlyPublic ? 'public_members' : 'members'}/${names.spell(user)}`,
  }),
})

const publicising = (isPublic: boolean): Act => ({
  name: isPublic ? 'publicise a membership' : 'conceal a membership',
  weight: 2,
  draw: drawBoth,
  expect(world, credential, { org, user }) {
    const organisation = world.organisations.get(org)
    if (!organisation) return undefined
    const near = nearOrganisation(world, credential, organisation, 'member', ['write:org'], ['members', 'write'])
    return { statuses: decide([...near, [credential.account !== user, 403]], 204) }
  },
  request: ({ org, user }, names) => ({
    method: isPublic ? 'PUT' : 'DELETE',
    path: `/orgs/${names.spell(org)}/public_members/${names.spell(user)}`,
  }),
  apply(world, _credential, { org, user }) {
    world.organisations.get(org)!.members.get(user)!.isPublic = isPublic
  },
})

const removing = (word: 'members' | 'memberships'): Act => ({
  name: `remove from an organisation’s ${word}`,
  weight: 2,
  draw: drawBoth,
  expect(world, credential, { org, user }) {
    const organisation = world.organisations.get(org)
    const membership = organisation?.members.get(user)
    if (!organisation) return undefined
    if (word === 'members' && membership?.state === 'pending') return undefined
    return {
      statuses: decide(
        [...owning(world, credential, organisation), [!membership, 404], [isLastOwner(world, organisation, user), 403]],
        204,
      ),
    }
  },
  request: ({ org, user }, names) => ({
    method: 'DELETE',
    path: `/orgs/${names.spell(org)}/${word}/${names.spell(user)}`,
  }),
  apply: (world, _credential, { org, user }) => removeMember(world, world.organisations.get(org)!, user),
})

const ownScopes = { read: ['read:org'], write: ['write:org'] } as const
const ownGuards = (world: World, credential: Credential, access: 'read' | 'write') => [
  ...signedIn(world, credential),
  [!isGranted(credential, ownScopes[access], ['members', access]), 403] as const,
]

const presentStates = (names: Names, list: { organization: { login: string }; state: string }[]): string[] =>
  list.flatMap(({ organization, state }) => {
    const org = names.read(organization.login)
    return org === undefined ? [] : [`${org} ${state}`]
  })

export const membershipActs: readonly Act[] = [
  listOf(false),
  listOf(true),
  checkOf(false),
  checkOf(true),
  publicising(true),
  publicising(false),
  removing('members'),
  removing('memberships'),
  {
    name: 'get a membership',
    weight: 2,
    draw: drawBoth,
    expect(world, credential, { org, user }) {
      const organisation = world.organisations.get(org)
      if (!organisation) return undefined
      const near = nearOrganisation(world, credential, organisation, 'member', ['read:org'], ['members', 'read'])
      const found = organisation.members.get(user)
      return {
        statuses: decide([...near, [!found, 404]], 200),
        complain: ({ body }) => complain([`${body.role} ${body.state}`], [`${found!.role} ${found!.state}`]),
      }
    },
    request: ({ org, user }, names) => ({
      method: 'GET',
      path: `/orgs/${names.spell(org)}/memberships/${names.spell(user)}`,
    }),
  },
  {
    name: 'set a membership',
    weight: 8,
    draw(world, random) {
      const both = drawBoth(world, random)
      return both && { ...both, role: random.chance(0.25) ? 'admin' : 'member' }
    },
    expect(world, credential, { org, user, role }) {
      const organisation = world.organisations.get(org)
      if (!organisation) return undefined
      const isFatal = role === 'member' && isLastOwner(world, organisation, user)
      return { statuses: decide([...owning(world, credential, organisation), [isFatal, 403]], 200) }
    },
    request: ({ org, user, role }, names) => ({
      method: 'PUT',
      path: `/orgs/${names.spell(org)}/memberships/${names.spell(user)}`,
      body: { role },
    }),
    apply(world, { account }, { org, user, role }) {
      const { members } = world.organisations.get(org)!
      const known = members.get(user)
      // An admin of the server adds at once; an owner invites.
      if (known) known.role = role
      else members.set(user, { role, state: account === siteAdmin ? 'active' : 'pending', isPublic: false })
    },
  },
  {
    name: 'accept a membership',
    weight: 5,
    draw: drawOrganisation,
    expect(world, credential, { org }) {
      const membership = world.organisations.get(org)?.members.get(credential.account ?? '')
      if (!world.organisations.has(org)) return undefined
      const isThere = membership !== undefined && isFor(credential, org)
      return { statuses: decide([...ownGuards(world, credential, 'write'), [!isThere, 404]], 200) }
    },
    request: ({ org }, names) => ({
      method: 'PATCH',
      path: `/user/memberships/orgs/${names.spell(org)}`,
      body: { state: 'active' },
    }),
    apply(world, { account = '' }, { org }) {
      world.organisations.get(org)!.members.get(account)!.state = 'active'
    },
  },
  {
    name: 'list own memberships',
    weight: 2,
    draw: () => ({}),
    expect(world, credential, _params, names) {
      const must = [...world.organisations.values()].flatMap(({ name, members }) => {
        const own = members.get(credential.account ?? '')
        return own && isFor(credential, name) ? [`${name} ${own.state}`] : []
      })
      return {
        statuses: decide(ownGuards(world, credential, 'read'), 200),
        complain: ({ body }) => complain(presentStates(names, body), must),
      }
    },
    request: () => ({ method: 'GET', path: '/user/memberships/orgs?per_page=100' }),
  },
]
