/** Groups and points: what is run, what is not, and what a checker's scores are held against. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { linesJudging, type ProblemJudging } from '../../../src/executor/judging/problem-judging.ts'
import { makeJudgingParts, makeSubmissionJudge, type Report } from '../../../src/executor/judging/submission-judge.ts'
import type { TestCase } from '../../../src/executor/judging/test-case.ts'
import { resolveScore } from '../../../src/executor/judging/test-score.ts'
import { type ScoringRules, toMillionths } from '../../../src/lib/judging-rules/scoring/rules.ts'
import { actorSource } from '../checkers/actor.ts'
import { type Court, openCourt } from '../checkers/court.ts'

const group = (
  name: string,
  aggregation: ScoringRules['aggregation'],
  maximum: number | null,
  required: string[] = [],
) => ({
  name,
  aggregation,
  maximum: maximum === null ? null : toMillionths(maximum),
  required,
})

describe('a score', () => {
  const ten = { maximum: toMillionths(10), aggregation: 'sum' } as const
  const table: [kind: 'points' | 'multiplier', text: string, score: number | null][] = [
    ['points', '10', 10],
    ['points', '0', 0],
    ['points', '2.5', 2.5],
    ['points', '1e0', 1],
    ['points', '0.0000014', 0.000001],
    ['points', '10.000001', null],
    ['points', '-1', null],
    ['points', '-0', null],
    ['points', 'nan', null],
    ['points', 'inf', null],
    ['points', '', null],
    ['points', '1 2', null],
    ['points', '1e999', null],
    ['multiplier', '0.25', 2.5],
    ['multiplier', '1', 10],
    ['multiplier', '1.01', null],
    ['multiplier', '-0.1', null],
  ]
  it('is points, or a part of what the test can give, and nothing that it can’t', () => {
    for (const [kind, text, score] of table) {
      const found = resolveScore({ kind, text }, ten)
      assert.equal(
        'score' in found ? found.score : null,
        score === null ? null : toMillionths(score),
        `${kind} ${text}`,
      )
    }
    assert.deepEqual(resolveScore(null, ten), { score: undefined })
    assert.ok('wrong' in resolveScore(null, { ...ten, maximum: null }))
    assert.deepEqual(resolveScore({ kind: 'points', text: '99' }, { ...ten, maximum: null }), { score: 99_000_000 })
    assert.ok('wrong' in resolveScore({ kind: 'points', text: '1e10' }, { ...ten, maximum: null }))
    assert.ok('wrong' in resolveScore({ kind: 'multiplier', text: '1' }, { ...ten, maximum: null }))
    assert.ok('wrong' in resolveScore({ kind: 'points', text: '1' }, { ...ten, aggregation: 'pass-fail' }))
  })
})

describe('groups', () => {
  let court: Court
  let judging: ReturnType<typeof makeSubmissionJudge>
  before(async () => {
    court = await openCourt(['c'], 4)
    judging = makeSubmissionJudge(makeJudgingParts(court))
  })
  after(() => court.close())

  let drawn = 0
  /** Each test is its group and the words that the checker is told, or `fail` for the program; an open one has a star. */
  const judge = async (
    rules: ScoringRules | null,
    tests: [group: string, words: string][],
    change: Partial<ProblemJudging> = {},
  ) => {
    const empty = await court.sandbox.keep(Buffer.from(''))
    const failing = await court.sandbox.keep(Buffer.from('fail'))
    const list = tests.map(
      ([name, words], index): TestCase => ({
        ...{ uuid: `${index}`, inputPath: (words === 'fail' ? failing : empty).path },
        ...{ outputPath: empty.path, outputBytes: 0 },
        ...{ isHidden: name !== '*', group: name === '*' ? '' : name, arguments: words.split(' ') },
      }),
    )
    const source = { language: 'c', files: [{ name: 'actor.c', content: Buffer.from(actorSource) }] }
    try {
      return await judging.judge({
        language: 'c',
        source: Buffer.from('#include <stdio.h>\nint main(void) { return getchar() > 0 ? 3 : 0; }'),
        limits: { timeLimitMs: 1_000, memoryLimitBytes: 64 << 20 },
        judging: {
          ...linesJudging,
          hash: change.checker ? `other ${drawn++}` : 'actor',
          checker: { kind: 'kattis', arguments: [], source },
          scoring: rules,
          ...change,
        },
        tests: list,
        signal: new AbortController().signal,
      })
    } finally {
      empty.drop()
      failing.drop()
    }
  }
  const outcome = ({ result, tests }: Report) => [result, ...tests.map((test) => test.result)]
  const root = { aggregation: 'sum', maximum: toMillionths(100) } as const

  it('that are pass-fail stop at the first failure, and those that require them are not run', async () => {
    const rules = { ...root, groups: [group('b', 'sum', 50, ['a']), group('a', 'pass-fail', 50), group('c', 'sum', 0)] }
    const report = await judge(rules, [
      ['b', 'exit 42'],
      ['a', 'exit 42'],
      ['a', 'exit 43'],
      ['a', 'exit 42'],
      ['c', 'exit 43'],
      ['c', 'exit 42'],
      ['*', 'exit 42'],
    ])
    assert.deepEqual(outcome(report), [6, 0, 1, 6, 0, 6, 1, 1])
  })

  it('that are sums run all their tests, and a score is told in millionths', async () => {
    const rules = { ...root, groups: [group('a', 'sum', 30)] }
    const report = await judge(rules, [
      ['a', 'write score.txt 2.5 exit 42'],
      ['a', 'write score_multiplier.txt 0.5 exit 42'],
      ['a', 'exit 43'],
      ['*', 'write score.txt 999 exit 42'],
    ])
    assert.deepEqual(outcome(report), [6, 1, 1, 6, 1])
    assert.deepEqual(
      report.tests.map(({ score }) => score),
      [2_500_000, 5_000_000, undefined, undefined],
    )
  })

  it('have the result of the first that failed in the order of the run, open ones first', async () => {
    const rules = { ...root, groups: [group('b', 'sum', 50, ['a']), group('a', 'sum', 50)] }
    const judged = await judge(rules, [
      ['b', 'exit 42'],
      ['a', 'exit 43'],
      ['*', 'fail'],
    ])
    assert.deepEqual(outcome(judged), [3, 0, 6, 3])
  })

  it('that an accepted test without points stops have failed nowhere: nothing is left to tell but the points', async () => {
    const report = await judge({ ...root, groups: [group('a', 'min', 50), group('b', 'sum', 50, ['a'])] }, [
      ['a', 'write score.txt 0 exit 42'],
      ['a', 'exit 43'],
      ['b', 'exit 43'],
    ])
    assert.deepEqual(outcome(report), [1, 1, 0, 0])
    assert.equal(report.tests[0]!.score, 0)
  })

  it('of which a checker makes a mistake end the judging with 9 and its reason', async () => {
    const rules = { ...root, groups: [group('a', 'sum', 10), group('b', 'pass-fail', 10)] }
    const tooHigh = await judge(rules, [['a', 'write score.txt 11 exit 42']])
    assert.equal(tooHigh.result, 9)
    assert.match(tooHigh.judgeMessage!, /"11" is more than the test can give/)
    const outside = await judge(rules, [['b', 'write score.txt 1 exit 42']])
    assert.match(outside.judgeMessage!, /pass-fail/)
    const crashed = await judge(rules, [
      ['a', 'exit 43'],
      ['a', 'crash'],
    ])
    assert.deepEqual([crashed.result, crashed.judgeMessage], [9, 'It ended by SIGSEGV.'])
  })

  it('that stop before a test at which the checker makes a mistake know nothing of it, though it ran ahead', async () => {
    for (const aggregation of ['min', 'pass-fail'] as const) {
      const report = await judge({ ...root, groups: [group('a', aggregation, 50), group('b', 'sum', 50)] }, [
        ['a', 'wait 500 exit 43'],
        ['a', 'crash'],
        ['a', 'crash'],
        ['b', 'exit 42'],
      ])
      assert.deepEqual(outcome(report), [6, 6, 0, 0, 1])
      assert.equal(report.judgeMessage, undefined)
    }
  })

  it('of none: judging stops at the first failure, which may be the checker’s', async () => {
    assert.deepEqual(
      outcome(
        await judge(null, [
          ['', 'exit 42'],
          ['', 'exit 43'],
          ['', 'crash'],
        ]),
      ),
      [6, 1, 6],
    )
    assert.deepEqual(
      outcome(
        await judge(null, [
          ['', 'exit 42'],
          ['', 'crash'],
          ['', 'exit 43'],
        ]),
      ),
      [9, 1, 9],
    )
    assert.deepEqual(outcome(await judge(null, [['', 'write score.txt 5 exit 42']])), [1, 1])
  })

  it('can’t be judged by a checker that does not compile, is not there, or has wrong arguments', async () => {
    const source = { language: 'c', files: [{ name: 'a.c', content: Buffer.from('int main(void) { return x; }') }] }
    for (const [change, reason] of [
      [{ checker: { kind: 'kattis', arguments: [], source } }, /^The checker does not compile:[\s\S]*main/],
      [{ checker: { kind: 'testlib', arguments: [], source: null } }, /no program/],
      [{ checker: { kind: 'tokens', arguments: [], source: null } }, /knows no "exit"/],
    ] as [Partial<ProblemJudging>, RegExp][]) {
      const report = await judge(null, [['', 'exit 42']], change)
      assert.equal(report.result, 9)
      assert.match(report.judgeMessage!, reason)
    }
    assert.equal((await judge(null, [['', 'exit 42']])).result, 1)
  })
})

