/** The built-in languages, with the flags that contestants expect of a judge. */

import { mebibyte } from '../../lib/text/bytes.ts'
import { javaCompilerSource } from './java-compiler.ts'
import { compileLimits, type Language, type TightRun } from './language.ts'
import {
  type Located,
  locateGo,
  locateJava,
  locateNode,
  locateProgram,
  locatePython,
  locateRust,
  type Toolchain,
} from './toolchains.ts'

/** The operator's settings for the built-in languages. */
export type LanguageWishes = { readonly pythonPackages: readonly string[] }

export type BuiltIn = {
  readonly value: string
  readonly name: string
  locate(wishes: LanguageWishes): Promise<Located>
  describe(
    tools: Toolchain,
  ): Omit<Language, 'value' | 'name' | 'folders' | 'files' | 'compileSeconds' | 'compileMemoryBytes' | 'runtime'>
  /** Files of the toolchain's folders that no run needs. */
  leavesOut?(path: string): boolean
}

const sum = { input: '20 22\n', output: '42\n' }
const plain = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/box', TMPDIR: '/box', LANG: 'C.UTF-8' }

/**
 * The server also lists them (`judge/judging/built-in-languages.ts`); the command line and the page know their file
 * extensions.
 */
export const builtIns: readonly BuiltIn[] = [
  {
    value: 'c',
    name: 'C',
    locate: () => locateProgram(['gcc', 'cc', 'clang'], ['--version']),
    describe: ({ programs }) => ({
      source: 'main.c',
      // No `-pipe`: a source could include that pipe, and the compiler would wait for itself.
      compile: [programs.gcc!, '-std=gnu17', '-O2', '-o', '{program}', '{source}', '-lm'],
      run: ['{program}'],
      environment: plain,
      extraMemoryBytes: 0,
      selfTest: {
        ...sum,
        source:
          '#include <math.h>\n#include <stdio.h>\nint main(void) { double a, b; scanf("%lf %lf", &a, &b); printf("%.0f\\n", floor(a + b)); }\n',
      },
    }),
  },
  {
    value: 'cpp',
    name: 'C++',
    locate: () => locateProgram(['g++', 'c++', 'clang++'], ['--version']),
    describe: ({ programs }) => ({
      source: 'main.cpp',
      compile: [programs['g++']!, '-std=gnu++20', '-O2', '-o', '{program}', '{source}'],
      run: ['{program}'],
      environment: plain,
      extraMemoryBytes: 0,
      selfTest: {
        ...sum,
        source: '#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }\n',
      },
    }),
  },
  {
    value: 'java',
    name: 'Java',
    locate: locateJava,
    // The compiler's own files, and libraries for screens and sound, which need other system libraries.
    leavesOut: (path) =>
      /\/(?:src\.zip|ct\.sym|jmods|jfr|lib(?:atk-wrapper|awt_xawt|fontmanager|freetype|jsound|jawt|saproc|splashscreen)\.so)$/.test(
        path,
      ),
    describe: ({ programs }) => ({
      source: 'Main.java',
      prepared: {
        name: 'Compiler.java',
        source: javaCompilerSource,
        at: '/toolchain/compiler.jar',
        words: [programs.java!, '-Xmx512m', '/program/Compiler.java', '/program/Compiler.java', '{program}'],
      },
      compile: [
        ...[programs.java!, '-Xmx700m', '-Xss16m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'],
        ...['-jar', '/toolchain/compiler.jar', '{source}', '{program}'],
      ],
      // The old generation gets the problem's limit. The young one is small and added on top: by default it is a third
      // of the heap, stays resident, and would leave 170 MiB of a limit of 256 for an array.
      run: [
        ...[programs.java!, '-Xmx{wholeHeapMiB}m', '-Xmn{youngMiB}m', '-XX:MaxDirectMemorySize={heapMiB}m', '-Xss64m'],
        ...['-XX:+UseSerialGC', '-XX:-UsePerfData', '-Dfile.encoding=UTF-8', '-jar', '{program}'],
      ],
      environment: plain,
      extraMemoryBytes: 128 * mebibyte,
      heapExhausted: javaHeapExhausted,
      tight: { headroomBytes: 24 * mebibyte, exhausted: javaHeapExhausted },
      selfTest: {
        ...sum,
        source:
          'import java.util.Scanner;\npublic class Sum { public static void main(String[] a) { Scanner in = new Scanner(System.in); System.out.println(in.nextInt() + in.nextInt()); } }\n',
      },
    }),
  },
  {
    value: 'python',
    name: 'Python',
    locate: ({ pythonPackages }) => locatePython(pythonPackages),
    // The host's packages and startup hooks, tests, and programs for screens.
    leavesOut: (path) =>
      /\/(?:(?:site|dist)-packages|(?:site|user)customize\.py|test|tests|idlelib|turtledemo|tkinter|_tkinter\.[^/]*|ensurepip|lib2to3|pydoc_data|config-[^/]*|[^/]*\.opt-\d\.pyc)$/.test(
        path,
      ),
    describe: ({ programs }) => ({
      source: 'main.py',
      check: [programs.python!, '-I', '-S', '-c', pythonCheck, '{source}'],
      // An invalid source has no traceback, and its lines are printed indented.
      ran: /^Traceback \(most recent call last\):$/m,
      run: [programs.python!, '-B', '-s', '{program}'],
      environment: { ...plain, PYTHONHASHSEED: '0', PYTHONIOENCODING: 'utf-8' },
      extraMemoryBytes: 16 * mebibyte,
      selfTest: { ...sum, source: 'print(sum(map(int, input().split())))\n' },
    }),
  },
  {
    value: 'javascript',
    name: 'JavaScript',
    locate: locateNode,
    describe: ({ programs }) => ({
      source: 'main.js',
      check: [programs.node!, '--check', '{source}'],
      run: [programs.node!, '--max-old-space-size={memoryMiB}', '--stack-size=32000', '{program}'],
      tight: tightNode(programs.node!),
      environment: plain,
      extraMemoryBytes: 96 * mebibyte,
      selfTest: {
        ...sum,
        source:
          "const [a, b] = require('fs').readFileSync('/dev/stdin', 'utf8').split(' ').map(Number)\nconsole.log(a + b)\n",
      },
    }),
  },
  {
    value: 'typescript',
    name: 'TypeScript',
    locate: locateNode,
    describe: ({ programs }) => ({
      source: 'main.ts',
      check: [programs.node!, '--no-warnings', '-e', typescriptCheck, '{source}'],
      run: [programs.node!, ...typescriptFlags, '--max-old-space-size={memoryMiB}', '--stack-size=32000', '{program}'],
      tight: tightNode(programs.node!, typescriptFlags),
      environment: plain,
      extraMemoryBytes: 128 * mebibyte,
      selfTest: {
        ...sum,
        source:
          "import { readFileSync } from 'node:fs'\nconst [a, b]: number[] = readFileSync(0, 'utf8').split(' ').map(Number)\nconsole.log(a! + b!)\n",
      },
    }),
  },
  {
    value: 'go',
    name: 'Go',
    locate: locateGo,
    describe: ({ programs }) => ({
      source: 'main.go',
      // Since 1.20 Go has no precompiled standard library, and compiling it would take many seconds per submission.
      prepared: {
        name: 'main.go',
        source: goLibrarySource,
        at: '/toolchain/library.tar',
        words: [
          '/bin/sh',
          '-c',
          `${programs.go} build -o /box/none "$0" && tar -C /box -cf "$1" cache`,
          '{source}',
          '{program}',
        ],
      },
      compile: [
        ...[
          '/bin/sh',
          '-c',
          `tar -C /box -xf /toolchain/library.tar && exec ${programs.go} build -buildmode=exe -o "$1" "$0"`,
        ],
        ...['{source}', '{program}'],
      ],
      run: ['{program}'],
      environment: {
        ...plain,
        GOROOT: programs.root!,
        GOCACHE: '/box/cache',
        GOPATH: '/box/go',
        GO111MODULE: 'off',
        CGO_ENABLED: '0',
        GOTOOLCHAIN: 'local',
      },
      extraMemoryBytes: 16 * mebibyte,
      selfTest: {
        ...sum,
        source: 'package main\nimport "fmt"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a + b) }\n',
      },
    }),
  },
  {
    value: 'rust',
    name: 'Rust',
    locate: locateRust,
    describe: ({ programs }) => ({
      source: 'main.rs',
      compile: [
        ...[programs.rustc!, '--edition=2021', '-C', 'opt-level=2', '-C', `linker=${programs.linker}`],
        ...['--color=never', '-o', '{program}', '{source}'],
      ],
      run: ['{program}'],
      environment: plain,
      extraMemoryBytes: 0,
      selfTest: {
        ...sum,
        source:
          'fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap(); let n: i32 = s.split_whitespace().map(|x| x.parse::<i32>().unwrap()).sum(); println!("{}", n); }\n',
      },
    }),
  },
]

