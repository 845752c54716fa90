/** A small world to be shot at: people, an organisation, repositories with content, problems, submissions, data sets. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { everyScope } from '../../src/accounts/tokens/scopes.ts'
import { makeApi } from '../datasets/api.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { problemDraft } from '../support/judge.ts'
import { makeRest, type RestClient, usualScopes } from '../support/rest.ts'
import { type Json, makeRpcClient } from '../support/rpc.ts'
import { type Credentials, listCredentials } from './credentials.ts'
import type { Schema } from './values.ts'

export const adminToken = 'admin-token-0123456789-0123456789'
export const adminPassword = 'admin-password'

export type Operation = { readonly name: string; readonly params: Schema }

export type World = {
  readonly credentials: Credentials
  readonly operations: readonly Operation[]
  /** Objects of the repositories' history, and a large file among them. */
  readonly shas: Readonly<Record<'commit' | 'tree' | 'blob' | 'tag' | 'large', string>>
  readonly problem: string
  /** For acts that change or delete it. */
  readonly spareProblem: string
  readonly testCase: string
  readonly submission: number
  readonly accountId: number
  readonly spareAccountId: number
  /** One with few items of every kind, and one with some megabytes. */
  readonly datasets: readonly string[]
  readonly spareDataset: string
  /** An OAuth app of ann's. */
  readonly client: { readonly id: string; readonly secret: string }
}

export async function makeWorld(url: string): Promise<World> {
  const root = makeRest(url, adminToken)
  for (const login of ['ann', 'bob', 'cid', 'spare', 'wil']) await made(root.post('/admin/users', { login }))
  const tokens = await makeTokens(root)
  const ann = makeRest(url, tokens.ann)
  await makeForge(root, ann)
  const shas = await pushHistory(url)
  const judge = await makeJudge(url, root)
  const datasets = await makeDatasets(url, tokens.ann!)
  const draft = { name: 'Fuzz', url: 'https://fuzz.example.org', callback_urls: ['https://fuzz.example.org/back'] }
  const app = await made(ann.post('/user/oauth-apps', { ...draft, device_flow: true }))
  const client = { id: app.client_id, secret: app.client_secret }
  const credentials = listCredentials({ admin: adminToken, ...tokens }, judge.session)
  return { credentials, shas, client, ...judge, ...datasets }
}

async function makeTokens(root: RestClient): Promise<Record<string, string>> {
  const make = async (login: string, draft: object): Promise<string> =>
    (await made(root.post(`/admin/users/${login}/tokens`, draft))).token
  const scopes = everyScope.filter((scope) => scope !== 'site_admin')
  const fine = { kind: 'fine-grained', repositories: 'all' }
  return {
    ann: await make('ann', { kind: 'classic', scopes }),
    bob: await make('bob', { kind: 'classic', scopes }),
    cid: await make('cid', { kind: 'classic', scopes: usualScopes }),
    wil: await make('wil', { kind: 'classic', scopes: ['judge'] }),
    'no scopes': await make('ann', { kind: 'classic', scopes: [] }),
    'fine-grained': await make('ann', {
      ...fine,
      permissions: { contents: 'write', metadata: 'read', members: 'write' },
    }),
    'no permissions': await make('ann', { ...fine, permissions: {} }),
    oauth: await make('ann', { kind: 'oauth', scopes: ['repo'] }),
    'app user': await make('ann', { kind: 'app-user', repositories: 'all', permissions: { contents: 'read' } }),
    installation: await make('ann', { kind: 'installation', repositories: 'all', permissions: { contents: 'write' } }),
  }
}

/** Ann owns open and hidden, to be read, and spare, to be changed; so it is with the organisations acme and spareorg. */
async function makeForge(root: RestClient, ann: RestClient): Promise<void> {
  for (const name of ['open', 'spare']) await made(ann.post('/user/repos', { name }))
  await made(ann.post('/user/repos', { name: 'hidden', private: true }))
  for (const login of ['acme', 'spareorg']) {
    await made(root.post('/admin/organizations', { login, admin: 'ann' }))
    await made(root.put(`/orgs/${login}/memberships/cid`, { role: 'member' }))
    await made(ann.post(`/orgs/${login}/repos`, { name: 'tool', private: true }))
    await made(ann.post(`/orgs/${login}/teams`, { name: 'Crew', privacy: 'closed' }))
    await ann.put(`/orgs/${login}/teams/crew/repos/${login}/tool`, { permission: 'push' })
  }
}

