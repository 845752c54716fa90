import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  type Cast,
  claimMethod,
  type JudgeStage,
  makeProblem,
  makeTest,
  page,
  problemDraft,
  startJudge,
  submit,
} from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'
import { toBase64 } from '../support/zip.ts'

const requests = 3_000
const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const callers = ['anonymous', 'contestant', 'rival', 'setter', 'colleague', 'admin', 'worker'] as const

const knownCodes = [-32700, -32600, -32601, -32602, 6, 7, 8, 9, 10, 15, 17]

/** What the server keeps for itself about its callers (last use, sightings, counters) is no row of theirs. */
const tables = [
  'account',
  'setting',
  'problem',
  'test_case',
  'test_data',
  'problem_judging',
  'submission',
  'submission_source',
  'submission_report',
] as const

type Sample = { who: (typeof callers)[number]; body: string | Uint8Array; isNotification: boolean }

describe('three thousand random and mutated requests', () => {
  let stage: JudgeStage
  let cast: Cast
  let valid: Record<string, object>
  before(async () => {
    stage = await startJudge('sqlite')
    cast = stage.cast
    const problem = await makeProblem(cast.setter)
    const made = await makeTest(cast.setter, problem.UUID)
    const { ID } = await submit(cast.contestant, problem.UUID)
    valid = validCalls(problem.UUID, made.UUID, ID, stage.idOf('contestant'))
    const { components } = (await (await fetch(`${stage.url}/-/judge/openapi.json`)).json()) as Json
    const operations = Object.keys(components.schemas.Call.discriminator.mapping)
    assert.deepEqual(
      Object.keys(valid).filter((name) => !operations.includes(name)),
      [],
    )
  })
  after(() => stage.stop())

  /** How often a row was written, whatever was written: the database's own triggers count. */
  async function watch(): Promise<void> {
    await stage.services.store.write(async (trx) => {
      await sql`create table written (times integer not null)`.execute(trx)
      await sql`insert into written values (0)`.execute(trx)
      for (const table of tables)
        for (const act of ['insert', 'update', 'delete']) {
          const trigger = sql.raw(`create trigger ${table}_${act} after ${act} on ${table}`)
          await sql`${trigger} begin update written set times = times + 1; end`.execute(trx)
        }
    })
  }
  const countWrites = async () =>
    (await sql<{ times: number }>`select times from written`.execute(stage.services.store.db)).rows[0]!.times

  test('are answered inside the envelope, and what is refused changes no row', async () => {
    await watch()
    let before = await countWrites()
    const samples = fc.oneof(
      { weight: 6, arbitrary: mutatedCalls(valid) },
      { weight: 2, arbitrary: randomCalls(Object.keys(valid)) },
      { weight: 1, arbitrary: brokenEnvelopes() },
      { weight: 1, arbitrary: junk() },
    )
    await fc.assert(
      fc.asyncProperty(samples, async ({ who, body, isNotification }) => {
        const response = await cast[who].post(body as string)
        const text = await response.text()
        const wasRefused = checkAnswer(response, text, isNotification)
        const now = await countWrites()
        if (wasRefused) assert.equal(now, before, 'a refused call wrote a row')
        before = now
      }),
      { numRuns: requests, endOnFailure: true },
    )
  })
})

/** Answers whether every call in it was refused. */
function checkAnswer(response: Response, text: string, isNotification: boolean): boolean {
  if (response.status === 204) {
    assert.equal(text, '')
    return false
  }
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/json')
  assert.ok(!isNotification, 'a notification was answered')
  const answer = JSON.parse(text) as Json
  const answers: Json[] = Array.isArray(answer) ? answer : [answer]
  assert.ok(answers.length > 0)
  for (const one of answers) checkOne(one)
  return answers.every(({ error }) => error !== undefined)
}

