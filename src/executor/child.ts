/** An executor beside the server: a process of its own, so that judging never holds up an answer. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Log } from '../base/log.ts'

export type ChildExecutor = {
  /** True once it has registered and claims. */
  isReady(): boolean
  /** Lets it finish or give back what it judges. */
  stop(): Promise<void>
}

export type ChildOptions = {
  readonly serverUrl: string
  /** A worker account's token; handed over a pipe, since a program's words and environment can be read by others. */
  readonly token: string
  readonly parallelRuns: number
  readonly name?: string
  readonly languagesPath?: string | undefined
  readonly logLevel?: string
  readonly log: Log
  /** What it judged when it died unasked is nobody's any more. */
  onDeath?(): void
}

const restartAfterMs = 5_000

/** Started again when it dies, unless it said that this machine can't judge. */
export function startChildExecutor(options: ChildOptions): ChildExecutor {
  let isReady = false
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let child = start()

  function start() {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    const words = ['--server', options.serverUrl, '--token', '-', '--parallel', String(options.parallelRuns)]
    words.push('--name', options.name ?? 'built-in')
    if (options.languagesPath) words.push('--languages', options.languagesPath)
    const started = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts'), ...words],
      {
        stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
        env: { PATH, HOME, NODE_COMPILE_CACHE, GUILDHALL_LOG: options.logLevel ?? 'warn' },
      },
    )
    started.stdin!.on('error', () => undefined)
    started.stdin!.write(`${options.token}\n`)
    started.on('message', (word) => {
      if (word === 'ready') isReady = true
    })
    started.on('exit', (code, signal) => {
      isReady = false
      if (isStopping) return
      options.log.error({ code, signal }, 'the executor ended')
      options.onDeath?.()
      if (code === 1) return
      timer = setTimeout(() => {
        child = start()
      }, restartAfterMs)
    })
    return started
  }

  return {
    isReady: () => isReady,
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
