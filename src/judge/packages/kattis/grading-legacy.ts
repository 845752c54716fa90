/**
 * Groups, points and arguments of a legacy package: testdata.yaml in any folder, inherited by inner folders. `min` is
 * kept; other groups become `pass-fail`, or `sum` if not all tests must be accepted; maxima come from `accept_score`.
 */
import { type Aggregation, type ScoringGroup, toMillionths } from '../../../lib/judging-rules/scoring/rules.ts'
import type { Limits } from '../../limits.ts'
import { invalidPackage } from '../package-files.ts'
import { demandCount, type PackageReading, refuse } from '../packaged-problem.ts'
import { isMap, type YamlMap } from '../yaml.ts'
import { demandFew, type Grading, groupName, sameWords } from './grading.ts'
import { type Manifest, words } from './manifest.ts'
import { foldersOf, readFolderFiles, type TestFiles, topGroupOf } from './test-files.ts'

const fileName = 'testdata.yaml'
const secret = 'data/secret'
/** Folders with any settings. */
const mostFolders = 1_000

/** A member of a folder, perhaps inherited, and the file that states it. */
type Found = { readonly value: unknown; readonly file: string }

export async function readGradingLegacy(
  reading: PackageReading,
  tests: readonly TestFiles[],
  manifest: Manifest,
  limits: Limits,
): Promise<Grading> {
  const folders = await readFolderFiles(reading, fileName, mostFolders)
  if (reading.files.paths.some((path) => path.startsWith('graders/')))
    throw refuse('graders/', 'grading', 'custom graders are not supported.')
  const hasSamples = tests.some((test) => topGroupOf(test) === undefined)
  for (const [folder, yaml] of folders) {
    const path = `${folder}/${fileName}`
    demandJudgeable(path, yaml)
    if (!manifest.isScored) demandAllCount(path, yaml, hasSamples)
    noteUnused(path, yaml, manifest.isScored, reading.notes)
  }

  const find = (folder: string, key: string): Found | undefined => {
    const steps = folder.split('/')
    for (let depth = steps.length; depth > 0; depth--) {
      const place = steps.slice(0, depth).join('/')
      const value = folders.get(place)?.[key]
      if (value !== undefined) return { value, file: `${place}/${fileName}` }
    }
    return undefined
  }
  const argumentsOf = (test: TestFiles): readonly string[] => {
    const found = find(foldersOf(test).at(-1)!, 'output_validator_flags')
    const own = isMap(found?.value) ? found.value.flags : found?.value
    return demandFew([...manifest.validatorFlags, ...words(own)], found?.file ?? 'problem.yaml')
  }
  const secretTests = tests.filter((test) => topGroupOf(test) !== undefined)
  const common = mostCommon(secretTests.map(argumentsOf)) ?? [...manifest.validatorFlags]
  const scoring = manifest.isScored ? readScoring(tests, find, manifest, { notes: reading.notes, limits }) : undefined

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

/** A problem without points is accepted only if every test is. */
function demandAllCount(path: string, yaml: YamlMap, hasSamples: boolean): void {
  const lax = ['always_accept', 'accept_if_any_accepted', ...(hasSamples ? ['ignore_sample'] : [])]
  const odd = words(yaml.grader_flags).find((flag) => lax.includes(flag))
  if (odd) throw refuse(path, 'grader_flags', `${odd}: without points, every test must be passed here.`)
}

const usedKeys = ['grading', 'grader_flags', 'input_validator_flags', 'output_validator_flags', 'reject_score']
const scoringKeys = ['accept_score', 'range', 'on_reject']

function noteUnused(path: string, yaml: YamlMap, isScored: boolean, notes: string[]): void {
  const others = Object.keys(yaml).filter((key) => !usedKeys.includes(key))
  const unknown = others.filter((key) => !scoringKeys.includes(key))
  if (unknown.length > 0) notes.push(`${path}: ${unknown.join(', ')}: not known, and not carried over.`)
  const pointless = others.filter((key) => scoringKeys.includes(key))
  if (!isScored && pointless.length > 0)
    notes.push(`${path}: ${pointless.join(', ')}: not carried over, since the problem gives no points.`)
  if (yaml.on_reject !== undefined && !['break', 'continue'].includes(String(yaml.on_reject)))
    throw refuse(path, 'on_reject', `${JSON.stringify(yaml.on_reject)} is neither break nor continue.`)
}

const knownFlags = new Set(
  'worst_error first_error always_accept sum min ignore_sample accept_if_any_accepted'.split(' '),
)

type Find = (folder: string, key: string) => Found | undefined

function readScoring(
  tests: readonly TestFiles[],
  find: Find,
  manifest: Manifest,
  { notes, limits }: { notes: string[]; limits: Limits },
) {
  const secretTests = tests.filter((test) => topGroupOf(test) !== undefined)
  const counts = new Map<string, number>()
  for (const test of secretTests) counts.set(topGroupOf(test)!, (counts.get(topGroupOf(test)!) ?? 0) + 1)
  const names = [...counts.keys()]
  demandCount(names.length, limits.groups, 'groups')
  const deep = secretTests.find(({ name }) => name.split('/').length > 3)
  if (deep) throw refuse(deep.input, 'groups', 'scoring groups in groups are not supported.')
  if (names.includes('') && names.length > 1)
    throw invalidPackage('data/secret has tests beside groups of tests: put them in a group of their own.')
  const required = requiresSamples(tests, find) ? ['sample'] : []
  const readNode = (folder: string, count: number) => {
    const aggregation = readAggregation(folder, find)
    demandGoingOn(folder, aggregation, find, notes)
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
    // A requirement of the root needs a group that it applies to.
    if (required.length === 0) return { aggregation, maximumScore: maximum, groups: [] }
    throw refuse(flagsFile('data', find), 'grader_flags', 'without ignore_sample, tests must be in groups.')
  }
  const groups = names.map((name): ScoringGroup => {
    const folder = `${secret}/${name}`
    return { name: groupName(name), ...readNode(folder, counts.get(name)!), required }
  })
  const aggregation = readAggregation(secret, find)
  demandGoingOn(secret, aggregation, find, notes)
  const maxima = groups.map(({ maximum }) => maximum)
  const total = maxima.includes(null) ? null : (maxima as number[]).reduce((sum, one) => sum + one, 0)
  const least = maxima.includes(null) ? null : Math.min(...(maxima as number[]))
  if (aggregation === 'pass-fail' && total === null)
    throw refuse(flagsFile(secret, find), 'grader_flags', 'a problem that is passed or failed has bounded points.')
  return { aggregation, maximumScore: aggregation === 'min' ? least : total, groups }
}

const flagsFile = (folder: string, find: Find): string => find(folder, 'grader_flags')?.file ?? `${folder}/${fileName}`

/** If one accepted test suffices, each gives its points; otherwise all must be accepted. */
function readAggregation(folder: string, find: Find): Aggregation {
  const flags = words(find(folder, 'grader_flags')?.value)
  if (lastOf(flags, ['sum', 'min']) === 'min') return 'min'
  if (flags.includes('accept_if_any_accepted')) return 'sum'
  const verdict = lastOf(flags, ['worst_error', 'first_error', 'always_accept'])
  return verdict === 'always_accept' ? 'sum' : 'pass-fail'
}

/** Here points are summed over all tests; stopping at the first failure would give fewer. */
function demandGoingOn(folder: string, aggregation: Aggregation, find: Find, notes: string[]): void {
  if (aggregation !== 'sum') return
  const found = find(folder, 'on_reject')
  if (found?.value === 'break')
    throw refuse(found.file, 'on_reject', 'where points are added up, all tests are judged here: say continue.')
  if (!found) notes.push(`${folder}: on_reject is not stated: all tests are judged, as with continue.`)
}

/** If samples count towards the verdict, failing one gives no points. */
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

/** The most that a validator may give: the upper end of the range. */
function readUpper(folder: string, find: Find): number | null {
  const [, upper = 'inf'] = words(find(folder, 'range')?.value)
  const number = Number(upper)
  return Number.isFinite(number) && number >= 0 && number <= 1_000_000_000 ? number : null
}

const lastOf = (flags: readonly string[], wanted: readonly string[]): string | undefined =>
  flags.findLast((flag) => wanted.includes(flag))

function mostCommon(lists: readonly (readonly string[])[]): readonly string[] | undefined {
  const counts = new Map<string, { list: readonly string[]; count: number }>()
  for (const list of lists) {
    const key = JSON.stringify(list)
    const entry = counts.get(key) ?? { list, count: 0 }
    entry.count++
    counts.set(key, entry)
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.list
}

/** Translates them to 2025-09, which has them in `sample`, `secret` and groups. */
function keepInputFlags(folder: string, { input_validator_flags: flags }: YamlMap): [string, YamlMap][] {
  if (flags === undefined || folder === 'data') return []
  const value = isMap(flags) ? { [String(flags.name)]: words(flags.flags) } : words(flags)
  return [[`${folder}/test_group.yaml`, { input_validator_args: value }]]
}
