/**
 * Checkers that a package of 2025-09 can't express, as output validators that any judge can run: the comparison by
 * lines, and testlib checkers and interactors. They are always written the same way, so that an import recognises them.
 */
import { createHash } from 'node:crypto'
import { groupWord } from '../../../lib/judging-rules/checker-arguments.ts'
import { sourceEndings } from '../../../lib/judging-rules/checker-sources.ts'
import type { Limits } from '../../limits.ts'
import {
  type Checker,
  type Program,
  type ProgramFile,
  type ProgramLanguage,
  programLanguages,
} from '../../problem-judging/judging.ts'
import type { PackageReading } from '../packaged-problem.ts'
import { readProgramFiles } from '../program-files.ts'

export type ValidatorFolder = (typeof validatorFolders)[keyof typeof validatorFolders]
/** Legacy packages have a folder with one folder per validator. */
export const validatorFolders = { '2025-09': 'output_validator', legacy: 'output_validators/validator' } as const

const linesScript = `#!/usr/bin/env python3
"""Written by Guildhall: compares line by line, without blanks at the ends of lines and blank lines at the end."""
import sys


def split(data):
    lines = [line.rstrip(b" \\t\\r\\f\\v") for line in data.split(b"\\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


with open(sys.argv[2], "rb") as answer:
    expected = split(answer.read())
sys.exit(42 if split(sys.stdin.buffer.read()) == expected else 43)
`

const listSources = (language: ProgramLanguage): string =>
  `$(find . ${sourceEndings[language].map((ending) => `-name '*${ending}'`).join(' -o ')})`

const startWith = (command: string, main: string): string =>
  `printf '#!/bin/sh\\nexec ${command} "$@"\\n' "${main}" > ../NAME.bin && chmod +x ../NAME.bin`

/** A script or class is started if it is the only one, or if it declares itself the main one. */
const compilers: Readonly<Record<ProgramLanguage, string>> = {
  c: `cc -O2 -I. -o ../NAME.bin ${listSources('c')} -lm`,
  cpp: `c++ -O2 -I. -o ../NAME.bin ${listSources('cpp')}`,
  python: `set -- ${listSources('python')}; [ ! -f __main__.py ] || set -- __main__.py; ${startWith('python3 "$(dirname "$0")/NAME/%s"', '$1')}`,
  java: `javac ${listSources('java')} && set -- $(grep -l 'void main *(' *.java) && ${startWith('java -cp "$(dirname "$0")/NAME" %s', '$(basename "$1" .java)')}`,
}

const compileLine = (name: string, language: ProgramLanguage): string =>
  `(cd ${name} && ${compilers[language].replaceAll('NAME', name)})`

const writeBuild = (checker: ProgramLanguage, interactor: ProgramLanguage | undefined): string =>
  [
    '#!/bin/sh',
    '# Written by Guildhall: compiles the testlib programs that run calls.',
    'set -e',
    'cd "$(dirname "$0")"',
    compileLine('checker', checker),
    ...(interactor ? [compileLine('interactor', interactor)] : []),
    '',
  ].join('\n')

/** The same rules as in the executor: if the interactor rejects or gives points, the checker is not run. */
const runScript = `#!/bin/sh
# Written by Guildhall: calls testlib programs as an output validator. What follows the three paths is the checker's.
here=$(dirname "$0")
input=$1
answer=$2
feedback=$3
output="$feedback/output.testlib"
message="$feedback/judgemessage.txt"
shift 3

rule() {
  rm -f "$output"
  case $1 in
    0) exit 42 ;;
    7)
      points=$(sed -n -e '1s/^points[[:space:]]\\{1,\\}message length exceeds [0-9]*, the message is truncated: /points /' \\
        -e '1s/^points[[:space:]]\\{1,\\}points_info/points_info/' \\
        -e '1s/^points\\(_info=\\)\\{0,1\\}\\(_info\\)\\{0,1\\}[[:space:]]*\\([^[:space:]]\\{1,\\}\\).*/\\3/p' "$message")
      [ -n "$points" ] || exit 1
      printf '%s\\n' "$points" > "$feedback/score.txt"
      exit 42 ;;
    1) if grep -q -e '^Traceback (most recent call last):' -e '^Exception in thread "' "$message"; then exit 1; fi; exit 43 ;;
    2|4|8) exit 43 ;;
    *) exit 1 ;;
  esac
}

if [ -x "$here/interactor.bin" ]; then
  "$here/interactor.bin" "$input" "$output" "$answer" 2> "$message"
  code=$?
  [ $code -eq 0 ] || rule $code
else
  cat > "$output"
fi
"$here/checker.bin" "$input" "$output" "$answer" "$@" 2> "$message"
rule $?
`