function checkOne(answer: Json): void {
  assert.equal(answer.jsonrpc, '2.0')
  assert.ok('id' in answer)
  const members = Object.keys(answer).sort()
  if ('result' in answer) {
    assert.deepEqual(members, ['id', 'jsonrpc', 'result'])
    assert.equal(typeof answer.result, 'object')
    return
  }
  assert.deepEqual(members, ['error', 'id', 'jsonrpc'])
  const { code, message, data, ...rest } = answer.error
  assert.deepEqual(rest, {})
  assert.ok(knownCodes.includes(code), JSON.stringify(answer))
  assert.equal(typeof message, 'string')
  assert.ok(typeof data === 'object' && data !== null && !Array.isArray(data))
  assert.doesNotMatch(JSON.stringify(answer.error), /select |insert |sqlite|node_modules|\/src\//i)
}

const someone = fc.constantFrom(...callers)
const oddValues = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<Json>(
    null,
    '',
    'x',
    0,
    -1,
    1,
    2,
    3,
    1.5,
    2 ** 53,
    -0,
    1e308,
    true,
    [],
    {},
    '\0',
    '\ud800',
    id,
    'a'.repeat(300),
  ),
  fc.integer(),
)

const call = (method: string, params: unknown, envelope: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: withoutLongWaits(params), ...envelope })

/** Nobody has half a minute for each of them. */
function withoutLongWaits(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('WaitMillisecond' in params)) return params
  const { WaitMillisecond: wait } = params
  return typeof wait === 'number' && wait > 5 && wait <= 30_000 ? { ...params, WaitMillisecond: 5 } : params
}

function randomCalls(methods: string[]): fc.Arbitrary<Sample> {
  const params = fc.oneof(fc.dictionary(fc.string({ maxLength: 8 }), oddValues), oddValues)
  const method = fc.oneof(fc.constantFrom(...methods), fc.string())
  return fc
    .tuple(someone, method, params)
    .map(([who, name, given]) => ({ who, body: call(name, given), isNotification: false }))
}

/** A right call with up to three of its fields taken out, or given another value or another call's. */
function mutatedCalls(valid: Record<string, object>): fc.Arbitrary<Sample> {
  const others = Object.values(valid).flatMap((params) => Object.values(params))
  const value = fc.oneof(oddValues, fc.constantFrom(...others), fc.constant(undefined))
  const names = [...new Set(Object.values(valid).flatMap((params) => Object.keys(params)))]
  const change = fc.tuple(fc.nat(10), fc.constantFrom(...names), value)
  return fc
    .tuple(
      someone,
      fc.constantFrom(...Object.keys(valid)),
      fc.array(change, { maxLength: 3 }),
      fc.integer({ min: 0, max: 20 }),
    )
    .map(([who, method, changes, chance]) => {
      const params: Record<string, unknown> = { ...valid[method] }
      const own = Object.keys(params)
      for (const [at, name, given] of changes) params[own[at % own.length] ?? name] = given
      const isNotification = chance === 0
      return { who, body: call(method, params, isNotification ? { id: undefined } : {}), isNotification }
    })
}

function brokenEnvelopes(): fc.Arbitrary<Sample> {
  const entry = fc.record(
    {
      jsonrpc: fc.oneof(fc.constant('2.0'), oddValues),
      id: fc.oneof(fc.constant(id), oddValues),
      method: oddValues,
      params: oddValues,
    },
    { requiredKeys: [] },
  )
  const messages = fc.oneof(entry, fc.array(entry, { maxLength: 5 }), oddValues)
  return fc
    .tuple(someone, messages)
    .map(([who, message]) => ({ who, body: JSON.stringify(message), isNotification: false }))
}

/** Bytes at random, and right calls with bytes changed. */
function junk(): fc.Arbitrary<Sample> {
  const right = Buffer.from(call('get_submission_snippet_list', page()))
  const spoilt = fc
    .array(fc.tuple(fc.nat(right.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 })
    .map((changes) => {
      const bytes = Uint8Array.from(right)
      for (const [at, byte] of changes) bytes[at] = byte
      return bytes
    })
  const body = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string(), spoilt)
  return fc.tuple(someone, body).map(([who, given]) => ({ who, body: given, isNotification: false }))
}

