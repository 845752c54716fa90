/** The built-in executor is a child process, so that judging never delays a response. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { programFile } from '../lib/process/program-file.ts'

export type ChildExecutor = {
  /** True once it has registered and claims submissions. */
  isReady(): boolean
  /** True while it has languages that it can't judge in, because the machine is short of something. */
  isShort(): boolean
  /** True once it has said that nothing can be judged on this machine. */
  hasGivenUp(): boolean
  /** Whether one was ready or has ended: what is awaited is not the first. */
  hasTried(): boolean
  /** Whether the server refuses its token, as it does where its account is suspended. */
  isRefused(): boolean
  /** Stops it; it finishes or gives back what it judges. */
  stop(): Promise<void>
}

export type ChildOptions = {
  readonly serverUrl: string
  /** Draws a new token of a worker account. It is passed through a pipe, since other users can read a process's arguments and environment. */
  drawToken(): Promise<string>
  readonly parallelRuns: number
  readonly name: string
  /** Tells it from those of other servers; the same however often it is started again. */
  readonly instance: string
  readonly languagesPath?: string | undefined
  /** What it may judge without, by name. */
  readonly without?: readonly string[] | undefined
  readonly logLevel?: string
  readonly log: Log
  /** Is called when it ends without being told to: nobody holds any more what it judged. */
  onDeath?(): void
}

const restartAfterMs = 5_000

/** The child is restarted when it ends, unless it reported that this machine can't judge. */
export async function startChildExecutor(options: ChildOptions): Promise<ChildExecutor> {
  let token = await options.drawToken()
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

  /** However long the database is away. */
  async function supplyToken(to: ChildProcess): Promise<void> {
    while (!isStopping && to.exitCode === null && to.signalCode === null) {
      try {
        token = await options.drawToken()
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
