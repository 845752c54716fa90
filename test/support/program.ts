/** The real program in a process of its own: run to its end, or started to its first answer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { builtFile } from '../../scripts/build.mjs'

export const root = join(import.meta.dirname, '..', '..')
const cli = builtFile('cli.ts')

export type Environment = Record<string, string | undefined>
export type Ending = { readonly code: number | null; readonly out: string; readonly err: string }

/** Nothing of what the machine or the test run sets reaches the program, but for what finds other programs. */
function makeEnvironment(extra: Environment): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, GUILDHALL_EXECUTOR_WITHOUT } = process.env
  const found = { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, GUILDHALL_EXECUTOR_WITHOUT }
  return { ...found, GUILDHALL_EXECUTORS: '0', GUILDHALL_PORT: '0', ...extra }
}

const spawnProgram = (words: readonly string[], extra: Environment) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', cli, ...words], {
    env: makeEnvironment(extra),
    stdio: ['pipe', 'pipe', 'pipe'],
  })

/** As `spawnProgram`, but its output is a terminal's, made by `script`. */
export const startOnTerminal = (words: readonly string[], extra: Environment = {}): ChildProcess => {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', cli, ...words]
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  return spawn('script', ['-qec', quoted, '/dev/null'], {
    env: { ...makeEnvironment(extra), TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export const runOnTerminal = (words: readonly string[], extra: Environment = {}): Promise<Ending> =>
  endingOf(startOnTerminal(words, extra))

export async function runProgram(
  words: readonly string[],
  extra: Environment = {},
  input: string | Buffer = '',
): Promise<Ending> {
  const child = spawnProgram(words, extra)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return endingOf(child)
}

export async function endingOf(child: ChildProcess): Promise<Ending> {
  const closed = once(child, 'close')
  const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!), closed])
  return { code: child.exitCode, out, err }
}

export type Program = {
  readonly url: string
  readonly child: ChildProcess
  /** What it has said so far. */
  output(): string
  end(signal: NodeJS.Signals): Promise<number | null>
}

export const startProgram = (extra: Environment = {}): Promise<Program> => awaitAddress(spawnProgram(['serve'], extra))

/** Waits until it says where it is; fails with what it said if it ends instead. */
export async function awaitAddress(child: ChildProcess): Promise<Program> {
  let said = ''
  const ended = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk
      const found = /Guildhall is at http:\/\/localhost:(\d+)[\s\S]*\n/.exec(said)
      if (found) resolve(`http://127.0.0.1:${found[1]}`)
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    void ended.then(() => reject(new Error(`It ended instead of serving: ${said}`)))
  })
  return {
    url,
    child,
    output: () => said,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}
