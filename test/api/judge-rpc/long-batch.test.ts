/** Batches whose answer is long: it leaves as it grows, and is the same as if it had left at once. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type JudgeStage, makeProblem, makeTest, page, problemDraft, startJudge } from '../../support/judge.ts'
import { readJson } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

describe('a batch with a long answer', () => {
  let stage: JudgeStage
  let UUID: string
  const Input = 'é\n"'.repeat(512 * 1024)
  before(async () => {
    stage = await startJudge('sqlite')
    UUID = (await makeTest(stage.cast.setter, (await makeProblem(stage.cast.setter)).UUID, { Input })).UUID
  })
  after(() => stage.stop())

  const call = (method: string, params: object) => ({ jsonrpc: '2.0', id: randomUUID(), method, params })

  test('is answered whole and in order, without the notifications', async () => {
    const reads = Array.from({ length: 4 }, () => call('get_test_case', { UUID }))
    const { id: _, ...notification } = call('get_session', {})
    const batch = [reads[0], notification, ...reads.slice(1), 7, call('get_session', {})]
    const response = await stage.cast.setter.post(JSON.stringify(batch))
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('content-length')],
      [200, 'application/json', null],
    )
    const answers = await readJson(response)
    assert.deepEqual(
      answers.slice(0, 4).map(({ id }: { id: string }) => id),
      reads.map(({ id }) => id),
    )
    for (const { result } of answers.slice(0, 4)) assert.equal(result.TestCase.Input, Input)
    assert.equal(answers[4].error.code, -32600)
    assert.equal(answers[5].result.Account.AccountName, 'setter')
    assert.equal(answers.length, 6)
  })

  test('is carried out to its end though its client has left', async () => {
    const reads = Array.from({ length: 20 }, () => call('get_test_case', { UUID }))
    const last = call('create_problem', { ...problemDraft, DisplayName: 'After all' })
    const headers = { authorization: `Bearer ${stage.cast.setter.token}` }
    const client = request(stage.url, { method: 'POST', headers }).on('error', () => {})
    client.end(JSON.stringify([...reads, last]))
    const [response] = await once(client, 'response')
    response.on('error', () => {})
    client.destroy()
    const isThere = async () => {
      const { ProblemSnippetList } = await stage.cast.setter.call('get_problem_snippet_list', page())
      return ProblemSnippetList.some(({ DisplayName }: { DisplayName: string }) => DisplayName === 'After all')
    }
    await until(isThere, 20)
  })
})
