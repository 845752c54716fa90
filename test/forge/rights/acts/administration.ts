/** Acts of the server's admin, tried by everyone: organisations, tokens for others, suspensions. */
import { enter } from '../access.ts'
import { type Act, drawPerson, spellRepository } from '../act.ts'
import { type Access, type Credential, hasScopes, holdsScope, isAnonymous, type TokenKind } from '../credential.ts'
import type { Random } from '../random.ts'
import { decide, type Guard } from '../truth.ts'
import { fullName, siteAdmin, type World } from '../world.ts'

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
  const own = [...world.repositories.values()].filter(({ owner }) => kind !== 'installation' || owner === account)
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
  }
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
    expect(world, credential, { name, account, repositories }) {
      const isThere = world.people.has(account) || world.organisations.has(account)
      const named = Array.isArray(repositories) ? repositories : []
      if (!isThere || world.credentials.has(name) || named.some((each) => !world.repositories.has(each)))
        return undefined
      return { statuses: decide(administering(world, credential), 201) }
    },
    request: ({ account, kind, scopes, permissions, repositories }, names) => ({
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
      },
    }),
    apply(world, _credential, params) {
      const { name, kind, account, scopes, permissions, repositories } = params
      world.credentials.set(name, { name, kind, account, scopes, permissions, repositories })
    },
  },
]
