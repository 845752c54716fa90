/** The loop against a scripted judge: claims, reports, and every misfortune on the way. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ExecutorOptions } from '../../src/executor/executor.ts'
import { makeLogLines } from '../support/log-lines.ts'
import { JudgeRefusal, type ScriptedJudge, startScriptedJudge } from './scripted-judge.ts'
import { type StartedExecutor, startExecutor as startAnyExecutor } from './started-executor.ts'

const echo = 'import sys\nsys.stdout.write(sys.stdin.read())\n'
const loop = 'while True: pass\n'

describe('an executor', () => {
  let judge: ScriptedJudge
  let executor: StartedExecutor
  const logLines = makeLogLines()
  before(async () => {
    judge = await startScriptedJudge()
    executor = await startExecutor(judge, { log: logLines.log })
  })
  after(async () => {
    await executor.stop()
    await judge.close()
  })

  it('registers what it offers and how many boxes it runs', () => {
    const { params } = judge.calls.find((call) => call.method === 'register_executor')!
    assert.deepEqual(params.LanguageList, [
      { Value: 'c', Name: 'C' },
      { Value: 'python', Name: 'Python' },
    ])
    assert.equal(params.ParallelRunCount, 2)
    assert.equal(typeof params.Name, 'string')
  })

  it('claims with a long poll and its languages', async () => {
    await judge.until(() => judge.calls.some((call) => call.method.startsWith('get_and_update')))
    const { params } = judge.calls.find((call) => call.method.startsWith('get_and_update'))!
    assert.deepEqual(params.LanguageList, ['c', 'python'])
    assert.ok(params.WaitMillisecond > 0 && params.WaitMillisecond <= 30_000)
    assert.deepEqual(params.FeatureList, ['checker', 'interactive', 'score'])
  })

  it('reports each test with its figures, in judging order', async () => {
    const problem = judge.addProblem({
      tests: [
        ['1\n', '1\n'],
        ['2\n', '2\n'],
        ['3\n', '3\n'],
      ],
    })
    const { params } = await judgedCall(judge, problem, 'python', `import sys\nsys.stderr.write("note")\n${echo}`)
    const uuids = (await listTests(judge, problem)).map((test) => test.UUID)
    assert.equal(params.Report.Result, 1)
    assert.deepEqual(
      params.Report.TestList.map((test: { TestCaseUUID: string }) => test.TestCaseUUID),
      uuids,
    )
    for (const test of params.Report.TestList) {
      assert.deepEqual([test.Result, test.ExitCode, test.Signal, test.Stderr], [1, 0, null, 'note'])
      for (const figure of ['CPUTimeInMillisecond', 'WallTimeInMillisecond', 'PeakMemoryInByte']) {
        assert.ok(Number.isSafeInteger(test[figure]) && test[figure] > 0, figure)
      }
    }
  })

  it('stops at the first test that fails', async () => {
    const problem = judge.addProblem({
      tests: [
        ['1', '1'],
        ['2', 'x'],
        ['3', '3'],
        ['4', 'y'],
        ['5', '5'],
      ],
    })
    const report = await judge.finished(judge.submit(problem, 'python', echo))
    assert.equal(report.Result, 6)
    assert.deepEqual(
      report.TestList.map((test) => test.Result),
      [1, 6],
    )
  })

  it('takes a program that compiles as right when there are no tests', async () => {
    const problem = judge.addProblem({ tests: [] })
    assert.equal((await judge.finished(judge.submit(problem, 'c', 'int main(void) { return 1; }'))).Result, 1)
    assert.equal((await judge.finished(judge.submit(problem, 'python', 'print(1)'))).Result, 1)
    assert.equal((await judge.finished(judge.submit(problem, 'c', 'nonsense'))).Result, 2)
    const report = await judge.finished(judge.submit(problem, 'python', 'print('))
    assert.equal(report.Result, 2)
    assert.match(report.CompilerOutput, /SyntaxError/)
  })

  it('answers 7 for a language that it does not know', async () => {
    const problem = judge.addProblem({ tests: [['', '']] })
    const report = await judge.finished(judge.submit(problem, 'cobol', 'DISPLAY "HELLO".'))
    assert.deepEqual(report, { Result: 7, CompilerOutput: '', TestList: [] })
  })

  it('fetches the tests once, and again when they have changed', async () => {
    const long = 'x'.repeat(5_000)
    const problem = judge.addProblem({
      tests: [
        ['a', 'a'],
        [long, long],
      ],
    })
    const fetches = () => judge.calls.filter(({ method }) => method === 'get_test_case').length
    const before = fetches()
    for (let i = 0; i < 2; i++) assert.equal((await judge.finished(judge.submit(problem, 'python', echo))).Result, 1)
    assert.equal(fetches() - before, 1, 'only what a snippet cuts is fetched, and once')
    judge.changeTests(problem, [['b', 'c']])
    assert.equal((await judge.finished(judge.submit(problem, 'python', echo))).Result, 6)
  })

  it('tells where a wrong answer first differs', async () => {
    const problem = judge.addProblem({ tests: [['1\n2\n3\n', '1\nx\n3\n']] })
    const report = await judge.finished(judge.submit(problem, 'python', echo))
    const { Got, Expected, DifferenceLine } = report.TestList[0]!
    assert.deepEqual([report.Result, Got, Expected, DifferenceLine], [6, '2\n3', 'x\n3', 2])
  })

  it('judges by the problem’s checker and groups, fetched and compiled once, and tells scores and messages', async () => {
    const checker = `
import sys
said = sys.stdin.read()
feedback = sys.argv[3]
open(feedback + 'judgemessage.txt', 'w').write(' '.join(sys.argv[4:]))
open(feedback + 'teammessage.txt', 'w').write('said ' + said)
if said != open(sys.argv[2]).read(): sys.exit(43)
if sys.argv[4] == 'half': open(feedback + 'score_multiplier.txt', 'w').write('0.5')
sys.exit(42 if sys.argv[4] != 'broken' else 1)
`
    const Program = {
      Language: 'python',
      FileList: [{ Name: 'check.py', Content: Buffer.from(checker).toString('base64') }],
    }
    const judging = {
      ...{ JudgingHash: 'one', Type: 'batch', PassLimit: 1, Interactor: null, IsScored: true, Aggregation: 'sum' },
      ...{ MaximumScore: 100, Checker: { Kind: 'kattis', ArgumentList: ['whole'], Program } },
      GroupList: [{ Name: 'a', Aggregation: 'sum', MaximumScore: 30, RequireList: [] }],
    }
    const problem = judge.addProblem({
      tests: [
        ['1', '1'],
        ['2', '2'],
        ['3', 'x'],
      ],
      judging,
      testJudgings: [{ Group: 'a' }, { Group: 'a', ArgumentList: ['half', 'it'] }, { Group: 'a', Points: 12.5 }],
    })
    const report = await judge.finished(judge.submit(problem, 'python', echo))
    assert.deepEqual(
      report.TestList.map((test) => [test.Result, test.Score, test.JudgeMessage, test.TeamMessage, test.Got]),
      [
        [1, undefined, 'whole', 'said 1', undefined],
        [1, 5, 'half it', 'said 2', undefined],
        [6, undefined, 'whole', 'said 3', '3'],
      ],
    )
    const asked = (method: string) =>
      judge.calls.filter((call) => call.method === method && (call.params.UUID ?? call.params.ProblemUUID) === problem)
    const before = asked('get_problem').length
    await judge.finished(judge.submit(problem, 'python', echo))
    assert.equal(asked('get_problem_test_case_judging_list').length, 1)
    assert.equal(asked('get_problem').length, before, 'the claim tells what is asked for nowhere else')

    Object.assign(judging, { JudgingHash: 'two', Checker: { ...judging.Checker, ArgumentList: ['broken'] } })
    const broken = await judge.finished(judge.submit(problem, 'python', echo))
    assert.equal(broken.Result, 9)
    assert.match(broken.JudgeMessage!, /^It ended with exit code 1\.\nbroken$/)
  })

  it('keeps bytes as they are on the way', async () => {
    const odd = 'a\0b\r\n\u2028é\u{1F600}\tz'
    const problem = judge.addProblem({ tests: [[odd, odd]] })
    assert.equal((await judge.finished(judge.submit(problem, 'python', echo))).Result, 1)
  })

  it('renews its lease and tells how far it is', async () => {
    judge.leaseMs = 1_000
    const tests = Array.from({ length: 6 }, (_, i): [string, string] => [String(i), String(i)])
    const problem = judge.addProblem({ tests, timeLimitMs: 3_000 })
    const submission = judge.submit(problem, 'python', `import time\ntime.sleep(0.6)\n${echo}`)
    assert.equal((await judge.finished(submission)).Result, 1)
    judge.leaseMs = 60_000
    const renewals = judge.calls.filter(
      (call) => call.method === 'renew_submission_lease' && call.params.ID === submission.ID,
    )
    const counts = renewals.map((call) => call.params.FinishedTestCaseCount).filter((count) => count !== undefined)
    assert.ok(counts.length > 0 && counts.every((count) => count > 0 && count <= 6))
    assert.equal(new Set(counts).size, counts.length, 'nothing is told twice')
    assert.ok(
      renewals.every((call) => call.params.TotalTestCaseCount === undefined || call.params.TotalTestCaseCount === 6),
    )
  })

  it('takes a renewal that crosses the verdict for no loss, whichever is answered first', async () => {
    const problem = judge.addProblem({ tests: [['', '']], timeLimitMs: 3_000 })
    const refused = new Set<number>()
    judge.leaseMs = 1_000
    const submissions = [1, 2].map(() => judge.submit(problem, 'python', 'import time\ntime.sleep(1.3)'))
    const [first, second] = submissions
    judge.answer('renew_submission_lease', async ({ ID }) => {
      await judge.until(() => submissions.some((each) => each.ID === ID && each.status === 'finished'))
      if (ID === second!.ID) await judge.until(() => logLines.find(/^judged$/).some((line) => line.submission === ID))
      refused.add(ID)
      throw new JudgeRefusal(10)
    })
    judge.answer('report_submission', async ({ ID, Report }) => {
      const found = submissions.find((each) => each.ID === ID)!
      Object.assign(found, { status: 'finished', report: Report })
      if (found === first) await judge.until(() => refused.has(ID))
      return { SubmissionSnippet: {} }
    })
    await judge.until(() => refused.size === 2)
    for (const method of ['renew_submission_lease', 'report_submission']) judge.answer(method, null)
    judge.leaseMs = 60_000
    const quick = judge.addProblem({ tests: [['', '']] })
    assert.equal((await judge.finished(judge.submit(quick, 'python', echo))).Result, 1)
    assert.deepEqual(logLines.find(/lease/), [])
  })

  it('drops a submission whose lease is lost, and says nothing more of it', async () => {
    const problem = judge.addProblem({ tests: [['', '']], timeLimitMs: 8_000 })
    judge.answer('renew_submission_lease', () => {
      throw new JudgeRefusal(10)
    })
    const submission = judge.submit(problem, 'python', loop)
    await judge.until(() =>
      judge.calls.some((call) => call.method === 'renew_submission_lease' && call.params.ID === submission.ID),
    )
    judge.answer('renew_submission_lease', null)
    const quick = judge.addProblem({ tests: [['', '']] })
    assert.equal((await judge.finished(judge.submit(quick, 'python', echo))).Result, 1)
    const later = judge.calls.filter(
      (call) => call.params.ID === submission.ID && call.method !== 'renew_submission_lease',
    )
    assert.deepEqual(later, [])
    assert.equal(logLines.find(/lease on a submission is lost/).length, 1)
  })

  it('leaves a slot to others while a submission with many tests sleeps, and to its author where another is charged with it', async () => {
    judge.leaseMs = 1_000
    const slow = judge.addProblem({ tests: ['quick', 'a', 'b', 'c'].map((line) => [line, line]), timeLimitMs: 30_000 })
    const sleeper = judge.submit(
      slow,
      'python',
      "import time\nline = input()\nif line != 'quick': time.sleep(100)\nprint(line)",
      { Author: { ID: 1 }, ChargedAccount: { ID: 2 } },
    )
    const renewals = () =>
      judge.calls.filter(({ method, params }) => method.startsWith('renew') && params.ID === sleeper.ID)
    await judge.until(() => renewals().some(({ params }) => params.FinishedTestCaseCount === 1))
    const quick = judge.addProblem({
      tests: [
        ['1', '1'],
        ['2', '2'],
      ],
    })
    for (const members of [{}, { Author: { ID: 1 }, ChargedAccount: { ID: 1 } }, { Author: { ID: 1 } }])
      assert.equal((await judge.finished(judge.submit(quick, 'python', echo, members))).Result, 1)
    assert.equal(sleeper.status, 'executing')
    judge.answer('renew_submission_lease', () => {
      throw new JudgeRefusal(10)
    })
    const before = renewals().length
    await judge.until(() => renewals().length > before)
    judge.answer('renew_submission_lease', null)
    judge.leaseMs = 60_000
  })

  it('waits for a judge that went away, and reports once it is back', async () => {
    const problem = judge.addProblem({ tests: [['', '']], timeLimitMs: 3_000 })
    const submission = judge.submit(problem, 'python', `import time\ntime.sleep(0.3)\n${echo}`)
    await judge.until(() => submission.status === 'executing')
    await judge.goAway()
    await judge.until(() => judge.triesWhileAway >= 2)
    await judge.comeBack()
    assert.equal((await judge.finished(submission)).Result, 1)
  })

  it('says that its token is not taken, whichever refusal tells it, and goes on once it is', async () => {
    const claiming = 'get_and_update_first_submitted_submission_to_executing'
    const problem = judge.addProblem({ tests: [['', '']] })
    const told = () => logLines.find(/does not take the token any longer/).length
    for (const code of [8, 17]) {
      const before = told()
      judge.answer(claiming, () => {
        throw new JudgeRefusal(code)
      })
      // The claim that waits has its answer; the next one is refused.
      const first = judge.submit(problem, 'python', echo)
      await judge.until(() => told() > before)
      judge.answer(claiming, null)
      assert.equal((await judge.finished(first)).Result, 1)
      assert.equal((await judge.finished(judge.submit(problem, 'python', echo))).Result, 1)
      assert.equal(told(), before + 1, 'once')
    }
  })

  it('says that its token is not taken after it has said that the judge is away', async () => {
    const claiming = 'get_and_update_first_submitted_submission_to_executing'
    const count = (words: RegExp) => logLines.find(words).length
    for (const [code, words] of [
      [9, /the judge does not answer/],
      [8, /does not take the token any longer/],
    ] as const) {
      const before = count(words)
      judge.answer(claiming, () => {
        throw new JudgeRefusal(code)
      })
      // The claim that waits has its answer; the next one is refused.
      if (code === 9) judge.submit(judge.addProblem({ tests: [['', '']] }), 'python', echo)
      await judge.until(() => count(words) > before)
    }
    judge.answer(claiming, null)
    const problem = judge.addProblem({ tests: [['', '']] })
    assert.equal((await judge.finished(judge.submit(problem, 'python', echo))).Result, 1)
  })

  it('tells a failure of its own as one, three times, and never as a verdict', async () => {
    const problem = judge.addProblem({ tests: [['', '']] })
    judge.answer('get_problem_test_case_snippet_list', () => {
      throw new JudgeRefusal(9)
    })
    const submission = judge.submit(problem, 'python', echo)
    await judge.until(() => submission.status === 'finished')
    judge.answer('get_problem_test_case_snippet_list', null)
    assert.equal(submission.failures.length, 3)
    assert.equal(submission.report, undefined)
  })

  it('says nothing of a submission whose problem was deleted', async () => {
    const submission = judge.submit('00000000-0000-0000-0000-000000000000', 'python', echo)
    const quick = judge.addProblem({ tests: [['', '']] })
    await judge.finished(judge.submit(quick, 'python', echo))
    assert.deepEqual([submission.report, submission.failures], [undefined, []])
  })
})

it('a toolchain that breaks after the start is a failure, not a compile error or a crash', async () => {
  const folder = mkdtempSync('/var/tmp/guildhall-test-')
  chmodSync(folder, 0o755)
  const tool = join(folder, 'tool')
  writeFileSync(tool, '#!/bin/sh\nexec cat "$1"\n', { mode: 0o755 })
  const languagesPath = join(folder, 'languages.yaml')
  const own = {
    value: 'text',
    name: 'Text',
    source: 'text.txt',
    run: [tool, '{program}'],
    selfTest: { source: 'hello', input: '', output: 'hello' },
  }
  writeFileSync(languagesPath, JSON.stringify({ languages: [own] }))
  const judge = await startScriptedJudge()
  const executor = await startExecutor(judge, { languagesPath, only: ['text'], selfTestFreshMs: 0 })
  try {
    const problem = judge.addProblem({ tests: [['', 'good']] })
    assert.equal((await judge.finished(judge.submit(problem, 'text', 'good'))).Result, 1)
    writeFileSync(tool, '#!/bin/sh\nexit 1\n')
    const broken = judge.submit(problem, 'text', 'good')
    await judge.until(() => broken.status === 'finished')
    assert.deepEqual([broken.failures.length, broken.report], [3, undefined])
    rmSync(tool)
    const missing = judge.submit(problem, 'text', 'good')
    await judge.until(() => judge.calls.some(({ method }) => method === 'update_submission'))
    assert.deepEqual([missing.failures, missing.report], [[], undefined], 'what can’t be started may come back')
    const claims = judge.calls.filter((call) => call.method.startsWith('get_and_update'))
    assert.deepEqual(claims.at(-1)!.params.LanguageList, [], 'it no longer offers what is broken')
  } finally {
    await executor.stop()
    await judge.close()
    rmSync(folder, { recursive: true })
  }
})

it('compilations that never end hold nobody else up, and end as compile errors', async () => {
  const folder = mkdtempSync('/var/tmp/guildhall-test-')
  chmodSync(folder, 0o755)
  const tool = join(folder, 'tool')
  const bomb = 'if grep -q bomb "$1"; then while :; do :; done; fi'
  writeFileSync(tool, `#!/bin/sh\n${bomb}\n{ echo "#!/bin/sh"; cat "$1"; } >"$2"\nchmod 755 "$2"\n`, { mode: 0o755 })
  const languagesPath = join(folder, 'languages.yaml')
  const own = {
    ...{
      value: 'text',
      name: 'Text',
      source: 'text.txt',
      compile: [tool, '{source}', '{program}'],
      run: ['{program}'],
    },
    ...{ compileSeconds: 2, selfTest: { source: 'echo hello', input: '', output: 'hello' } },
  }
  writeFileSync(languagesPath, JSON.stringify({ languages: [own] }))
  const judge = await startScriptedJudge()
  const executor = await startExecutor(judge, {
    ...{ languagesPath, only: ['text'], parallelRuns: 1, quickCompileSeconds: 0.1, graceMs: 100 },
  })
  try {
    const problem = judge.addProblem({ tests: [['', 'good']] })
    const bombs = ['bomb 1', 'bomb 2', 'bomb 3'].map((source) => judge.submit(problem, 'text', source))
    const honest = judge.submit(problem, 'text', 'echo good')
    assert.equal((await judge.finished(honest)).Result, 1)
    assert.ok(
      bombs.slice(1).every(({ status }) => status === 'executing'),
      'it has overtaken those that take long',
    )
    const report = await judge.finished(bombs[0]!)
    assert.equal(report.Result, 2)
    assert.match(report.CompilerOutput, /took longer than 2 s/)
  } finally {
    await executor.stop()
    await judge.close()
    rmSync(folder, { recursive: true })
  }
})

it('one that is told to stop gives back what it can not finish', async () => {
  const judge = await startScriptedJudge()
  const executor = await startExecutor(judge, { graceMs: 100 })
  const problem = judge.addProblem({ tests: [['', '']], timeLimitMs: 20_000 })
  const submission = judge.submit(problem, 'python', loop)
  await judge.until(() => submission.status === 'executing')
  await executor.stop()
  assert.equal(submission.status, 'submitted')
  const [back, goodbye] = judge.calls.slice(-2)
  assert.deepEqual(back!.params, { ID: submission.ID, Lease: submission.lease, Status: 1, Result: 0 })
  assert.equal(goodbye!.method, 'unregister_executor')
  await judge.close()
})

it('tests that change while they are fetched are fetched again, and those that never rest hold nobody else up', async () => {
  const judge = await startScriptedJudge()
  // A pause after a failure would outlast the test.
  const executor = await startExecutor(judge, { only: ['python'], parallelRuns: 1, failurePauseMs: 3_600_000 })
  const settled = judge.addProblem({ tests: [['1', '1']] })
  const restless = judge.addProblem({ tests: [['1', '1']] })
  let changes = 4
  judge.answer('get_problem_test_case_snippet_list', ({ ProblemUUID }) => {
    if (ProblemUUID === restless && changes-- > 0) judge.changeTests(restless, [['1', '1']])
    const list = [{ UUID: randomUUID(), Input: '1', Output: '1', IsHidden: true }]
    return { TotalTestCaseCount: 1, TestCaseSnippetList: list }
  })
  const first = judge.submit(restless, 'python', echo)
  assert.equal((await judge.finished(first)).Result, 1)
  assert.deepEqual(first.failures, [])
  changes = Number.POSITIVE_INFINITY
  judge.changeTests(restless, [['1', '1']])
  const never = [judge.submit(restless, 'python', echo), judge.submit(restless, 'python', echo)]
  const other = judge.submit(settled, 'python', echo)
  assert.equal((await judge.finished(other)).Result, 1)
  await judge.until(() => never.every(({ failures }) => failures.length > 0))
  for (const { failures } of never) assert.match(failures.join(), /changed while they were fetched/)
  await executor.stop()
  await judge.close()
})

it('the pause after a failure for one problem holds no place', async () => {
  const judge = await startScriptedJudge()
  const executor = await startExecutor(judge, { only: ['python'], parallelRuns: 1, failurePauseMs: 3_600_000 })
  const [broken, whole] = [judge.addProblem({ tests: [['1', '1']] }), judge.addProblem({ tests: [['1', '1']] })]
  judge.answer('get_problem_test_case_snippet_list', ({ ProblemUUID }) => {
    if (ProblemUUID === broken) throw new JudgeRefusal(9)
    const list = [{ UUID: randomUUID(), Input: '1', Output: '1', IsHidden: true }]
    return { TotalTestCaseCount: 1, TestCaseSnippetList: list }
  })
  const failing = [judge.submit(broken, 'python', echo), judge.submit(broken, 'python', echo)]
  assert.equal((await judge.finished(judge.submit(whole, 'python', echo))).Result, 1)
  for (const { status, failures } of failing) assert.deepEqual([status, failures], ['executing', []], 'in its pause')
  await executor.stop()
  // One that was told so may be claimed and fail once more in the moments of the stop.
  for (const { failures } of failing) assert.ok(failures.length >= 1, 'who is stopped tells it at once')
  await judge.close()
})

it('without a cgroup nothing is judged, and the sentence says what is lost, how to get one, and how to go without', async () => {
  const judge = await startScriptedJudge()
  const refused = startExecutor(judge, { only: ['python'], useCgroups: false, without: [] })
  await assert.rejects(refused, /nothing is judged: .*more than its limits.*To get one, .*--without limits/s)
  const executor = await startExecutor(judge, { only: ['python'], useCgroups: false, without: ['limits'] })
  const problem = judge.addProblem({ tests: [['1', '1']] })
  assert.equal((await judge.finished(judge.submit(problem, 'python', echo))).Result, 1)
  await executor.stop()
  await judge.close()
})

it('a token that the judge refuses stops the start with one clear line', async () => {
  const judge = await startScriptedJudge()
  await assert.rejects(startExecutor(judge, { token: 'wrong', only: ['python'] }), /does not take this token/)
  await judge.close()
})

const startExecutor = (judge: ScriptedJudge, more: Partial<ExecutorOptions> = {}): Promise<StartedExecutor> =>
  startAnyExecutor({ serverUrl: judge.url, token: 'worker-token', parallelRuns: 2, failurePauseMs: 1, ...more })

async function judgedCall(judge: ScriptedJudge, problem: string, language: string, content: string) {
  const submission = judge.submit(problem, language, content)
  await judge.finished(submission)
  return judge.calls.find((call) => call.method === 'report_submission' && call.params.ID === submission.ID)!
}

async function listTests(judge: ScriptedJudge, problem: string): Promise<{ UUID: string }[]> {
  const response = await fetch(judge.url, {
    method: 'POST',
    headers: { authorization: 'Bearer worker-token' },
    body: JSON.stringify({
      id: '',
      method: 'get_problem_test_case_snippet_list',
      params: { ProblemUUID: problem, Offset: 0, Limit: 100 },
    }),
  })
  const answer = (await response.json()) as { result: { TestCaseSnippetList: { UUID: string }[] } }
  return answer.result.TestCaseSnippetList
}
