/** The table of acts: what each is told as, to a hook of the repository and to one of its organisation, by the published schemas. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hookEventNames } from '../../../src/forge/webhooks/webhook.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { asAdmin, makeUser, type RestClient, usualScopes } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { makePayloadCheck } from './schemas.ts'

const check = makePayloadCheck()
const repo = '/repos/acme/tool'

type Act = readonly [sentence: string, act: () => Promise<unknown>, told: readonly string[]]

describe('what acts are told as', () => {
  let server: TestServer
  let receiver: Receiver
  let ann: RestClient
  let bob: RestClient
  let main = ''
  const told = new Set<string>()
  before(async () => {
    receiver = await startReceiver()
    server = await startServer('sqlite', {
      environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
    })
    ann = await makeUser(server, 'ann', [...usualScopes, 'admin:org', 'admin:org_hook'])
    bob = await makeUser(server, 'bob', usualScopes)
    await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
    await asAdmin(server).put('/orgs/acme/memberships/bob', { role: 'member' })
    for (const name of ['tool', 'other']) await ann.post('/orgs/acme/repos', { name, auto_init: true })
    main = (await ann.get(`${repo}/git/ref/heads/main`)).body.object.sha
    await server.services.forge.activity.waitUntilAllDispatched(10_000)
    for (const place of ['/orgs/acme', repo, '/repos/acme/other']) {
      const config = { url: `${receiver.url}${place}`, content_type: 'json' }
      const { status, text } = await ann.post(`${place}/hooks`, { config, events: ['*'] })
      assert.equal(status, 201, text)
    }
    await until(() => receiver.received.length === 3)
  })
  after(async () => {
    await server.stop()
    await receiver.close()
  })

  /** `org: repository created`: where the hook is, the event, its action. */
  const heard = () =>
    receiver.received.map(({ headers, path, text }) => {
      const place = path.endsWith('/orgs/acme') ? 'org' : path.endsWith('/other') ? 'other' : 'repo'
      return `${place}: ${headers['x-github-event']} ${JSON.parse(text).action ?? ''}`.trim()
    })

  /** Acts one after the other, and compares what came of each. */
  async function run(acts: readonly Act[]): Promise<void> {
    for (const [sentence, act, expected] of acts) {
      const before = receiver.received.length
      const answer = (await act()) as Json
      assert.ok(answer.status < 300, `${sentence}: ${answer.status} ${answer.text}`)
      const wanted = expected.flatMap((each) => (each.includes(':') ? [each] : [`repo: ${each}`, `org: ${each}`]))
      await until(() => receiver.received.length >= before + wanted.length).catch((error) => {
        throw new Error(`${sentence}: ${heard().slice(before).join(', ')} came, not ${wanted.join(', ')}`, {
          cause: error,
        })
      })
      assert.deepEqual(heard().slice(before).sort(), wanted.sort(), sentence)
      for (const { headers, text } of receiver.received.slice(before)) {
        const event = String(headers['x-github-event'])
        told.add(event)
        assert.deepEqual(check(event, JSON.parse(text)), [], `${sentence}: ${event}`)
      }
    }
  }
  const last = (event: string): Json =>
    JSON.parse(receiver.received.findLast(({ headers }) => headers['x-github-event'] === event)!.text)

  test('labels and milestones', async () => {
    await run([
      [
        'a label is made',
        () => ann.post(`${repo}/labels`, { name: 'urgent', color: 'ff0000', description: 'Now' }),
        ['label created'],
      ],
      [
        'a label is changed',
        () => ann.patch(`${repo}/labels/urgent`, { new_name: 'soon', color: '00ff00' }),
        ['label edited'],
      ],
      ['a milestone is made', () => ann.post(`${repo}/milestones`, { title: 'One' }), ['milestone created']],
      ['a milestone is changed', () => ann.patch(`${repo}/milestones/1`, { title: 'First' }), ['milestone edited']],
      ['a milestone is closed', () => ann.patch(`${repo}/milestones/1`, { state: 'closed' }), ['milestone closed']],
      ['a milestone is opened', () => ann.patch(`${repo}/milestones/1`, { state: 'open' }), ['milestone opened']],
    ])
    assert.deepEqual(last('label').changes, { name: { from: 'urgent' }, color: { from: 'ff0000' } })
  })

  test('issues and their comments', async () => {
    const one = `${repo}/issues/1`
    let commentId = 0
    await run([
      [
        'an issue is opened with a label and a milestone',
        () => ann.post(`${repo}/issues`, { title: 'It breaks', body: 'Often', labels: ['soon'], milestone: 1 }),
        ['issues opened', 'issues labeled', 'issues milestoned'],
      ],
      ['it loses its label', () => ann.delete(`${one}/labels/soon`), ['issues unlabeled']],
      [
        'it gets one that there was not',
        () => ann.post(`${one}/labels`, { labels: ['new'] }),
        ['label created', 'issues labeled'],
      ],
      ['it loses its milestone', () => ann.patch(one, { milestone: null }), ['issues demilestoned']],
      ['it is assigned', () => ann.post(`${one}/assignees`, { assignees: ['ann'] }), ['issues assigned']],
      ['it is unassigned', () => ann.ask('DELETE', `${one}/assignees`, { assignees: ['ann'] }), ['issues unassigned']],
      ['it is locked', () => ann.put(`${one}/lock`, { lock_reason: 'spam' }), ['issues locked']],
      ['it is unlocked', () => ann.delete(`${one}/lock`), ['issues unlocked']],
      ['it is edited', () => ann.patch(one, { title: 'It broke' }), ['issues edited']],
      [
        'it is commented on',
        async () => {
          const answer = await ann.post(`${one}/comments`, { body: 'Me too' })
          commentId = answer.body.id
          return answer
        },
        ['issue_comment created'],
      ],
      [
        'the comment is edited',
        () => ann.patch(`${repo}/issues/comments/${commentId}`, { body: 'Me, too' }),
        ['issue_comment edited'],
      ],
      ['the comment is deleted', () => ann.delete(`${repo}/issues/comments/${commentId}`), ['issue_comment deleted']],
      ['it is closed', () => ann.patch(one, { state: 'closed' }), ['issues closed']],
      ['it is opened again', () => ann.patch(one, { state: 'open' }), ['issues reopened']],
      ['a label is deleted', () => ann.delete(`${repo}/labels/new`), ['label deleted']],
      ['a milestone is deleted', () => ann.delete(`${repo}/milestones/1`), ['milestone deleted']],
    ])
    assert.equal(last('issue_comment').comment.body, 'Me, too')
    await run([
      ['it is pinned', () => ann.put(`${one}/pin`), ['issues pinned']],
      ['it is unpinned', () => ann.delete(`${one}/pin`), ['issues unpinned']],
      [
        'it is transferred',
        () => ann.post(`${one}/transfer`, { new_repository: 'acme/other' }),
        ['issues transferred', 'other: issues opened', 'org: issues opened'],
      ],
      [
        'it is deleted',
        () => ann.delete('/repos/acme/other/issues/1'),
        ['other: issues deleted', 'org: issues deleted'],
      ],
    ])
    assert.equal(last('issues').issue.title, 'It broke')
  })

  test('pulls, reviews and comments on lines', async () => {
    const file = { message: 'Add b', branch: 'work', content: Buffer.from('one\ntwo\n').toString('base64') }
    await ann.post(`${repo}/git/refs`, { ref: 'refs/heads/work', sha: main })
    await ann.post(`${repo}/git/refs`, { ref: 'refs/heads/next', sha: main })
    await ann.put(`${repo}/contents/b.txt`, file)
    await until(() => heard().filter((each) => each.endsWith(' push')).length === 6)
    let pull = ''
    let review = 0
    let comment = 0
    await run([
      [
        'a pull is opened',
        async () => {
          const answer = await ann.post(`${repo}/pulls`, { title: 'Add b', head: 'work', base: 'main' })
          pull = `${repo}/pulls/${answer.body.number}`
          return answer
        },
        ['pull_request opened'],
      ],
      [
        'it is labelled',
        () => ann.post(`${pull.replace('pulls', 'issues')}/labels`, { labels: ['soon'] }),
        ['pull_request labeled'],
      ],
      ['its conversation is locked', () => ann.put(`${pull.replace('pulls', 'issues')}/lock`), ['pull_request locked']],
      ['it is unlocked', () => ann.delete(`${pull.replace('pulls', 'issues')}/lock`), ['pull_request unlocked']],
      ['its base is another', () => ann.patch(pull, { base: 'next' }), ['pull_request edited']],
      ['its base is main again', () => ann.patch(pull, { base: 'main' }), ['pull_request edited']],
      [
        'a review is asked for',
        () => ann.post(`${pull}/requested_reviewers`, { reviewers: ['bob'] }),
        ['pull_request review_requested'],
      ],
      [
        'it is asked for no more',
        () => ann.ask('DELETE', `${pull}/requested_reviewers`, { reviewers: ['bob'] }),
        ['pull_request review_request_removed'],
      ],
      [
        'it is reviewed',
        async () => {
          const comments = [{ path: 'b.txt', line: 2, side: 'RIGHT', body: 'Why two?' }]
          const answer = await bob.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'Hm', comments })
          review = answer.body.id
          return answer
        },
        ['pull_request_review submitted', 'pull_request_review_comment created'],
      ],
      [
        'the review is edited',
        () => bob.put(`${pull}/reviews/${review}`, { body: 'Hmm' }),
        ['pull_request_review edited'],
      ],
      [
        'the comment is edited',
        async () => {
          comment = (await ann.get(`${pull}/comments`)).body[0].id
          return bob.patch(`${repo}/pulls/comments/${comment}`, { body: 'Why?' })
        },
        ['pull_request_review_comment edited'],
      ],
      [
        'the comment is deleted',
        () => bob.delete(`${repo}/pulls/comments/${comment}`),
        ['pull_request_review_comment deleted'],
      ],
      [
        'the review is dismissed',
        () => ann.put(`${pull}/reviews/${review}/dismissals`, { message: 'Done' }),
        ['pull_request_review dismissed'],
      ],
      ['it is merged', () => ann.put(`${pull}/merge`, {}), ['push', 'pull_request closed']],
    ])
    assert.equal(last('pull_request').pull_request.merged, true)
  })

  test('statuses, releases, stars and forks', async () => {
    let release = 0
    await run([
      [
        'a status is set',
        () => ann.post(`${repo}/statuses/${main}`, { state: 'success', context: 'ci', description: 'Fine' }),
        ['status'],
      ],
      [
        'a draft of a release is made',
        async () => {
          const answer = await ann.post(`${repo}/releases`, { tag_name: 'v1', body: 'First', draft: true })
          release = answer.body.id
          return answer
        },
        ['release created'],
      ],
      ['it is edited', () => ann.patch(`${repo}/releases/${release}`, { body: 'The first' }), ['release edited']],
      [
        'it is published',
        () => ann.patch(`${repo}/releases/${release}`, { draft: false }),
        ['create', 'push', 'release published', 'release released'],
      ],
      ['it is deleted', () => ann.delete(`${repo}/releases/${release}`), ['release deleted']],
      ['a tag is deleted', () => ann.delete(`${repo}/git/refs/tags/v1`), ['delete', 'push']],
      ['a star is given', () => bob.put('/user/starred/acme/tool'), ['star created', 'watch started']],
      ['it is taken back', () => bob.delete('/user/starred/acme/tool'), ['star deleted']],
      ['it is forked', () => bob.post(`${repo}/forks`), ['fork']],
      [
        'a commit is commented on',
        () => ann.post(`${repo}/commits/${main}/comments`, { body: 'Nice' }),
        ['commit_comment created'],
      ],
    ])
  })

  test('teams, members and collaborators', async () => {
    const cid = await makeUser(server, 'cid', usualScopes)
    await run([
      [
        'a team is made',
        () => ann.post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed' }),
        ['org: team created'],
      ],
      ['a team is changed', () => ann.patch('/orgs/acme/teams/crew', { description: 'All' }), ['org: team edited']],
      [
        'somebody is put in a team',
        () => ann.put('/orgs/acme/teams/crew/memberships/bob', {}),
        ['org: membership added'],
      ],
      [
        'a team is given a repository',
        () => ann.put('/orgs/acme/teams/crew/repos/acme/tool', { permission: 'push' }),
        ['org: team added_to_repository', 'org: team_add', 'repo: team_add'],
      ],
      [
        'a team loses a repository',
        () => ann.delete('/orgs/acme/teams/crew/repos/acme/tool'),
        ['org: team removed_from_repository'],
      ],
      [
        'somebody leaves a team',
        () => ann.delete('/orgs/acme/teams/crew/memberships/bob'),
        ['org: membership removed'],
      ],
      ['a team is deleted', () => ann.delete('/orgs/acme/teams/crew'), ['org: team deleted']],
      [
        'a member is made a collaborator',
        () => ann.put(`${repo}/collaborators/bob`, { permission: 'push' }),
        ['member added'],
      ],
      [
        'a collaborator gets another level',
        () => ann.put(`${repo}/collaborators/bob`, { permission: 'maintain' }),
        ['member edited'],
      ],
      ['a collaborator goes', () => ann.delete(`${repo}/collaborators/bob`), ['member removed']],
      [
        'somebody is invited to the organization',
        () => ann.put('/orgs/acme/memberships/cid', { role: 'member' }),
        ['org: organization member_invited'],
      ],
      [
        'somebody is a member',
        () => cid.patch('/user/memberships/orgs/acme', { state: 'active' }),
        ['org: organization member_added'],
      ],
      ['a member goes', () => ann.delete('/orgs/acme/members/cid'), ['org: organization member_removed']],
    ])
  })

  test('the repository itself', async () => {
    await run([
      [
        'it is described',
        () => ann.patch(repo, { description: 'A tool', homepage: 'https://x.example' }),
        ['repository edited'],
      ],
      ['it has topics', () => ann.put(`${repo}/topics`, { names: ['tool'] }), ['repository edited']],
      ['it becomes private', () => ann.patch(repo, { private: true }), ['repository privatized']],
      ['it becomes public', () => ann.patch(repo, { private: false }), ['repository publicized', 'public']],
      ['it is archived', () => ann.patch(repo, { archived: true }), ['repository archived']],
      ['it is unarchived', () => ann.patch(repo, { archived: false }), ['repository unarchived']],
      ['one is made', () => ann.post('/orgs/acme/repos', { name: 'third' }), ['org: repository created']],
      ['it is renamed', () => ann.patch('/repos/acme/third', { name: 'last' }), ['org: repository renamed']],
      ['it is deleted', () => ann.delete('/repos/acme/last'), ['org: repository deleted']],
    ])
  })

  test('of a push of over fifty branches none is told, nor of over three tags, and the rest of it is', async () => {
    await ann.post('/user/repos', { name: 'wide' })
    const config = { url: `${receiver.url}/wide`, content_type: 'json' }
    await ann.post('/repos/ann/wide/hooks', { config, events: ['create'] })
    const wide = () =>
      receiver.received.filter(({ path }) => path.endsWith('/wide')).map(({ text }) => JSON.parse(text))
    await until(() => wide().length === 1)
    const work = await makeWorkingFolder()
    try {
      await work.must('commit', '--quiet', '--allow-empty', '-m', 'One')
      const refs = (kind: string, word: string, count: number) =>
        Array.from({ length: count }, (_, i) => `HEAD:refs/${kind}/${word}-${i}`)
      const push = (...specs: string[]) =>
        work.must('push', '--quiet', remoteUrl(server.url, 'ann/wide', 'ann', ann.token!), ...specs)
      await push(...refs('heads', 'many', 51), ...refs('tags', 'few', 3))
      await push(...refs('heads', 'some', 50), ...refs('tags', 'lots', 4))
      await until(() => wide().length >= 54)
      await push('HEAD:refs/heads/last')
      await until(() => wide().some(({ ref }) => ref === 'last'))
      const words = wide().flatMap(({ ref }) => (ref ? [ref.split('-')[0]] : []))
      const counts = Object.groupBy(words, (word) => word)
      assert.deepEqual(
        Object.entries(counts).map(([word, found]) => [word, found?.length]),
        [
          ['few', 3],
          ['some', 50],
          ['last', 1],
        ],
      )
    } finally {
      await work.drop()
    }
  })

  test('no event that a hook may hear of is left untold', () => {
    // Compared in test/forge/checks.test.ts, where an app makes them.
    const ofTools = ['check_run', 'check_suite', 'deployment', 'deployment_status', 'repository_dispatch']
    const elsewhere = ['ping', 'submission', ...ofTools]
    assert.deepEqual(
      hookEventNames.filter((name) => !told.has(name) && !elsewhere.includes(name)),
      [],
    )
  })
})
