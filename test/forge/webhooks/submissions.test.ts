/** The judge's finished submissions, told to hooks of the site. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claim, finish, makeProblem, startJudge, submit } from '../../support/judge.ts'
import { asAdmin } from '../../support/rest.ts'
import { until } from '../../support/until.ts'
import { startReceiver } from './receiver.ts'

test('a hook of the site is told each time the judge has finished with a submission', async (t) => {
  const receiver = await startReceiver()
  const stage = await startJudge('sqlite', { environment: { GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  t.after(async () => {
    await stage.stop()
    await receiver.close()
  })
  const config = { url: receiver.url, content_type: 'json', secret: 'psst' }
  const { status } = await asAdmin(stage).post('/admin/hooks', { config, events: ['submission'] })
  assert.equal(status, 201)
  const problem = await makeProblem(stage.cast.setter, { DisplayName: 'Sum' })
  const { ID } = await submit(stage.cast.contestant, problem.UUID)
  const judge = async (result: number) => finish(stage.cast.worker, (await claim(stage.cast.worker)).ID, result)
  await judge(6)
  const { submission, sender } = await receiver.heard('submission', 'finished')
  assert.equal(submission.ID, ID)
  assert.equal(sender.login, 'contestant')
  await stage.cast.admin.call('rejudge_submission', { ID })
  await judge(1)
  const told = () => receiver.received.filter(({ headers }) => headers['x-platform-event'] === 'submission')
  await until(() => told().length === 2)
  assert.ok(told().every(({ headers }) => headers['x-hub-signature-256']))
})
