/** What the tests of one author's problems, and of everybody's, may hold. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, makeProblem, makeTest, page, startJudge } from '../../support/judge.ts'
import { makeZip } from '../../support/zip.ts'

const kib = 1024

for (const engine of engines) {
  describe(`storage of tests on ${engine}`, () => {
    let stage: JudgeStage
    before(async () => {
      const limits = `authorTestDataBytes=${100 * kib},allTestDataBytes=${150 * kib}`
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: limits } })
    })
    after(() => stage.stop())

    const text = (size: number) => ({ Input: 'x'.repeat(size * kib), Output: '' })
    const usage = async (name: 'setter' | 'colleague') => {
      const { db } = stage.services.store
      const row = await db
        .selectFrom('test_usage')
        .select('bytes')
        .where('account_id', '=', stage.idOf(name))
        .executeTakeFirst()
      const { rows } = await sql<{ bytes: number }>`
        select coalesce(sum(length(input) + length(output)), 0) as bytes from test_data
        join test_case on test_case.id = test_case_id where owner_id = ${stage.idOf(name)}`.execute(db)
      assert.equal(row?.bytes ?? 0, Number(rows[0]!.bytes), 'what is counted is what is there')
      return (row?.bytes ?? 0) / kib
    }

    test('is bounded by author and in all, to the byte, and what is deleted makes room', async () => {
      const { setter, colleague, admin } = stage.cast
      const [one, two] = [await makeProblem(setter), await makeProblem(setter)]
      const first = await makeTest(setter, one.UUID, text(60))
      const draft = { ProblemUUID: two.UUID, IsHidden: true }
      const { error } = await setter.ask('create_test_case', { ...draft, ...text(41) })
      assert.equal(error.code, 9)
      assert.match(error.message, /may hold 102400 bytes in all: delete test cases or problems/)
      const second = await makeTest(setter, two.UUID, text(40))
      assert.equal(await usage('setter'), 100)
      assert.equal(await setter.code('update_test_case', { UUID: second.UUID, Output: 'y' }), 9)
      assert.equal(await admin.code('create_test_case', { ...draft, Input: 'z', Output: '' }), 9, 'it is the author’s')
      await setter.call('update_test_case', { UUID: second.UUID, ...text(10) })
      assert.equal(await usage('setter'), 70)

      const other = await makeProblem(colleague)
      const full = await colleague.ask('create_test_case', { ...draft, ProblemUUID: other.UUID, ...text(81) })
      assert.deepEqual([full.error.code, /of all problems here/.test(full.error.message)], [9, true])
      await makeTest(colleague, other.UUID, text(80))
      await setter.call('delete_test_case', { UUID: first.UUID })
      assert.equal(await usage('setter'), 10)
      await setter.call('delete_problem', { UUID: two.UUID })
      assert.equal(await usage('setter'), 0)
      await colleague.call('delete_problem', { UUID: other.UUID })
      assert.equal(await usage('colleague'), 0)
      await makeTest(setter, one.UUID, text(100))
      await setter.call('delete_problem', { UUID: one.UUID })
    })

    test('refuses an archive that unpacks to more before any of it is stored', async () => {
      const { setter } = stage.cast
      const { UUID } = await makeProblem(setter)
      const pack = (tests: number) =>
        makeZip(
          Array.from({ length: tests }, (_, i) => [
            { path: `${i}.in`, data: Buffer.alloc(10 * kib) },
            { path: `${i}.out`, data: 'x' },
          ]).flat(),
        )
      const send = (tests: number) =>
        setter.ask('create_test_case_list', { ProblemUUID: UUID, ZippedTestData: pack(tests).toString('base64') })
      const lastId = async () => {
        const { db } = stage.services.store
        return (
          (
            await db
              .selectFrom('test_case')
              .select((eb) => eb.fn.max('id').as('id'))
              .executeTakeFirst()
          )?.id ?? 0
        )
      }
      const { error } = await send(10)
      assert.equal(error.code, 9)
      assert.deepEqual([await usage('setter'), await lastId()], [0, 0])
      assert.equal((await send(9)).error, undefined)
      assert.equal(await usage('setter'), 9 * 10 + 9 / kib)
      const { TotalTestCaseCount } = await setter.call('get_problem_test_case_snippet_list', {
        ProblemUUID: UUID,
        ...page(),
      })
      assert.equal(TotalTestCaseCount, 9)
    })
  })
}
