/** Reads a Kattis problem package: what becomes the problem, what becomes test cases, and what has no place here. */
import { compareNaturally } from '../archive/natural-order.ts'
import type { Limits } from '../limits.ts'
import type { ProblemDraft } from '../problems/problems.ts'
import { invalidPackage, type Manifest, type PackageFiles, readText } from './package-files.ts'
import { readStatement } from './statement.ts'
import { listUnsupported } from './unsupported.ts'

export type PackagedTest = { readonly input: string; readonly output: string; readonly isHidden: boolean }

export type KattisPackage = {
  readonly draft: ProblemDraft
  /** The paths in judging order, the samples first. */
  readonly tests: readonly PackagedTest[]
  /** One sentence for everything that was left out or changed. */
  readonly notes: readonly string[]
}

export type ImportOverrides = { readonly timeLimitMs?: number; readonly memoryLimitBytes?: number }

const assumedTimeLimitMs = 1_000
/** This is the format's own default. */
const assumedMemoryMebibytes = 2_048

export async function readKattis(
  files: PackageFiles,
  limits: Limits,
  overrides: ImportOverrides,
): Promise<KattisPackage> {
  const notes: string[] = []
  const manifest = await readManifest(await files.read('problem.yaml'))
  const statement = await readStatement(files, manifest, limits, notes)
  const tests = [...pairTests(files.paths, 'data/sample/', false), ...pairTests(files.paths, 'data/secret/', true)]
  if (tests.length === 0) notes.push('There are no test cases: every program that compiles will be accepted.')
  const samples = tests.filter(({ isHidden }) => !isHidden)
  const draft: ProblemDraft = {
    displayName: statement.name,
    description: statement.text,
    timeLimitMs: overrides.timeLimitMs ?? (await findTimeLimit(files, manifest, limits, notes)),
    memoryLimitBytes: overrides.memoryLimitBytes ?? findMemoryLimit(manifest, limits, notes),
    examples: await readExamples(files, samples, limits, notes),
  }
  notes.push(...listUnsupported(files.paths, manifest, new Set(tests.flatMap(({ input, output }) => [input, output]))))
  return { draft, tests, notes }
}

async function readManifest(bytes: Buffer): Promise<Manifest> {
  const { parse } = await import('yaml')
  try {
    const manifest: unknown = parse(bytes.toString())
    return typeof manifest === 'object' && manifest !== null ? (manifest as Manifest) : {}
  } catch (error) {
    throw invalidPackage(`problem.yaml is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

function pairTests(paths: readonly string[], folder: string, isHidden: boolean): PackagedTest[] {
  const present = new Set(paths.filter((path) => path.startsWith(folder)))
  const inputs = [...present].filter((path) => path.endsWith('.in'))
  const tests = inputs.map((input) => {
    const output = `${input.slice(0, -'.in'.length)}.ans`
    if (!present.has(output)) throw invalidPackage(`${input} has no answer: ${output} is missing.`)
    return { input, output, isHidden }
  })
  return tests.sort((a, b) => compareNaturally(a.input.slice(0, -3), b.input.slice(0, -3)))
}

async function readExamples(files: PackageFiles, samples: readonly PackagedTest[], limits: Limits, notes: string[]) {
  const examples = []
  for (const { input, output } of samples) {
    const example = {
      input: (await readText(files, input)).toString(),
      output: (await readText(files, output)).toString(),
    }
    const isShort = example.input.length <= limits.exampleLength && example.output.length <= limits.exampleLength
    if (isShort && examples.length < limits.examples) examples.push(example)
    else
      notes.push(
        `${input} is a test case but no example: an example has ${limits.exampleLength} characters at most, and there are ${limits.examples} at most.`,
      )
  }
  return examples
}

const limitsOf = (manifest: Manifest): Manifest =>
  typeof manifest.limits === 'object' && manifest.limits !== null ? (manifest.limits as Manifest) : {}

async function findTimeLimit(files: PackageFiles, manifest: Manifest, limits: Limits, notes: string[]) {
  const stated = limitsOf(manifest).time_limit
  const beside = files.paths.includes('.timelimit') ? (await files.read('.timelimit')).toString() : undefined
  const seconds = Number(stated ?? beside ?? Number.NaN)
  if (!(seconds > 0)) {
    notes.push(`No time limit is stated: ${assumedTimeLimitMs} ms is assumed; give another with --time-limit.`)
    return assumedTimeLimitMs
  }
  return within('time limit', 'ms', Math.round(seconds * 1_000), 1, limits.timeLimitMs, notes)
}

function findMemoryLimit(manifest: Manifest, limits: Limits, notes: string[]): number {
  const mebibytes = Number(limitsOf(manifest).memory ?? assumedMemoryMebibytes)
  const bytes = Math.round((mebibytes > 0 ? mebibytes : assumedMemoryMebibytes) * 1024 * 1024)
  return within('memory limit', 'bytes', bytes, limits.leastMemoryLimitBytes, limits.memoryLimitBytes, notes)
}

function within(what: string, unit: string, value: number, least: number, most: number, notes: string[]): number {
  const kept = Math.min(Math.max(value, least), most)
  if (kept !== value)
    notes.push(`The ${what} of ${value} ${unit} became ${kept}: this server takes ${least} to ${most}.`)
  return kept
}
