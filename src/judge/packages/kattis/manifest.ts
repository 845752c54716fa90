/**
 * problem.yaml of a Kattis package, legacy or 2025-09: the kind of problem, its limits, and members without a place
 * here.
 */
import type { Limits } from '../../limits.ts'
import { invalidPackage } from '../package-files.ts'
import { type ImportOverrides, type PackageReading, refuse } from '../packaged-problem.ts'
import { isMap, omit, readYaml, type YamlMap } from '../yaml.ts'

export type Manifest = {
  readonly isLegacy: boolean
  readonly isScored: boolean
  readonly isInteractive: boolean
  readonly passLimit: number
  /** Legacy states whether its validators are used; 2025-09 has one that is used, or none. */
  readonly usesValidator: boolean | undefined
  /** Whether the validator gives scores: legacy states it, 2025-09 leaves it to the validator. */
  readonly givesScores: boolean
  readonly validatorFlags: readonly string[]
  readonly names: YamlMap
  readonly constants: ReadonlyMap<string, string>
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  /** Members that an export writes back to a problem.yaml of 2025-09. */
  readonly extras: YamlMap
}

const file = 'problem.yaml'

export async function readManifest(
  reading: PackageReading,
  limits: Limits,
  overrides: ImportOverrides,
): Promise<Manifest> {
  const { files, used } = reading
  const yaml = await readYaml(files, file)
  used.add(file)
  const isLegacy = findFormat(files.paths, yaml)
  const validation = words(yaml.validation)
  const kinds = new Set([...(Array.isArray(yaml.type) ? yaml.type.map(String) : words(yaml.type)), ...validation])
  demandKnownKinds(kinds)
  const { grading } = yaml
  if (isMap(grading) && grading.objective === 'min')
    throw refuse(file, 'grading.objective', 'points are maximised here; a problem that minimises them can’t be judged.')
  if (files.paths.some((path) => path.startsWith('include/')))
    throw refuse('include/', 'files', 'files that are added to submissions are not supported.')
  const isMultiPass = kinds.has('multi-pass')
  return {
    isLegacy,
    isScored: kinds.has('scoring'),
    isInteractive: kinds.has('interactive'),
    passLimit: isMultiPass ? readPasses(limitsOf(yaml).validation_passes) : 1,
    usesValidator: yaml.validation === undefined ? undefined : validation[0] === 'custom',
    givesScores: validation.includes('score'),
    validatorFlags: words(yaml.validator_flags),
    names: isMap(yaml.name) ? yaml.name : yaml.name === undefined ? {} : { en: yaml.name },
    constants: readConstants(yaml.constants),
    timeLimitMs: overrides.timeLimitMs ?? (await findTimeLimit(reading, yaml, limits)),
    memoryLimitBytes: overrides.memoryLimitBytes ?? findMemoryLimit(yaml, limits, reading.notes),
    extras: isLegacy ? modernise(yaml, reading.notes) : keepKnown(yaml, reading.notes),
  }
}

/** Returns whether it is legacy: decided by the files that describe groups, otherwise by the stated version. */
function findFormat(paths: readonly string[], yaml: YamlMap): boolean {
  const has = (name: string) => paths.some((path) => path.startsWith('data/') && path.endsWith(`/${name}`))
  if (has('testdata.yaml') && has('test_group.yaml'))
    throw invalidPackage('It has a testdata.yaml, as legacy packages have, and a test_group.yaml, as those of 2025-09.')
  if (has('testdata.yaml')) return true
  if (has('test_group.yaml')) return false
  const version = String(yaml.problem_format_version ?? 'legacy')
  return version.startsWith('legacy')
}

const known = ['pass-fail', 'scoring', 'interactive', 'multi-pass', 'custom', 'default', 'score']

function demandKnownKinds(kinds: ReadonlySet<string>): void {
  if (kinds.has('submit-answer')) throw refuse(file, 'type', 'submit-answer: only programs are judged here.')
  const odd = [...kinds].find((kind) => !known.includes(kind))
  if (odd !== undefined) throw refuse(file, 'type', `${JSON.stringify(odd.slice(0, 80))} is not known.`)
}

