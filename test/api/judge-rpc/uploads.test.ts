/** Uploads in large bodies, over the wire: the same answers as in small ones, and nothing left of them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, page, startJudge } from '../../support/judge.ts'
import { type Json, type RpcClient, readJson } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { admin } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { makeZip } from '../../support/zip.ts'

const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const unknown = '00000000-0000-0000-0000-000000000000'
const mebibyte = 1024 * 1024
const text = randomBytes(mebibyte).toString('hex')
const zip = makeZip([
  { path: 'a.in', data: text, isPacked: false },
  { path: 'a.out', data: 'b' },
]).toString('base64')

for (const engine of engines) {
  describe(`uploads in large bodies on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let cast: Cast
    let UUID: string
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
      UUID = (await makeProblem(cast.setter)).UUID
    })
    after(() => stage.stop())

    const call = (params: object, change: object = {}) => ({
      jsonrpc: '2.0',
      id,
      method: 'create_test_case_list',
      params,
      ...change,
    })
    const send = async (by: RpcClient, body: unknown): Promise<Json> =>
      readJson(await by.post(typeof body === 'string' ? body : JSON.stringify(body)))
    const countTests = async (): Promise<number> =>
      (await cast.setter.call('get_problem_test_case_snippet_list', { ProblemUUID: UUID, ...page() }))
        .TestCaseSnippetList.length

    /** Uploads that somebody still holds open: their names are gone, so only the descriptors tell. */
    const heldFiles = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).includes('/.passing-')
        } catch {
          return false
        }
      })

    test('a zip is unpacked, however its JSON is spelled and sent', async () => {
      const spelled = JSON.stringify(call({ ProblemUUID: UUID, ZippedTestData: '@' }))
      const bodies = [
        spelled.replace('@', zip),
        spelled.replace('@', zip.replaceAll('/', '\\/').replaceAll('+', '\\u002b')),
        spelled.replace('"ZippedTestData":', '"ZippedTestData":"twice", "\\u005aippedTestData" :\n').replace('@', zip),
      ]
      for (const body of bodies) {
        const before = await countTests()
        assert.deepEqual(await send(cast.setter, body), { jsonrpc: '2.0', id, result: {} })
        assert.equal(await countTests(), before + 1)
      }
      const stream = new ReadableStream({
        start(controller) {
          for (let at = 0; at < bodies[0]!.length; at += 100_000)
            controller.enqueue(Buffer.from(bodies[0]!.slice(at, at + 100_000)))
          controller.close()
        },
      })
      const headers = { authorization: `Bearer ${cast.setter.token}` }
      const init = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit
      assert.deepEqual((await readJson(await fetch(`${stage.url}/`, init))).result, {})
      const list = await cast.setter.call('get_problem_test_case_snippet_list', { ProblemUUID: UUID, ...page() })
      const last = list.TestCaseSnippetList.at(-1)
      const { TestCase } = await cast.setter.call('get_test_case', { UUID: last.UUID })
      assert.equal(TestCase.Input, text)
    })

    rule('the answer to a wrong one is what a small one gets', async () => {
      const small = { ZippedTestData: 'QUJD' }
      const fieldsOf = ({ error }: Json) => [error.code, error.data.Errors?.map(({ Field }: Json) => Field)]
      const large = 'QUJD'.repeat(mebibyte)
      const cases: [string, RpcClient, (data: string) => unknown][] = [
        ['a bad zip', cast.setter, (data) => call({ ProblemUUID: UUID, ZippedTestData: data })],
        ['no base64', cast.setter, (data) => call({ ProblemUUID: UUID, ZippedTestData: `${data}*` })],
        ['a bad uuid', cast.setter, (data) => call({ ProblemUUID: 'x', ZippedTestData: data })],
        ['an unknown problem', cast.setter, (data) => call({ ProblemUUID: unknown, ZippedTestData: data })],
        ['another’s problem', cast.colleague, (data) => call({ ProblemUUID: UUID, ZippedTestData: data })],
        ['a role that may not', cast.contestant, (data) => call({ ProblemUUID: UUID, ZippedTestData: data })],
        ['nobody signed in', cast.anonymous, (data) => call({ ProblemUUID: UUID, ZippedTestData: data })],
        ['an unknown method', cast.setter, (data) => call({ ZippedTestData: data }, { method: 'nope' })],
        ['no envelope', cast.setter, (data) => ({ ...small, ZippedTestData: data })],
        ['another member', cast.setter, (data) => call({ ProblemUUID: UUID, Content: data, ZippedTestData: 1 })],
        ['not JSON', cast.setter, (data) => JSON.stringify(call({ ZippedTestData: data })).slice(0, -1)],
        ['cut in its text', cast.setter, (data) => JSON.stringify(call({ ZippedTestData: data })).slice(0, -4)],
        ['a bad escape', cast.setter, (data) => JSON.stringify(call({ ZippedTestData: data })).replace('D"', '\\x"')],
      ]
      for (const [what, by, make] of cases) {
        const [expected, found] = [await send(by, make('QUJD')), await send(by, make(large))]
        assert.ok(expected.error, what)
        assert.deepEqual([found.id, ...fieldsOf(found)], [expected.id, ...fieldsOf(expected)], what)
        assert.equal(found.error.message, expected.error.message, what)
      }
    })

    rule('a long text elsewhere is judged by its own limits', async () => {
      const long = 'x'.repeat(2 * mebibyte)
      const submission = { ProblemUUID: UUID, Content: long, Language: 'c' }
      const { error } = await send(cast.contestant, call(submission, { method: 'create_submission' }))
      assert.deepEqual([error.code, error.data.Errors[0].Field], [-32602, 'Content'])
      const unknownMember = call({ ID: stage.idOf('setter'), ZippedTestData: long }, { method: 'get_account' })
      assert.equal((await send(cast.setter, unknownMember)).result.Account.AccountName, 'setter')
    })

    rule('a notification is carried out, and a batch signs in before its upload is asked for', async () => {
      const before = await countTests()
      const params = { ProblemUUID: UUID, ZippedTestData: zip }
      const { id: _, ...notification } = call(params)
      assert.equal((await cast.setter.post(JSON.stringify(notification))).status, 204)
      const signIn = { AccountName: admin.name, Password: admin.password }
      const answers = await send(cast.anonymous, [call(signIn, { method: 'create_session' }), call(params)])
      assert.deepEqual(answers[1].result, {})
      assert.equal(await countTests(), before + 2)
    })

    test('one that is given up half-way leaves nothing behind', async () => {
      const headers = { authorization: `Bearer ${cast.setter.token}`, 'content-length': String(8 * mebibyte) }
      const sending = httpRequest(`${stage.url}/`, { method: 'POST', headers })
      sending.on('error', () => {})
      const start = JSON.stringify(call({ ProblemUUID: UUID, ZippedTestData: '' })).slice(0, -3)
      sending.write(`${start}${'QUJD'.repeat(mebibyte)}`)
      await until(() => heldFiles().length === 1)
      sending.destroy()
      await until(() => heldFiles().length === 0)
    })
  })
}

test('an upload over the limit is refused by its length', async () => {
  const stage = await startJudge('sqlite', { environment: { GUILDHALL_JUDGE_LIMITS: 'archiveBytes=1500000' } })
  try {
    const { UUID } = await makeProblem(stage.cast.setter)
    const { error } = await stage.cast.setter.ask('create_test_case_list', { ProblemUUID: UUID, ZippedTestData: zip })
    assert.equal(error.code, -32602)
    assert.match(error.data.Errors[0].Reason, /^must have at most 2000000 bytes$/)
  } finally {
    await stage.stop()
  }
})
