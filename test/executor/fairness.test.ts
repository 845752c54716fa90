/** One hostile person and twenty honest ones on two slots: whatever the one does, each of the others is served in a few turns, and rightly. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutCgroup } from '../support/cgroup.ts'
import { oneEngine } from '../support/engines.ts'
import { type JudgeStage, makeProblem, makeTest, startJudge, submit } from '../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { type JudgingRecord, startJudgingRecord } from './judging-record.ts'
import { type StartedExecutor, startExecutor } from './started-executor.ts'

const head =
  '#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n#include <sys/wait.h>\n'
const inC = (body: string) => `${head}int main(void) { ${body} }\n`

/** Half of its processor time is used by the correct one, so that whoever takes the processors from it is found out. */
const honest: readonly (readonly [body: string, result: number])[] = [
  [
    'int a, b; scanf("%d %d", &a, &b); struct timespec t; do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (t.tv_nsec < 200000000); printf("%d\\n", a + b);',
    1,
  ],
  ['int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b);', 1],
  ['puts("3");', 6],
  ['int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); fflush(stdout); abort();', 3],
  ['return 0', 2],
]
const hostile = [
  'sleep(60);',
  'for (;;) fork();',
  'for (int i = 0; i < 125; i++) if (!fork()) { setsid(); for (;;) ; } pause();',
  'for (;;) { write(2, "x", 1); usleep(1000); }',
]
/** Ten million words for the compiler: it goes on beside the slots. */
const bomb = `${[...'ABCDEFG'].map((name, i) => `#define ${name} ${`${'BCDEFGx'[i]} `.repeat(10)}\n`).join('')}int main(void) { A; }\n`

for (const engine of oneEngine) {
  describe(`one hostile person and twenty honest ones on ${engine}`, { skip: skipWithoutCgroup }, () => {
    let stage: JudgeStage
    let record: JudgingRecord
    let executor: StartedExecutor
    let problem: Json
    const people: RpcClient[] = []
    before(async () => {
      stage = await startJudge(engine)
      record = await startJudgingRecord(stage.url)
      problem = await makeProblem(stage.cast.setter, { TimeLimitInMillisecond: 400 })
      await makeTest(stage.cast.setter, problem.UUID)
      await makeTest(stage.cast.setter, problem.UUID, { Input: '40 2\n', Output: '42\n' })
      const { accounts, tokens } = stage.services
      for (let i = 0; i < 20; i++) {
        const account = await accounts.insert({ name: `person-${i}`, displayName: 'x', role: 'contestant' })
        const { text } = await tokens.make(account, { kind: 'classic', scopes: ['judge'] })
        people.push(makeRpcClient(stage.url, text))
      }
      const { token } = stage.cast.worker
      executor = await startExecutor({
        ...{ serverUrl: record.url, token: token!, only: ['c'], parallelRuns: 2 },
        ...{ quickCompileSeconds: 0.5, graceMs: 100, beginningMs: 500 },
      })
    })
    after(async () => {
      await executor.stop()
      await record.close()
      await stage.stop()
    })

    // It is the executor's doing, whatever the database.
    it('a dozen whose judgings last, by what they hand in or by a checker, hold up nobody’s', {
      skip: engine !== 'sqlite',
    }, async () => {
      const lasting = await beginLasting([stage.cast.contestant, ...people.slice(5, 15)], stage.cast.setter)
      const statesOf = (ids: readonly number[]) =>
        Promise.all(ids.map(async (ID) => (await stage.cast.admin.call('get_submission', { ID })).Submission.Status))
      await until(async () => (await statesOf(lasting)).every((status) => status === 2))
      for (const person of people.slice(0, 3)) {
        const { ID } = await submit(person, problem.UUID, { Language: 'c', Content: inC(honest[1]![0]) })
        await until(async () => {
          const { Submission } = await person.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
          return Submission.Status === 3 && Submission.Result === 1
        })
        assert.ok(
          (await statesOf(lasting)).every((status) => status === 2),
          'all are still being judged',
        )
      }
      for (const ID of lasting) await stage.cast.admin.call('delete_submission', { ID })
    })

    it('each honest one waits for a few turns at most, and gets the right verdict', async () => {
      const attack = await beginAttack(stage.cast.colleague)
      const enemy = stage.idOf('colleague')
      await until(() => record.events.some(({ author }) => author === enemy))

      const serve = async (person: RpcClient, i: number) => {
        const [body, result] = honest[i % honest.length]!
        const { ID } = await submit(person, problem.UUID, { Language: 'c', Content: inC(body) })
        const handedIn = record.events.length
        let verdict: Json
        await until(async () => {
          verdict = (await person.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })).Submission
          return verdict.Status === 3
        })
        assert.equal(verdict.Result, result, body)
        const claimed = record.events.findIndex(({ kind, id }) => kind === 'claim' && id === ID)
        const before = record.events.slice(handedIn, claimed).filter(({ kind }) => kind === 'claim')
        return { enemy: before.filter(({ author }) => author === enemy).length, all: before.length }
      }
      const atOnce = await Promise.all(people.slice(0, 10).map(serve))
      const oneByOne: Awaited<ReturnType<typeof serve>>[] = []
      for (const [i, person] of people.slice(10).entries()) oneByOne.push(await serve(person, i))
      await attack.end()

      for (const turns of [...atOnce, ...oneByOne]) assert.ok(turns.enemy <= 2, JSON.stringify({ atOnce, oneByOne }))
      for (const turns of oneByOne) assert.ok(turns.all <= 2, JSON.stringify(oneByOne))
      assert.ok(record.mostAtOnce(enemy) <= 2, 'no more than there are slots, and there is a place more')
      assert.ok(attack.rejudged > 0 && attack.changes > 0, 'the attack was one')
    })
  })
}

