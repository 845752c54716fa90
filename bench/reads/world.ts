/** A world with forty of everything, made over the wire. */
import { password } from '../../test/forge/oauth/oauth-world.ts'
import { type Apps, makeApps } from './apps.ts'
import type { Client } from './client.ts'
import { makeConversations, type Numbers } from './conversations.ts'
import { counted, forEach, repeat } from './many.ts'
import { makePeople } from './people.ts'
import { makePulls } from './pulls.ts'
import { makeRepositories, pushHistory, type Shas } from './repositories.ts'

export type World = {
  readonly root: Client
  readonly ann: Client
  readonly bob: Client
  /** They hand in submissions. */
  readonly members: readonly Client[]
  readonly accountId: number
  /** Ann's. */
  readonly session: string
  readonly dataset: string
  readonly problem: string
  readonly testCase: string
  readonly submission: number
  readonly numbers: Numbers
  readonly shas: Shas
  readonly apps: Apps
}

export async function makeWorld(url: string): Promise<World> {
  const people = await makePeople(url)
  const { root, ann, bob, members } = people
  await makeRepositories(people)
  const shas = await pushHistory(ann)
  const said = await makeConversations(people, shas)
  const pulled = await makePulls(people)
  const apps = await makeApps(people)
  const numbers = { ...said, ...pulled, ...apps.numbers }
  const { id: accountId } = await ann.rest('GET', '/user')
  await root.rpc('update_account', { ID: accountId, Role: 'problem_setter' })
  const judged = await makeProblems(ann)
  const dataset = await makeDatasets(ann)
  const signIn = { AccountName: 'ann', Password: password }
  const [session] = await repeat(async () => (await ann.rpc('create_session', signIn)).Token as string)
  await repeat((i) =>
    root.rest('POST', '/admin/users/ann/tokens', { kind: 'classic', scopes: ['user'], name: `Token ${i}` }),
  )
  return {
    root,
    session: session!,
    ann,
    bob,
    members: [...members.values()],
    accountId,
    shas,
    numbers,
    apps,
    ...judged,
    dataset,
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
