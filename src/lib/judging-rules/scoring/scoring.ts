/** Adds up the score of a submission, and the score and result of each group. */
import {
  type Aggregation,
  boundScore,
  groupTests,
  listMaxima,
  orderGroups,
  resolveRequired,
  type ScoredTest,
  type ScoringRules,
  sampleGroup,
} from './rules.ts'
import type { TestOutcome } from './run-plan.ts'

export type GroupScore = { readonly name: string; readonly score: number; readonly result: number }
export type Scores = {
  readonly score: number
  /** In the order of the rules. */
  readonly groups: readonly GroupScore[]
}

/** A part of a group or of the root: groups without tests are left out. */
type Part = { readonly score: number; readonly isPassed: boolean }

const notRun: TestOutcome = { result: 0 }

/** `outcomes` in judging order, undefined for a test that was not run. */
export function scoreTests(
  rules: ScoringRules,
  tests: readonly ScoredTest[],
  outcomes: readonly (TestOutcome | undefined)[],
): Scores {
  const members = groupTests(rules, tests)
  const maxima = listMaxima(rules, tests)
  const outcomeOf = (index: number) => outcomes[index] ?? notRun
  const partOf = (index: number): Part => ({
    score: scoreTest(outcomeOf(index), maxima[index]!),
    isPassed: outcomeOf(index).result === 1,
  })
  const isWhole = (indexes: readonly number[]) => indexes.every((index) => outcomeOf(index).result === 1)

  const passed = new Map([[sampleGroup, isWhole(members.get(sampleGroup)!)]])
  const scored = new Map<string, GroupScore>()
  for (const { name, aggregation, maximum, required } of orderGroups(resolveRequired(rules, tests, members))) {
    const own = members.get(name)!
    const isRun = required.every((other) => passed.get(other) ?? true)
    const result = isRun ? resultOf(own.map((index) => outcomeOf(index).result)) : 0
    const score = isRun && own.length > 0 ? combine(aggregation, maximum, own.map(partOf)) : 0
    scored.set(name, { name, score, result })
    passed.set(name, isRun && isWhole(own))
  }
  const groups = rules.groups.map(({ name }) => scored.get(name)!)
  const parts = [
    ...members.get('')!.map(partOf),
    ...groups
      .filter(({ name }) => members.get(name)!.length > 0)
      .map(({ name, score }): Part => ({ score, isPassed: passed.get(name)! })),
  ]
  // If nothing gives points, only a submission that passed all tests gets the maximum.
  const isNothing = parts.length === 0 && !passed.get(sampleGroup)
  return { score: isNothing ? 0 : combine(rules.aggregation, rules.maximum, parts), groups }
}

/** For a report without tests: the maximum for an accepted submission, else nothing. */
export function scoreWhole(rules: ScoringRules, result: number): Scores {
  const give = (maximum: number | null) => (result === 1 ? (maximum ?? 0) : 0)
  const groups = rules.groups.map(({ name, maximum }) => ({ name, score: give(maximum), result }))
  return { score: give(rules.maximum), groups }
}

function scoreTest({ result, score }: TestOutcome, maximum: number | null): number {
  if (result !== 1) return 0
  return score === undefined ? (maximum ?? 0) : boundScore(score, maximum)
}

function combine(aggregation: Aggregation, maximum: number | null, parts: readonly Part[]): number {
  if (aggregation === 'pass-fail') return parts.every(({ isPassed }) => isPassed) ? (maximum ?? 0) : 0
  const scores = parts.map(({ score }) => score)
  if (aggregation === 'min') return boundScore(scores.length > 0 ? Math.min(...scores) : (maximum ?? 0), maximum)
  return scores.reduce((sum, score) => boundScore(sum + score, maximum), 0)
}

/** The result of the first failed test, else 1, even if a 0 kept some tests from running; 0 if none was run. */
const resultOf = (results: readonly number[]): number =>
  results.find((result) => result > 1) ?? (results.length === 0 || results.includes(1) ? 1 : 0)
