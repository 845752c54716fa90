/** Fan-out to thousands and marking thousands, with the server killed in the middle: after a restart each is done once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../../support/engines.ts'
import { asAdmin, makeRest, makeUser } from '../../support/rest.ts'
import { startServer } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

const environment = { GUILDHALL_LIMITS: 'off' }
const people = 2_500
const rowsAtOnce = 500
/** A killed server's jobs are taken up once their lease has run out. */
const afterLeaseMs = 120_000

/** Users who watch the repository, by their rows: thousands of requests would take a minute. */
async function makeWatchers(store: Store, repositoryId: number): Promise<void> {
  for (let i = 0; i < people; i += rowsAtOnce)
    await store.write(async (trx) => {
      const numbers = Array.from({ length: rowsAtOnce }, (_, n) => 100_000 + i + n)
      const common = { kind: 'user', display_name: '', role: 'contestant', created_at: 0, updated_at: 0 } as const
      await trx
        .insertInto('account')
        .values(numbers.map((id) => ({ id, name: `u${id}`, name_key: `u${id}`, ...common })))
        .execute()
      await trx
        .insertInto('watch')
        .values(numbers.map((id) => ({ repository_id: repositoryId, user_id: id, is_ignored: 0, created_at: 0 })))
        .execute()
    })
}

/** Threads of one user, each of a subject of its own. */
async function makeThreads(store: Store, repositoryId: number, userId: number): Promise<void> {
  for (let i = 0; i < people; i += rowsAtOnce)
    await store.write(async (trx) => {
      const keys = Array.from({ length: rowsAtOnce }, (_, n) => ({ key: `k${i + n}`, title: `Build ${i + n}` }))
      const subjects = await trx
        .insertInto('thread_subject')
        .values(keys.map((one) => ({ ...one, repository_id: repositoryId, kind: 'external' as const, type: 'Build' })))
        .returning('id')
        .execute()
      const common = { subscription: 'none', reason: 'ci_activity', is_participating: 0, state: 'unread' } as const
      const rest = { repository_id: repositoryId, updated_at: 1_000, last_activity_id: 0, change: 1, user_id: userId }
      await trx
        .insertInto('thread')
        .values(subjects.map(({ id }) => ({ subject_id: id, ...common, ...rest })))
        .execute()
      await trx
        .insertInto('inbox')
        .values({ user_id: userId, change: 1, modified_at: 1_000 })
        .onConflict((conflict) => conflict.column('user_id').doNothing())
        .execute()
    })
}

/** Starts a server, has it begin, and kills it once the work is half done, as a look at its database says. */
async function killHalfway(
  database: TestDatabase,
  begin: (server: ServerProcess) => Promise<void>,
  count: (store: Store) => Promise<number>,
): Promise<number> {
  const server = await startServerProcess(database, environment)
  const store = await database.open()
  try {
    await begin(server)
    await until(async () => (await count(store)) > 0, 1)
    await server.end('SIGKILL')
    return await count(store)
  } finally {
    await server.end('SIGKILL')
    await store.close()
  }
}

const startLater = (engine: (typeof engines)[number], database: TestDatabase) =>
  startServer(engine, { database, environment, clock: { now: () => Date.now() + afterLeaseMs } })

for (const engine of engines) {
  describe(`a server on ${engine} that is killed`, () => {
    test('while it delivers to thousands: each has it once', async (context) => {
      const database = await makeMigratedDatabase(engine)
      context.after(() => database.drop())
      const first = await startServer(engine, { database, environment })
      const { token } = await makeUser(first, 'ann')
      const ann = makeRest(first.url, token)
      const { body: repository } = await ann.post('/user/repos', { name: 'big' })
      await makeWatchers(first.services.store, repository.id)
      await first.stop()
      const delivered = async ({ db }: Store) =>
        Number(
          (
            await db
              .selectFrom('thread')
              .select((eb) => eb.fn.countAll().as('n'))
              .executeTakeFirstOrThrow()
          ).n,
        )
      const half = await killHalfway(
        database,
        async ({ url }) => {
          const { status } = await makeRest(url, token).post('/repos/ann/big/issues', { title: 'News' })
          assert.equal(status, 201)
        },
        // The author's own row is there first.
        async (store) => Math.max(0, (await delivered(store)) - 1),
      )
      context.diagnostic(`${half} of ${people} when it was killed`)
      const next = await startLater(engine, database)
      try {
        const { store } = next.services
        await until(async () => (await delivered(store)) === people + 1)
        await until(async () => {
          const left = await store.db
            .selectFrom('job')
            .select('id')
            .where('state', '<>', 'done')
            .where('kind', '=', 'forge.notification-fan-out')
            .execute()
          return left.length === 0
        })
        const changes = await store.db.selectFrom('inbox').select('change').distinct().execute()
        assert.deepEqual(
          changes.map(({ change }) => change),
          [1],
          'one change of each inbox',
        )
        const total = await store.db
          .selectFrom('thread_count')
          .select((eb) => eb.fn.sum('count').as('n'))
          .executeTakeFirstOrThrow()
        assert.equal(Number(total.n), people)
      } finally {
        await next.stop()
      }
    })

    test('while it marks thousands as read: all are marked, each once', async (context) => {
      const database = await makeMigratedDatabase(engine)
      context.after(() => database.drop())
      const first = await startServer(engine, { database, environment })
      const { token } = await makeUser(first, 'ann')
      const ann = makeRest(first.url, token)
      const { body: repository } = await ann.post('/user/repos', { name: 'big' })
      await makeThreads(first.services.store, repository.id, (await ann.get('/user')).body.id)
      await first.stop()
      let path = ''
      const half = await killHalfway(
        database,
        async ({ url }) => {
          const { status, body } = await makeRest(url, token).put('/notifications', {})
          assert.equal(status, 202)
          path = body.url.slice(url.length)
        },
        async ({ db }) => (await db.selectFrom('inbox_mark').select('marked').executeTakeFirst())?.marked ?? 0,
      )
      context.diagnostic(`${half} of ${people} when it was killed`)
      const next = await startLater(engine, database)
      try {
        const client = makeRest(next.url, token)
        await asAdmin(next).post('/admin/notifications', {
          login: 'ann',
          repository: 'ann/big',
          reason: 'ci_activity',
          subject: { title: 'After the mark', type: 'Build' },
        })
        await until(async () => (await client.get(path)).body.state === 'finished')
        const { total, marked } = (await client.get(path)).body
        assert.deepEqual([total, marked], [people, people])
        const { body } = await client.get('/notifications')
        assert.deepEqual(
          body.map(({ subject }: { subject: { title: string } }) => subject.title),
          ['After the mark'],
        )
      } finally {
        await next.stop()
      }
    })
  })
}
