/** Every route against every kind of credential: who gets what status, for what is public and what is private. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '../../src/api/forge-rest/route.ts'
import { makeManualClock } from '../../src/lib/clock.ts'
import { routes } from '../support/forge-routes.ts'
import { makeRest, makeToken, makeUser, type RestClient, usualScopes } from '../support/rest.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { prepareRequest } from './route-cases.ts'
import { everyPermission, makeWorld, type World } from './world.ts'

const credentials = [
  'no token',
  'wrong token',
  'expired token',
  'classic without scope',
  'classic with scope',
  'fine-grained without permission',
  'fine-grained with permission',
  'fine-grained for other repositories',
  'fine-grained for another owner',
  'another user',
  'suspended user',
] as const
type Credential = (typeof credentials)[number]

const leaving = 'remove-an-organization-membership-for-the-authenticated-user'
const success = 'success' as const
type Expected = number | typeof success

/** The rule, written anew and not by the code under test: what the contract and its decisions say of each kind of place. */
function expect(route: Route, credential: Credential, isPrivate: boolean): Expected {
  if (credential === 'wrong token' || credential === 'expired token') return 401
  if (credential === 'suspended user') return 403
  const { kind, level, membership } = route.door
  const needsScope = route.need.scopes.length > 0
  const needsPermission = route.need.permissions.length > 0
  const isFine = credential.startsWith('fine-grained')
  if (isFine && (isForClassicTokens(route) || route.path === '/user/installations'))
    return isPrivate && isElsewhere(credential) ? 404 : 403
  if (isElsewhere(credential) && isOfPerson(route)) return isPrivate && kind === 'repository' ? 404 : 403
  const isRead = kind === 'repository' ? level === 'read' : membership === 'anyone'
  switch (kind) {
    case 'anyone':
      return success
    case 'signed-in':
      if (credential === 'no token') return 401
      if (credential === 'classic without scope') return needsScope ? 403 : success
      if (credential.startsWith('fine-grained') && route.path.startsWith('/user/migrations')) return 403
      if (credential === 'fine-grained without permission') return needsPermission ? 403 : success
      // Invitations of others, and what one is to another organisation, are the others'.
      if (credential === 'fine-grained for another owner' && route.path.includes(':org')) return 404
      // The one who leaves is the last owner of acme, which the token is for.
      if (credential === 'fine-grained for other repositories' && route.id === leaving) return 403
      if (credential === 'fine-grained with permission' && /invitations\/:/.test(route.path)) return 404
      // What is accepted or made of one's own is not the organisation's that the token is for.
      if (isElsewhere(credential) && /administration=write/.test(route.permission ?? '')) return 403
      return success
    case 'app':
    case 'client':
      return 401
    case 'installation':
      return credential === 'no token' ? 401 : 403
    case 'owner':
      if (credential === 'no token') return 401
      return isFine || credential === 'classic without scope' ? 403 : credential === 'another user' ? 404 : success
    case 'site-admin':
      return credential === 'no token' ? 401 : 403
    case 'organisation':
      if (isRead) return success
      if (credential === 'no token') return 401
      if (credential === 'classic without scope' || credential === 'fine-grained without permission') return 403
      if (credential === 'fine-grained for other repositories' && makesRepository(route)) return 403
      return credential === 'another user' || credential === 'fine-grained for another owner' ? 403 : success
    case 'repository':
      if (isByApps(route)) {
        const found = expectRepository(credential, { isPrivate, isRead, mustSignIn: true, changes: true })
        return found === success ? 403 : found
      }
      if (isElsewhere(credential) && makesRepository(route)) return isPrivate ? 404 : 403
      return expectRepository(credential, {
        isPrivate,
        isRead,
        mustSignIn: route.door.signIn,
        changes: route.door.changes ?? false,
      })
  }
}

/** For an organisation, so that what is ann's own is another owner's. */
const isElsewhere = (credential: Credential): boolean =>
  credential === 'fine-grained for other repositories' || credential === 'fine-grained for another owner'

