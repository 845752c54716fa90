/** Points: the rules against a model of them that is written from the contract, and what the rules leave no doubt about. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type Aggregation,
  findCircularGroup,
  listMaxima,
  type ScoredTest,
  type ScoringGroup,
  type ScoringRules,
  toMillionths,
  toPoints,
} from '../../src/lib/judging-rules/scoring/rules.ts'
import { planRun, type RunPlan, type TestOutcome } from '../../src/lib/judging-rules/scoring/run-plan.ts'
import { scoreTests, scoreWhole } from '../../src/lib/judging-rules/scoring/scoring.ts'

const points = (value: number) => toMillionths(value)
const group = (
  name: string,
  aggregation: Aggregation,
  maximum: number | null,
  required: string[] = [],
): ScoringGroup => ({
  name,
  aggregation,
  maximum: maximum === null ? null : points(maximum),
  required,
})
const root = (aggregation: Aggregation, maximum: number | null, ...groups: ScoringGroup[]): ScoringRules => ({
  aggregation,
  maximum: maximum === null ? null : points(maximum),
  groups,
})
const inGroup = (name: string, count = 1, worth: number | null = null): ScoredTest[] =>
  Array.from({ length: count }, () => ({
    group: name,
    points: worth === null ? null : points(worth),
    isHidden: true,
  }))
const open: ScoredTest = { group: '', points: null, isHidden: false }
const passed: TestOutcome = { result: 1 }
const wrong: TestOutcome = { result: 6 }
const gave = (score: number): TestOutcome => ({ result: 1, score: points(score) })

describe('what tests add up to', () => {
  const cases: [string, ScoringRules, ScoredTest[], (TestOutcome | undefined)[], number, (number | string)[]?][] = [
    ['a hundred in three parts is a hundred', root('sum', 100), inGroup('', 3), [passed, passed, passed], 100],
    ['a third is a third, to the millionth', root('sum', 100), inGroup('', 3), [wrong, passed, wrong], 33.333333],
    ['tenths add up', root('sum', 1), inGroup('', 3, 0.1), [passed, passed, passed], 0.3],
    ['a sum is never over its maximum', root('sum', 10), inGroup('', 3, 5), [passed, passed, passed], 10],
    ['open tests give nothing', root('sum', 100), [open, ...inGroup('', 1)], [passed, wrong], 0],
    ['the least of scores counts', root('min', 50), inGroup('', 2), [gave(20), passed], 20],
    ['one failure fails all of a pass-fail problem', root('pass-fail', 100), inGroup('', 2), [passed, wrong], 0],
    [
      'groups count each by their own rule',
      root('sum', 100, group('a', 'pass-fail', 30), group('b', 'min', 30), group('c', 'sum', 40)),
      [...inGroup('a', 2), ...inGroup('b', 2), ...inGroup('c', 4)],
      [passed, passed, gave(12.5), passed, passed, wrong, gave(2.5), { result: 4, score: points(9) }],
      55,
      [30, 1, 12.5, 1, 12.5, 6],
    ],
    [
      'a group whose required group failed gives nothing, and no more does one that requires it',
      root('sum', 100, group('c', 'sum', 10, ['b']), group('b', 'sum', 40, ['a']), group('a', 'sum', 50)),
      [...inGroup('a', 2), ...inGroup('b'), ...inGroup('c')],
      [passed, wrong, passed, passed],
      25,
      [0, 0, 0, 0, 25, 6],
    ],
    [
      'an open test that fails stops what requires the sample',
      root('sum', 100, group('a', 'sum', 60, ['sample']), group('b', 'sum', 40)),
      [...inGroup('a'), open, ...inGroup('b')],
      [undefined, wrong, passed],
      40,
      [0, 0, 40, 1],
    ],
    [
      'a partial score is a pass for who requires it',
      root('sum', 100, group('a', 'sum', 60), group('b', 'sum', 40, ['a'])),
      [...inGroup('a'), ...inGroup('b')],
      [gave(1), passed],
      41,
      [1, 1, 40, 1],
    ],
    [
      'a group without tests gives nothing and stops nobody',
      root('min', 100, group('a', 'sum', 60), group('b', 'sum', 40, ['a'])),
      inGroup('b'),
      [passed],
      40,
      [0, 1, 40, 1],
    ],
    [
      'a group without tests whose required group failed has not passed',
      root('sum', 100, group('a', 'sum', 50), group('b', 'sum', 20, ['a']), group('c', 'sum', 30, ['b'])),
      [...inGroup('a'), ...inGroup('c')],
      [wrong, undefined],
      0,
      [0, 6, 0, 0, 0, 0],
    ],
    [
      'a group that an accepted 0 stopped has failed no test, and those that require it are not run',
      root('sum', 100, group('a', 'min', 60), group('b', 'sum', 40, ['a'])),
      [...inGroup('a', 2), ...inGroup('b')],
      [gave(0), undefined, undefined],
      0,
      [0, 1, 0, 0],
    ],
    ['a problem of open tests alone scores by them', root('sum', 100), [open, open], [passed, wrong], 50],
    [
      'a group of open tests alone scores by them, and is one of those that the sample is',
      root('sum', 100, group('0', 'sum', 10), group('1', 'sum', 90, ['sample'])),
      [{ ...open, group: '0' }, { ...open, group: '0' }, ...inGroup('1')],
      [passed, wrong, undefined],
      5,
      [5, 6, 0, 0],
    ],
    [
      'an open test beside hidden ones of its group gives nothing',
      root('sum', 100, group('1', 'sum', 100)),
      [{ ...open, group: '1' }, ...inGroup('1', 2)],
      [passed, passed, wrong],
      50,
      [50, 6],
    ],
    [
      'what is unbounded adds up as it is',
      root('sum', null),
      inGroup('', 2),
      [gave(700_000), gave(0.000001)],
      700_000.000001,
    ],
  ]
  for (const [name, rules, tests, outcomes, score, groups = []] of cases)
    test(name, () => {
      const scores = scoreTests(rules, tests, outcomes)
      assert.equal(toPoints(scores.score), score)
      assert.deepEqual(
        scores.groups.flatMap((one) => [toPoints(one.score), one.result]),
        groups,
      )
    })

  test('open tests are run first, then those of no group, then each group after those that it requires', () => {
    const rules = root('sum', 1, group('b', 'sum', 1, ['a']), group('a', 'sum', 1), group('c', 'sum', 1, ['sample']))
    const tests = [...inGroup('b'), ...inGroup('a', 2), open, ...inGroup('c'), ...inGroup(''), open, ...inGroup('b')]
    const [b, a, c, none, opened] = [[0, 7], [1, 2], [4], [5], [3, 6]]
    assert.deepEqual(planRun(rules, tests).order, [...opened!, ...none!, ...a!, ...b!, ...c!])
    assert.deepEqual(planRun(root('min', 1), [...inGroup('', 2), open]).order, [2, 0, 1])
  })

  test('a report without tests gives all or nothing', () => {
    const rules = root('sum', 100, group('a', 'sum', 60), group('b', 'sum', null))
    const scoresOf = (result: number) => {
      const { score, groups } = scoreWhole(rules, result)
      return [score, ...groups.map((one) => one.score)].map(toPoints)
    }
    assert.deepEqual(scoresOf(1), [100, 60, 0])
    assert.deepEqual(scoresOf(6), [0, 0, 0])
  })

  test('a circle of requirements is found, a long way round too', () => {
    const chain = (...pairs: [string, string[]][]) => pairs.map(([name, required]) => group(name, 'sum', 1, required))
    assert.equal(findCircularGroup(chain(['a', ['b']], ['b', ['c', 'sample']], ['c', []])), undefined)
    assert.equal(findCircularGroup(chain(['a', ['a']])), 'a')
    assert.equal(findCircularGroup(chain(['z', []], ['a', ['b']], ['b', ['c']], ['c', ['a']])), 'a')
  })

  test('every millionth survives the way out and in', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 1e15 }), (score) => toMillionths(toPoints(score)) === score))
  })
})

/** The contract once more, over again from its sentences: what is run and what it gives, with whole numbers of any size. */
function model(rules: ScoringRules, tests: readonly ScoredTest[], truth: readonly TestOutcome[]) {
  const ran = new Set<number>()
  const wholly = new Set<string>()
  const indexes = (belongs: (test: ScoredTest) => boolean) => tests.flatMap((one, i) => (belongs(one) ? [i] : []))
  const isOpenGroup = (name: string) =>
    !tests.some((one) => one.isHidden && one.group === name) && (name !== '' || rules.groups.length === 0)
  const samples = indexes(({ isHidden, group: name }) => !isHidden && !isOpenGroup(name))
  for (const i of samples) ran.add(i)
  if (samples.every((i) => truth[i]!.result === 1)) wholly.add('sample')

  const share = (whole: bigint, count: number): bigint[] => {
    if (count === 0) return []
    const first = (whole + BigInt(count) - 1n) / BigInt(count)
    return [first, ...share(whole - first, count - 1)]
  }
  const worth = (own: number[], aggregation: Aggregation, maximum: number | null): (bigint | null)[] => {
    const even = maximum === null ? own.map(() => null) : share(BigInt(maximum), own.length)
    return own.map((i, place) => {
      const { points: fixed } = tests[i]!
      if (aggregation === 'min') return maximum === null ? null : BigInt(maximum)
      return fixed === null ? even[place]! : BigInt(fixed)
    })
  }
  const cut = (value: bigint, maximum: number | null): bigint =>
    maximum !== null && value > BigInt(maximum) ? BigInt(maximum) : value
  const gainOf = (i: number, most: bigint | null): bigint => {
    const { result, score } = truth[i]!
    if (result !== 1) return 0n
    if (score === undefined) return most ?? 0n
    return most !== null && BigInt(score) > most ? most : BigInt(score)
  }
  const total = (values: bigint[], isPassed: boolean, aggregation: Aggregation, maximum: number | null): bigint => {
    if (aggregation === 'pass-fail') return isPassed ? BigInt(maximum ?? 0) : 0n
    if (aggregation === 'sum')
      return cut(
        values.reduce((sum, value) => sum + value, 0n),
        maximum,
      )
    return cut(values.length > 0 ? values.reduce((a, b) => (a < b ? a : b)) : BigInt(maximum ?? 0), maximum)
  }

  const values: bigint[] = []
  let isOver = false
  let allPassed = true
  const count = (value: bigint, isPassed: boolean, isNothing: boolean) => {
    values.push(value)
    allPassed &&= isPassed
    if (rules.aggregation !== 'sum' && isNothing) isOver = true
  }
  const own = indexes(({ isHidden, group: name }) => (isHidden || isOpenGroup('')) && name === '')
  const ownWorth = worth(own, rules.aggregation, rules.maximum)
  for (const [place, i] of own.entries()) {
    const isRun = !isOver
    if (isRun) ran.add(i)
    const isPassed = isRun && truth[i]!.result === 1
    count(isRun ? gainOf(i, ownWorth[place]!) : 0n, isPassed, !isPassed || truth[i]!.score === 0)
  }
  const openGroups = rules.groups.filter(
    ({ name, required }) => required.length === 0 && isOpenGroup(name) && tests.some((one) => one.group === name),
  )
  const left = rules.groups.map((one) => ({
    ...one,
    required: one.required.includes('sample') ? [...one.required, ...openGroups.map(({ name }) => name)] : one.required,
  }))
  const scores = new Map<string, bigint>()
  while (left.length > 0) {
    const at = left.findIndex(({ required }) => !left.some(({ name }) => required.includes(name)))
    const { name, aggregation, maximum, required } = left.splice(at, 1)[0]!
    const mine = indexes((one) => (one.isHidden || isOpenGroup(name)) && one.group === name)
    const gains: bigint[] = []
    const most = worth(mine, aggregation, maximum)
    const isUnlocked = required.every((other) => wholly.has(other))
    const may = isUnlocked && !isOver
    let zeros = 0
    let isStopped = !may
    let isWhole = may
    for (const [place, i] of mine.entries()) {
      if (!isStopped) ran.add(i)
      const gain = isStopped ? 0n : gainOf(i, most[place]!)
      const isZero = isStopped || truth[i]!.result !== 1 || truth[i]!.score === 0
      isWhole &&= !isStopped && truth[i]!.result === 1
      gains.push(gain)
      if (isZero) zeros++
      if (isZero && aggregation !== 'sum') isStopped = true
    }
    if (isUnlocked && (mine.length === 0 || isWhole)) wholly.add(name)
    const score = may && mine.length > 0 ? total(gains, isWhole, aggregation, maximum) : 0n
    scores.set(name, score)
    if (mine.length > 0) count(score, isWhole, aggregation === 'sum' ? zeros === mine.length : zeros > 0)
  }
  const isNothing = values.length === 0 && !wholly.has('sample')
  return {
    ran,
    score: isNothing ? 0n : total(values, allPassed, rules.aggregation, rules.maximum),
    groups: rules.groups.map(({ name }) => scores.get(name)!),
  }
}

