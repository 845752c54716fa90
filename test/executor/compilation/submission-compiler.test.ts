/** Long compilations: whom they cost, in which order they go on, and what is not compiled twice; over a scripted sandbox. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeCheckerPrograms } from '../../../src/executor/checkers/checker-programs.ts'
import { makeSubmissionCompiler, type ResumeJudging } from '../../../src/executor/compilation/submission-compiler.ts'
import { obtainMethod } from '../../../src/executor/judging/methods.ts'
import { linesJudging } from '../../../src/executor/judging/problem-judging.ts'
import { compileLimits, type Language } from '../../../src/executor/languages/language.ts'
import type { BoxOutcome, BoxProgram, KeptFile, RunOptions, Sandbox } from '../../../src/executor/sandboxes/sandbox.ts'
import { until } from '../../support/until.ts'

const language: Language = {
  ...{ value: 'x', name: 'X', source: 'x', compile: ['/bin/x'], run: ['{program}'], environment: {} },
  ...{ folders: [], files: [], extraMemoryBytes: 0, ...compileLimits },
  selfTest: { source: '', input: '', output: '' },
}
const { signal } = new AbortController()

type Stopped = BoxOutcome['stopped']

/** Every compilation takes too long, until it is told otherwise. */
function makeSlowSandbox() {
  const runs: {
    readonly source: string
    readonly isSlow: boolean
    readonly cpuMs: number
    readonly next: readonly string[] | undefined
    end(stopped: Stopped, exitCode?: number): void
  }[] = []
  let outcome: BoxOutcome = {
    ...{ exitCode: 1, signal: null, cpuMs: 1, wallMs: 1, peakMemoryBytes: 1, isOutOfMemory: false, outputBytes: 0 },
    ...{ stderr: Buffer.from('wrong'), stopped: null, wasHeldUp: false, ranConcurrently: false },
  }
  const kept = (bytes: Uint8Array): KeptFile => ({
    ...{ path: Buffer.from(bytes).toString(), size: bytes.length, drop() {} },
    again: () => kept(bytes),
  })
  const sandbox: Sandbox = {
    show: () => Promise.reject(new Error('It shows nothing.')),
    slotCount: 1,
    keep: async (bytes) => kept(bytes),
    open() {
      const finish = () => kept(Buffer.from(''))
      return { path: 'made here', write() {}, finish, finishShared: async () => finish(), drop() {} }
    },
    close: async () => undefined,
    expectRuns: () => () => undefined,
    runPair: () => Promise.reject(new Error('Nobody talks here.')),
    run: (program, options: RunOptions = {}) =>
      new Promise((resolve) => {
        const { isSlow = false } = options
        const source = program.files[0]!.from
        const end = (stopped: Stopped, exitCode = 1) => resolve({ ...outcome, stopped, exitCode, outputBytes: 1 })
        runs.push({ source, isSlow, cpuMs: program.limits.cpuMs, next: options.next?.command, end })
        if (!isSlow && !source.startsWith('quick')) end('cpu')
      }),
  }
  const say = (figures: Partial<BoxOutcome>) => {
    outcome = { ...outcome, ...figures }
  }
  return { runs, sandbox, say }
}

const compileWith = (sandbox: Sandbox, compiler = makeSubmissionCompiler(5)) => ({
  compiler,
  compile: (author: string, source: string, onSlow?: () => ResumeJudging) =>
    compiler.compile({ sandbox }, language, { source: Buffer.from(source), author, signal, ...(onSlow && { onSlow }) }),
})

it('a compilation that takes long leaves its place and goes on beside the slots, with all of its time, and comes back', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const steps: string[] = []
  const leave = () => {
    steps.push('left')
    return async () => void steps.push('back')
  }
  const compiling = compileWith(sandbox).compile('one', 'bomb', leave)
  await until(() => runs.length === 2)
  assert.deepEqual(steps, ['left'])
  assert.deepEqual(
    runs.map(({ isSlow, cpuMs }) => [isSlow, cpuMs]),
    [
      [false, 5_000],
      [true, 30_000],
    ],
  )
  runs[1]!.end(null, 0)
  assert.ok((await compiling).program)
  assert.deepEqual(steps, ['left', 'back'])
})

