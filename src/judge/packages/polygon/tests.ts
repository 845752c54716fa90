/** The tests of a Polygon package: their files, points and groups. */
import {
  type Aggregation,
  largestScore,
  type ScoringGroup,
  sampleGroup,
  toMillionths,
} from '../../../lib/judging-rules/scoring/rules.ts'
import type { Limits } from '../../limits.ts'
import { inByteOrder } from '../byte-order.ts'
import { nameFolders } from '../export/test-names.ts'
import { invalidPackage } from '../package-files.ts'
import { demandCount, type PackagedTest, type PackageReading, refuse } from '../packaged-problem.ts'
import { findAll, findOne, type XmlElement } from './xml.ts'

const file = 'problem.xml'

export type PolygonTests = {
  readonly tests: readonly PackagedTest[]
  readonly isScored: boolean
  readonly groups: readonly ScoringGroup[]
  /** In millionths. */
  readonly maximumScore: number
}

type Listed = {
  readonly number: number
  readonly isSample: boolean
  readonly group: string
  readonly points: number
  readonly command: string
}

export function readTests({ files, used }: PackageReading, testset: XmlElement, limits: Limits): PolygonTests {
  const listed = findAll(testset, 'tests/test').map(
    ({ attributes }, i): Listed => ({
      number: i + 1,
      isSample: attributes.sample === 'true',
      group: attributes.group ?? '',
      points: readPoints(attributes.points, `test ${i + 1}`),
      command: attributes.cmd ?? '',
    }),
  )
  demandCount(listed.length, limits.tests, 'tests')
  const inputs = readPattern(testset, 'input-path-pattern', 'tests/%02d')
  const answers = readPattern(testset, 'answer-path-pattern', 'tests/%02d.a')
  demandAllThere(new Set(files.paths), listed, inputs, answers)
  const described = findAll(testset, 'groups/group')
  demandCount(described.length, limits.groups, 'groups')
  for (const group of described) readPolicy(group)
  const isScored =
    listed.some(({ points }) => points > 0) ||
    described.some(({ attributes }) => readPoints(attributes.points, `group ${attributes.name}`) > 0)
  const groups = readGroups(listed, described, limits)
  const folders = nameFolders(groups)
  const each = new Set(groups.flatMap(({ name, aggregation }) => (aggregation === 'sum' ? name : [])))
  const width = String(listed.length).length
  const scores = findScoring(listed, groups.length > 0)
  const tests = listed.map((test): PackagedTest => {
    const input = fill(inputs, test.number)
    const output = fill(answers, test.number)
    used.add(input).add(output)
    const group = groups.length > 0 ? groupOf(test) : ''
    const folder = test.isSample ? 'sample' : group === '' || !isScored ? 'secret' : `secret/${folders.get(group)}`
    const isEach = groups.length === 0 || each.has(group)
    return {
      name: `${folder}/${String(test.number).padStart(width, '0')}`,
      input,
      output,
      isHidden: !test.isSample,
      judging: {
        group,
        points: isScored && isEach && scores(test) ? toMillionths(test.points) : null,
        arguments: null,
      },
    }
  })
  const own = listed.filter(scores).reduce((sum, { points }) => sum + toMillionths(points), 0)
  const maximumScore = groups.length > 0 ? groups.reduce((sum, { maximum }) => sum + (maximum ?? 0), 0) : own
  return { tests: inOrder(tests), isScored, groups, maximumScore: isScored ? maximumScore : toMillionths(100) }
}

/** Samples give points only in a group without other tests, or in a problem that has neither groups nor other tests. */
function findScoring(tests: readonly Listed[], hasGroups: boolean): (test: Listed) => boolean {
  const nameOf = (test: Listed) => (hasGroups ? groupOf(test) : '')
  const hidden = new Set(tests.filter(({ isSample }) => !isSample).map(nameOf))
  return (test) => !test.isSample || (!hidden.has(nameOf(test)) && !(hasGroups && nameOf(test) === ''))
}

/** Samples are judged first, then group by group. */
const inOrder = (tests: readonly PackagedTest[]): PackagedTest[] => inByteOrder(tests, ({ name }) => name)

