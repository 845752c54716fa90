/** What the executor measures of programs that know what they take: processor time by their own clock, and memory that they touch. */
import { openCourt } from '../test/executor/suite.ts'
import type { Row } from './table.ts'

type Calibrated = {
  readonly language: string
  /** Nothing but the runtime. */
  readonly empty: string
  /** Computes for so many milliseconds by its own clock of processor time. */
  spin(ms: number): string
  /** Touches so many mebibytes. */
  touch(mib: number): string
}

const cHead = '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n'
const cSpin = (ms: number) =>
  `${cHead}int main(void) { struct timespec t; do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ${ms}); return 0; }\n`
const cTouch = (mib: number) =>
  `${cHead}int main(void) { volatile char *p = (char *)malloc(${mib} << 20); for (long i = 0; i < ${mib}L << 20; i += 4096) p[i] = 1; return 0; }\n`
const javaMain = (body: string) =>
  `public class Main { public static void main(String[] a) throws Exception { ${body} } }\n`
const nodeSpin = (ms: number) =>
  `for (;;) { const { user, system } = process.cpuUsage(); if (user + system >= ${ms * 1000}) break }\n`
const nodeTouch = (mib: number) => `globalThis.kept = Buffer.alloc(${mib} * 1024 * 1024, 1)\n`

export const calibrated: readonly Calibrated[] = [
  { language: 'c', empty: 'int main(void) { return 0; }\n', spin: cSpin, touch: cTouch },
  { language: 'cpp', empty: 'int main() {}\n', spin: cSpin, touch: cTouch },
  {
    language: 'rust',
    empty: 'fn main() {}\n',
    spin: (ms) =>
      `#[repr(C)] struct T { s: i64, n: i64 }\nextern "C" { fn clock_gettime(c: i32, t: *mut T) -> i32; }\nfn main() { let mut t = T { s: 0, n: 0 }; while t.s * 1000 + t.n / 1000000 < ${ms} { unsafe { clock_gettime(2, &mut t); } } }\n`,
    touch: (mib) =>
      `fn main() { let v = vec![1u8; ${mib} << 20]; std::process::exit((v[std::env::args().count()] - 1) as i32) }\n`,
  },
  {
    language: 'python',
    empty: 'pass\n',
    spin: (ms) => `import time\nwhile time.process_time() < ${ms / 1000}: pass\n`,
    touch: (mib) => `kept = b"x" * (${mib} << 20)\n`,
  },
  { language: 'javascript', empty: '0\n', spin: nodeSpin, touch: nodeTouch },
  { language: 'typescript', empty: '0\n', spin: nodeSpin, touch: nodeTouch },
  {
    language: 'java',
    empty: javaMain(''),
    spin: (ms) =>
      javaMain(
        `var os = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean(); while (os.getProcessCpuTime() < ${ms}000000L) ;`,
      ),
    touch: (mib) => javaMain(`byte[] kept = new byte[${mib} << 20]; java.util.Arrays.fill(kept, (byte) 1);`),
  },
]

const spinMs = 500
const touchMib = 200
const mebibyte = 1024 * 1024
const rounds = 3

export async function bench(): Promise<Row[]> {
  const court = await openCourt({ slotCount: 1 })
  const rows: Row[] = []
  const middle = async (language: string, source: string) => {
    const runs: { cpuMs: number; peakMemoryBytes: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const report = await court.judge({
        ...{ name: 'calibrated', language, source, result: 1, timeLimitMs: 5_000, memoryLimitMiB: 256 },
      })
      const [test] = report.tests
      if (report.result !== 1 || !test) throw new Error(`${language}: ${report.result} ${report.compilerOutput}`)
      runs.push(test)
    }
    const of = (figure: 'cpuMs' | 'peakMemoryBytes') => runs.map((run) => run[figure]).sort((a, b) => a - b)[1]!
    return { cpuMs: of('cpuMs'), memoryMib: of('peakMemoryBytes') / mebibyte }
  }
  try {
    for (const { language, empty, spin, touch } of calibrated) {
      const nothing = await middle(language, empty)
      const { cpuMs } = await middle(language, spin(spinMs))
      const { memoryMib } = await middle(language, touch(touchMib))
      const own = memoryMib - nothing.memoryMib
      const figures = [
        `empty ${nothing.cpuMs} ms, ${nothing.memoryMib.toFixed(1)} MiB`,
        `${spinMs} ms: ${cpuMs} ms`,
        `${touchMib} MiB: ${memoryMib.toFixed(1)} MiB`,
      ]
      const against = 'the truth'
      rows.push({ what: `${language}: processor time`, against, ratios: [cpuMs / spinMs], note: figures.join('; ') })
      rows.push({ what: `${language}: memory beyond the runtime's own`, against, ratios: [own / touchMib] })
    }
    return rows
  } finally {
    await court.close()
  }
}
