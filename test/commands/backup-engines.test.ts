/** Backups of both databases under work, brought back into both: nothing that was answered is missing, and all of it fits together. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { RefChange } from '../../src/forge/git/push/ref-change.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Snapshot } from '../../src/store/dump/dump.ts'
import { listRepositoryFolders } from '../../src/store/installation/inspection.ts'
import { openPostgresSnapshot } from '../../src/store/postgres/dump.ts'
import { openSqliteSnapshot } from '../../src/store/sqlite/dump.ts'
import { makePusher } from '../forge/pusher.ts'
import { type Engine, engines, makeDatabase, type TestDatabase } from '../support/engines.ts'
import { runGit } from '../support/git.ts'
import { runProgram } from '../support/program.ts'
import { asAdmin } from '../support/rest.ts'
import { type Json, makeRpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const environment = { GUILDHALL_LIMITS: 'off' }

const settingsOf = ({ folder, url }: TestDatabase) => ({ GUILDHALL_DATA: folder, DATABASE_URL: url })

async function makePlace(t: TestContext): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'guildhall-backups-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  return place
}

async function makeTarget(t: TestContext, engine: Engine): Promise<TestDatabase> {
  const database = await makeDatabase(engine)
  t.after(database.drop)
  return database
}

async function restore(t: TestContext, archive: string, engine: Engine): Promise<TestDatabase> {
  const target = await makeTarget(t, engine)
  const { code, err } = await runProgram(['restore', archive], settingsOf(target))
  assert.equal(code, 0, err)
  return target
}

/** Every row has its folder, every folder its row, and git is content with each. */
async function demandWholeRepositories({ services, database }: TestServer): Promise<void> {
  const rows = await services.store.db.selectFrom('repository').select('id').execute()
  const folders: number[] = []
  for await (const ids of listRepositoryFolders(database.folder)) folders.push(...ids)
  const inOrder = (ids: number[]) => ids.sort((a, b) => a - b)
  assert.deepEqual(inOrder(folders), inOrder(rows.map(({ id }) => id)))
  for (const { id } of rows) {
    const { code, output } = await runGit(services.forge.git.folderOf({ id }), ['--git-dir', '.', 'fsck', '--full'])
    assert.equal(code, 0, output)
  }
  assert.deepEqual(await readdir(join(database.folder, 'repositories', 'aside')), [])
}

/** No repository is older than what the rows tell of it. */
async function demandPushes({ services }: TestServer): Promise<void> {
  const pushes = await services.store.db.selectFrom('push').selectAll().where('state', '=', 'received').execute()
  for (const { repository_id, changes } of pushes) {
    for (const { ref, after } of JSON.parse(changes) as RefChange[]) {
      const folder = services.forge.git.folderOf({ id: repository_id })
      const { code, output } = await runGit(folder, ['--git-dir', '.', 'merge-base', '--is-ancestor', after, ref])
      assert.equal(code, 0, `${after} is not in ${ref} of ${repository_id}: ${output}`)
    }
  }
}

async function handIn({ url }: TestServer): Promise<Json> {
  const judge = makeRpcClient(url, admin.token)
  const limits = { TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 * 1024 * 1024 }
  const draft = { DisplayName: 'Sum', Description: 'Add.', ExampleList: [], ...limits }
  const { Problem: problem } = await judge.call('create_problem', draft)
  await judge.call('create_test_case', { ProblemUUID: problem.UUID, Input: '1 2', Output: '3', IsHidden: true })
  const work = { ProblemUUID: problem.UUID, Content: 'print(3)', Language: 'python' }
  const { SubmissionSnippet: snippet } = await judge.call('create_submission', work)
  return judge.call('get_submission', { ID: snippet.ID })
}

