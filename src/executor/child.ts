/** Runs the built-in executor as a child process, so that judging never delays a response. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { programFile } from '../lib/process/program-file.ts'

export type ChildExecutor = {
  /** True once it has registered and claims submissions. */
  isReady(): boolean
  /** True while some languages are unavailable because the machine is short of something. */
  isShort(): boolean
  /** True once it has reported that this machine can't judge. */
  hasGivenUp(): boolean
  /** Whether one was ready before or has ended. */
  hasTried(): boolean
  /** Whether the server refuses its token, for example because its account is suspended. */
  isRefused(): boolean
  /** Stops it; submissions being judged are finished or given back. */
  stop(): Promise<void>
}

export type ChildOptions = {
  readonly serverUrl: string
  /**
   * Issues a new token of a worker account. It is passed through a pipe, since other users can read a process's
   * arguments and environment.
   */
  issueToken(): Promise<string>
  readonly parallelRuns: number
  readonly name: string
  /** Distinguishes it from executors of other servers; the same after every restart. */
  readonly instance: string
  readonly languagesPath?: string | undefined
  /** Names of protections that it may judge without. */
  readonly without?: readonly string[] | undefined
  readonly logLevel?: string
  readonly log: Log
  /** Called if it ends unexpectedly: its claims are no longer held. */
  onDeath?(): void
}

const restartAfterMs = 5_000

/** Restarts the child when it ends, unless it reported that this machine can't judge. */
export async function startChildExecutor(options: ChildOptions): Promise<ChildExecutor> {
  let token = await options.issueToken()
  let isReady = false
  let isShort = false
  let isStopping = false
  let hasGivenUp = false
  let hasTried = false
  let isRefused = false
  let timer: NodeJS.Timeout | undefined
  let child = start()

  function start() {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    const words = ['--server', options.serverUrl, '--token', '-', '--parallel', String(options.parallelRuns)]
    words.push('--name', options.name, '--instance', options.instance)
    if (options.languagesPath) words.push('--languages', options.languagesPath)
    if (options.without) words.push('--without', options.without.join(','))
    const started = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', programFile(import.meta.dirname, 'main.ts'), ...words],
      {
        stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
        env: { PATH, HOME, NODE_COMPILE_CACHE, GUILDHALL_LOG: options.logLevel ?? 'warn' },
      },
    )
    started.stdin!.on('error', () => undefined)
    started.stdin!.write(`${token}\n`)
    started.on('message', (word) => {
      if (word === 'refused' && isReady) options.log.error('the executor’s token was refused: it gets another')
      isShort = word === 'short'
      isReady = word === 'ready' || isShort
      isRefused = word === 'refused'
      hasTried ||= isReady
      if (word === 'refused') void supplyToken(started)
    })
    started.on('exit', (code, signal) => {
      isReady = false
      hasTried = true
      if (isStopping) return
      options.log.error({ code, signal }, 'the executor ended')
      options.onDeath?.()
      hasGivenUp = code === 1
      if (hasGivenUp) return
      timer = setTimeout(() => {
        child = start()
      }, restartAfterMs)
    })
    return started
  }

  /** Retries for as long as the database is unavailable. */
  async function supplyToken(to: ChildProcess): Promise<void> {
    while (!isStopping && to.exitCode === null && to.signalCode === null) {
      try {
        token = await options.issueToken()
        return void to.stdin!.write(`${token}\n`)
      } catch {
        await sleep(restartAfterMs, undefined, { ref: false })
      }
    }
  }

  return {
    isReady: () => isReady,
    isShort: () => isShort,
    hasGivenUp: () => hasGivenUp,
    hasTried: () => hasTried,
    isRefused: () => isRefused,
    async stop() {
      isStopping = true
      clearTimeout(timer)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.stdin!.end()
      child.kill('SIGTERM')
      await ended
    },
  }
}