const names = ['a', 'b', 'c', 'd', 'e']
const aggregation = fc.constantFrom<Aggregation>('sum', 'min', 'pass-fail')
const amount = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 1e12 }))
const bounded = (kind: Aggregation) => (kind === 'pass-fail' ? amount : fc.option(amount, { freq: 4 }))
const rulesOf: fc.Arbitrary<ScoringRules> = fc
  .tuple(aggregation, fc.shuffledSubarray(names), fc.infiniteStream(fc.tuple(aggregation, fc.nat(), fc.nat(31))))
  .chain(([kind, chosen, stream]) => {
    const ordered = [...chosen].sort()
    const kinds = new Map(chosen.map((name) => [name, stream.next().value!]))
    const made = chosen.map((name) => {
      const [own, , bits] = kinds.get(name)!
      const earlier = ['sample', ...ordered.slice(0, ordered.indexOf(name))]
      const required = earlier.filter((_, i) => (bits >> i) % 4 === 1)
      return bounded(own).map((maximum): ScoringGroup => ({ name, aggregation: own, maximum, required }))
    })
    return fc.tuple(bounded(kind), ...made).map(([maximum, ...groups]) => ({ aggregation: kind, maximum, groups }))
  })
const outcome: fc.Arbitrary<TestOutcome> = fc.oneof(
  { arbitrary: fc.constant(passed), weight: 6 },
  { arbitrary: amount.map((score) => ({ result: 1, score })), weight: 2 },
  { arbitrary: fc.constant({ result: 1, score: 0 }), weight: 1 },
  { arbitrary: fc.integer({ min: 2, max: 8 }).map((result) => ({ result })), weight: 2 },
)
const scenario = rulesOf.chain((rules) => {
  const one = fc.record<ScoredTest>({
    group: fc.constantFrom('', ...rules.groups.map(({ name }) => name)),
    points: fc.option(amount),
    isHidden: fc.nat(5).map((n) => n > 0),
  })
  return fc.tuple(fc.constant(rules), fc.array(fc.tuple(one, outcome), { maxLength: 16 }), fc.infiniteStream(fc.nat()))
})

