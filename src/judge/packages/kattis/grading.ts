/** What both Kattis formats state about judging: groups, points, arguments of the validator. */
import type { Aggregation, ScoringGroup } from '../../../lib/judging-rules/scoring/rules.ts'
import type { TestJudging } from '../../test-cases/test-judging.ts'
import { type Extras, refuse } from '../packaged-problem.ts'
import type { TestFiles } from './test-files.ts'

export type Grading = {
  readonly aggregation: Aggregation
  /** In millionths; null if unbounded. */
  readonly maximumScore: number | null
  readonly groups: readonly ScoringGroup[]
  /** The arguments of most tests' validator; some tests have their own. */
  readonly arguments: readonly string[]
  judge(test: TestFiles): TestJudging
  readonly extras: Extras
}

/** A group must not have the name of the open tests, although a folder `data/secret/sample` is possible. */
export const groupName = (folder: string): string => (folder === 'sample' ? 'secret/sample' : folder)

const mostArguments = 100
const longestArgument = 1_000

/** The same bounds as in the API: thousands of tests may have arguments of their own. */
export function demandFew(list: readonly string[], path: string): readonly string[] {
  if (list.length <= mostArguments && list.every((word) => word.length <= longestArgument)) return list
  const bounds = `${mostArguments}, each of at most ${longestArgument} characters`
  throw refuse(path, 'arguments', `its validator may have ${bounds}.`)
}

export const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])
