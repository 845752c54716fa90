/** Reads a Kattis problem package, legacy or 2025-09. */
import { toMillionths } from '../../../lib/judging-rules/scoring/rules.ts'
import { findTokensFault } from '../../../lib/judging-rules/token-arguments.ts'
import type { Limits } from '../../limits.ts'
import { type Checker, type Judging, plainJudging } from '../../problem-judging/judging.ts'
import type { TestJudging } from '../../test-cases/test-judging.ts'
import { tellGroup } from '../export/wrapped-checkers.ts'
import { type GuildhallFile, guildhallFile, type OwnGrading, readGuildhallFile } from '../guildhall-file.ts'
import {
  demandCount,
  type ImportOverrides,
  type PackagedFile,
  type PackagedProblem,
  type PackageReading,
  refuse,
} from '../packaged-problem.ts'
import { demandLittleYaml } from '../yaml.ts'
import { readExamples } from './examples.ts'
import { type Grading, sameWords } from './grading.ts'
import { readGrading2025 } from './grading-2025.ts'
import { readGradingLegacy } from './grading-legacy.ts'
import { readManifest } from './manifest.ts'
import { readValidator } from './output-validator.ts'
import { readStatement } from './statement.ts'
import { pairTests, type TestFiles } from './test-files.ts'

export async function readKattis(
  reading: PackageReading,
  limits: Limits,
  overrides: ImportOverrides,
): Promise<PackagedProblem> {
  const { notes } = reading
  await demandLittleYaml(reading.files)
  const manifest = await readManifest(reading, limits, overrides)
  const own = await readGuildhallFile(reading)
  const statement = await readStatement(reading, manifest, limits)
  const tests = pairTests(reading)
  demandCount(tests.length, limits.tests, 'tests')
  if (tests.length === 0) notes.push('There are no test cases: every program that compiles will be accepted.')
  const samples = tests.filter(({ name }) => name.startsWith('sample/'))
  const grading = manifest.isLegacy
    ? await readGradingLegacy(reading, tests, manifest, limits)
    : await readGrading2025(reading, tests, manifest.isScored, limits)
  const { checker, interactor, isEarlier = false } = await readValidator(reading, manifest, grading.arguments, limits)
  demandReadableArguments(
    checker,
    grading,
    tests,
    manifest.isLegacy ? 'output_validator_flags' : 'output_validator_args',
  )
  const rename = (group: string): string => own.groups?.[group] ?? group
  const unscored = manifest.isScored ? undefined : own.grading
  const judging: Judging = {
    ...plainJudging,
    type: manifest.isInteractive ? 'interactive' : 'batch',
    passLimit: manifest.passLimit,
    checker,
    interactor,
    isScored: manifest.isScored,
    aggregation: grading.aggregation,
    maximumScore: grading.maximumScore,
    groups: grading.groups.map((group) => ({
      ...group,
      name: rename(group.name),
      required: group.required.map(rename),
    })),
    ...(unscored && readUnscored(unscored)),
    languageFactors: own.languageFactors ?? [],
    isHeld: overrides.isHeld ?? false,
  }
  return {
    draft: {
      displayName: statement.name,
      description: statement.text,
      timeLimitMs: manifest.timeLimitMs,
      memoryLimitBytes: overrides.memoryLimitBytes ?? own.memoryLimitBytes ?? manifest.memoryLimitBytes,
      examples: own.examples ?? (await readExamples(reading, samples, limits)),
    },
    judging,
    tests: tests.map((test) => ({
      ...test,
      isHidden: !test.name.startsWith('sample/'),
      judging: judgeTest(grading.judge(test), checker, { ...own, grading: unscored, isEarlier }, test.name),
    })),
    kept: [...statement.kept, ...listOthers(reading)],
    extras: { ...grading.extras, 'problem.yaml': manifest.extras },
    language: statement.language,
    notes,
  }
}

/** Refuses arguments that the comparison by tokens can't read: tests could not be judged. */
function demandReadableArguments(checker: Checker, grading: Grading, tests: readonly TestFiles[], key: string): void {
  if (checker.kind !== 'tokens') return
  for (const test of tests) {
    const wrong = findTokensFault(grading.judge(test).arguments ?? checker.arguments)
    if (wrong !== undefined) throw refuse(test.input, key, `the comparison by tokens ${wrong}.`)
  }
}

const toMaximum = (points: number | null): number | null => (points === null ? null : toMillionths(points))

const readUnscored = ({ aggregation, maximum, groups }: OwnGrading) => ({
  aggregation,
  maximumScore: toMaximum(maximum),
  groups: groups.map((group) => ({ ...group, maximum: toMaximum(group.maximum) })),
})

type OwnOfTests = Pick<GuildhallFile, 'points' | 'groups' | 'sampleGroups' | 'arguments'> & {
  readonly grading: OwnGrading | undefined
  readonly isEarlier: boolean
}

function judgeTest(judging: TestJudging, checker: Checker, own: OwnOfTests, name: string): TestJudging {
  const points = own.points?.[name]
  const group = own.grading?.tests[name] ?? own.sampleGroups?.[name] ?? own.groups?.[judging.group] ?? judging.group
  const given = judging.arguments
  const list = own.isEarlier && given?.[0] === '--group' ? given.slice(2) : given
  const isCommon =
    list !== null &&
    (sameWords(list, tellGroup(checker, group, checker.arguments)) || (own.isEarlier && list.length === 0))
  return {
    ...judging,
    group,
    points: points === undefined ? null : toMillionths(points),
    arguments: own.arguments?.[name] ?? (isCommon ? null : list),
  }
}

/** Every file without another use in the problem, with its path in a package of 2025-09. */
function listOthers({ files, used }: PackageReading): PackagedFile[] {
  return files.paths
    .filter((path) => !used.has(path) && path !== guildhallFile)
    .map((source) => ({ path: modernPath(source), source }))
}

function modernPath(path: string): string {
  // A file that was no validator or test settings must not become one by its new path.
  if (/^output_validators?\/|^data\/(?:sample|secret)\/.*\.yaml$/.test(path)) return `unused/${path}`
  return path.replace(/^problem_statement\//, 'statement/')
}
