/** Pulls, reviews, releases, files and rules in an archive: every record type, with addresses that resolve within it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'
import { download, exportAll, findFaults, type Unpacked, unpack } from './exports.ts'

for (const engine of oneEngine) {
  describe(`pulls and files in the archive of a migration on ${engine}`, () => {
    let server: TestServer
    let world: World
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
    })
    after(() => server.stop())

    async function take(draft: object): Promise<Unpacked> {
      const { id } = await exportAll(world.ann, draft)
      return unpack(await download(world.ann, id))
    }

    async function makePull(): Promise<Json> {
      const { ann } = world
      const at = '/repos/acme/tool'
      const content = Buffer.from('new\n').toString('base64')
      await ann.post(`${at}/git/refs`, { ref: 'refs/heads/topic', sha: world.shas.commit })
      await ann.put(`${at}/contents/new.txt`, { message: 'Add a file', content, branch: 'topic' })
      const pull = await ann.post(`${at}/pulls`, { title: 'A file', body: 'See it.', head: 'topic', base: 'main' })
      assert.equal(pull.status, 201, pull.text)
      return pull.body
    }

    test('have both ends, reviews with their comments, requests of people and teams, and their events', async (t) => {
      const { ann, cid } = world
      const page = `${server.url}/acme/tool`
      const pull = await makePull()
      const at = `/repos/acme/tool/pulls/${pull.number}`
      await ann.put('/orgs/acme/teams/crew/memberships/cid', {})
      const asked = await ann.post(`${at}/requested_reviewers`, { reviewers: ['cid'], team_reviewers: ['crew'] })
      assert.equal(asked.status, 201, asked.text)
      const comments = [{ path: 'new.txt', line: 1, side: 'RIGHT', body: 'Why this?' }]
      const review = await cid.post(`${at}/reviews`, { event: 'COMMENT', body: 'A question.', comments })
      assert.equal(review.status, 200, review.text)
      await cid.post(`${at}/reviews`, { body: 'Not handed in.' })
      await cid.post(`/repos/acme/tool/issues/${pull.number}/comments`, { body: 'And this.' })
      // As versions before wrote it: leave that its giver could not give.
      await server.services.store.write((trx) => trx.updateTable('pull').set({ may_maintainers_push: 1 }).execute())
      const archive = await take({ repositories: ['acme/tool'] })
      t.after(archive.drop)
      assert.deepEqual(await findFaults(archive, server.url), [])
      const [record] = await archive.records('pull_requests')
      assert.equal(record.maintainer_can_modify, false)
      const url = `${page}/pull/${pull.number}`
      assert.deepEqual(
        [record.url, record.title, record.body, record.user],
        [url, 'A file', 'See it.', `${server.url}/ann`],
      )
      assert.deepEqual(record.base, { ref: 'main', sha: pull.base.sha, user: `${server.url}/acme`, repo: page })
      assert.deepEqual(record.head, { ref: 'topic', sha: pull.head.sha, user: `${server.url}/acme`, repo: page })
      assert.deepEqual(record.review_requests, [{ team: `${server.url}/orgs/acme/teams/crew` }])
      const reviews = await archive.records('pull_request_reviews')
      assert.deepEqual(
        reviews.map(({ pull_request, user, body, state }) => [pull_request, user, body, state]),
        [[url, `${server.url}/cid`, 'A question.', 'COMMENTED']],
      )
      const [line] = await archive.records('pull_request_review_comments')
      assert.deepEqual([line.pull_request_review, line.path, line.original_line], [reviews[0].url, 'new.txt', 1])
      const [said] = await archive.records('issue_comments')
      assert.equal(said.pull_request, url)
      const events = await archive.records('issue_events')
      assert.ok(events.some(({ event, requested_team }) => event === 'review_requested' && requested_team))
      assert.ok(events.every(({ pull_request }) => pull_request === url))
    })

    test('releases, attachments, comments on commits and protected branches are there, or left out where told', async (t) => {
      const { ann, shas } = world
      const page = `${server.url}/ann/open`
      const protection = {
        required_status_checks: null,
        enforce_admins: true,
        required_pull_request_reviews: null,
        restrictions: null,
      }
      const set = await ann.put('/repos/ann/open/branches/main/protection', protection)
      assert.equal(set.status, 200, set.text)
      const at = '/repos/ann/open'
      const upload = (path: string, body: string) =>
        ann.ask('POST', at + path, body, { 'content-type': 'application/octet-stream' })
      const { body: made } = await ann.post(`${at}/releases`, { tag_name: 'v1.0', name: 'One', body: 'The first.' })
      const file = await upload(`/releases/${made.id}/assets?name=tool.bin`, 'the tool')
      assert.equal(file.status, 201, file.text)
      const picture = await upload('/attachments?name=notes.txt', 'a picture')
      assert.equal(picture.status, 201, picture.text)
      const issue = await ann.post(`${at}/issues`, { title: 'Look', body: `![it](${picture.body.url})` })
      const comment = await ann.post(`${at}/commits/${shas.commit}/comments`, { body: 'Well done.' })
      assert.equal(comment.status, 201, comment.text)
      const archive = await take({ repositories: ['open'] })
      t.after(archive.drop)
      assert.deepEqual(await findFaults(archive, server.url), [])
      const [rules] = await archive.records('protected_branches')
      assert.deepEqual([rules.name, rules.repository, rules.enforce_admins], ['main', page, true])
      const [release] = await archive.records('releases')
      assert.deepEqual([release.tag_name, release.state, release.prerelease], ['v1.0', 'published', false])
      const [asset] = release.release_assets
      assert.match(asset.asset_url, /^tarball:\/\/root\/releases\/[0-9a-f-]{36}\/tool\.bin$/)
      const read = (address: string) => readFile(join(archive.folder, address.replace('tarball://root/', '')), 'utf8')
      assert.equal(await read(asset.asset_url), 'the tool')
      const [attachment] = await archive.records('attachments')
      assert.equal(attachment.url, picture.body.url)
      assert.match(attachment.asset_url, /^tarball:\/\/root\/attachments\/[0-9a-f-]{36}\/notes\.txt$/)
      assert.equal(attachment.issue, `${page}/issues/${issue.body.number}`)
      assert.equal(await read(attachment.asset_url), 'a picture')
      const [said] = await archive.records('commit_comments')
      assert.deepEqual([said.commit_id, said.body, said.repository], [shas.commit, 'Well done.', page])
      const less = await take({ repositories: ['open'], exclude_releases: true, exclude_attachments: true })
      t.after(less.drop)
      assert.deepEqual(
        less.files.filter((name) => /^(?:releases|attachments)/.test(name)),
        [],
      )
      assert.deepEqual(await findFaults(less, server.url), [])
    })
  })
}
