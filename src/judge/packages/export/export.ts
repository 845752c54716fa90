/** Export: a problem as a package of 2025-09 or of the legacy format, streamed one test at a time. */
import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'
import type { Actor } from '../../../accounts/actor.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import { groupWord } from '../../../lib/judging-rules/checker-arguments.ts'
import { toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { mebibyte } from '../../../lib/text/bytes.ts'
import { ZipFrame } from '../../../lib/zip/zip-frame.ts'
import type { Store } from '../../../store/store.ts'
import { demandOwnProblem, requireReader } from '../../access.ts'
import type { Limits } from '../../limits.ts'
import type { ProblemFiles } from '../../problem-files/problem-files.ts'
import { type Judging, plainJudging } from '../../problem-judging/judging.ts'
import type { ProblemJudgings } from '../../problem-judging/problem-judgings.ts'
import type { Example, Problem } from '../../problems/problem-row.ts'
import type { ProblemRef, Problems } from '../../problems/problems.ts'
import { listPackagedTests, type PackagedTestRow, readTestData } from '../../test-cases/packaged-tests.ts'
import { type GuildhallFile, guildhallFile, type OwnGrading } from '../guildhall-file.ts'
import { readStoredPackage } from '../package-rows.ts'
import { demandLegacy, listLegacyLosses, writeLegacyManifest, writeLegacyTestYaml } from './legacy.ts'
import { type NamedTest, nameFolders, nameTests } from './test-names.ts'
import { type PackageEntry, validatorFolders, writeChecker } from './wrapped-checkers.ts'
import { writeManifest, writeTestYaml } from './yaml-files.ts'

type Needs = { store: Store; problems: Problems; judgings: ProblemJudgings; problemFiles: ProblemFiles; limits: Limits }

/** The memory budget: bytes are taken before they are read, and given back once they are written. */
export type Payer = { take(bytes: number): Promise<void> | undefined; give(bytes: number): void }

export type ExportedPackage = { readonly name: string; readonly content: AsyncGenerator<Buffer> }

/** The format of the export; `legacy` is the older one. */
export type PackageFormat = keyof typeof validatorFolders
export const packageFormats = Object.keys(validatorFolders) as readonly PackageFormat[]

export type PackageExport = ReturnType<typeof makePackageExport>

const pack = promisify(deflateRaw)

export function makePackageExport({ store, problems, judgings, problemFiles, limits }: Needs) {
  async function readWhole(actor: Actor, uuid: string, payer: Payer) {
    const problem = await problems.get(actor, uuid)
    const { judging, keeper } = await judgings.get(actor, uuid, (bytes) => payer.take(bytes))
    return { problem, judging, state: `${problem.testHash} ${keeper?.hash}` }
  }

  async function* listEntries(
    { problem, judging }: { problem: Problem; judging: Judging },
    tests: readonly (PackagedTestRow & NamedTest)[],
    payer: Payer,
    format: PackageFormat,
  ): AsyncGenerator<PackageEntry & { readonly bytes?: number }> {
    const stored = await readStoredPackage(store.db, problem.id)
    const folders = judging.isScored ? nameFolders(judging.groups) : new Map<string, string>()
    const names = nameTests(tests, folders)
    const named = tests.map((test) => ({ ...test, name: names.get(test.id)! }))
    if (format === 'legacy') {
      yield* await writeLegacyManifest({ problem, judging, stored })
      yield* await writeLegacyTestYaml(judging, folders, named)
    } else {
      yield await writeManifest(problem, judging, stored)
      yield { path: `statement/problem.${stored.language}.md`, content: problem.description }
      yield* await writeTestYaml(judging, folders, named, stored)
    }
    yield* writeChecker(judging.checker, judging.interactor, validatorFolders[format])
    const samples: Example[] = []
    for (const { id, name, bytes, isHidden } of named) {
      await payer.take(bytes)
      const { input, output } = await readTestData(store.db, id)
      const isExample = !isHidden && samples.length < limits.examples && bytes < 2 * limits.exampleLength
      if (isExample) samples.push({ input: Buffer.from(input).toString(), output: Buffer.from(output).toString() })
      yield { path: `data/${name}.in`, content: input, bytes: input.length }
      yield { path: `data/${name}.ans`, content: output, bytes: output.length }
    }
    const own = describeOwn(problem, judging, named, samples, folders)
    if (Object.keys(own).length > 0) yield { path: guildhallFile, content: `${JSON.stringify(own, undefined, 2)}\n` }
    for (const { path, bytes, hash } of await problemFiles.listAll(problem.id)) {
      await payer.take(bytes)
      yield { path: pathIn(format, path), content: await collect(problemFiles.read(hash)), bytes }
    }
  }

  async function* write(actor: Actor, uuid: string, payer: Payer, format: PackageFormat): AsyncGenerator<Buffer> {
    const whole = await readWhole(actor, uuid, payer)
    if (format === 'legacy') demandLegacy(whole)
    const tests = (await listPackagedTests(store.db, whole.problem.id)).map((row) => ({ ...row }))
    const frame = new ZipFrame()
    const written = new Set<string>()
    for await (const { path, content, mode, bytes = 0 } of listEntries(whole, tests, payer, format)) {
      // The problem's own content takes precedence over a kept file with the same path.
      if (written.has(path)) continue
      written.add(path)
      const raw = Buffer.from(content)
      const packed = await pack(raw)
      yield frame.open(path, false, mode ?? plainMode)
      yield frame.append({ bytes: packed, crc: crc32(raw), rawLength: raw.length })
      yield frame.close(false)
      payer.give(bytes)
    }
    // If the problem changed meanwhile, the zip is cut off before its end, so that the download is invalid instead of
    // inconsistent.
    const after = await readWhole(actor, uuid, payer)
    demand(
      after.state === whole.state,
      'unavailable',
      'problem-changed',
      'The problem was changed meanwhile: try again.',
    )
    yield frame.finish()
  }

  async function demandExport(actor: Actor, uuid: string): Promise<ProblemRef> {
    requireReader(actor)
    const problem = await problems.find(actor, uuid)
    demandOwnProblem(actor, problem, 'have its package')
    return problem
  }

  return {
    demandExport,

    /** The losses of a package in this format. Refuses problems that it can't hold at all. */
    async listLosses(actor: Actor, uuid: string, payer: Payer, format: PackageFormat): Promise<string[]> {
      await demandExport(actor, uuid)
      if (format !== 'legacy') return []
      const whole = await readWhole(actor, uuid, payer)
      demandLegacy(whole)
      const stored = await readStoredPackage(store.db, whole.problem.id)
      const tests = await listPackagedTests(store.db, whole.problem.id)
      return listLegacyLosses(
        { ...whole, stored },
        tests.map((test) => ({ ...test, name: '' })),
      )
    },

    /** The package contains hidden tests, so only owners may export. */
    async exportPackage(actor: Actor, uuid: string, payer: Payer, format: PackageFormat): Promise<ExportedPackage> {
      const problem = await demandExport(actor, uuid)
      const content = write(actor, uuid, payer, format)
      // Refuses a problem that can't be exported before the response begins.
      const first = await content.next()
      if (first.done)
        throw new Failure('unavailable', 'problem-changed', 'The problem was changed meanwhile: try again.')
      return {
        name: `${problem.displayName.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase() || 'problem'}.zip`,
        content: prepend(first.value, content),
      }
    },
  }
}

/**
 * Pictures are beside the statement; the original source of the statement is renamed, since the present text takes its
 * place.
 */
const pathIn = (format: PackageFormat, path: string): string =>
  format === 'legacy'
    ? path.replace(/^statement\//, 'problem_statement/').replace(/^source\/problem\./, 'source/original.')
    : path

const plainMode = 0o644

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function describeOwn(
  problem: Problem,
  judging: Judging,
  tests: readonly (PackagedTestRow & { name: string })[],
  samples: readonly Example[],
  folders: ReadonlyMap<string, string>,
): GuildhallFile {
  const points = tests.filter((test) => test.points !== null).map(({ name, points }) => [name, toPoints(points!)])
  const inSample = tests.filter(({ isHidden, group }) => judging.isScored && !isHidden && group !== '')
  const templates = tests.filter(
    ({ arguments: list }) => judging.checker.kind === 'testlib' && list?.includes(groupWord),
  )
  const groups = [...folders].filter(([name, folder]) => name !== folder && name !== `secret/${folder}`)
  return {
    ...(points.length > 0 && { points: Object.fromEntries(points) }),
    ...(!judging.isScored && describeUnscored(judging, tests)),
    ...(groups.length > 0 && { groups: Object.fromEntries(groups.map(([name, folder]) => [folder, name])) }),
    ...(inSample.length > 0 && { sampleGroups: Object.fromEntries(inSample.map(({ name, group }) => [name, group])) }),
    ...(templates.length > 0 && {
      arguments: Object.fromEntries(templates.map((test) => [test.name, test.arguments!])),
    }),
    ...(judging.languageFactors.length > 0 && { languageFactors: judging.languageFactors }),
    ...(JSON.stringify(problem.examples) !== JSON.stringify(samples) && { examples: problem.examples }),
    ...(problem.memoryLimitBytes % mebibyte !== 0 && { memoryLimitBytes: problem.memoryLimitBytes }),
  }
}

/** Empty if there is nothing to state. */
function describeUnscored(
  { aggregation, maximumScore, groups }: Judging,
  tests: readonly (PackagedTestRow & { name: string })[],
): { readonly grading?: OwnGrading } {
  const isPlain = aggregation === plainJudging.aggregation && maximumScore === plainJudging.maximumScore
  if (isPlain && groups.length === 0) return {}
  const toMaximum = (score: number | null) => (score === null ? null : toPoints(score))
  const inGroups = tests.filter(({ group }) => group !== '')
  return {
    grading: {
      aggregation,
      maximum: toMaximum(maximumScore),
      groups: groups.map((group) => ({ ...group, maximum: toMaximum(group.maximum) })),
      tests: Object.fromEntries(inGroups.map(({ name, group }) => [name, group])),
    },
  }
}
