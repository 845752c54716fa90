/** YAML of packages, which may be hostile: bounded in size and in aliases, and always a map. */
import { invalidPackage, type PackageFiles } from './package-files.ts'

/** Its keys are compared with each other, so that the cost grows with the square of this. */
const mostBytes = 64 * 1024
/** An alias of an alias of an alias unfolds to more than memory holds. */
const mostAliases = 20

export type YamlMap = Readonly<Record<string, unknown>>

export async function readYaml(files: PackageFiles, path: string): Promise<YamlMap> {
  const bytes = await files.read(path)
  if (bytes.length > mostBytes) throw invalidPackage(`${path} is over ${mostBytes} bytes.`)
  const value = await parseYaml(bytes.toString(), path)
  if (value === null || value === undefined) return {}
  if (!isMap(value)) throw invalidPackage(`${path} is no map of keys to values.`)
  return value
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

/** Members that are there, without those that are named. */
export const omit = (map: YamlMap, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !names.includes(key)))
