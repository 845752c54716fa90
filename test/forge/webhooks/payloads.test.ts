/** What hooks hear of: each act as the event of the public platform, by its published schema, signed for its own library. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Webhooks } from '@octokit/webhooks'
import { oneEngine } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeUser, type RestClient, usualScopes } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { type PullServer, startPullServer } from '../pulls/pull-server.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { makePayloadCheck } from './schemas.ts'

const secret = 'It is a secret to everybody'
/** The published description asks for what it does not itself have, or says nothing of ours. */
const check = makePayloadCheck()

for (const engine of oneEngine) {
  describe(`events of webhooks on ${engine}`, () => {
    let hosted: PullServer
    let receiver: Receiver
    let ann: RestClient
    let bob: RestClient
    const repo = '/repos/ann/one'
    before(async () => {
      receiver = await startReceiver()
      hosted = await startPullServer(engine, {
        environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
      })
      ann = hosted.ann
      bob = await makeUser(hosted.server, 'guest', usualScopes)
      await ann.post('/user/repos', { name: 'one', auto_init: true })
      const config = { url: receiver.url, content_type: 'json', secret }
      const { status, body } = await ann.post(`${repo}/hooks`, { config, events: ['*'] })
      assert.equal(status, 201, JSON.stringify(body))
    })
    after(async () => {
      await hosted.stop()
      await receiver.close()
    })

    const heard = async (event: string, action?: string): Promise<Json> => {
      const payload = await receiver.heard(event, action)
      assert.deepEqual(check(event, payload), [], `${event} ${action}`)
      return payload
    }

    test('a ping comes first, with the hook and without its secret', async () => {
      const payload = await heard('ping')
      assert.equal(payload.hook.config.secret, '********')
      assert.equal(payload.hook.type, 'Repository')
      assert.ok(!receiver.received[0]!.text.includes(secret))
    })

    test('issues and comments are told as they come, change and go', async () => {
      await ann.post(`${repo}/issues`, { title: 'It breaks', body: 'Often' })
      assert.equal((await heard('issues', 'opened')).issue.title, 'It breaks')
      await ann.patch(`${repo}/issues/1`, { title: 'It broke' })
      assert.deepEqual((await heard('issues', 'edited')).changes, { title: { from: 'It breaks' } })
      await ann.post(`${repo}/issues/1/assignees`, { assignees: ['ann'] })
      assert.equal((await heard('issues', 'assigned')).assignee.login, 'ann')
      await bob.post(`${repo}/issues/1/comments`, { body: 'Me too' })
      const { comment, sender } = await heard('issue_comment', 'created')
      assert.deepEqual([comment.body, sender.login], ['Me too', 'guest'])
      await bob.patch(`${repo}/issues/comments/${comment.id}`, { body: 'Me, too' })
      assert.deepEqual((await heard('issue_comment', 'edited')).changes, { body: { from: 'Me too' } })
      await ann.patch(`${repo}/issues/1`, { state: 'closed' })
      assert.equal((await heard('issues', 'closed')).issue.state, 'closed')
      await ann.patch(`${repo}/issues/1`, { state: 'open' })
      await heard('issues', 'reopened')
    })

    test('pushes tell their commits, and branches and tags come and go', async () => {
      const put = await ann.put(`${repo}/contents/a.txt`, {
        message: 'Add a',
        content: Buffer.from('a').toString('base64'),
      })
      const sha = put.body.commit.sha
      await until(() => receiver.received.some(({ text }) => JSON.parse(text).after === sha))
      const pushed: Json = receiver.received.map(({ text }) => JSON.parse(text)).find(({ after }) => after === sha)
      assert.deepEqual(check('push', pushed), [])
      assert.deepEqual([pushed.ref, pushed.forced, pushed.created], ['refs/heads/main', false, false])
      assert.deepEqual(
        pushed.commits.map(({ message, added }: Json) => [message, added]),
        [['Add a', ['a.txt']]],
      )
      await ann.post(`${repo}/git/refs`, { ref: 'refs/heads/topic', sha })
      // That of the first branch may be told after the hook was made.
      const findTopic = () =>
        receiver.received
          .filter(({ headers }) => headers['x-github-event'] === 'create')
          .map(({ text }) => JSON.parse(text))
          .find((payload) => payload.ref === 'topic')
      await until(findTopic)
      const { ref, ref_type, master_branch } = findTopic()
      assert.deepEqual([ref, ref_type, master_branch], ['topic', 'branch', 'main'])
      await ann.delete(`${repo}/git/refs/heads/topic`)
      assert.equal((await heard('delete')).ref, 'topic')
    })

    test('options that a push was made with are told, and not more of them than a push may have', async () => {
      const folder = await makeWorkingFolder()
      try {
        const remote = remoteUrl(hosted.server.url, 'ann/one', 'ann', ann.token)
        await folder.must('commit', '--quiet', '--allow-empty', '-m', 'Quietly')
        const sha = await folder.must('rev-parse', 'HEAD')
        await folder.must('push', '--quiet', '-o', 'ci.skip', '-o', 'topic=a b', remote, 'main:quiet')
        await until(() => receiver.received.some(({ text }) => JSON.parse(text).push_options))
        const told: Json = receiver.received.map(({ text }) => JSON.parse(text)).find((payload) => payload.push_options)
        assert.deepEqual([told.after, told.push_options], [sha, ['ci.skip', 'topic=a b']])
        assert.deepEqual(check('push', told), [])
        await folder.must('push', '--quiet', '-o', 'ci.skip', remote, ':quiet')
        for (const options of [Array.from({ length: 33 }, () => '-ox'), [`-o${'x'.repeat(256)}`]]) {
          const { code, output } = await folder.git('push', ...options, remote, 'main:loud')
          assert.deepEqual([code, /HTTP 400|unexpected disconnect|hung up/.test(output)], [1, true], output)
        }
        assert.equal((await ann.get(`${repo}/git/ref/heads/loud`)).status, 404)
      } finally {
        await folder.drop()
      }
    })

    test('pulls, reviews and comments on lines are told', async () => {
      const { body: main } = await ann.get(`${repo}/git/ref/heads/main`)
      await ann.post(`${repo}/git/refs`, { ref: 'refs/heads/work', sha: main.object.sha })
      const file = { message: 'Add b', branch: 'work', content: Buffer.from('one\ntwo\n').toString('base64') }
      await ann.put(`${repo}/contents/b.txt`, file)
      const { body: pull } = await ann.post(`${repo}/pulls`, { title: 'Add b', head: 'work', base: 'main' })
      assert.equal((await heard('pull_request', 'opened')).number, pull.number)
      const comments = [{ path: 'b.txt', line: 2, side: 'RIGHT', body: 'Why two?' }]
      await bob.post(`${repo}/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Hm', comments })
      assert.equal((await heard('pull_request_review', 'submitted')).review.state, 'commented')
      assert.equal((await heard('pull_request_review_comment', 'created')).comment.body, 'Why two?')
      await ann.put(`${repo}/contents/c.txt`, { ...file, message: 'Add c' })
      const { before: from, after: to, pull_request } = await heard('pull_request', 'synchronize')
      assert.deepEqual([from, to], [pull.head.sha, pull_request.head.sha])
      await ann.put(`${repo}/pulls/${pull.number}/merge`, {})
      assert.equal((await heard('pull_request', 'closed')).pull_request.merged, true)
    })

    test('releases, comments on commits and collaborators are told', async () => {
      await ann.post(`${repo}/releases`, { tag_name: 'v1', body: 'First' })
      assert.equal((await heard('release', 'published')).release.tag_name, 'v1')
      const { body: main } = await ann.get(`${repo}/git/ref/heads/main`)
      await ann.post(`${repo}/commits/${main.object.sha}/comments`, { body: 'Nice' })
      assert.equal((await heard('commit_comment', 'created')).comment.body, 'Nice')
      const { body: invitation } = await ann.put(`${repo}/collaborators/guest`, { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      assert.equal((await heard('member', 'added')).member.login, 'guest')
      await ann.delete(`${repo}/collaborators/guest`)
      await heard('member', 'removed')
    })

    test('every delivery was signed for the published library, and in order', async () => {
      const webhooks = new Webhooks({ secret })
      const events: string[] = []
      webhooks.onAny(({ name }) => void events.push(name))
      for (const { headers, text } of receiver.received) {
        const id = String(headers['x-github-delivery'])
        const signature = String(headers['x-hub-signature-256'])
        assert.equal(headers['x-platform-event'], headers['x-github-event'])
        assert.match(String(headers['user-agent']), /^Guildhall-Hookshot/)
        // biome-ignore lint/suspicious/noExplicitAny: the library names its events in a type
        await webhooks.verifyAndReceive({ id, name: headers['x-github-event'] as any, payload: text, signature })
        assert.equal(await webhooks.verify(`${text} `, signature), false)
      }
      assert.equal(events.length, receiver.received.length)
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-github-delivery'])).size, events.length)
      const times = receiver.received
        .map(({ text }) => JSON.parse(text))
        .filter(({ issue, action }) => issue && !issue.pull_request && action)
        .map(({ action }) => action)
      assert.deepEqual(times, ['opened', 'edited', 'assigned', 'created', 'edited', 'closed', 'reopened'])
    })
  })
}
