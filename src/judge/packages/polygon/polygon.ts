/** Reads a Polygon problem package: problem.xml, the tests, the testlib checker and interactor, the statement. */
import { toMillionths } from '../../../lib/judging-rules/scoring/rules.ts'
import type { Limits } from '../../limits.ts'
import { type Judging, type Program, type ProgramLanguage, plainJudging } from '../../problem-judging/judging.ts'
import { withTestlib } from '../../problem-judging/testlib/testlib.ts'
import type { Example } from '../../problems/problem-row.ts'
import { groupArguments, takesGroup } from '../group-arguments.ts'
import { within } from '../kattis/manifest.ts'
import { cut } from '../kattis/statement.ts'
import { invalidPackage, readText } from '../package-files.ts'
import {
  type ImportOverrides,
  type PackagedFile,
  type PackagedProblem,
  type PackagedTest,
  type PackageReading,
  refuse,
} from '../packaged-problem.ts'
import { readProgramFiles } from '../program-files.ts'
import { readPolygonStatement } from './statement.ts'
import { readTests } from './tests.ts'
import { findAll, findOne, parseXml, type XmlElement } from './xml.ts'

const file = 'problem.xml'
const mostBytes = 8 * 1024 * 1024

export async function readPolygon(
  reading: PackageReading,
  limits: Limits,
  overrides: ImportOverrides,
): Promise<PackagedProblem> {
  const { files, notes } = reading
  const problem = parseXml((await files.read(file, mostBytes)).toString(), file)
  const judgingElement = findOne(problem, 'judging')
  const testset = chooseTestset(problem, notes)
  demandJudgeable(judgingElement!)
  demandNoGrader(problem)
  const { tests, isScored, groups, maximumScore } = readTests(reading, testset, limits)
  const checker = await readProgram(reading, problem, findOne(problem, 'assets/checker'), limits)
  const interactor = await readProgram(reading, problem, findOne(problem, 'assets/interactor'), limits)
  if (!checker && interactor) throw refuse(file, 'assets/checker', 'the package has none.')
  if (!checker) notes.push('There is no checker: the words of an output are compared.')
  const statement = await readPolygonStatement(reading, problem, limits)
  const judging: Judging = {
    ...plainJudging,
    type: interactor ? 'interactive' : 'batch',
    checker: {
      kind: checker ? 'testlib' : 'tokens',
      arguments: checker && groups.length > 0 && takesGroup(checker) ? groupArguments : [],
      program: checker ?? null,
    },
    interactor,
    isScored,
    aggregation: 'sum',
    maximumScore: isScored ? maximumScore : toMillionths(100),
    groups,
    isHeld: overrides.isHeld ?? false,
  }
  return {
    draft: {
      displayName: cut(statement.name, limits.problemNameLength, 'name', notes),
      description: statement.text,
      timeLimitMs: overrides.timeLimitMs ?? readLimit(testset, 'time-limit', 'ms', 1, limits.timeLimitMs, notes),
      memoryLimitBytes:
        overrides.memoryLimitBytes ??
        readLimit(testset, 'memory-limit', 'bytes', limits.leastMemoryLimitBytes, limits.memoryLimitBytes, notes),
      examples: interactor ? [] : await readExamples(reading, tests, limits),
    },
    judging,
    tests,
    kept: [...statement.kept, ...listKept(reading, problem)],
    extras: { 'problem.yaml': { source: findOne(problem, 'names') && (problem.attributes.url ?? 'Polygon') } },
    language: statement.language,
    notes,
  }
}

function chooseTestset(problem: XmlElement, notes: string[]): XmlElement {
  const testsets = findAll(problem, 'judging/testset')
  const chosen = testsets.find(({ attributes }) => attributes.name === 'tests') ?? testsets[0]
  if (!chosen) throw refuse(file, 'judging/testset', 'the package has no tests.')
  for (const { attributes } of testsets)
    if (attributes.name !== chosen.attributes.name)
      notes.push(
        `${file}: testset ${attributes.name}: its files are kept, but only ${chosen.attributes.name} is judged.`,
      )
  return chosen
}

function demandJudgeable({ attributes }: XmlElement): void {
  const named = ['input-file', 'output-file'].find((key) => (attributes[key] ?? '') !== '')
  if (named)
    throw refuse(file, `judging/${named}`, 'programs read their standard input and write their standard output here.')
  if (Number(attributes['run-count'] ?? 1) > 1) throw refuse(file, 'judging/run-count', 'a test is run once here.')
  const percent = 'treat-points-from-checker-as-percent'
  if (attributes[percent] === 'true')
    throw refuse(file, `judging/${percent}`, 'what a checker gives is points here, not a part of them.')
}