/** Runs some tests at a time, which end in any order; what the plan skips after all counts as not run. */
function runSideBySide(plan: RunPlan, truth: readonly TestOutcome[], width: number, draw: () => number): Set<number> {
  const waiting = [...plan.order]
  const running: number[] = []
  const ended: number[] = []
  while (waiting.length > 0 || running.length > 0) {
    while (running.length < width && waiting.length > 0) {
      const next = waiting.shift()!
      if (!plan.isSkipped(next)) running.push(next)
    }
    if (running.length === 0) continue
    const [done] = running.splice(draw() % running.length, 1)
    plan.record(done!, truth[done!]!)
    ended.push(done!)
  }
  return new Set(ended.filter((index) => !plan.isSkipped(index)))
}

describe('random groups', () => {
  test('what is run and what it gives is what the model says, one at a time and side by side', () => {
    fc.assert(
      fc.property(scenario, fc.integer({ min: 2, max: 5 }), ([rules, pairs, stream], width) => {
        const tests = pairs.map(([one]) => one)
        const truth = pairs.map(([, ended]) => ended)
        const expected = model(rules, tests, truth)
        const draw = () => stream.next().value!
        for (const wide of [1, width])
          assert.deepEqual(runSideBySide(planRun(rules, tests), truth, wide, draw), expected.ran)
        const outcomes = truth.map((ended, index) => (expected.ran.has(index) ? ended : undefined))
        const scores = scoreTests(rules, tests, outcomes)
        assert.equal(BigInt(scores.score), expected.score)
        assert.deepEqual(
          scores.groups.map(({ score }) => BigInt(score)),
          expected.groups,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  test('tests without points of their own give exactly what their group is worth', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 40 }), (maximum, count) => {
        const rules: ScoringRules = { aggregation: 'sum', maximum, groups: [] }
        const tests = inGroup('', count)
        assert.equal(
          listMaxima(rules, tests).reduce<number>((sum, one) => sum + one!, 0),
          maximum,
        )
      }),
    )
  })

  test('without rules tests are run up to the first that fails', () => {
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (truth, stream) => {
        const plan = planRun(null, inGroup('', truth.length))
        const failure = truth.findIndex(({ result }) => result !== 1)
        const ran = runSideBySide(plan, truth, 3, () => stream.next().value!)
        assert.equal(ran.size, failure < 0 ? truth.length : failure + 1)
      }),
    )
  })
})
