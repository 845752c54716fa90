/** Programs that are run without a submission, by a real executor. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { type JudgeStage, makeProblem, makeTest, startJudge, submit } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'
import { type StartedExecutor, startExecutor } from './started-executor.ts'

const sum = 'a, b = map(int, input().split())\nprint(a + b)\n'
const python = (text: string) => ({
  Language: 'python',
  FileList: [{ Name: 'check.py', Content: Buffer.from(text).toString('base64') }],
})

for (const engine of oneEngine) {
  describe(`trials on ${engine}`, () => {
    let stage: JudgeStage
    let problem: Json
    let executor: StartedExecutor
    before(async () => {
      stage = await startJudge(engine)
      problem = await makeProblem(stage.cast.setter, {
        TimeLimitInMillisecond: 500,
        ExampleList: [
          { Input: '1 2\n', Output: '3\n' },
          { Input: '20 22\n', Output: '42\n' },
        ],
      })
      await makeTest(stage.cast.setter, problem.UUID, { Input: '1000 1\n', Output: '1001\n' })
      executor = await startExecutor({ serverUrl: stage.url, token: stage.cast.worker.token!, parallelRuns: 2 })
    })
    after(async () => {
      await executor.stop()
      await stage.stop()
    })
    const run = (Content: string, change: object = {}): Promise<Json> =>
      stage.cast.contestant.call('run_program', { ProblemUUID: problem.UUID, Language: 'python', Content, ...change })
    const resultsOf = ({ RunList }: Json) => RunList.map(({ Result }: Json) => Result)

    it('a right program passes all examples, and what it wrote is told', async () => {
      const ran = await run(`import sys\n${sum}print('note', file=sys.stderr)`)
      assert.deepEqual([ran.Result, resultsOf(ran)], [1, [1, 1]])
      assert.deepEqual(
        ran.RunList.map(({ Input, Output, Stdout, Stderr, ExitCode }: Json) => [
          Input,
          Output,
          Stdout,
          Stderr,
          ExitCode,
        ]),
        [
          ['1 2\n', '3\n', '3\n', 'note\n', 0],
          ['20 22\n', '42\n', '42\n', 'note\n', 0],
        ],
      )
      assert.ok(ran.RunList[0].CPUTimeInMillisecond > 0 && ran.RunList[0].PeakMemoryInByte > 0)
    })

    it('all examples are run, whichever fails, and each verdict is told', async () => {
      const table: [what: string, content: string, result: number, each: number[]][] = [
        ['wrong on the second', 'print(3)', 6, [1, 6]],
        ['crashes on the first', 'if input() == "1 2": raise SystemExit(3)\nprint(42)', 3, [3, 1]],
        ['computes for ever', 'while True: pass', 4, [4, 4]],
        ['takes memory', 'x = bytearray(1 << 30)', 5, [5, 5]],
        ['is no program', 'print(', 2, []],
      ]
      for (const [what, content, result, each] of table) {
        const ran = await run(content)
        assert.deepEqual([ran.Result, resultsOf(ran)], [result, each], what)
      }
      const { RunList } = await run('print(3)')
      assert.deepEqual([RunList[1].Expected, RunList[1].Got, RunList[1].DifferenceLine], ['42', '3', 1])
      const compiled = await run('int main(void) { return nothing; }', { Language: 'c' })
      assert.equal(compiled.Result, 2)
      assert.match(compiled.CompilerOutput, /nothing/)
    })

    it('an input of one’s own is run alone, and no answer is compared', async () => {
      const ran = await run(sum, { Input: '500 1\n' })
      assert.deepEqual([ran.Result, ran.RunList.length, ran.RunList[0].Stdout], [1, 1, '501\n'])
      assert.equal((await run(sum, { Input: 'no numbers' })).Result, 3)
      assert.equal((await run('print(repr(open(0).read()))', { Input: '' })).RunList[0].Stdout, "''\n")
    })

    it('what it writes is cut, and never inside a character', async () => {
      const ran = await run('print("é" * 100000)', { Input: '' })
      const [{ Stdout, IsStdoutCut }] = ran.RunList
      assert.equal(IsStdoutCut, true)
      assert.equal(Buffer.byteLength(Stdout), 65_536)
      assert.doesNotMatch(Stdout, /[^é]/)
      const endless = await run('while True: print("x" * 1000)', { Input: '' })
      assert.ok([4, 8].includes(endless.Result) && endless.RunList[0].Stdout.length === 65_536)
    })

    it('hidden tests are neither run nor told', async () => {
      const ran = await run(`import os\ntext = input()\n${sum.replace('input()', 'text')}print(os.listdir('/'))`)
      assert.doesNotMatch(JSON.stringify(ran), /100[01]/)
      assert.equal(ran.RunList.length, 2)
    })

    it('a checker judges the examples, and an interactor talks over the open tests', async () => {
      const { setter } = stage.cast
      const checked = await makeProblem(setter, { ExampleList: [{ Input: 'q', Output: 'yes' }] })
      const loose = `import sys
said, wanted = sys.stdin.read().lower().split(), open(sys.argv[2]).read().split()
open(sys.argv[3] + 'teammessage.txt', 'w').write('said %d' % len(said))
open(sys.argv[3] + 'judgemessage.txt', 'w').write('for the jury')
sys.exit(42 if said == wanted else 43)`
      const Checker = { Kind: 'kattis', Program: python(loose) }
      await setter.call('update_problem_judging', { UUID: checked.UUID, Judging: { Checker } })
      const right = await run('print("YES")', { ProblemUUID: checked.UUID })
      assert.deepEqual([right.Result, right.RunList[0].TeamMessage], [1, 'said 1'])
      const wrong = await run('print("no")', { ProblemUUID: checked.UUID })
      assert.deepEqual([wrong.Result, wrong.RunList[0].Stdout], [6, 'no\n'])
      assert.doesNotMatch(JSON.stringify([right, wrong]), /jury/)

      const talk = await makeProblem(setter, { ExampleList: [{ Input: 'shown', Output: 'talk' }] })
      await makeTest(setter, talk.UUID, { Input: '7', Output: '', IsHidden: false })
      await makeTest(setter, talk.UUID, { Input: '8', Output: '' })
      const echo = `import sys
n = open(sys.argv[1]).read().strip()
print(n, flush=True)
sys.exit(42 if sys.stdin.readline().strip() == n else 43)`
      await setter.call('update_problem_judging', {
        UUID: talk.UUID,
        Judging: { Type: 'interactive', Checker: { Kind: 'kattis', Program: python(echo) } },
      })
      const talked = await run('print(input(), flush=True)', { ProblemUUID: talk.UUID })
      assert.deepEqual([talked.Result, resultsOf(talked), talked.RunList[0].Input], [1, [1], '7'])
    })

    it('a checker that fails on an example is told as such, and no fault of the problem is counted', async () => {
      const { setter } = stage.cast
      const broken = await makeProblem(setter)
      const Checker = { Kind: 'kattis', Program: python('raise ValueError("secret of the jury")') }
      await setter.call('update_problem_judging', { UUID: broken.UUID, Judging: { Checker } })
      const ran = await run(sum, { ProblemUUID: broken.UUID })
      assert.equal(ran.Result, 9)
      assert.doesNotMatch(JSON.stringify(ran), /secret/)
      const { Judging } = await setter.call('get_problem_judging', { UUID: broken.UUID })
      assert.deepEqual([Judging.FaultCount, Judging.LastFault], [0, null])
    })

    it('submissions are judged beside it, and go first', async () => {
      const [ran, ...judged] = await Promise.all([
        run(sum),
        ...Array.from({ length: 6 }, async () => {
          const { ID } = await submit(stage.cast.rival, problem.UUID, { Content: sum })
          const waiting = { ID, WaitMillisecond: 30_000 }
          return (await stage.cast.rival.call('wait_for_submission', waiting)).Submission.Result
        }),
      ])
      assert.equal(ran.Result, 1)
      assert.deepEqual(judged, [1, 1, 1, 1, 1, 1])
    })

    it('a trial whose executor stops goes on at another', async () => {
      const { helper } = stage.cast
      const second = await startExecutor({ serverUrl: stage.url, token: helper.token!, graceMs: 0 })
      const asked = run('import time\ntime.sleep(0.4)\nprint(input())', { Input: 'there' })
      await second.stop()
      assert.equal((await asked).RunList[0].Stdout, 'there\n')
    })
  })
}
