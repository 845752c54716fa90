/** What we measure against, and us: each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, builtFile, isBuilt } from '../scripts/build.mjs'

export type Peer = { readonly url: string; readonly process: ChildProcess; stop(): Promise<void> }

const root = join(import.meta.dirname, '..')

/** A bare Fastify that reads JSON and sends it back: the least that any server in Node can do. */
export function startEcho(): Promise<Peer> {
  const script = `
    import Fastify from 'fastify'
    const server = Fastify()
    server.post('/', async (request) => request.body)
    server.get('/', async () => ({ hello: 'world' }))
    await server.listen({ host: '127.0.0.1', port: 0 })
    console.log('http://127.0.0.1:' + server.server.address().port)`
  return startScript(script)
}

/** A server of a few lines, which prints its address. */
export const startScript = (script: string): Promise<Peer> =>
  start(['--input-type=module', '--eval', script], {}, async () => {})

export const adminPassword = 'bench-password'
export const adminToken = 'bench-token-0123456789-0123456789'

/** Guildhall itself, on SQLite in a new folder; where another program launches it, the words of that program's call. */
export async function startGuildhall(
  environment: Record<string, string> = {},
  launcher: readonly string[] = [],
): Promise<Peer & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'))
  const settings = {
    GUILDHALL_PORT: '0',
    GUILDHALL_DATA: folder,
    GUILDHALL_ADMIN_PASSWORD: adminPassword,
    GUILDHALL_ADMIN_TOKEN: adminToken,
    GUILDHALL_EXECUTORS: '0',
    ...environment,
  }
  // Whoever starts a bench without scripts/ready.mjs may have none.
  if (!isBuilt()) await build()
  const clean = () => rm(folder, { recursive: true, force: true })
  const peer = await start([builtFile('cli.ts'), 'serve'], settings, clean, launcher)
  return { ...peer, folder }
}

async function start(
  words: string[],
  environment: Record<string, string>,
  clean: () => Promise<void>,
  launcher: readonly string[] = [],
): Promise<Peer> {
  const [program, ...rest] = [...launcher, process.execPath, '--disable-warning=ExperimentalWarning', ...words]
  const child = spawn(program!, rest, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await readAddress(child)
  return {
    url,
    process: child,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      await clean()
    },
  }
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it listened: ${said}`)))
    child.stdout!.on('data', (chunk) => {
      said += chunk
      const found = /http:\/\/[\w.]+:\d+/.exec(said)
      if (found) resolve(found[0].replace('localhost', '127.0.0.1'))
    })
  })
}
