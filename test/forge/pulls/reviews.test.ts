/** Reviews: who may say what, comments on lines and where those lines are later, and whose review is asked for. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { type PullServer, startPullServer } from './pull-server.ts'

const text = (change: Record<number, string> = {}, count = 30) =>
  `${Array.from({ length: count }, (_, i) => change[i + 1] ?? `line ${i + 1}`).join('\n')}\n`

describe('reviews of pulls', () => {
  let hosted: PullServer
  let ann: RestClient
  let bob: RestClient
  let cid: RestClient
  before(async () => {
    hosted = await startPullServer()
    ;({ ann, bob } = hosted)
    cid = await makeUser(hosted.server, 'cid')
  })
  after(() => hosted.stop())

  /** Lines 3 and 20 of a file are changed. */
  async function prepare(name: string, by = ann) {
    const folder = await hosted.start(name)
    await hosted.branch(folder, 'main', { 'long.txt': text() })
    await hosted.push(folder, 'main')
    const head = await hosted.branch(folder, 'topic', {
      'long.txt': text({ 3: 'three', 20: 'twenty' }),
      'new.txt': 'n\n',
    })
    await hosted.push(folder, 'topic')
    if (by === bob) assert.equal((await bob.post(`/repos/ann/${name}/forks`)).status, 202)
    const pull = await hosted.open(name, { head: by === bob ? 'bob:topic' : 'topic' }, by)
    return { folder, head, path: `/repos/ann/${name}/pulls/${pull.number}`, number: pull.number, name }
  }

  test('approve, request changes, comment and are dismissed, each as its state allows', async () => {
    const { path, number, head } = await prepare('judged')
    const ask = (by: RestClient, draft: object) => by.post(`${path}/reviews`, draft)
    assert.equal((await ask(ann, { event: 'APPROVE' })).status, 422, 'not one’s own')
    assert.equal((await ask(ann, { event: 'REQUEST_CHANGES', body: 'No' })).status, 422)
    assert.equal((await ask(bob, { event: 'REQUEST_CHANGES' })).status, 422, 'without a reason')
    assert.equal((await ask(bob, { event: 'COMMENT', body: ' ' })).status, 422)
    for (const commit_id of ['no commit', 'f'.repeat(40)])
      assert.equal((await ask(bob, { event: 'COMMENT', body: 'Hm', commit_id })).status, 422, commit_id)
    const { body: refused } = await ask(bob, { event: 'REQUEST_CHANGES', body: 'Not yet' })
    assert.deepEqual([refused.state, refused.user.login, refused.commit_id], ['CHANGES_REQUESTED', 'bob', head])
    const { body: approved } = await ask(bob, { event: 'APPROVE' })
    assert.equal((await ask(ann, { event: 'COMMENT', body: 'Thanks' })).body.state, 'COMMENTED')
    const states = async () => (await ann.get(`${path}/reviews`)).body.map(({ state }: Json) => state)
    assert.deepEqual(await states(), ['CHANGES_REQUESTED', 'APPROVED', 'COMMENTED'])
    const dismissal = `${path}/reviews/${approved.id}/dismissals`
    assert.equal((await bob.put(dismissal, { message: 'No' })).status, 403)
    assert.equal((await ann.put(dismissal, { message: 'Old' })).body.state, 'DISMISSED')
    assert.equal((await ann.put(dismissal, { message: 'Old' })).status, 422)
    assert.deepEqual(await hosted.events('judged', number), ['review_dismissed'])
    assert.equal((await bob.put(`${path}/reviews/${refused.id}`, { body: 'Still not' })).body.body, 'Still not')
    assert.equal((await ann.put(`${path}/reviews/${refused.id}`, { body: 'Fine' })).status, 403)
  })

  test('that are pending are their author’s alone until they are submitted', async () => {
    const { path } = await prepare('pending')
    const comment = { path: 'long.txt', line: 3, body: 'Why?' }
    const { body: begun } = await bob.post(`${path}/reviews`, { comments: [comment] })
    assert.deepEqual([begun.state, begun.submitted_at], ['PENDING', undefined])
    assert.equal((await bob.post(`${path}/reviews`, {})).status, 422, 'one at a time')
    assert.equal((await ann.get(`${path}/reviews/${begun.id}`)).status, 404)
    assert.deepEqual((await ann.get(`${path}/reviews`)).body, [])
    assert.deepEqual((await ann.get(`${path}/comments`)).body, [])
    const { body: own } = await bob.get(`${path}/reviews/${begun.id}/comments`)
    const one = `/repos/ann/pending/pulls/comments/${own[0].id}`
    assert.equal((await ann.get(one)).status, 404)
    for (const by of [ann, bob]) assert.equal((await by.post(`${one}/reactions`, { content: 'eyes' })).status, 404)
    assert.equal((await ann.post(`${path}/reviews/${begun.id}/events`, { event: 'COMMENT', body: 'x' })).status, 404)
    const sent = await bob.post(`${path}/reviews/${begun.id}/events`, { event: 'COMMENT' })
    assert.equal(sent.body.state, 'COMMENTED')
    assert.equal((await ann.get(`${path}/comments`)).body.length, 1)
    assert.equal((await ann.post(`${one}/reactions`, { content: 'eyes' })).status, 201)
    assert.equal((await ann.get(path)).body.review_comments, 1)
    assert.equal((await bob.delete(`${path}/reviews/${begun.id}`)).status, 422)
    const { body: other } = await bob.post(`${path}/reviews`, { body: 'Later' })
    assert.equal((await ann.delete(`${path}/reviews/${other.id}`)).status, 404)
    assert.equal((await bob.delete(`${path}/reviews/${other.id}`)).body.state, 'PENDING')
    assert.equal((await bob.get(`${path}/reviews/${other.id}`)).status, 404)
  })

  test('have comments on lines by side or position, with answers, that follow their line and become outdated', async () => {
    const { path, folder, head } = await prepare('lines')
    const write = (draft: object, by = bob) =>
      by.post(`${path}/comments`, { body: 'Hm', commit_id: head, path: 'long.txt', ...draft })
    const { body: right } = await write({ line: 3 })
    assert.deepEqual([right.line, right.side, right.position, right.original_position], [3, 'RIGHT', 4, 4])
    assert.equal(right.diff_hunk.split('\n').at(-1), '+three')
    assert.equal((await write({ position: right.position })).body.line, 3)
    const { body: left } = await write({ line: 20, side: 'LEFT' })
    assert.equal(left.diff_hunk.split('\n').at(-1), '-line 20')
    const { body: several } = await write({ start_line: 18, start_side: 'RIGHT', line: 20, side: 'RIGHT' })
    assert.deepEqual([several.start_line, several.line], [18, 20])
    assert.equal((await write({ path: 'new.txt', subject_type: 'file' })).body.subject_type, 'file')
    for (const wrong of [
      { line: 11 },
      { position: 999 },
      { path: 'a.txt', line: 1 },
      { line: 3, commit_id: 'f'.repeat(40) },
      { start_line: 3, line: 20 },
      {},
    ])
      assert.equal((await write(wrong)).status, 422, JSON.stringify(wrong))
    const { body: answer } = await ann.post(`${path}/comments/${right.id}/replies`, { body: 'Because' })
    const { body: second } = await write({ in_reply_to: answer.id, body: 'I see' })
    assert.deepEqual([answer.in_reply_to_id, second.in_reply_to_id, second.line], [right.id, right.id, 3])
    assert.equal((await ann.post(`${path}/comments/999999/replies`, { body: 'x' })).status, 404)

    // Two lines more above, and line 20 as it was: one comment moves, the other is outdated.
    const moved = text({ 1: 'one\nand\na half', 3: 'three' })
    const next = await hosted.branch(folder, 'topic', { 'long.txt': moved }, 'topic')
    await hosted.push(folder, 'topic')
    const { body: list } = await ann.get(`${path}/comments?per_page=100`)
    const byId = (id: number) => list.find((each: Json) => each.id === id)
    assert.deepEqual([byId(right.id).line, byId(right.id).original_line, byId(right.id).commit_id], [5, 3, next])
    assert.deepEqual([byId(several.id).line, byId(several.id).position], [null, null])
    assert.equal(byId(several.id).original_commit_id, head)

    const one = `/repos/ann/lines/pulls/comments/${right.id}`
    assert.equal((await cid.patch(one, { body: 'Mine' })).status, 403)
    assert.equal((await bob.patch(one, { body: 'Better' })).body.body, 'Better')
    assert.equal((await ann.delete(one)).status, 204)
    assert.equal((await ann.get(one)).status, 404)
    const { body: all } = await ann.get('/repos/ann/lines/pulls/comments?sort=updated&direction=desc&per_page=2')
    assert.equal(all.length, 2)
  })

  test('keep a comment on its line when others come before its hunk', async () => {
    const { path, folder, head } = await prepare('shifted')
    const { body } = await bob.post(`${path}/comments`, { body: 'Hm', commit_id: head, path: 'long.txt', line: 20 })
    const next = await hosted.branch(
      folder,
      'topic',
      { 'long.txt': text({ 1: 'one\nand\na half', 3: 'three', 20: 'twenty' }) },
      'topic',
    )
    await hosted.push(folder, 'topic')
    assert.equal((await ann.get(path)).body.head.sha, next)
    const { body: now } = await ann.get(`/repos/ann/shifted/pulls/comments/${body.id}`)
    assert.deepEqual([now.line, now.original_line, now.commit_id], [22, 20, next])
    assert.ok(now.position > body.position)
  })

  test('are asked of collaborators and teams, with events, and no more once they have come', async () => {
    const { path, number } = await prepare('asked')
    const requested = `${path}/requested_reviewers`
    assert.equal((await bob.post(requested, { reviewers: ['cid'] })).status, 403)
    assert.equal((await ann.post(requested, { reviewers: ['ann'] })).status, 422, 'not the author')
    assert.equal((await ann.post(requested, { reviewers: ['nobody'] })).status, 422)
    assert.equal((await ann.post(requested, { team_reviewers: ['crew'] })).status, 422)
    const many = Array.from({ length: 16 }, () => 'bob')
    assert.equal((await ann.post(requested, { reviewers: many })).status, 422, 'more than 15')
    assert.equal((await ann.post(requested, {})).status, 422, 'of nobody')
    const stranger = await ann.post(requested, { reviewers: ['bob'] })
    assert.equal(stranger.status, 422, 'one who merely may read what is public')
    assert.match(stranger.text, /Reviews may only be requested from collaborators\. bob /)
    for (const [login, client] of [
      ['bob', bob],
      ['cid', cid],
    ] as const) {
      const { body: invitation } = await ann.put(`/repos/ann/asked/collaborators/${login}`, { permission: 'pull' })
      await client.patch(`/user/repository_invitations/${invitation.id}`)
    }
    const { status, body } = await ann.post(requested, { reviewers: ['bob', 'cid', 'BOB'] })
    const logins = (pull: Json) => pull.requested_reviewers.map(({ login }: Json) => login)
    assert.deepEqual([status, logins(body)], [201, ['bob', 'cid']])
    // Who was asked and has left since can be asked no longer.
    assert.equal((await ann.delete('/repos/ann/asked/collaborators/cid')).status, 204)
    assert.deepEqual((await ann.ask('DELETE', requested, { reviewers: ['cid'] })).body.requested_reviewers.length, 1)
    await bob.post(`${path}/reviews`, { event: 'APPROVE' })
    assert.deepEqual((await ann.get(requested)).body, { users: [], teams: [] })
    assert.deepEqual(await hosted.events('asked', number), [
      'review_requested',
      'review_requested',
      'review_request_removed',
    ])

    const root = asAdmin(hosted.server)
    await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
    await ann.post('/orgs/acme/repos', { name: 'tool', auto_init: true })
    await ann.post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed' })
    const place = '/repos/acme/tool'
    const { body: main } = await ann.get(`${place}/git/ref/heads/main`)
    await ann.post(`${place}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha })
    await ann.put(`${place}/contents/a`, { message: 'a', content: 'YQ==', branch: 'topic' })
    const { body: pull } = await ann.post(`${place}/pulls`, { title: 'T', head: 'topic', base: 'main' })
    const ofTeam = `${place}/pulls/${pull.number}/requested_reviewers`
    assert.equal((await ann.post(ofTeam, { team_reviewers: ['crew'] })).status, 422, 'a team that is not on it')
    assert.equal((await ann.post(ofTeam, { reviewers: ['cid'] })).status, 422)
    await root.put('/orgs/acme/memberships/cid', { role: 'member' })
    await cid.patch('/user/memberships/orgs/acme', { state: 'active' })
    assert.equal((await ann.post(ofTeam, { reviewers: ['cid'] })).status, 201, 'a member')
    await ann.put('/orgs/acme/teams/crew/repos/acme/tool', { permission: 'pull' })
    const { body: teams } = await ann.post(ofTeam, { team_reviewers: ['crew'] })
    assert.deepEqual(
      teams.requested_teams.map(({ slug }: Json) => slug),
      ['crew'],
    )
    await ann.post('/orgs/acme/teams', { name: 'Hidden', privacy: 'secret' })
    await ann.put('/orgs/acme/teams/hidden/repos/acme/tool', { permission: 'pull' })
    await ann.post(ofTeam, { team_reviewers: ['hidden'] })
    const shown = async (client: RestClient) => {
      const events = (await client.get(`${place}/issues/${pull.number}/events`)).body
      const timeline = (await client.get(`${place}/issues/${pull.number}/timeline`)).body
      return [
        (await client.get(`${place}/pulls/${pull.number}`)).body.requested_teams,
        (await client.get(`${place}/pulls`)).body[0].requested_teams,
        (await client.get(ofTeam)).body.teams,
        ...[events, timeline].map((told) => told.flatMap(({ requested_team: team }: Json) => team ?? [])),
      ].map((found) => found.map(({ slug }: Json) => slug).join())
    }
    for (const client of [bob, cid]) assert.deepEqual(await shown(client), Array(5).fill('crew'))
    assert.deepEqual(await shown(ann), Array(5).fill('crew,hidden'))
    await ann.put('/orgs/acme/teams/hidden/memberships/cid')
    assert.deepEqual(await shown(cid), Array(5).fill('crew,hidden'))
  })

  test('that are required let nobody merge before those who may write approve, and a locked talk is for them', async () => {
    const { path, head } = await prepare('guarded', bob)
    await ann.put('/repos/ann/guarded/branches/main/protection', {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
    })
    assert.equal((await ann.get(path)).body.mergeable_state, 'blocked')
    await cid.post(`${path}/reviews`, { event: 'APPROVE' })
    const { body: line } = await cid.post(`${path}/comments`, { body: 'Hm', commit_id: head, path: 'new.txt', line: 1 })
    const refused = await ann.put(`${path}/merge`)
    assert.deepEqual([refused.status, /approving review/.test(refused.body.message)], [405, true])
    await ann.post(`${path}/reviews`, { event: 'APPROVE' })
    assert.equal((await ann.get(path)).body.mergeable_state, 'clean')
    await ann.put(`${path.replace('pulls', 'issues')}/lock`)
    assert.equal((await cid.post(`${path}/reviews`, { event: 'COMMENT', body: 'x' })).status, 403)
    const edit = { body: '@ann' }
    assert.equal((await cid.patch(`${path.replace(/\/\d+$/, '')}/comments/${line.id}`, edit)).status, 403)
    assert.equal((await bob.patch(path, edit)).status, 403, 'the author, who may not comment')
    assert.equal((await ann.patch(path, edit)).status, 200)
    assert.equal((await ann.put(`${path}/merge`)).status, 200)
  })

  test('by those who may write count, however many strangers have said something before', async () => {
    const { path, number, head, name } = await prepare('crowded')
    for (const [login, client] of [
      ['bob', bob],
      ['cid', cid],
    ] as const) {
      const { body } = await ann.put(`/repos/ann/${name}/collaborators/${login}`, { permission: 'push' })
      assert.equal((await client.patch(`/user/repository_invitations/${body.id}`)).status, 204)
    }
    await ann.put(`/repos/ann/${name}/branches/main/protection`, {
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: { required_approving_review_count: 1 },
      restrictions: null,
    })
    await approveByStrangers(hosted, { name, number, head, count: 120 })
    const decided = async () => {
      const query = `{ repository(owner: "ann", name: "${name}") { pullRequest(number: ${number}) { reviewDecision } } }`
      const { reviewDecision } = (await ann.post('/graphql', { query })).body.data.repository.pullRequest
      return [reviewDecision, (await ann.get(path)).body.mergeable_state]
    }
    assert.deepEqual(await decided(), ['REVIEW_REQUIRED', 'blocked'])
    await bob.post(`${path}/reviews`, { event: 'APPROVE' })
    assert.deepEqual(await decided(), ['APPROVED', 'clean'])
    await cid.post(`${path}/reviews`, { event: 'REQUEST_CHANGES', body: 'No' })
    assert.deepEqual(await decided(), ['CHANGES_REQUESTED', 'blocked'])
    const refused = await ann.put(`${path}/merge`)
    assert.deepEqual([refused.status, /requested by a reviewer/.test(refused.body.message)], [405, true])
    await cid.post(`${path}/reviews`, { event: 'APPROVE' })
    assert.equal((await ann.put(`${path}/merge`)).status, 200)
  })
})

type Crowd = { readonly name: string; readonly number: number; readonly head: string; readonly count: number }

/** By rows: so many accounts and their requests would take longer than all else here. */
async function approveByStrangers({ server }: PullServer, { name, number, head, count }: Crowd): Promise<void> {
  const { store } = server.services
  await store.write(async (trx) => {
    const issue = await trx
      .selectFrom('issue')
      .innerJoin('repository', 'repository.id', 'issue.repository_id')
      .select(['issue.id', 'issue.repository_id'])
      .where('repository.name', '=', name)
      .where('issue.number', '=', number)
      .executeTakeFirstOrThrow()
    const now = { created_at: 1, updated_at: 1 }
    for (let i = 0; i < count; i++) {
      const login = `stranger-${i}`
      const { id } = await trx
        .insertInto('account')
        .values({ kind: 'user', name: login, name_key: login, display_name: '', role: 'contestant', ...now })
        .returning('id')
        .executeTakeFirstOrThrow()
      const of = { issue_id: issue.id, repository_id: issue.repository_id, author_id: id }
      await trx
        .insertInto('review')
        .values({ ...of, state: 'APPROVED', body: '', commit_sha: head, submitted_at: 1, ...now })
        .execute()
    }
  })
}
