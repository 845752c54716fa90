/** Issues in an archive: every member of the records, however many there are, all of one moment. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'
import { awaitExport, download, exportAll, findFaults, type Unpacked, unpack } from './exports.ts'
import { fillRepository } from './many-records.ts'

for (const engine of oneEngine) {
  describe(`issues in the archive of a migration on ${engine}`, () => {
    let server: TestServer
    let world: World
    let ann: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
      ann = world.ann
    })
    after(() => server.stop())

    async function take(draft: object): Promise<Unpacked> {
      const { id } = await exportAll(ann, draft)
      return unpack(await download(ann, id))
    }

    const only = (record: Json, ...members: string[]) =>
      Object.fromEntries(members.map((member) => [member, record[member]]))

    test('have their people, labels, milestones, comments, reactions and events', async (t) => {
      await ann.post('/user/repos', { name: 'desk' })
      const at = '/repos/ann/desk'
      const page = `${server.url}/ann/desk`
      await ann.put(`${at}/collaborators/cid`, { permission: 'push' })
      const { body: invitations } = await world.cid.get('/user/repository_invitations')
      for (const { id } of invitations) await world.cid.patch(`/user/repository_invitations/${id}`)
      await ann.post(`${at}/labels`, { name: 'a/b c', color: 'ff0000', description: 'Odd' })
      await ann.post(`${at}/milestones`, {
        title: 'Soon',
        description: 'When it is done',
        due_on: '2027-01-01T00:00:00Z',
      })
      const draft = { title: 'It fails', body: 'Really.', labels: ['a/b c', 'bug'], assignees: ['cid'], milestone: 1 }
      const issue = await ann.post(`${at}/issues`, draft)
      assert.equal(issue.status, 201, issue.text)
      const comment = await world.cid.post(`${at}/issues/1/comments`, { body: 'I see it, too.' })
      assert.equal(comment.status, 201, comment.text)
      await ann.post(`${at}/issues/comments/${comment.body.id}/reactions`, { content: 'heart' })
      await world.cid.post(`${at}/issues/1/reactions`, { content: '+1' })
      await ann.patch(`${at}/issues/1`, { title: 'It fails often' })
      await ann.patch(`${at}/issues/1`, { state: 'closed', state_reason: 'not_planned' })
      await ann.post(`${at}/issues`, { title: 'Gone' })
      const archive = await take({ repositories: ['desk'] })
      t.after(archive.drop)
      assert.deepEqual(await findFaults(archive, server.url), [])
      const [record] = await archive.records('issues')
      assert.deepEqual(
        only(record, 'url', 'repository', 'user', 'title', 'body', 'assignee', 'assignees', 'milestone', 'labels'),
        {
          url: `${page}/issues/1`,
          repository: page,
          user: `${server.url}/ann`,
          title: 'It fails often',
          body: 'Really.',
          assignee: `${server.url}/cid`,
          assignees: [`${server.url}/cid`],
          milestone: `${page}/milestone/1`,
          labels: record.labels,
        },
      )
      assert.deepEqual(record.labels.toSorted(), [`${page}/labels/a%2Fb%20c`, `${page}/labels/bug`])
      assert.deepEqual(
        [record.state, record.state_reason, record.closed_by],
        ['closed', 'not_planned', `${server.url}/ann`],
      )
      assert.deepEqual(
        record.reactions.map((one: Json) => only(one, 'user', 'content')),
        [{ user: `${server.url}/cid`, content: '+1' }],
      )
      const [said] = await archive.records('issue_comments')
      assert.deepEqual(only(said, 'url', 'issue', 'user', 'body', 'formatter'), {
        url: `${page}/issues/1#issuecomment-${comment.body.id}`,
        issue: `${page}/issues/1`,
        user: `${server.url}/cid`,
        body: 'I see it, too.',
        formatter: 'markdown',
      })
      assert.equal(said.reactions[0].content, 'heart')
      const [milestone] = await archive.records('milestones')
      assert.deepEqual(only(milestone, 'url', 'title', 'description', 'due_on', 'state', 'user'), {
        url: `${page}/milestone/1`,
        title: 'Soon',
        description: 'When it is done',
        due_on: '2027-01-01T00:00:00Z',
        state: 'open',
        user: `${server.url}/ann`,
      })
      const { body: shown } = await ann.get(`${at}/issues/1/events?per_page=100`)
      const events = (await archive.records('issue_events')).filter((one) => one.issue === `${page}/issues/1`)
      assert.deepEqual(
        events.map(({ event, url }) => [event, Number(url.split('#event-')[1])]),
        shown.map(({ event, id }: Json) => [event, id]),
      )
      const find = (event: string) => events.find((one) => one.event === event)
      assert.deepEqual(only(find('assigned'), 'assignee', 'assigner', 'actor'), {
        assignee: `${server.url}/cid`,
        assigner: `${server.url}/ann`,
        actor: `${server.url}/ann`,
      })
      assert.deepEqual(find('renamed').rename, { from: 'It fails', to: 'It fails often' })
      assert.deepEqual(find('milestoned').milestone, { title: 'Soon' })
      assert.equal(find('closed').state_reason, 'not_planned')
    })

    test('are all there, a hundred to a file, of a repository with 2,500 issues and 10,000 events', async (t) => {
      const { body } = await ann.post('/user/repos', { name: 'large', auto_init: true })
      const { body: people } = await ann.get('/users')
      const ids = people.map(({ id }: Json) => id)
      await fillRepository(server, body.id, ids, { issues: 2_500, events: 10_000, comments: 3_010 })
      const archive = await take({ repositories: ['large'] })
      t.after(archive.drop)
      assert.deepEqual(await findFaults(archive, server.url), [])
      const counts: Record<string, number> = { issues: 2_500, issue_events: 10_000, issue_comments: 3_010 }
      for (const [plural, count] of Object.entries(counts)) {
        const names = archive.files.filter((name) => new RegExp(`^${plural}_\\d`).test(name))
        assert.equal(names.length, Math.ceil(count / 100), plural)
        const records = await archive.records(plural)
        assert.equal(records.length, count, plural)
        assert.equal(new Set(records.map(({ url }) => url)).size, count, plural)
        for (const name of names.slice(0, -1)) assert.equal((await archive.json(name)).length, 100, name)
      }
    })

    test('are as they were at one moment, whatever is written meanwhile', async (t) => {
      const { body } = await ann.post('/user/repos', { name: 'lively' })
      const at = '/repos/ann/lively'
      await fillRepository(server, body.id, [body.owner.id], { issues: 300, events: 300, comments: 300 })
      let isDone = false
      let made = 0
      // Each step writes a comment, and then says in the title how many there are.
      const writing = (async () => {
        while (!isDone) {
          await ann.post(`${at}/issues/1/comments`, { body: `more ${++made}` })
          await ann.patch(`${at}/issues/1`, { title: `${made} more` })
        }
      })()
      const ids: number[] = []
      for (let round = 0; round < 3; round++) {
        const { body: migration } = await ann.post('/user/migrations', { repositories: ['lively'] })
        await awaitExport(ann, migration.id)
        ids.push(migration.id)
      }
      isDone = true
      await writing
      for (const id of ids) {
        const archive = await unpack(await download(ann, id))
        t.after(archive.drop)
        assert.deepEqual(await findFaults(archive, server.url), [])
        const more = (await archive.records('issue_comments')).filter(({ body: text }) =>
          text.startsWith('more'),
        ).length
        const [{ title }] = await archive.records('issues')
        const told = Number(/^(\d+) more$/.exec(title)?.[1] ?? 0)
        assert.ok(more === told || more === told + 1, `${more} comments, and the title says ${told}`)
        const renames = (await archive.records('issue_events')).filter(({ event }) => event === 'renamed')
        assert.equal(renames.length, told)
      }
    })
  })
}