/** Each of their hundred tests is within its limits; some programs sleep, the last is judged by a checker that does. */
async function beginLasting(some: readonly RpcClient[], other: RpcClient): Promise<number[]> {
  const slow = await makeProblem(other, { TimeLimitInMillisecond: 1_000 })
  const checked = await makeProblem(other)
  const checker = 'int main(void) { struct timespec t = { 0, 500000000 }; nanosleep(&t, 0); return 42; }\n'
  const FileList = [{ Name: 'check.c', Content: Buffer.from(`#include <time.h>\n${checker}`).toString('base64') }]
  const { Judging } = await other.call('get_problem_judging', { UUID: checked.UUID })
  const Checker = { Kind: 'kattis', ArgumentList: [], Program: { Language: 'c', FileList } }
  await other.call('update_problem_judging', { UUID: checked.UUID, Judging: { ...Judging, Checker } })
  for (const { UUID } of [slow, checked]) await Promise.all(Array.from({ length: 100 }, () => makeTest(other, UUID)))
  const sleeper = inC('usleep(500000); puts("3");')
  const sleeping = await Promise.all(some.map((one) => submit(one, slow.UUID, { Language: 'c', Content: sleeper })))
  return [
    ...sleeping.map(({ ID }) => ID as number),
    (await submit(other, checked.UUID, { Language: 'c', Content: inC('puts("3");') })).ID,
  ]
}

/** Programs that sleep or multiply, bombs for the compiler, languages nobody offers; and in loops, rejudgings and changes of tests. */
async function beginAttack(by: RpcClient) {
  const slow = await makeProblem(by, { TimeLimitInMillisecond: 100 })
  await makeTest(by, slow.UUID)
  await makeTest(by, slow.UUID)
  const restless = await makeProblem(by, { TimeLimitInMillisecond: 100 })
  const text = 'x'.repeat(20_000)
  const tests: Json[] = []
  for (let i = 0; i < 10; i++) tests.push(await makeTest(by, restless.UUID, { Input: text, Output: text }))
  const drafts: object[] = []
  for (let i = 0; i < hostile.length; i++) {
    drafts.push({ ProblemUUID: slow.UUID, Language: 'c', Content: inC(hostile[i]!) })
    drafts.push({ ProblemUUID: restless.UUID, Language: 'c', Content: inC(hostile[0]!) })
  }
  drafts.push({ ProblemUUID: slow.UUID, Language: 'c', Content: bomb })
  for (let i = drafts.length; i < 1_000; i++) {
    drafts.push({ ProblemUUID: restless.UUID, Language: `made-up-${i}`, Content: 'x' })
  }
  for (let at = 0; at < drafts.length; at += 100) {
    const calls = drafts
      .slice(at, at + 100)
      .map((params) => ({ jsonrpc: '2.0', id: randomUUID(), method: 'create_submission', params }))
    const answers = (await (await by.post(JSON.stringify(calls))).json()) as Json[]
    for (const { error } of answers) assert.equal(error, undefined)
  }

  let isOver = false
  const attack = { rejudged: 0, changes: 0 }
  const rejudging = (async () => {
    for (; !isOver; await sleep(25)) {
      attack.rejudged += (await by.call('rejudge_problem', { UUID: slow.UUID })).RejudgedSubmissionCount
    }
  })()
  const changing = (async () => {
    for (; !isOver; attack.changes++) {
      await by.call('update_test_case', { UUID: tests[attack.changes % 10].UUID, Output: `${attack.changes}` })
      await sleep(10)
    }
  })()
  return Object.assign(attack, {
    async end() {
      isOver = true
      await Promise.all([rejudging, changing])
    },
  })
}
