/**
 * What the executor measures of programs that know what they take: processor time by their own clock, and memory that they
 * touch. A runtime goes on after the program's last look at the clock, so that the same program is run bare as well.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileSource, prepareFile } from '../src/executor/compilation/compilation.ts'
import { surveyLanguages } from '../src/executor/languages/configuration.ts'
import { fillTemplate, heapValues, type Language } from '../src/executor/languages/language.ts'
import type { Sandbox } from '../src/executor/sandboxes/sandbox.ts'
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
  {
    language: 'go',
    empty: 'package main\n\nfunc main() {}\n',
    spin: (ms) =>
      `package main\n\nimport "syscall"\n\nfunc main() { var u syscall.Rusage; for { syscall.Getrusage(0, &u); if u.Utime.Nano()+u.Stime.Nano() >= ${ms}*1000000 { return } } }\n`,
    touch: (mib) =>
      `package main\n\nimport "runtime"\n\nfunc main() { kept := make([]byte, ${mib}<<20); for i := range kept { kept[i] = 1 }; runtime.KeepAlive(kept) }\n`,
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
    const of = (figure: 'cpuMs' | 'peakMemoryBytes') => middleOf(runs.map((run) => run[figure]))
    return { cpuMs: of('cpuMs'), memoryMib: of('peakMemoryBytes') / mebibyte }
  }
  const { languages } = await surveyLanguages()
  try {
    for (const { language, empty, spin, touch } of calibrated) {
      const found = languages.find(({ value }) => value === language)
      if (!found) continue
      const nothing = await middle(language, empty)
      const { cpuMs } = await middle(language, spin(spinMs))
      const bareMs = await measureBare(court.sandbox, found, spin(spinMs))
      const { memoryMib } = await middle(language, touch(touchMib))
      const own = memoryMib - nothing.memoryMib
      const figures = [
        `empty ${nothing.cpuMs} ms, ${nothing.memoryMib.toFixed(1)} MiB`,
        `${spinMs} ms: ${cpuMs} ms, bare ${bareMs} ms`,
        `${touchMib} MiB: ${memoryMib.toFixed(1)} MiB`,
      ]
      const note = figures.join('; ')
      rows.push({ what: `${language}: processor time`, against: 'run bare', ratios: [cpuMs / bareMs], note })
      const what = `${language}: memory beyond the runtime's own`
      rows.push({ what, against: 'the truth', ratios: [own / touchMib] })
    }
    return rows
  } finally {
    await court.close()
  }
}

const middleOf = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!

/** What the kernel says of the program without any box, in ms. */
async function measureBare(sandbox: Sandbox, language: Language, source: string): Promise<number> {
  const prepared = await prepareFile(sandbox, language)
  const { program, words } = await compileSource({ sandbox, prepared }, language, Buffer.from(source))
  if (!program) throw new Error(words)
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-calibration-'))
  const path = join(folder, language.compile ? 'program' : language.source)
  copyFileSync(program.path, path)
  chmodSync(path, 0o755)
  const [runtime, ...options] = fillTemplate(language.run, {
    ...{ program: path, source: path, memoryMiB: 512, ...heapValues(256) },
  })
  const command = [language.files.find(({ at }) => at === runtime)?.from ?? runtime!, ...options]
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" </dev/null >/dev/null'
  const measure = () => {
    const { stderr } = spawnSync('bash', ['-c', script, 'bash', ...command], { env: { ...language.environment } })
    const [user, system] = String(stderr).trim().split('\n').at(-1)!.split(' ').map(Number)
    return Math.round(1000 * (user! + system!))
  }
  try {
    return middleOf(Array.from({ length: rounds }, measure))
  } finally {
    rmSync(folder, { recursive: true })
    program.drop()
    prepared?.drop()
  }
}