function validCalls(problem: string, testCase: string, submission: number, account: number): Record<string, object> {
  const lease = { ID: submission, Lease: 'x' }
  return {
    get_server_info: {},
    create_account: { AccountName: 'fuzz', DisplayName: 'Fuzz', Role: 'contestant', Password: 'password' },
    get_account_list: page(),
    get_account: { ID: account },
    update_account: { ID: account, DisplayName: 'Other' },
    create_session: { AccountName: 'nobody', Password: 'wrong-password' },
    get_session: {},
    create_problem: problemDraft,
    get_problem: { UUID: problem },
    get_problem_statement: { UUID: problem },
    preview_statement: { Description: '$x$' },
    get_problem_snippet_list: page(),
    get_account_problem_snippet_list: { AccountID: account, ...page() },
    update_problem: { UUID: problem, DisplayName: 'Other' },
    delete_problem: { UUID: id },
    create_test_case: { ProblemUUID: problem, Input: '1', Output: '2', IsHidden: true },
    create_test_case_list: { ProblemUUID: problem, ZippedTestData: toBase64([{ path: '1.in' }, { path: '1.out' }]) },
    get_problem_test_case_snippet_list: { ProblemUUID: problem, ...page() },
    get_test_case: { UUID: testCase },
    update_test_case: { UUID: testCase, Input: 'new', Output: 'other', IsHidden: false },
    delete_test_case: { UUID: id },
    get_problem_judging: { UUID: problem },
    update_problem_judging: {
      UUID: problem,
      Judging: {
        Type: 'batch',
        PassLimit: 1,
        Checker: { Kind: 'tokens', ArgumentList: ['float_tolerance', '1e-6'], Program: null },
        Interactor: null,
        IsScored: true,
        Aggregation: 'sum',
        MaximumScore: 100,
        GroupList: [{ Name: 'a', Aggregation: 'min', MaximumScore: 50, RequireList: ['sample'] }],
        LanguageFactorList: [{ Language: 'java', TimeFactor: 2 }],
        IsHeld: false,
      },
    },
    get_test_case_judging: { UUID: testCase },
    update_test_case_judging: { UUID: testCase, Group: '', Points: 1, ArgumentList: [] },
    get_problem_test_case_judging_list: { ProblemUUID: problem, ...page() },
    create_submission: { ProblemUUID: problem, Content: 'x', Language: 'c' },
    run_program: { ProblemUUID: problem, Content: 'x', Language: 'c', Input: '1' },
    claim_trial: { WaitMillisecond: 0, LanguageList: ['c'] },
    renew_trial_lease: lease,
    report_trial: { ...lease, Reason: 'none' },
    get_submission: { ID: submission },
    wait_for_submission: { ID: submission, WaitMillisecond: 0 },
    get_submission_report: { ID: submission },
    get_submission_snippet_list: page(),
    get_account_submission_snippet_list: { AccountID: account, ...page() },
    get_problem_submission_snippet_list: { ProblemUUID: problem, ...page() },
    get_account_problem_submission_snippet_list: { AccountID: account, ProblemUUID: problem, ...page() },
    delete_submission: { ID: submission },
    update_submission: { ID: submission, Status: 3, Result: 1 },
    rejudge_submission: { ID: submission },
    rejudge_problem: { UUID: problem },
    [claimMethod]: { WaitMillisecond: 0, LanguageList: ['c'] },
    renew_submission_lease: lease,
    report_submission: { ...lease, Report: { Result: 1, CompilerOutput: '', TestList: [] } },
    report_submission_failure: { ...lease, Reason: 'none' },
    register_executor: { Name: 'fuzz', LanguageList: [{ Value: 'c', Name: 'C' }], ParallelRunCount: 1 },
    unregister_executor: { Name: 'fuzz' },
    update_setting: { Setting: {} },
  }
}
