import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '../../../src/judge/limits.ts'
import { nameFolders } from '../../../src/judge/packages/export/test-names.ts'
import { openZip } from '../../../src/judge/packages/package-files.ts'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, makeProblem, makeTest, page, startJudge } from '../../support/judge.ts'
import { type Json, type RpcClient, readJson } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { everyKind, type Files, legacy, scoring2025, zipOf } from './packages.ts'

test('folders of numbered groups are padded only where that puts them in order', () => {
  const foldersOf = (names: string[]) => [...nameFolders(names.map((name) => ({ name }) as never)).values()]
  assert.deepEqual(foldersOf(['1', '9', '10']), ['01', '09', '10'])
  assert.deepEqual(foldersOf(['1', '2', '3']), ['1', '2', '3'])
  assert.deepEqual(foldersOf(['10', '9']), ['10', '9'])
  assert.deepEqual(foldersOf(['b', '9', '10']), ['b', '9', '10'])
})

for (const engine of engines) {
  describe(`packages over HTTP on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    before(async () => {
      stage = await startJudge(engine, {
        environment: { GUILDHALL_JUDGE_LIMITS: 'problemFiles=40,authorTestDataBytes=2000000' },
      })
    })
    after(() => stage.stop())

    const ask = (by: RpcClient, method: string, path: string, body?: Buffer | string) =>
      fetch(stage.url + path, {
        method,
        headers: { ...(by.token && { authorization: `Bearer ${by.token}` }) },
        ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
      })
    const bring = async (zip: Buffer, query = ''): Promise<Json> => {
      const response = await ask(stage.cast.setter, 'POST', `/-/judge/problems${query}`, zip)
      const answer = await readJson(response)
      assert.equal(response.status, 201, JSON.stringify(answer))
      return answer
    }
    const take = async (uuid: string): Promise<Buffer> => {
      const response = await ask(stage.cast.setter, 'GET', `/-/judge/problems/${uuid}/package`)
      assert.equal(response.status, 200)
      return Buffer.from(await response.arrayBuffer())
    }

    /** All that a problem is, but for what tells one from another. */
    async function readAll(UUID: string): Promise<Json> {
      const { setter } = stage.cast
      const { Problem } = await setter.call('get_problem', { UUID })
      const { UUID: _, Author, CreatedTime, UpdatedTime, TestCaseHash, ...problem } = Problem
      const { Judging } = await setter.call('get_problem_judging', { UUID })
      const { JudgingHash, FaultCount, LastFault, ...judging } = Judging
      const list = { ProblemUUID: UUID, ...page() }
      const { TestCaseSnippetList: tests } = await setter.call('get_problem_test_case_snippet_list', list)
      const { TestCaseJudgingList: judgings } = await setter.call('get_problem_test_case_judging_list', list)
      // Tests that were made here have their names once they come back.
      const withoutIds = (all: Json[]) => all.map(({ UUID: _uuid, Name: _name, ...rest }) => rest)
      return {
        problem,
        judging,
        tests: withoutIds(tests),
        judgings: withoutIds(judgings),
        files: await readFiles(UUID),
      }
    }
    async function readFiles(UUID: string): Promise<Record<string, string>> {
      const { ProblemFileList } = await readJson(await ask(stage.cast.setter, 'GET', `/-/judge/problems/${UUID}/files`))
      const files: Record<string, string> = {}
      for (const { Path } of ProblemFileList) {
        const response = await ask(stage.cast.setter, 'GET', `/-/judge/problems/${UUID}/files/${encodeURI(Path)}`)
        files[Path] = createHash('sha256')
          .update(Buffer.from(await response.arrayBuffer()))
          .digest('hex')
      }
      return files
    }

    for (const [kind, files] of Object.entries(everyKind))
      rule(`imported, exported and imported again is the same problem: ${kind}`, async () => {
        const first = await bring(zipOf(files))
        const zip = await take(first.UUID)
        const second = await bring(zip)
        assert.deepEqual(await readAll(second.UUID), await readAll(first.UUID))
        assert.deepEqual((await take(second.UUID)).equals(await take(second.UUID)), true)
      })

    const takeLegacy = async (uuid: string): Promise<Buffer> => {
      const response = await ask(stage.cast.setter, 'GET', `/-/judge/problems/${uuid}/package?format=legacy`)
      assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
      return Buffer.from(await response.arrayBuffer())
    }
    const listLosses = async (uuid: string): Promise<Json> =>
      readJson(await ask(stage.cast.setter, 'GET', `/-/judge/problems/${uuid}/package/losses?format=legacy`))

    for (const [kind, files] of Object.entries(everyKind))
      rule(`in the older format it comes back with the same tests, limits, checker and points: ${kind}`, async () => {
        const first = await bring(zipOf(files))
        const before = await readAll(first.UUID)
        if (before.judging.PassLimit > 1) {
          assert.match((await listLosses(first.UUID)).message, /several passes/)
          const refused = await ask(stage.cast.setter, 'GET', `/-/judge/problems/${first.UUID}/package?format=legacy`)
          assert.equal(refused.status, 409)
          return
        }
        const after = await readAll((await bring(await takeLegacy(first.UUID))).UUID)
        const { DisplayName, TimeLimitInMillisecond, MemoryLimitInByte, ExampleList } = before.problem
        assert.deepEqual(
          [after.problem.DisplayName, after.problem.TimeLimitInMillisecond, after.problem.MemoryLimitInByte],
          [DisplayName, TimeLimitInMillisecond, MemoryLimitInByte],
        )
        assert.deepEqual(after.problem.ExampleList, ExampleList)
        assert.deepEqual(after.tests, before.tests)
        const { Type, IsScored, Checker, Interactor } = before.judging
        assert.deepEqual(
          [after.judging.Type, after.judging.IsScored, after.judging.Interactor],
          [Type, IsScored, Interactor],
        )
        assert.deepEqual([after.judging.Checker.Kind, after.judging.Checker.Program], [Checker.Kind, Checker.Program])
        const groupsOf = ({ judging }: Json) =>
          // One of samples alone gives nothing, and has no folder.
          judging.GroupList.flatMap(({ Name, MaximumScore }: Json) =>
            MaximumScore === 0 ? [] : [[Name, MaximumScore]],
          )
        if (IsScored) assert.deepEqual(groupsOf(after), groupsOf(before))
      })

    test('the older format is told by name, says what it does not hold, and any other is refused', async () => {
      const { UUID } = await bring(zipOf(scoring2025))
      const { NoteList } = await listLosses(UUID)
      assert.ok(NoteList.some((note: string) => note.startsWith('The statement is written as TeX')))
      const { NoteList: none } = await readJson(
        await ask(stage.cast.setter, 'GET', `/-/judge/problems/${UUID}/package/losses`),
      )
      assert.deepEqual(none, [])
      for (const path of ['package?format=2023-07', 'package/losses?format=x'])
        assert.equal((await ask(stage.cast.setter, 'GET', `/-/judge/problems/${UUID}/${path}`)).status, 422)
      assert.equal((await ask(stage.cast.contestant, 'GET', `/-/judge/problems/${UUID}/package/losses`)).status, 403)
    })

    test('every file that is not part of the problem otherwise is kept to the byte', async () => {
      const { UUID } = await bring(zipOf(legacy, 'different/'))
      const kept = await readFiles(UUID)
      const hash = (path: string) => createHash('sha256').update(legacy[path]!).digest('hex')
      assert.deepEqual(kept, {
        'attachments/tool.bin': hash('attachments/tool.bin'),
        'data/secret/group/2.hint': hash('data/secret/group/2.hint'),
        'input_validators/check.py': hash('input_validators/check.py'),
        'source/problem.en.tex': hash('problem_statement/problem.en.tex'),
        'statement/figure.png': hash('problem_statement/figure.png'),
        'statement/problem.sv.tex': hash('problem_statement/problem.sv.tex'),
        'submissions/accepted/a.py': hash('submissions/accepted/a.py'),
        'submissions/run_time_error/c.py': hash('submissions/run_time_error/c.py'),
        'submissions/wrong_answer/b.py': hash('submissions/wrong_answer/b.py'),
        'unused/output_validators/near/README': hash('output_validators/near/README'),
      })
    })

    rule('an export is a package of 2025-09, in its words', async () => {
      const { UUID } = await bring(zipOf(legacy))
      const files = await openZip(await take(UUID), defaultLimits)
      const text = async (path: string) => (await files.read(path)).toString()
      assert.deepEqual(
        (await text('problem.yaml')).split('\n').filter((line) => !line.startsWith('uuid:')),
        [
          'problem_format_version: 2025-09',
          'type: pass-fail',
          'name:',
          '  en: Different',
          '  sv: Olika',
          'license: cc by-sa',
          'rights_owner: Ann Author',
          'credits:',
          '  authors:',
          '    - Ann Author',
          '    - Bob',
          '    - Cy',
          'source:',
          '  name: A contest',
          '  url: https://contest.example/',
          'keywords:',
          '  - easy',
          '  - maths',
          'limits:',
          '  time_limit: 3',
          '  time_multipliers:',
          '    time_limit_to_tle: 3',
          '  output: 8',
          '  memory: 512',
          '',
        ],
      )
      assert.equal(await text('data/secret/test_group.yaml'), 'output_validator_args:\n  - near\n')
      assert.equal(await text('output_validator/validate.py'), legacy['output_validators/near/validate.py'])
      assert.equal(await text('data/secret/group/10.in'), '1 11\n')
      const scored = await openZip(await take((await bring(zipOf(scoring2025))).UUID), defaultLimits)
      assert.equal(
        (await scored.read('data/secret/b/test_group.yaml')).toString(),
        'max_score: 30\nscore_aggregation: sum\nrequire_pass:\n  - sample\n  - secret/a\n',
      )
      assert.equal(
        (await scored.read('data/secret/b/1.yaml')).toString(),
        'hint: think\noutput_validator_args:\n  - case_sensitive\n',
      )
    })

    test('a problem that was made here is exported and comes back as it was', async () => {
      const { setter } = stage.cast
      const { UUID } = await makeProblem(setter, { DisplayName: 'Own', MemoryLimitInByte: 5_000_001 })
      await makeTest(setter, UUID, { IsHidden: false, Input: 'open' })
      await makeTest(setter, UUID)
      const grouped = await makeTest(setter, UUID, { Input: 'b' })
      const GroupList = [
        { Name: 'Ein / Schritt', Aggregation: 'sum', MaximumScore: 7.5, RequireList: ['sample'] },
        { Name: 'x', MaximumScore: 1 },
      ]
      const LanguageFactorList = [{ Language: 'python', TimeFactor: 2.5 }]
      await setter.call('update_problem_judging', { UUID, Judging: { IsScored: true, GroupList, LanguageFactorList } })
      await setter.call('update_test_case_judging', { UUID: grouped.UUID, Group: 'x', Points: 0.25 })
      const groupless = await ask(setter, 'GET', `/-/judge/problems/${UUID}/package`)
      assert.deepEqual([groupless.status, /in no group/.test(await groupless.text())], [409, true])
      const { TestCaseSnippetList } = await setter.call('get_problem_test_case_snippet_list', {
        ProblemUUID: UUID,
        ...page(),
      })
      await setter.call('update_test_case_judging', { UUID: TestCaseSnippetList[1].UUID, Group: 'Ein / Schritt' })
      const back = await bring(await take(UUID))
      assert.deepEqual(await readAll(back.UUID), await readAll(UUID))
      await setter.call('update_problem_judging', { UUID, Judging: { IsScored: false, MaximumScore: 12.5 } })
      const unscored = await bring(await take(UUID))
      const all = await readAll(UUID)
      assert.deepEqual([all.judging.GroupList.length, all.judgings[2].Group], [2, 'x'])
      assert.deepEqual(await readAll(unscored.UUID), all, 'groups that give no points for now come back as well')
    })

    if (engine === 'sqlite')
      test('checkers and interactors of testlib go out as programs that judge elsewhere as they do here', async () => {
        const folder = await mkdtemp(join(tmpdir(), 'guildhall-wrapped-'))
        const { setter } = stage.cast
        const python = (Name: string, text: string) => ({
          Language: 'python',
          FileList: [{ Name, Content: Buffer.from(text).toString('base64') }],
        })
        const rule =
          "if word == 'points': sys.stderr.write('points 3.5 well'); sys.exit(7)\nif word == 'info': sys.stderr.write('points points_info=4.5 well'); sys.exit(7)\nif word == 'long': sys.stderr.write('points message length exceeds 32000, the message is truncated: 5 well'); sys.exit(7)\nif word == 'odd': raise ValueError()\nif word.isdigit(): sys.exit(int(word))\n"
        const checker = `import sys\ngroup = sys.argv[5] if sys.argv[4:] else ''\nword = open(sys.argv[2]).read().strip()\n${rule}sys.exit(0 if word == open(sys.argv[3]).read().strip() + group else 1)\n`
        const interactor = `import sys\nprint(open(sys.argv[1]).read(), flush=True)\nword = input()\n${rule}open(sys.argv[2], 'w').write(word[1:])\n`
        /** Exports and builds the problem; runs its validator on an output, and tells how it ended and the points it gave. */
        async function prepare(name: string, Judging: object) {
          const { UUID } = await makeProblem(setter)
          const { UUID: test } = await makeTest(setter, UUID)
          const Checker = {
            Kind: 'testlib',
            ArgumentList: ['--group', '{group}'],
            Program: python('check.py', checker),
          }
          const GroupList = [{ Name: 'big one', MaximumScore: 5 }]
          await setter.call('update_problem_judging', {
            UUID,
            Judging: { Checker, IsScored: true, GroupList, ...Judging },
          })
          await setter.call('update_test_case_judging', { UUID: test, Group: 'big one' })
          const { UUID: own } = await makeTest(setter, UUID)
          await setter.call('update_test_case_judging', {
            ...{ UUID: own, Group: 'big one', ArgumentList: ['own', '{group}'] },
          })
          const zip = await take(UUID)
          assert.deepEqual(await readAll((await bring(zip)).UUID), await readAll(UUID))
          const files = await openZip(zip, defaultLimits)
          const home = join(folder, name)
          for (const path of files.paths) {
            await mkdir(dirname(join(home, path)), { recursive: true })
            await writeFile(join(home, path), await files.read(path), { mode: 0o755 })
          }
          assert.equal(spawnSync(join(home, 'output_validator/build')).status, 0)
          const yaml = await readFile(join(home, 'data/secret/group-001/test_group.yaml'), 'utf8')
          const told = /output_validator_args:\n {2}- (.*)\n {2}- (.*)\n/.exec(yaml)!.slice(1)
          await writeFile(join(home, 'answer'), 'yes\n')
          return async (output: string, isTold = true) => {
            const feedback = await mkdtemp(join(home, 'feedback-'))
            const words = [join(home, 'answer'), join(home, 'answer'), feedback, ...(isTold ? told : [])]
            const { status } = spawnSync(join(home, 'output_validator/run'), words, { input: `${output}\n` })
            const left = await readdir(feedback)
            assert.ok(!left.includes('output.testlib'))
            return left.includes('score.txt') ? [status, await readFile(join(feedback, 'score.txt'), 'utf8')] : [status]
          }
        }
        try {
          const judge = await prepare('batch', {})
          assert.deepEqual(await judge('yesbig one'), [42])
          assert.deepEqual([await judge('yes'), await judge('yes', false)], [[43], [42]])
          assert.deepEqual(await judge('points'), [42, '3.5\n'])
          assert.deepEqual(
            [await judge('info'), await judge('long')],
            [
              [42, '4.5\n'],
              [42, '5\n'],
            ],
          )
          assert.deepEqual(await judge('odd'), [1], 'an uncaught exception is no verdict')
          const ends: [string, number][] = [
            ['0', 42],
            ['2', 43],
            ['8', 43],
            ['7', 1],
            ['3', 1],
          ]
          for (const [code, status] of ends) assert.deepEqual(await judge(code), [status], code)
          const talk = await prepare('talk', { Type: 'interactive', Interactor: python('talk.py', interactor) })
          assert.deepEqual([await talk('+yesbig one'), await talk('+no')], [[42], [43]])
          assert.deepEqual(
            [await talk('points'), await talk('+points')],
            [
              [42, '3.5\n'],
              [42, '3.5\n'],
            ],
          )
          assert.deepEqual([await talk('1'), await talk('7'), await talk('3')], [[43], [1], [1]])
        } finally {
          await rm(folder, { recursive: true, force: true })
        }
      })

    rule('only who keeps the problem has its package, and only setters bring one', async () => {
      const { UUID } = await bring(zipOf(legacy))
      const address = `/-/judge/problems/${UUID}/package`
      const { anonymous, contestant, rival, colleague, admin, worker } = stage.cast
      for (const [by, status] of [
        [anonymous, 401],
        [contestant, 403],
        [rival, 403],
        [colleague, 403],
        [worker, 403],
        [admin, 200],
      ] as const) {
        const response = await ask(by, 'GET', address)
        await response.arrayBuffer()
        assert.equal(response.status, status)
      }
      for (const [by, status] of [
        [anonymous, 401],
        [contestant, 403],
        [worker, 403],
      ] as const)
        assert.equal((await ask(by, 'POST', '/-/judge/problems', zipOf(legacy))).status, status)
      assert.equal(
        (await ask(admin, 'GET', `/-/judge/problems/00000000-0000-0000-0000-000000000000/package`)).status,
        404,
      )
      assert.equal((await ask(admin, 'GET', '/-/judge/problems/x/package')).status, 404)
      for (const [body, message] of [
        ['no zip', /not a whole zip/],
        ['', /The body is empty/],
      ] as const) {
        const response = await ask(stage.cast.setter, 'POST', '/-/judge/problems', body)
        assert.equal(response.status, 422)
        assert.match((await readJson(response)).message, message)
      }
    })

    rule(
      'a picture is shown to all who see the problem and can do nothing; what else is kept is for its keeper',
      async () => {
        const { UUID } = await bring(zipOf(scoring2025))
        const { contestant, setter, colleague, anonymous } = stage.cast
        const { HTML } = await contestant.call('get_problem_statement', { UUID })
        const picture = `/-/judge/problems/${UUID}/files/statement/figure.svg`
        assert.ok(HTML.includes(`<img src="${picture}" alt="a"`), HTML)
        assert.ok(HTML.includes(`<a href="/-/judge/problems/${UUID}/files/attachments/b.txt"`), HTML)
        const response = await ask(contestant, 'GET', picture)
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), 'image/svg+xml')
        assert.equal(
          response.headers.get('content-security-policy'),
          "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        )
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
        const attachment = await ask(contestant, 'GET', `/-/judge/problems/${UUID}/files/attachments/b.txt`)
        assert.match(attachment.headers.get('content-disposition')!, /^attachment; filename="b\.txt"/)
        for (const hidden of ['submissions/accepted/a.py', 'solution/solution.en.md', 'input_validators/v.py']) {
          assert.equal((await ask(contestant, 'GET', `/-/judge/problems/${UUID}/files/${hidden}`)).status, 404)
          assert.equal((await ask(setter, 'GET', `/-/judge/problems/${UUID}/files/${hidden}`)).status, 200)
        }
        const { ProblemFileList } = await readJson(await ask(contestant, 'GET', `/-/judge/problems/${UUID}/files`))
        assert.deepEqual(
          ProblemFileList.map(({ Path }: Json) => Path),
          ['attachments/b.txt', 'statement/figure.svg'],
        )
        assert.equal((await ask(anonymous, 'GET', picture)).status, 401)
        await setter.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
        assert.equal((await ask(contestant, 'GET', picture)).status, 404)
        assert.equal((await ask(colleague, 'PUT', picture, 'x')).status, 404)
      },
    )

    test('files are put and deleted by the problem’s keeper, within bounds, and count to the quota', async () => {
      const { setter, colleague } = stage.cast
      const { UUID } = await makeProblem(setter)
      const at = (path: string) => `/-/judge/problems/${UUID}/files/${path}`
      const usage = async () => {
        const row = await stage.services.store.db
          .selectFrom('test_usage')
          .select('bytes')
          .where('account_id', '=', stage.idOf('setter'))
          .executeTakeFirst()
        return Number(row?.bytes ?? 0)
      }
      const before = await usage()
      assert.equal((await ask(setter, 'PUT', at('statement/a.png'), 'abc')).status, 200)
      assert.equal((await ask(setter, 'PUT', at('statement/a.png'), 'abcdef')).status, 200)
      assert.equal(await usage(), before + 6)
      assert.equal((await ask(colleague, 'PUT', at('statement/a.png'), 'x')).status, 403)
      for (const path of ['problem.yaml', 'data/secret/1.in', 'output_validator/run', 'a//b', 'a%5C..%5Cb', '%5Ca'])
        assert.equal((await ask(setter, 'PUT', at(path), 'x')).status, 422, path)
      assert.equal((await ask(setter, 'PUT', at('attachments/big'), Buffer.alloc(2_000_000))).status, 403)
      assert.equal(await usage(), before + 6)
      for (let i = 0; i < 39; i++) assert.equal((await ask(setter, 'PUT', at(`attachments/${i}`), 'x')).status, 200)
      assert.equal((await ask(setter, 'PUT', at('attachments/more'), 'x')).status, 403)
      assert.equal((await ask(setter, 'DELETE', at('statement/a.png'))).status, 204)
      assert.equal((await ask(setter, 'DELETE', at('statement/a.png'))).status, 404)
      await setter.call('delete_problem', { UUID })
      assert.equal(await usage(), before)
      const hash = createHash('sha256').update('abcdef').digest('hex')
      const noted = await stage.services.store.db
        .selectFrom('blob_deletion')
        .select('blob_hash')
        .where('blob_hash', '=', hash)
        .execute()
      assert.equal(noted.length, 1)
    })

    rule('a package with more files than a problem may have is refused whole', async () => {
      const many: Files = {
        ...legacy,
        ...Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`attachments/${i}`, 'x'])),
      }
      const response = await ask(stage.cast.setter, 'POST', '/-/judge/problems', zipOf(many))
      assert.equal(response.status, 422)
      assert.match((await readJson(response)).message, /more than 40 files/)
    })
  })
}
