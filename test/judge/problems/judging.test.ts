/** How problems are judged: what may be set, who sees it, and what is refused. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, makeTest, page, startJudge } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const program = (change: object = {}) => ({
  Language: 'python',
  FileList: [{ Name: 'check.py', Content: base64('print("é")\n') }],
  ...change,
})
const kattis = (change: object = {}) => ({ Kind: 'kattis', ArgumentList: ['-x', ''], Program: program(change) })

const plain = {
  Type: 'batch',
  PassLimit: 1,
  Checker: { Kind: 'lines', ArgumentList: [], Program: null },
  Interactor: null,
  IsScored: false,
  Aggregation: 'sum',
  MaximumScore: 100,
  GroupList: [],
  LanguageFactorList: [],
  IsHeld: false,
}

for (const engine of engines)
  describe(`how problems are judged on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let cast: Cast
    let UUID: string
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: 'authorTestDataBytes=8000000' } })
      cast = stage.cast
      UUID = (await makeProblem(cast.setter)).UUID
    })
    after(() => stage.stop())

    const read = async (by: keyof Cast = 'setter'): Promise<Json> =>
      (await cast[by].call('get_problem_judging', { UUID })).Judging
    const set = (Judging: object): Promise<Json> => cast.setter.ask('update_problem_judging', { UUID, Judging })
    const settings = ({ JudgingHash: _, FaultCount: __, LastFault: ___, ...rest }: Json) => rest

    rule('a problem is judged the plain way until it says otherwise', async () => {
      assert.deepEqual(settings(await read()), plain)
      const { JudgingHash, FaultCount, LastFault } = await read()
      assert.match(JudgingHash, /^[0-9a-f]{64}$/)
      assert.deepEqual([FaultCount, LastFault], [0, null])
    })

    test('what is set is given back, what is absent or null stays, and the hash changes with each change', async () => {
      const whole = {
        Type: 'interactive',
        PassLimit: 3,
        Checker: kattis(),
        Interactor: null,
        IsScored: true,
        Aggregation: 'min',
        MaximumScore: 12.5,
        GroupList: [
          { Name: 'b', Aggregation: 'pass-fail', MaximumScore: 0.1, RequireList: ['a', 'sample'] },
          { Name: 'a', Aggregation: 'sum', MaximumScore: null, RequireList: [] },
        ],
        LanguageFactorList: [{ Language: 'java', TimeFactor: 2.5 }],
        IsHeld: false,
      }
      const hashes = [(await read()).JudgingHash]
      const { result } = await set(whole)
      assert.deepEqual(settings(result.Judging), whole)
      assert.deepEqual(await read(), result.Judging)
      hashes.push(result.Judging.JudgingHash)
      await set({ PassLimit: null, Checker: null, MaximumScore: 1 })
      assert.deepEqual(settings(await read()), { ...whole, MaximumScore: 1 })
      hashes.push((await read()).JudgingHash)
      await set({ MaximumScore: null })
      assert.equal((await read()).MaximumScore, null)
      const made = await makeTest(cast.setter, UUID)
      hashes.push((await read()).JudgingHash)
      await cast.setter.call('update_test_case_judging', { UUID: made.UUID, Points: 3 })
      hashes.push((await read()).JudgingHash)
      assert.equal(new Set(hashes).size, hashes.length)
      await cast.setter.call('delete_test_case', { UUID: made.UUID })
      await set(plain)
      assert.deepEqual(settings(await read()), plain)
    })

    rule(
      'all of it is for who keeps the problem and for executors; others see what kind it is and what it gives',
      async () => {
        await set({
          IsScored: true,
          Checker: kattis(),
          GroupList: [{ Name: 'a', MaximumScore: 30, RequireList: ['sample'] }],
        })
        const known = {
          Type: 'batch',
          IsScored: true,
          MaximumScore: 100,
          GroupList: [{ Name: 'a', MaximumScore: 30 }],
        }
        for (const who of ['contestant', 'colleague'] as const) assert.deepEqual(await read(who), known, who)
        const all = await read('setter')
        for (const who of ['admin', 'worker'] as const) assert.deepEqual(await read(who), all, who)
        assert.equal(all.Checker.Program.FileList[0].Content, base64('print("é")\n'))
        await set(plain)
      },
    )

    rule('what can’t be judged is refused, with the field that is wrong, and nothing changes', async () => {
      const before = await read()
      const file = (Name: string) => ({ Name, Content: '' })
      const wrong: [object, string][] = [
        [{ Type: 'other' }, 'Judging.Type'],
        [{ Type: 'interactive' }, 'Judging.Interactor'],
        [{ Interactor: program() }, 'Judging.Interactor'],
        [{ Type: 'interactive', Interactor: program(), PassLimit: 2, Checker: kattis() }, 'Judging.PassLimit'],
        [{ PassLimit: 2 }, 'Judging.PassLimit'],
        [{ PassLimit: 101 }, 'Judging.PassLimit'],
        [{ Checker: { Kind: 'kattis' } }, 'Judging.Checker.Program'],
        [{ Checker: { Kind: 'tokens', Program: program() } }, 'Judging.Checker.Program'],
        [{ Checker: { Kind: 'lines', ArgumentList: ['x'] } }, 'Judging.Checker.ArgumentList'],
        [{ Checker: { Kind: 'tokens', ArgumentList: ['float_tolerance'] } }, 'Judging.Checker.ArgumentList'],
        [{ Checker: { Kind: 'tokens', ArgumentList: ['float_tolerance', '-1'] } }, 'Judging.Checker.ArgumentList'],
        [{ Checker: { Kind: 'tokens', ArgumentList: ['float_tolerance 1e-6'] } }, 'Judging.Checker.ArgumentList'],
        [{ Checker: kattis({ Language: 'go' }) }, 'Judging.Checker.Program.Language'],
        [{ Checker: kattis({ FileList: [] }) }, 'Judging.Checker.Program.FileList'],
        [{ Checker: kattis({ FileList: [file('a.py'), file('b.py')] }) }, 'Judging.Checker.Program.FileList'],
        [
          { Checker: kattis({ FileList: [{ Name: 'a', Content: 'é' }] }) },
          'Judging.Checker.Program.FileList.0.Content',
        ],
        [
          { Checker: kattis({ Language: 'c', FileList: Array.from({ length: 101 }, (_, i) => file(`${i}.c`)) }) },
          'Judging.Checker.Program.FileList',
        ],
        [
          { Checker: kattis({ FileList: [{ Name: 'a', Content: base64(Buffer.alloc(4 * 1024 * 1024 + 1)) }] }) },
          'Judging.Checker.Program.FileList',
        ],
        [
          {
            Checker: kattis({
              Language: 'c',
              FileList: ['a.c', 'b.c'].map((Name) => ({ Name, Content: base64(Buffer.alloc(2 * 1024 * 1024 + 1)) })),
            }),
          },
          'Judging.Checker.Program.FileList',
        ],
        [{ MaximumScore: -1 }, 'Judging.MaximumScore'],
        [{ MaximumScore: 1e9 + 1 }, 'Judging.MaximumScore'],
        [{ Aggregation: 'pass-fail', MaximumScore: null }, 'Judging.MaximumScore'],
        [{ GroupList: [{ Name: '' }] }, 'Judging.GroupList.0.Name'],
        [{ GroupList: [{ Name: 'sample' }] }, 'Judging.GroupList'],
        [{ GroupList: [{ Name: 'a' }, { Name: 'a' }] }, 'Judging.GroupList'],
        [{ GroupList: [{ Name: 'a', Aggregation: 'pass-fail' }] }, 'Judging.GroupList'],
        [{ GroupList: [{ Name: 'a', RequireList: ['b'] }] }, 'Judging.GroupList'],
        [{ GroupList: [{ Name: 'a', RequireList: ['a'] }] }, 'Judging.GroupList'],
        [{ GroupList: Array.from({ length: 101 }, (_, i) => ({ Name: `${i}` })) }, 'Judging.GroupList'],
        [{ LanguageFactorList: [{ Language: 'c', TimeFactor: 0.9 }] }, 'Judging.LanguageFactorList.0.TimeFactor'],
        [{ LanguageFactorList: [{ Language: 'c', TimeFactor: 11 }] }, 'Judging.LanguageFactorList.0.TimeFactor'],
        [
          {
            LanguageFactorList: [
              { Language: 'c', TimeFactor: 1 },
              { Language: 'c', TimeFactor: 2 },
            ],
          },
          'Judging.LanguageFactorList',
        ],
      ]
      for (const [change, field] of wrong) {
        const { error } = await set(change)
        assert.equal(error?.code, -32602, JSON.stringify(change).slice(0, 200))
        const found = error.data.Errors.map(({ Field }: Json) => Field)
        assert.ok(
          found.some((one: string) => one.startsWith(field)),
          `${field}: ${found}`,
        )
      }
      assert.deepEqual(await read(), before)
    })

    rule('a name that a program’s file can’t have is refused with the rule that it breaks', async () => {
      const relative = 'have names that are relative paths without . and ..'
      const characters = 'have names of letters, digits, spaces and _ + @ = , . -'
      const ends = 'have names without - or a space in front, or a space at the end'
      const wrong: [names: string[], reason: string][] = [
        ...['../a.c', '/a.c', 'a//b.c', 'b/', './a.c'].map((name): [string[], string] => [[name], relative]),
        ...['a:b.c', 'a\\b.c', 'a\nb.c', '*.c', '$(a).c', 'a\u202eb.c'].map((name): [string[], string] => [
          [name],
          characters,
        ]),
        ...['-o', 'a/-o.c', ' a.c', 'a.c '].map((name): [string[], string] => [[name], ends]),
        [[`${'a'.repeat(127)}.c`], 'have names with at most 128 characters between two /'],
        [[`${'字'.repeat(85)}.c`], 'have names with at most 255 bytes between two /'],
        [[`${'a/'.repeat(16)}a.c`], 'have names of at most 16 parts between /'],
        [['a.c', 'a.c'], 'have "a.c" only once'],
        [['a', 'a/b.c'], 'not have "a" both as a file and as a folder'],
      ]
      for (const [names, reason] of wrong) {
        const FileList = names.map((Name) => ({ Name, Content: '' }))
        const { error } = await set({ Checker: kattis({ Language: 'c', FileList }) })
        const told = error.data.Errors[0]
        assert.ok(told.Reason.startsWith(`must ${reason}`), `${names}: ${told.Reason}`)
        assert.equal(told.Field, 'Judging.Checker.Program.FileList')
      }
    })

    test('programs of four mebibytes in folders are kept to the byte, and count to their author’s tests', async () => {
      const usage = async () => {
        const rows = await stage.services.store.db.selectFrom('test_usage').select(['account_id', 'bytes']).execute()
        return rows.find(({ account_id }) => account_id === stage.idOf('setter'))?.bytes ?? 0
      }
      const before = await usage()
      const big = Buffer.alloc(4 * 1024 * 1024 - 3, 'x')
      const FileList = [
        { Name: 'src/main.cpp', Content: base64(big) },
        { Name: 'src/testlib.h', Content: base64(Buffer.from([0, 255, 10])) },
      ]
      const Checker = { Kind: 'testlib', ArgumentList: [], Program: { Language: 'cpp', FileList } }
      assert.equal((await set({ Checker })).error, undefined)
      assert.deepEqual((await read()).Checker, Checker)
      assert.equal((await usage()) - before, 4 * 1024 * 1024)
      const other = await makeProblem(cast.setter)
      assert.equal(
        await cast.setter.code('update_problem_judging', { UUID: other.UUID, Judging: { Checker } }),
        9,
        'the author’s quota is full',
      )
      await set({ Checker: plain.Checker })
      assert.equal(await usage(), before)
      await cast.setter.call('update_problem_judging', { UUID: other.UUID, Judging: { Checker } })
      await cast.setter.call('delete_problem', { UUID: other.UUID })
      assert.equal(await usage(), before)
    })

    test('a program of C++ that includes testlib.h gets the server’s, unless it has one', async () => {
      const include = { Name: 'src/check.cpp', Content: base64('// Mine.\n  # include <testlib.h>\nint main() {}\n') }
      const own = { Name: 'src/testlib.h', Content: base64('own') }
      const namesAfter = async (Language: string, FileList: object[], member = 'Checker') => {
        const Program = { Language, FileList }
        const change =
          member === 'Checker'
            ? { Checker: { Kind: 'testlib', ArgumentList: [], Program } }
            : { Type: 'interactive', Interactor: Program }
        assert.equal((await set(change)).error, undefined)
        const { Checker, Interactor } = await read()
        return (Interactor ?? Checker.Program).FileList.map(({ Name }: Json) => Name)
      }
      assert.deepEqual(await namesAfter('cpp', [include]), ['src/check.cpp', 'testlib.h'])
      const [, given] = (await read()).Checker.Program.FileList
      assert.match(Buffer.from(given.Content, 'base64').toString(), /Mike Mirzayanov[\s\S]*above notices are retained/)
      assert.deepEqual(await namesAfter('cpp', [include, own]), ['src/check.cpp', 'src/testlib.h'])
      const mentions = { Name: 'a.cpp', Content: base64('// As with #include "testlib.h"\nint main() {}\n') }
      assert.deepEqual(await namesAfter('cpp', [mentions]), ['a.cpp'])
      assert.deepEqual(await namesAfter('c', [{ ...include, Name: 'a.c' }]), ['a.c'])
      assert.deepEqual(await namesAfter('cpp', [include], 'Interactor'), ['src/check.cpp', 'testlib.h'])
      await set({ Type: 'batch', Interactor: null, ...plain.Checker })
      await set({ Checker: plain.Checker })
    })

    test('tests have groups, points and arguments; a group that is not there is refused, and one in use stays', async () => {
      const made = await makeTest(cast.setter, UUID)
      const second = await makeTest(cast.setter, UUID)
      const about = { UUID: made.UUID }
      // Of input and output.
      const ByteCount = 6
      const given = async () => (await cast.worker.call('get_test_case_judging', about)).TestCaseJudging
      assert.deepEqual(await given(), { UUID: made.UUID, Group: '', Points: null, ArgumentList: null, ByteCount })
      assert.equal(await cast.setter.code('update_test_case_judging', { ...about, Group: 'a' }), 10)
      await set({ GroupList: [{ Name: 'a', MaximumScore: 10 }] })
      const changed = { ...about, Group: 'a', Points: 0.000001, ArgumentList: ['x', ''] }
      const { TestCaseJudging } = await cast.setter.call('update_test_case_judging', changed)
      assert.deepEqual(TestCaseJudging, { ...changed, ByteCount })
      await cast.setter.call('update_test_case_judging', { ...about, Group: null, Points: null })
      assert.deepEqual(await given(), { ...changed, Points: null, ByteCount })
      await cast.setter.call('update_test_case_judging', { ...about, ArgumentList: null })
      const list = await cast.worker.call('get_problem_test_case_judging_list', { ProblemUUID: UUID, ...page() })
      assert.deepEqual(list, {
        TotalTestCaseCount: 2,
        TestCaseJudgingList: [
          { UUID: made.UUID, Group: 'a', Points: null, ArgumentList: null, ByteCount },
          { UUID: second.UUID, Group: '', Points: null, ArgumentList: null, ByteCount },
        ],
      })
      assert.equal((await set({ GroupList: [] })).error.code, 10)
      await set({ Checker: { Kind: 'tokens' } })
      assert.equal(await cast.setter.code('update_test_case_judging', { ...about, ArgumentList: ['y'] }), -32602)
      await set({ Checker: kattis() })
      await cast.setter.call('update_test_case_judging', { ...about, ArgumentList: ['near'] })
      const turn = (...ArgumentList: string[]) => set({ Checker: { Kind: 'tokens', ArgumentList } })
      const { error } = await turn()
      assert.equal(error.code, 10)
      assert.match(error.message, /knows no "near".*update_test_case_judging/)
      await cast.setter.call('update_test_case_judging', { ...about, ArgumentList: ['float_tolerance', '+1e-6'] })
      assert.equal((await turn('float_relative_tolerance', '1.e-6')).error, undefined)
      for (const wrong of [{ Points: -1 }, { Points: '1' }, { Group: 'x'.repeat(65) }, { ArgumentList: [1] }])
        assert.equal(await cast.setter.code('update_test_case_judging', { ...about, ...wrong }), -32602)
      for (const one of [made, second]) await cast.setter.call('delete_test_case', { UUID: one.UUID })
      await set(plain)
    })

    rule('a switch that stops changes of problems stops these, too', async () => {
      const made = await makeTest(cast.setter, UUID)
      const setting = (DisableProblemUpdate: boolean) =>
        cast.admin.call('update_setting', {
          Setting: { Problem: { DisableProblemCreation: false, DisableProblemUpdate } },
        })
      await setting(true)
      assert.equal((await set({ IsScored: true })).error.code, 15)
      assert.equal(await cast.setter.code('update_test_case_judging', { UUID: made.UUID, Points: 1 }), 15)
      await setting(false)
      await cast.setter.call('delete_test_case', { UUID: made.UUID })
    })
  })
