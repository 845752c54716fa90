/** Judging against the same programs run bare and under plain bubblewrap, in one run. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { surveyLanguages } from '../src/executor/languages/configuration.ts'
import { makeBubblewrap } from '../src/executor/sandboxes/bubblewrap.ts'
import type { BoxProgram } from '../src/executor/sandboxes/sandbox.ts'
import { adminToken, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const hello = { c: '#include <stdio.h>\nint main(void) { puts("hello"); }\n', python: 'print("hello")\n' }
const sum = '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }\n'
const rounds = 5
const cores = availableParallelism()

export async function bench(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-bench-executor-'))
  const { languages } = await surveyLanguages()
  const python = languages.find((language) => language.value === 'python')!
  writeFileSync(join(folder, 'hello.c'), hello.c)
  writeFileSync(join(folder, 'sum.c'), sum)
  writeFileSync(join(folder, 'hello.py'), hello.python)
  await run('gcc', ['-O2', '-o', join(folder, 'hello'), join(folder, 'hello.c')])
  try {
    const boxes = await compareBoxes(join(folder, 'hello'))
    const interaction = await compareInteraction(folder)
    const talkative = await compareInteraction(folder, true)
    const judge = await startJudging()
    try {
      const python3 = python.run[0]!
      const pythonRatios = await compareLatency(judge, python3, join(folder, 'hello.py'))
      const manyRatios = await compareMany(judge, folder)
      return [
        {
          what: 'a test run of a C program in a box',
          against: 'plain bwrap',
          ratios: boxes.plain,
          goal: { atMost: 0.6 },
        },
        {
          what: 'a test run of a C program in a box',
          against: 'the bare program',
          ratios: boxes.bare,
          goal: { atMost: 2 },
        },
        {
          what: 'an interactive test of 1,000 exchanges',
          against: 'two processes joined by bare pipes',
          ratios: interaction,
          goal: { atMost: 2 },
        },
        {
          what: 'the same with a checker that leaves a message each time',
          against: 'two processes joined by bare pipes',
          ratios: talkative,
        },
        {
          what: '200 C submissions, 5 tests each, end to end',
          against: `bare compile and run, ${cores} at a time`,
          ratios: manyRatios,
          goal: { atMost: 1.3 },
        },
        {
          what: 'submit to verdict, Python hello, 1 test, p50',
          against: 'the bare run, p50',
          ratios: pythonRatios,
          goal: { atMost: 3 },
        },
      ]
    } finally {
      await judge.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One after the other and in turn, so that the machine's moods fall on all three alike. */
async function compareBoxes(program: string): Promise<{ plain: number[]; bare: number[] }> {
  const sandbox = makeBubblewrap({ slotCount: 1 })
  const input = await sandbox.keep(Buffer.from(''))
  const plainWords = [
    ...['--unshare-all', '--die-with-parent', '--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev'],
    ...['--tmpfs', '/tmp', '--ro-bind', program, '/hello', '/hello'],
  ]
  const ratios = { plain: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const times = { ours: [] as number[], plain: [] as number[], bare: [] as number[] }
    for (let i = 0; i < 40; i++) {
      times.ours.push(await timed(() => sandbox.run({ ...describe(program), input: input.path })))
      times.plain.push(await timed(() => run('bwrap', plainWords)))
      times.bare.push(await timed(() => run(program, [])))
    }
    if (round === 0) continue // the first warms everything up
    ratios.plain.push(median(times.ours) / median(times.plain))
    ratios.bare.push(median(times.ours) / median(times.bare))
  }
  await sandbox.close()
  return ratios
}

const describe = (program: string): BoxProgram => ({
  command: ['/program/program'],
  environment: {},
  folders: [],
  files: [{ from: program, at: '/program/program' }],
  limits: {
    ...{ cpuMs: 1_000, wallMs: 3_000, memoryBytes: 64 << 20, outputBytes: 16 << 20 },
    ...{ folderBytes: 64 << 20, processes: 128 },
  },
  onOutput: () => undefined,
})

/**
 * One counts, and the other answers each number: in two boxes, as a checker and a program, and as two processes with two
 * named pipes. The checker writes to its feedback folder, or only ends.
 */
async function compareInteraction(folder: string, isTalkative = false): Promise<number[]> {
  for (const [name, text] of Object.entries(talkers)) {
    writeFileSync(join(folder, `${name}.c`), text)
    await run('gcc', ['-O2', '-o', join(folder, name), join(folder, `${name}.c`)])
  }
  await run('mkfifo', ['-m', '600', join(folder, 'there'), join(folder, 'back')]).catch(() => undefined)
  const bare = `cd ${folder}; ./counting >there <back & ./answering <there >back; wait`
  const sandbox = makeBubblewrap({ slotCount: 1 })
  const input = await sandbox.keep(Buffer.from('1000'))
  const pair = {
    program: describe(join(folder, 'answering')),
    partner: {
      ...describe(join(folder, 'counting')),
      command: ['/program/program', ...(isTalkative ? ['/box/feedback/judgemessage.txt'] : [])],
      testFiles: [{ from: input.path, name: 'input' }],
      handOut: { folder: '/box/feedback', files: [{ name: 'judgemessage.txt', mostBytes: 65_536 }], archive: false },
    },
    mayGoOn: () => true,
  }
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const times = { ours: [] as number[], bare: [] as number[] }
    for (let i = 0; i < 20; i++) {
      times.ours.push(await timed(() => sandbox.runPair(pair)))
      times.bare.push(await timed(() => run('/bin/sh', ['-c', bare])))
    }
    if (round > 0) ratios.push(median(times.ours) / median(times.bare))
  }
  await sandbox.close()
  return ratios
}

