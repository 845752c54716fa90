/** `guildhall.json` in a package: what the format can't express. Other judges ignore it. */
import { type Aggregation, aggregations, largestScore } from '../../lib/judging-rules/scoring/rules.ts'
import type { LanguageFactor } from '../problem-judging/judging.ts'
import type { Example } from '../problems/problem-row.ts'
import { invalidPackage } from './package-files.ts'
import type { PackageReading } from './packaged-problem.ts'

export const guildhallFile = 'guildhall.json'

export type GuildhallFile = {
  /** Points of tests, by test name. */
  readonly points?: Readonly<Record<string, number>>
  /** Names of groups by folder, if a folder can’t have the name. */
  readonly groups?: Readonly<Record<string, string>>
  /** Groups of samples by test name: the package format has no groups for samples. */
  readonly sampleGroups?: Readonly<Record<string, string>>
  /** Arguments of tests by test name, if they contain the group's placeholder. */
  readonly arguments?: Readonly<Record<string, readonly string[]>>
  /** Grading of a problem that is not scored, for which the package format has no members. */
  readonly grading?: OwnGrading
  readonly languageFactors?: readonly LanguageFactor[]
  /** If they differ from the samples. */
  readonly examples?: readonly Example[]
  /** If it is not a whole number of mebibytes. */
  readonly memoryLimitBytes?: number
}

/** In points. */
export type OwnGrading = {
  readonly aggregation: Aggregation
  readonly maximum: number | null
  readonly groups: readonly {
    readonly name: string
    readonly aggregation: Aggregation
    readonly maximum: number | null
    readonly required: readonly string[]
  }[]
  /** Groups of tests, by test name. */
  readonly tests: Readonly<Record<string, string>>
}

const mostBytes = 4 * 1024 * 1024

export async function readGuildhallFile({ files }: Pick<PackageReading, 'files'>): Promise<GuildhallFile> {
  if (!files.paths.includes(guildhallFile)) return {}
  const bytes = await files.read(guildhallFile, mostBytes)
  try {
    return check(JSON.parse(bytes.toString()))
  } catch (error) {
    throw invalidPackage(`${guildhallFile} can’t be read: ${(error as Error).message}`)
  }
}

function check(given: unknown): GuildhallFile {
  if (typeof given !== 'object' || given === null) throw new Error('it is not an object.')
  const { points, groups, grading, languageFactors, examples, memoryLimitBytes, ...rest } = given as Record<
    string,
    unknown
  >
  return {
    ...(points !== undefined && { points: checkPoints(points) }),
    ...(groups !== undefined && { groups: checkNames(groups) }),
    ...(rest.sampleGroups !== undefined && { sampleGroups: checkNames(rest.sampleGroups, 'sampleGroups') }),
    ...(rest.arguments !== undefined && { arguments: checkArguments(rest.arguments) }),
    ...(grading !== undefined && { grading: checkGrading(grading) }),
    ...(languageFactors !== undefined && { languageFactors: listOf(languageFactors, 100).map(checkFactor) }),
    ...(examples !== undefined && { examples: listOf(examples, 1_000).map(checkExample) }),
    ...(Number.isSafeInteger(memoryLimitBytes) && { memoryLimitBytes: memoryLimitBytes as number }),
  }
}

function checkPoints(given: unknown): Record<string, number> {
  const entries = Object.entries(given as object)
  const odd = entries.find(([, value]) => !isScore(value))
  if (odd) throw new Error(`points.${odd[0].slice(0, 80)} is not a number of points.`)
  return Object.fromEntries(entries) as Record<string, number>
}

function checkArguments(given: unknown): Record<string, readonly string[]> {
  const entries = Object.entries(given as object)
  const isList = (list: unknown) =>
    Array.isArray(list) && list.length <= 100 && list.every((word) => typeof word === 'string' && word.length <= 1_000)
  const odd = entries.find(([, list]) => !isList(list))
  if (odd) throw new Error(`arguments.${odd[0].slice(0, 80)} is not a list of words.`)
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Record<string, readonly string[]>
}

const isScore = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= largestScore

function checkGrading(given: unknown): OwnGrading {
  const { groups, tests, ...root } = given as Record<string, unknown>
  const list = listOf(groups, 1_000).map(({ name, required, ...group }) => {
    if (typeof name !== 'string' || !Array.isArray(required) || required.some((one) => typeof one !== 'string'))
      throw new Error('grading.groups has one without a name, or without a list of those that it requires.')
    return { name, required: required as string[], ...checkWorth(group) }
  })
  const named = checkNames(tests, 'grading.tests')
  const known = new Set(list.map(({ name }) => name))
  const stray = Object.values(named).find((group) => !known.has(group))
  if (stray !== undefined) throw new Error(`grading.tests names the group ${JSON.stringify(stray.slice(0, 80))}.`)
  return { ...checkWorth(root), groups: list, tests: named }
}

function checkWorth({ aggregation, maximum }: Record<string, unknown>): Pick<OwnGrading, 'aggregation' | 'maximum'> {
  if (!aggregations.includes(aggregation as Aggregation) || !(maximum === null || isScore(maximum)))
    throw new Error('grading has no aggregation, or a maximum that is not a number of points.')
  return { aggregation: aggregation as Aggregation, maximum }
}

function checkNames(given: unknown, where = 'groups'): Record<string, string> {
  const entries = Object.entries(given as object)
  if (entries.some(([, name]) => typeof name !== 'string' || name === ''))
    throw new Error(`${where} has one without a name.`)
  // Without a prototype: a group may be called `constructor`.
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Record<string, string>
}

function listOf(given: unknown, most: number): Record<string, unknown>[] {
  if (!Array.isArray(given) || given.length > most || given.some((one) => typeof one !== 'object' || one === null))
    throw new Error(`it has a list that is none, or longer than ${most}.`)
  return given as Record<string, unknown>[]
}

function checkFactor({ language, timeFactor }: Record<string, unknown>): LanguageFactor {
  if (typeof language !== 'string' || typeof timeFactor !== 'number' || !(timeFactor >= 1 && timeFactor <= 10))
    throw new Error('languageFactors has a factor that is not 1 to 10.')
  return { language, timeFactor }
}

function checkExample({ input, output }: Record<string, unknown>): Example {
  if (typeof input !== 'string' || typeof output !== 'string') throw new Error('examples has one without two texts.')
  return { input, output }
}
