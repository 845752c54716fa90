/** The YAML files of a package of 2025-09: problem.yaml, test_group.yaml, and those of single tests. */

import { type ScoringGroup, toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { mebibyte } from '../../../lib/text/bytes.ts'
import type { Judging } from '../../problem-judging/judging.ts'
import type { Problem } from '../../problems/problem-row.ts'
import type { StoredPackage } from '../package-rows.ts'
import { isMap, writeYaml, type YamlMap } from '../yaml.ts'
import { type PackageEntry, tellGroup } from './wrapped-checkers.ts'

export type ExportedTest = {
  readonly name: string
  readonly group: string
  readonly arguments: readonly string[] | null
}

export async function writeManifest(problem: Problem, judging: Judging, stored: StoredPackage): Promise<PackageEntry> {
  const { limits, name, ...extras } = stored.extras['problem.yaml'] ?? {}
  const kinds = [
    judging.isScored ? 'scoring' : 'pass-fail',
    ...(judging.type === 'interactive' ? ['interactive'] : []),
    ...(judging.passLimit > 1 ? ['multi-pass'] : []),
  ]
  const seconds = problem.timeLimitMs / 1000
  const manifest = {
    problem_format_version: '2025-09',
    type: kinds.length === 1 ? kinds[0] : kinds,
    name: { ...(isMap(name) && name), [stored.language]: problem.displayName },
    uuid: problem.uuid,
    ...extras,
    limits: {
      time_limit: seconds,
      ...(!Number.isInteger(seconds) && { time_resolution: 0.001 }),
      ...(isMap(limits) && limits),
      memory: Math.max(1, Math.round(problem.memoryLimitBytes / mebibyte)),
      ...(judging.passLimit > 1 && { validation_passes: judging.passLimit }),
    },
  }
  return { path: 'problem.yaml', content: await writeYaml(manifest) }
}

/** The YAML files of `sample` and `secret`, of each group, and of tests with settings of their own. */
export async function writeTestYaml(
  judging: Judging,
  folders: ReadonlyMap<string, string>,
  tests: readonly ExportedTest[],
  stored: StoredPackage,
): Promise<PackageEntry[]> {
  const files = new Map<string, YamlMap>(
    Object.entries(stored.extras).filter(([path]) => path !== 'problem.yaml' && isCurrent(path, folders, tests)),
  )
  const add = (path: string, members: YamlMap) => {
    if (Object.keys(members).length > 0 || files.has(path)) files.set(path, { ...files.get(path), ...members })
  }
  const { checker } = judging
  const { arguments: list } = checker
  const tell = (group: string, words: readonly string[]) => {
    const told = tellGroup(checker, group, words)
    return told !== list && { output_validator_args: told }
  }
  // Keeps the group's placeholder: groups and tests outside groups have arguments of their own.
  const common = list.length > 0 ? { output_validator_args: list } : {}
  add('data/sample/test_group.yaml', { ...common, ...tell('', list) })
  add('data/secret/test_group.yaml', { ...(judging.isScored && describeRoot(judging)), ...common })
  if (judging.isScored)
    for (const group of judging.groups)
      add(`data/secret/${folders.get(group.name)}/test_group.yaml`, {
        ...describeGroup(group, folders),
        ...tell(group.name, list),
      })
  for (const { name, group, arguments: own } of tests) {
    const isSample = name.startsWith('sample/')
    // In a scored problem the folder's file already states the group.
    const isTold = isSample ? group === '' : judging.isScored && folders.has(group)
    const members = own || !isTold ? tell(group, own ?? list) : false
    if (own || members) add(`data/${name}.yaml`, members || { output_validator_args: list })
  }
  return Promise.all([...files].map(async ([path, members]) => ({ path, content: await writeYaml(members) })))
}

/** Whether the test or group of this file still exists; otherwise the file is left out. */
function isCurrent(path: string, folders: ReadonlyMap<string, string>, tests: readonly ExportedTest[]): boolean {
  if (!path.endsWith('/test_group.yaml')) return tests.some(({ name }) => `data/${name}.yaml` === path)
  const folder = path.slice('data/'.length, -'/test_group.yaml'.length)
  return (
    folder === 'sample' ||
    folder === 'secret' ||
    folders.size === 0 ||
    [...folders.values()].includes(folder.slice('secret/'.length))
  )
}

const describeMaximum = (maximum: number | null) => (maximum === null ? 'unbounded' : toPoints(maximum))

const describeRoot = ({ aggregation, maximumScore }: Judging): YamlMap => ({
  max_score: describeMaximum(maximumScore),
  score_aggregation: aggregation,
})

function describeGroup(
  { aggregation, maximum, required }: ScoringGroup,
  folders: ReadonlyMap<string, string>,
): YamlMap {
  const names = required.map((name) => (name === 'sample' ? name : `secret/${folders.get(name)}`))
  return {
    max_score: describeMaximum(maximum),
    score_aggregation: aggregation,
    ...(names.length > 0 && { require_pass: names }),
  }
}
