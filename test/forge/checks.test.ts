/** Checks of apps, deployments, events of a caller's own, autolinks and further addresses. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { asInstallation, installApp, registerApp } from './apps/app-world.ts'
import { type PullServer, startPullServer } from './pulls/pull-server.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'
import { makePayloadCheck } from './webhooks/schemas.ts'

const check = makePayloadCheck()

for (const engine of engines)
  describe(`what tools say of commits on ${engine}`, () => {
    let hosted: PullServer
    let receiver: Receiver
    let ann: RestClient
    let bob: RestClient
    let robot: RestClient
    let appId: number
    before(async () => {
      hosted = await startPullServer(engine, {
        environment: { GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8', GUILDHALL_ORGANIZATIONS: 'everyone' },
      })
      receiver = await startReceiver()
      ;({ ann, bob } = hosted)
      // By the names that answers have.
      const permissions = { checks: 'write', contents: 'read', metadata: 'read' }
      const app = await registerApp(hosted, ann, {
        ...{ default_permissions: undefined, permissions, events: ['check_run', 'check_suite'] },
        hook_attributes: { url: `${receiver.url}/app`, active: true },
      })
      assert.deepEqual([app.body.permissions, app.body.events], [permissions, ['check_run', 'check_suite']])
      appId = app.body.id
      robot = await asInstallation(hosted, app, await installApp(app, ann, 'ann'))
    })
    after(async () => {
      await hosted.stop()
      await receiver.close()
    })

    async function listen(name: string, events: string[]) {
      const config = { url: `${receiver.url}/${name}`, content_type: 'json' }
      const { status, text } = await ann.post(`/repos/ann/${name}/hooks`, { config, events })
      assert.equal(status, 201, text)
    }
    const heard = (path: string, event: string): Json[] =>
      receiver.received
        .filter((one) => one.path === `/hook${path}` && one.headers['x-github-event'] === event)
        .map(({ text }) => JSON.parse(text))

    test('a check is shown beside statuses, required by rules, told to hooks, and changed by its app alone', async () => {
      const folder = await hosted.start('checked')
      await listen('checked', ['check_run', 'check_suite'])
      const sha = await hosted.branch(folder, 'work', { 'a.md': 'x\n' })
      await hosted.push(folder, 'work')
      const repo = '/repos/ann/checked'
      await ann.put(`${repo}/branches/main/protection`, {
        required_status_checks: { strict: false, checks: [{ context: 'lint', app_id: appId }] },
        ...{ enforce_admins: true, required_pull_request_reviews: null, restrictions: null },
      })
      const { number } = await hosted.open('checked', { head: 'work' })
      const merge = () => ann.put(`${repo}/pulls/${number}/merge`)
      assert.equal((await ann.post(`${repo}/check-runs`, { name: 'lint', head_sha: sha })).status, 403)
      const draft = { name: 'lint', head_sha: sha, status: 'in_progress', external_id: '7' }
      const made = await robot.post(`${repo}/check-runs`, draft)
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(
        [made.body.status, made.body.conclusion, made.body.app.id, made.body.pull_requests[0].number],
        ['in_progress', null, appId, number],
      )
      await ann.post(`${repo}/statuses/${sha}`, { state: 'success', context: 'lint' })
      assert.equal((await merge()).status, 405, 'the app itself must say so')
      const run = `${repo}/check-runs/${made.body.id}`
      const annotation = { path: 'a.md', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'Hm' }
      const output = { title: 'One', summary: 'Word', annotations: [annotation] }
      assert.equal((await robot.patch(run, { status: 'completed' })).status, 422)
      const failed = await robot.patch(run, { conclusion: 'failure', output })
      assert.deepEqual(
        [failed.body.status, failed.body.conclusion, failed.body.output.annotations_count],
        ['completed', 'failure', 1],
      )
      assert.equal((await ann.patch(run, { conclusion: 'success' })).status, 403)
      const rollup = async () => {
        const query = `{ repository(owner: "ann", name: "checked") { pullRequest(number: ${number}) { statusCheckRollup {
          state contexts(first: 9) { totalCount nodes { __typename ... on CheckRun { name status conclusion
          isRequired(pullRequestNumber: ${number}) } ... on StatusContext { context } } } } } } }`
        const { body } = await ann.post('/graphql', { query })
        assert.equal(body.errors, undefined, JSON.stringify(body.errors))
        return body.data.repository.pullRequest.statusCheckRollup
      }
      assert.deepEqual(await rollup(), {
        state: 'FAILURE',
        contexts: {
          totalCount: 2,
          nodes: [
            { __typename: 'CheckRun', name: 'lint', status: 'COMPLETED', conclusion: 'FAILURE', isRequired: true },
            { __typename: 'StatusContext', context: 'lint' },
          ],
        },
      })
      assert.equal((await merge()).status, 405)
      const { body: notes } = await ann.get(`${run}/annotations`)
      assert.deepEqual([notes.length, notes[0].message], [1, 'Hm'])
      await robot.post(`${repo}/check-runs`, { ...draft, status: 'completed', conclusion: 'success' })
      const latest = (await bob.get(`${repo}/commits/work/check-runs`)).body
      assert.deepEqual([latest.total_count, latest.check_runs[0].conclusion], [1, 'success'])
      assert.equal((await ann.get(`${repo}/commits/work/check-runs?filter=all`)).body.total_count, 2)
      const suites = (await ann.get(`${repo}/commits/${sha}/check-suites`)).body
      assert.deepEqual(
        suites.check_suites.map((one: Json) => [
          one.status,
          one.conclusion,
          one.head_branch,
          one.latest_check_runs_count,
        ]),
        [['completed', 'success', 'work', 1]],
      )
      assert.equal((await rollup()).state, 'SUCCESS')
      assert.equal((await ann.post(`${run}/rerequest`)).status, 201)
      await until(() => heard('/app', 'check_run').some(({ action }) => action === 'rerequested'))
      await until(() => heard('/checked', 'check_suite').length > 0)
      for (const event of ['check_run', 'check_suite'])
        for (const payload of heard('/checked', event)) assert.deepEqual(check(event, payload), [], event)
      assert.ok(
        !heard('/checked', 'check_run').some(({ action }) => action === 'rerequested'),
        'its app alone is asked',
      )
      assert.equal((await merge()).status, 200)
    })

    test('a deployment waits for its reviewers, who are told, and ends those before it', async () => {
      await hosted.start('deployed')
      await listen('deployed', ['deployment', 'deployment_status'])
      const repo = '/repos/ann/deployed'
      const cid = await makeUser(hosted.server, 'cid')
      const { body: person } = await ann.get('/users/cid')
      const deploy = (more: object = {}) =>
        ann.post(`${repo}/deployments`, { ref: 'main', required_contexts: [], payload: { a: 1 }, ...more })
      const first = await deploy()
      assert.equal(first.status, 201, first.text)
      assert.deepEqual([first.body.environment, first.body.production_environment], ['production', true])
      const say = (id: number, state: string) => ann.post(`${repo}/deployments/${id}/statuses`, { state })
      assert.equal((await say(first.body.id, 'success')).status, 201)
      await ann.put(`${repo}/environments/production`, { reviewers: [{ type: 'User', id: person.id }] })
      const second = (await deploy()).body
      await until(async () => (await cid.get('/notifications')).body.length === 1)
      const [thread] = (await cid.get('/notifications')).body
      assert.deepEqual(
        [thread.reason, thread.subject.type, thread.subject.url],
        ['approval_requested', 'Deployment', second.url],
      )
      assert.equal((await say(second.id, 'in_progress')).status, 422)
      const review = (client: RestClient) =>
        client.post(`${repo}/deployments/${second.id}/reviews`, { state: 'approved', comment: 'Go' })
      assert.equal((await review(bob)).status, 403)
      assert.equal((await review(cid)).body.state, 'queued')
      assert.equal((await review(cid)).status, 422)
      assert.equal((await say(second.id, 'success')).status, 201)
      const { body: states } = await ann.get(`${repo}/deployments/${first.body.id}/statuses`)
      assert.deepEqual(
        states.map(({ state }: Json) => state),
        ['inactive', 'success'],
      )
      assert.equal((await ann.delete(`${repo}/deployments/${second.id}`)).status, 422)
      assert.equal((await ann.delete(`${repo}/deployments/${first.body.id}`)).status, 204)
      const { body: left } = await ann.get(`${repo}/deployments?environment=production`)
      assert.deepEqual(
        left.map(({ id }: Json) => id),
        [second.id],
      )
      assert.equal((await deploy({ required_contexts: ['ci'] })).status, 409)
      await endsTheNewest(second.id)
      await until(() => heard('/deployed', 'deployment_status').length >= 3)
      for (const event of ['deployment', 'deployment_status'])
        for (const payload of heard('/deployed', event)) {
          const faults = check(event, payload).filter((fault) => !/workflow/.test(fault))
          assert.deepEqual(faults, [], event)
        }
    })

    /** Of more that succeeded in one place than one success ends, the newest are ended. */
    async function endsTheNewest(id: number): Promise<void> {
      const { store } = hosted.server.services
      const count = 101
      const placed = { environment: 'crowded', approval: null }
      const ids = await store.write(async (trx) => {
        const get = { deployment: trx.selectFrom('deployment'), status: trx.selectFrom('deployment_status') }
        const one = await get.deployment.selectAll().where('id', '=', id).executeTakeFirstOrThrow()
        const said = await get.status.selectAll().where('state', '=', 'success').limit(1).executeTakeFirstOrThrow()
        const [{ id: _, ...deployment }, { id: __, ...status }] = [one, said]
        const many = Array.from({ length: count }, () => ({ ...deployment, ...placed }))
        const made = await trx.insertInto('deployment').values(many).returning('id').execute()
        const statuses = made.map((each) => ({ ...status, deployment_id: each.id }))
        await trx.insertInto('deployment_status').values(statuses).execute()
        return made.map((each) => each.id).toSorted((a, b) => a - b)
      })
      const repo = '/repos/ann/deployed'
      const draft = { ref: 'main', required_contexts: [], environment: placed.environment }
      const { body: last } = await ann.post(`${repo}/deployments`, draft)
      assert.equal((await ann.post(`${repo}/deployments/${last.id}/statuses`, { state: 'success' })).status, 201)
      const ended = await store.db
        .selectFrom('deployment_status')
        .select('deployment_id')
        .where('deployment_id', 'in', ids)
        .where('state', '=', 'inactive')
        .execute()
      assert.deepEqual(
        ended.map((row) => row.deployment_id).toSorted((a, b) => a - b),
        ids.slice(1),
      )
    }

    test('a hook hears of an event of the caller’s own', async () => {
      await hosted.start('told')
      await listen('told', ['repository_dispatch'])
      const send = (client: RestClient, body: object) => client.post('/repos/ann/told/dispatches', body)
      assert.equal((await send(bob, { event_type: 'built' })).status, 403)
      assert.equal((await send(ann, { event_type: 'built', client_payload: { of: 'it' } })).status, 204)
      const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, i]))
      assert.equal((await send(ann, { event_type: 'built', client_payload: many })).status, 422)
      await until(() => heard('/told', 'repository_dispatch').length === 1)
      const [{ action, branch, client_payload }] = heard('/told', 'repository_dispatch') as [Json]
      assert.deepEqual([action, branch, client_payload], ['built', 'main', { of: 'it' }])
    })

    test('a prefix leads to another system, in the texts of its repository', async () => {
      await hosted.start('linked')
      const repo = '/repos/ann/linked'
      const make = (key_prefix: string, more = {}) =>
        ann.post(`${repo}/autolinks`, { key_prefix, url_template: 'https://t.example.org/<num>', ...more })
      assert.equal((await make('TICKET-')).status, 201)
      assert.equal((await make('ticket-x')).status, 422)
      assert.equal((await make('JIRA-', { url_template: 'javascript:<num>' })).status, 422)
      const numeric = await make('BUG', { is_alphanumeric: false })
      assert.equal((await bob.get(`${repo}/autolinks`)).status, 403)
      assert.equal((await ann.get(`${repo}/autolinks`)).body.length, 2)
      await ann.post(`${repo}/issues`, { title: 'One', body: 'See TICKET-ab1, BUG12, BUGx, XTICKET-1 and `TICKET-2`.' })
      const accept = { accept: 'application/vnd.github.html+json' }
      const { body_html: html } = (await ann.get(`${repo}/issues/1`, accept)).body
      assert.deepEqual(
        [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
        ['https://t.example.org/ab1', 'https://t.example.org/12'],
      )
      assert.equal((await ann.delete(`${repo}/autolinks/${numeric.body.id}`)).status, 204)
      const after = (await ann.get(`${repo}/issues/1`, accept)).body.body_html
      assert.ok(!after.includes('/12'))
    })

    test('further addresses make commits one’s own; nobody takes another’s, and the primary one may be seen by all', async () => {
      const add = (client: RestClient, ...emails: string[]) => client.post('/user/emails', { emails })
      assert.equal((await add(ann, 'Second@example.net')).status, 201)
      assert.equal((await add(bob, 'second@example.net')).status, 422)
      assert.equal((await bob.patch('/user', { email: 'second@example.net' })).status, 422)
      const { body } = await ann.get('/user/emails')
      assert.deepEqual(
        body.map(({ email, primary, visibility }: Json) => [email, primary, visibility]),
        [
          ['ann@example.org', true, 'private'],
          ['second@example.net', false, null],
        ],
      )
      const folder = await hosted.start('mailed')
      const author = '--author=Ann <second@example.net>'
      await folder.must('commit', '--quiet', '--allow-empty', author, '-m', 'mine')
      await hosted.push(folder, 'main')
      assert.equal((await ann.get('/repos/ann/mailed/commits')).body[0].author?.login, 'ann')
      assert.equal((await bob.get('/users/ann')).body.email, null)
      await ann.patch('/user/email/visibility', { visibility: 'public' })
      assert.equal((await bob.get('/users/ann')).body.email, 'ann@example.org')
      assert.equal((await ann.get('/user/public_emails')).body.length, 1)
      const remove = (email: string) => ann.ask('DELETE', '/user/emails', JSON.stringify([email]))
      assert.equal((await remove('ann@example.org')).status, 422)
      assert.equal((await remove('second@example.net')).status, 204)
      const plain = makeRest(hosted.server.url, await makeToken(hosted.server, 'ann', { kind: 'classic', scopes: [] }))
      assert.equal((await add(plain, 'third@example.net')).status, 403)
    })

    test('an organisation is made by whoever will own it, and apps name one thing once', async () => {
      const made = await bob.post('/user/orgs', { login: 'bobs', profile_name: 'Bob’s' })
      assert.equal(made.status, 201, made.text)
      assert.equal((await bob.get('/user/memberships/orgs/bobs')).body.role, 'admin')
      assert.equal((await bob.post('/organizations', { login: 'annes', admin: 'ann' })).status, 422)
      assert.equal((await bob.post('/organizations', { login: 'bobs-too', admin: 'bob' })).status, 201)
      assert.equal((await bob.post('/user/orgs', { login: 'bobs' })).status < 500, true)
      const app = { name: 'Two', url: 'https://x.example.org', events: ['push'], default_events: ['issues'] }
      assert.equal((await ann.post('/user/apps', app)).status, 422)
    })
  })
