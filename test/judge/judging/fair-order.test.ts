/** The fair order of the queue: nobody's submissions hold up another's. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claimMethod,
  finish,
  type JudgeStage,
  makeProblem,
  startJudge,
  submit,
} from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'

for (const engine of engines) {
  describe(`the fair order on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    let problem: Json
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: 'runningPerAuthor=2' } })
      cast = stage.cast
    })
    after(() => stage.stop())
    beforeEach(async () => {
      if (problem) await cast.admin.call('delete_problem', { UUID: problem.UUID })
      problem = await makeProblem(cast.setter)
    })

    const hand = async (by: keyof Cast, change = {}): Promise<number> =>
      (await submit(cast[by], problem.UUID, change)).ID
    const next = async (change = {}, by: 'worker' | 'helper' = 'worker'): Promise<number | undefined> => {
      const { result, error } = await cast[by].ask(claimMethod, { Order: 'fair', ...change })
      if (error) assert.equal(error.code, 6)
      return result?.Submission.ID
    }
    const stateOf = async (ID: number) => {
      const { Submission } = await cast.admin.call('get_submission', { ID })
      return [Submission.Status, Submission.Result]
    }

    test('the oldest of the author who has the fewest being judged comes first, and nobody has more than the setting', async () => {
      const many = [
        await hand('contestant'),
        await hand('contestant'),
        await hand('contestant'),
        await hand('contestant'),
      ]
      const few = [await hand('rival'), await hand('rival')]
      const one = await hand('setter')
      assert.equal(await next(), many[0])
      assert.equal(await next(), few[0], 'others before the same author again')
      assert.equal(await next(), one)
      assert.equal(await next(), many[1], 'all have one: the oldest')
      assert.equal(await next(), few[1])
      assert.equal(await next(), undefined, 'two of one author are being judged: the third waits')
      await finish(cast.worker, many[0]!)
      assert.equal(await next(), many[2])
    })

    test('what is judged again comes after all that people wait for', async () => {
      const old = [await hand('contestant'), await hand('rival')]
      for (const ID of old) {
        assert.equal(await next(), ID)
        await finish(cast.worker, ID)
      }
      await cast.setter.call('rejudge_problem', { UUID: problem.UUID })
      const fresh = [await hand('contestant'), await hand('contestant')]
      assert.deepEqual([await next(), await next(), await next()], [fresh[0], fresh[1], old[1]])
    })

    test('without it the oldest of all is claimed, as ever', async () => {
      const all = [await hand('contestant'), await hand('contestant'), await hand('contestant'), await hand('rival')]
      const got: number[] = []
      for (const _ of all) got.push((await cast.worker.call(claimMethod)).Submission.ID)
      assert.deepEqual(got, all)
      assert.equal(await cast.worker.code(claimMethod, { Order: 'unfair' }), -32602)
    })

    test('claims at the same time keep to it', async () => {
      const many: number[] = []
      for (let i = 0; i < 8; i++) many.push(await hand('contestant'))
      const other = await hand('rival')
      const got = await Promise.all(['worker', 'helper', 'worker', 'helper'].map((by) => next({}, by as 'worker')))
      const found = got.filter((id) => id !== undefined).sort((a, b) => a - b)
      assert.deepEqual(found, [many[0], many[1], other])
    })

    test('languages that nobody offers are finished without an executor’s turn, and others’ stay for who offers them', async () => {
      const offer = (by: 'worker' | 'helper', values: string[]) =>
        cast[by].call('register_executor', {
          Name: by,
          LanguageList: values.map((Value) => ({ Value, Name: Value })),
          ParallelRunCount: 1,
        })
      await offer('worker', ['c'])
      await offer('helper', ['python'])
      const made: number[] = []
      for (let i = 0; i < 30; i++) made.push(await hand('contestant', { Language: `made-up-${i}` }))
      const python = await hand('contestant', { Language: 'python' })
      const c = await hand('rival', { Language: 'c' })
      assert.equal(await next({ LanguageList: ['c'] }), c)
      for (const ID of made) assert.deepEqual(await stateOf(ID), [3, 7])
      assert.equal(await next({ LanguageList: ['c'] }), undefined)
      assert.equal(await next({ LanguageList: ['python'] }, 'helper'), python)
    })
  })
}
