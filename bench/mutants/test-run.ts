/** Runs test files in a copy until the first test fails, with a PostgreSQL that is started once for all runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { FailedTest } from '../../scripts/failed-tests.ts'
import { makeOwnFolder } from '../../scripts/test-folder.ts'
import { globalSetup, globalTeardown } from '../../test/support/global-setup.ts'

export type RunOutcome = {
  /** The first test that failed. */
  readonly failed?: FailedTest
  readonly isOutOfTime: boolean
  /** Where coverage was written, if it was asked for. */
  readonly coverage: string
}

export type RunOptions = {
  /** The one test that is run. */
  readonly name?: string | undefined
  readonly isCovered?: boolean
}

export type TestRuns = Awaited<ReturnType<typeof makeTestRuns>>

const flags = [
  '--disable-warning=ExperimentalWarning',
  '--test',
  '--test-timeout=600000',
  '--import=./test/support/untracked-promises.ts',
  '--import=./test/support/end-guard.ts',
  '--test-reporter=./scripts/failed-tests.ts',
  '--test-reporter-destination=stdout',
  '--test-concurrency=2',
]
/** Most files end within a minute; a fault that hangs one costs no more than this. */
const mostMsFor = (files: number) => (files === 1 ? 2.5 : 5) * 60_000
const graceMs = 5_000

export async function makeTestRuns(copy: string) {
  const memory = makeOwnFolder('/dev/shm', 'guildhall-mutants-')
  const before = process.env.TMPDIR
  process.env.TMPDIR = memory
  await globalSetup()
  const { TEST_POSTGRES_URL: url, TEST_POSTGRES_TEMPLATE: template } = process.env
  const temporary = join(memory, 'run')
  const coverage = join(memory, 'coverage')
  const compiled = join(memory, 'compiled')

  /** Compiled code is kept between runs without coverage, which take half the processor time. */
  async function run(files: readonly string[], { name, isCovered = false }: RunOptions = {}): Promise<RunOutcome> {
    for (const folder of [temporary, coverage]) {
      rmSync(folder, { recursive: true, force: true })
      // What a test left running may have made it again.
      mkdirSync(folder, { recursive: true, mode: 0o755 })
    }
    const only = name === undefined ? [] : [`--test-name-pattern=/${name.replace(/[^\w ]/g, '.')}$/`]
    const kept = isCovered ? { NODE_V8_COVERAGE: coverage } : { NODE_COMPILE_CACHE: compiled }
    const env = { ...process.env, TMPDIR: temporary, ...kept }
    const child = spawn(process.execPath, [...flags, ...only, ...files], { cwd: copy, env, detached: true })
    const end = (signal: NodeJS.Signals) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal)
    }
    let isOutOfTime = false
    let output = ''
    const timer = setTimeout(() => {
      isOutOfTime = true
      end('SIGKILL')
    }, mostMsFor(files.length))
    let hardEnd: NodeJS.Timeout | undefined
    child.stderr.resume()
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (!output.includes('\n') || hardEnd) return
      end('SIGTERM')
      hardEnd = setTimeout(() => end('SIGKILL'), graceMs)
    })
    await once(child, 'close')
    clearTimeout(timer)
    clearTimeout(hardEnd)
    await dropDatabases()
    const [line] = output.split('\n')
    const failed = line ? (JSON.parse(line) as FailedTest) : undefined
    return { isOutOfTime, coverage, ...(failed && { failed }) }
  }

  /** Those of tests that were ended. */
  async function dropDatabases(): Promise<void> {
    const client = new pg.Client(`${url}/postgres`)
    await client.connect()
    try {
      const { rows } = await client.query("select datname from pg_database where datname like 't\\_%'")
      for (const { datname } of rows)
        if (datname !== template) await client.query(`drop database if exists ${datname} with (force)`)
    } finally {
      await client.end()
    }
  }

  return {
    run,
    async close() {
      await globalTeardown()
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      rmSync(memory, { recursive: true, force: true })
    },
  }
}
