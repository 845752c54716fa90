/** Users, organisations and teams, and what they have to do with each other. */
import { password } from '../../test/forge/oauth/oauth-world.ts'
import { adminToken } from '../peers.ts'
import { type Client, makeClient } from './client.ts'
import { counted, forEach } from './many.ts'

export type People = {
  readonly root: Client
  /** Owns nearly all there is, has a password, and is no admin of the server. */
  readonly ann: Client
  readonly bob: Client
  readonly members: ReadonlyMap<string, Client>
}

const scopes = ['repo', 'user', 'admin:org', 'admin:repo_hook', 'admin:org_hook', 'notifications', 'judge', 'dataset']

export async function makePeople(url: string): Promise<People> {
  const root = makeClient(url, adminToken)
  const signUp = async (login: string, scopes: readonly string[]): Promise<Client> => {
    await root.rest('POST', '/admin/users', { login, email: `${login}@example.org` })
    const { token } = await root.rest('POST', `/admin/users/${login}/tokens`, { kind: 'classic', scopes })
    return makeClient(url, token)
  }
  const ann = await signUp('ann', scopes)
  const { id } = await ann.rest('GET', '/user')
  await root.rpc('update_account', { ID: id, Password: password })
  const bob = await signUp('bob', ['repo', 'user', 'notifications'])
  const members = new Map<string, Client>()
  await forEach(counted('user'), async (login) =>
    members.set(login, await signUp(login, ['admin:org', 'repo', 'user', 'judge'])),
  )
  await forEach(counted('org'), async (login) => {
    await root.rest('POST', '/admin/organizations', { login, admin: 'ann' })
    await ann.rest('PUT', `/orgs/${login}/public_members/ann`)
  })
  await makeMembers(ann, members)
  for (const [login, member] of [['bob', bob] as const, ...members]) {
    await ann.rest('PUT', `/user/following/${login}`)
    await member.rest('PUT', '/user/following/ann')
  }
  await forEach(counted('user'), (login) => ann.rest('PUT', `/orgs/org-2/blocks/${login}`))
  return { root, ann, bob, members }
}

async function makeMembers(ann: Client, members: ReadonlyMap<string, Client>): Promise<void> {
  const crew = await ann.rest('POST', '/orgs/org-1/teams', { name: 'crew', privacy: 'closed' })
  await forEach(counted('team'), (name) =>
    ann.rest('POST', '/orgs/org-1/teams', { name, privacy: 'closed', parent_team_id: crew.id }),
  )
  await forEach([...members], async ([login, member]) => {
    await ann.rest('PUT', `/orgs/org-1/memberships/${login}`, { role: 'member' })
    await member.rest('PATCH', '/user/memberships/orgs/org-1', { state: 'active' })
    await member.rest('PUT', `/orgs/org-1/public_members/${login}`)
    await ann.rest('PUT', `/orgs/org-1/teams/crew/memberships/${login}`, { role: 'member' })
  })
}
