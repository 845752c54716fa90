/** docs/judge.md and the OpenAPI description, held to what the server does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Ajv, type ValidateFunction } from 'ajv'
import { defaultLimits } from '../../src/judge/limits.ts'
import { claim, type JudgeStage, startJudge } from '../support/judge.ts'
import { type Json, makeRpcClient } from '../support/rpc.ts'
import { admin } from '../support/server.ts'
import { toBase64 } from '../support/zip.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'judge.md'), 'utf8')

const thirty = [
  'get_server_info',
  'create_account',
  'get_account_list',
  'get_account',
  'update_account',
  'create_session',
  'get_session',
  'delete_session',
  'create_problem',
  'get_problem',
  'get_problem_snippet_list',
  'get_account_problem_snippet_list',
  'update_problem',
  'delete_problem',
  'create_test_case',
  'create_test_case_list',
  'get_problem_test_case_snippet_list',
  'get_test_case',
  'update_test_case',
  'delete_test_case',
  'create_submission',
  'get_submission',
  'get_submission_snippet_list',
  'get_account_submission_snippet_list',
  'get_problem_submission_snippet_list',
  'get_account_problem_submission_snippet_list',
  'update_submission',
  'delete_submission',
  'get_and_update_first_submitted_submission_to_executing',
  'update_setting',
]

describe('the judge’s documents', () => {
  let stage: JudgeStage
  let description: Json
  before(async () => {
    stage = await startJudge('sqlite')
    description = await (await fetch(`${stage.url}/-/judge/openapi.json`)).json()
  })
  after(() => stage.stop())

  const methods = () => Object.keys(description.components.schemas.Call.discriminator.mapping)

  test('the description is OpenAPI 3.0.3 with the contract’s title and version', () => {
    assert.equal(description.openapi, '3.0.3')
    assert.deepEqual(description.info, { title: 'API', version: 'v0.0.0-unknown' })
    assert.deepEqual(Object.keys(description.paths), ['/'])
    for (const method of thirty) assert.ok(methods().includes(method), method)
    for (const text of JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      assert.ok(description.components.schemas[text[1]!], text[1])
    }
    assert.doesNotMatch(JSON.stringify(description), /"(?:const|anyOf|\$id|~kind)":(?!\[\{"\$ref")/)
  })

  test('the page has every operation, and none besides', () => {
    const told = [...page.matchAll(/^### ([a-z_]+)$/gm)].map(([, name]) => name)
    assert.deepEqual(told.sort(), methods().sort())
  })

  test('the page has every limit with its default', () => {
    const rows = [...page.matchAll(/^\| ([a-zA-Z]+) \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)])
    assert.deepEqual(Object.fromEntries(rows), defaultLimits)
  })

  test('every example of the page works as printed, and call and answer are as described', async () => {
    const ajv = new Ajv({ strict: false, formats: { uint64: true, uuid: true, text: true, bytes: true, int64: true } })
    ajv.addSchema(description, 'api')
    const check = (name: string, value: unknown) => {
      const validate = ajv.getSchema(`api#/components/schemas/${name}`) as ValidateFunction
      assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`)
    }
    const known: Record<string, string | number> = {
      PASSWORD: admin.password,
      ZIP: toBase64([
        { path: '1.in', data: '1' },
        { path: '1.out', data: '2' },
      ]),
    }
    known.PACKAGE = toBase64([
      { path: 'sum/problem.yaml', data: 'name: Sum\n' },
      { path: 'sum/data/secret/1.in', data: '1' },
      { path: 'sum/data/secret/1.ans', data: '1' },
    ])
    let client = makeRpcClient(stage.url)
    const examples = [...page.matchAll(/^call ([a-z_]+) '(.*)'$/gm)]
    assert.equal(examples.length, methods().length)
    for (const [, method = '', text = ''] of examples) {
      await prepare(method, known)
      // As a shell would read it: what stands between two quotes is the variable's value.
      const params = JSON.parse(text.replace(/'\$([A-Z]+)'/g, (_, name: string) => String(known[name])))
      const answer = await client.ask(method, params)
      assert.equal(answer.error, undefined, `${method}: ${JSON.stringify(answer.error)}`)
      check(method, { jsonrpc: '2.0', id: answer.id, method, params })
      check(`${method}.answer`, answer)
      learn(answer.result, known)
      if (method === 'create_session') client = makeRpcClient(stage.url, answer.result.Token)
    }
  })

  /** What a reader does between two examples. */
  async function prepare(method: string, known: Record<string, string | number>): Promise<void> {
    if (method === 'update_submission') await stage.cast.admin.call('rejudge_submission', { ID: known.SUBMISSION })
    if (method === 'get_session_list') await makeRpcClient(stage.url).signIn(admin.name, admin.password)
    const claims = ['report_submission', 'update_submission']
    if (claims.includes(method)) known.LEASE = (await claim(stage.cast.admin, { FeatureList: ['checker'] })).Lease
  }
})

function learn(result: Json, known: Record<string, string | number>): void {
  if (result.Problem) known.PROBLEM = result.Problem.UUID
  if (result.TestCaseSnippet) known.TEST = result.TestCaseSnippet.UUID
  if (result.SubmissionSnippet) known.SUBMISSION = result.SubmissionSnippet.ID
  if (result.Submission?.Lease) known.LEASE = result.Submission.Lease
  if (result.SessionList) known.SESSION = result.SessionList.find(({ IsCurrent }: Json) => !IsCurrent).ID
  if (result.Token?.ID) known.TOKENID = result.Token.ID
  if (result.Account) known.ACCOUNT = result.Account.ID
}
