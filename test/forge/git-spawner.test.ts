/** The spawner, which starts git: what it says of a program is true, and its end or the server's leaves nothing behind. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { on, once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openPair } from '../../src/forge/git/process/spawner/numbered-connection.ts'
import { type Program, startProgram } from '../../src/forge/git/process/spawner/spawner.ts'
import { makeMigratedDatabase } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { makeRest } from '../support/rest.ts'
import { admin } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { commit, mib, startGitServer } from './git-server.ts'
import { listGits } from './running-gits.ts'

const run = (script: string, more: Partial<Program> = {}) =>
  startProgram({ file: '/bin/sh', words: ['-c', script], cwd: '/', env: {}, hasInput: false, ...more })

test('a program’s output, complaint, exit code, signal and processor time are told', async () => {
  const done = await run('echo out; echo wrong >&2; exit 7')
  assert.equal(await text(done.stdout), 'out\n')
  const { code, signal, complaint } = await done.ended
  assert.deepEqual([code, signal, complaint], [7, null, 'wrong\n'])

  const killed = await run('kill -TERM $$')
  assert.deepEqual([(await killed.ended).code, (await killed.ended).signal], [null, 'SIGTERM'])

  const noisy = await run('head -c 100000 /dev/zero >&2', { env: { PATH: process.env.PATH }, maxComplaintBytes: 10 })
  assert.equal((await noisy.ended).complaint.length, 10)

  const busy = await run('i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done')
  assert.ok((await busy.ended).cpuMicros > 0)
})

test('what can’t be started says why, by the system’s own code', async () => {
  await assert.rejects(run('', { file: '/no/such/program' }), { code: 'ENOENT' })
  await assert.rejects(run('', { cwd: '/no/such/folder' }), { code: 'ENOENT' })
  await assert.rejects(run('', { words: ['x'.repeat(4 * mib)] }), { code: 'E2BIG' })
})

test('each of many at once reads its own input and writes its own output', async () => {
  const inputs = Array.from({ length: 40 }, (_, i) => randomBytes(1 + i * 10_000))
  const outputs = await Promise.all(
    inputs.map(async (input) => {
      const { stdin, stdout } = await run('cat', { env: { PATH: process.env.PATH }, hasInput: true })
      stdin!.end(input)
      return buffer(stdout)
    }),
  )
  for (const [i, output] of outputs.entries()) assert.ok(output.equals(inputs[i]!), String(i))
})

test('an end reaches all that a program has started', async () => {
  const child = await run('sleep 1000 & echo $!; wait', { env: { PATH: process.env.PATH } })
  const pid = Number((await child.stdout[Symbol.asyncIterator]().next()).value)
  child.end('SIGKILL')
  assert.equal((await child.ended).signal, 'SIGKILL')
  await until(() => !isRunning(pid))
})

test('an end reaches what outlives a program and holds its streams', async () => {
  const child = await run('sleep 1000 & echo $!', { env: { PATH: process.env.PATH } })
  const pid = Number((await child.stdout[Symbol.asyncIterator]().next()).value)
  await until(() => !isRunning(child.pid))
  child.end('SIGKILL')
  assert.equal((await child.ended).code, 0)
  await until(() => !isRunning(pid))
})

test('a connection that is closed before its program begins is told of, and the spawner goes on', async () => {
  const path = join(import.meta.dirname, '../../src/forge/git/process/spawner/spawner-process.mjs')
  const spawner = fork(path, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const told = async (kind: string) => {
    for await (const [message] of on(spawner, 'message')) if (message.kind === kind) return message
  }
  await told('ready')
  const program = { file: '/bin/true', words: [], cwd: '/', env: {}, maxComplaintBytes: 10 }
  for (const id of [1, 2]) {
    const failed = told('failed')
    spawner.send({ kind: 'start', id, ...program, output: 1000 })
    assert.equal((await failed).id, id)
  }
  const gone = once(spawner, 'exit')
  spawner.disconnect()
  await gone
})

test('of two connections of which one can’t be made none stays open', async () => {
  const address = join(await mkdtemp(join(tmpdir(), 'guildhall-pair-')), 'socket')
  let count = 0
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (++count === 2) return socket.destroy()
    socket.on('close', () => closed.resolve())
    socket.write('1\n')
    socket.resume()
  })
  await new Promise<void>((listening) => server.listen(address, listening))
  await assert.rejects(openPair(address, true))
  await closed.promise
  server.close()
  await rm(dirname(address), { recursive: true })
})

test('a spawner that is killed takes git with it, and the next request has another', async () => {
  const { server, ann, start, stop } = await startGitServer()
  try {
    const folder = await start('large')
    await pushNoise(folder)
    const isSent = () => listGits(server.database.folder).some((words) => words.includes('cat-file'))
    const unread = await askAndReadNothing(server.url, '/repos/ann/large/raw/noise', ann.token!)
    await until(isSent)
    const spawners = listSpawners(process.pid)
    for (const spawner of spawners) process.kill(spawner, 'SIGKILL')
    await until(() => !isSent())
    unread.destroy()
    // What was asked before the server knew of it is told to try again.
    await until(async () => {
      const { status, body } = await ann.get('/repos/ann/large/commits')
      assert.ok(status === 200 || status === 503, String(status))
      return status === 200 && body[0].commit.message === 'noise'
    })
    assert.ok(listSpawners(process.pid).some((pid) => !spawners.includes(pid)))
  } finally {
    await stop()
  }
})

test('a server that is killed leaves no git, no spawner and no socket', async (t) => {
  const database = await makeMigratedDatabase('sqlite')
  const environment = {
    GUILDHALL_ADMIN_PASSWORD: admin.password,
    GUILDHALL_ADMIN_TOKEN: admin.token,
    GUILDHALL_LIMITS: 'off',
  }
  const server = await startServerProcess(database, environment)
  const folder = await makeWorkingFolder()
  t.after(async () => {
    await server.end()
    await Promise.all([database.drop(), folder.drop()])
  })
  assert.equal((await makeRest(server.url, admin.token).post('/user/repos', { name: 'large' })).status, 201)
  await folder.must('remote', 'add', 'origin', remoteUrl(server.url, 'admin/large', 'admin', admin.token))
  await pushNoise(folder)
  const spawners = listSpawners(server.pid)
  assert.equal(spawners.length, 1)
  const sockets = listSockets(spawners[0]!)
  assert.ok(sockets.length === 1 && existsSync(sockets[0]!))
  const unread = await askAndReadNothing(server.url, '/repos/admin/large/raw/noise', admin.token)
  await until(() => listGits(database.folder).some((words) => words.includes('cat-file')))
  await server.end('SIGKILL')
  await until(() => listGits(database.folder).length === 0 && !isRunning(spawners[0]!) && !existsSync(sockets[0]!))
  unread.destroy()
})

async function pushNoise(folder: Awaited<ReturnType<typeof makeWorkingFolder>>): Promise<void> {
  await folder.must('config', 'core.compression', '0')
  await writeFile(join(folder.path, 'noise'), randomBytes(16 * mib))
  await folder.must('add', '.')
  await commit(folder, 'noise')
  await folder.must('push', '--quiet', 'origin', 'main')
}

/** More than fits between git and a client who does not read, so that git waits. */
function askAndReadNothing(url: string, path: string, token: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.pause().on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      resolve(socket)
    })
  })
}

function listSpawners(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`)
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('spawner-process.mjs')
      } catch {
        return false
      }
    })
    .map(Number)
}

/** By the kernel's list of sockets: those that the spawner listens on. */
function listSockets(spawner: number): string[] {
  const prefix = join(tmpdir(), 'guildhall-spawner-')
  const open = new Set(readdirSync(`/proc/${spawner}/fd`).map((fd) => linkOf(`/proc/${spawner}/fd/${fd}`)))
  return readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , , , , state, inode, path]) => state === '01' && open.has(`socket:[${inode}]`) && path?.startsWith(prefix),
    )
    .map((fields) => fields[7]!)
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
