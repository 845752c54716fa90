/** docs/judge.md and the OpenAPI description, held to what the server does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Ajv, type ValidateFunction } from 'ajv'
import { defaultLimits } from '../../src/judge/limits.ts'
import { claim, type JudgeStage, makeProblem, startJudge } from '../support/judge.ts'
import { asAdmin } from '../support/rest.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
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

  /** A program that somebody has run while the page's examples play its executor. */
  let trial: Promise<Json> | undefined

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
      if (method === 'accept_class_invitation') await addStudent('informatics-7b')
      if (method === 'accept_sheet') await makeStudent(known)
      const by = ofStudents.includes(method) ? stage.cast.contestant : client
      const answer = await by.ask(method, params)
      assert.equal(answer.error, undefined, `${method}: ${JSON.stringify(answer.error)}`)
      check(method, { jsonrpc: '2.0', id: answer.id, method, params })
      check(`${method}.answer`, answer)
      learn(answer.result, known)
      if (method === 'report_trial') await trial
      if (method === 'create_session') client = makeRpcClient(stage.url, answer.result.Token)
    }
  })

  const root = () => asAdmin(stage)

  /** What teachers can't do. */
  const ofStudents = ['accept_class_invitation', 'see_sheet', 'accept_sheet']

  /** A sheet with a template is accepted by a student of its class. */
  async function makeStudent({ SHEET }: Record<string, string | number>) {
    await root().post('/user/repos', { name: 'template', auto_init: true })
    await root().post('/admin/organizations', { login: 'school', admin: admin.name })
    const Template = { Repository: 'admin/template', Organisation: 'school' }
    const { Sheet } = await stage.cast.admin.call('update_sheet', { ID: SHEET, Template })
    await addStudent(Sheet.ClassID)
  }

  const addStudent = (ClassID: string) =>
    stage.cast.admin.call('put_class_member', { ClassID, AccountName: 'contestant', Role: 'student' })

  /** What a reader does between two examples. */
  async function prepare(method: string, known: Record<string, string | number>): Promise<void> {
    await prepareContests(method, known, stage.cast)
    if (method === 'update_submission') await stage.cast.admin.call('rejudge_submission', { ID: known.SUBMISSION })
    if (method === 'put_problem_link') await root().post('/user/repos', { name: 'exercises', auto_init: true })
    if (method === 'get_session_list') await makeRpcClient(stage.url).signIn(admin.name, admin.password)
    // Played: the example runs into an executor, and those of executors find a program.
    if (method === 'run_program') {
      const offer = { LanguageList: [{ Value: 'python', Name: 'Python' }], ParallelRunCount: 1, FeatureList: ['trial'] }
      await stage.cast.worker.call('register_executor', { Name: 'played', ...offer })
      void answerTrial(stage.cast.worker)
    }
    if (method === 'claim_trial') {
      const program = { ProblemUUID: known.PROBLEM, Content: 'x', Language: 'python' }
      trial = stage.cast.contestant.call('run_program', program)
    }
    const claims = ['report_submission', 'update_submission']
    if (claims.includes(method)) known.LEASE = (await claim(stage.cast.admin, { FeatureList: ['checker'] })).Lease
  }
})

async function answerTrial(by: RpcClient): Promise<void> {
  const FeatureList = ['checker', 'interactive', 'score']
  const { Trial } = await by.call('claim_trial', { LanguageList: ['python'], FeatureList, WaitMillisecond: 30_000 })
  const Report = { Result: 2, CompilerOutput: 'no program', RunList: [] }
  await by.call('report_trial', { ID: Trial.ID, Lease: Trial.Lease, Report })
}

/** What the examples of contests need besides. */
async function prepareContests(
  method: string,
  known: Record<string, string | number>,
  { admin, worker }: JudgeStage['cast'],
): Promise<void> {
  const finals = { ContestID: 'finals' }
  const contest = { Name: 'Another', Style: 'icpc', Duration: 3_600_000 }
  const judgeAll = async () => {
    for (;;) {
      const { result } = await worker.ask('get_and_update_first_submitted_submission_to_executing')
      if (!result) return
      await worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result: 1 })
    }
  }
  if (method === 'create_contest') {
    known.START = Date.now() - 60_000
    known.PROBLEM = (await makeProblem(admin)).UUID
    await admin.call('create_contest', { ...contest, ID: 'open', IsOpen: true, IsPublic: true })
    const trial = { ContestID: 'trial' }
    await admin.call('create_contest', { ...contest, ID: trial.ContestID })
    const problem = { ID: 'sum', Label: 'A', UUID: known.PROBLEM, Ordinal: 1, Colour: '#ff0000' }
    await admin.call('put_contest_problem', { ...trial, ...problem })
    await admin.call('put_contest_team', { ...trial, ID: 't1', Name: 'One' })
  }
  if (['get_balloon_list', 'apply_rejudging', 'ignore_submission'].includes(method)) await judgeAll()
  if (method === 'cancel_rejudging')
    known.REJUDGING = (await admin.call('create_rejudging', { ...finals, Reason: 'Once more' })).Rejudging.ID
  if (method === 'finalize_contest')
    await admin.call('update_contest', { ID: 'finals', Duration: 60_000, FreezeDuration: null })
}

function learn(result: Json, known: Record<string, string | number>): void {
  if (result.Problem) known.PROBLEM = result.Problem.UUID
  if (result.TestCaseSnippet) known.TEST = result.TestCaseSnippet.UUID
  if (result.SubmissionSnippet) known.SUBMISSION = result.SubmissionSnippet.ID
  if (result.Submission?.Lease) known.LEASE = result.Submission.Lease
  if (result.Trial) Object.assign(known, { TRIAL: result.Trial.ID, TRIALLEASE: result.Trial.Lease })
  if (result.SessionList) known.SESSION = result.SessionList.find(({ IsCurrent }: Json) => !IsCurrent).ID
  if (result.Token?.ID) known.TOKENID = result.Token.ID
  if (result.Sheet) known.SHEET = result.Sheet.ID
  if (result.Comment) known.COMMENT = result.Comment.ID
  if (result.Class?.JoinCode) known.CODE = result.Class.JoinCode
  if (result.BalloonList) known.BALLOON = result.BalloonList[0].ID
  if (result.Rejudging) known.REJUDGING = result.Rejudging.ID
  if (result.Account) known.ACCOUNT = result.Account.ID
}
