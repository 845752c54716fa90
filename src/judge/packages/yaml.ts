/** YAML of packages, possibly malicious: always a map, bounded in size per file and in all, and in aliases. */
import { invalidPackage, type PackageFiles } from './package-files.ts'

const mostBytes = 64 * 1024
/** For all files of a package: each is cheap, but a package may have thousands. */
const mostBytesTogether = 1024 * 1024
/**
 * The parser compares each key with all before it, and recurses into nested values: 11,000 keys took seconds, and so
 * did a deep list. Honest files have less than a tenth of this, not counting comments.
 */
const mostMarks = 1_500
/** For all files of a package: 110 files of short keys, each within its own bounds, occupied a thread for 8 s. */
const mostMarksTogether = 30_000
const marksSoFar = new WeakMap<PackageFiles, number>()
/** Nested aliases can expand to more than the memory holds. */
const mostAliases = 20

export type YamlMap = Readonly<Record<string, unknown>>

/** Must be called before any file is read. */
export async function demandLittleYaml(files: PackageFiles): Promise<void> {
  let bytes = 0
  for (const path of files.paths) if (/^(?:problem|data\/.*)\.yaml$/.test(path)) bytes += await files.size(path)
  if (bytes > mostBytesTogether)
    throw invalidPackage(
      `Its YAML files are over ${mostBytesTogether} bytes together (problem.yaml, and those under data/).`,
    )
}

export async function readYaml(files: PackageFiles, path: string): Promise<YamlMap> {
  const text = (await files.read(path, mostBytes)).toString()
  const marks = countMarks(text)
  if (marks > mostMarks) throw invalidPackage(`${path} says too much: it has over ${mostMarks} keys and values.`)
  const together = (marksSoFar.get(files) ?? 0) + marks
  marksSoFar.set(files, together)
  if (together > mostMarksTogether)
    throw invalidPackage(`Its YAML files say too much: they have over ${mostMarksTogether} keys and values together.`)
  const value = await parseYaml(text, path)
  if (value === null || value === undefined) return {}
  if (!isMap(value)) throw invalidPackage(`${path} is not a map of keys to values.`)
  return value
}

/**
 * Comments have no keys. Works line by line, since an expression that skips blanks first would scan empty lines
 * repeatedly.
 */
function countMarks(text: string): number {
  const said = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  return said.join('\n').match(/[:,?[{&*!-]/g)?.length ?? 0
}

export const isMap = (value: unknown): value is YamlMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

async function parseYaml(text: string, path: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text.replace(/^\ufeff/, ''), { maxAliasCount: mostAliases, logLevel: 'error', schema: 'core' })
  } catch (error) {
    throw invalidPackage(`${path} is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

export async function writeYaml(value: object): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** The map without the named members. */
export const omit = (map: YamlMap, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !names.includes(key)))
