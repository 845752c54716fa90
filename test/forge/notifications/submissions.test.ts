/** Submissions that the judge has finished come to their authors' notifications. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { claim, finish, type JudgeStage, makeProblem, startJudge, submit } from '../../support/judge.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

for (const engine of oneEngine) {
  describe(`finished submissions on ${engine}`, () => {
    let stage: JudgeStage
    let ann: RestClient
    let author: RestClient
    let rival: RestClient
    let problem: Json
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_SUBMISSIONS_REPOSITORY: 'Ann/school' } })
      ann = await makeUser(stage, 'ann')
      const inbox = async (login: string) =>
        makeRest(stage.url, await makeToken(stage, login, { kind: 'classic', scopes: ['notifications'] }))
      author = await inbox('contestant')
      rival = await inbox('rival')
      problem = await makeProblem(stage.cast.setter, { DisplayName: 'Sum' })
      await ann.post('/user/repos', { name: 'school' })
    })
    after(() => stage.stop())

    const read = async (client: RestClient) => (await client.get('/notifications')).body
    async function judge(result: number): Promise<void> {
      const { ID } = await claim(stage.cast.worker)
      await finish(stage.cast.worker, ID, result)
    }

    test('as one thread each, unread again when judged again, and to nobody else', async () => {
      const { ID } = await submit(stage.cast.contestant, problem.UUID)
      await judge(6)
      await until(async () => (await read(author)).length === 1)
      const [thread] = await read(author)
      assert.equal(thread.reason, 'ci_activity')
      assert.equal(thread.repository.full_name, 'ann/school')
      const place = `${stage.url}/repos/ann/school`
      const subject = { title: 'Sum: wrong answer', url: place, latest_comment_url: place, type: 'CheckSuite' }
      assert.deepEqual(thread.subject, subject)
      assert.equal((await author.patch(`/notifications/threads/${thread.id}`)).status, 205)
      await stage.cast.admin.call('rejudge_submission', { ID })
      await judge(1)
      await until(async () => (await read(author)).length === 1)
      const [again] = await read(author)
      assert.deepEqual([again.id, again.subject.title], [thread.id, 'Sum: accepted'])
      assert.deepEqual(await read(rival), [])
      assert.deepEqual((await author.get('/notifications?participating=true')).body, [])
    })

    test('not to one who may not read the repository', async () => {
      await ann.patch('/repos/ann/school', { private: true })
      await submit(stage.cast.rival, problem.UUID)
      await judge(1)
      await until(async () => {
        const jobs = stage.services.store.db
          .selectFrom('job')
          .select('id')
          .where('kind', '=', 'forge.submission-delivery')
        return (await jobs.where('state', 'not in', ['done', 'dead']).execute()).length === 0
      })
      await ann.patch('/repos/ann/school', { private: false })
      assert.deepEqual(await read(rival), [])
    })
  })
}
