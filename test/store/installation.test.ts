/** A database and a data folder know each other: which pairs start, which are refused, and how two are joined on purpose. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { adoptFolder, pairInstallation } from '../../src/store/installation/installation.ts'
import { probeStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Engine, engines, makeDatabase } from '../support/engines.ts'
import { runProgram, startProgram } from '../support/program.ts'

const repository = 7

const folders = {
  new: async () => {},
  'with a repository': (folder: string) => addRepository(folder, repository),
  'with an id': async (folder: string) => {
    await writeFile(join(folder, 'installation-id'), 'one\n')
    await addRepository(folder, repository)
  },
}

const databases = {
  empty: async () => {},
  'with accounts': (store: Store) => addAccount(store),
  'with the same repository': (store: Store) => addRow(store, repository),
  'with another repository': (store: Store) => addRow(store, repository + 1),
  'with the same id': async (store: Store) => {
    await addRow(store, repository)
    await addId(store, 'one')
  },
  'with another id': async (store: Store) => {
    await addRow(store, repository)
    await addId(store, 'two')
  },
}

const emptyDatabase = /belongs to another database: the database .* is empty.* npm run guildhall -- adopt/
const emptyFolder = /belongs to another data folder: .* Set GUILDHALL_DATA to the folder that all servers .* adopt/
const strangers = /do not belong together.* npm run guildhall -- adopt/

/** `named`: both get a new id. */
const table: Record<keyof typeof folders, Record<keyof typeof databases, 'named' | 'one' | RegExp>> = {
  new: {
    empty: 'named',
    'with accounts': 'named',
    'with the same repository': emptyFolder,
    'with another repository': emptyFolder,
    'with the same id': emptyFolder,
    'with another id': emptyFolder,
  },
  'with a repository': {
    empty: emptyDatabase,
    'with accounts': strangers,
    'with the same repository': 'named',
    'with another repository': strangers,
    'with the same id': strangers,
    'with another id': strangers,
  },
  'with an id': {
    empty: emptyDatabase,
    'with accounts': strangers,
    'with the same repository': strangers,
    'with another repository': strangers,
    'with the same id': 'one',
    'with another id': strangers,
  },
}

for (const engine of engines) {
  for (const [folderState, row] of Object.entries(table) as [keyof typeof folders, (typeof table)['new']][]) {
    for (const [databaseState, due] of Object.entries(row) as [keyof typeof databases, (typeof row)['empty']][]) {
      const outcome = typeof due === 'string' ? due : 'refused'
      test(`${engine}: a folder that is ${folderState} and a database that is ${databaseState}: ${outcome}`, async (t) => {
        const { store, place } = await begin(t, engine)
        await folders[folderState](place.dataFolder)
        await databases[databaseState](store)
        const before = await listAll(place.dataFolder)
        if (typeof due !== 'string') {
          await assert.rejects(pairInstallation({ store, ...place }), due)
          assert.deepEqual(await listAll(place.dataFolder), before)
          return
        }
        const id = await pairInstallation({ store, ...place })
        assert.equal(await readFile(join(place.dataFolder, 'installation-id'), 'utf8'), `${id}\n`)
        assert.equal(await pairInstallation({ store, ...place }), id, 'again')
        if (due === 'one') assert.equal(id, 'one')
        else assert.deepEqual(await listAll(place.dataFolder), [...before, 'installation-id'].sort())
      })
    }
  }

  test(`${engine}: a first start that was cut short between the database and the folder is finished by the next`, async (t) => {
    const { store, place } = await begin(t, engine)
    const id = await pairInstallation({ store, ...place })
    const at = (name: string) => join(place.dataFolder, name)
    await rename(at('installation-id'), at(`installation-id.${id}`))
    assert.equal(await pairInstallation({ store, ...place }), id)
    assert.equal(await readFile(at('installation-id'), 'utf8'), `${id}\n`)
    // Before the database has it, it counts for nothing.
    await store.write((trx) => trx.deleteFrom('installation').execute())
    await rename(at('installation-id'), at(`installation-id.${id}`))
    assert.notEqual(await pairInstallation({ store, ...place }), id)
  })

  test(`${engine}: two that were joined on purpose belong together, and no longer to others`, async (t) => {
    const { store, place } = await begin(t, engine)
    await folders['with an id'](place.dataFolder)
    await databases['with another id'](store)
    await assert.rejects(pairInstallation({ store, ...place }), strangers)
    const id = await adoptFolder({ store, ...place })
    assert.equal(await pairInstallation({ store, ...place }), id)
    assert.ok(!['one', 'two'].includes(id))
  })
}

