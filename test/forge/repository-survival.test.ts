/** Repositories and their folders come and go together: past a kill, past each other, past what was left behind. */
import assert from 'node:assert/strict'
import { access, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anonymous } from '../../src/accounts/actor.ts'
import { engines, makeMigratedDatabase } from '../support/engines.ts'
import { asAdmin, makeRest } from '../support/rest.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

const nobody = anonymous('test')

for (const engine of engines) {
  describe(`a repository on ${engine}`, () => {
    let server: TestServer
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
    })
    after(() => server.stop())

    test('that is deleted while it is asked about is not found, and its folder does not come back', async () => {
      const { forge } = server.services
      const root = asAdmin(server)
      const { body } = await root.post('/user/repos', { name: 'fleeting', auto_init: true })
      const opened = await forge.opening.find(nobody, { id: body.id })
      await assert.rejects(forge.contents.find(opened!, '1'.repeat(40), ''), { kind: 'not-found' })
      await root.delete('/repos/admin/fleeting')
      for (const late of [
        () => forge.reading.resolve(opened!, 'any'),
        () => forge.serving.advertise(opened!, 'upload-pack', undefined),
        () => forge.git.run(opened!, ['gc', '--auto']),
      ])
        await assert.rejects(late, { kind: 'not-found' })
      await assert.rejects(access(forge.git.folderOf(body)))
    })

    test('asked for and deleted at once is there or not found, never an error', async () => {
      const root = asAdmin(server)
      for (let round = 0; round < 4; round++) {
        const { body } = await root.post('/user/repos', { name: `torn-${round}`, auto_init: true })
        const path = `/repos/admin/torn-${round}`
        const reads = ['commits', 'contents', 'git/refs', 'languages'].map((part) => root.get(`${path}/${part}`))
        const writes = [root.put(`${path}/subscription`), root.put(`${path}/topics`, { names: ['a'] })]
        const [gone, ...answers] = await Promise.all([
          sleep(round * 4).then(() => root.delete(path)),
          ...reads,
          ...writes,
        ])
        assert.equal(gone!.status, 204)
        for (const { status, text } of answers) assert.ok(status === 200 || status === 404, `${status} ${text}`)
        await assert.rejects(access(server.services.forge.git.folderOf(body)))
      }
    })

    test('is new, whatever lies in the place where its folder comes', async () => {
      const root = asAdmin(server)
      const { body } = await root.post('/user/repos', { name: 'before' })
      const left = server.services.forge.git.folderOf({ id: body.id + 1 })
      await mkdir(join(left, 'refs', 'heads'), { recursive: true })
      await writeFile(join(left, 'refs', 'heads', 'old'), `${'1'.repeat(40)}\n`)
      const made = await root.post('/user/repos', { name: 'after', auto_init: true })
      assert.deepEqual([made.status, made.body.id], [201, body.id + 1])
      const { body: refs } = await root.get('/repos/admin/after/git/refs')
      assert.deepEqual(
        refs.map(({ ref }: { ref: string }) => ref),
        ['refs/heads/main'],
      )
    })
  })
}

test('a server that is killed while it makes and deletes repositories leaves none of them half done', async (t) => {
  const database = await makeMigratedDatabase('sqlite')
  t.after(database.drop)
  const environment = {
    GUILDHALL_ADMIN_PASSWORD: admin.password,
    GUILDHALL_ADMIN_TOKEN: admin.token,
    GUILDHALL_LIMITS: 'off',
  }
  const kept = new Set<string>()
  const deleted = new Set<string>()
  for (let round = 0; round < 3; round++) {
    const killed = await startServerProcess(database, environment)
    t.after(() => killed.end())
    const root = makeRest(killed.url, admin.token)
    const work = async (worker: number) => {
      for (let i = 0; ; i++) {
        const name = `r${round}-${worker}-${i}`
        if ((await root.post('/user/repos', { name, auto_init: true })).status === 201) kept.add(name)
        if (i % 2) continue
        kept.delete(name)
        if ((await root.delete(`/repos/admin/${name}`)).status === 204) deleted.add(name)
      }
    }
    const working = Promise.allSettled([0, 1, 2, 3].map(work))
    await sleep(300 + Math.random() * 300)
    await killed.end()
    await working
  }
  const server = await startServer('sqlite', { database, environment: { GUILDHALL_LIMITS: 'off' } })
  t.after(() => server.stop())
  const root = asAdmin(server)
  const rows = await server.services.store.db.selectFrom('repository').select(['id', 'name']).orderBy('id').execute()
  const names = new Set(rows.map(({ name }) => name))
  assert.deepEqual(
    [...kept].filter((name) => !names.has(name)),
    [],
    'every one that was answered is there',
  )
  assert.deepEqual(
    [...deleted].filter((name) => names.has(name)),
    [],
    'none comes back',
  )
  const found: string[] = []
  // What was in place when its row was not yet committed has no row, and is set aside, not deleted.
  const shards = (await readdir(join(database.folder, 'repositories'))).filter((name) => name !== 'aside')
  for (const shard of shards) found.push(...(await readdir(join(database.folder, 'repositories', shard))))
  assert.deepEqual(found.sort(), rows.map(({ id }) => `${id}.git`).sort(), 'each has its folder, and there is no other')
  for (const { name } of rows) assert.equal((await root.get(`/repos/admin/${name}/commits`)).body.length, 1, name)
})
