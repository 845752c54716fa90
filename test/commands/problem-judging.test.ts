import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type JudgeStage, makeProblem, makeTest, startJudge } from '../support/judge.ts'
import { runProgram } from '../support/program.ts'
import type { Json } from '../support/rpc.ts'

describe('how a problem is judged, on the command line', () => {
  let stage: JudgeStage
  let problem: Json
  let tests: Json[]
  before(async () => {
    stage = await startJudge('sqlite')
    problem = await makeProblem(stage.cast.setter)
    tests = [await makeTest(stage.cast.setter, problem.UUID), await makeTest(stage.cast.setter, problem.UUID)]
  })
  after(() => stage.stop())

  const file = (name: string) => join(stage.database.folder, name)
  const run = (...words: string[]) =>
    runProgram(['problem', 'judging', ...words], {
      GUILDHALL_SERVER: stage.url,
      GUILDHALL_TOKEN: stage.cast.setter.token!,
    })
  const show = async (): Promise<Json> => JSON.parse((await run('Sum')).out)

  test('what is shown can be set, programs from files beside it, and groups that tests leave go', async () => {
    await writeFile(file('check.py'), 'print("é")\n')
    const described = {
      Judging: {
        IsScored: true,
        Checker: { Kind: 'kattis', Program: { Language: 'python', FileList: [{ Name: 'c.py', Path: 'check.py' }] } },
        GroupList: [{ Name: 'a', MaximumScore: 40 }, { Name: 'b' }],
      },
      TestCaseJudgingList: [
        { UUID: tests[0].UUID, Group: 'a' },
        { Number: 2, Group: 'b', Points: 2 },
      ],
    }
    await writeFile(file('judging.json'), JSON.stringify(described))
    const { code, out, err } = await run('Sum', '--set', file('judging.json'))
    assert.deepEqual([code, err], [0, ''])
    assert.equal(out, `Sum is judged as ${file('judging.json')} says, and 2 of its tests.\n`)
    const shown = await show()
    assert.equal(shown.Judging.Checker.Program.FileList[0].Content, Buffer.from('print("é")\n').toString('base64'))
    assert.deepEqual(
      shown.TestCaseJudgingList.map(({ Number: number, UUID, Group, Points }: Json) => [number, UUID, Group, Points]),
      [
        [1, tests[0].UUID, 'a', null],
        [2, tests[1].UUID, 'b', 2],
      ],
    )

    const moved = {
      Judging: { ...shown.Judging, GroupList: [{ Name: 'all', MaximumScore: 100 }] },
      TestCaseJudgingList: shown.TestCaseJudgingList.map((one: Json) => ({ ...one, Group: 'all' })),
    }
    await writeFile(file('moved.json'), JSON.stringify(moved))
    assert.equal((await run('Sum', '--set', file('moved.json'))).code, 0)
    const { Judging, TestCaseJudgingList } = await show()
    assert.deepEqual(
      Judging.GroupList.map(({ Name }: Json) => Name),
      ['all'],
    )
    assert.ok(TestCaseJudgingList.every(({ Group }: Json) => Group === 'all'))
  })

  test('a problem that is held is found by its name by who wrote it, and by nobody else', async () => {
    const held = await makeProblem(stage.cast.setter, { DisplayName: 'Kept secret' })
    await stage.cast.setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
    assert.equal(JSON.parse((await run('kept secret')).out).Judging.IsHeld, true)
    const own = { GUILDHALL_SERVER: stage.url, GUILDHALL_TOKEN: stage.cast.setter.token! }
    assert.match((await runProgram(['problems'], own)).out, /^Kept secret \(held\) /m)
    const others = { ...own, GUILDHALL_TOKEN: stage.cast.colleague.token! }
    assert.doesNotMatch((await runProgram(['problems'], others)).out, /Kept secret/)
  })

  test('what is wrong with a file is said in one line, and nothing is changed', async () => {
    const before = await show()
    const wrong: [string, RegExp][] = [
      ['no', /is not JSON/],
      ['{}', /must have Judging, TestCaseJudgingList or both/],
      ['{"Judging":{"PassLimit":101}}', /PassLimit/],
      ['{"TestCaseJudgingList":[{"Number":9,"Group":"a"}]}', /there is no test 9/],
      ['{"Judging":{"IsScored":true,"Maximum":50}}', /Judging\.Maximum is not known: there may be Type, /],
      ['{"Judging":{"GroupList":[{"Name":"a","Points":1}]}}', /Judging\.GroupList\[0\]\.Points is not known/],
      ['{"Judging":{"Checker":{"Kind":"tokens","Arguments":[]}}}', /Judging\.Checker\.Arguments is not known/],
      ['{"Judging":{},"TestList":[]}', /TestList is not known: there may be Judging, TestCaseJudgingList\./],
      [
        `{"TestCaseJudgingList":[{"UUID":"${tests[0].UUID}","Score":1}]}`,
        /TestCaseJudgingList\[0\]\.Score is not known/,
      ],
      [
        '{"Judging":{"Checker":{"Kind":"kattis","Program":{"Language":"c","FileList":[{"Name":"a.c","Path":"gone.c"}]}}}}',
        /gone\.c can’t be read/,
      ],
    ]
    for (const [text, words] of wrong) {
      await writeFile(file('wrong.json'), text)
      const { code, err } = await run('Sum', '--set', file('wrong.json'))
      assert.equal(code, 1, text)
      assert.match(err, words)
      assert.equal(err.trim().split('\n').length, 1)
    }
    assert.deepEqual(await show(), before)
  })
})
