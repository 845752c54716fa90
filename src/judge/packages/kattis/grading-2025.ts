/**
 * Groups, points and arguments of a package of 2025-09: test_group.yaml in `sample`, `secret` and each group, and the
 * YAML of single tests.
 */
import { type Aggregation, type ScoringGroup, toMillionths } from '../../../lib/judging-rules/scoring/rules.ts'
import type { Limits } from '../../limits.ts'
import { inByteOrder } from '../byte-order.ts'
import { invalidPackage } from '../package-files.ts'
import { type PackageReading, refuse } from '../packaged-problem.ts'
import { omit, readYaml, type YamlMap } from '../yaml.ts'
import { demandFew, type Grading, groupName, sameWords } from './grading.ts'
import { readFolderFiles, type TestFiles, topGroupOf } from './test-files.ts'

const fileName = 'test_group.yaml'
const secret = 'data/secret'
const scoringKeys = ['max_score', 'score_aggregation', 'require_pass']
const usedKeys = [...scoringKeys, 'output_validator_args']

export async function readGrading2025(
  reading: PackageReading,
  tests: readonly TestFiles[],
  isScored: boolean,
  limits: Limits,
): Promise<Grading> {
  const folders = await readFolderFiles(reading, fileName, isScored ? limits.groups : mostFolders)
  const own = await readTestFiles(reading, tests)
  for (const [folder, yaml] of [...folders, ...own])
    demandJudgeable(pathOf(folder), yaml, isScored && folder !== 'data')
  demandFlat([...folders.keys()])
  const root = folders.get(secret) ?? {}
  const groups = inByteOrder(
    [...folders.keys()].filter((folder) => /^data\/secret\/[^/]+$/.test(folder)),
    (folder) => folder,
  )
  const isGroup = new Set(groups)
  if (groups.length > 0) demandAllInGroups(tests, isGroup)

  const argumentsOf = (test: TestFiles): readonly string[] => {
    const folder = folderOf(test)
    const top = test.name.startsWith('sample/') ? 'data/sample' : secret
    // The format defines none in `data` itself, but tools write one with what `sample` and `secret` share.
    const places = [`data/${test.name}.yaml`, folder, top, 'data']
    const found = places.map((place) => own.get(place) ?? folders.get(place))
    const stated = found.find((yaml) => yaml && yaml.output_validator_args !== undefined)
    return demandFew(readWords(stated?.output_validator_args), test.input)
  }
  const common = demandFew(
    readWords(root.output_validator_args ?? folders.get('data')?.output_validator_args),
    pathOf(secret),
  )

  return {
    aggregation: isScored ? readAggregation(secret, root, 'sum') : 'sum',
    maximumScore: isScored ? readMaximum(secret, root, 100) : toMillionths(100),
    groups: isScored ? groups.map((folder) => readGroup(folder, folders.get(folder)!, root)) : [],
    arguments: common,
    judge(test) {
      const list = argumentsOf(test)
      const folder = isScored ? folderOf(test) : ''
      return {
        group: isGroup.has(folder) ? groupName(folder.slice(secret.length + 1)) : '',
        points: null,
        arguments: sameWords(list, common) ? null : list,
      }
    },
    extras: Object.fromEntries(
      [...folders, ...own]
        .map(([folder, yaml]) => [pathOf(folder), omit(yaml, usedKeys)] as const)
        // A folder with its own file is a group, whatever the file contains.
        .filter(
          ([path, yaml]) =>
            Object.keys(yaml).length > 0 || (!isScored && path.split('/').length > 3 && path.endsWith(fileName)),
        ),
    ),
  }
}

const pathOf = (folder: string): string => (folder.endsWith('.yaml') ? folder : `${folder}/${fileName}`)

/** Folders with settings that are not scoring groups. */
const mostFolders = 1_000

/** The folder directly under `data/secret` that contains the test, or `data/secret/` if there is none. */
const folderOf = (test: TestFiles): string => `${secret}/${topGroupOf(test) ?? ''}`

/** The tests' own YAML, by path. */
async function readTestFiles(
  { files, used }: PackageReading,
  tests: readonly TestFiles[],
): Promise<Map<string, YamlMap>> {
  const present = new Set(files.paths)
  const found = new Map<string, YamlMap>()
  for (const { name } of tests) {
    const path = `data/${name}.yaml`
    if (!present.has(path)) continue
    found.set(path, await readYaml(files, path))
    used.add(path)
  }
  return found
}

function demandJudgeable(path: string, yaml: YamlMap, isScored: boolean): void {
  if (yaml.static_validation_score !== undefined)
    throw refuse(path, 'static_validation_score', 'programs are not judged by their source here.')
  if (readWords(yaml.args).length > 0) throw refuse(path, 'args', 'programs are run without arguments here.')
  const odd = isScored ? undefined : scoringKeys.find((key) => yaml[key] !== undefined)
  if (odd) throw refuse(path, odd, 'problem.yaml does not say that the problem is scoring.')
}

function demandFlat(folders: readonly string[]): void {
  const deep = folders.find((folder) => /^data\/secret\/[^/]+\/.+/.test(folder) || /^data\/sample\/./.test(folder))
  if (deep) throw refuse(pathOf(deep), 'groups', 'groups in groups are not supported.')
}

function demandAllInGroups(tests: readonly TestFiles[], groups: ReadonlySet<string>): void {
  const stray = tests.find((test) => test.input.startsWith(`${secret}/`) && !groups.has(folderOf(test)))
  if (stray) throw invalidPackage(`${stray.input} is in no group, though others are: a test_group.yaml is missing.`)
}

function readGroup(folder: string, yaml: YamlMap, root: YamlMap): ScoringGroup {
  const aggregation = readAggregation(folder, yaml, 'pass-fail')
  const maximum = readMaximum(folder, yaml, null)
  if (aggregation === 'pass-fail' && maximum === null)
    throw refuse(pathOf(folder), 'max_score', 'a pass-fail group needs one.')
  const required = [...readRequired(secret, root), ...readRequired(folder, yaml)]
  return { name: groupName(folder.slice(secret.length + 1)), aggregation, maximum, required: [...new Set(required)] }
}

function readAggregation(folder: string, { score_aggregation: value }: YamlMap, assumed: Aggregation): Aggregation {
  if (value === undefined) return assumed
  if (value === 'sum' || value === 'min' || value === 'pass-fail') return value
  throw refuse(pathOf(folder), 'score_aggregation', `${JSON.stringify(value)} is not sum, min or pass-fail.`)
}

function readMaximum(folder: string, { max_score: value }: YamlMap, assumed: number | null): number | null {
  if (value === undefined) return assumed === null ? null : toMillionths(assumed)
  if (value === 'unbounded') return null
  if (typeof value === 'number' && value >= 0 && value <= 1_000_000_000) return toMillionths(value)
  throw refuse(pathOf(folder), 'max_score', `${JSON.stringify(value)} is neither a number nor unbounded.`)
}

function readRequired(folder: string, { require_pass: value }: YamlMap): string[] {
  return readWords(value).map((name) => {
    if (name === 'sample') return name
    if (name.startsWith('secret/')) return groupName(name.slice('secret/'.length))
    throw refuse(
      pathOf(folder),
      'require_pass',
      `${JSON.stringify(name)} is neither sample nor a group such as secret/1.`,
    )
  })
}

/** A sequence of strings, or one string. */
function readWords(value: unknown): string[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}
