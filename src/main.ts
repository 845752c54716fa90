/** The server process: settings → store → services → server → listen, and a graceful shutdown. */
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import { makeFirstAdmin } from './accounts/first-admin.ts'
import { findBundle } from './api/web/bundle.ts'
import { startExecutorInside } from './executor-inside.ts'
import { systemClock } from './lib/clock.ts'
import { OperatorError } from './lib/failure.ts'
import { type Log, makeLog } from './lib/log.ts'
import { followParent } from './lib/process/parent.ts'
import { type ExecutorState, notStarted } from './readiness.ts'
import { closeServer, makeServer } from './server.ts'
import { makeServices, type Services } from './services.ts'
import type { Settings } from './settings.ts'
import { demandWhole, demandWritable, holdFolder, prepareFolder } from './store/files/data-folder.ts'
import { type FolderWatch, watchFolder } from './store/installation/folder-watch.ts'
import { demandDatabaseFile, pairInstallation } from './store/installation/installation.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/store.ts'
import { survive } from './unhandled.ts'

/** After SIGTERM running requests have this long to end; then their connections are closed. */
const graceMs = 8_000
/** Work that has not ended by then never will: the process exits. */
const lastMs = 9_500

/** Serves until it is told to stop. Everything opened is closed in reverse order, whether it stops or fails. */
export async function serve(settings: Settings): Promise<void> {
  const askedToEnd = awaitEnd()
  const log = makeLog(settings.logLevel)
  const closers: (() => unknown)[] = []
  let endingAt: number | undefined
  try {
    await demandFreePort(settings)
    // With PostgreSQL the folder is made only once both are known to be new: a refused start leaves none behind.
    if (settings.databaseUrl) demandWritable(settings.dataFolder)
    else {
      prepareFolder(settings.dataFolder)
      closers.push(holdFolder(settings.dataFolder))
    }
    demandWhole(settings.dataFolder)
    await demandDatabaseFile(settings)
    const store = await openStore(settings, log)
    const folder = await pairOrClose(settings, store, log)
    let executor: ExecutorState | undefined
    const executorInside = () => executor ?? notStarted()
    const clock = store.alignClock(systemClock)
    const services = await makeServices({ settings, store, clock, log, folder, executorInside })
    closers.push(() => services.close())
    const server = await makeServer(services)
    closers.push(() => closeServer(server, endingAt === undefined ? 0 : endingAt + graceMs - performance.now()))
    const letIn = holdRequests(server)
    closers.push(letIn)
    await listen(server, settings)
    // The admin is made once the server listens: the random password of a failed start would never be printed.
    const firstPassword = await makeFirstAdmin(services, {
      name: settings.adminName,
      password: settings.adminPassword,
      token: settings.adminToken,
    })
    await services.start()
    // From the first request on; before that, errors must end the start.
    survive(log)
    letIn()
    const { port } = server.server.address() as AddressInfo
    const started = await startExecutorInside(services, `http://${loopback(settings.host)}:${port}`)
    // The executor is stopped first, since it returns unfinished submissions over the interface.
    if (started) closers.push(() => started.stop())
    executor = started
    announce(port, settings, firstPassword, await isTokenUnknown(services))
    findBundle().catch((error) => log.error({ err: error }, 'the page could not be made from its sources'))
    // Node would write its compile cache only at exit, and after a kill the next start would be slow again.
    flushCompileCache()
    log.info({ why: await askedToEnd }, 'stopping')
    endingAt = performance.now()
    setTimeout(() => process.exit(1), lastMs).unref()
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Checks that the folder and the database belong together, before anything in the folder is touched. */
async function pairOrClose({ dataFolder, databaseUrl }: Settings, store: Store, log: Log): Promise<FolderWatch> {
  try {
    const id = await pairInstallation({ store, dataFolder, databaseUrl })
    return watchFolder({ folder: dataFolder, id, log })
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Resolves with the reason to stop: a signal, or the end of the parent process, which nobody else could report. */
function awaitEnd(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
    process.on('disconnect', () => resolve('parent gone'))
    followParent(() => resolve('parent gone'))
    process.channel?.unref()
  })
}

type Listening = Awaited<ReturnType<typeof makeServer>>

/** Runs before anything is made: a first start that can't listen leaves no database behind. */
async function demandFreePort(settings: Settings): Promise<void> {
  const probe = createServer()
  await listen({ listen: async (address) => once(probe.listen(address), 'listening') }, settings)
  await promisify(probe.close.bind(probe))()
}

type Address = { readonly host: string; readonly port: number }

async function listen(server: { listen(address: Address): Promise<unknown> }, address: Address): Promise<void> {
  const { host, port } = address
  try {
    await server.listen({ host, port })
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new OperatorError(`Port ${port} is in use: stop what uses it, or set GUILDHALL_PORT (0 picks a free one).`)
    throw new OperatorError(`The server can't listen on ${host}:${port}: ${message}. Check GUILDHALL_HOST and _PORT.`)
  }
}

/** Holds requests until the first admin exists: otherwise the first answer might say that its token is unknown. */
function holdRequests({ server }: Listening): () => void {
  const answer = server.listeners('request')
  const held: unknown[][] = []
  server.removeAllListeners('request').on('request', (...exchange) => held.push(exchange))
  return () => {
    if (answer.length === 0) return
    server.removeAllListeners('request')
    for (const listener of answer.splice(0)) server.on('request', listener as () => void)
    for (const exchange of held.splice(0)) server.emit('request', ...exchange)
  }
}

/** The address at which this machine reaches a server that listens on `host`. */
function loopback(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** GUILDHALL_ADMIN_TOKEN counts only at the first start; setting it later prints a hint. */
async function isTokenUnknown({ settings: { adminToken }, tokens }: Services): Promise<boolean> {
  return adminToken !== undefined && (await tokens.find(adminToken)) === undefined
}

function announce(port: number, settings: Settings, firstPassword: string | undefined, isUnknown: boolean): void {
  const host = /^(?:127\.0\.0\.1|0\.0\.0\.0|::1?)$/.test(settings.host) ? 'localhost' : settings.host
  const lines = [`Guildhall is at ${settings.baseUrl ?? `http://${host}:${port}`}`]
  if (firstPassword) {
    lines.push(`  sign in as ${settings.adminName} with the password ${firstPassword}`)
    lines.push(
      `  (shown only once: write it down; npm run guildhall -- account passwd ${settings.adminName} sets another)`,
    )
  }
  if (isUnknown) {
    lines.push('  GUILDHALL_ADMIN_TOKEN counts at the first start alone, so nobody has this one; for a token of today:')
    lines.push(`  npm run guildhall -- token add ${settings.adminName} --kind classic --scopes all`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