/** A resource for solutions is compiled or run together with each of them. */
function demandNoGrader(problem: XmlElement): void {
  const isForSolutions = (resource: XmlElement) =>
    findAll(resource, 'assets/asset').some(({ attributes }) => attributes.name?.toLowerCase() === 'solution')
  const grader = findAll(problem, 'files/resources/file').find(isForSolutions)
  if (!grader) return
  const path = JSON.stringify(grader.attributes.path ?? '')
  throw refuse(file, 'files/resources', `custom graders: ${path} belongs to solutions, which are compiled alone here.`)
}

function readLimit(
  testset: XmlElement,
  name: string,
  unit: string,
  least: number,
  most: number,
  notes: string[],
): number {
  const value = Number(findOne(testset, name)?.text.trim() ?? Number.NaN)
  if (!(value > 0)) throw refuse(file, `testset/${name}`, 'it is missing.')
  return within(name.replace('-', ' '), unit, Math.round(value), least, most, notes)
}

async function readExamples(
  { files, notes }: PackageReading,
  tests: readonly PackagedTest[],
  limits: Limits,
): Promise<Example[]> {
  const examples: Example[] = []
  for (const { input, output, isHidden } of tests) {
    if (isHidden || examples.length >= limits.examples) continue
    const example = {
      input: (await readText(files, input)).toString(),
      output: (await readText(files, output)).toString(),
    }
    if (Math.max(example.input.length, example.output.length) <= limits.exampleLength) examples.push(example)
    else notes.push(`${input} is a test case but no example: it is over ${limits.exampleLength} characters.`)
  }
  return examples
}

/** Languages of Polygon: `cpp.g++17`, `java11`, `python.3`. */
function languageOf(type: string): ProgramLanguage | undefined {
  if (/^cpp/.test(type)) return 'cpp'
  if (/^c\./.test(type)) return 'c'
  if (/^java/.test(type)) return 'java'
  return /^python/.test(type) ? 'python' : undefined
}

/** The source and the headers among the package's resources; testlib.h is usually one of them. */
async function readProgram(
  reading: PackageReading,
  problem: XmlElement,
  asset: XmlElement | undefined,
  limits: Limits,
): Promise<Program | null> {
  const source = asset && findOne(asset, 'source')
  if (!asset || !source) return null
  const kind = asset.attributes.type ?? 'testlib'
  if (kind !== 'testlib') throw refuse(file, `assets/${asset.name}`, `${JSON.stringify(kind)} is not testlib.`)
  const path = source.attributes.path ?? ''
  const language = languageOf(source.attributes.type ?? '')
  if (!language)
    throw refuse(file, `assets/${asset.name}`, `${JSON.stringify(source.attributes.type)} is not supported.`)
  const present = new Set(reading.files.paths)
  if (!present.has(path)) throw invalidPackage(`${path} is missing, which ${file} names as the ${asset.name}.`)
  const headers = findAll(problem, 'files/resources/file')
    .map(({ attributes }) => attributes.path ?? '')
    .filter((one) => /\.(?:h|hh|hpp|inc)$/.test(one) && present.has(one))
  const names = new Map([path, ...headers].map((one) => [one, one.split('/').at(-1)!]))
  return withTestlib({ language, files: await readProgramFiles(reading, names, limits, `The ${asset.name}`) })
}

const solutionFolders: Readonly<Record<string, string>> = {
  main: 'accepted',
  accepted: 'accepted',
  'wrong-answer': 'wrong_answer',
  'presentation-error': 'wrong_answer',
  'time-limit-exceeded': 'time_limit_exceeded',
  'memory-limit-exceeded': 'run_time_error',
  'time-limit-exceeded-or-memory-limit-exceeded': 'brute_force',
  rejected: 'rejected',
  failed: 'rejected',
}

/** Solutions move to their place in a package of 2025-09; all other files keep their paths, under `polygon/`. */
function listKept({ files, used }: PackageReading, problem: XmlElement): PackagedFile[] {
  const solutions = new Map(
    findAll(problem, 'assets/solutions/solution').map((solution) => [
      findOne(solution, 'source')?.attributes.path ?? '',
      solutionFolders[solution.attributes.tag ?? ''] ?? 'other',
    ]),
  )
  return files.paths
    .filter((source) => !used.has(source))
    .map((source) => {
      const folder = solutions.get(source)
      return { path: folder ? `submissions/${folder}/${source.split('/').at(-1)}` : `polygon/${source}`, source }
    })
}
