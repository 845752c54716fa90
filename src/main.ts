/** The process: settings → store → house → server → listen; ends with grace. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFirstAdmin } from './accounts/first-admin.ts'
import { systemClock } from './base/clock.ts'
import { OperatorError } from './base/failure.ts'
import { type Log, makeLog } from './base/log.ts'
import { makeHouse } from './house.ts'
import { makeServer } from './server.ts'
import type { Settings } from './settings.ts'
import { openPostgres } from './store/postgres.ts'
import { openSqlite } from './store/sqlite.ts'
import type { Store } from './store/store.ts'

/** SIGTERM finishes what runs, within this. */
const graceMs = 9_000

export async function serve(settings: Settings): Promise<void> {
  const log = makeLog(settings.logLevel)
  prepareFolder(settings.dataFolder)
  const free = settings.databaseUrl ? () => {} : holdFolder(settings.dataFolder)
  const store = await openStore(settings, log)
  const house = await makeHouse({ settings, store, clock: systemClock, log })
  const drawnPassword = await makeFirstAdmin(house, {
    name: settings.adminName,
    password: settings.adminPassword,
    token: settings.adminToken,
  })
  const server = await makeServer(house)
  await listen(server, settings)
  await house.start()
  announce(server.server.address(), settings, drawnPassword)

  let isEnding = false
  const end = async (why: string) => {
    if (isEnding) return
    isEnding = true
    log.info({ why }, 'stopping')
    setTimeout(() => process.exit(1), graceMs).unref()
    await server.close()
    await house.close()
    free()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(signal))
  // Started by a script that was killed: nobody is left to stop us.
  process.on('disconnect', () => void end('parent gone'))
  process.channel?.unref()
}

export function openStore(settings: Settings, log: Log): Promise<Store> {
  return settings.databaseUrl
    ? openPostgres(settings.databaseUrl, log)
    : openSqlite(join(settings.dataFolder, 'guildhall.db'))
}

function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new OperatorError(
      `The data folder ${folder} can't be written (${(error as NodeJS.ErrnoException).code}): set GUILDHALL_DATA to one that can.`,
    )
  }
}

/** One server a folder. The lock is the system's own: it goes with the process, however that ends. */
function holdFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, 'serving.lock'), { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch {
    lock.close()
    throw new OperatorError(
      `Another Guildhall serves the data folder ${folder}: stop it first, or set GUILDHALL_DATA to another.`,
    )
  }
  return () => lock.close()
}

type Listening = Awaited<ReturnType<typeof makeServer>>

async function listen(server: Listening, { host, port }: Settings): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new OperatorError(`Port ${port} is in use: stop what uses it, or set GUILDHALL_PORT (0 picks a free one).`)
    throw new OperatorError(`The server can't listen on ${host}:${port}: ${message}.`)
  }
}

function announce(
  address: ReturnType<Listening['server']['address']>,
  settings: Settings,
  drawnPassword: string | undefined,
): void {
  const port = typeof address === 'object' ? address?.port : settings.port
  const host = /^(?:127\.0\.0\.1|0\.0\.0\.0|::1?)$/.test(settings.host) ? 'localhost' : settings.host
  const lines = [`Guildhall is at ${settings.baseUrl ?? `http://${host}:${port}`}`]
  if (drawnPassword) {
    lines.push(`  sign in as ${settings.adminName} with the password ${drawnPassword}`)
    lines.push('  (shown this once: write it down, or change it with: npm run guildhall -- account passwd)')
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
