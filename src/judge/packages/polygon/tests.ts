/** The tests of a Polygon package: their files, points and groups. */
import { type Aggregation, largestScore, type ScoringGroup, toMillionths } from '../../../base/scoring/rules.ts'
import type { Limits } from '../../limits.ts'
import { inByteOrder } from '../byte-order.ts'
import { invalidPackage } from '../package-files.ts'
import { demandCount, type PackagedTest, type Reading, refuse } from '../packaged-problem.ts'
import { findAll, findOne, type XmlElement } from './xml.ts'

const file = 'problem.xml'

export type PolygonTests = {
  readonly tests: readonly PackagedTest[]
  readonly isScored: boolean
  readonly groups: readonly ScoringGroup[]
  /** Millionths. */
  readonly maximumScore: number
}

type Listed = {
  readonly number: number
  readonly isSample: boolean
  readonly group: string
  readonly points: number
  readonly command: string
}

export function readTests({ files, used }: Reading, testset: XmlElement, limits: Limits): PolygonTests {
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
  const groups = isScored ? readGroups(listed, described, limits) : []
  const each = new Set(groups.flatMap(({ name, aggregation }) => (aggregation === 'sum' ? name : [])))
  const width = String(listed.length).length
  const hidden = listed.filter(({ isSample }) => !isSample)
  const tests = listed.map((test): PackagedTest => {
    const input = fill(inputs, test.number)
    const output = fill(answers, test.number)
    used.add(input).add(output)
    const group = isScored && groups.length > 0 ? groupOf(test) : ''
    const folder = test.isSample ? 'sample' : group === '' ? 'secret' : `secret/${group}`
    const isEach = groups.length === 0 || each.has(group)
    return {
      name: `${folder}/${String(test.number).padStart(width, '0')}`,
      input,
      output,
      isHidden: !test.isSample,
      judging: {
        group: test.isSample ? '' : group,
        points: isScored && isEach && !test.isSample ? toMillionths(test.points) : null,
        arguments: null,
      },
    }
  })
  const own = hidden.reduce((sum, { points }) => sum + toMillionths(points), 0)
  const maximumScore = groups.length > 0 ? groups.reduce((sum, { maximum }) => sum + (maximum ?? 0), 0) : own
  return { tests: inOrder(tests), isScored, groups, maximumScore: isScored ? maximumScore : toMillionths(100) }
}

/** Samples are judged first; groups one after another. */
const inOrder = (tests: readonly PackagedTest[]): PackagedTest[] => inByteOrder(tests, ({ name }) => name)

/** A test without a group, beside groups, is in one of its own. */
const groupOf = ({ group }: Listed): string => (group === '' ? 'rest' : folderName(group))

const folderName = (group: string): string => {
  const plain = group.slice(0, 60).replace(/[^A-Za-z0-9_.-]/g, '_')
  // A group that is named by a number sorts as one.
  return /^\d{1,4}$/.test(plain) ? plain.padStart(2, '0') : plain === 'sample' ? 'sample_' : plain
}

const longestPattern = 200

function readPattern(testset: XmlElement, name: string, usual: string): string {
  const pattern = findOne(testset, name)?.text.trim() || usual
  const isKnown = pattern.length <= longestPattern && /%0?\d{0,2}d/.test(pattern)
  if (!isKnown) throw refuse(file, `testset/${name}`, 'it is not such as tests/%02d.')
  return pattern
}

/** Up to what a problem may give, in millionths at the finest. */
function readPoints(text: string | undefined, what: string): number {
  if (text === undefined || text.trim() === '') return 0
  const points = /^\d{1,10}(?:\.\d{1,6}0*)?$/.test(text.trim()) ? Number(text) : Number.NaN
  if (!(points <= largestScore)) throw refuse(file, what, `its points are no number from 0 to ${largestScore}.`)
  return points
}

/** `tests/%02d`: the number, with zeros before it. */
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
  const sums = new Map<string, number>()
  for (const test of tests) {
    if (test.isSample) continue
    const name = groupOf(test)
    sums.set(name, (sums.get(name) ?? 0) + toMillionths(test.points))
  }
  const names = [...sums.keys()]
  demandCount(names.length, limits.groups, 'groups')
  if (described.length === 0 && names.every((name) => name === 'rest')) return []
  const byName = new Map(described.map((group) => [folderName(group.attributes.name ?? ''), group]))
  return names.sort().map((name): ScoringGroup => {
    const group = byName.get(name)
    const aggregation = readPolicy(group)
    const stated = readPoints(group?.attributes.points, `group ${name}`)
    const maximum = aggregation === 'pass-fail' && stated > 0 ? toMillionths(stated) : sums.get(name)!
    const required = findAll(group ?? { name: '', attributes: {}, children: [], text: '' }, 'dependencies/dependency')
      .map(({ attributes }) => folderName(attributes.group ?? ''))
      // A group of samples alone is the open tests.
      .map((other) => (sums.has(other) ? other : 'sample'))
    return { name, aggregation, maximum, required: [...new Set(required)] }
  })
}

function readPolicy(group: XmlElement | undefined): Aggregation {
  const policy = group?.attributes['points-policy'] ?? 'each-test'
  if (policy === 'complete-group') return 'pass-fail'
  if (policy === 'each-test') return 'sum'
  throw refuse(file, 'points-policy', `${JSON.stringify(policy)} is neither complete-group nor each-test.`)
}
