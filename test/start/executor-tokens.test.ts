/** Executors inside of several servers on one database: each has a token of its own, and gets another when it is refused. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeRpcClient, type RpcClient, readJson } from '../support/rpc.ts'
import { admin } from '../support/server.ts'
import { writePythonAlone } from './python-alone.ts'

const [finished, ok] = [3, 1]

describe('executors inside of two servers', () => {
  let folder: string
  let database: TestDatabase
  let first: Program
  let client: RpcClient
  let problem: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildhall-tokens-'))
    database = await makeMigratedDatabase('postgres')
    first = await start()
    client = makeRpcClient(first.url, admin.token)
    const draft = {
      DisplayName: 'Say',
      Description: '',
      TimeLimitInMillisecond: 5_000,
      MemoryLimitInByte: 64 * 2 ** 20,
    }
    const { Problem } = await client.call('create_problem', { ...draft, ExampleList: [] })
    problem = Problem.UUID
    await client.call('create_test_case', { ProblemUUID: problem, Input: '', Output: 'done\n', IsHidden: true })
  })
  after(async () => {
    await first.end('SIGTERM')
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const start = async () =>
    startProgram({
      GUILDHALL_DATA: folder,
      DATABASE_URL: database.url,
      GUILDHALL_ADMIN_TOKEN: admin.token,
      GUILDHALL_EXECUTORS: '1',
      GUILDHALL_LANGUAGES: await writePythonAlone(folder),
      // What a refused executor held is judged again soon.
      GUILDHALL_JUDGE_LIMITS: 'leaseMs=2000',
    })

  const readExecutor = async ({ url }: Program) => (await readJson(await fetch(`${url}/readyz`))).executor

  async function judge(): Promise<void> {
    const draft = { ProblemUUID: problem, Content: 'print("done")\n', Language: 'python' }
    const { SubmissionSnippet } = await client.call('create_submission', draft)
    for (;;) {
      const { Submission } = await client.call('get_submission', { ID: SubmissionSnippet.ID })
      if (Submission.Status === finished) return assert.equal(Submission.Result, ok)
      await sleep(50)
    }
  }

  async function ask(statement: string): Promise<number> {
    const connection = new pg.Client(database.url)
    await connection.connect()
    const { rowCount } = await connection.query(statement)
    await connection.end()
    return rowCount ?? 0
  }
  const ofExecutors = `token where account_id = (select id from account where name = 'guildhall-executor')`

  it('work on when another starts and stops, which leaves no token', async () => {
    while ((await readExecutor(first)) !== 'ok') await sleep(50)
    const second = await start()
    while ((await readExecutor(second)) !== 'ok') await sleep(50)
    assert.equal(await ask(`select from ${ofExecutors}`), 2)
    assert.equal(await second.end('SIGTERM'), 0)
    assert.equal(await ask(`select from ${ofExecutors}`), 1)
    await judge()
    assert.equal(await readExecutor(first), 'ok')
  })

  it('whose token is taken away are not ready, say so once, and get another', async () => {
    assert.equal(await ask(`delete from ${ofExecutors}`), 1)
    // It is handed to the executor, whose next call is refused.
    await judge()
    while ((await readExecutor(first)) !== 'ok') await sleep(50)
    assert.equal(await ask(`select from ${ofExecutors}`), 1)
    assert.equal(first.output().match(/token was refused/g)?.length, 1)
  })

  it('whose account was suspended say so when they start, serve all the same, and judge once it is reinstated', async () => {
    const suspend = (at: string) => ask(`update account set suspended_at = ${at} where name = 'guildhall-executor'`)
    assert.equal(await suspend('1'), 1)
    const second = await start()
    while (!/guildhall-executor is suspended/.test(await readExecutor(second))) await sleep(50)
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200)
    await suspend('null')
    while ((await readExecutor(second)) !== 'ok') await sleep(50)
    assert.equal(await second.end('SIGTERM'), 0)
  })
})
