/** Two servers on one PostgreSQL, both of which cache: what was answered at one is never contradicted at the other. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { zeroId } from '../../src/forge/git/ref-name.ts'
import { makeRandom } from '../fuzz/random.ts'
import { makeWorkingFolder, remoteUrl, runGit } from '../support/git.ts'
import { asAdmin, makeRest, makeRestOnOneConnection, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Limits are on, since looks go with the rates; nobody reaches these. */
const environment = { GUILDHALL_LIMIT_FIGURES: 'points=100000, user=100000, content-minute=10000, content-hour=10000' }
let servers: [TestServer, TestServer]
/** Each person at each of the servers. */
let ann: [RestClient, RestClient]
let bob: [RestClient, RestClient]

before(async () => {
  const first = await startServer('postgres', { environment })
  servers = [first, await startServer('postgres', { environment, database: first.database })]
  const atBoth = ({ token }: RestClient) => servers.map(({ url }) => makeRest(url, token)) as [RestClient, RestClient]
  ann = atBoth(await makeUser(first, 'ann'))
  bob = atBoth(await makeUser(first, 'bob'))
  await ann[0].post('/user/repos', { name: 'box', private: true })
  await bob[0].post('/user/repos', { name: 'open' })
})
after(async () => {
  await servers[1].stop()
  await servers[0].stop()
})

/** What is done at one server, and what is then so at the other, each time it is asked. */
type Act = (from: 0 | 1, to: 0 | 1, round: number) => Promise<void>

const acts: Act[] = [
  async (from, to, round) => {
    const description = `round ${round}`
    assert.equal((await ann[from].patch('/repos/ann/box', { description })).status, 200)
    assert.equal((await ann[to].get('/repos/ann/box')).body.description, description)
  },
  async (from, to) => {
    const { status } = await bob[to].get('/repos/ann/box')
    const path = '/repos/ann/box/collaborators/bob'
    if (status === 404) {
      const { body } = await ann[from].put(path)
      if (body.id) assert.equal((await bob[from].patch(`/user/repository_invitations/${body.id}`)).status, 204)
    } else assert.equal((await ann[from].delete(path)).status, 204)
    assert.equal((await bob[to].get('/repos/ann/box')).status, status === 404 ? 200 : 404)
  },
  async (from, to, round) => {
    const path = '/repos/ann/box/labels'
    const names = async () => (await ann[to].get(`${path}?per_page=100`)).body.map(({ name }: { name: string }) => name)
    await names()
    assert.equal((await ann[from].post(path, { name: `label-${round}`, color: 'aabbcc' })).status, 201)
    assert.ok((await names()).includes(`label-${round}`))
    assert.equal((await ann[from].delete(`${path}/label-${round}`)).status, 204)
    assert.ok(!(await names()).includes(`label-${round}`))
  },
  async (from, to, round) => {
    assert.equal((await bob[from].patch('/user', { company: `company ${round}` })).status, 200)
    assert.equal((await ann[to].get('/users/bob')).body.company, `company ${round}`)
    assert.equal((await bob[to].get('/user')).body.company, `company ${round}`)
  },
  async (from, to) => {
    const token = await makeToken(servers[from], 'bob', { kind: 'classic', scopes: ['repo'] })
    const mine = makeRestOnOneConnection(servers[to].url, token)
    assert.equal((await mine.get('/user')).status, 200)
    assert.equal((await asAdmin(servers[from]).put('/users/bob/suspended')).status, 204)
    assert.equal((await mine.get('/user')).status, 403)
    assert.equal((await asAdmin(servers[from]).delete('/users/bob/suspended')).status, 204)
    assert.equal((await mine.get('/user')).status, 200)
  },
  async (from, to) => {
    const draft = { kind: 'classic', scopes: ['repo'] }
    const { body } = await asAdmin(servers[from]).post('/admin/users/bob/tokens', draft)
    const mine = makeRestOnOneConnection(servers[to].url, body.token)
    for (let i = 0; i < 3; i++) assert.equal((await mine.get('/repos/bob/open')).body.name, 'open')
    assert.equal((await asAdmin(servers[from]).delete(`/admin/tokens/${body.id}`)).status, 204)
    assert.equal((await mine.get('/repos/bob/open')).status, 401)
  },
  async (from, to, round) => {
    const mine = makeRestOnOneConnection(servers[to].url, ann[to].token!)
    for (const name of [`first ${round}`, `second ${round}`]) {
      assert.equal((await bob[from].patch('/repos/bob/open', { description: name })).status, 200)
      assert.equal((await mine.get('/repos/bob/open')).body.description, name)
    }
  },
  async (from, to, round) => {
    const [here, there] = [from, to].map((at) => makeRpcClient(servers[at]!.url, admin.token))
    const ID = (await ann[to].get('/user')).body.id
    await there!.call('get_account', { ID })
    await here!.call('update_account', { ID, DisplayName: `Ann ${round}` })
    assert.match(JSON.stringify(await there!.call('get_account', { ID })), new RegExp(`"Ann ${round}"`))
  },
]

