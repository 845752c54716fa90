/** Two servers, three executors, one PostgreSQL behind a network of ours for each server, one shared data folder. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { builtFile } from '../../scripts/build.mjs'
import type { Random } from '../fuzz/random.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { root } from '../support/program.ts'
import { makeRest } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin } from '../support/server.ts'
import { startTcpProxy, type TcpProxy, targetOf, viaProxy } from '../support/tcp-proxy.ts'
import { type Member, makeMember } from './member.ts'

export type ChaosServer = { readonly url: string; readonly member: Member; readonly proxy: TcpProxy }

export type Cluster = {
  /** All that belongs to it lies in here; whatever process names it is one of its own. */
  readonly folder: string
  readonly dataFolder: string
  readonly stateFolder: string
  /** Whether the data folder is a file system of its own, which can be filled. */
  readonly canBeFull: boolean
  readonly databaseUrl: string
  readonly postgres: PostgresServer
  readonly servers: readonly ChaosServer[]
  readonly executors: readonly Member[]
  /** The words with which a server's clock is off by so much. */
  serverWords(offsetMs: number): string[]
  close(): Promise<void>
}

const diskMib = 64
const leaseMs = 5_000

export async function startCluster(random: Random, language: string): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-chaos-'))
  const [dataFolder, stateFolder] = [join(folder, 'data'), join(folder, 'state')]
  await Promise.all([mkdir(dataFolder), mkdir(stateFolder)])
  const canBeFull =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMib}m`, 'guildhall-chaos', dataFolder]).status === 0
  const closers: (() => unknown)[] = [
    () => rm(folder, { recursive: true, force: true }),
    () => canBeFull && spawnSync('umount', ['--lazy', dataFolder]),
  ]
  const close = async () => {
    for (const act of closers.splice(0).reverse()) await act()
  }
  try {
    const postgres = await startPostgres()
    closers.push(() => postgres.stop())
    const databaseUrl = `${postgres.url}/chaos`
    await createDatabase(postgres.url)
    const servers: ChaosServer[] = []
    for (const name of ['server-0', 'server-1']) {
      const proxy = await startTcpProxy(targetOf(databaseUrl))
      closers.push(() => proxy.close())
      const port = await findPort(random)
      const member = makeMember({
        name,
        words: serverWords(0),
        environment: serverEnvironment({ dataFolder, databaseUrl: viaProxy(databaseUrl, proxy), port }),
        isUp: (output) => output.includes('Guildhall is at'),
      })
      closers.push(() => member.kill())
      await member.start()
      servers.push({ url: `http://127.0.0.1:${port}`, member, proxy })
    }
    const executors: Member[] = []
    for (const number of [0, 1, 2]) {
      const { url } = servers[number % servers.length]!
      const member = makeMember({
        name: `executor-${number}`,
        words: [...executorWords(url, stateFolder, language), '--name', `executor-${number}`],
        environment: {
          GUILDHALL_EXECUTOR_TOKEN: await makeWorkerToken(servers[0]!.url, number),
          GUILDHALL_LOG: 'info',
        },
        isUp: (output) => output.includes('executor ready'),
      })
      closers.push(() => member.kill())
      executors.push(member)
    }
    await Promise.all(executors.map((executor) => executor.start()))
    return { folder, dataFolder, stateFolder, canBeFull, databaseUrl, postgres, servers, executors, serverWords, close }
  } catch (error) {
    await close()
    throw error
  }
}

function serverWords(offsetMs: number): string[] {
  const clock = offsetMs === 0 ? [] : [join(root, 'test/chaos/skewed-clock.ts'), String(offsetMs)]
  return [...clock, builtFile('cli.ts'), 'serve']
}

const executorWords = (url: string, state: string, language: string): string[] => [
  ...[builtFile('cli.ts'), 'executor', '--server', url, '--state', state],
  ...['--only', language, '--parallel', '1'],
]

type Place = { dataFolder: string; databaseUrl: string; port: number }

const serverEnvironment = ({ dataFolder, databaseUrl, port }: Place): Record<string, string> => ({
  GUILDHALL_PORT: String(port),
  GUILDHALL_DATA: dataFolder,
  DATABASE_URL: databaseUrl,
  GUILDHALL_EXECUTORS: '0',
  GUILDHALL_LIMITS: 'off',
  // Leases are short, so that what a killed executor held is soon another's; how many of them are lost says nothing here.
  GUILDHALL_JUDGE_LIMITS: `leaseMs=${leaseMs},losses=100000`,
  GUILDHALL_LOG: 'warn',
  GUILDHALL_ADMIN_NAME: admin.name,
  GUILDHALL_ADMIN_PASSWORD: admin.password,
  GUILDHALL_ADMIN_TOKEN: admin.token,
})

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client(`${url}/postgres`)
  await client.connect()
  await client.query('create database chaos')
  await client.end()
}

async function makeWorkerToken(url: string, number: number): Promise<string> {
  const AccountName = `chaos-worker-${number}`
  const draft = { AccountName, DisplayName: AccountName, Role: 'worker', Password: 'a long password' }
  await makeRpcClient(url, admin.token).call('create_account', draft)
  const made = await makeRest(url, admin.token).post(`/admin/users/${AccountName}/tokens`, {
    kind: 'classic',
    scopes: ['judge'],
  })
  if (made.status !== 201) throw new Error(`no token for ${AccountName}: ${made.text}`)
  return made.body.token
}

/** Below those that the system gives to outgoing connections: a server that is down for a moment must get its port again. */
async function findPort(random: Random): Promise<number> {
  for (;;) {
    const port = 20_000 + random.below(12_000)
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
      server.on('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