for (const engine of engines) {
  // From SQLite into SQLite it comes back in `forge/git-survival`.
  const targets = engine === 'sqlite' ? (['postgres'] as const) : engines
  test(`a backup of ${engine} that is made while servers work comes back whole into ${targets.join(' and ')}`, async (t) => {
    const place = await makePlace(t)
    const first = await startServer(engine, { environment })
    const servers = [first]
    if (engine === 'postgres') servers.push(await startServer(engine, { environment, database: first.database }))
    const pusher = await makePusher('one')
    const rest = asAdmin(servers.at(-1)!)
    await rest.post('/user/repos', { name: 'pushed' })
    const { Submission: handedIn } = await handIn(first)
    let goesOn = true
    const kept = new Set<string>()
    const gone = new Set<string>()
    const accounts: string[] = []
    const workers = [
      pusher.work(first.url, () => goesOn),
      (async () => {
        for (let i = 0; goesOn; i++) {
          const name = `r${i}`
          assert.equal((await rest.post('/user/repos', { name, auto_init: true })).status, 201)
          kept.add(name)
          if (i < 3) continue
          const old = `r${i - 3}`
          kept.delete(old)
          assert.equal((await rest.delete(`/repos/admin/${old}`)).status, 204)
          gone.add(old)
        }
      })(),
      (async () => {
        for (let i = 0; goesOn; i++) {
          assert.equal((await asAdmin(first).post('/admin/users', { login: `user-${i}` })).status, 201)
          accounts.push(`user-${i}`)
        }
      })(),
    ]
    while (pusher.answered === undefined || gone.size < 2 || accounts.length < 3)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const due = { pushed: pusher.answered!, gone: [...gone], accounts: [...accounts] }
    const archive = join(place, 'busy.tar.gz')
    const made = await runProgram(['backup', archive], settingsOf(first.database))
    goesOn = false
    await Promise.all(workers)
    assert.deepEqual([made.code, made.err], [0, ''])
    for (const server of servers.reverse()) await server.stop()
    await pusher.drop()

    for (const target of targets) {
      const database = await restore(t, archive, target)
      // Some minutes later: a push that was on its way is nobody's only then.
      const clock = { now: () => systemClock.now() + 5 * 60_000 }
      const server = await startServer(target, { environment, database, clock })
      try {
        await demandWholeRepositories(server)
        await demandPushes(server)
        const folder = server.services.forge.git.folderOf({ id: 1 })
        const { code } = await runGit(folder, ['--git-dir', '.', 'merge-base', '--is-ancestor', due.pushed, 'one'])
        assert.equal(code, 0, 'what was answered before is in its branch')
        const judge = makeRpcClient(server.url, admin.token)
        assert.deepEqual((await judge.call('get_submission', { ID: handedIn.ID })).Submission, handedIn)
        for (const name of due.gone) assert.equal((await asAdmin(server).get(`/repos/admin/${name}`)).status, 404, name)
        for (const login of due.accounts)
          assert.equal((await asAdmin(server).get(`/users/${login}`)).status, 200, login)
        assert.equal((await asAdmin(server).post('/user/repos', { name: 'next', auto_init: true })).status, 201)
      } finally {
        await server.stop()
      }
    }
  })
}

const openSnapshot = async ({ folder, url }: TestDatabase): Promise<Snapshot> =>
  url ? openPostgresSnapshot(url) : openSqliteSnapshot(join(folder, 'guildhall.db'))

/** Every row of every table, in no order. */
async function readAll(database: TestDatabase): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(database)
  const all: Record<string, string[]> = {
    '(sequences)': [JSON.stringify(Object.entries(snapshot.head.sequences).sort())],
  }
  const { decodeRows } = await import('../../src/store/dump/rows.ts')
  for (const table of snapshot.head.tables) {
    const rows: string[] = []
    for await (const piece of snapshot.rows(table))
      for (const values of decodeRows(piece, table)) rows.push(JSON.stringify(values))
    all[table.name] = rows.sort()
  }
  await snapshot.close()
  return all
}

test('every row goes from SQLite to PostgreSQL and back as it was, with the ids that were given', async (t) => {
  const place = await makePlace(t)
  const source = await makeTarget(t, 'sqlite')
  const server = await startServer('sqlite', { environment, database: source })
  const rest = asAdmin(server)
  await rest.post('/user/repos', { name: 'one', auto_init: true, description: 'Zwölf Boxkämpfer – 🥊' })
  await rest.post('/user/repos', { name: 'two' })
  await rest.delete('/repos/admin/two')
  await rest.post('/admin/organizations', { login: 'org', admin: 'admin' })
  const rpc = makeRpcClient(server.url)
  await rpc.signIn(admin.name, admin.password)
  const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' }
  const post = (path: string, body: unknown) =>
    fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { data } = (await (await post('/v2/datasets?name=d', {})).json()) as { data: { id: string } }
  const items = Array.from({ length: 3 }, (_, i) => ({ i, text: 'x'.repeat(2_000_000) }))
  assert.equal((await post(`/v2/datasets/${data.id}/items`, items)).status, 201)
  const indexed = { method: 'PUT', headers, body: JSON.stringify({ indexes: ['i', 'text'] }) }
  assert.equal((await fetch(`${server.url}/v2/datasets/${data.id}`, indexed)).status, 200)
  await server.services.datasets.settle()
  await server.stop()
  const before = await readAll(source)
  assert.ok(before.dataset_chunk!.length > 0 && before.list_count!.length > 0)
  assert.equal(before.dataset_index_entry!.length, 6)

  let [from, engine] = [source, 'postgres' as Engine]
  for (const step of ['there', 'back']) {
    const archive = join(place, `${step}.tar.gz`)
    const made = await runProgram(['backup', archive], settingsOf(from))
    assert.deepEqual([made.code, made.err], [0, ''])
    from = await restore(t, archive, engine)
    engine = 'sqlite'
    assert.deepEqual(await readAll(from), before, step)
    const refused = await runProgram(['restore', archive], settingsOf(from))
    assert.deepEqual([refused.code, /not empty/.test(refused.err)], [1, true])
  }
  const again = await startServer('sqlite', { environment, database: from })
  t.after(() => again.stop())
  const { body } = await asAdmin(again).post('/user/repos', { name: 'three' })
  assert.equal(body.id, 3, 'an id that was given is not given again')
})

