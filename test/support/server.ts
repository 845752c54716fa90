/** A server in this process, on a port of its own, over a database of its own. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeFirstAdmin } from '../../src/accounts/first-admin.ts'
import { makePasswords } from '../../src/accounts/sign-in/passwords.ts'
import { everyScope } from '../../src/accounts/tokens/scopes.ts'
import type { Resolve } from '../../src/forge/outbound/destination.ts'
import type { ComposePayload } from '../../src/forge/webhooks/queue/composing.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'
import type { ExecutorState } from '../../src/readiness.ts'
import { closeServer, makeServer } from '../../src/server.ts'
import { makeServices, type Services } from '../../src/services.ts'
import { readSettings } from '../../src/settings.ts'
import { watchFolder } from '../../src/store/installation/folder-watch.ts'
import { pairInstallation } from '../../src/store/installation/installation.ts'
import { type Engine, makeMigratedDatabase, silentLog, type TestDatabase } from './engines.ts'

export const admin = { name: 'admin', password: 'admin-password', token: 'admin-token-0123456789-0123456789' }

/** Longer than any client of a test takes; who never reads or sends is cut off then. */
const patienceMs = 10_000

export type TestServer = {
  readonly url: string
  /** Node's own. */
  readonly http: Server
  readonly services: Services
  readonly database: TestDatabase
  stop(): Promise<void>
}

export type ServerOptions = {
  /** Taken as it is, so that a test can move time. */
  clock?: Clock
  /** The clock of the machine it runs on, which the database's sets right. */
  machineClock?: Clock
  log?: Log
  environment?: Record<string, string>
  /** Another server's database, to have two processes' worth of servers on one. */
  database?: TestDatabase
  /** In place of the system's, for webhooks. */
  resolve?: Resolve
  /** Passwords cost what they do in earnest. */
  hashesInEarnest?: boolean
  executorInside?: () => ExecutorState
  /** In place of the interface's presenters, for payloads of webhooks. */
  composePayload?: ComposePayload
}

/** Hundreds of people sign in in tests, and to be slow is all that the memory of a hash is for. */
const lightHashKib = 64

export async function startServer(engine: Engine, options: ServerOptions = {}): Promise<TestServer> {
  const { log = silentLog, environment = {} } = options
  const database = options.database ?? (await makeMigratedDatabase(engine))
  const settings = readSettings({
    GUILDHALL_PORT: '0',
    GUILDHALL_DATA: database.folder,
    GUILDHALL_EXECUTORS: '0',
    ...(database.url && { DATABASE_URL: database.url }),
    ...environment,
  })
  const store = await database.open(log)
  const { dataFolder, databaseUrl } = settings
  const id = await pairInstallation({ store, dataFolder, databaseUrl }).catch(async (error) => {
    await store.close()
    throw error
  })
  const folder = watchFolder({ folder: dataFolder, id, log })
  const clock = options.clock ?? store.alignClock(options.machineClock ?? systemClock)
  const { resolve, hashesInEarnest, executorInside } = options
  const passwords = hashesInEarnest ? undefined : makePasswords(undefined, lightHashKib)
  const services = await makeServices({ settings, store, clock, log, folder, resolve, passwords, executorInside })
  const { webhooks } = services.forge
  const { defineComposing } = webhooks
  webhooks.defineComposing = (compose) => defineComposing(options.composePayload ?? compose)
  await makeAdmin(services)
  const server = await makeServer(services)
  await server.listen({ host: settings.host, port: 0 })
  await services.start()
  const { port } = server.server.address() as AddressInfo
  return {
    url: `http://${settings.host === '::1' ? '[::1]' : '127.0.0.1'}:${port}`,
    http: server.server,
    services,
    database,
    async stop() {
      await closeServer(server, patienceMs)
      await services.close()
      if (!options.database) await database.drop()
    },
  }
}

/** Hashed once in a process: that takes its time on purpose, and every server has the same admin. */
let hashOfAdmin: string | null | undefined

/** As a first start does. */
async function makeAdmin(services: Services): Promise<void> {
  const { accounts, tokens, store } = services
  if (await accounts.hasAdmin()) return
  if (hashOfAdmin) {
    const { name, token: text } = admin
    await accounts.insert({ name, displayName: name, role: 'admin' }, async (trx, account) => {
      await trx.updateTable('account').set({ password_hash: hashOfAdmin! }).where('id', '=', account.id).execute()
      await tokens.make(account, { kind: 'classic', note: 'first start', scopes: everyScope, text }, trx)
    })
    return
  }
  await makeFirstAdmin(services, admin)
  const made = store.db.selectFrom('account').select('password_hash').where('name', '=', admin.name)
  hashOfAdmin = (await made.executeTakeFirst())?.password_hash
}
