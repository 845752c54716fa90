/**
 * Checkers that a package of 2025-09 has no word for, as output validators that any judge can run: the comparison by lines,
 * and checkers and interactors of testlib. They are written in one way, so that they are known again when they come back.
 */
import {
  type Checker,
  type Program,
  type ProgramFile,
  type ProgramLanguage,
  programLanguages,
} from '../../problem-judging/judging.ts'
import type { Reading } from '../packaged-problem.ts'

const folder = 'output_validator'

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

const compilers: Readonly<Record<ProgramLanguage, string>> = {
  c: `cc -O2 -o ../NAME.bin $(find . -name '*.c') -lm`,
  cpp: `c++ -O2 -o ../NAME.bin $(find . -name '*.cpp' -o -name '*.cc' -o -name '*.cxx' -o -name '*.c++' -o -name '*.c')`,
  python: `printf '#!/bin/sh\\nexec python3 "$(dirname "$0")/NAME" "$@"\\n' > ../NAME.bin && chmod +x ../NAME.bin`,
  java: `javac *.java && printf '#!/bin/sh\\nexec java -cp "$(dirname "$0")/NAME" Main "$@"\\n' > ../NAME.bin && chmod +x ../NAME.bin`,
}

const compileLine = (name: string, language: ProgramLanguage): string =>
  `(cd ${name} && ${compilers[language].replaceAll('NAME', name)})`

const writeBuild = (checker: ProgramLanguage, interactor: ProgramLanguage | undefined): string =>
  [
    '#!/bin/sh',
    '# Written by Guildhall: compiles the testlib programs that run calls.',
    'set -e',
    compileLine('checker', checker),
    ...(interactor ? [compileLine('interactor', interactor)] : []),
    '',
  ].join('\n')

const runScript = `#!/bin/sh
# Written by Guildhall: calls testlib programs as an output validator.
here=$(dirname "$0")
output="$3/output.testlib"
if [ -x "$here/interactor.bin" ]; then
  "$here/interactor.bin" "$1" "$output" "$2" 2> "$3/judgemessage.txt"
  code=$?
  [ $code -eq 0 ] || { case $code in 1|2|4|8) exit 43 ;; *) exit 1 ;; esac }
else
  cat > "$output"
fi
"$here/checker.bin" "$1" "$output" "$2" 2> "$3/judgemessage.txt"
code=$?
rm -f "$output"
case $code in
  0) exit 42 ;;
  7) sed -n '1s/^points *\\([0-9.]*\\).*/\\1/p' "$3/judgemessage.txt" > "$3/score.txt"; exit 42 ;;
  1|2|4|8) exit 43 ;;
  *) exit 1 ;;
esac
`

export type PackageEntry = { readonly path: string; readonly content: Uint8Array | string; readonly mode?: number }

const executable = 0o755

/** The files of the output validator; none for the comparison by tokens, which is every judge's own. */
export function writeChecker({ kind, program }: Checker, interactor: Program | null): PackageEntry[] {
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

/** Knows what `writeChecker` wrote; undefined where it is somebody else's. */
export async function findWrapped({ files, used }: Reading) {
  const paths = new Set(files.paths)
  const isText = async (path: string, text: string) =>
    paths.has(path) && (await files.read(path)).equals(Buffer.from(text))
  if (await isText(`${folder}/lines.py`, linesScript)) {
    used.add(`${folder}/lines.py`)
    return { checker: { kind: 'lines', arguments: [], program: null } satisfies Checker, interactor: null }
  }
  if (!paths.has(`${folder}/build`) || !(await isText(`${folder}/run`, runScript))) return undefined
  const build = (await files.read(`${folder}/build`)).toString()
  for (const language of programLanguages)
    for (const other of [undefined, ...programLanguages]) {
      if (writeBuild(language, other) !== build) continue
      used.add(`${folder}/build`).add(`${folder}/run`)
      const program = await readFolder({ files, used }, 'checker', language)
      const interactor = other ? await readFolder({ files, used }, 'interactor', other) : null
      return { checker: { kind: 'testlib', arguments: [], program } satisfies Checker, interactor }
    }
  return undefined
}

async function readFolder({ files, used }: Pick<Reading, 'files' | 'used'>, name: string, language: ProgramLanguage) {
  const start = `${folder}/${name}/`
  const list: ProgramFile[] = []
  for (const path of files.paths.filter((one) => one.startsWith(start)).sort()) {
    used.add(path)
    list.push({ name: path.slice(start.length), content: await files.read(path) })
  }
  return { language, files: list } satisfies Program
}
