/** Who is suspended reads nothing any more, and at once: not what they have read before either, which is cached. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { asAdmin } from '../support/rest.ts'
import { makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

for (const engine of engines) {
  describe(`who is suspended, on ${engine}`, () => {
    let server: TestServer
    let eve: RpcClient
    const reads: [method: string, params: object][] = []
    before(async () => {
      server = await startServer(engine)
      const anonymous = makeRpcClient(server.url)
      const root = await anonymous.signIn(admin.name, admin.password)
      const draft = { AccountName: 'eve', DisplayName: 'Eve', Role: 'contestant', Password: 'a good password' }
      const { ID } = (await root.call('create_account', draft)).Account
      eve = await anonymous.signIn('eve', 'a good password')
      const limits = { TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 * 1024 * 1024, ExampleList: [] }
      const problem = { DisplayName: 'Sum', Description: 'Add.', ...limits }
      const ProblemUUID = (await root.call('create_problem', problem)).Problem.UUID
      const testCase = { ProblemUUID, Input: '1', Output: '1', IsHidden: false }
      const { UUID } = (await root.call('create_test_case', testCase)).TestCaseSnippet
      const submission = { ProblemUUID, Language: 'python', Content: 'print(1)' }
      const handed = await eve.call('create_submission', submission)
      const page = { Offset: 0, Limit: 30 }
      reads.push(
        ['get_account', { ID }],
        ['get_problem', { UUID: ProblemUUID }],
        ['get_problem_snippet_list', page],
        ['get_account_problem_snippet_list', { AccountID: ID, ...page }],
        ['get_problem_test_case_snippet_list', { ProblemUUID, ...page }],
        ['get_test_case', { UUID }],
        ['get_submission', { ID: handed.SubmissionSnippet.ID }],
        ['get_submission_snippet_list', page],
        ['get_account_submission_snippet_list', { AccountID: ID, ...page }],
        ['get_problem_submission_snippet_list', { ProblemUUID, ...page }],
        ['get_account_problem_submission_snippet_list', { AccountID: ID, ProblemUUID, ...page }],
      )
    })
    after(() => server.stop())

    test('is refused each read that was answered to them before', async () => {
      for (const [method, params] of [...reads, ...reads]) assert.equal(await eve.code(method, params), 0, method)
      assert.equal((await asAdmin(server).put('/users/eve/suspended')).status, 204)
      for (const [method, params] of reads) assert.equal(await eve.code(method, params), 8, method)
      assert.equal((await asAdmin(server).delete('/users/eve/suspended')).status, 204)
      for (const [method, params] of reads) assert.equal(await eve.code(method, params), 0, method)
    })
  })
}
