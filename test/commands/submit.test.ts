import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { claim, type JudgeStage, makeProblem, makeTest, startJudge } from '../support/judge.ts'
import { endingOf, runOnTerminal, runProgram, startOnTerminal } from '../support/program.ts'
import type { Json } from '../support/rpc.ts'
import { until } from '../support/until.ts'

const introducer = '\x1b['

describe('a student’s client', () => {
  let stage: JudgeStage
  let problem: Json
  let tests: Json[]
  before(async () => {
    stage = await startJudge('sqlite')
    problem = await makeProblem(stage.cast.setter, { DisplayName: 'Hello, World!' })
    tests = [
      await makeTest(stage.cast.setter, problem.UUID, { IsHidden: false }),
      await makeTest(stage.cast.setter, problem.UUID),
    ]
    await makeProblem(stage.cast.setter, { DisplayName: 'Sum \x1b[31mof two' })
    await writeFile(join(stage.database.folder, 'hello_world.py'), 'print(3)\n')
    await writeFile(join(stage.database.folder, 'other.py'), 'print(4)\n')
    await writeFile(join(stage.database.folder, 'odd.xyz'), 'x')
    await writeFile(join(stage.database.folder, 'empty.py'), '')
  })
  after(() => stage.stop())

  const file = (name: string) => join(stage.database.folder, name)
  const environment = () => ({ GUILDHALL_SERVER: stage.url, GUILDHALL_TOKEN: stage.cast.contestant.token! })
  const run = (...words: string[]) => runProgram(words, environment())

  const testReport = (TestCaseUUID: string, Result: number, change: object = {}) => ({
    TestCaseUUID,
    Result,
    CPUTimeInMillisecond: 12,
    WallTimeInMillisecond: 14,
    PeakMemoryInByte: 3_145_728,
    Stderr: '',
    ExitCode: 0,
    Signal: null,
    ...change,
  })
  const claimNext = () => claim(stage.cast.worker, { WaitMillisecond: 20_000 })
  const tell = ({ ID, Lease }: Json, Report: object) =>
    stage.cast.worker.call('report_submission', { ID, Lease, Report: { CompilerOutput: '', ...Report } })

  test('a file is handed in for the problem of its name, and its verdict is printed without colours', async () => {
    const running = run('submit', file('hello_world.py'))
    const claimed = await claimNext()
    assert.deepEqual([claimed.Content, claimed.Language, claimed.Problem.UUID], ['print(3)\n', 'python', problem.UUID])
    await tell(claimed, { Result: 1, TestList: tests.map(({ UUID }) => testReport(UUID, 1)) })
    const { code, out, err } = await running
    assert.deepEqual([code, err], [0, ''])
    assert.equal(
      out,
      [
        `Submission ${claimed.ID} · Hello, World! · Python`,
        'Accepted · 10 ms · 3.0 MiB',
        'TEST  RESULT    TIME   MEMORY',
        '1     accepted  12 ms  3.0 MiB',
        '2     accepted  10 ms  3.0 MiB',
        '',
      ].join('\n'),
    )
  })

  test('on a terminal the tests are counted as they are run, in colour', async () => {
    const terminal = startOnTerminal(['submit', file('other.py'), '--problem', 'hello'], environment())
    let shown = ''
    terminal.stdout!.on('data', (chunk) => {
      shown += chunk
    })
    const ending = endingOf(terminal)
    await until(() => shown.includes('waiting for an executor'))
    const claimed = await claimNext()
    await until(() => shown.includes('compiling'))
    const renew = (FinishedTestCaseCount: number) => ({
      ...{ ID: claimed.ID, Lease: claimed.Lease },
      ...{ FinishedTestCaseCount, TotalTestCaseCount: 2 },
    })
    await stage.cast.worker.call('renew_submission_lease', renew(1))
    await until(() => shown.includes('1 of 2'))
    const wrong = testReport(tests[1]!.UUID, 6)
    await tell(claimed, { Result: 6, TestList: [testReport(tests[0]!.UUID, 1), wrong] })
    await ending
    assert.match(shown, /Wrong answer.* on test 2 · 10 ms/)
    assert.ok(shown.includes(`${introducer}31m`) && shown.includes(`${introducer}32m`))
  })

  test('NO_COLOR keeps a terminal plain', async () => {
    const { out } = await runOnTerminal(['status', '1'], { ...environment(), NO_COLOR: '1' })
    assert.match(out, /Accepted/)
    assert.ok(!out.includes(`${introducer}3`))
  })

  test('a compiler’s words and a crash are shown, but nothing that a terminal would obey', async () => {
    const first = run('submit', file('hello_world.py'))
    await tell(await claimNext(), { Result: 2, CompilerOutput: `line 1:\x1b]0;owned\x07\n  no\x1b[2J`, TestList: [] })
    const compiled = await first
    assert.equal(compiled.code, 1)
    assert.match(compiled.out, /Compile error\nThe compiler says:\n {2}line 1:/)
    assert.ok(!compiled.out.includes('\x1b') && !compiled.out.includes('\x07'))

    const second = run('submit', file('hello_world.py'))
    const crashed = testReport(tests[0]!.UUID, 3, { Stderr: 'Traceback', ExitCode: null, Signal: 'SIGSEGV' })
    await tell(await claimNext(), { Result: 3, TestList: [crashed] })
    const { code, out } = await second
    assert.equal(code, 1)
    assert.match(out, /Runtime error on test 1/)
    assert.match(out, /ended by SIGSEGV\.\nIt wrote to stderr:\n {2}Traceback/)
  })

  test('status shows one again, or lists the newest; problems tells how far one is', async () => {
    const again = await run('status', '1')
    assert.equal(again.code, 0)
    assert.match(again.out, /^Submission 1 · Hello, World! · python\nAccepted/)
    const { out } = await run('status')
    assert.match(out, /^ID +PROBLEM +LANGUAGE +RESULT +POINTS +HANDED IN\n4 .*runtime error/)
    const { out: listed } = await run('problems')
    assert.match(listed, /Hello, World! +accepted +1000 ms +64\.0 MiB/)
    assert.match(listed, /Sum {2}\[31mof two +- /)
    assert.doesNotMatch((await run('problems', 'hello')).out, /Sum/)
  })

  test('without waiting, it ends at once and status finds it later', async () => {
    const { code, out } = await run('submit', file('other.py'), '--problem', problem.UUID.slice(0, 8), '--no-wait')
    assert.equal(code, 0)
    const [, id] = /^Submission (\d+)/.exec(out)!
    assert.match((await run('status', id!, '--no-wait')).out, /waiting for an executor/)
  })

  test('what is wrong is said in one line with the next step, and nothing is handed in', async () => {
    const { Account } = await stage.cast.contestant.call('get_session')
    const count = async () => {
      const params = { AccountID: Account.ID, Offset: 0, Limit: 1 }
      return (await stage.cast.contestant.call('get_account_submission_snippet_list', params)).TotalSubmissionCount
    }
    const before = await count()
    const own = environment()
    const wrong: [string[], object, RegExp][] = [
      [['submit', file('nowhere.py')], own, /There is no file nowhere\.py in \//],
      [['submit', file('empty.py')], own, /is empty/],
      [['submit', stage.database.folder], own, /is not a file/],
      [['submit', file('other.py')], own, /"other", is not a problem here: name one with --problem: /],
      [['submit', file('other.py'), '--problem', 'o'], own, /may mean .*Hello, World! \([0-9a-f]{8}\)/],
      [['submit', file('odd.xyz'), '--problem', 'hello'], own, /\.xyz is not known: say it with --language/],
      [['submit', file('other.py'), '--problem', 'hello', '--language', 'cobol'], own, /offers cobol: there are/],
      [['status', 'x'], own, /status lists yours/],
      [['status', '999999'], own, /no submission 999999/],
      [
        ['problems'],
        { ...own, GUILDHALL_TOKEN: undefined },
        /put a token of yours in GUILDHALL_TOKEN.*\/-\/account\/tokens/,
      ],
      [['problems'], { ...own, GUILDHALL_TOKEN: 'wrong' }, /does not know the token.*\/-\/account\/tokens/],
      [['problems'], { ...own, GUILDHALL_SERVER: 'http://127.0.0.1:9' }, /does not answer .*--server/],
      [['submit'], own, /FILE is missing/],
    ]
    const endings = await Promise.all(wrong.map(([words, environment]) => runProgram(words, { ...environment })))
    endings.forEach(({ code, err }, i) => {
      assert.notEqual(code, 0, wrong[i]![0].join(' '))
      assert.match(err, wrong[i]![2])
    })
    assert.equal(await count(), before)
  })
})
