/** Those whom an organisation has blocked: they read its repositories, take back what they said, and do nothing else there. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

type Act = readonly [method: string, path: string, body?: unknown]

const tool = '/repos/acme/tool'
const content = Buffer.from('text\n').toString('base64')

for (const engine of oneEngine)
  describe(`a user blocked by an organisation on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let mal: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      mal = await makeUser(server, 'mal')
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'tool', auto_init: true })
    })
    after(() => server.stop())

    const block = async () => assert.equal((await ann.put('/orgs/acme/blocks/mal')).status, 204)
    const unblock = async () => assert.equal((await ann.delete('/orgs/acme/blocks/mal')).status, 204)

    async function must(by: RestClient, method: string, path: string, body?: unknown): Promise<Json> {
      const answer = await by.ask(method, path, body)
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    }

    /** A branch with a file of its own. */
    async function branch(by: RestClient, place: string, name: string): Promise<void> {
      const { object } = await must(by, 'GET', `${place}/git/ref/heads/main`)
      await must(by, 'POST', `${place}/git/refs`, { ref: `refs/heads/${name}`, sha: object.sha })
      await must(by, 'PUT', `${place}/contents/${name}.txt`, { message: name, content, branch: name })
    }

    const open = (by: RestClient, head: string, base = tool) =>
      must(by, 'POST', `${base}/pulls`, { title: head, head, base: 'main' })

    test('takes no part in its repositories, and may take back what was said before', async () => {
      await must(mal, 'POST', `${tool}/forks`)
      await until(async () => (await mal.get('/repos/mal/tool/git/ref/heads/main')).status === 200)
      for (const name of ['first', 'second']) await branch(mal, '/repos/mal/tool', name)
      await branch(ann, tool, 'topic')
      const own = await open(mal, 'mal:first')
      const pull = await open(ann, 'topic')
      const at = `${tool}/pulls/${pull.number}`
      const { sha } = pull.head
      const line = { body: 'Hm', commit_id: sha, path: 'topic.txt', line: 1 }
      const issue = await must(mal, 'POST', `${tool}/issues`, { title: 'Before' })
      const onIssue = `${tool}/issues/${issue.number}`
      const comment = await must(mal, 'POST', `${onIssue}/comments`, { body: 'Before' })
      const reaction = await must(mal, 'POST', `${onIssue}/reactions`, { content: 'heart' })
      const review = await must(mal, 'POST', `${at}/reviews`, { event: 'COMMENT', body: 'Before' })
      const lineComment = await must(mal, 'POST', `${at}/comments`, line)
      const commitComment = await must(mal, 'POST', `${tool}/commits/${sha}/comments`, { body: 'Before' })
      const pending = await must(mal, 'POST', `${at}/reviews`, { body: 'Soon' })
      const acts: readonly Act[] = [
        ['POST', `${tool}/issues`, { title: 'Again' }],
        ['PATCH', onIssue, { title: 'Again' }],
        ['POST', `${onIssue}/comments`, { body: 'Again' }],
        ['PATCH', `${tool}/issues/comments/${comment.id}`, { body: 'Again' }],
        ['POST', `${onIssue}/reactions`, { content: 'eyes' }],
        ['POST', `${at}/reviews/${pending.id}/events`, { event: 'COMMENT', body: 'Now' }],
        ['POST', `${at}/reviews`, { event: 'APPROVE' }],
        ['PUT', `${at}/reviews/${review.id}`, { body: 'Again' }],
        ['POST', `${at}/comments`, line],
        ['POST', `${at}/comments/${lineComment.id}/replies`, { body: 'Again' }],
        ['PATCH', `${tool}/pulls/comments/${lineComment.id}`, { body: 'Again' }],
        ['POST', `${tool}/commits/${sha}/comments`, { body: 'Again' }],
        ['PATCH', `${tool}/comments/${commitComment.id}`, { body: 'Again' }],
        ['POST', `${tool}/comments/${commitComment.id}/reactions`, { content: 'eyes' }],
        ['POST', `${tool}/pulls/comments/${lineComment.id}/reactions`, { content: 'eyes' }],
        ['POST', `${tool}/attachments?name=a.txt`, 'text'],
        ['PATCH', `${tool}/pulls/${own.number}`, { title: 'Again', body: 'Again' }],
        ['PATCH', `${tool}/pulls/${own.number}`, { state: 'closed' }],
        ['POST', `${tool}/pulls`, { title: 'Again', head: 'mal:second', base: 'main' }],
        ['PUT', `${tool}/subscription`, { subscribed: true }],
        ['PUT', '/user/starred/acme/tool'],
        ['POST', `${tool}/forks`],
      ]
      const statuses = async () => {
        const found: string[] = []
        for (const [method, path, body] of acts) {
          const { status } = await mal.ask(method, path, body)
          found.push(`${method} ${path}: ${status < 300 ? 'done' : status}`)
        }
        return found
      }
      const each = (outcome: string) => acts.map(([method, path]) => `${method} ${path}: ${outcome}`)

      await block()
      assert.deepEqual(await statuses(), each('403'))
      assert.match((await mal.post(`${at}/reviews`, { event: 'APPROVE' })).body.message, /has blocked you/)
      assert.equal((await mal.get(at)).status, 200)
      await unblock()
      assert.deepEqual(await statuses(), each('done'), 'nothing but the block was in the way')

      const { id } = await must(mal, 'POST', `${at}/reviews`, { body: 'Never' })
      await block()
      for (const path of [
        `${onIssue}/reactions/${reaction.id}`,
        `${tool}/issues/comments/${comment.id}`,
        `${at}/reviews/${id}`,
        `${tool}/pulls/comments/${lineComment.id}`,
        `${tool}/comments/${commitComment.id}`,
      ])
        await must(mal, 'DELETE', path)
      await unblock()
    })

    /** Adds them by name, as they accept. */
    async function addCollaborator(place: string): Promise<void> {
      await must(ann, 'PUT', `${place}/collaborators/mal`, { permission: 'push' })
      const { body } = await mal.get('/user/repository_invitations')
      for (const { id } of body) await must(mal, 'PATCH', `/user/repository_invitations/${id}`)
    }

    test('is a collaborator no longer, nor after the block is lifted, and neither watches nor stars', async () => {
      const hidden = '/repos/acme/hidden'
      await must(ann, 'POST', '/orgs/acme/repos', { name: 'hidden', private: true, auto_init: true })
      await must(ann, 'POST', '/orgs/acme/repos', { name: 'offered', private: true })
      const own = await must(mal, 'POST', '/user/repos', { name: 'starred' })
      for (const place of [tool, hidden]) {
        await addCollaborator(place)
        await must(mal, 'PUT', `${place}/subscription`, { subscribed: true })
        await must(mal, 'PUT', `/user/starred${place.slice('/repos'.length)}`)
      }
      await must(mal, 'PUT', `/user/starred/${own.full_name}`)
      const offer = await must(ann, 'PUT', '/repos/acme/offered/collaborators/mal', { permission: 'push' })
      const figures = async () => {
        const { stargazers_count, subscribers_count } = (await ann.get(tool)).body
        return { stargazers_count, subscribers_count }
      }
      const before = await figures()
      const write = (place: string) => mal.put(`${place}/contents/mal.txt`, { message: 'mal', content })
      await block()
      assert.deepEqual([(await write(tool)).status, (await write(hidden)).status], [403, 404])
      assert.equal((await mal.get(hidden)).status, 404)
      assert.equal((await mal.patch(`/user/repository_invitations/${offer.id}`)).status, 404)
      const again = await ann.put(`${hidden}/collaborators/mal`, { permission: 'push' })
      assert.deepEqual([again.status, /has blocked this user/.test(again.text)], [422, true])
      assert.deepEqual(await figures(), {
        stargazers_count: before.stargazers_count - 1,
        subscribers_count: before.subscribers_count - 1,
      })
      const names = (path: string) => mal.get(path).then(({ body }) => body.map((each: Json) => each.full_name))
      assert.deepEqual(await names('/user/starred'), ['mal/starred'])
      assert.equal((await names('/user/subscriptions')).includes('acme/tool'), false)
      const { body: log } = await asAdmin(server).get(
        '/enterprises/guildhall/audit-log?phrase=action:repo.remove_member',
      )
      assert.deepEqual(log.map(({ repo }: Json) => repo).sort(), ['acme/hidden', 'acme/tool'])
      await unblock()
      assert.deepEqual([(await write(tool)).status, (await write(hidden)).status], [403, 404])
      await addCollaborator(hidden)
      assert.equal((await write(hidden)).status, 201)
    })

    test('leaves no trace in its issues by texts and commits elsewhere', async () => {
      await must(mal, 'POST', '/user/repos', { name: 'own', auto_init: true })
      const issue = await must(ann, 'POST', `${tool}/issues`, { title: 'Quiet' })
      const last = await must(ann, 'POST', `${tool}/issues`, { title: 'Told' })
      const refer = async (number: number) => {
        await must(mal, 'POST', '/repos/mal/own/issues', { title: 'T', body: `acme/tool#${number}` })
        const path = `/repos/mal/own/contents/${number}.txt`
        await must(mal, 'PUT', path, { message: `See acme/tool#${number}`, content })
      }
      const told = async ({ number }: Json) =>
        (await ann.get(`${tool}/issues/${number}/timeline`)).body.map(({ event }: Json) => event).sort()
      await block()
      await refer(issue.number)
      // The job that reads the commits has to find the block, which is lifted once it has run.
      const jobs = server.services.store.db.selectFrom('job').select('id').where('kind', '=', 'forge.commit-references')
      const waiting = () => jobs.where('state', 'in', ['queued', 'running']).execute()
      await until(async () => (await waiting()).length === 0)
      await unblock()
      await refer(last.number)
      await until(async () => (await told(last)).length === 2)
      assert.deepEqual(await told(last), ['cross-referenced', 'referenced'])
      assert.deepEqual(await told(issue), [])
    })

    /** A new repository of acme's and their fork of it, and where both begin. */
    async function startFork(name: string) {
      await must(ann, 'POST', '/orgs/acme/repos', { name, auto_init: true })
      const [base, fork] = [`/repos/acme/${name}`, `/repos/mal/${name}`]
      await must(mal, 'POST', `${base}/forks`)
      await until(async () => (await mal.get(`${fork}/git/ref/heads/main`)).status === 200)
      const { object: main } = await must(mal, 'GET', `${fork}/git/ref/heads/main`)
      return { base, fork, main }
    }

    test('moves, closes and restores none of their pulls by what they do to their fork', async () => {
      const { base, fork, main } = await startFork('kept')
      for (const name of ['moved', 'gone', 'later']) await branch(mal, fork, name)
      const pulls: Json[] = []
      for (const name of ['moved', 'gone', 'later']) pulls.push(await open(mal, `mal:${name}`, base))
      // A pull within the fork hears of each push after those before it.
      const seen: Json[] = []
      for (const head of ['moved', 'gone'])
        seen.push(await must(mal, 'POST', `${fork}/pulls`, { title: head, head, base: 'main' }))
      const { id } = await must(ann, 'GET', base)
      const state = async () => {
        const { store } = server.services
        const told = await store.db.selectFrom('activity').select('id').where('repository_id', '=', id).execute()
        const found: Json[] = [told.length]
        for (const { number } of pulls) {
          const { state, head, updated_at } = await must(ann, 'GET', `${base}/pulls/${number}`)
          const events = await must(ann, 'GET', `${base}/issues/${number}/events`)
          found.push({ state, sha: head.sha, updated_at, events: events.map(({ event }: Json) => event) })
        }
        return found
      }
      const before = await state()
      await block()
      await must(mal, 'PUT', `${fork}/contents/more.txt`, { message: 'More', content, branch: 'moved' })
      const { object: other } = await must(mal, 'GET', `${fork}/git/ref/heads/later`)
      await must(mal, 'PATCH', `${fork}/git/refs/heads/moved`, { sha: other.sha, force: true })
      await must(mal, 'DELETE', `${fork}/git/refs/heads/gone`)
      const heard = async ({ number }: Json, event: string) =>
        (await must(mal, 'GET', `${fork}/issues/${number}/events`)).some((each: Json) => each.event === event)
      await until(async () => (await heard(seen[0], 'head_ref_force_pushed')) && heard(seen[1], 'head_ref_deleted'))
      await must(mal, 'POST', `${fork}/git/refs`, { ref: 'refs/heads/gone', sha: main.sha })
      await until(async () => (await mal.get(`${fork}/git/ref/heads/gone`)).status === 200)
      assert.deepEqual(await state(), before)
      const { status, text } = await ann.put(`${base}/pulls/${pulls[0].number}/update-branch`)
      assert.deepEqual([status >= 400, (await state())[1]], [true, before[1]], text)
      const merged = await must(ann, 'PUT', `${base}/pulls/${pulls[0].number}/merge`)
      const { parents } = await must(ann, 'GET', `${base}/git/commits/${merged.sha}`)
      assert.equal(parents[1].sha, pulls[0].head.sha)
      await must(mal, 'DELETE', fork)
      const { state: last, head } = await must(ann, 'GET', `${base}/pulls/${pulls[2].number}`)
      assert.deepEqual([last, head.sha], ['open', pulls[2].head.sha])
      await unblock()
    })

    test('has their pulls follow their fork again once the block is lifted', async () => {
      const { base, fork } = await startFork('again')
      await branch(mal, fork, 'back')
      const pull = await open(mal, 'mal:back', base)
      await block()
      await must(mal, 'PUT', `${fork}/contents/one.txt`, { message: 'One', content, branch: 'back' })
      await unblock()
      const { commit } = await must(mal, 'PUT', `${fork}/contents/two.txt`, { message: 'Two', content, branch: 'back' })
      await until(async () => (await must(ann, 'GET', `${base}/pulls/${pull.number}`)).head.sha === commit.sha)
    })
  })