test('after every answer of one server, the other answers by it: a loop of random acts', async () => {
  const { pick } = makeRandom(7)
  for (let round = 0; round < 60; round++) {
    const from = pick([0, 1] as const)
    await pick(acts)(from, from === 0 ? 1 : 0, round)
  }
})

test('what is written past both, by psql with whatever search_path, shows at once', async () => {
  const psql = new pg.Client(servers[0].database.url)
  await psql.connect()
  for (let round = 0; round < 20; round++) {
    await Promise.all(ann.map((client) => client.get('/repos/ann/box')))
    await psql.query(`set search_path = ${round % 2 ? 'public' : 'pg_catalog'}`)
    await psql.query("update public.repository set description = $1 where name = 'box'", [`by hand ${round}`])
    for (const client of ann) assert.equal((await client.get('/repos/ann/box')).body.description, `by hand ${round}`)
  }
  await psql.end()
})

/** What each way to ask shows as the newest commit of a repository, at one server. */
const showTip = async (client: RestClient, repository: string): Promise<string[]> => {
  const [ref, branch, commits] = await Promise.all([
    client.get(`/repos/${repository}/git/ref/heads/main`),
    client.get(`/repos/${repository}/branches/main`),
    client.get(`/repos/${repository}/commits?per_page=1`),
  ])
  return [ref.body.object?.sha, branch.body.commit?.sha, commits.body[0]?.sha]
}

test('a table that is emptied by TRUNCATE is empty at both', async () => {
  const psql = new pg.Client(servers[0].database.url)
  await psql.connect()
  const path = '/user/starred/bob/open'
  assert.equal((await ann[0].put(path)).status, 204)
  for (const client of ann) assert.equal((await client.get(path)).status, 204)
  await psql.query('truncate star')
  for (const client of ann) assert.equal((await client.get(path)).status, 404)
  await psql.end()
})

test('of a push that is not settled, and of one whose server died, both show what git has', async () => {
  const { body: repository } = await ann[0].post('/user/repos', { name: 'moving', auto_init: true })
  const [before] = await showTip(ann[0], 'ann/moving')
  const { forge, store } = servers[0].services
  const folder = forge.git.folderOf(repository)
  const changes = JSON.stringify([{ ref: 'refs/heads/main', before, after: zeroId }])
  const push = { repository_id: repository.id, pusher_id: repository.owner.id, state: 'receiving' as const, changes }
  for (const client of ann) assert.deepEqual(await showTip(client, 'ann/moving'), [before, before, before])
  await store.write((trx) =>
    trx
      .insertInto('push')
      .values({ ...push, created_at: Date.now() })
      .execute(),
  )
  for (const message of ['one', 'two']) {
    for (const client of ann) await showTip(client, 'ann/moving')
    const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
    const made = await runGit(folder, [...identity, 'commit-tree', '-m', message, '-p', 'main', 'main^{tree}'])
    const after = made.output.trim()
    await runGit(folder, ['update-ref', 'refs/heads/main', after])
    for (const client of ann) assert.deepEqual(await showTip(client, 'ann/moving'), [after, after, after])
  }
  await store.write((trx) => trx.deleteFrom('push').where('repository_id', '=', repository.id).execute())
})