describe('a source that is no program', () => {
  let court: Court
  before(async () => {
    court = await openCourt(['c', 'python'], 2)
  })
  after(() => court.close())

  it('did not compile, however many tests are run, how soon it is stopped, and whoever talks with it', async () => {
    const { judge } = makeSubmissionJudge(makeJudgingParts(court))
    const empty = await court.sandbox.keep(Buffer.from(''))
    const checker = (content: string): ProblemJudging['checker'] => ({
      ...{ kind: 'kattis', arguments: [] },
      source: { language: 'c', files: [{ name: 'checker.c', content: Buffer.from(content) }] },
    })
    const refusing = { isInteractive: true, checker: checker('int main(void) { return 43; }') }
    const scoring: ScoringRules = { aggregation: 'sum', maximum: toMillionths(100), groups: [] }
    const outcomeOf = async (source: string, change: Partial<ProblemJudging>, timeLimitMs = 1_000) => {
      const report = await judge({
        ...{ language: 'python', source: Buffer.from(source), signal: new AbortController().signal },
        limits: { timeLimitMs, memoryLimitBytes: 64 << 20 },
        judging: { ...linesJudging, hash: JSON.stringify(change), ...change },
        tests: ['1', '2', '3'].map((uuid) => ({
          ...{ uuid, inputPath: empty.path, outputPath: empty.path, outputBytes: 0 },
        })),
      })
      return [report.result, /SyntaxError/.test(report.compilerOutput), report.tests.length]
    }
    try {
      assert.deepEqual(await outcomeOf('print(1', { scoring }), [2, true, 0])
      assert.deepEqual(await outcomeOf('print(2', {}, 1), [2, true, 0])
      assert.deepEqual(await outcomeOf('print(3', refusing), [2, true, 0])
      assert.deepEqual(await outcomeOf('raise SyntaxError("not really")', { scoring }), [3, false, 3])
    } finally {
      empty.drop()
    }
  })
})
