/** The published client opens, reviews and merges pulls, with nothing changed but the base URL. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeUser } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

describe('Octokit and pulls', () => {
  let server: TestServer
  let ann: Octokit
  let bob: Octokit
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    const quiet = { debug() {}, info() {}, warn() {}, error() {} }
    const connect = async (login: string) =>
      new Octokit({ log: quiet, auth: (await makeUser(server, login)).token, baseUrl: `${server.url}/api/v3` })
    ann = await connect('ann')
    bob = await connect('bob')
  })
  after(() => server.stop())

  test('fork, open, review, answer, update, merge and list', async () => {
    const base = { owner: 'ann', repo: 'tool' }
    await ann.repos.createForAuthenticatedUser({ name: 'tool', auto_init: true })
    const { data: issue } = await ann.issues.create({ ...base, title: 'There is no a.txt' })
    const { data: fork } = await bob.repos.createFork(base)
    assert.equal(fork.parent?.full_name, 'ann/tool')
    const own = { owner: 'bob', repo: 'tool' }
    const { data: main } = await bob.git.getRef({ ...own, ref: 'heads/main' })
    await bob.git.createRef({ ...own, ref: 'refs/heads/topic', sha: main.object.sha })
    const content = Buffer.from('one\ntwo\n').toString('base64')
    await bob.repos.createOrUpdateFileContents({ ...own, path: 'a.txt', message: 'Add a', content, branch: 'topic' })
    const { data: pull } = await bob.pulls.create({
      ...base,
      title: 'A',
      head: 'bob:topic',
      base: 'main',
      body: `Fixes #${issue.number}`,
    })
    const place = { ...base, pull_number: pull.number }
    assert.deepEqual([pull.mergeable, pull.commits, pull.head.repo?.full_name], [true, 1, 'bob/tool'])

    await ann.pulls.requestReviewers({ ...place, reviewers: [] })
    const comments = [{ path: 'a.txt', line: 2, body: 'Three?' }]
    const { data: review } = await ann.pulls.createReview({
      ...place,
      event: 'REQUEST_CHANGES',
      body: 'More',
      comments,
    })
    assert.equal(review.state, 'CHANGES_REQUESTED')
    const { data: threads } = await bob.pulls.listReviewComments(place)
    const [thread] = threads
    const reacting = { ...base, comment_id: thread!.id }
    const { data: reaction } = await bob.reactions.createForPullRequestReviewComment({ ...reacting, content: 'heart' })
    assert.equal((await ann.pulls.getReviewComment(reacting)).data.reactions?.heart, 1)
    const { data: reactions } = await ann.reactions.listForPullRequestReviewComment(reacting)
    assert.deepEqual(
      reactions.map(({ content, user }) => [content, user?.login]),
      [['heart', 'bob']],
    )
    await bob.reactions.deleteForPullRequestComment({ ...reacting, reaction_id: reaction.id })
    assert.deepEqual((await ann.reactions.listForPullRequestReviewComment(reacting)).data, [])
    await bob.pulls.createReplyForReviewComment({ ...place, comment_id: thread!.id, body: 'Yes' })
    const { data: file } = await bob.repos.getContent({ ...own, path: 'a.txt', ref: 'topic' })
    const { sha } = file as { sha: string }
    const more = Buffer.from('one\ntwo\nthree\n').toString('base64')
    await bob.repos.createOrUpdateFileContents({
      ...own,
      path: 'a.txt',
      message: 'More',
      content: more,
      branch: 'topic',
      sha,
    })
    assert.equal((await ann.pulls.get(place)).data.commits, 2)
    await ann.pulls.dismissReview({ ...place, review_id: review.id, message: 'Done' })
    await ann.pulls.createReview({ ...place, event: 'APPROVE' })
    const { data: diff } = await ann.pulls.get({ ...place, mediaType: { format: 'diff' } })
    assert.match(String(diff), /^diff --git/)
    const { data: merged } = await ann.pulls.merge({ ...place, merge_method: 'squash' })
    assert.equal(merged.merged, true)
    assert.equal((await ann.pulls.checkIfMerged(place)).status, 204)
    assert.equal((await ann.issues.get({ ...base, issue_number: issue.number })).data.state, 'closed')
    const closed = await ann.paginate(ann.pulls.list, { ...base, state: 'closed', per_page: 1 })
    assert.deepEqual(
      closed.map(({ number, merge_commit_sha }) => [number, merge_commit_sha]),
      [[pull.number, merged.sha]],
    )
    const files = await ann.paginate(ann.pulls.listFiles, place)
    assert.deepEqual(
      files.map(({ filename, additions }) => [filename, additions]),
      [['a.txt', 3]],
    )
    const { data: told } = await ann.issues.listEvents({ ...base, issue_number: pull.number })
    assert.deepEqual(
      told.map(({ event }) => event),
      ['review_dismissed', 'merged', 'closed'],
    )
    await assert.rejects(ann.pulls.merge(place), { status: 405 })
  })
})
