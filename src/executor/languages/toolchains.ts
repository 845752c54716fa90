/**
 * Finds the toolchains of this machine, however they were installed (by the system, pyenv, rustup, or in their own
 * folder).
 */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../sandboxes/machine.ts'

const execute = promisify(execFile)

export type Toolchain = {
  /** Paths of programs, by the names that the language's commands use. */
  readonly programs: Readonly<Record<string, string>>
  readonly folders: readonly string[]
  readonly files?: readonly { readonly from: string; readonly at: string }[]
  readonly version: string
  /** Files that a run needs of it, besides the libraries of its programs. */
  readonly runtime?: readonly string[]
}

export type Located = Toolchain | { readonly missing: string }

const systemFolders = ['/usr/', '/bin/', '/sbin/', '/lib/', '/lib64/', '/nix/store/', '/gnu/store/']

/** Leaves out system folders, which every box sees anyway. */
export const beyondSystem = (folders: readonly string[]): string[] => [
  ...new Set(folders.filter((folder) => !systemFolders.some((system) => `${folder}/`.startsWith(system)))),
]

/** Locates a program that needs at most its own folder. */
export async function locateProgram(names: readonly string[], versionWords: readonly string[]): Promise<Located> {
  for (const name of names) {
    const found = findOnPath(name)
    if (!found) continue
    const version = await ask(found, versionWords)
    const path = realpathSync(found)
    if (version !== null) {
      return { programs: { [names[0]!]: path }, folders: beyondSystem([dirname(path)]), version: firstLine(version) }
    }
  }
  return { missing: `${names.join(' or ')} is not on the PATH` }
}

/** Packages are named as a program imports them; missing ones are reported in the version. */
const packageQuestion = `
import importlib.util, sys
for name in sys.argv[1:]:
    found = importlib.util.find_spec(name)
    print(name, *(found.submodule_search_locations or [found.origin]) if found else [], sep='\t')
`

export async function locatePython(packages: readonly string[]): Promise<Located> {
  const question =
    'import sys, sysconfig; print(sys.executable, sys.base_prefix, sys.version.split()[0], *{sysconfig.get_path(n) for n in ("stdlib", "platstdlib")}, sep="\\n")'
  for (const name of ['python3', 'python']) {
    const found = findOnPath(name)
    const answer = found && (await ask(found, ['-I', '-S', '-c', question]))
    const [executable, prefix, version, ...library] = answer?.split('\n') ?? []
    if (!executable || !prefix || !version?.startsWith('3.')) continue
    const asked = (await ask(found!, ['-I', '-c', packageQuestion, ...packages])) ?? ''
    const shown = asked
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'))
    const namesOf = (isHere: boolean) =>
      shown.filter(([, path]) => (path !== undefined) === isHere).map(([name]) => name)
    const [here, absent] = [namesOf(true).join(', ') || 'none', namesOf(false).join(', ')]
    return {
      programs: { python: realpathSync(executable) },
      folders: beyondSystem([realpathSync(prefix)]),
      version: `Python ${version}, packages: ${here}${absent && ` (not installed: ${absent})`}`,
      // Wheels keep their bundled libraries in a folder beside the package.
      runtime: [
        ...[realpathSync(executable), ...library],
        ...shown.flatMap(([, ...paths]) => paths.flatMap((path) => [path, `${path}.libs`])),
      ],
    }
  }
  return { missing: 'python3 is not on the PATH' }
}

/** Locates a JDK. Distributions keep some of its files under /etc. */
export async function locateJava(): Promise<Located> {
  const found = findOnPath('javac')
  if (!found) return { missing: 'javac is not on the PATH' }
  const version = await ask(found, ['-version'])
  if (version === null) return { missing: `${found} does not answer` }
  const home = dirname(dirname(realpathSync(found)))
  const configuration = readdirSync('/etc')
    .filter((name) => name.startsWith('java'))
    .map((name) => join('/etc', name))
  return {
    programs: { java: join(home, 'bin', 'java') },
    folders: [...beyondSystem([home]), ...configuration],
    version: firstLine(version),
    runtime: [join(home, 'bin', 'java'), ...['lib', 'conf', 'release'].map((name) => join(home, name))],
  }
}

export async function locateRust(): Promise<Located> {
  const found = findOnPath('rustc')
  const root = found && (await ask(found, ['--print', 'sysroot']))
  if (!root) return { missing: 'rustc is not on the PATH' }
  const linker = findOnPath('cc') ?? findOnPath('gcc')
  if (!linker) return { missing: 'rustc needs a C compiler to link with' }
  const home = realpathSync(root)
  const rustc = join(home, 'bin', 'rustc')
  const version = firstLine((await ask(rustc, ['--version'])) ?? '')
  return { programs: { rustc, linker: realpathSync(linker) }, folders: beyondSystem([home]), version }
}

export async function locateGo(): Promise<Located> {
  const found = findOnPath('go') ?? findOnPath('/usr/local/go/bin/go')
  const root = found && (await ask(found, ['env', 'GOROOT']))
  if (!root) return { missing: 'go is not on the PATH' }
  const home = realpathSync(root)
  // Debian stores Go's sources separately and links to them.
  const linked = ['src', 'pkg', 'test'].map((name) => join(home, name)).filter(existsSync)
  const version = firstLine((await ask(join(home, 'bin', 'go'), ['version'])) ?? '')
  const folders = beyondSystem([
    home,
    ...linked.map((path) => realpathSync(path)).filter((path) => !path.startsWith(home)),
  ])
  return { programs: { go: join(home, 'bin', 'go'), root: home }, folders, version }
}

/** Uses the Node that runs this program: it is new enough, certainly installed, and a single file. */
export async function locateNode(): Promise<Located> {
  const path = realpathSync(process.execPath)
  const version = `Node.js ${process.version}`
  if (beyondSystem([dirname(path)]).length === 0)
    return { programs: { node: path }, folders: [], version, runtime: [path] }
  return { programs: { node: '/toolchain/node' }, folders: [], files: [{ from: path, at: '/toolchain/node' }], version }
}

const firstLine = (text: string) => text.split('\n')[0]!.trim()

async function ask(program: string, words: readonly string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await execute(program, [...words], { timeout: 20_000 })
    return (stdout || stderr).trim()
  } catch {
    return null
  }
}
