/** Checkers: what their endings and files mean, and that the worst of them is to blame itself and harms nobody. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { CheckerProgram } from '../../../src/executor/checkers/checker-program.ts'
import { type CheckerCall, describeKattisPartner, runChecker } from '../../../src/executor/checkers/checker-run.ts'
import type { TestResult } from '../../../src/executor/judging/test-case.ts'
import type { BoxProgram, KeptFile, RunOptions, Sandbox } from '../../../src/executor/sandboxes/sandbox.ts'
import { skipWithoutCgroup } from '../../support/cgroup.ts'
import { actorSource } from './actor.ts'
import { type Court, openCourt } from './court.ts'

describe('a checker', () => {
  let court: Court
  let actor: CheckerProgram
  let program: KeptFile
  before(async () => {
    court = await openCourt(['c', 'cpp', 'python'])
    actor = await court.build('c', { 'actor.c': actorSource })
    program = await court.compile(
      'c',
      '#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) > 0) putchar(c); }',
    )
  })
  after(() => court.close())

  const check = (kind: 'kattis' | 'testlib', words: string, more: object = {}): Promise<TestResult> =>
    court.judge({
      program,
      input: 'in\n',
      answer: 'answer\n',
      method: { checker: { kind, arguments: words.split(' '), program: actor } },
      ...more,
    })
  const checkTestlib = async (script: string, words: readonly string[] = [], test = {}): Promise<TestResult> => {
    const checker = await court.build('python', { 'check.py': `import sys, os\n${script}` })
    return court.judge({
      program,
      input: 'in\n',
      answer: 'answer\n',
      method: { checker: { kind: 'testlib', arguments: words, program: checker } },
      test: { group: 'first group', ...test },
    })
  }

  const endings: [words: string, result: number, given?: { kind: string; text: string }][] = [
    ['exit 42', 1],
    ['exit 43', 6],
    ['exit 0', 9],
    ['exit 1', 9],
    ['crash', 9],
    ['kill', 9],
    ['write score.txt 12.5 exit 42', 1, { kind: 'points', text: '12.5' }],
    ['write score_multiplier.txt 0.5 exit 42', 1, { kind: 'multiplier', text: '0.5' }],
    ['write score.txt 1 write score_multiplier.txt 1 exit 42', 9],
    ['write score.txt 1 exit 43', 9],
    ['write nextpass.in x exit 42', 9],
    ['write nextpass.in x exit 43', 9],
  ]
  it('of the kattis kind ends with 42 or 43, and all else is its own fault', async () => {
    for (const [words, result, given = null] of endings) {
      const judged = await check('kattis', words)
      assert.deepEqual([judged.result, judged.given], [result, given], words)
      if (result === 9) assert.match(judged.judgeMessage!, /^It /, words)
    }
  })

  it('of the kattis kind reads the output, and its words go to the jury and to whoever handed in', async () => {
    const words = 'expect in write judgemessage.txt hm write teammessage.txt oh shout 200000 print 200000 exit 43'
    const judged = await check('kattis', words)
    assert.deepEqual([judged.result, judged.judgeMessage, judged.teamMessage], [6, 'hm', 'oh'])
    assert.deepEqual(judged.difference, { expected: 'answer', got: 'in' })
    const long = await check('kattis', `write teammessage.txt ${'t'.repeat(5_000)} shout 70000 exit 43`)
    assert.equal(long.teamMessage, 't'.repeat(4_096), 'of what it tells who handed in, 4 KiB')
    const own = await check('kattis', 'exit 43', { test: { arguments: ['exit', '42'] } })
    assert.equal(own.result, 1, 'a test may have arguments of its own')
  })

  it('is made of all sources of its folder, whatever their endings, with what they include and read', async () => {
    const folders: [language: string, files: Record<string, string>][] = [
      [
        'cpp',
        {
          'a.cpp': 'int end(); int main() { return end(); }',
          'b.c': '#include "t.inc"\n',
          't.inc': 'int end() { return 42; }',
        },
      ],
      ['cpp', { 'a.C': '#include <string>\nint main() { return std::string(42, 0).size(); }' }],
      [
        'python',
        {
          'a.py3': 'import os, sys; sys.exit(int(open(os.path.dirname(__file__) + "/code.txt").read()))',
          'code.txt': '42',
        },
      ],
    ]
    for (const [language, files] of folders) {
      const checker = { kind: 'kattis', arguments: [], program: await court.build(language, files) } as const
      assert.equal((await court.judge({ program, method: { checker } })).result, 1, Object.keys(files).join(' '))
    }
  })

  it('of the testlib kind ends with 0 to 8, and gives points by 7', async () => {
    const table: [script: string, result: number, given?: string][] = [
      ['sys.exit(0)', 1],
      ...[1, 2, 4, 8].map((code): [string, number] => [`sys.exit(${code})`, 6]),
      ...[3, 5, 6, 9, 42].map((code): [string, number] => [`sys.exit(${code})`, 9]),
      ['sys.stderr.write("points 3.25 well done"); sys.exit(7)', 1, '3.25'],
      ['sys.stderr.write("points points_info=4.5 well done"); sys.exit(7)', 1, '4.5'],
      ['sys.stderr.write("points_info 5 well done"); sys.exit(7)', 1, '5'],
      // What testlib.h makes of a message that is too long.
      [
        'sys.stderr.write("points message length exceeds 32000, the message is truncated: 6.5 " + 31900 * "x"); sys.exit(7)',
        1,
        '6.5',
      ],
      ['sys.stderr.write("points 7 " + 200000 * "x"); sys.exit(7)', 1, '7'],
      ['sys.stderr.write("no points"); sys.exit(7)', 9],
      ['os.abort()', 9],
    ]
    for (const [script, result, text] of table) {
      const judged = await checkTestlib(script)
      assert.deepEqual([judged.result, judged.given?.text], [result, text], `${script}: ${judged.judgeMessage}`)
    }
    assert.equal((await checkTestlib('sys.stderr.write("why"); sys.exit(1)')).judgeMessage, 'why')
    const asking = await checkTestlib('open("/box/feedback/nextpass.in", "w").write("x")')
    assert.deepEqual(
      [asking.result, asking.judgeMessage?.slice(0, 59)],
      [9, `It wrote nextpass.in, and only a checker of the kattis kind`],
    )
  })

  it('of the testlib kind gets the three files first and alone, and the arguments that were asked for after them', async () => {
    const files =
      'i, o, a = [open(x).read() for x in sys.argv[1:4]]\nassert (i, o, a) == ("in\\n", "in\\n", "answer\\n")'
    const told = (words: readonly string[]) => `${files}\nassert sys.argv[4:] == ${JSON.stringify(words)}, sys.argv`
    const judged = [
      await checkTestlib(told([])),
      await checkTestlib(told(['--group', 'first group', '-x']), ['--group', '{group}', '-x']),
      await checkTestlib(told(['--group', '']), ['--group', '{group}'], { group: '' }),
      await checkTestlib(told(['own', 'first group']), ['--group', '{group}'], { arguments: ['own', '{group}'] }),
    ]
    for (const each of judged) assert.equal(each.result, 1, each.judgeMessage)
  })

  /** Takes the files and the group as testlib.h does: of old it knows no group, and takes a fourth word for a report. */
  const strictSource = (knowsGroup: boolean) => `
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
[[noreturn]] static void quit(int code, const std::string &words) { std::fprintf(stderr, "%s\\n", words.c_str()); std::exit(code); }
static std::string read(const std::string &path) {
  std::ifstream file(path);
  if (!file) quit(3, "FAIL can not open " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
int main(int count, char **words) {
  std::vector<std::string> files;
  std::string group;
  for (int i = 1; i < count; i++)
    if (${knowsGroup} && !std::strcmp(words[i], "--group") && i + 1 < count) group = words[++i];
    else files.push_back(words[i]);
  if (files.size() < 3 || files.size() > 5) quit(3, "FAIL Program must be run with the following arguments: <input-file> <output-file> <answer-file>");
  if (files.size() == 5 && files[4] != "-appes") quit(3, "FAIL Program must be run with the following arguments: <input-file> <output-file> <answer-file>");
  if (read(files[1]) != read(files[2])) quit(1, "wrong answer differs");
  quit(0, "ok in group " + group);
}
`

  it('that refuses any word but its files judges tests in groups', async () => {
    for (const [knowsGroup, words, message] of [
      [false, [], 'ok in group \n'],
      [true, ['--group', '{group}'], 'ok in group 1\n'],
    ] as const) {
      const checker = await court.build('cpp', { 'check.cpp': strictSource(knowsGroup) })
      const judge = (answer: string) =>
        court.judge({
          ...{ program, input: 'same\n', answer, test: { group: '1' } },
          method: { checker: { kind: 'testlib', arguments: words, program: checker } },
        })
      const right = await judge('same\n')
      assert.deepEqual([right.result, right.judgeMessage], [1, message])
      assert.equal((await judge('other\n')).result, 6)
    }
  })

  it('that ends by an uncaught exception is at fault, and the author is told what it was', async () => {
    const table: [script: string, message: RegExp][] = [
      ['raise ValueError("no such word")', /^It ended by an uncaught exception: ValueError: no such word\nTraceback/],
      ['print(', /^It ended by an uncaught exception: SyntaxError/],
      ['int("x")', /^It ended by an uncaught exception: ValueError: invalid literal/],
      ['sys.stderr.write("FAIL bad file\\nmore\\n"); sys.exit(3)', /^It ended with exit code 3: FAIL bad file\.\n/],
      [
        'sys.stderr.write("what happened\\n"); sys.stderr.flush(); os.abort()',
        /^It ended by SIGABRT: what happened\.\n/,
      ],
    ]
    for (const [script, message] of table) {
      const judged = await checkTestlib(script)
      assert.deepEqual([judged.result], [9], script)
      assert.match(judged.judgeMessage!, message)
    }
    const refusal = await checkTestlib('sys.stderr.write("wrong answer: Traceback expected"); sys.exit(1)')
    assert.equal(refusal.result, 6, 'words alone make no exception')
    const kattis = await court.build('python', { 'check.py': 'raise ValueError("odd")' })
    const judged = await court.judge({
      program,
      method: { checker: { kind: 'kattis', arguments: [], program: kattis } },
    })
    assert.equal(judged.result, 9)
    assert.match(judged.judgeMessage!, /^It ended by an uncaught exception: ValueError: odd\nTraceback/)
  })

  it('that quotes an output which looks like an exception refuses, in every language', async () => {
    const trace = 'Traceback (most recent call last):\\n  File x, line 1\\nValueError: x'
    const thread = 'Exception in thread \\"main\\" x'
    const inC = (text: string) => `#include <stdio.h>\nint main(void) { fputs("${text}", stderr); return 1; }`
    const checkers: [language: string, file: string, source: string][] = [
      ['python', 'check.py', `import sys; sys.exit("found:\\n${trace}\\n${thread}")`],
      ['c', 'check.c', inC(trace)],
      ['cpp', 'check.cpp', inC(thread)],
    ]
    for (const [language, file, source] of checkers) {
      const checker = await court.build(language, { [file]: source })
      const judged = await court.judge({
        program,
        method: { checker: { kind: 'testlib', arguments: [], program: checker } },
      })
      assert.equal(judged.result, 6, `${language}: ${judged.judgeMessage}`)
    }
  })

  it('in Python reads an output that is no UTF-8, and judges it', async () => {
    const odd = await court.compile('c', '#include <stdio.h>\nint main(void) { fputs("\\xff\\n", stdout); }')
    const table = [
      ['kattis', 'import sys; sys.exit(42 if sys.stdin.read() == open(sys.argv[2]).read() else 43)'],
      ['testlib', 'import sys; a, b = map(open, sys.argv[2:4]); sys.exit(a.read() != b.read())'],
    ] as const
    for (const [kind, source] of table) {
      const checker = await court.build('python', { 'check.py': source })
      const judged = await court.judge({
        ...{ program: odd, answer: 'x\n' },
        method: { checker: { kind, arguments: [], program: checker } },
      })
      assert.equal(judged.result, 6, judged.judgeMessage ?? '')
    }
  })

  it('is asked only if the program did not fail', async () => {
    const crash = await court.compile('c', 'int main(void) { return 5; }')
    const judged = await check('kattis', 'exit 42', { program: crash })
    assert.deepEqual([judged.result, judged.exitCode], [3, 5])
  })

  it('that is hostile is at fault, reaches nothing, and the next submission is judged as ever', async () => {
    const table: [words: string, result: number, message?: RegExp][] = [
      [
        'lack /program/actor.c lack /judge/output demand /judge/input demand /judge/answer lack /work lack /root exit 42',
        1,
      ],
      ['write /judge/input x exit 42', 9],
      ['write /program/program x exit 42', 9],
      ['link judgemessage.txt /judge/answer exit 42', 1, /^$/],
      ...['link score.txt /judge/input', 'pipe score.txt', 'pipe score_multiplier.txt'].map(
        (words): [string, number, RegExp] => [`${words} exit 42`, 9, /is a link, a pipe or a folder/],
      ),
      ['pipe nextpass.in exit 42', 9, /nextpass\.in is a link, a pipe or a folder/],
      ['pipe judgemessage.txt exit 42', 1, /^$/],
      ['link /box/feedback/teammessage.txt /proc/self/environ exit 43', 6, /^$/],
      ['stay exit 42', 1],
      ['fork exit 42', 1],
      ['fill exit 42', 1],
      ['print 1073741824 exit 42', 1],
      ['shout 1073741824 exit 42', 1],
      ['close exit 42', 1],
    ]
    for (const [words, result, message] of table) {
      const judged = await check('kattis', words)
      assert.equal(judged.result, result, `${words}: ${judged.judgeMessage}`)
      if (message) assert.match(judged.judgeMessage! + judged.teamMessage!, message, words)
      assert.equal((await check('kattis', 'lack large exit 42')).result, 1, `after ${words}`)
    }
  })

  it('that goes on for ever or takes all memory is at fault', { skip: skipWithoutCgroup }, async () => {
    const limits = { cpuMs: 300, wallMs: 700, memoryBytes: 64 << 20 }
    for (const [words, reason] of [
      ['spin', /processor time/],
      ['sleep', /too long/],
      ['eat', /memory/],
      ['write judgemessage.txt spun spin', /processor time/],
    ] as const) {
      const judged = await check('kattis', words, { checkerLimits: limits })
      assert.equal(judged.result, 9, words)
      assert.match(judged.judgeMessage!, reason)
      assert.equal((await check('kattis', 'exit 42')).result, 1, `after ${words}`)
    }
  })

  it('may hand the program a further input, and finds its folder as it left it', async () => {
    const passes = await court.build('python', {
      'check.py': `
import sys, os
folder = sys.argv[3]
count = folder + 'count'
n = int(open(count).read()) if os.path.exists(count) else 0
assert not os.path.exists(folder + 'nextpass.in')
assert sys.stdin.read() == open(sys.argv[1]).read()
open(count, 'w').write(str(n + 1))
if n + 1 < int(sys.argv[4]):
    open(folder + 'nextpass.in', 'w').write('pass %d\\n' % n)
else:
    open(folder + 'judgemessage.txt', 'w').write(open(sys.argv[1]).read())
sys.exit(42)
`,
    })
    const judge = (count: string, passLimit: number) =>
      court.judge({
        program,
        input: 'first\n',
        method: { passLimit, checker: { kind: 'kattis', arguments: [count], program: passes } },
      })
    const three = await judge('3', 3)
    assert.deepEqual([three.result, three.judgeMessage], [1, 'pass 1\n'])
    const four = await judge('4', 3)
    assert.deepEqual([four.result, four.judgeMessage], [9, 'It wrote nextpass.in in pass 3, and the problem has 3.'])
  })

  it('that asks for passes has the program run in a box made anew for each', async () => {
    // The numbers of processes go on in a box that is used again.
    const numbered = await court.compile(
      'c',
      '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("%d\\n", getpid()); }',
    )
    const passes = await court.build('python', {
      'check.py': `
import sys, os
number = sys.stdin.read()
seen = sys.argv[3] + 'seen'
if not os.path.exists(seen):
    open(seen, 'w').write(number)
    open(sys.argv[3] + 'nextpass.in', 'w').write('again')
    sys.exit(42)
sys.exit(42 if open(seen).read() == number else 43)
`,
    })
    const method = { passLimit: 2, checker: { kind: 'kattis', arguments: [], program: passes } } as const
    const judged = [await court.judge({ program: numbered, method }), await court.judge({ program: numbered, method })]
    assert.deepEqual(
      judged.map(({ result, difference }) => [result, difference?.got]),
      [
        [1, undefined],
        [1, undefined],
      ],
    )
  })

  it('that asks for passes has each of them within the limits, and the figures are the largest', async () => {
    const spender = await court.compile(
      'c',
      `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(void) {
  char word[100];
  scanf("%99s", word);
  if (!strcmp(word, "spin")) while (clock() < CLOCKS_PER_SEC * 15 / 100);
  else { volatile char *p = malloc(40 << 20); for (long i = 0; i < 40 << 20; i += 4096) p[i] = 1; }
  puts(word);
}
`,
    )
    const passes = await court.build('python', {
      'check.py': `
import sys, os
word = sys.stdin.read().strip()
seen = sys.argv[3] + 'seen'
before = open(seen).read() if os.path.exists(seen) else ''
open(seen, 'w').write(before + word[0])
follows = {'': 'spin', 's': 'memory', 'sm': 'spin', 'sms': 'memory'}
if before + word[0] in follows: open(sys.argv[3] + 'nextpass.in', 'w').write(follows[before + word[0]])
sys.exit(42)
`,
    })
    const judged = await court.judge({
      ...{ program: spender, input: 'spin', timeLimitMs: 250 },
      method: { passLimit: 4, checker: { kind: 'kattis', arguments: [], program: passes } },
    })
    assert.equal(judged.result, 1, judged.judgeMessage)
    assert.ok(judged.cpuMs >= 150 && judged.cpuMs < 300, `${judged.cpuMs} of two times 150 ms`)
    assert.ok(judged.peakMemoryBytes > 40 << 20 && judged.peakMemoryBytes < 64 << 20, String(judged.peakMemoryBytes))
  })

  it('with many files in a folder that is kept is stopped, not read', async () => {
    const judged = await check('kattis', 'litter exit 42', {
      method: { passLimit: 2, checker: { kind: 'kattis', arguments: ['litter', 'exit', '42'], program: actor } },
    })
    assert.equal(judged.result, 9, judged.judgeMessage)
  })

  it('is made of all files of its folder', async () => {
    const parts = await court.build('c', {
      'main.c': '#include "deep/code.h"\nint main(void) { return code(); }',
      'deep/code.h': 'int code(void);',
      'deep/code.c': '#include "deep/code.h"\nint code(void) { return 42; }',
    })
    assert.equal(
      (await court.judge({ program, method: { checker: { kind: 'kattis', arguments: [], program: parts } } })).result,
      1,
    )
    const several = await court.build('python', {
      '__main__.py': 'import other\nraise SystemExit(other.code)',
      'other.py': 'code = 43',
    })
    assert.equal(
      (await court.judge({ program, method: { checker: { kind: 'kattis', arguments: [], program: several } } })).result,
      6,
    )
    await assert.rejects(court.build('c', { 'a.c': '#include "testlib.h"' }), /does not compile:[\s\S]*testlib\.h/)
    await assert.rejects(court.build('python', { 'a.py': '', 'b.py': '' }), /__main__\.py/)
    for (const name of ['../a.c', `${'字'.repeat(100)}.c`, `${'a/'.repeat(16)}a.c`])
      await assert.rejects(court.build('c', { [name]: '' }), /can't be used/)
    await assert.rejects(court.build('rust', { 'a.rs': '' }), /can't be written in rust/)
  })
})

