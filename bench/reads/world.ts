/** A world with forty of everything, made over the wire, so that each list has a full page of thirty and more. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { adminToken } from '../peers.ts'
import { type Client, makeClient } from './client.ts'
import { makeConversations, type Numbers } from './conversations.ts'

const run = promisify(execFile)
const many = 40

export type World = {
  readonly ann: Client
  /** They hand in submissions. */
  readonly members: readonly Client[]
  readonly accountId: number
  readonly dataset: string
  readonly problem: string
  readonly testCase: string
  readonly submission: number
  readonly numbers: Numbers
  readonly shas: Readonly<Record<'commit' | 'tree' | 'blob' | 'tag', string>>
}

const counted = (word: string) => Array.from({ length: many }, (_, i) => `${word}-${i + 1}`)

/** Runs several at a time: one after the other, each would wait for the disk. */
async function forEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += 8) await Promise.all(items.slice(at, at + 8).map(act))
}

/** Ann owns all of it and is no admin of the server. */
export async function makeWorld(url: string): Promise<World> {
  const root = makeClient(url, adminToken)
  const signUp = async (login: string, scopes: readonly string[]): Promise<Client> => {
    await root.rest('POST', '/admin/users', { login, email: `${login}@example.org` })
    const { token } = await root.rest('POST', `/admin/users/${login}/tokens`, { kind: 'classic', scopes })
    return makeClient(url, token)
  }
  const scopes = ['repo', 'user', 'admin:org', 'admin:repo_hook', 'admin:org_hook', 'notifications', 'judge', 'dataset']
  const ann = await signUp('ann', scopes)
  const bob = await signUp('bob', ['repo', 'user'])
  const members = new Map<string, Client>()
  const memberScopes = ['admin:org', 'repo', 'judge']
  await forEach(counted('user'), async (login) => members.set(login, await signUp(login, memberScopes)))
  await forEach(counted('org'), (login) => root.rest('POST', '/admin/organizations', { login, admin: 'ann' }))
  await makeRepositories(ann, bob)
  await makeTeams(ann, members)
  const shas = await pushHistory(ann)
  const numbers = await makeConversations(ann, bob, shas.commit)
  const { id: accountId } = await ann.rest('GET', '/user')
  await root.rpc('update_account', { ID: accountId, Role: 'problem_setter' })
  const judged = await makeProblems(ann)
  return { ann, members: [...members.values()], accountId, shas, numbers, ...judged, dataset: await makeDatasets(ann) }
}

async function makeRepositories(ann: Client, bob: Client): Promise<void> {
  await forEach(counted('repo'), (name) => ann.rest('POST', '/user/repos', { name }))
  // On no first page: neither by name nor by number, and found by none of the searches.
  await ann.rest('POST', '/user/repos', { name: 'written' })
  await forEach(counted('tool'), (name) => ann.rest('POST', '/orgs/org-1/repos', { name, private: true }))
  await forEach(counted('shared'), async (name) => {
    await bob.rest('POST', '/user/repos', { name })
    await bob.rest('PUT', `/repos/bob/${name}/collaborators/ann`, {})
  })
}

async function makeTeams(ann: Client, members: ReadonlyMap<string, Client>): Promise<void> {
  const crew = await ann.rest('POST', '/orgs/org-1/teams', { name: 'crew', privacy: 'closed' })
  await forEach(counted('team'), (name) =>
    ann.rest('POST', '/orgs/org-1/teams', { name, privacy: 'closed', parent_team_id: crew.id }),
  )
  await forEach([...members], async ([login, member]) => {
    await ann.rest('PUT', `/orgs/org-1/memberships/${login}`, { role: 'member' })
    await member.rest('PATCH', '/user/memberships/orgs/org-1', { state: 'active' })
    await member.rest('PUT', `/orgs/org-1/public_members/${login}`)
    await ann.rest('PUT', `/orgs/org-1/teams/crew/memberships/${login}`, { role: 'member' })
    await ann.rest('PUT', `/repos/ann/repo-1/collaborators/${login}`, {})
  })
  await ann.rest('PUT', '/orgs/org-1/public_members/ann')
  await forEach(counted('tool'), (name) =>
    ann.rest('PUT', `/orgs/org-1/teams/crew/repos/org-1/${name}`, { permission: 'push' }),
  )
}

/** Forty commits, branches and tags, in a repository of the root and one folder. */
async function pushHistory({ url, token }: Client): Promise<World['shas']> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-reads-'))
  const git = async (...words: string[]) => (await run('git', ['-C', folder, ...words])).stdout.trim()
  try {
    await git('init', '--quiet', '--initial-branch=main', '.')
    await git('config', 'user.email', 'ann@example.org')
    await git('config', 'user.name', 'Ann')
    await writeFile(join(folder, 'README.md'), '# A repository to read\n')
    for (const name of counted('file')) {
      await writeFile(join(folder, `${name}.ts`), `export const name = '${name}'\n`)
      await git('add', '.')
      await git('commit', '--quiet', `--message=Add ${name}`)
      await git('tag', '--annotate', `v-${name}`, '--message=A tag')
      await git('branch', `of-${name}`)
    }
    await git('push', '--quiet', '--all', `${url.replace('://', `://ann:${token}@`)}/ann/repo-1.git`)
    await git('push', '--quiet', '--tags', `${url.replace('://', `://ann:${token}@`)}/ann/repo-1.git`)
    return {
      commit: await git('rev-parse', 'main'),
      tree: await git('rev-parse', 'main^{tree}'),
      blob: await git('rev-parse', 'main:README.md'),
      tag: await git('rev-parse', 'v-file-1'),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeProblems(ann: Client): Promise<Pick<World, 'problem' | 'testCase' | 'submission'>> {
  const limits = { TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 * 1024 * 1024, ExampleList: [] }
  let problem = ''
  await forEach(counted('problem'), async (name) => {
    const made = await ann.rpc('create_problem', { DisplayName: name, Description: 'Add two numbers.', ...limits })
    problem = made.Problem.UUID
  })
  let testCase = ''
  let submission = 0
  await forEach(counted('case'), async () => {
    const made = await ann.rpc('create_test_case', { ProblemUUID: problem, Input: '1 2', Output: '3', IsHidden: false })
    testCase = made.TestCaseSnippet.UUID
    const handed = await ann.rpc('create_submission', { ProblemUUID: problem, Language: 'python', Content: 'print(3)' })
    submission = handed.SubmissionSnippet.ID
  })
  return { problem, testCase, submission }
}

async function makeDatasets(ann: Client): Promise<string> {
  await forEach(counted('set'), (name) => ann.rest('POST', `/v2/datasets?name=${name}`))
  const items = counted('title').map((title, year) => ({ title, year, tags: ['a', 'b'], author: { name: 'Someone' } }))
  await ann.rest('POST', '/v2/datasets/~set-1/items', items)
  return (await ann.rest('GET', '/v2/datasets/~set-1')).data.id
}
