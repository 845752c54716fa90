/** Submissions judged end to end against the same steps with nothing around them. */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Judging } from './judging.ts'
import { median, rounds, run, timed } from './timing.ts'

export const cores = availableParallelism()
const hello = 'print("hello")\n'
const sum = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }\n'
const count = 200
/** What is slower than this by far has failed. */
const mostTimes = 10

export async function compareLatency(judge: Judging, python: string, folder: string): Promise<number[]> {
  const file = join(folder, 'hello.py')
  writeFileSync(file, hello)
  const problem = await judge.makeProblem([['', 'hello\n']])
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const judged: number[] = []
    const bare: number[] = []
    for (let i = 0; i < 20; i++) {
      judged.push(await timed(async () => judge.wait(await judge.submit(problem, 'python', hello))))
      bare.push(await timed(() => run(python, [file])))
    }
    if (round > 0) ratios.push(median(judged) / median(bare))
  }
  return ratios
}

export async function compareMany(judge: Judging, folder: string): Promise<number[]> {
  const tests = Array.from({ length: 5 }, (_, i): [string, string] => [`${i} ${i}\n`, `${2 * i}\n`])
  const problem = await judge.makeProblem(tests)
  writeFileSync(join(folder, 'sum.c'), sum)
  const ratios: number[] = []
  for (let round = 0; round < 3; round++) {
    const bare = await timed(() => inParallel(count, (i) => compileAndRun(folder, i, tests)))
    const ours = await timed(() => judgeAll(judge, problem, mostTimes * bare + 60_000))
    ratios.push(ours / bare)
  }
  return ratios
}

/** Fails where not all are judged by then, and says how many are. */
async function judgeAll(judge: Judging, problem: string, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs
  const ids: number[] = []
  await inParallel(count, async (i) => {
    // Each is another program: one that was compiled before is not compiled again.
    ids[i] = await judge.submit(problem, 'c', `${sum}// ${Math.random()}\n`)
  })
  let judged = 0
  try {
    for (; judged < count; judged++) await judge.wait(ids[judged]!, deadline)
  } catch (error) {
    const words = `after ${judged} of ${count} submissions (${Math.round(mostMs / 1000)} s were granted)`
    throw new Error(`${(error as Error).message} It was ${words}.`)
  }
}

/** The same steps with nothing around them: the compiler, then the program on each input, its output compared. */
async function compileAndRun(folder: string, i: number, tests: [string, string][]): Promise<void> {
  const program = join(folder, `sum-${i}`)
  await run('gcc', ['-std=gnu17', '-O2', '-pipe', '-o', program, join(folder, 'sum.c'), '-lm'])
  for (const [input, output] of tests) {
    if ((await run(program, [], input)) !== output) throw new Error('The bare program is wrong.')
  }
}

async function inParallel(count: number, act: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: cores }, work))
}
