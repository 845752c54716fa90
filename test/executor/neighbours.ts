/** A correct program at four fifths of its time limit, again and again beside hostile neighbours: its verdicts must all be right. */
import { result } from '../../src/executor/judging/verdict.ts'
import { programsIn, type SuiteProgram } from './programs/program.ts'
import type { Court } from './suite.ts'

const limitMs = 250
const head =
  '#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n#include <unistd.h>\n#include <sys/wait.h>\n'
const spin = (ms: number) =>
  `struct timespec t; do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ${ms});`
const { passes } = programsIn('c')

/** By its own clock of processor time, so that what it needs is the same in every run. */
export const honest: SuiteProgram = passes(
  'four fifths of its time',
  `${head}int main(void) { ${spin(0.8 * limitMs)} puts("done"); }\n`,
  { expected: 'done\n', timeLimitMs: limitMs },
)

/** Their own verdicts don't matter. */
const hostile: readonly SuiteProgram[] = [
  // Each in a session of its own, ended before it is seen for long.
  `for (int i = 0; i < 125; i++) if (!fork()) { setsid(); ${spin(48)} _exit(0); } while (wait(0) > 0) ; return 0;`,
  'for (int i = 0; i < 100; i++) if (!fork()) { setsid(); for (;;) ; } pause();',
  'static char b[48 << 20]; for (;;) for (long i = 0; i < sizeof b; i += 64) b[i]++;',
  'for (;;) { write(2, "x", 1); usleep(1000); }',
  'sleep(60);',
  'for (;;) if (!fork()) _exit(0); else wait(0);',
].map((body, i) => passes(`neighbour ${i}`, `${head}int main(void) { ${body} }\n`, { timeLimitMs: limitMs }))

export type NeighbourCount = { readonly right: number; readonly wrong: readonly object[] }

export async function judgeBesideNeighbours(court: Court, runs: number): Promise<NeighbourCount> {
  let isOver = false
  const neighbours = (async () => {
    for (let i = 0; !isOver; i++) await court.judge(hostile[i % hostile.length]!)
  })()
  const wrong: object[] = []
  for (let i = 0; i < runs; i++) {
    const report = await court.judge(honest)
    if (report.result !== result.ok) wrong.push({ ...report.tests[0], result: report.result })
  }
  isOver = true
  await neighbours
  return { right: runs - wrong.length, wrong }
}
