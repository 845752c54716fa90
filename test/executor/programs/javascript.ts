/** JavaScript and TypeScript. */
import { programsIn, type SuiteProgram } from './program.ts'

const js = programsIn('javascript')
const ts = programsIn('typescript')
const roomy = { timeLimitMs: 1500 }
const greets = { expected: 'hello\n', ...roomy }

/** Mebibytes that are touched, kept to the end: in buffers, or as numbers in the heap too. */
const buffers = (outside: number) =>
  `const x = []\nfor (let i = 0; i < ${outside}; i++) x.push(Buffer.alloc(1 << 20, 1))\nconsole.log(x.length ? 'hello' : '')\n`
const inAndOut = (inside: number, outside: number) =>
  `const y = []\nfor (let i = 0; i < ${inside}; i++) y.push(new Array(1 << 17).fill(i + 0.5))\n${buffers(outside)}y.pop()\n`

export const javascriptPrograms: SuiteProgram[] = [
  js.passes(
    'requires',
    "const [a, b] = require('fs').readFileSync('/dev/stdin', 'utf8').trim().split(' ').map(Number)\nconsole.log(a + b)\n",
    { input: '20 22\n', expected: '42', ...roomy },
  ),
  js.passes(
    'imports',
    "import { readFileSync } from 'node:fs'\nconst text = readFileSync(0, 'utf8')\nawait null\nconsole.log([...text.trim()].reverse().join(''))\n",
    { input: 'abc\n', expected: 'cba', ...roomy },
  ),
  js.passes(
    'reads lines as they come',
    "const lines = require('readline').createInterface({ input: process.stdin })\nlet n = 0\nlines.on('line', () => n++).on('close', () => console.log(n))\n",
    { input: 'a\nb\nc\n', expected: '3', ...roomy },
  ),
  js.passes('writes /dev/stdout by name', "require('fs').writeFileSync('/dev/stdout', 'hello\\n')\n", greets),
  js.passes('writes 4 MiB in one go', "process.stdout.write('x'.repeat(4 << 20) + '\\n')\n", {
    expected: 'x'.repeat(4 << 20),
    ...roomy,
  }),
  js.passes('a byte order mark', '\uFEFFconsole.log("hello")\n', greets),
  js.passes(
    'uses half of its memory',
    'const x = []\nfor (let i = 0; i < 32; i++) x.push(Buffer.alloc(1 << 20, 1))\nconsole.log(x.length)\n',
    { expected: '32', ...roomy },
  ),
  js.passes(
    'recurses a hundred thousand deep',
    'const f = (n) => (n === 0 ? 0 : 1 + f(n - 1))\nconsole.log(f(100000))\n',
    { expected: '100000', ...roomy },
  ),
  js.passes(
    'starts a worker',
    "const { Worker, isMainThread, parentPort } = require('worker_threads')\nif (isMainThread) new Worker(__filename).on('message', (m) => console.log(m))\nelse parentPort.postMessage('hello')\n",
    greets,
  ),
  js.passes(
    'starts a program',
    "console.log(require('child_process').execFileSync('/bin/echo', ['hello'], { encoding: 'utf8' }))\n",
    greets,
  ),
  js.passes(
    'finds the network closed',
    "fetch('http://127.0.0.1:22').then(() => console.log('open'), () => console.log('hello'))\n",
    greets,
  ),
  js.passes(
    "finds the host's files closed",
    "const { readFileSync } = require('fs')\nconst opens = (path) => { try { readFileSync(path); return true } catch { return false } }\nconsole.log(['/etc/shadow', '/root/.bashrc', '/etc/hostname', '/proc/1/environ', '/proc/1/mem'].some(opens) ? 'open' : 'hello')\n",
    greets,
  ),
  js.isNoProgram('a syntax error', 'console.log("hello"\n', { says: /SyntaxError/, ...roomy }),
  js.isNoProgram('a syntax error in a module', "import fs from 'fs'\nconst x = ;\n", { says: /SyntaxError/, ...roomy }),
  js.crashes('an exception', 'null.x\n', { exitCode: 1, says: /TypeError/, ...roomy }),
  js.crashes('a rejection nobody handles', 'Promise.reject(new Error("oops"))\n', {
    exitCode: 1,
    says: /oops/,
    ...roomy,
  }),
  js.crashes('a syntax error at run time', 'eval("(")\n', { exitCode: 1, says: /SyntaxError/, ...roomy }),
  js.crashes('an array of no length', 'new Array(-1)\n', { exitCode: 1, says: /RangeError/, ...roomy }),
  js.crashes('exit code 124', 'process.exit(124)\n', { exitCode: 124, ...roomy }),
  js.crashes('recursion without end', 'const f = () => f() + 1\nf()\n', { exitCode: 1, says: /RangeError/, ...roomy }),
  js.isWrong('forgets to wait', 'setTimeout(() => console.log("hello"), 10)\nprocess.exit(0)\n', greets),
  js.runsOver('an endless loop', 'for (;;) {}\n'),
  js.runsOver('waits for ever', 'setInterval(() => {}, 1000)\n'),
  js.eatsMemory('an array without end', 'const x = []\nfor (;;) x.push(new Array(1000).fill(1.5))\n', {
    timeLimitMs: 4000,
  }),
  js.eatsMemory('buffers without end', 'const x = []\nfor (;;) x.push(Buffer.alloc(1 << 20, 1))\n', {
    timeLimitMs: 4000,
  }),
  js.eatsMemory(
    'twice its memory, of which the runtime has no use',
    'const x = Buffer.alloc(128 << 20, 1)\nconsole.log(x.length)\n',
    roomy,
  ),
  js.eatsMemory('half as much again as its memory, outside the heap', buffers(96), greets),
  js.eatsMemory('some in the heap and some outside, which together are too much', inAndOut(45, 50), greets),
  js.passes('has some in the heap and some outside, which together are not too much', inAndOut(25, 30), greets),
  js.passes('has nine tenths of its memory outside the heap', buffers(58), greets),
  js.passes(
    'keeps little and makes much rubbish outside the heap',
    "for (let i = 0; i < 2000; i++) Buffer.alloc(1 << 20, 1)\nconsole.log('hello')\n",
    { ...greets, timeLimitMs: 4000 },
  ),
  js.passes(
    'keeps most of its memory in the heap and makes much rubbish',
    "const kept = []\nfor (let i = 0; i < 45; i++) kept.push(new Array(1 << 17).fill(i + 0.5))\nfor (let i = 0; i < 3000; i++) new Array(20000).fill(i + 0.5)\nconsole.log(kept.length === 45 ? 'hello' : '')\n",
    { ...greets, timeLimitMs: 4000 },
  ),
  js.floods(
    'prints without end',
    "const text = 'x'.repeat(65535) + '\\n'\nfor (;;) require('fs').writeSync(1, text)\n",
    { timeLimitMs: 5000 },
  ),
  ts.passes(
    'types',
    "import { readFileSync } from 'node:fs'\ninterface Pair { a: number; b: number }\nconst [a, b] = readFileSync(0, 'utf8').split(' ').map(Number) as [number, number]\nconst pair: Pair = { a, b }\nconsole.log(pair.a + pair.b)\n",
    { input: '20 22\n', expected: '42', ...roomy },
  ),
  ts.passes('an enum', 'enum Colour { Red, Green }\nconsole.log(Colour[1])\n', { expected: 'Green', ...roomy }),
  ts.eatsMemory('half as much again as its memory, outside the heap', buffers(96), greets),
  ts.passes('has nine tenths of its memory outside the heap', buffers(58), greets),
  ts.isNoProgram('a syntax error', 'const x: number = ;\n', { ...roomy }),
  ts.crashes('an exception', "const f = (x: string): never => { throw new Error(x) }\nf('oops')\n", {
    exitCode: 1,
    says: /oops/,
    ...roomy,
  }),
]
