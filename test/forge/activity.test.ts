/** Activity: recorded exactly once with its act, not at all without it, and told in order, whenever a server dies. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RecordedActivity } from '../../src/forge/activity/activity.ts'
import { makeManualClock } from '../../src/lib/clock.ts'
import { makeServices } from '../../src/services.ts'
import { readSettings } from '../../src/settings.ts'
import { engines, makeMigratedDatabase, silentLog, type TestDatabase } from '../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

for (const engine of engines) {
  describe(`activity on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let database: TestDatabase
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    const told: RecordedActivity[] = []
    let isConsumerBroken = false
    let refused = 0
    let brokenFor: number | undefined
    before(async () => {
      database = await makeMigratedDatabase(engine)
      server = await startServer(engine, { clock, database, environment: { GUILDHALL_LIMITS: 'off' } })
      server.services.forge.activity.consume(async (_trx, activity) => {
        if (isConsumerBroken) {
          refused++
          throw new Error('This consumer is broken for a while.')
        }
        if ('repositoryId' in activity && activity.repositoryId === brokenFor) throw new Error('It is bad.')
        // A portion that a lock held up is undone and told again.
        if (!told.some(({ id }) => id === activity.id)) told.push(activity)
      })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(() => database.drop())

    const idOf = async (login: string): Promise<number> => (await ann.get(`/users/${login}`)).body.id
    const rows = () => server.services.store.db.selectFrom('activity').selectAll().orderBy('id').execute()
    const untold = async () => (await rows()).filter(({ told_at }) => told_at === null).length

    test('each act records itself once, with who did it and the ids of what it was done to', async () => {
      const [annId, bobId] = [await idOf('ann'), await idOf('bob')]
      assert.deepEqual((await bob.get('/users/bob/events')).body, [], 'a feed of nothing is empty')
      const { body: made } = await ann.post('/user/repos', { name: 'one', auto_init: true })
      const { body: invitation } = await ann.put('/repos/ann/one/collaborators/bob', {})
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      await ann.delete('/repos/ann/one/collaborators/bob')
      await ann.delete('/repos/ann/one')
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      const acme = (await ann.get('/orgs/acme')).body.id
      await ann.put('/orgs/acme/memberships/bob', {})
      await bob.patch('/user/memberships/orgs/acme', { state: 'active' })
      await bob.patch('/user/memberships/orgs/acme', { state: 'active' })
      await ann.delete('/orgs/acme/members/bob')
      await until(async () => (await untold()) === 0)
      const seen = told.map(({ id: _id, createdAt: _at, ...what }) => what)
      const of = { repositoryId: made.id }
      const push = (await rows()).find(({ kind }) => kind === 'push')!
      // What hooks tell of a repository once it is gone.
      const { gone } = (seen.find(({ kind }) => kind === 'repository-deleted') as Json).data
      assert.deepEqual([gone.repository.id, gone.repository.name, gone.repository.owner.id], [made.id, 'one', annId])
      assert.deepEqual(seen, [
        { kind: 'repository-created', actorId: annId, ...of, data: {} },
        { kind: 'push', actorId: annId, ...of, subjectId: push.subject_id, data: {} },
        {
          kind: 'repository-invitation',
          actorId: annId,
          ...of,
          subjectId: invitation.id,
          data: { inviteeId: bobId },
        },
        {
          kind: 'invitation-ended',
          actorId: bobId,
          ...of,
          subjectId: invitation.id,
          data: { inviteeId: bobId },
        },
        { kind: 'collaborator-added', actorId: bobId, ...of, subjectId: bobId, data: { level: 'write' } },
        { kind: 'collaborator-removed', actorId: annId, ...of, subjectId: bobId, data: {} },
        { kind: 'repository-deleted', actorId: annId, ...of, data: { ownerId: annId, name: 'one', gone } },
        { kind: 'member-invited', actorId: annId, organisationId: acme, subjectId: bobId, data: {} },
        { kind: 'member-joined', actorId: bobId, organisationId: acme, subjectId: bobId, data: {} },
        { kind: 'member-removed', actorId: annId, organisationId: acme, subjectId: bobId, data: {} },
      ])
      assert.equal((await rows()).length, told.length)
    })

    test('acts that come one upon another are told together', async () => {
      const countJobs = async () => {
        const jobs = server.services.store.db.selectFrom('job').select('id').where('kind', '=', 'forge.activity')
        return (await jobs.execute()).length
      }
      await ann.post('/user/repos', { name: 'starred' })
      await until(async () => (await untold()) === 0)
      const [jobsBefore, toldBefore] = [await countJobs(), told.length]
      const acts = 30
      const startedAt = performance.now()
      for (let i = 0; i < acts; i++) {
        await ann.put('/user/starred/ann/starred')
        await ann.delete('/user/starred/ann/starred')
      }
      await until(async () => (await untold()) === 0)
      assert.equal(told.length - toldBefore, acts)
      // Ten times a second at most, however long they took.
      const most = (performance.now() - startedAt) / 100 + 2
      const jobs = (await countJobs()) - jobsBefore
      assert.ok(jobs <= most, `${jobs} jobs, ${most} at most`)
    })

    test('an act that fails records nothing', async () => {
      await ann.post('/user/repos', { name: 'two' })
      const before = (await rows()).length
      assert.equal((await ann.post('/user/repos', { name: 'Two', auto_init: true })).status, 422)
      assert.equal((await bob.delete('/repos/ann/two')).status, 403)
      assert.equal((await ann.put('/repos/ann/two/collaborators/nobody', {})).status, 404)
      assert.equal((await ann.delete('/orgs/acme/members/ann')).status, 403, 'the last owner')
      assert.equal((await rows()).length, before)
    })

    test('what hooks alone would hear of is told to nobody where none listens for it, and keeps no words that are gone', async () => {
      const { db } = server.services.store
      const countJobs = async () =>
        (await db.selectFrom('job').select('id').where('kind', '=', 'forge.activity').execute()).length
      const newest = async () => (await rows()).at(-1)!
      await until(async () => (await untold()) === 0)
      const jobsBefore = await countJobs()
      await ann.patch('/repos/ann/two', { description: 'A word that is soon gone' })
      const config = { url: 'https://hooks.example.com/' }
      await ann.post('/repos/ann/two/hooks', { events: ['release', 'label'], config })
      await ann.patch('/repos/ann/two', { description: 'Another' })
      assert.equal(await countJobs(), jobsBefore)
      const unheard = await newest()
      assert.deepEqual([unheard.kind, unheard.data], ['repository-changed', '{"action":"edited"}'])
      assert.notEqual(unheard.told_at, null)
      await ann.post('/repos/ann/two/hooks', { events: ['repository'], config })
      await ann.patch('/repos/ann/two', { description: 'A third' })
      await until(async () => (await newest()).told_at !== null)
      const deliveries = db.selectFrom('webhook_delivery').select('id').where('event', '=', 'repository')
      assert.equal((await deliveries.execute()).length, 1)
    })

    test('an activity that is never told is left behind after some tries, and all others are told once and in order', async () => {
      const { store, jobs } = server.services
      const { body: bad } = await ann.post('/user/repos', { name: 'bad' })
      await until(async () => (await untold()) === 0)
      brokenFor = bad.id
      const names = ['good', 'better', 'best']
      await ann.post('/user/repos', { name: names[0]! })
      await ann.put('/user/starred/ann/bad')
      for (const name of names.slice(1)) await ann.post('/user/repos', { name })
      await until(async () => {
        await store.write((trx) => jobs.hasten(trx, 'forge.activity'))
        return (await untold()) === 0
      })
      const { body: events } = await ann.get('/users/ann/events?per_page=4')
      const heard = events.map((event: Json) => event.repo.name)
      assert.deepEqual(
        heard,
        [...names.toReversed(), 'bad'].map((name) => `ann/${name}`),
      )
      const dead = store.db
        .selectFrom('job')
        .select('error')
        .where('kind', '=', 'forge.activity')
        .where('state', '=', 'dead')
      const starred = (await rows()).findLast(({ kind }) => kind === 'repository-starred')!
      assert.deepEqual(
        (await dead.execute()).map(({ error }) => error),
        [
          `Activity ${starred.id} (repository-starred) can't be dispatched: It is bad. (tried 5 times, and left behind)`,
        ],
      )
    })

    test('a consumer that fails is told again, in order and each thing once, also by the next server', async () => {
      await until(async () => (await untold()) === 0)
      isConsumerBroken = true
      const names = ['a', 'b', 'c']
      for (const name of names) await ann.post('/user/repos', { name })
      const ids = await Promise.all(names.map(async (name) => (await ann.get(`/repos/ann/${name}`)).body.id))
      // However often: where none can be told, it is for the consumer to be mended.
      await until(async () => {
        await server.services.store.write((trx) => server.services.jobs.hasten(trx, 'forge.activity'))
        return refused > 11
      })
      assert.equal(await untold(), names.length)
      await server.stop()
      const settings = readSettings({
        GUILDHALL_DATA: database.folder,
        GUILDHALL_EXECUTORS: '0',
        ...(database.url && { DATABASE_URL: database.url }),
      })
      const store = await database.open()
      // The job waits before it is tried again.
      clock.advance(60 * 60_000)
      const services = await makeServices({ settings, store, clock, log: silentLog })
      const heard: RecordedActivity[] = []
      services.forge.activity.consume(async (_trx, activity) => void heard.push(activity))
      await services.start()
      try {
        await until(() => heard.length >= names.length)
        await until(async () => {
          const left = await store.db.selectFrom('activity').select('id').where('told_at', 'is', null).execute()
          return left.length === 0
        })
        const created = heard.map((activity) => 'repositoryId' in activity && activity.repositoryId)
        assert.deepEqual(created, ids)
      } finally {
        await services.close()
      }
    })
  })
}