test('a database that has gone back in time gives ids again: nothing of their former repository shows', async () => {
  const psql = new pg.Client(servers[0].database.url)
  await psql.connect()
  const make = async (message: string) => {
    const { body } = await ann[0].post('/user/repos', { name: 'again', auto_init: true })
    assert.equal((await ann[0].put('/repos/ann/again/contents/a', { message, content: 'YQ==' })).status, 201)
    for (const client of ann) await until(async () => (await client.get('/user')).status === 200)
    for (const client of ann)
      assert.equal((await client.get('/repos/ann/again/commits')).body[0].commit.message, message)
    return body.id
  }
  const id = await make('lost')
  await psql.query('delete from repository where id = $1', [id])
  for (const table of ['repository', 'push'])
    await psql.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`)
  await psql.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await until(async () => (await ann[0].get('/user')).status === 200)
  assert.equal(await make('found'), id)
  await psql.end()
})

test('a server whose connections are cut shows nothing old, then or later', async () => {
  const psql = new pg.Client(servers[0].database.url)
  await psql.connect()
  for (let round = 0; round < 3; round++) {
    await Promise.all(ann.map((client) => client.get('/repos/ann/box')))
    await psql.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await psql.query("update repository set description = $1 where name = 'box'", [`cut ${round}`])
    for (const client of ann)
      await until(async () => {
        const { status, body } = await client.get('/repos/ann/box')
        if (status === 200) assert.equal(body.description, `cut ${round}`)
        else assert.equal(status, 503)
        return status === 200
      })
  }
  await psql.end()
})

test('what git pushed while connections were cut shows at both, once the client heard that it is there', async () => {
  const psql = new pg.Client(servers[0].database.url)
  await psql.connect()
  const folder = await makeWorkingFolder()
  await ann[0].post('/user/repos', { name: 'cut' })
  const remote = remoteUrl(servers[0].url, 'ann/cut', 'ann', ann[0].token)
  for (let round = 0; round < 4; round++) {
    await folder.must('commit', '--quiet', '--allow-empty', '-m', `round ${round}`)
    const pushing = folder.git('push', '--quiet', remote, 'main')
    await sleep(round * 60)
    await psql.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await pushing
    await until(async () => (await folder.git('push', '--quiet', remote, 'main')).code === 0)
    const sha = await folder.must('rev-parse', 'HEAD')
    for (const client of ann) {
      await until(async () => (await client.get('/user')).status === 200)
      assert.deepEqual(await showTip(client, 'ann/cut'), [sha, sha, sha])
    }
  }
  await folder.drop()
  await psql.end()
})

test('a notification is in the list of who asks after it was answered, though the connections that tell of it are cut', async () => {
  const database = new pg.Client(servers[0].database.url)
  await database.connect()
  try {
    await database.query("begin; select pg_advisory_xact_lock(hashtextextended('activity', 0))")
    assert.equal((await ann[0].post('/repos/bob/open/issues', { title: 'Over cuts' })).status, 201)
    const listing = bob[1].get('/notifications')
    // Those of the job, and that of who lists.
    const cut = new Set<number>()
    await until(async () => {
      const { rows } = await database.query(
        `select pid, pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
      for (const { pid } of rows) cut.add(pid)
      return cut.size >= 3
    })
    await database.query('rollback')
    const { body } = await listing
    assert.ok(body.some(({ subject }: { subject: { title: string } }) => subject.title === 'Over cuts'))
  } finally {
    await database.end()
  }
})
