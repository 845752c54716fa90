import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { compareNaturally } from '../../../src/judge/archive/natural-order.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, makeTest, page, startJudge } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { makeZip, toBase64, type ZipEntry } from '../../support/zip.ts'

const mebibyte = 1024 * 1024
const pair = (name: string, data = ''): ZipEntry[] => [
  { path: `${name}.in`, data: `${data}in` },
  { path: `${name}.out`, data: `${data}out` },
]

for (const engine of engines) {
  describe(`archives of test cases on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let cast: Cast
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
    })
    after(() => stage.stop())

    const upload = (ProblemUUID: string, zip: Buffer) =>
      cast.setter.ask('create_test_case_list', { ProblemUUID, ZippedTestData: zip.toString('base64') })
    const testsOf = async (ProblemUUID: string): Promise<Json[]> =>
      (await cast.setter.call('get_problem_test_case_snippet_list', { ProblemUUID, ...page() })).TestCaseSnippetList

    test('both layouts at any depth become hidden test cases in natural order, after those that are there', async () => {
      const { UUID } = await makeProblem(cast.setter)
      await makeTest(cast.setter, UUID, { Input: 'there', IsHidden: false })
      const answer = await upload(
        UUID,
        makeZip([
          { path: 'deep/10.in', data: 'ten' },
          { path: 'deep/10.ans', data: 'TEN' },
          { path: 'deep/', mode: 0o040755 },
          { path: 'deep/2.out', data: 'TWO', isPacked: false },
          { path: 'deep/2.in', data: 'two', isPacked: false },
          { path: 'deep/3/output.txt', data: 'THREE' },
          { path: 'deep/3/input.txt', data: 'three' },
          { path: 'input.txt', data: 'root' },
          { path: 'output.txt', data: 'ROOT' },
          { path: 'README.md', data: 'ignored' },
          { path: '__MACOSX/deep/._2.in', data: Buffer.from([0xff, 0xfe]) },
          { path: 'zażółć.in', data: 'a\0b\r\n' },
          { path: 'zażółć.out' },
        ]),
      )
      assert.deepEqual(answer.result, {}, JSON.stringify(answer.error))
      const tests = await testsOf(UUID)
      assert.deepEqual(
        tests.map(({ Input, Output, IsHidden }) => [Input, Output, IsHidden]),
        [
          ['there', '3\n', false],
          ['root', 'ROOT', true],
          ['two', 'TWO', true],
          ['three', 'THREE', true],
          ['ten', 'TEN', true],
          ['a\0b\r\n', '', true],
        ],
      )
    })

    const long = 'x'.repeat(64 * 1024)
    const refused: [string, string, () => Buffer][] = [
      ['no zip', '', () => Buffer.from('PK but not really')],
      ['nothing', '', () => Buffer.alloc(0)],
      ['no test', '', () => makeZip([{ path: 'README.md', data: 'x' }])],
      ['an input without an output', 'b.in', () => makeZip([...pair('a'), { path: 'b.in' }])],
      ['an output without an input', 'b.ans', () => makeZip([...pair('a'), { path: 'b.ans' }])],
      ['a folder without an output', 'f/input.txt', () => makeZip([{ path: 'f/input.txt' }, ...pair('a')])],
      ['both .out and .ans', 'a.ans', () => makeZip([...pair('a'), { path: 'a.ans' }])],
      ['the same name twice', 'a.in', () => makeZip([...pair('a'), { path: 'a.in' }])],
      ['a path that leaves', '../a.in', () => makeZip([...pair('b'), ...pair('../a')])],
      ['a path that leaves later', 'x/../../a.in', () => makeZip([...pair('b'), ...pair('x/../../a')])],
      ['an absolute path', '/etc/a.in', () => makeZip(pair('/etc/a'))],
      ['a drive', 'C:/a.in', () => makeZip(pair('C:\\a'))],
      [
        'a symbolic link',
        'a.in',
        () => makeZip([{ path: 'a.in', data: '/etc/passwd', mode: 0o120777 }, { path: 'a.out' }]),
      ],
      ['a device', 'tty', () => makeZip([...pair('a'), { path: 'tty', mode: 0o020666 }])],
      ['an encrypted entry', 'a.in', () => makeZip([{ path: 'a.in', flags: 0x801 }, { path: 'a.out' }])],
      ['an unknown packing', 'a.in', () => makeZip([{ path: 'a.in', method: 12 }, { path: 'a.out' }])],
      ['a wrong checksum', 'a.out', () => makeZip([{ path: 'a.in' }, { path: 'a.out', data: 'x', crc: 1 }])],
      [
        'a wrong checksum in what is ignored',
        'notes',
        () => makeZip([...pair('a'), { path: 'notes', data: 'x', crc: 1 }]),
      ],
      [
        'text that is not UTF-8',
        'a.in',
        () => makeZip([{ path: 'a.in', data: Buffer.from([0xc3, 0x28]) }, { path: 'a.out' }]),
      ],
      ['a cut-off archive', '', () => makeZip(pair('a', long)).subarray(0, -30)],
      ['a cut-off front', '', () => makeZip(pair('a', long)).subarray(200)],
      [
        'a file larger than it says',
        'a.in',
        () => makeZip([{ path: 'a.in', data: long, declaredSize: 10 }, { path: 'a.out' }]),
      ],
      [
        'a file smaller than it says',
        'a.in',
        () => makeZip([{ path: 'a.in', data: long, declaredSize: 10 ** 6 }, { path: 'a.out' }]),
      ],
      [
        'a broken stream',
        'a.in',
        () => makeZip([{ path: 'a.in', data: 'nonsense', isPacked: false, method: 8 }, { path: 'a.out' }]),
      ],
      [
        'a text over 16 MiB',
        'a.in',
        () => makeZip([{ path: 'a.in', data: noise(16 * mebibyte + 1), isPacked: false }, { path: 'a.out' }]),
      ],
      [
        '10,001 files',
        '',
        () => makeZip(Array.from({ length: 10_001 }, (_, i) => ({ path: `${i}`, isPacked: false }))),
      ],
      [
        'a bomb',
        'b.in',
        () =>
          bomb([
            ['a.in', 1],
            ['a.out', 1],
            ['b.in', 15],
            ['b.out', 15],
          ]),
      ],
      [
        'a bomb in what is ignored',
        'zeros',
        () =>
          bomb([
            ['a.in', 1],
            ['a.out', 1],
            ['zeros', 17],
          ]),
      ],
    ]
    for (const [what, entry, make] of refused) {
      rule(`${what} is refused with the entry named, and nothing is stored`, async () => {
        const { UUID } = await makeProblem(cast.setter)
        const { error } = await upload(UUID, make())
        assert.equal(error?.code, -32602, what)
        assert.equal(error.data.Errors[0].Field, 'ZippedTestData')
        assert.ok(error.data.Errors[0].Reason.includes(entry), error.data.Errors[0].Reason)
        const { TotalTestCaseCount } = await cast.setter.call('get_problem_test_case_snippet_list', {
          ProblemUUID: UUID,
          ...page(),
        })
        assert.equal(TotalTestCaseCount, 0)
        const left = await stage.services.store.db
          .selectFrom('test_case')
          .select('id')
          .where('upload_id', 'is not', null)
          .execute()
        const uploads = await stage.services.store.db.selectFrom('test_upload').select('id').execute()
        assert.deepEqual([left, uploads], [[], []])
      })
    }

    rule('bad base64 is refused', async () => {
      const { UUID } = await makeProblem(cast.setter)
      const good = toBase64(pair('a'))
      const bad = [
        '!',
        'a',
        good.slice(0, -1),
        `${good}\n`,
        good.replace(/^./, '-'),
        `=${good.slice(1)}`,
        `${good}====`,
      ]
      for (const ZippedTestData of bad) {
        const { error } = await cast.setter.ask('create_test_case_list', { ProblemUUID: UUID, ZippedTestData })
        assert.equal(error?.code, -32602, ZippedTestData.slice(-10))
        assert.equal(error.data.Errors[0].Field, 'ZippedTestData')
      }
      assert.equal(
        (await cast.setter.ask('create_test_case_list', { ProblemUUID: UUID, ZippedTestData: good })).error,
        undefined,
      )
    })

    rule('10,000 files and 16 MiB at any ratio are taken', async () => {
      const { UUID } = await makeProblem(cast.setter)
      const many = Array.from({ length: 5_000 }, (_, i) => pair(`t/${i}`)).flat()
      assert.equal((await upload(UUID, makeZip(many))).error, undefined)
      assert.equal(
        (
          await upload(
            UUID,
            bomb([
              ['a.in', 8],
              ['a.out', 8],
            ]),
          )
        ).error,
        undefined,
      )
      const params = { ProblemUUID: UUID, ...page(4_999, 2) }
      const { TotalTestCaseCount, TestCaseSnippetList } = await cast.setter.call(
        'get_problem_test_case_snippet_list',
        params,
      )
      assert.equal(TotalTestCaseCount, 5_001)
      assert.deepEqual(
        TestCaseSnippetList.map(({ Input }: Json) => Input.length),
        [2, 103],
      )
    })

    test('what a killed server left of an upload is swept away, and a running one is not', async () => {
      const { store, judge, clock } = stage.services
      const tests = async function* () {
        yield { input: Buffer.from('a'), output: Buffer.from('b'), isHidden: true }
      }
      const [old, running] = [await judge.uploads.stage(1, tests()), await judge.uploads.stage(1, tests())]
      await store.write((trx) =>
        trx
          .updateTable('test_upload')
          .set({ started_at: clock.now() - 3_600_000 })
          .where('id', '=', old.id)
          .execute(),
      )
      await judge.uploads.sweep()
      const left = await store.db
        .selectFrom('test_case')
        .select('upload_id')
        .where('upload_id', 'is not', null)
        .execute()
      assert.deepEqual(
        left.map((row) => row.upload_id),
        [running.id],
      )
      await judge.uploads.discard(running.id)
    })
  })
}

/** Zeros packed as hard as can be: so many MiB in each file. */
function bomb(files: [path: string, mebibytes: number][]): Buffer {
  return makeZip(files.map(([path, size]) => ({ path, data: Buffer.alloc(size * mebibyte) })))
}

function noise(length: number): Buffer {
  return Buffer.alloc(length, deflateRawSync(Buffer.from('noise')).toString('hex'))
}

describe('the natural order of paths', () => {
  test('takes numbers as numbers, folder by folder', () => {
    const sorted = ['', '1', '2', '010', '10', 'a', 'a/1', 'a/9b', 'a/10a', 'a1', 'b2c3', 'b2c10', 'b10']
    assert.deepEqual([...sorted].reverse().sort(compareNaturally), sorted)
    const huge = '9'.repeat(400)
    assert.ok(compareNaturally(huge, `1${huge}`) < 0)
  })

  test('is that of the numbers and words between them, wherever two paths part', () => {
    const path = fc.string({ unit: fc.constantFrom('a', '!', '0', '1', '/'), maxLength: 8 })
    const apart = (text: string) => text.split('/').map((name) => name.match(/\d+|\D+/g) ?? [])
    const rank = (run: string | undefined) => (run && /^\d/.test(run) ? BigInt(run) : undefined)
    const compareRuns = (a: string | undefined, b: string | undefined): number => {
      if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
      const [left, right] = [rank(a) ?? a, rank(b) ?? b]
      return left === right ? 0 : typeof left === typeof right ? (left < right ? -1 : 1) : a < b ? -1 : 1
    }
    const expected = (a: string, b: string): number => {
      const [left, right] = [apart(a), apart(b)]
      for (let i = 0; i < Math.min(left.length, right.length); i++) {
        for (let run = 0; run < Math.max(left[i]!.length, right[i]!.length); run++) {
          const order = compareRuns(left[i]![run], right[i]![run])
          if (order !== 0) return order
        }
      }
      return Math.sign(left.length - right.length) || (a === b ? 0 : a < b ? -1 : 1)
    }
    fc.assert(
      fc.property(path, path, path, (start, a, b) => {
        const [one, other] = [start + a, start + b]
        assert.equal(Math.sign(compareNaturally(one, other)), expected(one, other), JSON.stringify([one, other]))
      }),
      { numRuns: 5_000 },
    )
  })

  test('of hundreds of paths of tens of thousands of characters is no work: it took a minute and a half', () => {
    for (const unit of ['1a', 'a/', '00']) {
      const paths = Array.from({ length: 500 }, (_, i) => unit.repeat(30_000) + (1_000 + i))
      assert.deepEqual([...paths].reverse().sort(compareNaturally), paths)
    }
  })

  test('is an order: whatever two paths, one comes first, and of three there is no circle', () => {
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '0', '1', '2', '/', '.'), maxLength: 8 })
    fc.assert(
      fc.property(path, path, path, (a, b, c) => {
        assert.equal(Math.sign(compareNaturally(a, b)) + Math.sign(compareNaturally(b, a)), 0)
        if (a !== b) assert.notEqual(compareNaturally(a, b), 0)
        if (compareNaturally(a, b) < 0 && compareNaturally(b, c) < 0) assert.ok(compareNaturally(a, c) < 0)
      }),
    )
  })
})