it('the run that follows is told with the path of the program, so that its box can be made, but not beside the slots', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const limits = { cpuMs: 1, wallMs: 1, memoryBytes: 1, outputBytes: 1, folderBytes: 1, processes: 1 }
  const describeRun = (path: string): BoxProgram => ({
    ...{ command: [path], environment: {}, folders: [], files: [], limits, onOutput: () => undefined },
  })
  const request = { source: Buffer.from('bomb'), author: 'one', signal }
  const compiling = makeSubmissionCompiler(5).compile({ sandbox, describeRun }, language, request)
  await until(() => runs.length === 2)
  assert.deepEqual(
    runs.map(({ next }) => next),
    [['made here'], undefined],
  )
  runs[1]!.end(null, 0)
  await compiling
})

it('a compilation that fails beside the slots needs no place again', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const compiling = compileWith(sandbox).compile('one', 'bomb', () => () => Promise.reject(new Error('It came back.')))
  await until(() => runs.length === 2)
  runs[1]!.end('cpu')
  assert.match((await compiling).words, /longer than 30 s/)
})

it('authors take turns, however many one has, and nobody has both', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const { compile } = compileWith(sandbox)
  const all = ['bomb 1', 'bomb 2', 'bomb 3'].map((source) => compile('one', source))
  await until(() => runs.filter(({ isSlow }) => isSlow).length === 1)
  all.push(compile('other', 'large'))
  await until(() => runs.some(({ source, isSlow }) => isSlow && source === 'large'))
  for (let done = 0; done < all.length; done++) {
    await until(() => runs.filter(({ isSlow }) => isSlow).length > done)
    runs.filter(({ isSlow }) => isSlow)[done]!.end(null)
  }
  await Promise.all(all)
  assert.deepEqual(
    runs.filter(({ isSlow }) => isSlow).map(({ source }) => source),
    ['bomb 1', 'large', 'bomb 2', 'bomb 3'],
  )
})

it('a compilation that stands still is over, and takes no turn', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const compiling = compileWith(sandbox).compile('one', 'quick to wait for itself')
  await until(() => runs.length === 1)
  runs[0]!.end('idle')
  assert.match((await compiling).words, /stood still for 10 s/)
  assert.equal(runs.length, 1)
})

it('a source that did not compile is not compiled again, and another one is', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const { compile, compiler } = compileWith(sandbox)
  const first = compile('one', 'quick and wrong')
  await until(() => runs.length === 1)
  runs[0]!.end(null)
  assert.equal((await first).words, 'wrong')
  compiler.rememberFailure(language, Buffer.from('quick and wrong'), 'wrong')
  assert.deepEqual(await compile('other', 'quick and wrong'), { program: null, words: 'wrong' })
  assert.equal(runs.length, 1)
  const second = compile('one', 'quick and different')
  await until(() => runs.length === 2)
  runs[1]!.end(null)
  await second
})

it('a source whose program is kept is not compiled again, for whichever problem and author', async () => {
  const { runs, sandbox } = makeSlowSandbox()
  const { compile } = compileWith(sandbox)
  const first = compile('ann', 'quick one')
  await until(() => runs.length === 1)
  runs[0]!.end(null, 0)
  assert.ok((await first).program)
  assert.ok((await compile('bob', 'quick one')).program)
  assert.equal(runs.length, 1)
  const other = compile('bob', 'quick two')
  await until(() => runs.length === 2)
  runs[1]!.end(null, 0)
  assert.ok((await other).program)
})

it('a checker is compiled once by its content, and a machine that had no processors for it is no fault that is remembered', async () => {
  const { runs, sandbox, say } = makeSlowSandbox()
  const languages = { find: () => ({ language }), isShort: () => false, retest: async () => undefined }
  const programs = makeCheckerPrograms({ sandbox, languages })
  const judge = (hash: string) =>
    obtainMethod(
      programs,
      {
        ...linesJudging,
        hash,
        checker: {
          ...{ kind: 'testlib', arguments: [] },
          source: { language: 'c', files: [{ name: 'quick.c', content: Buffer.from('quick') }] },
        },
      },
      { signal },
    )
  say({ wasHeldUp: true })
  const held = judge('one')
  await until(() => runs.length === 1)
  runs[0]!.end('wall')
  await assert.rejects(held, { name: 'TooSlow' })
  say({ wasHeldUp: false })
  const next = judge('one')
  await until(() => runs.length === 2)
  runs[1]!.end(null, 0)
  ;(await next).release()
  ;(await judge('another state, or another problem')).release()
  assert.equal(runs.length, 2)
})