export const defaultLimits = compileLimits

const typescriptFlags = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning']

const javaHeapExhausted =
  /java\.lang\.OutOfMemoryError: (?:Java heap space|GC overhead|Metaspace|Requested array size|Cannot reserve|Direct buffer)/

/**
 * V8 decides when to collect by its heap's growth, without knowing the size of its box: a heap with a small start and a
 * low limit is collected early, and memory of buffers outside it counts as well.
 */
const tightNode = (node: string, flags: readonly string[] = []): TightRun => ({
  run: [
    ...[node, ...flags, '--max-old-space-size={heapMiB+16}', '--initial-heap-size=8', '--max-semi-space-size=1'],
    ...['--external-memory-accounted-in-global-limit', '--stack-size=32000', '{program}'],
  ],
  headroomBytes: 16 * mebibyte,
  exhausted: /^FATAL ERROR: .*(?:heap out of memory|limit)/m,
})

/** Imports the packages that contestants use, so that they are compiled only once. */
const goLibrarySource = `package main
import (
${[
  'bufio',
  'bytes',
  'container/heap',
  'container/list',
  'errors',
  'fmt',
  'io',
  'math',
  'math/big',
  'math/bits',
  'math/cmplx',
]
  .concat(['math/rand', 'os', 'regexp', 'sort', 'strconv', 'strings', 'sync', 'sync/atomic', 'text/tabwriter', 'time'])
  .concat(['unicode', 'unicode/utf8', 'encoding/json', 'encoding/binary', 'hash/fnv', 'runtime/debug'])
  .map((name) => `  _ "${name}"`)
  .join('\n')}
)
func main() {}
`

/**
 * Node checks no types, but a source whose types can't be stripped is invalid, and the rest must be valid JavaScript.
 */
const typescriptCheck = `
const { readFileSync, writeFileSync } = require('node:fs')
const { spawnSync } = require('node:child_process')
try {
  const text = require('node:module').stripTypeScriptTypes(readFileSync(process.argv[1], 'utf8'), { mode: 'transform' })
  writeFileSync('/box/main.js', text)
} catch (problem) {
  console.error(problem.message)
  process.exit(1)
}
process.exit(spawnSync(process.execPath, ['--check', '/box/main.js'], { stdio: 'inherit' }).status ?? 1)
`

/** Compiles without running; Python's error for an invalid source goes to stderr, as it would when run. */
const pythonCheck = `
import sys, traceback
path = sys.argv[1]
try:
    compile(open(path, 'rb').read(), path, 'exec', dont_inherit=True)
except Exception as problem:
    sys.stderr.write(''.join(traceback.format_exception_only(type(problem), problem)))
    sys.exit(1)
`
