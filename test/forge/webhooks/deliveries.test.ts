/** Webhooks as they live: made, masked, delivered with retries, listed, redelivered, bounded, and ended. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { pino } from 'pino'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient, usualScopes } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** The published client tells the console of what it is told is to change. */
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const secret = 'a-secret-that-nobody-sees'

for (const engine of engines) {
  describe(`webhooks on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let receiver: Receiver
    let ann: RestClient
    let bob: RestClient
    const lines: string[] = []
    before(async () => {
      receiver = await startReceiver()
      server = await startServer(engine, {
        log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
        resolve: async (host) => [{ address: host === 'inner.example' ? '10.0.0.7' : '127.0.0.1', family: 4 }],
        environment: {
          GUILDHALL_LIMITS: 'off',
          GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8',
          GUILDHALL_WEBHOOK_LIMITS: 'hooks=4,queuedPerHook=10,keptDeliveries=5,tries=2',
        },
      })
      ann = await makeUser(server, 'ann', usualScopes)
      bob = await makeUser(server, 'bob', usualScopes)
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    let names = 0
    /** A repository with a hook, whose ping has come. */
    async function makeHooked(change: object = {}, draft: object = {}): Promise<{ repo: string; hook: Json }> {
      const name = `hooked-${++names}`
      await ann.post('/user/repos', { name, ...draft })
      const config = { url: `${receiver.url}/${name}`, content_type: 'json', secret }
      const { status, body } = await ann.post(`/repos/ann/${name}/hooks`, { config, events: ['issues'], ...change })
      assert.equal(status, 201, JSON.stringify(body))
      const repo = `/repos/ann/${name}`
      await until(async () => (await ann.get(`${repo}/hooks/${body.id}/deliveries`)).body.length === 1)
      return { repo, hook: body }
    }
    const deliveriesOf = async (repo: string, hook: Json): Promise<Json[]> =>
      (await ann.get(`${repo}/hooks/${hook.id}/deliveries`)).body
    const isOf = (repo: string, path: string) => path.endsWith(repo.slice('/repos/ann'.length))
    const came = (repo: string) => receiver.received.filter(({ path }) => isOf(repo, path))

    rule('a secret is never shown, logged or lost by a change of something else', async () => {
      const { repo, hook } = await makeHooked()
      assert.equal(hook.config.secret, '********')
      const changed = await ann.patch(`${repo}/hooks/${hook.id}`, { config: hook.config, add_events: ['push'] })
      assert.deepEqual(changed.body.events, ['issues', 'push'])
      await ann.patch(`${repo}/hooks/${hook.id}/config`, { content_type: 'form' })
      await ann.post(`${repo}/hooks/${hook.id}/pings`)
      await until(() => came(repo).length === 2)
      const { headers, text } = came(repo)[1]!
      assert.match(String(headers['content-type']), /^application\/x-www-form-urlencoded/)
      assert.equal(JSON.parse(new URLSearchParams(text).get('payload')!).hook_id, hook.id)
      const { createHmac } = await import('node:crypto')
      assert.equal(headers['x-hub-signature-256'], `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`)
      await until(async () => (await deliveriesOf(repo, hook)).length === 2)
      const seen = [
        (await ann.get(`${repo}/hooks`)).text,
        (await ann.get(`${repo}/hooks/${hook.id}/config`)).text,
        (await ann.get(`${repo}/hooks/${hook.id}/deliveries/${(await deliveriesOf(repo, hook))[0].id}`)).text,
        ...lines,
      ].join('\n')
      assert.ok(seen.includes('x-hub-signature-256') && !seen.includes(secret))
      const bare = await ann.patch(`${repo}/hooks/${hook.id}/config`, { secret: '' })
      assert.equal(bare.body.secret, undefined)
    })

    rule('the published client makes, lists, changes, pings and deletes them', async () => {
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url, log: silent })
      await ann.post('/user/repos', { name: 'by-octokit', auto_init: true })
      const place = { owner: 'ann', repo: 'by-octokit' }
      const { data: hook } = await octokit.repos.createWebhook({
        ...place,
        config: { url: `${receiver.url}/by-octokit`, content_type: 'json' },
      })
      assert.deepEqual([hook.type, hook.name, hook.events, hook.active], ['Repository', 'web', ['push'], true])
      const one = { ...place, hook_id: hook.id }
      assert.equal((await octokit.repos.updateWebhook({ ...one, active: true, events: ['push'] })).status, 200)
      assert.equal((await octokit.repos.testPushWebhook(one)).status, 204)
      assert.equal((await octokit.repos.pingWebhook(one)).status, 204)
      const listed = () => octokit.repos.listWebhookDeliveries({ ...one, per_page: 2 })
      await until(async () => (await octokit.paginate(octokit.repos.listWebhookDeliveries, one)).length === 3)
      const first = await listed()
      assert.equal(first.data.length, 2)
      assert.match(first.headers.link ?? '', /cursor=\d+.*rel="next"/)
      assert.deepEqual(
        (await octokit.paginate(octokit.repos.listWebhookDeliveries, { ...one, per_page: 2 })).map(
          ({ event }) => event,
        ),
        ['ping', 'push', 'ping'],
      )
      const { id: delivery_id, guid } = first.data[1]!
      const { data: whole } = await octokit.repos.getWebhookDelivery({ ...one, delivery_id })
      assert.equal((whole.request.payload as Json).ref, 'refs/heads/main')
      assert.equal((await octokit.repos.redeliverWebhookDelivery({ ...one, delivery_id })).status, 202)
      await until(async () => (await listed()).data[0]!.guid === guid)
      assert.equal((await listed()).data[0]!.redelivery, true)
      assert.equal((await octokit.repos.getWebhook(one)).data.last_response.code, 204)
      assert.equal((await octokit.repos.deleteWebhook(one)).status, 204)
      assert.deepEqual((await octokit.repos.listWebhooks(place)).data, [])
    })

    test('what fails for a while is tried again before what came after it, under the same name, and only so often', async () => {
      const { repo, hook } = await makeHooked()
      let fail: (() => void) | undefined
      receiver.answer = (response, path) => {
        const end = (status: number) => void response.writeHead(status).end('seen')
        if (isOf(repo, path) && !fail) fail = () => end(503)
        else end(200)
      }
      await ann.post(`${repo}/issues`, { title: 'One' })
      await ann.post(`${repo}/issues`, { title: 'Two' })
      const { db } = server.services.store
      const queued = db.selectFrom('webhook_delivery').select('id').where('webhook_id', '=', hook.id)
      await until(async () => fail && (await queued.execute()).length === 3)
      fail!()
      await until(async () => (await deliveriesOf(repo, hook)).length === 4)
      const titles = came(repo).map(({ text }) => JSON.parse(text).issue?.title)
      assert.deepEqual(titles, [undefined, 'One', 'One', 'Two'])
      // A retry is listed as a delivery of its own, after those that were there before.
      const [again, two, one] = await deliveriesOf(repo, hook)
      assert.deepEqual(
        [one, again, two].map(({ status, status_code, redelivery }) => [status, status_code, redelivery]),
        [
          ['Invalid HTTP Response: 503', 503, false],
          ['OK', 200, true],
          ['OK', 200, false],
        ],
      )
      assert.equal(again.guid, one.guid)
      const whole = (await ann.get(`${repo}/hooks/${hook.id}/deliveries/${again.id}`)).body
      assert.deepEqual([whole.response.payload, whole.request.payload.issue.title], ['seen', 'One'])
      assert.equal(whole.request.headers['x-github-delivery'], one.guid)
      // A 4xx is the receiver's last word.
      receiver.answer = (response) => void response.writeHead(404).end()
      await ann.post(`${repo}/issues`, { title: 'Three' })
      await until(async () => (await deliveriesOf(repo, hook))[0].status_code === 404)
      await ann.post(`${repo}/issues`, { title: 'Four' })
      await until(() => came(repo).length === 6)
      receiver.answer = (response) => void response.writeHead(204).end()
    })

    rule(
      'those who may not are refused, and so are addresses inside, unknown events, twins and one too many',
      async () => {
        const { repo, hook } = await makeHooked()
        const post = (config: object, more: object = {}) => ann.post(`${repo}/hooks`, { config, ...more })
        const wrong: [object, object?][] = [
          [{ url: 'http://10.0.0.1/' }],
          [{ url: 'http://169.254.169.254/latest/meta-data' }],
          [{ url: 'http://[::1]:8080/' }],
          [{ url: 'http://127.0.0.1:22/' }],
          [{ url: 'ftp://example.org/' }],
          [{ url: 'nonsense' }],
          [{}],
          [{ url: 'http://x.example/' }, { events: ['earthquake'] }],
          [{ url: 'http://x.example/' }, { events: [] }],
          [{ url: hook.config.url }, { events: ['issues'] }],
        ]
        for (const [config, more] of wrong) assert.equal((await post(config, more)).status, 422, JSON.stringify(config))
        assert.equal((await bob.get(`${repo}/hooks`)).status, 403)
        assert.equal((await bob.post(`${repo}/hooks`, { config: { url: receiver.url } })).status, 403)
        assert.equal((await ann.get(`${repo}/hooks/${hook.id + 1000}`)).status, 404)
        const other = await makeHooked()
        for (const path of ['', '/config', '/deliveries'])
          assert.equal((await ann.get(`${other.repo}/hooks/${hook.id}${path}`)).status, 404, path)
        for (const n of [1, 2, 3])
          assert.equal((await post({ url: `http://x.example:${receiver.port}/${n}` })).status, 201)
        assert.equal((await post({ url: `http://x.example:${receiver.port}/4` })).status, 422)
      },
    )

    rule('a name that turns out to be inside is not called, and its hook says so', async () => {
      const { repo, hook } = await makeHooked({
        config: { url: `http://inner.example:${receiver.port}/`, content_type: 'json' },
      })
      const [ping] = await deliveriesOf(repo, hook)
      assert.deepEqual([ping.status, ping.status_code], ['destination not allowed', 0])
      const { last_response } = (await ann.get(`${repo}/hooks/${hook.id}`)).body
      assert.deepEqual(last_response, { code: null, status: 'failed', message: 'destination not allowed' })
    })

    test('a receiver that is dead fills its own queue and nobody else’s, and only the newest deliveries are kept', async () => {
      const dead = await makeHooked()
      const alive = await makeHooked()
      const isDead = (path: string) => path.endsWith(dead.repo.slice('/repos/ann'.length))
      receiver.answer = (response, path) => void response.writeHead(isDead(path) ? 500 : 200).end()
      for (let i = 0; i < 14; i++) await ann.post(`${dead.repo}/issues`, { title: `Issue ${i}` })
      for (let i = 0; i < 7; i++) await ann.post(`${alive.repo}/issues`, { title: `Issue ${i}` })
      await until(() => came(alive.repo).length === 8)
      await until(async () => {
        const { last_response } = (await ann.get(`${dead.repo}/hooks/${dead.hook.id}`)).body
        return last_response.status !== 'active'
      })
      const { store } = server.services
      const queued = await store.db
        .selectFrom('webhook_delivery')
        .select('id')
        .where('webhook_id', '=', dead.hook.id)
        .where('state', '!=', 'done')
        .execute()
      assert.ok(queued.length <= 11, `${queued.length} wait`)
      const hook = await store.db
        .selectFrom('webhook')
        .selectAll()
        .where('id', '=', dead.hook.id)
        .executeTakeFirstOrThrow()
      assert.ok(hook.failure_count > 0 && hook.paused_until > 0)
      await until(async () => (await deliveriesOf(alive.repo, alive.hook)).length === 5)
      receiver.answer = (response) => void response.writeHead(204).end()
    })

    test('who can read a private repository no more is told nothing more of it, be it in the queue already', async () => {
      const { repo } = await makeHooked({}, { private: true })
      await ann.put(`${repo}/collaborators/bob`, { permission: 'admin' })
      const [invitation] = (await bob.get('/user/repository_invitations')).body
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      const url = `${receiver.url}/of-bob`
      const { body: hook } = await bob.post(`${repo}/hooks`, {
        config: { url, content_type: 'json' },
        events: ['issues'],
      })
      await until(async () => (await bob.get(`${repo}/hooks/${hook.id}/deliveries`)).body.length === 1)
      const ofBob = () => receiver.received.filter(({ path }) => path.endsWith('/of-bob')).length
      const before = ofBob()
      await ann.delete(`${repo}/collaborators/bob`)
      await ann.post(`${repo}/issues`, { title: 'Between us' })
      await until(() => came(repo).some(({ text }) => text.includes('Between us')))
      assert.equal((await ann.post(`${repo}/hooks/${hook.id}/pings`)).status, 204)
      const { store } = server.services
      await until(async () => {
        const left = store.db.selectFrom('webhook_delivery').select('id').where('webhook_id', '=', hook.id)
        return (await left.where('state', '!=', 'done').execute()).length === 0
      })
      assert.equal(ofBob(), before)
      // Another admin who changes it answers for it.
      await ann.patch(`${repo}/hooks/${hook.id}`, { active: true })
      await ann.post(`${repo}/issues`, { title: 'For all to hear' })
      await until(() => ofBob() === before + 1)
    })

    rule(
      'hooks of an organisation hear of all its repositories and of its members, those of the site of everything',
      async () => {
        const root = asAdmin(server)
        await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
        const config = { url: `${receiver.url}/acme`, content_type: 'json' }
        const { body: hook, status } = await ann.post('/orgs/acme/hooks', { name: 'web', config, events: ['*'] })
        assert.deepEqual([status, hook.type], [201, 'Organization'])
        const site = { url: `${receiver.url}/site`, content_type: 'json' }
        const { body: global } = await root.post('/admin/hooks', {
          name: 'web',
          config: site,
          events: ['repository', 'organization'],
        })
        assert.equal(global.type, 'Global')
        const heardAt = (word: string) =>
          receiver.received
            .filter(({ path }) => path.endsWith(`/${word}`))
            .map(({ headers, text }) => [headers['x-github-event'], JSON.parse(text).action ?? ''].join(' ').trim())
        await ann.post('/orgs/acme/repos', { name: 'tool', private: true })
        await ann.post('/repos/acme/tool/issues', { title: 'In private' })
        await root.put('/orgs/acme/memberships/bob', { role: 'member' })
        await bob.patch('/user/memberships/orgs/acme', { state: 'active' })
        await ann.delete('/orgs/acme/members/bob')
        // What is gone by the time it would be told of is not told, but for its going.
        await until(() => heardAt('acme').includes('organization member_removed'))
        await until(() => heardAt('site').includes('organization member_removed'))
        await ann.delete('/repos/acme/tool')
        await until(() => heardAt('acme').includes('repository deleted'))
        assert.deepEqual(heardAt('acme'), [
          'ping',
          'repository created',
          'issues opened',
          'organization member_added',
          'organization member_removed',
          'repository deleted',
        ])
        await until(() => heardAt('site').includes('repository deleted'))
        assert.ok(heardAt('site').includes('repository created') && !heardAt('site').includes('issues opened'))
        // bob is no owner, and ann has left: her hook falls silent.
        assert.equal((await bob.get('/orgs/acme/hooks')).status, 403)
        await root.put('/orgs/acme/memberships/bob', { role: 'admin' })
        await bob.patch('/user/memberships/orgs/acme', { state: 'active' })
        await root.delete('/orgs/acme/members/ann')
        await bob.post('/orgs/acme/repos', { name: 'later', private: true })
        await until(() => heardAt('site').filter((each) => each === 'repository created').length === 2)
        assert.equal(heardAt('acme').filter((each) => each === 'repository created').length, 1)
        assert.equal((await root.delete(`/admin/hooks/${global.id}`)).status, 204)
      },
    )

    test('a hook that hears of other things from now on has heard of what was answered before', async () => {
      const { repo, hook } = await makeHooked({ events: ['label'] })
      const hear = async (events: string[]) =>
        assert.equal((await ann.patch(`${repo}/hooks/${hook.id}`, { events })).status, 200)
      const name = (label: string) => ann.post(`${repo}/labels`, { name: label, color: '00ff00' })
      for (const round of [0, 1, 2]) {
        await name(`heard-${round}`)
        await hear(['issues'])
        await name(`missed-${round}`)
        await hear(['label'])
      }
      const labels = () => came(repo).flatMap(({ text }) => JSON.parse(text).label?.name ?? [])
      await until(() => labels().length >= 3)
      assert.deepEqual(labels(), ['heard-0', 'heard-1', 'heard-2'])
    })

    test('deleting a repository ends its hooks and what waits for them, be it under way', async () => {
      const { repo, hook } = await makeHooked()
      let refuse: (() => void) | undefined
      // Those of earlier tests may be called again at any time.
      receiver.answer = (response, path) => {
        if (isOf(repo, path)) refuse = () => response.writeHead(500).end()
        else response.writeHead(204).end()
      }
      await ann.post(`${repo}/issues`, { title: 'x' })
      await until(() => refuse)
      assert.equal((await ann.delete(repo)).status, 204)
      const logged = lines.length
      refuse!()
      const isOver = (line: string) => line.includes(`"hook":${hook.id},`) || line.includes('a job failed')
      await until(() => lines.slice(logged).some(isOver))
      assert.deepEqual(
        lines.slice(logged).filter((line) => line.includes('a job failed')),
        [],
      )
      const { store } = server.services
      const left = await store.db.selectFrom('webhook').select('id').where('id', '=', hook.id).execute()
      const waiting = await store.db
        .selectFrom('webhook_delivery')
        .select('id')
        .where('webhook_id', '=', hook.id)
        .execute()
      assert.deepEqual([left, waiting], [[], []])
    })
  })
}
