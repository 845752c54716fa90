/** Connections to PostgreSQL are lent to kinds of work in turn: a crowd of reads delays no executor. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { claim, finish, type JudgeStage, makeProblem, startJudge, submit } from '../support/judge.ts'

/** For ten connections these are seconds of waiting; a claim and a report together are a dozen queries. */
const crowd = 1_000
const readMs = 30

let stage: JudgeStage
before(async () => {
  stage = await startJudge('postgres')
})
after(() => stage.stop())

test('an executor claims and reports while a crowd of reads waits for connections', async () => {
  const { setter, contestant, worker } = stage.cast
  const problem = await makeProblem(setter)
  await submit(contestant, problem.UUID)
  let done = 0
  const readSlowly = () =>
    sql`select pg_sleep(${sql.lit(readMs / 1000)})`.execute(stage.services.store.db).then(() => done++)
  const reads = Array.from({ length: crowd }, readSlowly)
  const { ID } = await claim(worker)
  await finish(worker, ID)
  assert.ok(done < crowd / 2, `${done} of ${crowd} reads came before`)
  await Promise.all(reads)
})
