/** Reads a problem package of any known format: Kattis (legacy, 2025-09) by problem.yaml, Polygon by problem.xml. */
import { largestScore, toMillionths } from '../../lib/judging-rules/scoring/rules.ts'
import type { Limits } from '../limits.ts'
import { readKattis } from './kattis/kattis.ts'
import { invalidPackage, type PackageFiles } from './package-files.ts'
import { demandCount, type ImportOverrides, type PackagedProblem } from './packaged-problem.ts'
import { readPolygon } from './polygon/polygon.ts'

export async function readPackage(
  files: PackageFiles,
  limits: Limits,
  overrides: ImportOverrides,
): Promise<PackagedProblem> {
  const reading = { files, used: new Set<string>(), notes: [] }
  const isKattis = files.paths.includes('problem.yaml')
  const found = await (isKattis ? readKattis : readPolygon)(reading, limits, overrides)
  demandWithin(found, limits)
  return found
}

/** The limits of the API also apply to imports. */
function demandWithin({ draft, judging, tests, kept, extras }: PackagedProblem, limits: Limits): void {
  demandCount(draft.examples.length, limits.examples, 'examples')
  demandCount(tests.length, limits.tests, 'tests')
  demandCount(kept.length, limits.problemFiles, 'files beside its tests')
  for (const text of [draft.displayName, draft.description])
    if (text.includes('\0') || !text.isWellFormed())
      throw invalidPackage('Its name or its statement has a character that no text has (NUL, or half of a pair).')
  if ((judging.maximumScore ?? 0) > toMillionths(largestScore))
    throw invalidPackage(`It gives more than ${largestScore} points.`)
  demandCount(judging.groups.length, limits.groups, 'groups')
  const long = judging.groups.find(({ name }) => name.length > longestGroupName)
  if (long)
    throw invalidPackage(`The name of the group ${long.name.slice(0, 80)}… is over ${longestGroupName} characters.`)
  if (JSON.stringify(extras).length > mostExtras)
    throw invalidPackage(`Its YAML files say more than ${mostExtras} characters.`)
}

const longestGroupName = 64
/** The size of YAML members that are kept for export. */
const mostExtras = 1024 * 1024