/** Permissions about the person, which count by a token for oneself alone. */
const isOfPerson = ({ permission = '' }: Route): boolean =>
  /^(?:profile|email_addresses|watching|starring|followers|git_ssh_keys|ssh_signing_keys|gpg_keys)=/.test(permission)

/** Of a selection a new repository is no part. */
const makesRepository = ({ method, path }: Route): boolean =>
  method === 'POST' && /\/(?:repos|forks|generate)$/.test(path)

/** Checks are made by apps alone. */
const isByApps = ({ method, path }: Route): boolean =>
  method === 'PATCH'
    ? /\/check-runs\/:check_run_id$/.test(path)
    : method === 'POST' && /\/check-(?:runs|suites)$/.test(path)

/** The contract's point 7 on authentication: notifications reject fine-grained tokens. */
const isForClassicTokens = ({ method, path }: Route): boolean =>
  (method === 'POST' && ['/user/orgs', '/organizations'].includes(path)) ||
  /^(?:\/repos\/:owner\/:repo)?\/notifications\b/.test(path) ||
  isAboutApps.test(path)

/** Apps are registered and installed by people alone; app user tokens are another matter. */
const isAboutApps =
  /^\/applications\/grants|^\/(?:user|orgs\/:org)\/(?:apps|app-manifests|(?:approved-)?oauth-apps(?:\/:client_id)?)$|^\/apps\/:app_slug\/installations$|^\/user\/installations(?!$)/

type Place = { isPrivate: boolean; isRead: boolean; mustSignIn: boolean; changes: boolean }

function expectRepository(credential: Credential, { isPrivate, isRead, mustSignIn, changes }: Place): Expected {
  switch (credential) {
    case 'no token':
      return isPrivate ? 404 : mustSignIn ? 401 : success
    case 'another user':
      return isPrivate ? 404 : isRead ? success : 403
    case 'classic without scope':
      return isPrivate ? 404 : isRead && !mustSignIn ? success : 403
    case 'fine-grained without permission':
      return isPrivate ? 403 : isRead && !mustSignIn ? success : 403
    case 'fine-grained for other repositories':
    case 'fine-grained for another owner':
      return isPrivate ? 404 : isRead && !changes ? success : 403
    default:
      return success
  }
}