describe('the box of a checker', () => {
  const call = {
    kind: 'kattis',
    ...{ inputPath: '/i', answerPath: '/a', arguments: ['x'], group: '', isMultiPass: false },
    program: { language: 'c', command: ['/c'], environment: {}, folders: [], files: [], bytes: 1, drop() {} },
    feedbackBefore: null,
  } as const satisfies CheckerCall
  const file: KeptFile = { path: '/o', size: 1, drop() {} }

  it('has 60 s of processor time, 121 s by the clock, 2 GiB, a folder of 8 MiB, and a user of its own', async () => {
    const asked: [BoxProgram, RunOptions | undefined][] = []
    const sandbox: Pick<Sandbox, 'run'> = {
      run(program, options) {
        asked.push([program, options])
        return Promise.reject(new Error('Nothing is run here.'))
      },
    }
    const needs = { sandbox: sandbox as Sandbox, signal: new AbortController().signal, program: { path: '/p' } }
    await assert.rejects(runChecker(needs, call, file), /Nothing is run/)
    const [[box, options]] = asked as [[BoxProgram, RunOptions]]
    const { cpuMs, wallMs, memoryBytes, folderBytes } = box.limits
    assert.deepEqual([cpuMs, wallMs, memoryBytes, folderBytes], [60_000, 121_000, 2 * 1024 ** 3, 8 * 1024 ** 2])
    assert.equal(options.isChecker, true)
    assert.deepEqual([box.input, box.command], ['/o', ['/c', '/judge/input', '/judge/answer', '/box/feedback/', 'x']])
    assert.deepEqual(describeKattisPartner(needs, call).box.limits, box.limits)
  })
})
