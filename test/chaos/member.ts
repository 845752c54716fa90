/** A process of the cluster: started anew until it is up, as a service manager would, killed, frozen, and ended with grace. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../support/program.ts'

export type Member = {
  readonly name: string
  readonly pids: readonly number[]
  /** The last of what it wrote. */
  output(): string
  /** Words for Node from now on; the next start uses them. */
  change(words: readonly string[]): void
  start(): Promise<void>
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** With SIGTERM; answers its exit code. */
  end(): Promise<number | null>
}

type Needs = {
  name: string
  words: readonly string[]
  environment: Record<string, string>
  /** Whether what it wrote says that it is up. */
  isUp(output: string): boolean
}

const keptCharacters = 400_000
const restartMs = 500

export function makeMember({ name, words: first, environment, isUp }: Needs): Member {
  let words = first
  let child: ChildProcess | undefined
  let output = ''
  const pids: number[] = []

  /** Whether it came up; false where it ended instead. */
  async function tryStart(): Promise<boolean> {
    const started = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    pids.push(started.pid!)
    let said = ''
    const up = Promise.withResolvers<boolean>()
    for (const stream of [started.stdout!, started.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-keptCharacters)
        if (said.length < keptCharacters) said += text
        if (isUp(said)) up.resolve(true)
      })
    }
    started.once('exit', () => up.resolve(false))
    return up.promise
  }

  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const signal = (which: NodeJS.Signals) => void (isAlive() && child!.kill(which))

  async function end(which: NodeJS.Signals): Promise<number | null> {
    if (!child) return null
    const ended = isAlive() ? once(child, 'exit') : undefined
    signal(which)
    await ended
    return child.exitCode
  }

  return {
    name,
    pids,
    output: () => output,
    change: (others) => {
      words = others
    },
    async start() {
      while (!(await tryStart())) await sleep(restartMs)
    },
    kill: async () => void (await end('SIGKILL')),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    end: () => end('SIGTERM'),
  }
}