/** In a problem with groups, a test without one goes into a group of its own; a sample goes into none. */
const groupOf = ({ group, isSample }: Listed): string => (group !== '' ? groupName(group) : isSample ? '' : restGroup)

const restGroup = 'rest'
const longestGroupName = 64

/** Unchanged, except the name that is reserved for open tests here. */
const groupName = (name: string): string => (name === sampleGroup ? `${sampleGroup}_` : name.slice(0, longestGroupName))

const longestPattern = 200

function readPattern(testset: XmlElement, name: string, usual: string): string {
  const pattern = findOne(testset, name)?.text.trim() || usual
  const isKnown = pattern.length <= longestPattern && /%0?\d{0,2}d/.test(pattern)
  if (!isKnown) throw refuse(file, `testset/${name}`, 'it is not such as tests/%02d.')
  return pattern
}

/** At most the largest score of a problem, in steps of at least a millionth. */
function readPoints(text: string | undefined, what: string): number {
  if (text === undefined || text.trim() === '') return 0
  const points = /^\d{1,10}(?:\.\d{1,6}0*)?$/.test(text.trim()) ? Number(text) : Number.NaN
  if (!(points <= largestScore)) throw refuse(file, what, `its points are no number from 0 to ${largestScore}.`)
  return points
}

/** `tests/%02d`: the number with leading zeros. */
const fill = (pattern: string, number: number): string =>
  pattern.replace(/%0?(\d{0,2})d/, (_whole, width: string) => String(number).padStart(Number(width || 0), '0'))

function demandAllThere(present: ReadonlySet<string>, tests: readonly Listed[], inputs: string, answers: string): void {
  const missing = tests.flatMap(({ number, command }) =>
    [fill(inputs, number), fill(answers, number)]
      .filter((path) => !present.has(path))
      .map((path) => (command && !path.endsWith('.a') ? `${path} (${command})` : path)),
  )
  if (missing.length === 0) return
  const more = missing.length > 20 ? ` and ${missing.length - 20} more` : ''
  throw invalidPackage(
    `Tests are missing: ${missing.slice(0, 20).join(', ')}${more}. Polygon leaves generated tests out of its standard package: build and download the full one.`,
  )
}

function readGroups(tests: readonly Listed[], described: readonly XmlElement[], limits: Limits): ScoringGroup[] {
  if (described.length === 0 && tests.every(({ group }) => group === '')) return []
  const scores = findScoring(tests, true)
  const sums = new Map<string, number>()
  for (const test of tests) {
    const name = groupOf(test)
    if (name !== '') sums.set(name, (sums.get(name) ?? 0) + (scores(test) ? toMillionths(test.points) : 0))
  }
  demandCount(sums.size, limits.groups, 'groups')
  const byName = new Map(described.map((group) => [groupName(group.attributes.name ?? ''), group]))
  return inGroupOrder([...sums.keys()]).map((name): ScoringGroup => {
    const group = byName.get(name)
    const aggregation = readPolicy(group)
    const stated = readPoints(group?.attributes.points, `group ${name}`)
    const maximum = aggregation === 'pass-fail' && stated > 0 ? toMillionths(stated) : sums.get(name)!
    const required = findAll(group ?? { name: '', attributes: {}, children: [], text: '' }, 'dependencies/dependency')
      .map(({ attributes }) => groupName(attributes.group ?? ''))
      // A group without tests is no requirement.
      .filter((other) => sums.has(other))
    return { name, aggregation, maximum, required: [...new Set(required)] }
  })
}

/** If all groups have numbers as names, they are sorted by number. */
const inGroupOrder = (names: readonly string[]): readonly string[] =>
  names.every((name) => /^\d{1,9}$/.test(name))
    ? names.toSorted((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1))
    : inByteOrder(names, (name) => name)

function readPolicy(group: XmlElement | undefined): Aggregation {
  const policy = group?.attributes['points-policy'] ?? 'each-test'
  if (policy === 'complete-group') return 'pass-fail'
  if (policy === 'each-test') return 'sum'
  throw refuse(file, 'points-policy', `${JSON.stringify(policy)} is neither complete-group nor each-test.`)
}
