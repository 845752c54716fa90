/** Interaction: every ending of two programs and who ended first, as a table of rules and with real programs. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { CheckerProgram } from '../../../src/executor/checkers/checker-program.ts'
import type { JudgingMethod } from '../../../src/executor/judging/test-case.ts'
import { type JudgedPair, judgePair, pairWallCapOf } from '../../../src/executor/judging/verdict.ts'
import type { KeptFile } from '../../../src/executor/sandboxes/sandbox.ts'
import { skipWithoutCgroup } from '../../support/cgroup.ts'
import { actorSource } from './actor.ts'
import { type Court, openCourt } from './court.ts'

type ProgramEnd =
  | 'well'
  | 'sent too much'
  | 'exit code'
  | 'signal'
  | 'over memory'
  | 'over CPU'
  | 'over CPU by a little'
  | 'wall cap'
const limitMs = 1_000
const well: JudgedPair['program'] = {
  ...{ exitCode: 0, signal: null, cpuMs: 10, wallMs: 12, isOutOfMemory: false },
  ...{ stopped: null, ranConcurrently: true, wasHeldUp: false },
}
const programEnds: Record<ProgramEnd, JudgedPair['program']> = {
  well,
  'exit code': { ...well, exitCode: 1 },
  signal: { ...well, exitCode: null, signal: 'SIGSEGV' },
  'over memory': { ...well, exitCode: null, signal: 'SIGKILL', isOutOfMemory: true },
  'over CPU': { ...well, exitCode: null, stopped: 'cpu', cpuMs: 1_250 },
  'over CPU by a little': { ...well, cpuMs: 1_001 },
  'wall cap': { ...well, exitCode: null, stopped: 'wall' },
  'sent too much': { ...well, exitCode: null, stopped: 'output' },
}

/** For each ending of the checker: the result where the program ended first, and where the checker did. */
const rules: Record<ProgramEnd, Record<JudgedPair['partner'], [first: number, second: number]>> = {
  well: { accepted: [1, 1], refused: [6, 6], fault: [9, 9], overtime: [4, 4] },
  'exit code': { accepted: [3, 3], refused: [3, 6], fault: [9, 9], overtime: [4, 4] },
  signal: { accepted: [3, 3], refused: [3, 6], fault: [9, 9], overtime: [4, 4] },
  'over memory': { accepted: [5, 5], refused: [5, 6], fault: [9, 9], overtime: [5, 5] },
  'over CPU': { accepted: [4, 4], refused: [4, 6], fault: [9, 9], overtime: [4, 4] },
  'over CPU by a little': { accepted: [4, 4], refused: [4, 6], fault: [9, 9], overtime: [4, 4] },
  'wall cap': { accepted: [4, 4], refused: [4, 6], fault: [9, 9], overtime: [4, 4] },
  'sent too much': { accepted: [8, 8], refused: [8, 8], fault: [8, 8], overtime: [8, 8] },
}

describe('blame', () => {
  for (const [end, row] of Object.entries(rules)) {
    it(`a program that ended: ${end}`, () => {
      for (const [partner, [first, second]] of Object.entries(row) as [JudgedPair['partner'], [number, number]][]) {
        const program = programEnds[end as ProgramEnd]
        assert.equal(judgePair({ program, partner, endedFirst: 'program' }, limitMs), first, `${partner}, later`)
        assert.equal(judgePair({ program, partner, endedFirst: 'partner' }, limitMs), second, `${partner}, before`)
      }
    })
  }
  it('falls at four times the limit and two seconds', () => assert.equal(pairWallCapOf(1_000), 6_000))
})