test('a PostgreSQL that is not empty is refused, and the folder left alone', async (t) => {
  const place = await makePlace(t)
  const server = await startServer('postgres', { environment })
  const archive = join(place, 'a.tar.gz')
  const made = await runProgram(['backup', archive], settingsOf(server.database))
  assert.equal(made.code, 0, made.err)
  const target = { GUILDHALL_DATA: join(place, 'new'), DATABASE_URL: server.database.url }
  const { code, err } = await runProgram(['restore', archive], target)
  assert.deepEqual([code, /database of DATABASE_URL is not empty/.test(err)], [1, true])
  assert.deepEqual(
    (await readdir(target.GUILDHALL_DATA)).filter((name) => !name.startsWith('serving.lock')),
    [],
  )
  await server.stop()
})

test('a restore into PostgreSQL that was cut short at its very end is finished by the next', async (t) => {
  const place = await makePlace(t)
  const source = await makeTarget(t, 'sqlite')
  const server = await startServer('sqlite', { environment, database: source })
  await asAdmin(server).post('/user/repos', { name: 'one', auto_init: true })
  await server.stop()
  const archive = join(place, 'a.tar.gz')
  assert.equal((await runProgram(['backup', archive], settingsOf(source))).code, 0)
  const target = await restore(t, archive, 'postgres')
  await writeFile(join(target.folder, 'restoring'), '')
  const refused = await runProgram(['serve'], settingsOf(target))
  assert.deepEqual([refused.code, /cut short/.test(refused.err)], [1, true])
  const finished = await runProgram(['restore', archive], settingsOf(target))
  assert.deepEqual([finished.code, /is complete/.test(finished.out)], [0, true], finished.err)
  const again = await startServer('postgres', { environment, database: target })
  t.after(() => again.stop())
  await demandWholeRepositories(again)
})

test('an archive of the first format, with the SQLite file in it, comes back into either database', async (t) => {
  const place = await makePlace(t)
  const source = await makeTarget(t, 'sqlite')
  const server = await startServer('sqlite', { environment, database: source })
  await asAdmin(server).post('/user/repos', { name: 'one', auto_init: true })
  // As before there was an id.
  await server.services.store.write((trx) => trx.deleteFrom('installation').execute())
  await server.stop()
  const archive = join(place, 'old.tar.gz')
  const tar = pack()
  const files: Record<string, [number, string]> = {}
  const entries = await readdir(source.folder, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name).slice(source.folder.length + 1)
    if (/^(?:serving\.lock|installation-id|guildhall\.db-)/.test(path)) continue
    const bytes = await readFile(join(parentPath, name))
    tar.entry({ name: path }, bytes)
    files[path] = [bytes.length, createHash('sha256').update(bytes).digest('hex')]
  }
  tar.entry({ name: 'backup.json' }, JSON.stringify({ format: 1, files }))
  tar.finalize()
  await pipeline(Readable.from(tar), createGzip(), createWriteStream(archive))
  for (const engine of engines) {
    const target = await restore(t, archive, engine)
    const again = await startServer(engine, { environment, database: target })
    t.after(() => again.stop())
    await demandWholeRepositories(again)
    assert.equal((await asAdmin(again).get('/repos/admin/one/contents')).status, 200)
  }
})

test('a copy of a data folder with its database starts by itself', async (t) => {
  const place = await makePlace(t)
  const source = await makeTarget(t, 'sqlite')
  const server = await startServer('sqlite', { environment, database: source })
  await asAdmin(server).post('/user/repos', { name: 'one', auto_init: true })
  await server.stop()
  await cp(source.folder, join(place, 'copy'), { recursive: true })
  const target = await makeTarget(t, 'sqlite')
  await rm(target.folder, { recursive: true })
  await cp(join(place, 'copy'), target.folder, { recursive: true })
  const copy = await startServer('sqlite', { environment, database: target })
  t.after(() => copy.stop())
  assert.equal((await asAdmin(copy).get('/repos/admin/one/contents')).status, 200)
})