test('two servers that start at once on a new PostgreSQL and a new shared folder agree on one id', async (t) => {
  const { store, place, open } = await begin(t, 'postgres')
  const others = await Promise.all([open(), open(), open()])
  const ids = await Promise.all([store, ...others].map((each) => pairInstallation({ store: each, ...place })))
  assert.equal(new Set(ids).size, 1)
  assert.deepEqual(await listAll(place.dataFolder), ['installation-id'])
})

test('of two databases that begin in one new folder at once, one has it', async (t) => {
  const [one, two] = [await begin(t, 'postgres'), await begin(t, 'postgres')]
  const results = await Promise.allSettled([
    pairInstallation({ store: one.store, ...one.place }),
    pairInstallation({ store: two.store, ...two.place, dataFolder: one.place.dataFolder }),
  ])
  const [id] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await readFile(join(one.place.dataFolder, 'installation-id'), 'utf8')).trim(), id)
})

test('the program refuses a wrong pair in one line, adopts it when told, and then starts', async (t) => {
  const { place, store } = await begin(t, 'postgres')
  await addRepository(place.dataFolder, repository)
  const environment = { GUILDHALL_DATA: place.dataFolder, DATABASE_URL: place.databaseUrl! }
  const refused = await runProgram(['serve'], environment)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^guildhall: [^\n]+\n$/)
  assert.match(refused.err, emptyDatabase)
  const asked = await runProgram(['adopt'], environment)
  assert.match(asked.out, /in the data folder alone: +1 /)
  assert.deepEqual([asked.code, /say --yes/.test(asked.err)], [1, true])
  assert.deepEqual(await listAll(place.dataFolder), [`repositories/07/${repository}.git/HEAD`])
  assert.equal((await runProgram(['adopt', '--yes'], environment)).code, 0)
  const server = await startProgram(environment)
  t.after(() => server.end('SIGKILL'))
  assert.equal(await server.end('SIGTERM'), 0)
  assert.deepEqual(await store.db.selectFrom('installation').select('singleton').execute(), [{ singleton: 1 }])
})

for (const engine of engines) {
  test(`adopt without --yes makes nothing of a database that is not there yet, on ${engine}`, async (t) => {
    const database = await makeDatabase(engine)
    t.after(() => database.drop())
    const { folder, url } = database
    await addRepository(folder, repository)
    const environment = { GUILDHALL_DATA: folder, DATABASE_URL: url }
    const { code, out, err } = await runProgram(['adopt'], environment)
    assert.deepEqual([code, /Nothing was changed/.test(err)], [1, true])
    assert.match(out, /data folder alone: +1 [\s\S]*There is no database yet: with --yes an empty one is made\.\n$/)
    assert.deepEqual(await listAll(folder), [`repositories/07/${repository}.git/HEAD`])
    if (engine === 'postgres') assert.equal((await probeStore({ databaseUrl: url, dataFolder: folder })).tables.size, 0)
  })
}