async function pushHistory(url: string): Promise<World['shas']> {
  const work = await makeWorkingFolder()
  try {
    await mkdir(join(work.path, 'docs'))
    await writeFile(join(work.path, 'README.md'), '# Hello\n')
    await writeFile(join(work.path, 'docs', 'a b.txt'), 'a page\n')
    await writeFile(join(work.path, 'docs', 'é😀.txt'), 'letters\n')
    await writeFile(join(work.path, 'large.bin'), Buffer.alloc(5_000_000, 'large '))
    await work.must('add', '.')
    await work.must('commit', '--quiet', '-m', 'First')
    await work.must('mv', 'docs/a b.txt', 'docs/c.txt')
    await work.must('commit', '--quiet', '-am', 'Second\n\nWith a body.')
    await work.must('tag', '-a', 'v1.0', '-m', 'The first release')
    await work.must('branch', 'feature/one')
    for (const name of ['ann/open', 'ann/hidden', 'ann/spare', 'acme/tool']) {
      await work.must('push', '--quiet', remoteUrl(url, name, 'admin', adminToken), 'main', 'feature/one', 'v1.0')
    }
    const parse = (name: string) => work.must('rev-parse', name)
    return {
      commit: await parse('main'),
      tree: await parse('main^{tree}'),
      blob: await parse('main:README.md'),
      tag: await parse('v1.0'),
      large: await parse('main:large.bin'),
    }
  } finally {
    await work.drop()
  }
}

async function makeJudge(url: string, root: RestClient) {
  const admin = makeRpcClient(url, adminToken)
  const idOf = async (login: string): Promise<number> => (await made(root.get(`/users/${login}`))).id
  const [accountId, spareAccountId, workerId] = [await idOf('ann'), await idOf('spare'), await idOf('wil')]
  await admin.call('update_account', { ID: workerId, Role: 'worker' }).catch(() => undefined)
  const makeProblem = async (DisplayName: string): Promise<string> =>
    (await admin.call('create_problem', { ...problemDraft, DisplayName })).Problem.UUID
  const problem = await makeProblem('Sum')
  const { UUID: testCase } = (
    await admin.call('create_test_case', { ProblemUUID: problem, Input: '1 2\n', Output: '3\n', IsHidden: true })
  ).TestCaseSnippet
  const submission = (
    await admin.call('create_submission', { ProblemUUID: problem, Content: 'print(3)', Language: 'python' })
  ).SubmissionSnippet.ID
  const description: Json = await (await fetch(`${url}/-/judge/openapi.json`)).json()
  const { Call, ...schemas } = description.components.schemas
  const names = Object.keys(Call.discriminator.mapping)
  const operations = names.map((name) => ({ name, params: schemas[name].properties.params as Schema }))
  const { token: session } = await admin.signIn('admin', adminPassword)
  return {
    operations,
    problem,
    spareProblem: await makeProblem('Spare'),
    testCase,
    submission,
    accountId,
    spareAccountId,
    session: session!,
  }
}

async function makeDatasets(url: string, token: string) {
  const api = makeApi({ url }, token)
  const small = await api.make('small')
  await api.push(small, [
    { url: 'http://a.example/', n: 1, '#debug': { a: 1 }, list: [1, { b: 2 }], deep: { a: { b: { c: null } } } },
    { 'odd name': '=1+1', n: 1e21, '@': { x: 1 }, '#': 'text', '': '', '😀': '\u0000\ud7ff\ufffe' },
    {},
  ])
  const large = await api.make('large')
  const items = Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'x'.repeat(200), nested: { list: [at, at] } }))
  for (let at = 0; at < 3; at++) await api.push(large, items)
  return { datasets: [small, large, 'ann~small'], spareDataset: await api.make('spare') }
}

async function made(answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`the world could not be made: ${status} ${text}`)
  return body
}
