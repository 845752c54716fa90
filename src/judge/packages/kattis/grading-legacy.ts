/**
 * Groups, points and arguments of a legacy package: testdata.yaml in any folder, inherited by those within. `min` stays;
 * other groups are `pass-fail`, or `sum` where their verdict is always accepted; maxima come from `accept_score`.
 */
import { type Aggregation, type ScoringGroup, toMillionths } from '../../../base/scoring/rules.ts'
import { invalidPackage } from '../package-files.ts'
import { type Reading, refuse } from '../packaged-problem.ts'
import { isMap, type YamlMap } from '../yaml.ts'
import { type Grading, groupName, sameWords } from './grading.ts'
import { type Manifest, words } from './manifest.ts'
import { foldersOf, readFolderFiles, type TestFiles, topGroupOf } from './test-files.ts'

const fileName = 'testdata.yaml'
const secret = 'data/secret'

/** A member of a folder, inherited, with the file that says it. */
type Found = { readonly value: unknown; readonly file: string }

export async function readGradingLegacy(
  reading: Reading,
  tests: readonly TestFiles[],
  manifest: Manifest,
): Promise<Grading> {
  const folders = await readFolderFiles(reading, fileName)
  if (reading.files.paths.some((path) => path.startsWith('graders/')))
    throw refuse('graders/', 'grading', 'custom graders are not supported.')
  for (const [folder, yaml] of folders) demandJudgeable(`${folder}/${fileName}`, yaml)

  const find = (folder: string, key: string): Found | undefined => {
    const steps = folder.split('/')
    for (let depth = steps.length; depth > 0; depth--) {
      const place = steps.slice(0, depth).join('/')
      const value = folders.get(place)?.[key]
      if (value !== undefined) return { value, file: `${place}/${fileName}` }
    }
    return undefined
  }
  const argumentsOf = (test: TestFiles): string[] => {
    const found = find(foldersOf(test).at(-1)!, 'output_validator_flags')
    const own = isMap(found?.value) ? found.value.flags : found?.value
    return [...manifest.validatorFlags, ...words(own)]
  }
  const secretTests = tests.filter((test) => topGroupOf(test) !== undefined)
  const common = mostCommon(secretTests.map(argumentsOf)) ?? [...manifest.validatorFlags]
  const scoring = manifest.isScored ? readScoring(tests, find, manifest) : undefined

  return {
    aggregation: scoring?.aggregation ?? 'sum',
    maximumScore: scoring ? scoring.maximumScore : toMillionths(100),
    groups: scoring?.groups ?? [],
    arguments: common,
    judge(test) {
      const list = argumentsOf(test)
      const top = topGroupOf(test)
      return {
        group: scoring && top ? groupName(top) : '',
        points: null,
        arguments: sameWords(list, common) ? null : list,
      }
    },
    extras: Object.fromEntries([...folders].flatMap(([folder, yaml]) => keepInputFlags(folder, yaml))),
  }
}

function demandJudgeable(path: string, yaml: YamlMap): void {
  if (yaml.grading !== undefined && yaml.grading !== 'default')
    throw refuse(path, 'grading', `${JSON.stringify(yaml.grading)}: custom graders are not supported.`)
  const flags = words(yaml.grader_flags)
  const odd = flags.find((flag) => flag === 'avg' || flag === 'max')
  if (odd) throw refuse(path, 'grader_flags', `${odd}: points are added up here, or the least counts.`)
  const unknown = flags.find((flag) => !knownFlags.has(flag))
  if (unknown) throw refuse(path, 'grader_flags', `${JSON.stringify(unknown)} is not known.`)
  if (yaml.reject_score !== undefined && Number(yaml.reject_score) !== 0)
    throw refuse(path, 'reject_score', 'a test that is not passed gives no points here.')
}

const knownFlags = new Set(
  'worst_error first_error always_accept sum min ignore_sample accept_if_any_accepted'.split(' '),
)

type Find = (folder: string, key: string) => Found | undefined

