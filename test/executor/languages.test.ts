/** Languages: the operator's file, what it may say, and what a report of a run looks like on the wire. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { testLanguages } from '../../src/executor/judging/language-self-test.ts'
import { makeJudgingParts, makeSubmissionJudge } from '../../src/executor/judging/submission-judge.ts'
import { builtIns } from '../../src/executor/languages/built-in.ts'
import { surveyLanguages } from '../../src/executor/languages/configuration.ts'
import { makeBubblewrap } from '../../src/executor/sandboxes/bubblewrap.ts'
import { boundText, presentReport } from '../../src/executor/server/report-message.ts'
import { builtInLanguages } from '../../src/judge/judging/built-in-languages.ts'
import { makeLog } from '../../src/lib/log.ts'
import { claimMethod } from '../support/judge.ts'
import { startScriptedJudge } from './scripted-judge.ts'
import { startExecutor } from './started-executor.ts'

const folder = mkdtempSync('/var/tmp/guildhall-languages-')
chmodSync(folder, 0o755)
after(() => rmSync(folder, { recursive: true }))

it('the server names the built-in languages as the executor has them', () => {
  const named = builtIns.map(({ value, name }) => ({ value, name }))
  assert.deepEqual(named, builtInLanguages)
})

const selfTest = { source: 'cat\n', input: 'x\n', output: 'x\n' }
const shell = { value: 'sh', name: 'Shell', source: 'main.sh', run: ['sh', '{program}'], selfTest }

function write(content: unknown): string {
  const path = join(folder, 'languages.yaml')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('a language that fails its self-test', () => {
  it('at the start is offered once it holds, later no longer once it failed, and never less while it is tried', async () => {
    const tool = join(folder, 'tool')
    writeFileSync(tool, '#!/bin/sh\nexit 1\n')
    chmodSync(tool, 0o755)
    const { languages } = await surveyLanguages(write({ languages: [{ ...shell, value: 'late', run: [tool] }] }))
    const own = languages.filter((language) => language.value === 'late')
    const sandbox = makeBubblewrap({ slotCount: 1, folders: own.flatMap((language) => language.folders) })
    try {
      const tested = await testLanguages(sandbox, own, makeLog('fatal'), 0)
      assert.deepEqual(tested.list(), [])
      await tested.retestBroken()
      assert.deepEqual(tested.list(), [])
      writeFileSync(tool, '#!/bin/sh\ncat\n')
      await tested.retestBroken()
      assert.deepEqual(tested.list(), own)
      const trying = tested.retest('late')
      assert.deepEqual(tested.list(), own)
      await trying
      writeFileSync(tool, '#!/bin/sh\nexit 1\n')
      await assert.rejects(tested.retest('late'))
      assert.deepEqual(tested.list(), [])
    } finally {
      await sandbox.close()
    }
  })
})

describe('a language whose self-test fails for want of the machine', () => {
  it('is registered and not claimed, is said to be short, and is claimed once there is room', async () => {
    const tool = join(folder, 'full')
    writeFileSync(tool, '#!/bin/sh\necho "write error: No space left on device" >&2\nexit 1\n')
    chmodSync(tool, 0o755)
    const languagesPath = write({ languages: [shell, { ...shell, value: 'late', name: 'Late', run: [tool] }] })
    const judge = await startScriptedJudge()
    const said: string[] = []
    const executor = await startExecutor({
      ...{ serverUrl: judge.url, token: 'worker-token', languagesPath, only: ['sh', 'late'], parallelRuns: 1 },
      onReady: (languages, short) => void said.push(`${languages} ${short}`),
    })
    try {
      const listOf = (method: string) => judge.calls.findLast((call) => call.method === method)?.params.LanguageList
      await judge.until(() => listOf(claimMethod) !== undefined)
      assert.deepEqual(listOf(claimMethod), ['sh'])
      assert.deepEqual(
        listOf('register_executor').map(({ Value }: { Value: string }) => Value),
        ['sh', 'late'],
      )
      assert.equal(said[0], 'sh late')
      writeFileSync(tool, '#!/bin/sh\ncat\n')
      await judge.until(() => listOf(claimMethod)?.includes('late'))
      assert.equal(said.at(-1), 'sh,late ')
    } finally {
      await executor.stop()
      await judge.close()
    }
  })
})

describe('the language of a checker for which the machine is short', () => {
  it('is waited for from the start: submissions are given back and no longer claimed, and none fails', async () => {
    const tool = join(folder, 'short')
    writeFileSync(tool, '#!/bin/sh\necho "write error: No space left on device" >&2\nexit 1\n')
    chmodSync(tool, 0o755)
    // A checker in this language is a script that ends with what it says.
    const late = { ...shell, value: 'python', source: 'main.py', run: [tool, '{program}'] }
    const judge = await startScriptedJudge()
    const executor = await startExecutor({
      ...{ serverUrl: judge.url, token: 'worker-token', only: ['sh', 'python'], parallelRuns: 1 },
      ...{ languagesPath: write({ languages: [shell, late] }), failurePauseMs: 1 },
    })
    const Content = Buffer.from('exit 42\n').toString('base64')
    const program = { Language: 'python', FileList: [{ Name: 'check.py', Content }] }
    const problem = judge.addProblem({
      tests: [['', '']],
      judging: {
        ...{ JudgingHash: 'h', Type: 'pass-fail', PassLimit: 1, Interactor: null, IsScored: false },
        Checker: { Kind: 'kattis', ArgumentList: [], Program: program },
      },
    })
    try {
      const featuresOf = () => judge.calls.findLast(({ method }) => method === claimMethod)?.params.FeatureList.join()
      const submission = judge.submit(problem, 'sh', 'true\n')
      await judge.until(() => featuresOf() === 'score')
      await judge.until(() => submission.status === 'submitted')
      assert.deepEqual(submission.failures, [])
      const plain = judge.submit(judge.addProblem({ tests: [['x', 'x']] }), 'sh', 'cat\n')
      assert.equal((await judge.finished(plain)).Result, 1, 'what needs no checker is judged meanwhile')
      writeFileSync(tool, '#!/bin/sh\n. "$1"\n')
      assert.equal((await judge.finished(submission)).Result, 1)
      assert.deepEqual(submission.failures, [])
    } finally {
      await executor.stop()
      await judge.close()
    }
  })
})

describe('a file that does not fit on the disk', () => {
  it('leaves nothing behind', async (t) => {
    const disk = mkdtempSync(join(folder, 'disk-'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'guildhall-small', disk])
    if (mounted.status !== 0) return t.skip('this needs root')
    const sandbox = makeBubblewrap({ slotCount: 1, stateParent: disk })
    try {
      const freeBytes = () => statfsSync(disk).bavail
      const before = freeBytes()
      await assert.rejects(sandbox.keep(Buffer.alloc(2 << 20)), /ENOSPC/)
      assert.equal(freeBytes(), before)
    } finally {
      await sandbox.close()
      spawnSync('umount', [disk])
    }
  })
})

describe('an executor inside that finds no room to start', () => {
  it('does not say that this machine can never judge', async () => {
    const tools = mkdtempSync(join(folder, 'tools-'))
    writeFileSync(join(tools, 'mkfifo'), '#!/bin/sh\necho "mkfifo: No space left on device" >&2\nexit 1\n')
    chmodSync(join(tools, 'mkfifo'), 0o755)
    const main = join(import.meta.dirname, '../../src/executor/main.ts')
    const words = ['--server', 'http://127.0.0.1:1', '--token', 'x', '--state', tools, '--only', 'none']
    const child = spawn(process.execPath, [main, ...words], {
      env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
      stdio: 'ignore',
    })
    const [code] = await once(child, 'exit')
    assert.equal(code, 75)
  })
})

describe('a file of languages', () => {
  it('adds one that is compiled, one that is checked, and takes the place of a built-in one', async () => {
    const maker = join(folder, 'maker')
    writeFileSync(
      maker,
      '#!/bin/sh\ngrep -q good "$1" && { echo "#!/bin/sh"; echo "echo made; cat"; } >"$2" && chmod 755 "$2"\n',
    )
    chmodSync(maker, 0o755)
    const made = {
      ...{
        value: 'made',
        name: 'Made',
        source: 'main.txt',
        compile: [maker, '{source}', '{program}'],
        run: ['{program}'],
      },
      selfTest: { source: 'good', input: 'x', output: 'made\nx' },
    }
    const checked = { ...shell, value: 'python', check: ['sh', '-n', '{source}'] }
    const { languages, findings } = await surveyLanguages(write({ languages: [made, checked] }))
    assert.equal(languages.find((language) => language.value === 'python')!.name, 'Shell')
    assert.ok(findings.some((finding) => finding.value === 'made' && finding.missing === null))

    const own = languages.filter((language) => ['made', 'python'].includes(language.value))
    const sandbox = makeBubblewrap({ slotCount: 2, folders: own.flatMap((language) => language.folders) })
    const tested = await testLanguages(sandbox, own, makeLog('warn'))
    assert.deepEqual(
      tested.list().map((language) => language.value),
      ['python', 'made'],
    )
    const { judge } = makeSubmissionJudge(makeJudgingParts({ sandbox, languages: tested }))
    const ask = async (language: string, source: string) => {
      const { signal } = new AbortController()
      const limits = { timeLimitMs: 1_000, memoryLimitBytes: 64 << 20 }
      return (await judge({ language, source: Buffer.from(source), limits, tests: [], signal })).result
    }
    assert.deepEqual(await Promise.all([ask('made', 'good'), ask('made', 'bad')]), [1, 2])
    assert.deepEqual(await Promise.all([ask('python', 'true'), ask('python', 'if')]), [1, 2])
    await sandbox.close()
  })

  it('whose tool is not there offers nothing, and says what is missing', async () => {
    const path = write({ languages: [{ ...shell, run: ['no-such-tool', '{program}'] }] })
    const { languages, findings } = await surveyLanguages(path)
    assert.equal(
      languages.some((language) => language.value === 'sh'),
      false,
    )
    assert.match(findings.find((finding) => finding.value === 'sh')!.missing!, /no-such-tool is not on the PATH/)
  })

  it("can't show a box what lies where the box has its own", async () => {
    const { findings } = await surveyLanguages(write({ languages: [{ ...shell, folders: ['/tmp'] }] }))
    assert.match(findings.find((finding) => finding.value === 'sh')!.missing!, /\/tmp can't be shown/)
  })

  const faults: [sentence: string, content: unknown, words: RegExp][] = [
    ['is not there', null, /can't be read/],
    ['is no YAML', 'languages: [', /can't be read/],
    ['has no languages', '{}', /wrong at/],
    ['leaves the self-test out', { languages: [{ ...shell, selfTest: undefined }] }, /wrong at \/languages\/0/],
    ['knows a member that we do not', { languages: [{ ...shell, runs: [] }] }, /wrong at/],
    [
      'names a source that leaves its folder',
      { languages: [{ ...shell, source: '../x' }] },
      /wrong at \/languages\/0\/source/,
    ],
    ['wants no words to run', { languages: [{ ...shell, run: [] }] }, /wrong at \/languages\/0\/run/],
  ]
  for (const [sentence, content, words] of faults) {
    it(`that ${sentence} stops the start with one line`, async () => {
      await assert.rejects(surveyLanguages(content === null ? '/no/such/file' : write(content)), words)
    })
  }
})

describe('a report', () => {
  const figures = { cpuMs: 1, wallMs: 2, peakMemoryBytes: 3 }
  const test = { uuid: 'u', result: 1, ...figures, exitCode: 0, signal: null } as const

  it('bounds each text by bytes, never inside a character, and without NUL', () => {
    assert.equal(boundText('aé', 2), 'a')
    assert.equal(boundText('aé', 3), 'aé')
    assert.equal(boundText('\u{1F600}', 3), '')
    assert.equal(boundText('a\0b', 100), 'a\uFFFDb')
    assert.equal(boundText('\0', 2), '')
  })

  it('of ten thousand noisy tests still fits into one request, the deciding one in full', () => {
    const stderr = 'x'.repeat(65_536)
    const tests = Array.from({ length: 10_000 }, () => ({ ...test, stderr }))
    const report = presentReport({ result: 1, compilerOutput: stderr.repeat(2), tests }) as {
      CompilerOutput: string
      TestList: { Stderr: string }[]
    }
    assert.equal(report.TestList.at(-1)!.Stderr.length, 65_536)
    assert.equal(report.CompilerOutput.length, 65_536)
    assert.ok(JSON.stringify(report).length < 16 * 1024 * 1024)
  })
})

it('a Python program that was traced back is not checked for its syntax, and one that is no program is', async () => {
  const { languages } = await surveyLanguages()
  const python = languages.filter(({ value }) => value === 'python')
  const sandbox = makeBubblewrap({ slotCount: 1, folders: python.flatMap(({ folders }) => folders) })
  const tested = await testLanguages(sandbox, python, makeLog('warn'))
  let boxes = 0
  const counted: typeof sandbox = {
    ...sandbox,
    run: (...words) => {
      boxes++
      return sandbox.run(...words)
    },
  }
  const { judge } = makeSubmissionJudge(makeJudgingParts({ sandbox: counted, languages: tested }))
  const file = await sandbox.keep(Buffer.from('x\n'))
  const test = { uuid: 'one', inputPath: file.path, outputPath: file.path, outputBytes: file.size }
  const table: [source: string, result: number, boxes: number][] = [
    ['raise ValueError("Traceback")', 3, 1],
    ['raise SystemExit(3)', 3, 2],
    ['Traceback (most recent call last):', 2, 2],
    ['print(input()', 2, 2],
  ]
  for (const [source, result, count] of table) {
    boxes = 0
    const limits = { timeLimitMs: 2_000, memoryLimitBytes: 64 << 20 }
    const { signal } = new AbortController()
    const report = await judge({ language: 'python', source: Buffer.from(source), limits, tests: [test], signal })
    assert.deepEqual([report.result, boxes], [result, count], source)
  }
  await sandbox.close()
})
