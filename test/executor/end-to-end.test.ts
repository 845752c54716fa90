/** From a submission to its verdict, with the real judge and a real executor; `chaos/` has them on PostgreSQL. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { type JudgeStage, makeProblem, makeTest, startJudge, submit } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'
import { type StartedExecutor, startExecutor } from './started-executor.ts'

const sum = 'a, b = map(int, input().split())\nprint(a + b)\n'

for (const engine of oneEngine) {
  describe(`submission to verdict on ${engine}`, () => {
    let stage: JudgeStage
    let problem: Json
    const executors: StartedExecutor[] = []
    before(async () => {
      stage = await startJudge(engine)
      problem = await makeProblem(stage.cast.setter, { TimeLimitInMillisecond: 500 })
      await makeTest(stage.cast.setter, problem.UUID, { Input: '1 2\n', Output: '3\n', IsHidden: false })
      await makeTest(stage.cast.setter, problem.UUID, { Input: '40 2\n', Output: '42\n' })
      for (const name of ['worker', 'helper'] as const) {
        const { token } = stage.cast[name]
        executors.push(await startExecutor({ serverUrl: stage.url, token: token!, name, parallelRuns: 1 }))
      }
    })
    after(async () => {
      for (const executor of executors) await executor.stop()
      await stage.stop()
    })
    const judged = async (change: object) => {
      const { ID } = await submit(stage.cast.contestant, problem.UUID, change)
      const { Submission } = await stage.cast.contestant.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
      return Submission
    }

    it('each kind of program gets its verdict', async () => {
      const programs: [language: string, content: string, result: number][] = [
        ['python', sum, 1],
        ['c', '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d", a + b); }', 1],
        ['python', 'print(3)', 6],
        ['python', 'print(', 2],
        ['c', 'int main(void) { return 0 }', 2],
        ['python', `${sum}raise SystemExit(5)`, 3],
        ['python', 'while True: pass', 4],
        ['python', 'x = bytearray(1 << 30)', 5],
        ['c', '#include <stdio.h>\nint main(void) { for (;;) puts("x"); }', 8],
        ['cobol', 'DISPLAY "3".', 7],
      ]
      await Promise.all(
        programs.map(async ([Language, Content, result]) => {
          const submission = await judged({ Language, Content })
          assert.deepEqual([submission.Status, submission.Result], [3, result], `${Language}: ${Content}`)
        }),
      )
    })

    it('the figures and words of each test are kept for its author', async () => {
      const { ID } = await judged({ Content: `import sys\n${sum}sys.stderr.write("note")\n` })
      const { Report, Progress } = await stage.cast.contestant.call('get_submission_report', { ID })
      assert.deepEqual(
        Report.TestList.map((test: Json) => [test.Result, test.ExitCode]),
        [
          [1, 0],
          [1, null],
        ],
        'how the program ended on a hidden test is not told',
      )
      assert.deepEqual(
        Report.TestList.map((test: Json) => test.Stderr),
        ['note', ''],
      )
      const [open, hidden] = Report.TestList
      assert.ok(open.CPUTimeInMillisecond > 0 && open.PeakMemoryInByte > 0)
      assert.deepEqual([hidden.CPUTimeInMillisecond % 10, hidden.PeakMemoryInByte % (1024 * 1024)], [0, 0])
      assert.equal(Progress.FinishedTestCaseCount, 2)
    })

    it('what the compiler said is kept', async () => {
      const { ID } = await judged({ Language: 'c', Content: 'int main(void) { return nothing; }' })
      const { Report } = await stage.cast.contestant.call('get_submission_report', { ID })
      assert.match(Report.CompilerOutput, /nothing/)
    })

    it('the server tells what its executors offer', async () => {
      const info = await stage.cast.anonymous.call('get_server_info')
      assert.deepEqual(
        info.SupportedLanguageList.map((language: Json) => language.Value),
        ['c', 'python'],
      )
    })

    it('many submissions are shared by two executors, and each is judged once', async () => {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, i) => judged({ Content: i % 2 ? sum : 'print(3)' })),
      )
      assert.deepEqual(
        results.map((each) => each.Result),
        Array.from({ length: 12 }, (_, i) => (i % 2 ? 1 : 6)),
      )
    })

    it('a problem with a checker, groups and points is judged by them, and an interactive one in talk', async () => {
      const { setter, contestant } = stage.cast
      const program = (text: string) => ({
        Language: 'python',
        FileList: [{ Name: 'check.py', Content: Buffer.from(text).toString('base64') }],
      })
      const judge = async (UUID: string, Content: string) => {
        const { ID } = await submit(contestant, UUID, { Content })
        await contestant.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
        return { ID, ...(await contestant.call('get_submission_report', { ID })).Report }
      }
      const scored = await makeProblem(setter)
      const half = `
import sys
said, wanted = sys.stdin.read().split(), open(sys.argv[2]).read().split()
open(sys.argv[3] + 'teammessage.txt', 'w').write('said %d words' % len(said))
if said[:1] != wanted[:1]: sys.exit(43)
if said != wanted: open(sys.argv[3] + 'score_multiplier.txt', 'w').write('0.5')
sys.exit(42)`
      await setter.call('update_problem_judging', {
        UUID: scored.UUID,
        Judging: {
          ...{ Checker: { Kind: 'kattis', Program: program(half) }, IsScored: true, MaximumScore: 100 },
          GroupList: [
            { Name: 'easy', Aggregation: 'min', MaximumScore: 40 },
            { Name: 'hard', Aggregation: 'sum', MaximumScore: 60, RequireList: ['easy'] },
          ],
        },
      })
      await makeTest(setter, scored.UUID, { Input: '1', Output: '1 1', IsHidden: false })
      for (const [Input, Group] of [
        ['2', 'easy'],
        ['3', 'hard'],
        ['4', 'hard'],
      ] as const) {
        const { UUID } = await makeTest(setter, scored.UUID, { Input, Output: `${Input} ${Input}` })
        await setter.call('update_test_case_judging', { UUID, Group })
      }
      const right = await judge(scored.UUID, 'x = input()\nprint(x, x)')
      assert.deepEqual([right.Result, right.Score, right.MaximumScore], [1, 100, 100])
      const partly = await judge(scored.UUID, 'x = input()\nprint(x, *[x] * (x != "3"))')
      assert.deepEqual([partly.Result, partly.Score], [1, 85])
      assert.equal(partly.TestList[0].TeamMessage, 'said 2 words')
      const wrong = await judge(scored.UUID, 'x = input()\nprint(x if x != "2" else 0)')
      assert.deepEqual(
        [wrong.Result, wrong.Score, wrong.TestList.map((test: Json) => test.Result)],
        [6, 0, [1, 6, 0, 0]],
      )

      const guess = await makeProblem(setter, { TimeLimitInMillisecond: 1_000 })
      const partner = `
import sys
wanted = int(open(sys.argv[1]).read())
for tries in range(10):
    line = sys.stdin.readline()
    if not line: sys.exit(43)
    said = int(line)
    print('right' if said == wanted else 'more' if said < wanted else 'less', flush=True)
    if said == wanted: sys.exit(42)
sys.exit(43)`
      await setter.call('update_problem_judging', {
        UUID: guess.UUID,
        Judging: { Type: 'interactive', Checker: { Kind: 'kattis', Program: program(partner) } },
      })
      await makeTest(setter, guess.UUID, { Input: '700', Output: '', IsHidden: false })
      const search = `
low, high = 1, 1000
while True:
    middle = (low + high) // 2
    print(middle, flush=True)
    answer = input()
    if answer == 'right': break
    if answer == 'more': low = middle + 1
    else: high = middle - 1`
      assert.equal((await judge(guess.UUID, search)).Result, 1)
      assert.equal((await judge(guess.UUID, 'for i in range(1, 1000):\n  print(i, flush=True)\n  input()')).Result, 6)
      assert.equal((await judge(guess.UUID, 'print(1)\ninput()\nraise SystemExit(4)')).Result, 3)

      await setter.call('update_problem_judging', {
        UUID: guess.UUID,
        Judging: { Checker: { Kind: 'kattis', Program: program('raise SystemExit(1)') } },
      })
      assert.equal((await judge(guess.UUID, search)).Result, 9)
      const { Judging } = await setter.call('get_problem_judging', { UUID: guess.UUID })
      assert.equal(Judging.FaultCount, 1)
    })

    it('a test that changes is judged by in its new form', async () => {
      const other = await makeProblem(stage.cast.setter)
      const test = await makeTest(stage.cast.setter, other.UUID, { Input: '', Output: 'old' })
      const ask = async () => {
        const { ID } = await submit(stage.cast.contestant, other.UUID, { Content: 'print("new")' })
        return (await stage.cast.contestant.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })).Submission
          .Result
      }
      assert.equal(await ask(), 6)
      await stage.cast.setter.call('update_test_case', { UUID: test.UUID, Output: 'new' })
      assert.equal(await ask(), 1)
    })

    it('points come by group and by what the checker gives, and change with the judging when it is judged again', async () => {
      const { setter, contestant } = stage.cast
      const { UUID } = await makeProblem(setter)
      const checker = `import sys
output = sys.stdin.read().strip()
open(sys.argv[3] + '/score.txt', 'w').write(output)
open(sys.argv[3] + '/judgemessage.txt', 'w').write('seen ' + output)
sys.exit(42)
`
      const Judging = {
        IsScored: true,
        GroupList: [
          { Name: 'some', MaximumScore: 40 },
          { Name: 'least', MaximumScore: 60, Aggregation: 'min', RequireList: ['some'] },
        ],
        Checker: {
          Kind: 'kattis',
          Program: {
            Language: 'python',
            FileList: [{ Name: 'check.py', Content: Buffer.from(checker).toString('base64') }],
          },
        },
      }
      await setter.call('update_problem_judging', { UUID, Judging })
      for (const [Input, Group] of [
        ['7.5', 'some'],
        ['20', 'some'],
        ['30', 'least'],
        ['10.25', 'least'],
      ]) {
        const made = await makeTest(setter, UUID, { Input, Output: '' })
        await setter.call('update_test_case_judging', { UUID: made.UUID, Group })
      }
      const { ID } = await submit(contestant, UUID, { Content: 'print(input())' })
      const wait = async () =>
        (await contestant.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })).Submission
      const first = await wait()
      assert.deepEqual([first.Result, first.Score, first.MaximumScore], [1, 37.75, 100])
      const { Report } = await setter.call('get_submission_report', { ID })
      assert.deepEqual(Report.GroupList, [
        { Name: 'some', Score: 27.5, Result: 1 },
        { Name: 'least', Score: 10.25, Result: 1 },
      ])
      assert.equal(Report.TestList[0].JudgeMessage, 'seen 7.5')
      await setter.call('update_problem_judging', {
        UUID,
        Judging: { Checker: { Kind: 'tokens' }, GroupList: Judging.GroupList },
      })
      await setter.call('rejudge_submission', { ID })
      const second = await wait()
      assert.deepEqual([second.Result, second.Score], [6, 0])
    })
  })
}
