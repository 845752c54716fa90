/** The output validator of a Kattis package as a checker: its sources, or a built-in comparison. */
import { findCheckerLanguage, isSourceOfAny } from '../../../lib/judging-rules/checker-sources.ts'
import type { Limits } from '../../limits.ts'
import type { Checker, Program } from '../../problem-judging/judging.ts'
import { findWrapped } from '../export/wrapped-checkers.ts'
import { groupArguments, takesGroup } from '../group-arguments.ts'
import { invalidPackage } from '../package-files.ts'
import { type PackageReading, refuse } from '../packaged-problem.ts'
import { readProgramFiles } from '../program-files.ts'
import { type Manifest, replaceConstants } from './manifest.ts'

export type Validator = {
  readonly checker: Checker
  readonly interactor: Program | null
  /** Written by an earlier version, whose checkers get `--group NAME` in the arguments of each group. */
  readonly isEarlier?: boolean
}

export async function readValidator(
  reading: PackageReading,
  manifest: Manifest,
  list: readonly string[],
  limits: Limits,
): Promise<Validator> {
  if (reading.files.paths.some((path) => path.startsWith('static_validator/')))
    throw refuse('static_validator/', 'programs', 'programs are not judged by their source here.')
  const wrapped = await findWrapped(reading, limits)
  if (wrapped) {
    const { checker, isEarlier } = wrapped
    const common = isEarlier && checker.program && takesGroup(checker.program) ? groupArguments : list
    return { ...wrapped, checker: { ...checker, arguments: checker.kind === 'lines' ? [] : common } }
  }
  const folder = manifest.usesValidator === false ? undefined : findFolder(reading.files.paths)
  if (!folder) {
    if (manifest.usesValidator || manifest.isInteractive || manifest.passLimit > 1)
      throw refuse('problem.yaml', 'validation', 'it needs an output validator, and the package has none.')
    return { checker: { kind: 'tokens', arguments: list, program: null }, interactor: null }
  }
  const program = await readProgram(reading, folder, manifest, limits)
  return { checker: { kind: 'kattis', arguments: list, program }, interactor: null }
}

/** The place of the one program: a folder, or a single file. */
function findFolder(paths: readonly string[]): string | undefined {
  const inside = paths.filter((path) => /^output_validators?\//.test(path) && !isIncidental(path))
  if (inside.length === 0) return undefined
  const top = inside[0]!.split('/')[0]!
  const direct = inside.filter((path) => path.split('/').length === 2)
  const folders = [...new Set(inside.filter((path) => path.split('/').length > 2).map((path) => path.split('/')[1]!))]
  if (folders.length === 0) {
    if (top === 'output_validators' && direct.filter((path) => !isHeader(path)).length > 1)
      throw refuse(`${top}/`, 'programs', `several validators (${direct.join(', ')}) are not supported.`)
    return top
  }
  if (direct.length > 0 && top === 'output_validator') return top
  if (folders.length > 1 || direct.length > 0)
    throw refuse(`${top}/`, 'programs', `several validators (${[...folders, ...direct].join(', ')}) are not supported.`)
  return `${top}/${folders[0]}`
}

/** A file that is no program: it is kept, but neither compiled nor taken as a program. */
const isIncidental = (path: string): boolean =>
  /(?:^|\/)(?:README[^/]*|LICENSE[^/]*|\.[^/]*|[^/]*\.md|Makefile|__pycache__\/[^/]*)$/i.test(path)

const isHeader = (path: string): boolean => /\.(?:h|hh|hpp|hxx|H)$/.test(path)

/** All files of the folder: sources are compiled, and other files are included with them. */
async function readProgram(
  reading: PackageReading,
  folder: string,
  { constants }: Manifest,
  limits: Limits,
): Promise<Program> {
  const own = reading.files.paths.filter((path) => path.startsWith(`${folder}/`) && !isIncidental(path)).sort()
  const script = own.find((path) => /^(?:build|run)$/.test(path.slice(folder.length + 1)))
  if (script) throw refuse(script, 'scripts', 'build and run scripts are not supported: give C, C++, Python or Java.')
  const sources = own.filter(isSourceOfAny)
  const odd = own.find((path) => !isHeader(path))
  if (odd && sources.length === 0) throw refuse(odd, 'language', 'checkers are C, C++, Python or Java.')
  const language = findCheckerLanguage(sources)
  if (language === undefined)
    throw invalidPackage(`${folder}/ has sources of several languages, or none: ${sources.join(', ')}.`)
  const names = new Map(own.map((path) => [path, path.slice(folder.length + 1)]))
  const change = (text: string) => replaceConstants(text, constants)
  return { language, files: await readProgramFiles(reading, names, limits, `${folder}/`, change) }
}
