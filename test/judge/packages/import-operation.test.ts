/** A package over the wire: small and large, wrong in itself, larger inside than out, and while new problems are switched off. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type JudgeStage, page, startJudge } from '../../support/judge.ts'
import { toBase64, type ZipEntry } from '../../support/zip.ts'

const sum: ZipEntry[] = [
  { path: 'sum/problem.yaml', data: 'name: Sum\nauthor: Someone\n' },
  { path: 'sum/data/sample/1.in', data: '1 2\n' },
  { path: 'sum/data/sample/1.ans', data: '3\n' },
  { path: 'sum/data/secret/1.in', data: '4 4\n' },
  { path: 'sum/data/secret/1.ans', data: '8\n' },
]

describe('a problem package over the wire', () => {
  let stage: JudgeStage
  before(async () => {
    stage = await startJudge('sqlite')
  })
  after(() => stage.stop())

  const countProblems = async (): Promise<number> =>
    (await stage.cast.setter.call('get_problem_snippet_list', page())).TotalProblemCount

  test('becomes a problem, and what stayed behind is told', async () => {
    const { Problem, TestCaseCount, NoteList } = await stage.cast.setter.call('import_problem_package', {
      ZippedPackage: toBase64(sum),
    })
    assert.deepEqual([Problem.DisplayName, TestCaseCount, Problem.Author.AccountName], ['Sum', 2, 'setter'])
    assert.deepEqual(Problem.ExampleList, [{ Input: '1 2\n', Output: '3\n' }])
    assert.ok(NoteList.some((note: string) => note.startsWith('No time limit is stated')))
  })

  test('may be large: it is decoded into a file as it arrives', async () => {
    const noise = Buffer.from(Array.from({ length: 2_000_000 }, () => 97 + Math.floor(Math.random() * 26)))
    const large = [...sum, { path: 'sum/data/secret/2.in', data: noise }, { path: 'sum/data/secret/2.ans', data: 'x' }]
    const { TestCaseCount } = await stage.cast.setter.call('import_problem_package', { ZippedPackage: toBase64(large) })
    assert.equal(TestCaseCount, 3)
  })

  test('is refused in words where it is wrong, and leaves nothing', async () => {
    const before = await countProblems()
    const bomb = Buffer.alloc(16 * 1024 * 1024 + 1, 'a')
    const cases: [string, RegExp][] = [
      ['%%%', /base64/],
      [Buffer.from('no zip').toString('base64'), /not a whole zip/],
      [toBase64([{ path: 'readme.txt', data: 'x' }]), /problem\.yaml/],
      [toBase64([...sum, { path: '../out', data: 'x' }]), /leads out/],
      [
        toBase64([...sum.slice(0, 1), { path: 'sum/data/secret/1.in', data: bomb, isPacked: false }, sum[4]!]),
        /over \d+ bytes/,
      ],
    ]
    for (const [ZippedPackage, message] of cases) {
      const { error } = await stage.cast.setter.ask('import_problem_package', { ZippedPackage })
      assert.equal(error.code, -32602)
      assert.equal(error.data.Errors[0].Field, 'ZippedPackage')
      assert.match(error.message, message)
    }
    assert.equal(await countProblems(), before)
  })

  test('waits while new problems are switched off', async () => {
    const turn = (DisableProblemCreation: boolean) =>
      stage.cast.admin.call('update_setting', {
        Setting: { Problem: { DisableProblemCreation, DisableProblemUpdate: false } },
      })
    await turn(true)
    assert.equal(await stage.cast.setter.code('import_problem_package', { ZippedPackage: toBase64(sum) }), 15)
    await turn(false)
  })
})
