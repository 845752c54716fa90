/** Acts of the server's admin, tried by everyone: organisations, tokens for others, suspensions. */
import { enter } from '../access.ts'
import { type Act, drawPerson, type Params, spellRepository } from '../act.ts'
import { type Access, type Credential, hasScopes, holdsScope, isAnonymous, type TokenKind } from '../credential.ts'
import type { Random } from '../random.ts'
import { decide, type Guard } from '../truth.ts'
import { fullName, levelOf, roleIn, siteAdmin, type World } from '../world.ts'

function administering(world: World, credential: Credential): Guard[] {
  const isGiven = credential.kind === 'session' || (hasScopes(credential) && holdsScope(credential, 'site_admin'))
  return [
    ...enter(world, credential),
    [isAnonymous(credential), 401],
    [credential.account !== siteAdmin || !isGiven, 403],
  ]
}

const suspending = (isSuspended: boolean): Act => ({
  name: isSuspended ? 'suspend a user' : 'end a suspension',
  weight: isSuspended ? 1 : 2,
  draw: (world, random) => ({ user: drawPerson(world, random) }),
  expect: (world, credential) => ({ statuses: decide(administering(world, credential), 204) }),
  request: ({ user }, names) => ({
    method: isSuspended ? 'PUT' : 'DELETE',
    path: `/users/${names.spell(user)}/suspended`,
  }),
  apply(world, _credential, { user }) {
    world.people.get(user)!.isSuspended = isSuspended
  },
})

const scopeSets: readonly (readonly string[])[] = [
  [],
  ['repo'],
  ['public_repo'],
  ['read:org'],
  ['write:org'],
  ['admin:org'],
  ['repo', 'admin:org'],
  ['repo', 'write:org'],
  ['public_repo', 'admin:org'],
  ['repo:invite'],
  ['notifications'],
  ['delete_repo'],
  ['repo', 'delete_repo'],
  ['user'],
  ['read:user'],
  ['user:email'],
  ['dataset'],
  ['dataset:read'],
]

const permissionSets: readonly Readonly<Record<string, Access>>[] = [
  {},
  { metadata: 'read' },
  { contents: 'read' },
  { contents: 'write' },
  { administration: 'read' },
  { administration: 'write' },
  { members: 'read' },
  { members: 'write' },
  { members: 'write', administration: 'write' },
  { members: 'read', administration: 'write' },
  { members: 'write', contents: 'read' },
  { organization_administration: 'write' },
  { profile: 'write', email_addresses: 'read' },
  { watching: 'read' },
  { watching: 'write' },
  { contents: 'write', administration: 'write', members: 'write', organization_administration: 'write' },
  { contents: 'read', administration: 'read', members: 'read', organization_administration: 'read' },
  { datasets: 'read' },
  { datasets: 'write' },
]

function drawToken(world: World, random: Random) {
  const kind: TokenKind = random.pick([
    'classic',
    'classic',
    'oauth',
    'fine-grained',
    'fine-grained',
    'fine-grained',
    'app-user',
    'installation',
    'workflow',
  ])!
  const account =
    kind === 'installation' && random.chance(0.6) ? random.pick(world.organisations.keys()) : drawPerson(world, random)
  const memberships = [...world.organisations.values()].filter((each) => roleIn(each, account) !== undefined)
  const isOwned = kind === 'fine-grained' || kind === 'app-user'
  const others = random.chance(0.1) ? [...world.organisations.keys()] : memberships.map(({ name }) => name)
  const owner = isOwned && random.chance(0.6) ? (random.pick(others) ?? account) : account
  const isBound = kind === 'installation' || (isOwned && random.chance(0.9))
  const own = [...world.repositories.values()].filter((each) => !isBound || each.owner === owner)
  const chosen = random
    .shuffle(own)
    .slice(0, kind === 'workflow' ? 1 : 1 + random.below(2))
    .map(fullName)
  const wide = kind === 'workflow' ? chosen : random.pick([chosen, chosen, 'all', 'none'])
  if (account === undefined || (Array.isArray(wide) && wide.length === 0)) return undefined
  const isScoped = kind === 'classic' || kind === 'oauth'
  return {
    name: `${account}-${kind}-${random.below(1e6)}`,
    kind,
    account,
    scopes: isScoped ? random.pick(scopeSets)! : [],
    permissions: isScoped ? {} : random.pick(permissionSets)!,
    repositories: isScoped ? 'none' : wide!,
    ...(isOwned && { owner }),
  }
}

/** Whose things a token is for: its account's where nobody else is named. */
const ownerOf = ({ kind, account, owner = account }: Params): string | undefined =>
  kind === 'fine-grained' || kind === 'app-user' ? owner : undefined

/** A token is for its account or an organisation of it, and opens repositories of that one that the account may see. */
function isImpossible(world: World, params: Params): boolean {
  const owner = ownerOf(params)
  if (owner === undefined) return false
  const { account, repositories } = params
  const isNear = owner === account || roleIn(world.organisations.get(owner), account) !== undefined
  const chosen = (Array.isArray(repositories) ? repositories : []).map((name) => world.repositories.get(name)!)
  return !isNear || chosen.some((each) => each.owner !== owner || levelOf(world, account, each) === 'none')
}

export const administrationActs: readonly Act[] = [
  suspending(true),
  suspending(false),
  {
    name: 'make an organisation',
    weight: 1,
    draw: (world, random) =>
      world.organisations.size > 2 ? undefined : { org: `org${random.below(1e4)}`, owner: drawPerson(world, random) },
    expect(world, credential, { org }) {
      if (world.organisations.has(org)) return undefined
      return { statuses: decide(administering(world, credential), 201) }
    },
    request: ({ org, owner }, names) => ({
      method: 'POST',
      path: '/admin/organizations',
      body: { login: names.spell(org), admin: names.spell(owner) },
    }),
    apply(world, _credential, { org, owner }) {
      world.organisations.set(org, {
        name: org,
        base: 'read',
        membersMayCreate: true,
        members: new Map([[owner, { role: 'admin', state: 'active', isPublic: false }]]),
        teams: new Map(),
      })
    },
  },
  {
    name: 'make a token for someone',
    weight: 7,
    draw: drawToken,
    expect(world, credential, params) {
      const { name, account, owner = account, repositories } = params
      const isThere = world.people.has(account) || world.organisations.has(account)
      const named = Array.isArray(repositories) ? repositories : []
      if (!isThere || world.credentials.has(name) || named.some((each) => !world.repositories.has(each)))
        return undefined
      if (!world.people.has(owner) && !world.organisations.has(owner)) return undefined
      return { statuses: decide([...administering(world, credential), [isImpossible(world, params), 422]], 201) }
    },
    request: ({ account, owner, kind, scopes, permissions, repositories }, names) => ({
      method: 'POST',
      path: `/admin/users/${names.spell(account)}/tokens`,
      body: {
        kind,
        scopes,
        permissions,
        repositories: Array.isArray(repositories)
          ? repositories.map((each) => spellRepository(names, each))
          : repositories,
        expires_at: '2099-01-01T00:00:00Z',
        ...(owner !== undefined && { resource_owner: names.spell(owner) }),
      },
    }),
    apply(world, _credential, params) {
      const { name, kind, account, scopes, permissions, repositories } = params
      const owner = ownerOf(params)
      const whose = owner === undefined ? {} : { owner }
      world.credentials.set(name, { name, kind, account, scopes, permissions, repositories, ...whose })
    },
  },
]
