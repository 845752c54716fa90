import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { actingFor } from '../../../src/accounts/actor.ts'
import { Failure } from '../../../src/base/failure.ts'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, page, startJudge } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { makeZip } from '../../support/zip.ts'

type Files = Record<string, string | Buffer>

const whole: Files = {
  'problem.yaml': [
    'problem_format_version: legacy',
    'name: {en: Different, sv: Olika}',
    'author: Someone',
    'license: cc by-sa',
    'limits: {memory: 512, output: 8}',
    'validator_flags: float_tolerance 1e-6',
  ].join('\n'),
  '.timelimit': '3\n',
  'problem_statement/problem.en.tex': '\\problemname{Different}\nSubtract.',
  'problem_statement/problem.sv.tex': 'Dra ifrån.',
  'problem_statement/figure.png': Buffer.from([0x89, 0x50]),
  'data/sample/1.in': '10 12\n',
  'data/sample/1.ans': '2\n',
  'data/secret/group/10.in': 'ten\n',
  'data/secret/group/10.ans': 'TEN\n',
  'data/secret/group/2.in': 'two\n',
  'data/secret/group/2.ans': 'TWO\n',
  'data/secret/group/2.hint': 'easy',
  'data/secret/testdata.yaml': 'grading: default',
  'input_validators/check.py': 'pass',
  'submissions/accepted/a.py': 'print()',
  'submissions/wrong_answer/b.py': 'print()',
}

for (const engine of engines) {
  describe(`Kattis problem packages on ${engine}`, () => {
    let stage: JudgeStage
    let folder: string
    before(async () => {
      stage = await startJudge(engine)
      folder = await mkdtemp(join(tmpdir(), 'guildhall-package-'))
    })
    after(async () => {
      await stage.stop()
      await rm(folder, { recursive: true, force: true })
    })

    async function importFrom(path: string, overrides = {}) {
      const setter = actingFor((await stage.house.accounts.findByName('setter'))!)
      return stage.house.judge.packages.importPackage(setter, path, overrides)
    }
    let made = 0
    async function importFiles(files: Files, overrides = {}) {
      const home = join(folder, String(made++))
      for (const [path, data] of Object.entries(files)) {
        await mkdir(dirname(join(home, path)), { recursive: true })
        await writeFile(join(home, path), data)
      }
      return importFrom(home, overrides)
    }
    const read = async (UUID: string): Promise<Json> => {
      const { Problem } = await stage.cast.setter.call('get_problem', { UUID })
      const params = { ProblemUUID: UUID, ...page() }
      const { TestCaseSnippetList } = await stage.cast.setter.call('get_problem_test_case_snippet_list', params)
      return { ...Problem, tests: TestCaseSnippetList.map((one: Json) => [one.Input, one.Output, one.IsHidden]) }
    }
    const tests = [
      ['10 12\n', '2\n', false],
      ['two\n', 'TWO\n', true],
      ['ten\n', 'TEN\n', true],
    ]

    test('a package becomes a problem with its samples, secrets and limits, and tells what stays behind', async () => {
      const { uuid, testCount, notes } = await importFiles(whole)
      const problem = await read(uuid)
      assert.equal(testCount, 3)
      assert.deepEqual(problem.tests, tests)
      assert.equal(problem.DisplayName, 'Different')
      assert.equal(problem.Description, '\\problemname{Different}\nSubtract.')
      assert.deepEqual(problem.ExampleList, [{ Input: '10 12\n', Output: '2\n' }])
      assert.equal(problem.TimeLimitInMillisecond, 3_000)
      assert.equal(problem.MemoryLimitInByte, 512 * 1024 * 1024)
      assert.equal(problem.Author.AccountName, 'setter')
      assert.deepEqual(
        notes,
        [
          'problem_statement/problem.sv.tex: a problem has one statement here, taken from problem_statement/problem.en.tex.',
          'problem_statement/problem.en.tex is LaTeX: its source became the description, as it is.',
          'problem.yaml: validator_flags float_tolerance 1e-6: answers are compared exactly.',
          'problem.yaml: author, license, limits.output: not carried over.',
          'input_validators/ (1): input validators; not carried over.',
          'submissions/ (2): sample submissions; not carried over.',
          'data/secret/group/2.hint: not carried over.',
          'data/secret/testdata.yaml: not carried over.',
          'problem_statement/figure.png: not carried over.',
        ].sort((a, b) => notes.indexOf(a) - notes.indexOf(b)),
      )
    })

    test('so does a zip of its folder', async () => {
      const path = join(folder, 'different.zip')
      const entries = Object.entries(whole).map(([name, data]) => ({ path: `different/${name}`, data }))
      await writeFile(path, makeZip(entries))
      const { uuid } = await importFrom(path)
      assert.deepEqual((await read(uuid)).tests, tests)
    })

    test('the newer form: Markdown, time_limit, type', async () => {
      const { uuid, notes } = await importFiles({
        'problem.yaml':
          'problem_format_version: 2023-07\nname: Guess\ntype: interactive\nlimits: {time_limit: 0.5, memory: 1}',
        'statement/problem.md': '# Guess',
        'data/secret/1.in': '',
        'data/secret/1.ans': '',
      })
      const problem = await read(uuid)
      assert.deepEqual([problem.DisplayName, problem.Description], ['Guess', '# Guess'])
      assert.deepEqual([problem.TimeLimitInMillisecond, problem.MemoryLimitInByte], [500, 4 * 1024 * 1024])
      assert.ok(notes.some((note) => note.includes('interactive')))
      assert.ok(notes.some((note) => note.includes('1048576 bytes became 4194304')))
    })

    test('limits may be given, and a missing one is told', async () => {
      const bare = { 'problem.yaml': 'name: Bare' }
      const { notes } = await importFiles(bare)
      assert.ok(notes.some((note) => note.startsWith('No time limit is stated: 1000 ms')))
      assert.ok(notes.some((note) => note.startsWith('There are no test cases')))
      const { uuid } = await importFiles(bare, { timeLimitMs: 7, memoryLimitBytes: 5_000_000 })
      const problem = await read(uuid)
      assert.deepEqual([problem.TimeLimitInMillisecond, problem.MemoryLimitInByte], [7, 5_000_000])
    })

    test('what is wrong is refused, and nothing is stored', async () => {
      const count = async () => (await stage.cast.setter.call('get_problem_snippet_list', page())).TotalProblemCount
      const before = await count()
      const wrong: [Files, RegExp][] = [
        [{ 'README.md': '' }, /no problem\.yaml/],
        [{ 'problem.yaml': 'name: [' }, /not YAML/],
        [{ 'problem.yaml': '', 'data/secret/1.in': '' }, /1\.ans is missing/],
        [
          { 'problem.yaml': '', 'data/secret/1.in': Buffer.from([0xff]), 'data/secret/1.ans': '' },
          /1\.in is not UTF-8/,
        ],
      ]
      for (const [files, message] of wrong) {
        await assert.rejects(importFiles(files), (error) => error instanceof Failure && message.test(error.message))
      }
      await assert.rejects(importFrom(join(folder, 'nowhere')), /nothing at/)
      const linked = join(folder, 'linked')
      await mkdir(linked)
      await writeFile(join(linked, 'problem.yaml'), '')
      await symlink('/etc/passwd', join(linked, 'secret.in'))
      await assert.rejects(importFrom(linked), /leads out of the package/)
      assert.equal(await count(), before)
      assert.deepEqual(await stage.house.store.db.selectFrom('test_upload').select('id').execute(), [])
    })
  })
}
