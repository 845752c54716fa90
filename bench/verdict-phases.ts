/**
 * Where the milliseconds of a verdict go: a trivial program with one test in each language, part by part, the first time and
 * then warm, against the same commands with no box around them. On a busy machine the columns of processor time tell more than the clock.
 */
import { testLanguages } from '../src/executor/judging/language-self-test.ts'
import { makeJudgingParts, makeSubmissionJudge } from '../src/executor/judging/submission-judge.ts'
import { surveyLanguages } from '../src/executor/languages/configuration.ts'
import type { Language } from '../src/executor/languages/language.ts'
import { makeBubblewrap } from '../src/executor/sandboxes/bubblewrap.ts'
import type { BoxOutcome, BoxProgram, RunOptions, Sandbox } from '../src/executor/sandboxes/sandbox.ts'
import { makeLog } from '../src/lib/log.ts'
import { type Bare, prepareBare } from './executor/bare.ts'
import { startJudging } from './executor/judging.ts'
import { median } from './executor/timing.ts'
import type { Row } from './table.ts'

const rounds = 7
const answer = '42\n'
const comments: Readonly<Record<string, string>> = { python: '#' }

const programs: Readonly<Record<string, string>> = {
  c: '#include <stdio.h>\nint main(void) { puts("42"); }\n',
  cpp: '#include <iostream>\nint main() { std::cout << 42 << "\\n"; }\n',
  java: 'public class Main { public static void main(String[] a) { System.out.println(42); } }\n',
  python: 'print(42)\n',
  javascript: 'console.log(42)\n',
  typescript: 'const answer: number = 42\nconsole.log(answer)\n',
  go: 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(42) }\n',
  rust: 'fn main() { println!("42"); }\n',
}

/** One call of the sandbox: how long it took, and how much of that the program itself ran. */
type Part = { readonly kind: 'compile' | 'check' | 'run'; readonly tookMs: number; readonly outcome: BoxOutcome }
type Figures = {
  readonly judgeMs: number
  readonly ownCpuMs: number
  readonly parts: readonly Part[]
}

export async function* bench(): AsyncGenerator<Row> {
  const { languages } = await surveyLanguages()
  const known = languages.filter(({ value }) => Object.hasOwn(programs, value))
  const inside = await openInside(known)
  const judge = await startJudging(known.map(({ value }) => value).join())
  try {
    const problem = await judge.makeProblem([['', answer]])
    for (const language of known) {
      const whole: number[] = []
      const figures: Figures[] = []
      const bare: Bare[] = []
      const alone = prepareBare(language)
      // In turn, so that what else the machine does meets all alike. The first round is the cold one.
      for (let round = 0; round <= rounds; round++) {
        const source = vary(language.value)
        const startedAt = performance.now()
        await judge.wait(await judge.submit(problem, language.value, source))
        whole.push(performance.now() - startedAt)
        figures.push(await inside.judge(language.value, vary(language.value)))
        bare.push(alone.run(source, answer))
      }
      alone.drop()
      yield describe(language, whole, figures, bare)
    }
  } finally {
    await judge.stop()
    await inside.close()
  }
}

/** Another program each time, so that none is found compiled. */
const vary = (language: string): string => `${programs[language]}${comments[language] ?? '//'} ${Math.random()}\n`

async function openInside(known: readonly Language[]) {
  const sandbox = makeBubblewrap({ slotCount: 1, folders: known.flatMap(({ folders }) => folders) })
  const tested = await testLanguages(sandbox, known, makeLog('fatal'))
  let parts: Part[] = []
  const watched: Sandbox = {
    ...sandbox,
    async run(program: BoxProgram, options?: RunOptions) {
      const startedAt = performance.now()
      const outcome = await sandbox.run(program, options)
      const kind = program.collect ? 'compile' : program.view || program.input ? 'run' : 'check'
      parts.push({ kind, tookMs: performance.now() - startedAt, outcome })
      return outcome
    },
  }
  const judging = makeSubmissionJudge(makeJudgingParts({ sandbox: watched, languages: tested }))
  return {
    async judge(language: string, source: string): Promise<Figures> {
      parts = []
      const input = await sandbox.keep(Buffer.from(''))
      const output = await sandbox.keep(Buffer.from(answer))
      const before = process.cpuUsage()
      const startedAt = performance.now()
      const { result, compilerOutput } = await judging.judge({
        ...{ language, source: Buffer.from(source), signal: new AbortController().signal },
        limits: { timeLimitMs: 2_000, memoryLimitBytes: 256 * 1024 * 1024 },
        tests: [{ uuid: 'one', inputPath: input.path, outputPath: output.path, outputBytes: output.size }],
      })
      const judgeMs = performance.now() - startedAt
      const { user, system } = process.cpuUsage(before)
      if (result !== 1) throw new Error(`${language}: ${result} ${compilerOutput}`)
      input.drop()
      output.drop()
      return { judgeMs, ownCpuMs: (user + system) / 1000, parts }
    },
    close: () => sandbox.close(),
  }
}

function describe(
  { value, name }: Language,
  whole: readonly number[],
  figures: readonly Figures[],
  bare: readonly Bare[],
): Row {
  const warm = figures.slice(1)
  const of = (read: (one: Figures) => number) => median(warm.map(read))
  const sum = (parts: readonly Part[], kind: Part['kind'], read: (part: Part) => number) =>
    parts.filter((part) => part.kind === kind).reduce((total, part) => total + read(part), 0)
  const part = (kind: Part['kind'], read: (part: Part) => number) => of(({ parts }) => sum(parts, kind, read))
  const judgeMs = of((one) => one.judgeMs)
  const wholeMs = median(whole.slice(1))
  const bareMs = median(bare.slice(1).map(({ wallMs }) => wallMs))
  const bareCpuMs = median(bare.slice(1).map(({ cpuMs }) => cpuMs))
  const boxCpuMs = of(({ parts }) => parts.reduce((total, { outcome }) => total + outcome.cpuMs, 0))
  const outside = (each: Part) => each.tookMs - each.outcome.wallMs
  const cells: [string, number][] = [
    ['queue, claim, fetch, report', wholeMs - judgeMs],
    ['compile', part('compile', ({ outcome }) => outcome.wallMs)],
    ['its box', part('compile', outside)],
    ['run', part('run', ({ outcome }) => outcome.wallMs)],
    ['its box', part('run', outside)],
    ['check', part('check', ({ tookMs }) => tookMs)],
    ['executor', judgeMs - of(({ parts }) => parts.reduce((total, { tookMs }) => total + tookMs, 0))],
  ]
  const runs = of(({ parts }) => parts.filter(({ kind }) => kind === 'run').length)
  const cpu = `processor: boxes ${boxCpuMs.toFixed(0)}, executor ${of((one) => one.ownCpuMs).toFixed(0)}, bare ${bareCpuMs.toFixed(0)}`
  const note = [
    ...cells.map(([what, ms]) => `${what} ${ms.toFixed(0)}`),
    `runs ${runs}`,
    `whole ${wholeMs.toFixed(0)}, bare ${bareMs.toFixed(0)}`,
    `first ${whole[0]!.toFixed(0)}`,
    cpu,
  ].join('; ')
  const ratios = whole.slice(1).map((ms, i) => ms / bare[i + 1]!.wallMs)
  return { what: `${name} (${value}), ms`, against: 'bare compilation and run', ratios, goal: { atMost: 1.5 }, note }
}
