/** The tests of a Kattis package: their files, their order, and the settings in their folders' YAML files. */
import { inByteOrder } from '../byte-order.ts'
import { invalidPackage } from '../package-files.ts'
import { demandCount, type PackageReading, refuse } from '../packaged-problem.ts'
import { readYaml, type YamlMap } from '../yaml.ts'

/** `name`: the path below `data/`, without `.in`. */
export type TestFiles = { readonly name: string; readonly input: string; readonly output: string }

/** In byte order of their names, which puts samples before secrets. */
export function pairTests({ files, used }: PackageReading): TestFiles[] {
  const present = new Set(files.paths)
  const inputs = files.paths.filter((path) => /^data\/(?:sample|secret)\/.*\.in$/.test(path))
  const withFiles = findTestFolders(files.paths)
  const tests = inputs.map((input) => {
    const base = input.slice(0, -'.in'.length)
    const output = `${base}.ans`
    if (!present.has(output)) throw invalidPackage(`${input} has no answer: ${output} is missing.`)
    const odd = withFiles.get(base)
    if (odd) throw refuse(odd, '.files', 'programs read their standard input alone here.')
    used.add(input)
    used.add(output)
    return { name: base.slice('data/'.length), input, output }
  })
  const stray = files.paths.find((path) => /^data\/(?:sample|secret)\/.*\.ans$/.test(path) && !used.has(path))
  if (stray) throw invalidPackage(`${stray} has no input: ${stray.replace(/ans$/, 'in')} is missing.`)
  return inByteOrder(tests, ({ name }) => name)
}

/** The files in folders `X.files/`, by X. */
function findTestFolders(paths: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const path of paths)
    for (let at = path.indexOf('.files/'); at >= 0; at = path.indexOf('.files/', at + 1))
      found.set(path.slice(0, at), path)
  return found
}

/** The YAML files with this name in folders under `data/`, by folder (`data`, `data/secret`, …). */
export async function readFolderFiles(
  { files, used }: PackageReading,
  name: string,
  mostGroups: number,
): Promise<ReadonlyMap<string, YamlMap>> {
  const found = new Map<string, YamlMap>()
  const paths = files.paths.filter(
    (path) => path.endsWith(`/${name}`) && /^data(?:\/(?:sample|secret)(?:\/.*)?)?\/[^/]+$/.test(path),
  )
  // Besides groups, `data`, `sample` and `secret` may each have one.
  demandCount(paths.length - 3, mostGroups, 'groups')
  for (const path of paths) {
    found.set(path.slice(0, -name.length - 1), await readYaml(files, path))
    used.add(path)
  }
  return found
}

/** The folders from `data` to the test's own. */
export function foldersOf(test: TestFiles): string[] {
  const steps = test.input.split('/').slice(0, -1)
  return steps.map((_, i) => steps.slice(0, i + 1).join('/'))
}

/**
 * The folder directly under `data/secret/` that contains a test; `''` for a test in `data/secret` itself, undefined for
 * a sample.
 */
export function topGroupOf({ name }: TestFiles): string | undefined {
  const [top, ...steps] = name.split('/')
  if (top === 'sample') return undefined
  return steps.length > 1 ? steps[0]! : ''
}