test('a start that is refused, or finds no database, leaves no folder behind, and doctor tells it beforehand', async (t) => {
  const { place, store } = await begin(t, 'postgres')
  const missing = join(place.dataFolder, 'share', 'guildhall')
  const ask = (command: string, environment: Record<string, string>) =>
    runProgram([command], {
      GUILDHALL_DATA: missing,
      DATABASE_URL: place.databaseUrl!,
      PATH: '/nowhere',
      ...environment,
    })
  const fresh = await ask('doctor', {})
  assert.match(fresh.out, /^note {2}data folder .*is not there yet: serve would begin a new one/m)
  assert.equal(fresh.code, 0)
  await addRow(store, repository)
  const told = await ask('doctor', {})
  assert.match(told.out, new RegExp(`^FAIL .*${emptyFolder.source}`, 'm'))
  const empty = await mkdtemp(join(place.dataFolder, 'mount-'))
  const mount = await ask('doctor', { GUILDHALL_DATA: empty })
  assert.match(mount.out, new RegExp(`^FAIL .*${emptyFolder.source}`, 'm'))
  const refused = await ask('serve', {})
  assert.match(refused.err, emptyFolder)
  const away = await ask('serve', { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' })
  assert.match(away.err, /can't be used/)
  assert.deepEqual([told.code, mount.code, refused.code, away.code], [1, 1, 1, 1])
  assert.ok(!existsSync(join(place.dataFolder, 'share')))
})

test('doctor tells of a PostgreSQL that takes no changes', async (t) => {
  const { place, store } = await begin(t, 'postgres')
  const name = new URL(place.databaseUrl!).pathname.slice(1)
  await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(store.db)
  const environment = { GUILDHALL_DATA: place.dataFolder, DATABASE_URL: place.databaseUrl!, PATH: '/nowhere' }
  const { code, out } = await runProgram(['doctor'], environment)
  assert.match(out, /^FAIL {2}database +PostgreSQL answers, and takes no changes\n +→ Promote/m)
  assert.equal(code, 1)
})

test('a lost SQLite file is told as such, and no empty one is made in its place', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-lost-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await folders['with an id'](folder)
  const { code, err } = await runProgram(['serve'], { GUILDHALL_DATA: folder })
  assert.equal(code, 1)
  assert.match(err, emptyDatabase)
  assert.ok(!(await readdir(folder)).includes('guildhall.db'))
})

/** Two things of a fresh installation that know nothing of each other: a database, and a folder beside it. */
async function begin(t: TestContext, engine: Engine) {
  const database = await makeDatabase(engine)
  const stores: Store[] = []
  const open = async () => {
    const store = await database.open()
    stores.push(store)
    return store
  }
  t.after(async () => {
    for (const store of stores) await store.close()
    await database.drop()
  })
  const store = await open()
  return { store, open, place: { dataFolder: database.folder, databaseUrl: database.url } }
}

async function addRepository(folder: string, id: number): Promise<void> {
  const place = join(folder, 'repositories', (id % 256).toString(16).padStart(2, '0'), `${id}.git`)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'HEAD'), 'ref: refs/heads/main\n')
}

async function addAccount(store: Store): Promise<void> {
  const values = { kind: 'user', name: 'ann', name_key: 'ann', display_name: 'Ann', role: 'contestant' } as const
  await store.write((trx) =>
    trx
      .insertInto('account')
      .values({ ...values, id: 1, password_hash: null, created_at: 1, updated_at: 1, suspended_at: null })
      .execute(),
  )
}

async function addRow(store: Store, id: number): Promise<void> {
  await addAccount(store)
  const counts = { size_kib: 0, subscriber_count: 0, open_issue_count: 0, last_push_id: 0 }
  const times = { pushed_at: 1, created_at: 1, updated_at: 1 }
  const texts = { name: 'r', name_key: 'r', description: null, homepage: null, default_branch: 'main', topics: '[]' }
  const rest = { options: '{}', language: null, is_private: 0, is_archived: 0, locked_at: null }
  await store.write((trx) =>
    trx
      .insertInto('repository')
      .values({ id, owner_id: 1, ...texts, ...rest, ...counts, ...times })
      .execute(),
  )
}

async function addId(store: Store, id: string): Promise<void> {
  await store.write((trx) => trx.insertInto('installation').values({ singleton: 1, id, created_at: 1 }).execute())
}

/** Every file but those of SQLite. */
async function listAll(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('guildhall.db'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()
}