const talkers = {
  counting:
    '#include <stdio.h>\nint main(int n, char **words) { for (int i = 0, x; i < 1000; i++) { printf("%d\\n", i); fflush(stdout); if (scanf("%d", &x) != 1) return 1; } if (n > 1) fputs("well", fopen(words[1], "w")); }\n',
  answering:
    '#include <stdio.h>\nint main(void) { int x; while (scanf("%d", &x) == 1) { printf("%d\\n", x + 1); fflush(stdout); } }\n',
}

async function compareLatency(judge: Judging, python: string, file: string): Promise<number[]> {
  const problem = await judge.makeProblem([['', 'hello\n']])
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const judged: number[] = []
    const bare: number[] = []
    for (let i = 0; i < 20; i++) {
      judged.push(await timed(async () => judge.wait(await judge.submit(problem, 'python', hello.python))))
      bare.push(await timed(() => run(python, [file])))
    }
    if (round > 0) ratios.push(median(judged) / median(bare))
  }
  return ratios
}

async function compareMany(judge: Judging, folder: string): Promise<number[]> {
  const count = 200
  const tests = Array.from({ length: 5 }, (_, i): [string, string] => [`${i} ${i}\n`, `${2 * i}\n`])
  const problem = await judge.makeProblem(tests)
  const ratios: number[] = []
  for (let round = 0; round < 3; round++) {
    const bare = await timed(() => inParallel(count, (i) => compileAndRun(folder, i, tests)))
    const ours = await timed(async () => {
      const ids: number[] = []
      await inParallel(count, async (i) => {
        ids[i] = await judge.submit(problem, 'c', sum)
      })
      for (const id of ids) await judge.wait(id)
    })
    ratios.push(ours / bare)
  }
  return ratios
}

/** The same steps with nothing around them: the compiler, then the program on each input, its output compared. */
async function compileAndRun(folder: string, i: number, tests: [string, string][]): Promise<void> {
  const program = join(folder, `sum-${i}`)
  await run('gcc', ['-std=gnu17', '-O2', '-pipe', '-o', program, join(folder, 'sum.c'), '-lm'])
  for (const [input, output] of tests) {
    if ((await run(program, [], input)) !== output) throw new Error('The bare program is wrong.')
  }
}

type Judging = {
  makeProblem(tests: [string, string][]): Promise<string>
  submit(problem: string, language: string, content: string): Promise<number>
  wait(id: number): Promise<void>
  stop(): Promise<void>
}

/** A server and an executor beside it, each in a process of its own, as `npm start` has them. */
async function startJudging(): Promise<Judging> {
  const server = await startGuildhall({ GUILDHALL_LIMITS: 'off', GUILDHALL_EXECUTORS: '0' })
  const call = makeCaller(server.url, adminToken)
  await call('create_account', {
    AccountName: 'bench',
    DisplayName: 'Bench',
    Role: 'worker',
    Password: 'bench-password',
  })
  const { Token } = await call('create_session', { AccountName: 'bench', Password: 'bench-password' })
  const executor = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '..', 'src', 'executor', 'main.ts'),
      '--server',
      server.url,
      '--token',
      '-',
      '--only',
      'c,python',
    ],
    { stdio: ['pipe', 'inherit', 'inherit', 'ipc'], env: { ...process.env, GUILDHALL_LOG: 'error' } },
  )
  executor.stdin!.write(`${Token}\n`)
  await new Promise((resolve) => executor.once('message', resolve))
  const judging: Judging = {
    async makeProblem(tests) {
      const { Problem } = await call('create_problem', {
        ...{ DisplayName: 'Bench', Description: '', TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 << 20 },
        ExampleList: [],
      })
      for (const [Input, Output] of tests) {
        await call('create_test_case', { ProblemUUID: Problem.UUID, Input, Output, IsHidden: true })
      }
      return Problem.UUID
    },
    async submit(ProblemUUID, Language, Content) {
      return (await call('create_submission', { ProblemUUID, Language, Content })).SubmissionSnippet.ID
    },
    async wait(ID) {
      const { Submission } = await call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
      if (Submission.Result === 1) return
      if (Submission.Status === 3) throw new Error(`The bench's submission got ${Submission.Result}.`)
      await judging.wait(ID)
    },
    async stop() {
      const ended = new Promise((resolve) => executor.once('exit', resolve))
      executor.kill('SIGTERM')
      await ended
      await server.stop()
    },
  }
  return judging
}

// biome-ignore lint/suspicious/noExplicitAny: a bench looks into answers freely
type Json = any

function makeCaller(url: string, token: string): (method: string, params: object) => Promise<Json> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params })
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as Json
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }
}

async function inParallel(count: number, act: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: cores }, work))
}

function run(file: string, words: string[], input?: string): Promise<string> {
  const options: SpawnOptions = { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] }
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, options)
    let output = ''
    let errors = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
    })
    child.stderr!.on('data', (chunk) => {
      errors += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${file} ended with ${code}: ${errors}`)),
    )
    child.stdin?.end(input)
  })
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

const median = (values: number[]) => values.sort((one, other) => one - other)[values.length >> 1]!
