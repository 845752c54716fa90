import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { claimMethod, type JudgeStage, makeProblem, startJudge, storeSubmissions } from '../../support/judge.ts'
import { makeRpcClient, type RpcClient } from '../../support/rpc.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

const claimers = 50
const waiting = 200
/** However slow the machine: a lease that ended would be claimed anew, and rightly so. */
const longLeases = { GUILDHALL_JUDGE_LIMITS: 'leaseMs=3600000' }

/** Answers their ids, oldest first. */
async function fillQueue(stage: JudgeStage, count = waiting): Promise<number[]> {
  const { UUID: problemUuid } = await makeProblem(stage.cast.setter)
  const authorId = stage.idOf('contestant')
  const ids = Array.from({ length: count }, (_, i) => i + 1)
  await storeSubmissions(
    stage,
    ids.map((id) => ({ id, authorId, problemUuid, status: 1 })),
  )
  return ids
}

/** Claims until the queue is empty; answers what it got, in order. */
async function claimAll(client: RpcClient): Promise<number[]> {
  const got: number[] = []
  for (;;) {
    const { result, error } = await client.ask(claimMethod)
    if (error) {
      assert.equal(error.code, 6)
      return got
    }
    got.push(result.Submission.ID)
  }
}

function checkClaims(lists: readonly number[][], ids: readonly number[]): void {
  const inOrder = [...ids].sort((a, b) => a - b)
  assert.deepEqual(
    lists.flat().sort((a, b) => a - b),
    inOrder,
    'each is claimed once and none is lost',
  )
  for (const list of lists) {
    assert.deepEqual(
      list,
      [...list].sort((a, b) => a - b),
      'nobody is given an older one after a newer one',
    )
  }
}

test(`${claimers} claimers at once over ${waiting} submissions on sqlite get each once, in order`, async () => {
  const stage = await startJudge('sqlite', { environment: longLeases })
  try {
    const ids = await fillQueue(stage)
    const lists = await Promise.all(Array.from({ length: claimers }, () => claimAll(stage.cast.worker)))
    checkClaims(lists, ids)
  } finally {
    await stage.stop()
  }
})

// On PostgreSQL, where servers may share the queue, they do: one alone would show less.
describe('several server processes on one PostgreSQL', () => {
  test(`${claimers} claimers over two of them get each of ${waiting} submissions once, in order`, async () => {
    const stage = await startJudge('postgres')
    const start = () => startServerProcess(stage.database, longLeases)
    const servers = await Promise.all([start(), start()])
    try {
      const ids = await fillQueue(stage)
      const clients = Array.from({ length: claimers }, (_, i) =>
        makeRpcClient(servers[i % 2]!.url, stage.cast.worker.token),
      )
      checkClaims(await Promise.all(clients.map(claimAll)), ids)
    } finally {
      await Promise.all(servers.map((server) => server.end()))
      await stage.stop()
    }
  })

  test('with one killed and started again meanwhile, each is judged once and none is lost', async () => {
    const due = 200
    const stage = await startJudge('postgres')
    const environment = { GUILDHALL_JUDGE_LIMITS: 'leaseMs=10000,losses=100' }
    const steady = await startServerProcess(stage.database, environment)
    let frail = await startServerProcess(stage.database, environment)
    const { token } = stage.cast.worker
    const claimed = new Map<number, number>()
    const finished = new Map<number, number>()
    let left = due

    const isDone = async () => {
      const rows = stage.services.store.db.selectFrom('submission').select((eb) => eb.fn.countAll<number>().as('count'))
      left = (await rows.where('status', '!=', 3).executeTakeFirstOrThrow()).count
      return left === 0
    }
    const note = (times: Map<number, number>, id: number) => times.set(id, (times.get(id) ?? 0) + 1)

    async function judgeOne(client: RpcClient): Promise<void> {
      const { result } = await client.ask(claimMethod, { WaitMillisecond: 100 })
      if (!result) return
      const { ID, Lease } = result.Submission
      note(claimed, ID)
      const answer = await client.ask('update_submission', { ID, Lease, Status: 3, Result: 1 })
      if (answer.result) note(finished, ID)
    }

    async function work(urlOf: () => string): Promise<void> {
      while (left > 0) {
        try {
          await judgeOne(makeRpcClient(urlOf(), token))
        } catch {
          // One of the servers is away: it is asked again once it answers.
          await until(async () => left === 0 || (await fetch(`${urlOf()}/healthz`).catch(() => undefined))?.ok)
        }
      }
    }

    try {
      await fillQueue(stage, due)
      const working = Array.from({ length: claimers }, (_, i) => work(() => (i % 2 ? steady.url : frail.url)))
      await until(() => finished.size >= due / 4)
      await frail.end('SIGKILL')
      frail = await startServerProcess(stage.database, environment)
      await until(isDone, 200)
      await Promise.all(working)
      const rows = await stage.services.store.db.selectFrom('submission').select(['id', 'result', 'losses']).execute()
      assert.equal(rows.length, due)
      for (const { id, result, losses } of rows) {
        assert.equal(result, 1)
        assert.ok((finished.get(id) ?? 0) <= 1, `${id} was finished twice`)
        assert.ok((claimed.get(id) ?? 0) <= 1 + losses, `${id} was held by two at once`)
      }
      assert.ok(rows.filter(({ losses }) => losses > 0).length <= claimers)
    } finally {
      await Promise.all([steady.end(), frail.end()])
      await stage.stop()
    }
  })
})
