/** A package in the legacy format, which most judges read: its YAML files, and what it can't express. */

import { Failure } from '../../../lib/failure.ts'
import { groupWord } from '../../../lib/judging-rules/checker-arguments.ts'
import { type Aggregation, type ScoringGroup, toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { mebibyte } from '../../../lib/text/bytes.ts'
import type { Judging } from '../../problem-judging/judging.ts'
import type { Problem } from '../../problems/problem-row.ts'
import type { StoredPackage } from '../package-rows.ts'
import { markdownToTex } from '../tex/markdown-to-tex.ts'
import { isMap, omit, writeYaml, type YamlMap } from '../yaml.ts'
import { type PackageEntry, tellGroup } from './wrapped-checkers.ts'

export type LegacyTest = {
  readonly name: string
  readonly isHidden: boolean
  readonly group: string
  readonly points: number | null
  readonly arguments: readonly string[] | null
}

type Whole = { readonly problem: Problem; readonly judging: Judging; readonly stored: StoredPackage }

/** Refuses problems that would be judged differently without any notice. */
export function demandLegacy({ judging }: Pick<Whole, 'judging'>): void {
  const refuse = (sentence: string) =>
    new Failure('precondition', 'not-in-legacy', `The legacy format can’t hold this problem: ${sentence}`)
  if (judging.passLimit > 1) throw refuse('it has several passes.')
  if (judging.checker.arguments.some((word) => word === '' || /\s/.test(word)))
    throw refuse('an argument of its checker is empty or holds a blank.')
}

export async function writeLegacyManifest({ problem, judging, stored }: Whole): Promise<PackageEntry[]> {
  const { name: _name, ...extras } = stored.extras['problem.yaml'] ?? {}
  const limits = isMap(extras.limits) ? extras.limits : {}
  const multipliers = isMap(limits.time_multipliers) ? limits.time_multipliers : {}
  const flags = commonFlags(judging)
  const manifest = {
    problem_format_version: 'legacy',
    type: judging.isScored ? 'scoring' : 'pass-fail',
    name: problem.displayName,
    uuid: problem.uuid,
    ...describeOrigin(extras),
    validation: describeValidation(judging),
    ...(flags.length > 0 && { validator_flags: flags.join(' ') }),
    ...(judging.isScored && { grading: { objective: 'max', show_test_data_groups: judging.groups.length > 0 } }),
    limits: {
      ...Object.fromEntries(Object.entries(limits).filter(([key]) => legacyLimits.includes(key))),
      ...(multipliers.ac_to_time_limit !== undefined && { time_multiplier: multipliers.ac_to_time_limit }),
      ...(multipliers.time_limit_to_tle !== undefined && { time_safety_margin: multipliers.time_limit_to_tle }),
      memory: Math.max(1, Math.round(problem.memoryLimitBytes / mebibyte)),
    },
  }
  const seconds = String(problem.timeLimitMs / 1000)
  return [
    { path: 'problem.yaml', content: await writeYaml(manifest) },
    { path: '.timelimit', content: `${seconds}\n` },
    { path: 'domjudge-problem.ini', content: `timelimit = ${seconds}\n` },
    {
      path: `problem_statement/problem.${stored.language}.tex`,
      content: markdownToTex(problem.displayName, problem.description),
    },
  ]
}

const legacyLimits =
  'output code compilation_time compilation_memory validation_time validation_memory validation_output'.split(' ')

function describeOrigin({ credits, source, license, rights_owner: owner, keywords }: YamlMap): YamlMap {
  const authors = isMap(credits) ? credits.authors : credits
  const names = (Array.isArray(authors) ? authors : [authors]).map(personName).filter(Boolean)
  const [first] = Array.isArray(source) ? source : [source]
  const from: YamlMap = isMap(first) ? first : { name: first }
  return {
    ...(names.length > 0 && { author: names.join(', ') }),
    ...(typeof from.name === 'string' && { source: from.name }),
    ...(typeof from.name === 'string' && typeof from.url === 'string' && { source_url: from.url }),
    ...(license !== undefined && { license }),
    ...(owner !== undefined && { rights_owner: owner }),
    ...(Array.isArray(keywords) && keywords.length > 0 && { keywords: keywords.join(' ') }),
  }
}

const personName = (person: unknown): string => {
  if (typeof person === 'string') return person
  if (!isMap(person) || typeof person.name !== 'string') return ''
  return typeof person.email === 'string' ? `${person.name} <${person.email}>` : person.name
}

function describeValidation(judging: Judging): string {
  if (judging.checker.kind === 'tokens' && judging.type !== 'interactive') return 'default'
  const words = ['custom', givesScores(judging) && 'score', judging.type === 'interactive' && 'interactive']
  return words.filter(Boolean).join(' ')
}

/** The format states whether a validator gives points. Here any may; whether one does is read from its sources. */
function givesScores({ isScored, checker, interactor }: Judging): boolean {
  const word = checker.kind === 'testlib' ? /\b(?:quitpi?|_points|_pc)\b|points_info/ : /score\.txt|report_score/
  const files = [...(checker.program?.files ?? []), ...(interactor?.files ?? [])]
  const isOwn = ({ name }: { name: string }) => !name.endsWith('testlib.h')
  return isScored && files.some((file) => isOwn(file) && word.test(Buffer.from(file.content).toString('latin1')))
}

/** If the arguments contain the group's placeholder, each group's folder has its own. */
const commonFlags = ({ checker }: Judging): readonly string[] =>
  checker.kind === 'testlib' && checker.arguments.includes(groupWord) ? [] : checker.arguments

/** testdata.yaml of each folder: each accepted test has points, and groups combine them. */
export async function writeLegacyTestYaml(
  judging: Judging,
  folders: ReadonlyMap<string, string>,
  tests: readonly LegacyTest[],
): Promise<PackageEntry[]> {
  const isTold = commonFlags(judging) !== judging.checker.arguments
  const flagsOf = (group: string) =>
    isTold && { output_validator_flags: tellGroup(judging.checker, group, judging.checker.arguments).join(' ') }
  const files = new Map<string, YamlMap>()
  if (judging.isScored) {
    const { aggregation, maximumScore, groups } = judging
    const hidden = tests.filter(({ isHidden }) => isHidden)
    const whole = { aggregation, maximum: maximumScore }
    const flags = rootFlags(aggregation)
    const range = describeRange(maximumScore)
    files.set('data', { on_reject: rejectOf(aggregation), grader_flags: `${flags} ignore_sample`, range })
    files.set('data/sample', { on_reject: 'continue', grader_flags: 'first_error sum', accept_score: 0 })
    files.set('data/secret', {
      ...(groups.length > 0
        ? { on_reject: rejectOf(aggregation), grader_flags: flags, range }
        : describeNode(whole, hidden.length, judging, flags)),
      ...flagsOf(''),
    })
    for (const group of groups) {
      const count = hidden.filter((test) => test.group === group.name).length
      // A folder without tests would not be a group.
      if (count === 0) continue
      const node = describeNode(group, count, judging, groupFlags(group.aggregation))
      files.set(`data/secret/${folders.get(group.name)}`, { ...node, ...flagsOf(group.name) })
    }
  } else if (isTold) files.set('data', { ...flagsOf('') })
  return Promise.all(
    [...files].map(async ([folder, members]) => ({
      path: `${folder}/testdata.yaml`,
      content: await writeYaml(members),
    })),
  )
}

type Worth = Pick<ScoringGroup, 'aggregation' | 'maximum'>

function describeNode({ aggregation, maximum }: Worth, count: number, judging: Judging, flags: string): YamlMap {
  const range = describeRange(maximum)
  const whole = { on_reject: rejectOf(aggregation), grader_flags: flags, range }
  if (maximum === null || givesScores(judging)) return whole
  const isShared = flags.endsWith('sum')
  return { ...whole, accept_score: isShared ? toPoints(maximum) / Math.max(1, count) : toPoints(maximum) }
}

/** In a pass-fail group every test has the group's points and the minimum counts: all points or 0. */
const groupFlags = (aggregation: Aggregation): string =>
  aggregation === 'sum' ? 'accept_if_any_accepted sum' : 'first_error min'

/** A failed pass-fail problem has no points, whatever its groups gave. */
const rootFlags = (aggregation: Aggregation): string =>
  aggregation === 'pass-fail' ? 'first_error sum' : groupFlags(aggregation)

const rejectOf = (aggregation: Aggregation): string => (aggregation === 'sum' ? 'continue' : 'break')

const describeRange = (maximum: number | null): string => `0 ${maximum === null ? '+inf' : toPoints(maximum)}`

/** What a legacy package loses, as sentences for people. */
export function listLegacyLosses({ problem, judging, stored }: Whole, tests: readonly LegacyTest[]): string[] {
  const { name, ...extras } = stored.extras['problem.yaml'] ?? {}
  const others = Object.keys(omit(extras, carried))
  const { groups, isScored } = judging
  const maxima = groups.map(({ maximum }) => maximum)
  const total = maxima.includes(null) ? null : (maxima as number[]).reduce((sum, one) => sum + one, 0)
  const isUnequal = groups.length > 0 && judging.aggregation !== 'min' && total !== judging.maximumScore
  const passFail = groups.filter(({ aggregation }) => aggregation === 'pass-fail').map((group) => group.name)
  const requiring = groups.filter(({ required }) => required.length > 0).map((group) => group.name)
  const told: (string | false)[] = [
    'The statement is written as TeX: headings, lists, code, emphasis and maths; tables, footnotes, links and pictures stay as Markdown writes them.',
    'The time limit is in .timelimit and domjudge-problem.ini: the format itself has none, and some judges compute it from the accepted submissions.',
    isMap(name) && Object.keys(name).length > 1 && 'The name in other languages is left out.',
    others.length > 0 && `problem.yaml: ${others.join(', ')}: left out.`,
    judging.languageFactors.length > 0 && 'The time factors of languages are in guildhall.json alone.',
    problem.memoryLimitBytes % mebibyte !== 0 && 'The memory limit is rounded to whole mebibytes.',
    isScored &&
      passFail.length > 0 &&
      `Groups that are passed or failed (${passFail.join(', ')}) give their least score, which is the same points.`,
    isScored && requiring.length > 0 && `That groups require others (${requiring.join(', ')}) is left out.`,
    isScored && isUnequal && 'The maximum of all points is left out: it is the sum of the groups’.',
    isScored &&
      tests.some(({ points }) => points !== null) &&
      'Points of single tests are in guildhall.json alone: tests of a group share its points.',
    isScored &&
      givesScores(judging) &&
      'The checker gives points, so it has to give them for each test that it accepts.',
    tests.some((test) => test.arguments !== null) && 'Arguments of single tests are left out.',
  ]
  return told.filter((sentence) => sentence !== false)
}

const carried = 'uuid credits source license rights_owner keywords limits'.split(' ')
