import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type JudgeStage, page, startJudge } from '../support/judge.ts'
import { runProgram } from '../support/program.ts'

describe('import on the command line', () => {
  let stage: JudgeStage
  let home: string
  before(async () => {
    stage = await startJudge('sqlite')
    home = join(stage.database.folder, 'package')
    await mkdir(join(home, 'data', 'secret'), { recursive: true })
    await writeFile(join(home, 'problem.yaml'), 'name: From a package\nauthor: Someone\n')
    await writeFile(join(home, 'data', 'secret', '1.in'), '1\n')
    await writeFile(join(home, 'data', 'secret', '1.ans'), '1\n')
  })
  after(() => stage.stop())

  const run = (...words: string[]) => runProgram(['import', ...words], { GUILDHALL_DATA: stage.database.folder }, '')

  test('makes a problem that a running server has at once, and lists what stayed behind', async () => {
    const { code, out, err } = await run(home, '--author', 'setter', '--time-limit', '250')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Problem [0-9a-f-]{36}: From a package, 1 test cases\.\n/)
    assert.match(out, /\n {2}- No time limit is stated|\n {2}- There is no statement/)
    const { ProblemSnippetList } = await stage.cast.contestant.call('get_problem_snippet_list', page())
    const [made] = ProblemSnippetList
    assert.deepEqual(
      [made.DisplayName, made.TimeLimitInMillisecond, made.Author.AccountName],
      ['From a package', 250, 'setter'],
    )
  })

  test('says in one line what is wrong', async () => {
    for (const [words, message] of [
      [[home], /author/],
      [[home, '--author', 'nobody'], /no account named nobody/],
      [[home, '--author', 'contestant'], /may not make problems/],
      [[home, '--author', 'setter', '--time-limit', '0'], /--time-limit must be/],
      [[join(home, 'data'), '--author', 'setter'], /neither problem\.yaml/],
    ] as const) {
      const { code, err } = await run(...words)
      assert.notEqual(code, 0)
      assert.match(err, message)
    }
  })
})
