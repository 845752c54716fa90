/** What becomes of repositories' folders that lost their row, and of rows that lost their folder: nothing is deleted, nothing made up. */
import assert from 'node:assert/strict'
import { access, mkdir, readdir, rename, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeLog } from '../../src/lib/log.ts'
import { takeHold } from '../../src/store/installation/backup-hold.ts'
import { type Engine, engines, makeDatabase, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { runProgram } from '../support/program.ts'
import { asAdmin } from '../support/rest.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const environment = { GUILDHALL_LIMITS: 'off' }

async function begin(t: TestContext, engine: Engine) {
  const database = await makeMigratedDatabase(engine)
  t.after(database.drop)
  return { database, server: await start(t, engine, database) }
}

async function start(t: TestContext, engine: Engine, database: TestDatabase, lines: string[] = []) {
  const log = makeLog('warn', { write: (line) => void lines.push(line) })
  const server = await startServer(engine, { database, environment, log })
  let isRunning = true
  const stop = async () => {
    if (isRunning) await server.stop()
    isRunning = false
  }
  t.after(stop)
  return { ...server, stop }
}

async function addRepository(server: TestServer, name: string): Promise<{ id: number; folder: string }> {
  const { status, body } = await asAdmin(server).post('/user/repos', { name, auto_init: true })
  assert.equal(status, 201)
  return { id: body.id, folder: server.services.forge.git.folderOf(body) }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

test('what a killed server left half made is removed while a server runs, once it is a day old', async (t) => {
  const { database, server } = await begin(t, 'sqlite')
  const { store, jobs } = server.services
  const drafts = join(database.folder, 'repositories', 'coming')
  for (const name of ['old', 'new']) await mkdir(join(drafts, name, 'objects'), { recursive: true })
  const before = Date.now() / 1000 - 25 * 60 * 60
  await utimes(join(drafts, 'old'), before, before)
  await store.write((trx) => jobs.enqueue(trx, 'forge.draft-sweep', {}))
  await until(async () => !(await isThere(join(drafts, 'old'))))
  assert.deepEqual(await readdir(drafts), ['new'])
})

for (const engine of engines) {
  test(`${engine}: a start with another database touches no repository`, async (t) => {
    const { database, server } = await begin(t, engine)
    const made = [await addRepository(server, 'one'), await addRepository(server, 'two')]
    const other = await makeMigratedDatabase('postgres')
    t.after(other.drop)
    const pair = { ...other, folder: database.folder }
    await assert.rejects(startServer('postgres', { database: pair, environment }), /belongs to another database/)
    await server.stop()
    await assert.rejects(startServer('postgres', { database: pair, environment }), /belongs to another database/)
    for (const { folder } of made) assert.ok(await isThere(join(folder, 'HEAD')))
  })

  test(`${engine}: a folder whose row an older copy of the database does not have is set aside, named, and listed by doctor`, async (t) => {
    const { database, server } = await begin(t, engine)
    const { id, folder } = await addRepository(server, 'newer')
    const kept = await addRepository(server, 'kept')
    // As in a database that was restored to before the repository was made.
    await server.services.store.write((trx) => trx.deleteFrom('repository').where('id', '=', id).execute())
    await server.stop()
    const lines: string[] = []
    const again = await start(t, engine, database, lines)
    assert.ok(!(await isThere(folder)))
    assert.ok(await isThere(kept.folder))
    const said = lines.filter((line) => line.includes('set aside'))
    assert.equal(said.length, 1)
    const aside: string = JSON.parse(said[0]!).kept
    assert.ok(await isThere(join(aside, 'HEAD')))
    await again.stop()
    const quiet: string[] = []
    await (await start(t, engine, database, quiet)).stop()
    assert.deepEqual(quiet, [], 'once')
    const settings = { GUILDHALL_DATA: database.folder, DATABASE_URL: database.url, PATH: '/nowhere' }
    const { out } = await runProgram(['doctor'], settings)
    assert.match(out, new RegExp(`^note {2}set aside +${aside}, \\d+\\.\\d MiB, .*\\n +→ .*push --mirror`, 'm'))
  })

  test(`${engine}: what lies where a new repository's folder comes is kept aside`, async (t) => {
    const { server } = await begin(t, engine)
    const { id } = await addRepository(server, 'before')
    const left = server.services.forge.git.folderOf({ id: id + 1 })
    await mkdir(join(left, 'refs'), { recursive: true })
    assert.deepEqual((await addRepository(server, 'after')).folder, left)
    const root = dirname(dirname(left))
    const [day] = await readdir(join(root, 'aside'))
    assert.deepEqual(await readdir(join(root, 'aside', day!)), [`${id + 1}.git`])
  })

  test(`${engine}: a repository that was deleted on purpose is gone after a crash between its row and its folder`, async (t) => {
    const { database, server } = await begin(t, engine)
    const { id, folder } = await addRepository(server, 'going')
    await server.services.store.write(async (trx) => {
      await trx.deleteFrom('repository').where('id', '=', id).execute()
      await trx.insertInto('repository_deletion').values({ repository_id: id, deleted_at: 1 }).execute()
    })
    await server.stop()
    const again = await start(t, engine, database)
    assert.ok(!(await isThere(folder)))
    assert.deepEqual(await readdir(join(dirname(dirname(folder)), 'aside')), [])
    assert.deepEqual(await again.services.store.db.selectFrom('repository_deletion').selectAll().execute(), [])
  })

  test(`${engine}: a deleted repository's folder stays while a backup is made, and goes after it`, async (t) => {
    const { server } = await begin(t, engine)
    const { store, jobs } = server.services
    const { folder } = await addRepository(server, 'going')
    const hold = await takeHold(store.write, Date.now)
    assert.equal((await asAdmin(server).delete('/repos/admin/going')).status, 204)
    assert.ok(await isThere(folder))
    assert.equal((await asAdmin(server).get('/repos/admin/going')).status, 404)
    await hold.release()
    await store.write((trx) => jobs.enqueue(trx, 'forge.deletions', {}))
    while (await isThere(folder)) await new Promise((resolve) => setTimeout(resolve, 20))
  })

  test(`${engine}: a repository whose folder is missing is an outage in every shape, and none is made in its place`, async (t) => {
    const { database, server } = await begin(t, engine)
    const root = asAdmin(server)
    const { id, folder } = await addRepository(server, 'lost')
    await server.stop()
    const lines: string[] = []
    const again = await start(t, engine, database, lines)
    const rest = asAdmin(again)
    const size = (await rest.get('/repos/admin/lost')).body.size
    assert.ok(size > 0)
    await rename(folder, `${folder}.away`)
    // Its main language has been told with it, from a tree that is remembered.
    for (const path of ['contents', 'commits', 'git/refs', 'tarball', 'contributors']) {
      const answer = await rest.get(`/repos/admin/lost/${path}`)
      // Where the branch's commit is remembered, it is the archive itself that can't be had.
      const location = answer.status === 302 && answer.headers.get('location')
      const { status, body, headers } = location ? await rest.get(new URL(location).pathname) : answer
      assert.deepEqual([status, body.status], [503, '503'], path)
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
    const work = await makeWorkingFolder()
    t.after(work.drop)
    const remote = remoteUrl(again.url, 'admin/lost', admin.name, admin.token)
    const cloned = await work.git('clone', remote, 'copy')
    assert.deepEqual([cloned.code, /503/.test(cloned.output)], [128, true], cloned.output)
    await work.must('commit', '--quiet', '--allow-empty', '-m', 'unrelated')
    const pushed = await work.git('push', remote, 'HEAD:refs/heads/main')
    assert.ok(pushed.code !== 0 && /503/.test(pushed.output), pushed.output)
    assert.equal((await rest.patch('/repos/admin/lost', { description: 'Known by its row.' })).status, 200)
    const { store, jobs } = again.services
    const job = await store.write((trx) => jobs.enqueue(trx, 'forge.tidy', { repositoryId: id }, { maxTries: 1 }))
    while ((await jobs.find(job))?.state !== 'dead') await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal((await rest.get('/repos/admin/lost')).body.size, size)
    assert.ok(!(await isThere(folder)))
    assert.ok(lines.some((line) => line.includes('folder can not be read') && line.includes(folder)))
    await rename(`${folder}.away`, folder)
    assert.equal((await rest.get('/repos/admin/lost/contents')).status, 200)
    assert.equal(root.token, admin.token)
  })
}

test('a second server with a folder of its own on the same PostgreSQL does not start', async (t) => {
  const { database, server } = await begin(t, 'postgres')
  await addRepository(server, 'shared')
  const other = await makeDatabase('sqlite')
  t.after(other.drop)
  const pair = { ...database, folder: other.folder }
  await assert.rejects(startServer('postgres', { database: pair, environment }), /Set GUILDHALL_DATA to the folder/)
  assert.deepEqual(await readdir(other.folder), [])
})

test('a data folder that is unmounted while the server runs is told, and nothing is made in its place', async (t) => {
  const { database, server } = await begin(t, 'postgres')
  const rest = asAdmin(server)
  await addRepository(server, 'shared')
  await rename(database.folder, `${database.folder}.away`)
  await mkdir(database.folder)
  // A look that is late, or was under way before, is not waited for by who asks.
  const told = (status: number, dataFolder: string) =>
    until(async () => {
      const response = await fetch(`${server.url}/readyz`)
      return response.status === status && ((await response.json()) as { dataFolder: string }).dataFolder === dataFolder
    })
  const statuses = async () => [
    (await rest.get('/repos/admin/shared/contents')).status,
    (await rest.post('/user/repos', { name: 'fresh', auto_init: true })).status,
    (await rest.delete('/repos/admin/shared')).status,
  ]
  // Before and after the server has looked.
  assert.deepEqual((await statuses()).slice(0, 2), [503, 503])
  await told(503, 'is not mounted')
  assert.deepEqual((await statuses()).slice(0, 2), [404, 503])
  assert.deepEqual(await readdir(database.folder), [])
  await rename(database.folder, `${database.folder}.empty`)
  await rename(`${database.folder}.away`, database.folder)
  await told(200, 'ok')
  assert.equal((await rest.post('/user/repos', { name: 'fresh', auto_init: true })).status, 201)
  // What was deleted meanwhile goes as soon as it can be reached.
  await server.services.store.write((trx) => server.services.jobs.enqueue(trx, 'forge.deletions', {}))
  const waiting = () => server.services.store.db.selectFrom('repository_deletion').selectAll().execute()
  while ((await waiting()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await rename(`${database.folder}.empty`, join(database.folder, 'empty'))
})
