/** A server in a process of its own, as an operator would start it: it can be killed, and started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { builtFile } from '../../scripts/build.mjs'
import type { TestDatabase } from './engines.ts'

export type ServerProcess = {
  readonly url: string
  readonly pid: number
  /** All that it wrote to its output so far: what it announces, and its log. */
  output(): string
  /** With SIGKILL unless told. */
  end(signal?: NodeJS.Signals): Promise<void>
}

const root = join(import.meta.dirname, '..', '..')
/** Found once: it is named by what all sources are. */
const built = builtFile('cli.ts')

export async function startServerProcess(
  { folder, url }: TestDatabase,
  environment: Record<string, string> = {},
  /** Where the program lies: another version of it, say. */
  checkout = root,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [checkout === root ? built : join(checkout, 'src', 'cli.ts'), 'serve'], {
    cwd: checkout,
    env: {
      ...process.env,
      GUILDHALL_PORT: '0',
      GUILDHALL_DATA: folder,
      GUILDHALL_EXECUTORS: '0',
      GUILDHALL_LOG: 'silent',
      ...(url && { DATABASE_URL: url }),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return {
    url: await readAddress(child),
    pid: child.pid!,
    output: () => output,
    async end(signal = 'SIGKILL') {
      child.kill(signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.once('close', (code, signal) =>
      reject(new Error(`The server ended with ${code ?? signal} before it listened: ${said}`)),
    )
    child.stdout!.on('data', (chunk) => {
      said += chunk
      const found = /http:\/\/[\w.]+:\d+/.exec(said)
      if (found) resolve(found[0].replace('localhost', '127.0.0.1'))
    })
  })
}