function readScoring(tests: readonly TestFiles[], find: Find, manifest: Manifest) {
  const secretTests = tests.filter((test) => topGroupOf(test) !== undefined)
  const names = [...new Set(secretTests.map((test) => topGroupOf(test)!))]
  const deep = secretTests.find(({ name }) => name.split('/').length > 3)
  if (deep) throw refuse(deep.input, 'groups', 'scoring groups in groups are not supported.')
  if (names.includes('') && names.length > 1)
    throw invalidPackage('data/secret has tests beside groups of tests: put them in a group of their own.')
  const required = requiresSamples(tests, find) ? ['sample'] : []
  const readNode = (folder: string, count: number) => {
    const aggregation = readAggregation(folder, find)
    if (manifest.givesScores && aggregation === 'pass-fail')
      throw refuse(
        flagsFile(folder, find),
        'grader_flags',
        'points of a validator are added up with always_accept, or the least counts with min.',
      )
    const score = manifest.givesScores ? readUpper(folder, find) : readScore(folder, find)
    const maximum =
      score === null ? null : toMillionths(aggregation === 'min' ? score : score * (manifest.givesScores ? 1 : count))
    return { aggregation, maximum }
  }
  if (names.includes('') || names.length === 0) {
    const { aggregation, maximum } = readNode(secret, secretTests.length)
    // What the root requires needs a group to stand in.
    if (required.length === 0) return { aggregation, maximumScore: maximum, groups: [] }
    throw refuse(flagsFile('data', find), 'grader_flags', 'without ignore_sample, tests must be in groups.')
  }
  const groups = names.map((name): ScoringGroup => {
    const folder = `${secret}/${name}`
    const count = secretTests.filter((test) => topGroupOf(test) === name).length
    return { name: groupName(name), ...readNode(folder, count), required }
  })
  const aggregation = readRootAggregation(find)
  const maxima = groups.map(({ maximum }) => maximum)
  const total = maxima.includes(null) ? null : (maxima as number[]).reduce((sum, one) => sum + one, 0)
  const least = maxima.includes(null) ? null : Math.min(...(maxima as number[]))
  if (aggregation === 'pass-fail' && total === null)
    throw refuse(flagsFile(secret, find), 'grader_flags', 'a problem that is passed or failed has bounded points.')
  return { aggregation, maximumScore: aggregation === 'min' ? least : total, groups }
}

const flagsFile = (folder: string, find: Find): string => find(folder, 'grader_flags')?.file ?? `${folder}/${fileName}`

function readAggregation(folder: string, find: Find): Aggregation {
  const flags = words(find(folder, 'grader_flags')?.value)
  if (lastOf(flags, ['sum', 'min']) === 'min') return 'min'
  const verdict = lastOf(flags, ['worst_error', 'first_error', 'always_accept'])
  return verdict === 'always_accept' ? 'sum' : 'pass-fail'
}

/** One group that is passed gives its points where any is enough; else all must be. */
function readRootAggregation(find: Find): Aggregation {
  const flags = words(find(secret, 'grader_flags')?.value)
  if (flags.includes('accept_if_any_accepted') && lastOf(flags, ['sum', 'min']) !== 'min') return 'sum'
  return readAggregation(secret, find)
}

/** Where the samples count to the verdict, nothing is given to who fails one. */
function requiresSamples(tests: readonly TestFiles[], find: Find): boolean {
  if (!tests.some((test) => topGroupOf(test) === undefined)) return false
  const flags = words(find('data', 'grader_flags')?.value)
  return !['ignore_sample', 'always_accept', 'accept_if_any_accepted'].some((flag) => flags.includes(flag))
}

function readScore(folder: string, find: Find): number {
  const found = find(folder, 'accept_score')
  const score = Number(found?.value ?? 1)
  if (score >= 0 && score <= 1_000_000) return score
  throw refuse(found!.file, 'accept_score', `${JSON.stringify(found!.value)} is not a number of points.`)
}

/** What a validator may give: the upper end of the range. */
function readUpper(folder: string, find: Find): number | null {
  const [, upper = 'inf'] = words(find(folder, 'range')?.value)
  const number = Number(upper)
  return Number.isFinite(number) && number >= 0 && number <= 1_000_000_000 ? number : null
}

const lastOf = (flags: readonly string[], wanted: readonly string[]): string | undefined =>
  flags.findLast((flag) => wanted.includes(flag))

function mostCommon(lists: readonly string[][]): string[] | undefined {
  const counts = new Map<string, { list: string[]; count: number }>()
  for (const list of lists) {
    const key = JSON.stringify(list)
    const entry = counts.get(key) ?? { list, count: 0 }
    entry.count++
    counts.set(key, entry)
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.list
}

/** In the words of 2025-09, which has them in `sample`, `secret` and groups. */
function keepInputFlags(folder: string, { input_validator_flags: flags }: YamlMap): [string, YamlMap][] {
  if (flags === undefined || folder === 'data') return []
  const value = isMap(flags) ? { [String(flags.name)]: words(flags.flags) } : words(flags)
  return [[`${folder}/test_group.yaml`, { input_validator_args: value }]]
}