export const words = (value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().split(/\s+/).filter(Boolean) : []

const limitsOf = (yaml: YamlMap): YamlMap => (isMap(yaml.limits) ? yaml.limits : {})

function readPasses(value: unknown): number {
  const passes = value === undefined ? 2 : Number(value)
  if (Number.isInteger(passes) && passes >= 2 && passes <= 100) return passes
  throw refuse(file, 'limits.validation_passes', 'a problem has 2 to 100 passes here.')
}

function readConstants(value: unknown): ReadonlyMap<string, string> {
  const constants = new Map<string, string>()
  if (!isMap(value)) return constants
  for (const [name, given] of Object.entries(value)) {
    const variants = isMap(given) ? given : { value: given }
    for (const [variant, one] of Object.entries(variants)) {
      if (!['string', 'number'].includes(typeof one)) continue
      constants.set(`${name}.${variant}`, String(one))
      if (variant === 'value') constants.set(name, String(one))
    }
  }
  return constants
}

export const replaceConstants = (text: string, constants: ReadonlyMap<string, string>): string =>
  constants.size === 0 ? text : replaceWithin(text, constants)

/** A long constant that is used often would exceed the memory. */
const mostGrowth = 1024 * 1024

function replaceWithin(text: string, constants: ReadonlyMap<string, string>): string {
  let growth = 0
  return text.replace(/\{\{([A-Za-z_]\w*(?:\.\w+)?)\}\}/g, (whole, name: string) => {
    const value = constants.get(name) ?? whole
    growth += value.length
    if (growth > mostGrowth)
      throw refuse(file, 'constants', `what they stand for comes to over ${mostGrowth} characters.`)
    return value
  })
}

const assumedTimeLimitMs = 1_000
/** The default of the format. */
const assumedMemoryMebibytes = 2_048
const iniFile = 'domjudge-problem.ini'
/** The size of other files that state a limit. */
const mostLimitBytes = 64 * 1024

async function findTimeLimit({ files, used, notes }: PackageReading, yaml: YamlMap, limits: Limits): Promise<number> {
  let stated = limitsOf(yaml).time_limit
  let where = file
  if (stated === undefined && files.paths.includes('.timelimit')) {
    stated = (await files.read('.timelimit', mostLimitBytes)).toString().trim()
    used.add('.timelimit')
    where = '.timelimit'
  }
  if (stated === undefined && files.paths.includes(iniFile))
    stated = /^[ \t]*timelimit[ \t]*=[ \t]*['"]?([\d.]+)/m.exec(
      (await files.read(iniFile, mostLimitBytes)).toString(),
    )?.[1]
  if (stated === undefined || stated === null || stated === '') {
    notes.push(`No time limit is stated: ${assumedTimeLimitMs} ms is used.`)
    return assumedTimeLimitMs
  }
  const seconds = readNumber(stated)
  if (!(seconds > 0 && seconds < Number.POSITIVE_INFINITY))
    throw refuse(where, 'time_limit', `${quote(stated)} is not a number of seconds above 0.`)
  return within('time limit', 'ms', Math.round(seconds * 1_000), 1, limits.timeLimitMs, notes)
}

const readNumber = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN

const quote = (value: unknown): string =>
  typeof value === 'number' ? String(value) : JSON.stringify(value).slice(0, 80)

function findMemoryLimit(yaml: YamlMap, limits: Limits, notes: string[]): number {
  const stated = limitsOf(yaml).memory ?? assumedMemoryMebibytes
  const mebibytes = readNumber(stated)
  if (!(mebibytes > 0 && mebibytes < Number.POSITIVE_INFINITY))
    throw refuse(file, 'limits.memory', `${quote(stated)} is not a number of mebibytes above 0.`)
  const bytes = Math.round(mebibytes * 1024 * 1024)
  return within('memory limit', 'bytes', bytes, limits.leastMemoryLimitBytes, limits.memoryLimitBytes, notes)
}

export function within(what: string, unit: string, value: number, least: number, most: number, notes: string[]) {
  const kept = Math.min(Math.max(value, least), most)
  if (kept !== value)
    notes.push(`The ${what} of ${value} ${unit} became ${kept}: this server takes ${least} to ${most}.`)
  return kept
}

/** These limits apply to the problem; others are kept for other judges, but not applied here. */
const appliedLimits = ['time_limit', 'memory', 'validation_passes']
const carried =
  'uuid version credits source license rights_owner embargo_until keywords languages allow_file_writing constants'
    .split(' ')
    .concat('name')
const applied = ['problem_format_version', 'type', 'limits', 'validation', 'validator_flags']

function keepKnown(yaml: YamlMap, notes: string[]): YamlMap {
  const unknown = Object.keys(yaml).filter((key) => !carried.includes(key) && !applied.includes(key))
  if (unknown.length > 0) notes.push(`${file}: ${unknown.join(', ')}: not known, and not carried over.`)
  if (yaml.languages !== undefined && yaml.languages !== 'all')
    notes.push(`${file}: languages: kept, but every language is taken here.`)
  const limits = omit(limitsOf(yaml), appliedLimits)
  noteLimits(limits, notes)
  const kept = Object.fromEntries(Object.entries(yaml).filter(([key]) => carried.includes(key)))
  return { ...kept, ...(Object.keys(limits).length > 0 && { limits }) }
}

/** Translates legacy members to those of 2025-09. */
function modernise(yaml: YamlMap, notes: string[]): YamlMap {
  const { author, source, source_url: url, keywords, grading } = yaml
  const { time_multiplier: toLimit, time_safety_margin: toTle, ...others } = omit(limitsOf(yaml), appliedLimits)
  const multipliers = {
    ...(toLimit !== undefined && { ac_to_time_limit: toLimit }),
    ...(toTle !== undefined && { time_limit_to_tle: toTle }),
  }
  const limits = { ...(Object.keys(multipliers).length > 0 && { time_multipliers: multipliers }), ...others }
  if (grading !== undefined) notes.push(`${file}: grading: not carried over.`)
  noteLimits(others, notes)
  const authors = typeof author === 'string' ? splitAuthors(author) : []
  const unnamed = omit(yaml, ['author', 'source', 'source_url', 'keywords', 'limits', 'grading'])
  return {
    ...keepKnown(unnamed, notes),
    ...(authors.length > 0 && { credits: { authors } }),
    ...(typeof source === 'string' && { source: typeof url === 'string' ? { name: source, url } : source }),
    ...(words(keywords).length > 0 && { keywords: words(keywords) }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

/**
 * `Ann, Bob and Cy`. Blanks are trimmed afterwards: an expression that matches them would backtrack over each long run.
 */
const splitAuthors = (text: string): string[] =>
  text
    .split(/,|\sand\s/)
    .map((author) => author.trim())
    .filter(Boolean)

function noteLimits(limits: YamlMap, notes: string[]): void {
  const names = Object.keys(limits).filter((name) => name !== 'time_multipliers' && name !== 'time_resolution')
  if (names.length > 0)
    notes.push(`${file}: ${names.map((name) => `limits.${name}`).join(', ')}: kept, but this server has its own.`)
}