/** The hash of a script from before arguments could be set: its checkers get `--group NAME`. */
const earlierScript = '691879f292eb590b46871e5a9af2c5079dac7bb26bbfada419d301b60d275eea'

/** The arguments with the group's name in place of the placeholder, which other judges do not know. */
export const tellGroup = (
  { kind }: Pick<Checker, 'kind'>,
  group: string,
  list: readonly string[],
): readonly string[] =>
  kind === 'testlib' && list.includes(groupWord) ? list.map((word) => (word === groupWord ? group : word)) : list

export type PackageEntry = { readonly path: string; readonly content: Uint8Array | string; readonly mode?: number }

const executable = 0o755

/** The files of the output validator; none for the comparison by tokens, which every judge has. */
export function writeChecker(
  { kind, program }: Checker,
  interactor: Program | null,
  folder: ValidatorFolder,
): PackageEntry[] {
  if (kind === 'tokens') return []
  if (kind === 'lines') return [{ path: `${folder}/lines.py`, content: linesScript, mode: executable }]
  if (kind === 'kattis') return program!.files.map(({ name, content }) => ({ path: `${folder}/${name}`, content }))
  const place = (name: string, files: readonly ProgramFile[]) =>
    files.map((file) => ({ path: `${folder}/${name}/${file.name}`, content: file.content }))
  return [
    { path: `${folder}/build`, content: writeBuild(program!.language, interactor?.language), mode: executable },
    { path: `${folder}/run`, content: runScript, mode: executable },
    ...place('checker', program!.files),
    ...(interactor ? place('interactor', interactor.files) : []),
  ]
}

/** Recognises what `writeChecker` wrote; undefined for any other validator. */
export async function findWrapped(reading: PackageReading, limits: Limits) {
  const [current, older] = Object.values(validatorFolders)
  return (await findIn(reading, current!, limits)) ?? findIn(reading, older!, limits)
}

async function findIn(reading: PackageReading, folder: ValidatorFolder, limits: Limits) {
  const { files, used } = reading
  const paths = new Set(files.paths)
  const isText = async (path: string, text: string) =>
    paths.has(path) && (await files.size(path)) <= mostScriptBytes && (await files.read(path)).equals(Buffer.from(text))
  if (await isText(`${folder}/lines.py`, linesScript)) {
    used.add(`${folder}/lines.py`)
    return {
      checker: { kind: 'lines', arguments: [], program: null } satisfies Checker,
      interactor: null,
      isEarlier: false,
    }
  }
  const isEarlier =
    paths.has(`${folder}/run`) &&
    (await files.size(`${folder}/run`)) <= mostScriptBytes &&
    createHash('sha256')
      .update(await files.read(`${folder}/run`))
      .digest('hex') === earlierScript
  if (!paths.has(`${folder}/build`) || !(isEarlier || (await isText(`${folder}/run`, runScript)))) return undefined
  if ((await files.size(`${folder}/build`)) > mostScriptBytes) return undefined
  const build = (await files.read(`${folder}/build`)).toString()
  for (const language of programLanguages)
    for (const other of [undefined, ...programLanguages]) {
      if (writeBuild(language, other) !== build) continue
      used.add(`${folder}/build`).add(`${folder}/run`)
      const program = await readFolder(reading, `${folder}/checker/`, language, limits)
      const interactor = other ? await readFolder(reading, `${folder}/interactor/`, other, limits) : null
      return { checker: { kind: 'testlib', arguments: [], program } satisfies Checker, interactor, isEarlier }
    }
  return undefined
}

/** A longer script was not written by us. */
const mostScriptBytes = 64 * 1024

async function readFolder(
  reading: PackageReading,
  start: string,
  language: ProgramLanguage,
  limits: Limits,
): Promise<Program> {
  const own = reading.files.paths.filter((path) => path.startsWith(start)).sort()
  const names = new Map(own.map((path) => [path, path.slice(start.length)]))
  return { language, files: await readProgramFiles(reading, names, limits, start) }
}
