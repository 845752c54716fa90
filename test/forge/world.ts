/** A small world for tests that look at every route: people, an organisation with teams, repositories with history. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient, usualScopes } from '../support/rest.ts'
import { admin, type TestServer } from '../support/server.ts'

export type World = {
  readonly server: TestServer
  readonly root: RestClient
  /** Owns ann/open (public), ann/hidden (private) and the organisation acme with the team crew. */
  readonly ann: RestClient
  /** Has nothing to do with any of it. */
  readonly bob: RestClient
  /** A member of acme. */
  readonly cid: RestClient
  readonly shas: { readonly commit: string; readonly tree: string; readonly blob: string; readonly tag: string }
}

/** What a fine-grained token must be given to do everything here. */
export const everyPermission = {
  metadata: 'read',
  actions: 'write',
  contents: 'write',
  administration: 'write',
  profile: 'write',
  email_addresses: 'write',
  members: 'write',
  organization_administration: 'write',
  organization_events: 'read',
  watching: 'write',
  starring: 'write',
  followers: 'write',
  checks: 'write',
  deployments: 'write',
  statuses: 'write',
  repository_hooks: 'write',
  organization_hooks: 'write',
  issues: 'write',
  organization_user_blocking: 'write',
  pull_requests: 'write',
  git_ssh_keys: 'write',
  ssh_signing_keys: 'write',
  gpg_keys: 'write',
} as const

export async function makeWorld(server: TestServer, { hasWikis = true } = {}): Promise<World> {
  const root = asAdmin(server)
  const ann = await makeUser(server, 'ann')
  const bob = await makeUser(server, 'bob')
  const cid = await makeUser(server, 'cid')
  await ann.post('/user/repos', { name: 'open', description: 'For everyone' })
  await ann.post('/user/repos', { name: 'hidden', private: true })
  await root.post('/admin/organizations', { login: 'acme', admin: 'ann', profile_name: 'Acme Inc.' })
  await root.put('/orgs/acme/memberships/cid', { role: 'member' })
  await ann.post('/orgs/acme/repos', { name: 'tool', private: true })
  const crew = await ann.post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed' })
  await ann.post('/orgs/acme/teams', { name: 'Night shift', parent_team_id: crew.body.id })
  await ann.put('/orgs/acme/teams/crew/repos/acme/tool', { permission: 'push' })
  const shas = await pushHistory(server, ['ann/open', 'ann/hidden', 'acme/tool'], hasWikis)
  return { server, root, ann, bob, cid, shas }
}

async function pushHistory(server: TestServer, names: readonly string[], hasWikis: boolean): Promise<World['shas']> {
  const work = await makeWorkingFolder()
  try {
    await mkdir(join(work.path, 'docs'))
    await writeFile(join(work.path, 'README.md'), '# Hello\n')
    await writeFile(join(work.path, 'docs', 'a b.txt'), 'a page\n')
    await writeFile(join(work.path, 'main.ts'), 'export const answer = 42\n')
    await work.must('add', '.')
    await work.must('commit', '--quiet', '-m', 'First')
    await writeFile(join(work.path, 'main.ts'), 'export const answer = 43\n')
    await work.must('mv', 'docs/a b.txt', 'docs/c.txt')
    await work.must('commit', '--quiet', '-am', 'Second\n\nWith a body.')
    await work.must('tag', '-a', 'v1.0', '-m', 'The first release')
    await work.must('branch', 'feature/one')
    for (const name of names) {
      const url = remoteUrl(server.url, name, admin.name, admin.token)
      await work.must('push', '--quiet', url, 'main', 'feature/one', 'v1.0')
      const wiki = remoteUrl(server.url, `${name}.wiki`, admin.name, admin.token)
      if (hasWikis) await work.must('push', '--quiet', wiki, 'main:master')
    }
    const parse = (name: string) => work.must('rev-parse', name)
    return {
      commit: await parse('main'),
      tree: await parse('main^{tree}'),
      blob: await parse('main:README.md'),
      tag: await parse('v1.0'),
    }
  } finally {
    await work.drop()
  }
}

export const fineToken = async ({ server }: World, login: string, permissions: object, repositories: unknown = 'all') =>
  makeRest(server.url, await makeToken(server, login, { kind: 'fine-grained', permissions, repositories }))

export const classicToken = async ({ server }: World, login: string, scopes: readonly string[] = usualScopes) =>
  makeRest(server.url, await makeToken(server, login, { kind: 'classic', scopes }))