describe('every route and every credential', () => {
  const clock = makeManualClock(Date.now())
  let server: TestServer
  let world: World
  let clients: Record<Credential, RestClient>
  /** The right ones where an organisation is asked for. */
  let clientFor: (organisation: string) => Promise<RestClient>

  before(async () => {
    server = await startServer('sqlite', {
      clock,
      environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_MARKED_AT_ONCE: '3', GUILDHALL_ORGANIZATIONS: 'everyone' },
    })
    world = await makeWorld(server)
    const token = (login: string, draft: object) => makeToken(server, login, draft)
    const rest = async (login: string, draft: object) => makeRest(server.url, await token(login, draft))
    const fine = { kind: 'fine-grained', repositories: 'all' }
    await world.root.post('/admin/organizations', { login: 'elsewhere', admin: 'ann' })
    clientFor = (login) => rest('ann', { ...fine, permissions: everyPermission, resource_owner: login })
    const soon = new Date(clock.now() + 1_000).toISOString()
    const sam = await makeUser(server, 'sam')
    clients = {
      'no token': makeRest(server.url),
      'wrong token': makeRest(server.url, 'gdp_000000000000000000000000000000000000'),
      'expired token': await rest('ann', { kind: 'classic', scopes: usualScopes, expires_at: soon }),
      'classic without scope': await rest('ann', { kind: 'classic', scopes: [] }),
      'classic with scope': world.ann,
      'fine-grained without permission': await rest('ann', { ...fine, permissions: {} }),
      'fine-grained with permission': await rest('ann', { ...fine, permissions: everyPermission }),
      'fine-grained for other repositories': await rest('ann', {
        ...fine,
        permissions: everyPermission,
        repositories: ['acme/tool'],
        resource_owner: 'acme',
      }),
      'fine-grained for another owner': await rest('ann', {
        ...fine,
        permissions: everyPermission,
        resource_owner: 'elsewhere',
      }),
      'another user': world.bob,
      'suspended user': sam,
    }
    await world.root.put('/users/sam/suspended')
    clock.advance(2_000)
  })
  after(() => server.stop())

  /**
   * Right credentials do what they may; of the others nothing may come, so they need nothing made for them. What is done
   * in a private repository is not done in a public one once more: making what an act needs is most of what this takes.
   * Nor is one sent to both whom no place is open to.
   */
  async function check(route: Route, credential: Credential, repo: 'open' | 'hidden'): Promise<string | undefined> {
    // What is forked here is bob's and private, so nothing to a token for ann; test/forge/token-owners.test.ts forks by one.
    if (credential === 'fine-grained with permission' && route.id === 'create-a-fork') return undefined
    // It goes to an organisation, which a token for ann is not for; test/forge/transfers.test.ts has that.
    if (credential === 'fine-grained with permission' && route.id === 'transfer-a-repository') return undefined
    const expected = expect(route, credential, repo === 'hidden')
    const mayReally = expected === success && credential !== 'another user'
    const isNobody = ['wrong token', 'expired token', 'suspended user'].includes(credential)
    const isOncePerRoute = isNobody || (mayReally && route.method !== 'GET')
    if (isOncePerRoute && route.door.kind === 'repository' && repo === 'open') return undefined
    // Wrong tokens lock the address out after ten: time goes on between them.
    if (expected === 401) clock.advance(60_000)
    const { path, query, body } = await prepareRequest(world, route, repo, mayReally)
    // It is another organisation than acme that is made for being deleted.
    const isOther = credential === 'fine-grained for other repositories' && route.id === 'delete-an-organization'
    const isOfOrganisation = isOther || (credential === 'fine-grained with permission' && route.path.includes(':org'))
    const [, organisation = 'acme'] = (isOfOrganisation && /^(?:\/user\/memberships)?\/orgs\/([^/]+)/.exec(path)) || []
    const client = isOfOrganisation ? await clientFor(organisation) : clients[credential]
    const { status, body: answer } = await client.ask(route.method, path + query, body)
    // What is done in one's own name may be about nothing that is there.
    const isFine =
      expected === success ? status < 400 || (!mayReally && [404, 422].includes(status)) : status === expected
    return isFine ? undefined : `${credential} on ${repo}: ${status}, not ${expected} (${answer?.message})`
  }

  for (const route of routes) {
    test(`${route.method} ${route.path}`, async () => {
      const places = route.door.kind === 'repository' ? (['open', 'hidden'] as const) : (['open'] as const)
      const wrong: string[] = []
      for (const repo of places) {
        for (const credential of credentials) {
          const found = await check(route, credential, repo)
          if (found) wrong.push(found)
        }
      }
      assert.deepEqual(wrong, [])
    })
  }

  test('an admin of the server may do what admins do, with the scope and not without', async () => {
    for (const route of routes.filter(({ door }) => door.kind === 'site-admin')) {
      const { path, body } = await prepareRequest(world, route, 'open', true)
      assert.ok((await world.root.ask(route.method, path, body)).status < 300, route.id)
      const plain = makeRest(server.url, await makeToken(server, admin.name, { kind: 'classic', scopes: ['repo'] }))
      assert.equal((await plain.ask(route.method, path, body)).status, 403, route.id)
    }
  })

  test('tokens of installations and workflows reach repositories, and nobody’s own things', async () => {
    for (const kind of ['installation', 'workflow']) {
      const draft = { kind, permissions: { contents: 'read' }, repositories: ['ann/hidden'] }
      const client = makeRest(server.url, await makeToken(server, 'ann', draft))
      assert.equal((await client.get('/repos/ann/hidden/commits')).status, 200, kind)
      assert.equal((await client.get('/repos/acme/tool/commits')).status, 404, kind)
      assert.equal((await client.get('/user')).status, 403, kind)
    }
  })
})
