import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  type JudgeStage,
  makeProblem,
  page,
  startJudge,
  storeSubmissions,
  submit,
} from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'

/** So many that the blocks of both levels are crossed: ids are made to jump. */
const stored = 2_000

for (const engine of engines) {
  describe(`pages of submissions on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    let problems: Json[]
    type Stored = { id: number; author: number; problem: string }
    let all: Stored[] = []

    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
      problems = [await makeProblem(cast.setter), await makeProblem(cast.setter)]
      const authors = [stage.idOf('contestant'), stage.idOf('rival')]
      // Ids with holes: as after many deletions, and far enough apart for several blocks of the top level.
      all = Array.from({ length: stored }, (_, i) => ({
        id: 1 + i * 301 + (i % 7),
        author: authors[i % 3 === 0 ? 0 : 1]!,
        problem: problems[i % 5 === 0 ? 0 : 1].UUID,
      }))
      await storeSubmissions(
        stage,
        all.map(({ id, author, problem }) => ({ id, authorId: author, problemUuid: problem, status: 3 })),
      )
      await stage.services.judge.counts.fold()
    })
    after(() => stage.stop())

    async function checkPage(author: number | undefined, problem: string | undefined, Offset: number, Limit: number) {
      const [method, about] = author
        ? problem
          ? ['get_account_problem_submission_snippet_list', { AccountID: author, ProblemUUID: problem }]
          : ['get_account_submission_snippet_list', { AccountID: author }]
        : problem
          ? ['get_problem_submission_snippet_list', { ProblemUUID: problem }]
          : ['get_submission_snippet_list', {}]
      const given = await cast.worker.call(method as string, { ...(about as object), ...page(Offset, Limit) })
      const wanted = all
        .filter((one) => (!author || one.author === author) && (!problem || one.problem === problem))
        .map(({ id }) => id)
        .sort((a, b) => b - a)
      assert.equal(given.TotalSubmissionCount, wanted.length)
      assert.deepEqual(
        given.SubmissionSnippetList.map(({ ID }: Json) => ID),
        wanted.slice(Offset, Offset + Limit),
      )
    }

    const checkMany = (runs: number) =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom('contestant', 'rival', undefined),
          fc.constantFrom(0, 1, undefined),
          fc.nat(all.length + 10),
          fc.integer({ min: 1, max: 100 }),
          (who, problem, offset, limit) =>
            checkPage(
              who && stage.idOf(who as keyof Cast),
              problem === undefined ? undefined : problems[problem].UUID,
              offset,
              limit,
            ),
        ),
        { numRuns: runs },
      )

    test('a page holds what a walk through the whole list would find there', () => checkMany(60))

    test('so it does with new ones that are not counted yet', async () => {
      for (let i = 0; i < 30; i++) {
        const who = i % 2 === 0 ? 'contestant' : 'rival'
        const { ID } = await submit(cast[who], problems[i % 2].UUID)
        all.push({ id: ID, author: stage.idOf(who), problem: problems[i % 2].UUID })
      }
      await checkMany(25)
    })

    test('so it does after deletions among the counted and the new', async () => {
      const gone = new Set(all.filter((_, i) => i % 37 === 0 || i >= all.length - 5).map(({ id }) => id))
      for (const ID of gone) await cast.admin.call('delete_submission', { ID })
      all = all.filter(({ id }) => !gone.has(id))
      await checkMany(25)
    })

    test('so it does while many are handed in at once and counted in the background', async () => {
      const send = async (i: number) => {
        const who = i % 2 === 0 ? 'contestant' : 'rival'
        const { ID } = await submit(cast[who], problems[1].UUID)
        all.push({ id: ID, author: stage.idOf(who), problem: problems[1].UUID })
      }
      // More than the last few hundred, which are not counted by blocks.
      for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 100 }, (_, k) => send(k)))
      await checkMany(25)
      await stage.services.judge.counts.fold()
      await checkMany(25)
    })

    test('so it does after a problem has gone with all its submissions', async () => {
      await cast.admin.call('delete_problem', { UUID: problems[1].UUID })
      all = all.filter(({ problem }) => problem !== problems[1].UUID)
      problems[1] = problems[0]
      await checkMany(25)
    })
  })
}
