import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Files, interactive2025, legacy, legacyScoring, scoring2025, zipOf } from '../judge/packages/packages.ts'
import { claim, type JudgeStage, page, startJudge } from '../support/judge.ts'
import { runProgram, startOnTerminal } from '../support/program.ts'
import type { Json } from '../support/rpc.ts'
import { until } from '../support/until.ts'

describe('problem packages on the command line', () => {
  let stage: JudgeStage
  before(async () => {
    stage = await startJudge('sqlite')
  })
  after(() => stage.stop())

  const place = (name: string) => join(stage.database.folder, name)
  const run = (...words: string[]) =>
    runProgram(words, { GUILDHALL_SERVER: stage.url, GUILDHALL_TOKEN: stage.cast.setter.token! })
  async function writeFolder(name: string, files: Files): Promise<string> {
    for (const [path, data] of Object.entries(files)) {
      await mkdir(dirname(place(`${name}/${path}`)), { recursive: true })
      await writeFile(place(`${name}/${path}`), data)
    }
    return place(name)
  }
  const listProblems = async () => (await stage.cast.setter.call('get_problem_snippet_list', page())).ProblemSnippetList

  test('a folder is brought, fetched as a zip, and that zip brought again', async () => {
    const first = await run('problem', 'import', await writeFolder('different', legacy))
    assert.deepEqual([first.code, first.err], [0, ''])
    assert.match(
      first.out,
      /^Problem [0-9a-f-]{36}: Different, 3 tests, 10 files kept\.\n {2}- problem\.yaml: limits\.output/,
    )
    const fetched = await run('problem', 'export', 'different', '--output', place('out.zip'))
    assert.equal(fetched.code, 0, fetched.err)
    assert.equal((await readFile(place('out.zip'))).subarray(0, 2).toString(), 'PK')
    const second = await run('problem', 'import', place('out.zip'), '--held')
    assert.match(second.out, /Different, 3 tests, 10 files kept/)
    assert.equal((await listProblems()).length, 1)
  })

  test('what is wrong is said in one line', async () => {
    for (const [words, message] of [
      [['problem', 'import', place('nowhere')], /There is nothing at/],
      [
        ['problem', 'import', await writeFolder('graded', { ...legacyScoring, 'graders/g.py': '' })],
        /graders\/: grading/,
      ],
      [['problem', 'export', 'nonsense'], /is not a problem here/],
      [['problem', 'check', await writeFolder('bare', { 'problem.yaml': 'name: Bare' })], /no submissions to judge/],
    ] as const) {
      const { code, err } = await run(...words)
      assert.equal(code, 1)
      assert.match(err, message)
    }
  })

  const report = (Result: number, tests: number[], { UUID }: Json, change: object = {}) => ({
    Result,
    CompilerOutput: '',
    TestList: tests.map((one) => ({
      ...{
        TestCaseUUID: UUID,
        Result: one,
        CPUTimeInMillisecond: 10,
        WallTimeInMillisecond: 10,
        PeakMemoryInByte: 1e6,
      },
      ...{ Stderr: '', ExitCode: 0, Signal: null },
    })),
    ...change,
  })

  /** Judges what comes by what the source says: the part of the executor is not what is tried here. */
  async function judgeAll(count: number, resultOf: (content: string) => number): Promise<void> {
    const FeatureList = ['checker', 'interactive', 'score']
    for (let i = 0; i < count; i++) {
      const claimed = await claim(stage.cast.worker, { WaitMillisecond: 20_000, FeatureList })
      const Result = resultOf(claimed.Content)
      const Report = report(Result, [1, Result], { UUID: '00000000-0000-0000-0000-000000000000' })
      await stage.cast.worker.call('report_submission', { ID: claimed.ID, Lease: claimed.Lease, Report })
    }
  }

  test('check judges the submissions of a package against their folders, and leaves nothing behind', async () => {
    const before = (await listProblems()).length
    const zip = place('interactive.zip')
    await writeFile(
      zip,
      zipOf({
        ...interactive2025,
        'submissions/accepted/c.hs': 'main',
        'submissions/mixed/d.py': '# @EXPECTED_RESULTS@: TIMELIMIT, RUN-ERROR\n',
      }),
    )
    const checking = run('problem', 'check', zip)
    await judgeAll(3, (content) => (content.includes('middle') ? 1 : content.includes('@') ? 3 : 6))
    const { code, out, err } = await checking
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(out.split('\n').slice(-6), [
      'SUBMISSION         EXPECTED    RESULT                TIME   POINTS',
      'accepted/a.py      AC          accepted              10 ms  -       as expected',
      'accepted/c.hs      -           language not offered  -      -       not judged',
      'mixed/d.py         TLE or RTE  runtime error         10 ms  -       as expected',
      'wrong_answer/b.py  WA          wrong answer          10 ms  -       as expected',
      '',
    ])
    assert.equal((await listProblems()).length, before)
    const { ProblemSnippetList } = await stage.cast.setter.call('get_account_problem_snippet_list', {
      AccountID: stage.idOf('setter'),
      ...page(),
    })
    assert.ok(!ProblemSnippetList.some(({ DisplayName }: Json) => DisplayName === 'Guess'))
  })

  test('a verdict that is not the folder’s is told, and the command fails; a problem can be checked as well as a package', async () => {
    await run(
      'problem',
      'import',
      await writeFolder('again', {
        ...scoring2025,
        'submissions/submissions.yaml': 'wrong_answer/*.py: {permitted: [AC, WA]}\n',
      }),
    )
    const [{ UUID }] = await listProblems()
    const checking = run('problem', 'check', UUID)
    await judgeAll(2, () => 4)
    const { code, out } = await checking
    assert.equal(code, 1)
    assert.match(out, /accepted\/a\.py +AC +time limit exceeded .*not as expected/)
    assert.match(out, /wrong_answer\/b\.py +WA, AC or WA +time limit exceeded .*not as expected/)
  })

  test('check tells when no executor takes a submission, and which submissions are too many', async () => {
    const many = Array.from({ length: 499 }, (_, i) => [`submissions/accepted/${i}.hs`, 'main'])
    const { 'submissions/submissions.yaml': _, ...files } = scoring2025
    const path = place('many.zip')
    await writeFile(path, zipOf({ ...files, ...Object.fromEntries(many), 'submissions/wrong_answer/b.py': 'x' }))
    const server = { GUILDHALL_SERVER: stage.url, GUILDHALL_TOKEN: stage.cast.setter.token! }
    const checking = startOnTerminal(['problem', 'check', path], { ...server, NO_COLOR: '1' })
    let said = ''
    checking.stdout!.on('data', (chunk) => {
      said += chunk
    })
    const ending = once(checking, 'close')
    await until(() => /No executor has taken accepted\/a\.py yet/.test(said))
    await judgeAll(1, () => 1)
    await ending
    assert.equal(checking.exitCode, 0, said)
    assert.match(said, /accepted\/a\.py +AC +accepted .*as expected/)
    assert.match(said, /wrong_answer\/b\.py +- +beyond the first 500 .*not judged/)
  })
})
