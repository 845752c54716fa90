/** A judge with a cast of accounts, for tests of its rooms. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Engine } from './engines.ts'
import { type Json, makeRpcClient, type RpcClient } from './rpc.ts'
import { admin, type ServerOptions, startServer, type TestServer } from './server.ts'

export type Cast = {
  readonly anonymous: RpcClient
  readonly contestant: RpcClient
  /** Another contestant. */
  readonly rival: RpcClient
  readonly setter: RpcClient
  /** Another problem setter. */
  readonly colleague: RpcClient
  readonly admin: RpcClient
  readonly worker: RpcClient
  /** Another worker. */
  readonly helper: RpcClient
}

export type JudgeStage = TestServer & { readonly cast: Cast; idOf(name: keyof Cast): number }

const roles = {
  contestant: 'contestant',
  rival: 'contestant',
  setter: 'problem_setter',
  colleague: 'problem_setter',
  worker: 'worker',
  helper: 'worker',
} as const

/** Everyone signs in with a token made on the server: passwords take their time on purpose. */
export async function startJudge(engine: Engine, options: ServerOptions = {}): Promise<JudgeStage> {
  const server = await startServer(engine, options)
  const { accounts, tokens } = server.services
  const cast: Record<string, RpcClient> = {
    anonymous: makeRpcClient(server.url),
    admin: makeRpcClient(server.url, admin.token),
  }
  const ids: Record<string, number> = { admin: (await accounts.findByName(admin.name))!.id }
  for (const [name, role] of Object.entries(roles)) {
    const known = await accounts.findByName(name)
    const account = known ?? (await accounts.insert({ name, displayName: name, role }))
    const { text } = await tokens.make(account, { kind: 'classic', scopes: ['judge'] })
    cast[name] = makeRpcClient(server.url, text)
    ids[name] = account.id
  }
  return { ...server, cast: cast as Cast, idOf: (name) => ids[name]! }
}

export const problemDraft = {
  DisplayName: 'Sum',
  Description: 'Add two numbers.',
  TimeLimitInMillisecond: 1_000,
  MemoryLimitInByte: 64 * 1024 * 1024,
  ExampleList: [{ Input: '1 2\n', Output: '3\n' }],
}

export async function makeProblem(by: RpcClient, change: object = {}): Promise<Json> {
  return (await by.call('create_problem', { ...problemDraft, ...change })).Problem
}

export async function makeTest(by: RpcClient, ProblemUUID: string, change: object = {}): Promise<Json> {
  const draft = { ProblemUUID, Input: '1 2\n', Output: '3\n', IsHidden: true, ...change }
  return (await by.call('create_test_case', draft)).TestCaseSnippet
}

export async function submit(by: RpcClient, ProblemUUID: string, change: object = {}): Promise<Json> {
  const draft = { ProblemUUID, Content: 'print(3)', Language: 'python', ...change }
  return (await by.call('create_submission', draft)).SubmissionSnippet
}

export const claimMethod = 'get_and_update_first_submitted_submission_to_executing'

export const claim = async (by: RpcClient, params: object = {}): Promise<Json> =>
  (await by.call(claimMethod, params)).Submission

export const finish = (by: RpcClient, ID: number, Result = 1): Promise<Json> =>
  by.call('update_submission', { ID, Status: 3, Result })

export const page = (Offset = 0, Limit = 100) => ({ Offset, Limit })

export const unknownUuid = () => randomUUID()
export const unknownId = 9_007_199_254_740_000

export type StoredSubmission = { id: number; authorId: number; problemUuid: string; status: number }

/** As if they had been handed in one by one, in no time. */
export async function storeSubmissions(
  { services }: TestServer,
  submissions: readonly StoredSubmission[],
): Promise<void> {
  const problems = await services.store.db.selectFrom('problem').select(['id', 'uuid']).execute()
  const problemIds = new Map(problems.map(({ id, uuid }) => [uuid, id]))
  await services.store.write(async (trx) => {
    for (let at = 0; at < submissions.length; at += 200) {
      const part = submissions.slice(at, at + 200)
      const rows = part.map(({ id, authorId, problemUuid, status }) => ({
        id,
        problem_id: problemIds.get(problemUuid)!,
        author_id: authorId,
        language: 'c',
        status,
        result: status === 3 ? 1 : 0,
        created_at: id,
        finished_at: status === 3 ? id : null,
        losses: 0,
        finished_tests: 0,
        total_tests: 0,
      }))
      await trx.insertInto('submission').values(rows).execute()
      const sources = part.map(({ id }) => ({ submission_id: id, content: Buffer.from('x') }))
      await trx.insertInto('submission_source').values(sources).execute()
    }
    // SQLite goes on from the highest id by itself.
    if (services.store.engine === 'postgres') {
      await sql`select setval('submission_id_seq', ${Math.max(...submissions.map(({ id }) => id))})`.execute(trx)
    }
  })
}
