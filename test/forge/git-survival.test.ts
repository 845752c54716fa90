/** Pushes through kill -9 and through a backup: what was answered is there, and git and the database agree. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/lib/clock.ts'
import { type Engine, engines, makeDatabase, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl, runGit } from '../support/git.ts'
import { type Program, runProgram, startProgram } from '../support/program.ts'
import { makeRest } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { admin, startServer } from '../support/server.ts'
import { type KeyPair, makeKeyRing } from '../support/ssh.ts'
import { demandAgreement, makePusher, type Pusher } from './pusher.ts'

const environmentOf = ({ folder, url }: TestDatabase) => ({
  GUILDHALL_DATA: folder,
  ...(url && { DATABASE_URL: url }),
  GUILDHALL_ADMIN_PASSWORD: admin.password,
  GUILDHALL_ADMIN_TOKEN: admin.token,
  GUILDHALL_LIMITS: 'off',
  GUILDHALL_LOG: 'silent',
  GUILDHALL_SSH_PORT: '0',
})

type Place = {
  readonly database: TestDatabase
  readonly pushers: readonly Pusher[]
  readonly closers: (() => unknown)[]
}

async function prepare(t: TestContext, engine: Engine, key?: KeyPair): Promise<Place> {
  const database = await makeMigratedDatabase(engine)
  const pushers = await Promise.all(['one', 'two', 'three'].map((branch) => makePusher(branch, key)))
  const closers: Place['closers'] = [database.drop, ...pushers.map(({ drop }) => drop)]
  t.after(async () => {
    for (const close of closers.reverse()) await close()
  })
  return { database, pushers, closers }
}

async function start({ database, closers }: Place): Promise<Program> {
  const server = await startProgram(environmentOf(database))
  closers.push(() => server.end('SIGKILL'))
  return server
}

const makeRepository = ({ url }: Program) => makeRest(url, admin.token).post('/user/repos', { name: 'pushed' })

/**
 * In this process, so that its database can be looked into, and some minutes later: where other servers may be on the
 * database, a push is nobody's only after that.
 */
async function look({ closers }: Place, database: TestDatabase, isExact: boolean): Promise<Map<string, string>> {
  const clock = { now: () => systemClock.now() + 5 * 60_000 }
  const engine = database.url ? 'postgres' : 'sqlite'
  const server = await startServer(engine, { clock, database, environment: { GUILDHALL_LIMITS: 'off' } })
  closers.push(() => server.stop())
  return demandAgreement(server, isExact)
}

describe('pushes', () => {
  for (const engine of engines)
    test(`that arrived on ${engine} with a server that died show everywhere once their client has sent them again`, async (t) => {
      const server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      t.after(() => server.stop())
      const folder = await makeWorkingFolder()
      t.after(() => folder.drop())
      const root = makeRest(server.url, admin.token)
      const { body: repository } = await root.post('/user/repos', { name: 'again' })
      const remote = remoteUrl(server.url, 'admin/again', admin.name, admin.token)
      const list = async () => (await root.get('/repos/admin/again/commits')).body.map(({ sha }: Json) => sha)
      await folder.must('commit', '--quiet', '--allow-empty', '-m', 'first')
      await folder.must('push', '--quiet', remote, 'main')
      const before = await folder.must('rev-parse', 'HEAD')
      assert.deepEqual(await list(), [before])

      // As a server does that dies after git has moved the ref.
      await folder.must('commit', '--quiet', '--allow-empty', '-m', 'second')
      const after = await folder.must('rev-parse', 'HEAD')
      const { accounts, forge, store } = server.services
      const { id } = (await accounts.findByName(admin.name))!
      const changes = JSON.stringify([{ ref: 'refs/heads/main', before, after }])
      const open = {
        repository_id: repository.id,
        pusher_id: id,
        state: 'receiving' as const,
        changes,
        created_at: Date.now(),
      }
      await store.write((trx) => trx.insertInto('push').values(open).execute())
      await folder.must('push', '--quiet', forge.git.folderOf(repository), 'main')

      assert.match(await folder.must('push', remote, 'main'), /up-to-date/)
      assert.deepEqual(await list(), [after, before])
    })

  for (const [engine, way] of [
    ['sqlite', 'HTTP'],
    ['postgres', 'HTTP'],
    ['sqlite', 'SSH'],
  ] as const)
    test(`over ${way} of a server on ${engine} that is killed again and again are there when they were answered, and agree with the database`, async (t) => {
      const ring = await makeKeyRing()
      t.after(() => ring.drop())
      const key = way === 'SSH' ? await ring.make() : undefined
      const place = await prepare(t, engine, key)
      const { database, pushers } = place
      for (let round = 0; round < 2; round++) {
        const server = await start(place)
        if (round === 0) assert.equal((await makeRepository(server)).status, 201)
        if (round === 0 && key)
          assert.equal((await makeRest(server.url, admin.token).post('/user/keys', { key: key.line })).status, 201)
        const before = pushers.map(({ answered }) => answered)
        let isOver = false
        const working = Promise.all(pushers.map((pusher) => pusher.work(server.url))).finally(() => {
          isOver = true
        })
        while (!isOver && pushers.every(({ answered }, i) => answered === before[i])) await sleep(20)
        await sleep(Math.random() * 1_000)
        await server.end('SIGKILL')
        await working
      }
      const refs = await look(place, database, true)
      for (const { branch, answered, sent } of pushers) {
        const now = refs.get(`refs/heads/${branch}`)
        assert.ok([answered, ...sent].includes(now), `${branch} is at ${now}, not ${answered} or one of ${sent}`)
      }
    })

  test('and repacks while a backup is made are whole in it, up to the last that was answered before it', async (t) => {
    const place = await prepare(t, 'sqlite')
    const { database, pushers, closers } = place
    const server = await start(place)
    const { body } = await makeRepository(server)
    const folder = join(
      database.folder,
      'repositories',
      (body.id % 256).toString(16).padStart(2, '0'),
      `${body.id}.git`,
    )
    let goesOn = true
    const working = pushers.map((pusher) => pusher.work(server.url, () => goesOn))
    const packing = (async () => {
      while (goesOn) await runGit(folder, ['--git-dir', '.', 'repack', '-a', '-d', '--quiet'])
    })()
    while (pushers.some(({ answered }) => answered === undefined)) await sleep(50)
    const due = pushers.map(({ branch, answered }) => [branch, answered!] as const)
    const archive = `${database.folder}.tar.gz`
    closers.push(() => rm(archive, { force: true }))
    const made = await runProgram(['backup', archive], environmentOf(database))
    goesOn = false
    await Promise.all([...working, packing, server.end('SIGTERM')])
    assert.equal(made.code, 0, made.err)

    const back = await makeDatabase('sqlite')
    closers.push(back.drop)
    await rm(back.folder, { recursive: true })
    const restored = await runProgram(['restore', archive], environmentOf(back))
    assert.equal(restored.code, 0, restored.err)
    await look(place, back, false)
    const copy = folder.replace(database.folder, back.folder)
    for (const [branch, sha] of due) {
      const { code } = await runGit(copy, [
        '--git-dir',
        '.',
        'merge-base',
        '--is-ancestor',
        sha,
        `refs/heads/${branch}`,
      ])
      assert.equal(code, 0, branch)
    }
  })
})
