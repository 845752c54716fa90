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
import { type Json, makeRpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

test('where no executor has said how many it runs, one author’s are claimed until none waits', async () => {
  const { cast, stop } = await startJudge('sqlite')
  try {
    const { UUID } = await makeProblem(cast.setter)
    const many = [
      await submit(cast.contestant, UUID),
      await submit(cast.contestant, UUID),
      await submit(cast.rival, UUID),
    ]
    const [first, second, other] = many.map(({ ID }) => ID)
    const got: number[] = []
    for (const _ of many) got.push((await cast.worker.call(claimMethod, { Order: 'fair' })).Submission.ID)
    assert.deepEqual(got, [first, other, second])
    assert.equal(await cast.worker.code(claimMethod, { Order: 'fair' }), 6)
  } finally {
    await stop()
  }
})

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

    test('a claim that waits has the next of an author as soon as one of theirs is finished, not at the next look', async (t) => {
      const many = [await hand('contestant'), await hand('contestant'), await hand('contestant')]
      assert.deepEqual([await next(), await next()], many.slice(0, 2))
      t.mock.timers.enable({ apis: ['setInterval'] })
      const waiting = next({ WaitMillisecond: 20_000 })
      await until(() => stage.services.judge.longPolls.countWaiting() === 1)
      await finish(cast.worker, many[0]!)
      assert.equal(await waiting, many[2])
    })

    test('what is judged again comes after all that people wait for', async () => {
      const old: number[] = []
      for (const by of ['contestant', 'rival'] as const) {
        old.push(await hand(by))
        assert.equal(await next(), old.at(-1))
        await finish(cast.worker, old.at(-1)!)
      }
      await cast.setter.call('rejudge_problem', { UUID: problem.UUID })
      const fresh = [await hand('contestant'), await hand('contestant')]
      assert.deepEqual([await next(), await next(), await next()], [fresh[0], fresh[1], old[1]])
    })

    test('among authors of whom none is being judged, whoever was served longest ago is next, whatever others had waiting before', async () => {
      for (const by of ['contestant', 'rival', 'setter'] as const) {
        const ID = await hand(by)
        assert.equal(await next(), ID)
        await finish(cast.worker, ID)
      }
      const many: number[] = []
      for (let i = 0; i < 3; i++) many.push(await hand('setter'))
      const served: (number | undefined)[] = []
      const serve = async () => {
        const id = await next()
        if (id !== undefined) await finish(cast.worker, id)
        served.push(id)
      }
      await serve()
      const late = [await hand('contestant'), await hand('rival'), await hand('rival')]
      for (let i = 0; i < 5; i++) await serve()
      assert.deepEqual(served, [many[0], late[0], late[1], many[1], late[2], many[2]])
    })

    test('a new account is not before those who have waited longer than it exists', async () => {
      const first = await hand('contestant')
      assert.equal(await next(), first)
      await finish(cast.worker, first)
      const accounts: number[] = []
      for (let i = 0; i < 5; i++) {
        const account = await stage.services.accounts.insert({
          name: `${problem.UUID.slice(0, 8)}-${i}`,
          displayName: 'x',
          role: 'contestant',
        })
        const { text } = await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge'] })
        accounts.push((await submit(makeRpcClient(stage.url, text), problem.UUID)).ID)
      }
      const known = await hand('rival')
      assert.deepEqual([await next(), await next()], [known, accounts[0]])
    })

    test('what is judged again is served author by author, too', async () => {
      const done: number[] = []
      for (const by of ['contestant', 'contestant', 'contestant', 'rival'] as const) {
        done.push(await hand(by))
        assert.equal(await next(), done.at(-1))
        await finish(cast.worker, done.at(-1)!)
      }
      await cast.setter.call('rejudge_problem', { UUID: problem.UUID })
      const again: (number | undefined)[] = []
      for (let i = 0; i < 4; i++) {
        again.push(await next())
        await finish(cast.worker, again.at(-1)!)
      }
      assert.deepEqual(again, [done[0], done[3], done[1], done[2]])
    })

    test('what others have judged again of an author’s holds up nothing that the author waits for', async () => {
      for (const by of ['contestant', 'contestant', 'rival', 'setter'] as const) {
        const ID = await hand(by)
        assert.equal(await next(), ID)
        await finish(cast.worker, ID)
      }
      await cast.setter.call('rejudge_problem', { UUID: problem.UUID })
      const again: number[] = []
      for (let i = 0; i < 2; i++) {
        const { Submission } = await cast.worker.call(claimMethod, { Order: 'fair' })
        assert.deepEqual(Submission.ChargedAccount, { ID: problem.Author.ID }, 'nor does it take their share of a slot')
        again.push(Submission.ID)
      }
      assert.equal(await next(), undefined, 'however many authors it is of, it counts as theirs who have it done')
      const own = await hand('setter')
      assert.equal(await next(), undefined, 'as what they hand in does')
      const fresh = [await hand('contestant'), await hand('contestant')]
      assert.deepEqual([await next(), await next()], fresh)
      await finish(cast.worker, again[0]!)
      assert.equal(await next(), own)
    })

    test('those who have something judged again take turns, and one who has the most being judged is passed over', async () => {
      const other = await makeProblem(cast.colleague)
      const done: number[] = []
      for (const UUID of [problem.UUID, problem.UUID, problem.UUID, other.UUID, other.UUID]) {
        done.push((await submit(cast.contestant, UUID)).ID)
        assert.equal(await next(), done.at(-1))
        await finish(cast.worker, done.at(-1)!)
      }
      for (const [by, { UUID }] of [
        ['setter', problem],
        ['colleague', other],
      ] as const)
        await cast[by].call('rejudge_problem', { UUID })
      const again = new Set<number | undefined>()
      for (let i = 0; i < 2; i++) {
        const pair = [await next(), await next()]
        assert.deepEqual(pair.map((id) => done.indexOf(id!) < 3).sort(), [false, true], 'one of each')
        for (const id of pair) again.add(id)
      }
      assert.equal(await next(), undefined)
      await finish(cast.worker, done[3]!)
      assert.equal(await next(), undefined, 'the other’s place is not theirs')
      await finish(cast.worker, done[0]!)
      again.add(await next({ LanguageList: ['python'] }))
      assert.deepEqual([...again].sort(), done)
      await cast.admin.call('delete_problem', { UUID: other.UUID })
    })

    test('one that could not be judged has cost its author a turn', async () => {
      for (let i = 0; i < 3; i++) {
        const ID = await hand('contestant')
        assert.equal(await next(), ID)
        await finish(cast.worker, ID)
      }
      const failing = await hand('contestant')
      const { Submission } = await cast.worker.call(claimMethod, { Order: 'fair' })
      assert.equal(Submission.ID, failing)
      const other = await hand('rival')
      const failure = { ID: failing, Lease: Submission.Lease, Reason: 'for a test' }
      await cast.worker.call('report_submission_failure', failure)
      assert.deepEqual([await next(), await next()], [other, failing])
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
      await finish(cast.helper, python)
      const more: number[] = []
      for (let i = 0; i < 230; i++) more.push(await hand('contestant', { Language: `more-${i}` }))
      const another = await hand('rival', { Language: 'c' })
      await finish(cast.worker, c)
      assert.equal(await next({ LanguageList: ['c'] }), another, 'at the first claim, however many languages there are')
      for (let i = 0; i < 4; i++) assert.equal(await next({ LanguageList: ['c'] }), undefined)
      for (const ID of [more[0]!, more[120]!, more[229]!]) assert.deepEqual(await stateOf(ID), [3, 7])
    })
  })
}