describe('two programs that talk', () => {
  let court: Court
  let actor: CheckerProgram
  let program: KeptFile
  before(async () => {
    court = await openCourt(['c', 'python', 'java', 'javascript'])
    actor = await court.build('c', { 'actor.c': actorSource })
    program = await court.compile('c', actorSource)
  })
  after(() => court.close())

  const methodOf = (words: readonly string[], more: Partial<JudgingMethod> = {}): Partial<JudgingMethod> => ({
    isInteractive: true,
    checker: { kind: 'kattis', arguments: words, program: actor },
    ...more,
  })
  /** The checker first tells the program what to do. */
  const talk = (told: string, words: string, timeLimitMs = 100, checkerLimits = {}) =>
    court.judge({ program, timeLimitMs, checkerLimits, method: methodOf(['say', told, ...words.split(' ')]) })

  /** What the program does at its end, what the checker does at its own, and the results as above. */
  const table: [program: string, checker: string, first: number, second: number][] = [
    ['exit 0', 'exit 42', 1, 1],
    ['exit 0', 'exit 43', 6, 6],
    ['exit 0', 'exit 1', 9, 9],
    ['exit 0', 'crash', 9, 9],
    ['exit 3', 'exit 42', 3, 3],
    ['exit 3', 'exit 43', 3, 6],
    ['exit 3', 'crash', 9, 9],
    ['crash', 'exit 42', 3, 3],
    ['crash', 'exit 43', 3, 6],
    ['crash', 'exit 0', 9, 9],
    ['spin', 'exit 42', 4, 4],
    ['spin', 'exit 43', 4, 6],
    ['spin', 'crash', 9, 9],
    ['eat', 'exit 42', 5, 5],
    ['eat', 'exit 43', 5, 6],
    ['eat', 'crash', 9, 9],
  ]
  it('are judged by how both ended and who did so first', { skip: skipWithoutCgroup }, async () => {
    await Promise.all(
      table.map(async ([told, words, first, second]) => {
        const programFirst = await talk(told, `eof ${words}`)
        assert.equal(programFirst.result, first, `${told}, then ${words}: ${programFirst.judgeMessage}`)
        const checkerFirst = await talk(`eof ${told}`, words)
        assert.equal(checkerFirst.result, second, `${words}, then ${told}: ${checkerFirst.judgeMessage}`)
      }),
    )
  })

  it('are judged by the limits of the checker first of all', { skip: skipWithoutCgroup }, async () => {
    const low = { cpuMs: 200, memoryBytes: 64 << 20 }
    await Promise.all(
      ['exit 0', 'crash', 'sleep', 'eat'].flatMap((told) =>
        ['spin', 'eat'].map(async (words) => {
          assert.equal((await talk(told, words, 1_000, low)).result, 9, `${told} with ${words}`)
        }),
      ),
    )
  })

  it('that both wait, or of which one never ends, meet the wall cap', async () => {
    const endless: [string, string][] = [
      ['read', 'read exit 42'],
      ['sleep', 'read exit 42'],
      ['sleep', 'exit 42'],
      ['exit 0', 'sleep'],
      ['close sleep', 'eof exit 42'],
    ]
    await Promise.all(
      endless.map(async ([told, words]) => {
        assert.equal((await talk(told, words)).result, 4, `${told} with ${words}`)
      }),
    )
  })

  it('neither die of a pipe that the other broke nor wait for one that nobody reads', async () => {
    const late: [string, string, number][] = [
      // Each writes more than a pipe holds to one who has ended or reads nothing more.
      ['eof print 3000000 exit 0', 'exit 42', 1],
      ['eof print 3000000 exit 3', 'exit 42', 3],
      ['exit 0', 'eof print 3000000 exit 42', 1],
      ['close exit 0', 'print 3000000 eof exit 42', 1],
      // A pipe holds a mebibyte.
      ['print 900000 say done read exit 0', 'sleep', 4],
    ]
    for (const [told, words, result] of late)
      assert.equal((await talk(told, words, 300)).result, result, `${told} with ${words}`)
  })

  it('give the other an end of file when they close their output', async () => {
    for (const passLimit of [1, 2]) {
      const judge = (told: string, words: string) =>
        court.judge({
          ...{ program, timeLimitMs: 1_000 },
          method: methodOf(['say', told, ...words.split(' ')], { passLimit }),
        })
      // Each waits for the end of what the other sends, and goes on only then.
      for (const [told, words] of [
        ['eof exit 0', 'mute eof exit 42'],
        ['mute eof exit 0', 'eof exit 42'],
      ] as const) {
        const judged = await judge(told, words)
        assert.equal(judged.result, 1, `${told} with ${words}, ${passLimit}: ${judged.judgeMessage}`)
      }
      assert.equal((await judge('eof exit 3', 'mute eof exit 43')).result, 3, 'the program ended first')
    }
  })

  it('are judged by what the program sent past its bound, whatever the other did of it', {
    skip: skipWithoutCgroup,
  }, async () => {
    const low = { memoryBytes: 48 << 20 }
    const judge = (told: string, words: string, mostSentBytes?: number) =>
      court.judge({
        ...{ program, timeLimitMs: 2_000, checkerLimits: low, method: methodOf(['say', told, ...words.split(' ')]) },
        ...(mostSentBytes !== undefined && { mostSentBytes }),
      })
    const table: [told: string, words: string, mostMiB: number, result: number][] = [
      ['print 80000000 exit 0', 'hoard exit 42', 16, 8],
      ['print 80000000 exit 0', 'eof exit 42', 16, 8],
      ['print 80000000 exit 0', 'eof exit 43', 16, 8],
      ['print 80000000 exit 0', 'exit 42', 16, 8],
      ['orphans 160000000 exit 0', 'hoard exit 42', 8, 8],
      // Within the bound the checker is at fault by itself; what goes elsewhere is no part of it.
      ['print 80000000 exit 0', 'hoard exit 42', 128, 9],
      ['shout 80000000 exit 0', 'eof exit 42', 16, 1],
      ['print 8000000 exit 0', 'eof exit 42', 16, 1],
    ]
    for (const [told, words, mostMiB, result] of table) {
      const judged = await judge(told, words, mostMiB << 20)
      assert.equal(judged.result, result, `${told} with ${words}: ${judged.judgeMessage}`)
    }
    assert.equal((await judge('print 120000000 exit 0', 'eof exit 42')).result, 8, '64 MiB unless told otherwise')
  })

  it('hold a mebibyte for one who does not read yet', async () => {
    const judged = await talk('print 983040 say done expect go exit 0', 'expect-later exit 42')
    assert.equal(judged.result, 9)
    const held = await court.build('python', {
      'partner.py': `
import sys, time
print('print 983040 exit 0', flush=True)
time.sleep(0.3)
data = sys.stdin.buffer.read()
sys.exit(42 if len(data) == 983040 else 43)
`,
    })
    const method = methodOf([], { checker: { kind: 'kattis', arguments: [], program: held } })
    assert.equal((await court.judge({ program, method, timeLimitMs: 1_000 })).result, 1)
  })

  it('stay apart: what a program does to its partner it does to itself', async () => {
    const attacks = [
      'kill exit 0',
      'fork exit 0',
      'print 50000000 exit 0',
      'shout 50000000 exit 0',
      'lack /judge/input lack /judge/answer lack /box/feedback exit 0',
    ]
    for (const attack of attacks) {
      const judged = await talk(attack, 'eof exit 42', 1_000)
      assert.equal(judged.result, 1, `${attack}: ${judged.exitCode} ${judged.judgeMessage}`)
      assert.equal((await talk('exit 0', 'eof exit 42')).result, 1, `after ${attack}`)
    }
    const outsider = await talk('exit 0', 'lack /program/actor.c lack /root fill fork eof exit 42')
    assert.equal(outsider.result, 1)
  })

  it('talk for a thousand exchanges, and the figures are the program’s alone', async () => {
    const guess = await court.compile(
      'c',
      '#include <stdio.h>\nint main(void) { int n, x; scanf("%d", &n); while (n--) { scanf("%d", &x); printf("%d\\n", x + 1); fflush(stdout); } }',
    )
    const partner = await court.build('python', {
      'partner.py': `
import sys
waste = bytearray(100 << 20)
n = int(open(sys.argv[1]).read())
print(n, flush=True)
for i in range(n):
    print(i, flush=True)
    if int(sys.stdin.readline()) != i + 1: sys.exit(43)
open(sys.argv[3] + 'teammessage.txt', 'w').write('all %d' % n)
sys.exit(42)
`,
    })
    const method = methodOf([], { checker: { kind: 'kattis', arguments: [], program: partner } })
    const judged = await court.judge({ program: guess, input: '1000', method, timeLimitMs: 2_000 })
    assert.deepEqual([judged.result, judged.teamMessage], [1, 'all 1000'])
    assert.ok(judged.peakMemoryBytes < 50 << 20, String(judged.peakMemoryBytes))
  })

  it('may be a program and a checker in Java, which also judges what another wrote', async () => {
    const java = await court.build('java', {
      'Talk.java':
        'import java.util.*; import java.nio.file.*; class Talk { public static void main(String[] words) throws Exception { System.out.println("say " + Files.readString(Path.of(words[0])).trim() + " exit 0"); var said = new Scanner(System.in).nextLine(); Files.writeString(Path.of(words[2], "judgemessage.txt"), said); System.exit(Ending.of(said, words[1])); } }',
      'Ending.java':
        'import java.nio.file.*; class Ending { static int of(String said, String answer) throws Exception { return said.equals(Files.readString(Path.of(answer)).trim()) ? 42 : 43; } }',
    })
    const checker = { kind: 'kattis', arguments: [], program: java } as const
    const judge = (answer: string, isInteractive: boolean) =>
      court.judge({
        program: isInteractive ? program : echo,
        input: 'hm',
        answer,
        method: { isInteractive, checker },
        timeLimitMs: 1_000,
      })
    const echo = await court.compile(
      'c',
      '#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) > 0) putchar(c); }',
    )
    for (const isInteractive of [true, false]) {
      const [right, wrong] = [await judge('hm\n', isInteractive), await judge('no\n', isInteractive)]
      assert.deepEqual([right.result, right.judgeMessage, wrong.result], [1, 'hm', 6])
    }
  })

  it('may be a program and an interactor, whose output the checker then judges', async () => {
    const interactor = await court.build('python', {
      'interactor.py': `
import sys
told = open(sys.argv[1]).read()
print(told.split(';')[0], flush=True)
said = sys.stdin.read()
open(sys.argv[2], 'w').write(said)
assert open(sys.argv[3]).read() == 'yes\\n'
if 'points' in told: sys.stderr.write('points 5 for it')
sys.exit(int(told.split(';')[1]))
`,
    })
    const filler = await court.build('c', {
      'fill.c': `#include <stdio.h>
int main(int count, char **words) {
  FILE *out = fopen(words[2], "w");
  for (int i = 0; i < 12 << 20; i++) putc('x', out);
  puts("exit 0"); fflush(stdout); while (getchar() != EOF) ;
}`,
    })
    const judge = (input: string, more: Partial<JudgingMethod> = {}) =>
      court.judge({
        program,
        input,
        answer: 'yes\n',
        method: { isInteractive: true, interactor, checker: { kind: 'tokens', arguments: [] }, ...more },
      })
    assert.equal((await judge('say YES exit 0;0')).result, 1)
    assert.equal((await judge('say no exit 0;0')).result, 6)
    assert.equal((await judge('say YES exit 4;0')).result, 3)
    assert.equal((await judge('say YES exit 0;1')).result, 6)
    assert.equal((await judge('say YES exit 0;3')).result, 9)
    const filled = await judge('say no exit 0;0', { interactor: filler })
    assert.equal(filled.result, 6)
    assert.match(
      filled.judgeMessage!,
      /^The interactor's out filled the 8 MiB that its folder holds, and may be cut\.\n/,
    )
    const scored = await judge('say no exit 0;7;points')
    assert.deepEqual([scored.result, scored.given], [1, { kind: 'points', text: '5' }])
    const checker = { kind: 'kattis', arguments: ['expect', 'hm', 'exit', '42'], program: actor } as const
    assert.equal((await judge('say hm exit 0;0', { checker })).result, 1)
    assert.equal((await judge('say no exit 0;0', { checker })).result, 9)
  })

  it('may be a program and a hostile interactor, which is to blame and reaches nothing', {
    skip: skipWithoutCgroup,
  }, async () => {
    const interactor = await court.build('python', {
      'interactor.py': `
import os, sys
told = open(sys.argv[1]).read()
print('say YES exit 0', flush=True)
if told == 'link':
    os.symlink(sys.argv[3], sys.argv[2])
elif told == 'pipe':
    os.mkfifo(sys.argv[2])
elif told == 'spin':
    while True: pass
elif told == 'nextpass':
    open(os.path.dirname(sys.argv[2]) + '/nextpass.in', 'w').write('x')
else:
    open(sys.argv[2], 'w').write(sys.stdin.read())
`,
    })
    const judge = (input: string) =>
      court.judge({
        ...{ program, input, answer: 'yes\n', checkerLimits: { cpuMs: 300 } },
        method: { isInteractive: true, interactor, checker: { kind: 'tokens', arguments: [] } },
      })
    const results: Record<string, number> = {}
    for (const attack of ['link', 'pipe', 'spin', 'nextpass']) {
      results[attack] = (await judge(attack)).result
      assert.equal((await judge('')).result, 1, `after ${attack}`)
    }
    assert.deepEqual(results, { link: 9, pipe: 9, spin: 9, nextpass: 9 })
  })

  it('count all that the program has, inside and outside its heap', { skip: skipWithoutCgroup }, async () => {
    const method = methodOf(['read', 'exit', '42'])
    const refusing = methodOf(['read', 'exit', '43'])
    const java = (inside: number, outside: number) =>
      court.compile(
        'java',
        `public class Main { public static void main(String[] a) throws Exception { byte[] x = new byte[${inside} << 20]; x[7] = 1; var y = java.nio.ByteBuffer.allocateDirect(${outside} << 20); for (int i = 0; i < y.capacity(); i += 4096) y.put(i, (byte) 1); System.out.println(x[7] + y.get(0)); while (System.in.read() >= 0); } }`,
      )
    const script = (outside: number) =>
      court.compile(
        'javascript',
        `const x = []\nfor (let i = 0; i < ${outside}; i++) x.push(Buffer.alloc(1 << 20, 1))\nconsole.log(x.length)\n`,
      )
    const judge = async (language: string, program: KeptFile, how = method) =>
      (await court.judge({ program, method: how, timeLimitMs: 3_000 }, language)).result
    const large = await java(40, 56)
    assert.equal(await judge('java', large), 5)
    assert.equal(await judge('java', large, refusing), 6, 'a refusal that came first stands')
    assert.equal(await judge('java', await java(24, 24)), 1)
    assert.equal(await judge('javascript', await script(96)), 5)
    assert.equal(await judge('javascript', await script(56)), 1)
  })

  it('may meet again in a further pass', async () => {
    const partner = await court.build('python', {
      'partner.py': `
import sys, os
print(open(sys.argv[1]).read().strip(), flush=True)
sys.stdin.read()
if not os.path.exists(sys.argv[3] + 'seen'):
    open(sys.argv[3] + 'seen', 'w').write('x')
    open(sys.argv[3] + 'nextpass.in', 'w').write(sys.argv[4])
sys.exit(42)
`,
    })
    const judge = (second: string) =>
      court.judge({
        program,
        input: 'exit 0',
        method: methodOf([], { passLimit: 2, checker: { kind: 'kattis', arguments: [second], program: partner } }),
      })
    assert.equal((await judge('exit 0')).result, 1)
    assert.equal((await judge('exit 5')).exitCode, 5)
  })
})
