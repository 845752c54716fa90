/** The executor that a server runs inside: what it judged when it was killed is judged again at once, not when its lease ends. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { listChildren } from '../../src/executor/sandboxes/processes.ts'
import { type Program, startProgram } from '../support/program.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { writePythonAlone } from './python-alone.ts'

const [executing, finished, ok] = [2, 3, 1]
const source = 'import time\ntime.sleep(2)\nprint("done")\n'

describe('an executor inside', () => {
  let place: string
  let server: Program
  let admin: RpcClient
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-inside-'))
    await start()
  })
  after(async () => {
    await server.end('SIGTERM')
    await rm(place, { recursive: true, force: true })
  })

  async function start(): Promise<void> {
    server = await startProgram({
      GUILDHALL_DATA: place,
      GUILDHALL_ADMIN_PASSWORD: 'admin-password',
      GUILDHALL_EXECUTORS: '1',
      GUILDHALL_LANGUAGES: await writePythonAlone(place),
      // Far longer than the test may take.
      GUILDHALL_JUDGE_LIMITS: 'leaseMs=3600000',
    })
    admin = await makeRpcClient(server.url).signIn('admin', 'admin-password')
  }

  async function submitAndAwaitExecution(): Promise<number> {
    const { Problem } = await admin.call('create_problem', {
      DisplayName: 'Wait',
      Description: '',
      TimeLimitInMillisecond: 10_000,
      MemoryLimitInByte: 64 * 1024 * 1024,
      ExampleList: [],
    })
    const test = { ProblemUUID: Problem.UUID, Input: '', Output: 'done\n', IsHidden: true }
    await admin.call('create_test_case', test)
    const draft = { ProblemUUID: Problem.UUID, Content: source, Language: 'python' }
    const { SubmissionSnippet } = await admin.call('create_submission', draft)
    await reach(SubmissionSnippet.ID, executing)
    return SubmissionSnippet.ID
  }

  async function reach(id: number, status: number): Promise<number> {
    let submission: Json
    await until(async () => {
      submission = (await admin.call('get_submission', { ID: id })).Submission
      return submission.Status === status
    }, 50)
    return submission.Result
  }

  it('that dies is started again, and judges what it had', async () => {
    const id = await submitAndAwaitExecution()
    for (const pid of listChildren(server.child.pid!)) process.kill(pid, 'SIGKILL')
    assert.equal(await reach(id, finished), ok)
  })

  it('that is killed with its server leaves its work to the next one', async () => {
    const id = await submitAndAwaitExecution()
    await server.end('SIGKILL')
    await start()
    assert.equal(await reach(id, finished), ok)
  })
})

it('a server whose executor can not judge on this machine serves all else, and says so when it is asked', async () => {
  const place = await mkdtemp(join(tmpdir(), 'guildhall-inside-'))
  const server = await startProgram({
    GUILDHALL_DATA: place,
    GUILDHALL_EXECUTORS: '1',
    GUILDHALL_LANGUAGES: join(place, 'no-such-file'),
  })
  const ask = async (path: string) => (await fetch(new URL(path, server.url))).json() as Promise<Json>
  await until(async () => /can't judge on this machine/.test((await ask('/readyz')).executor), 50)
  assert.equal((await ask('/readyz')).status, 'degraded')
  assert.equal((await fetch(new URL('/readyz', server.url))).status, 200)
  await server.end('SIGTERM')
  await rm(place, { recursive: true, force: true })
})
