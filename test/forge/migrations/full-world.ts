/** A world with something of every type of record, for archives that are to hold all of them. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeUser, type RestAnswer, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { makeLfsClient, makeObject } from '../lfs/lfs-client.ts'
import type { World } from '../world.ts'

async function must(answer: Promise<RestAnswer>): Promise<Json> {
  const { status, text, body } = await answer
  assert.ok(status < 300, `${status} ${text}`)
  return body
}

const upload = (client: RestClient, path: string, body: string) =>
  must(client.ask('POST', path, body, { 'content-type': 'application/octet-stream' }))

/** A page of the wiki, on a branch of its own choice, and a large file. */
async function fillBeside({ server, ann }: World): Promise<void> {
  const work = await makeWorkingFolder()
  try {
    await writeFile(join(work.path, 'Home.md'), '# Welcome\n')
    await work.must('add', '.')
    await work.must('commit', '--quiet', '-m', 'A page')
    await work.must('push', '--quiet', remoteUrl(server.url, 'ann/open.wiki', 'ann', ann.token), 'main')
  } finally {
    await work.drop()
  }
  assert.equal(await makeLfsClient(server.url, 'ann/open', ann).upload(largeFile), 200)
}

export const largeFile = makeObject('large, as far as a test goes')

/** Beside what the world has: issues, pulls, reviews, comments, releases, files and rules in ann/open and acme/tool. */
export async function fillWorld(world: World): Promise<void> {
  const { ann, cid, shas } = world
  await fillBeside(world)
  const at = '/repos/ann/open'
  await must(ann.patch('/user', { name: 'Ann A.', bio: 'Writes.', company: 'Acme', location: 'Here' }))
  await must(ann.put(`${at}/topics`, { names: ['tools', 'tests'] }))
  const { id: invitation } = await must(ann.put(`${at}/collaborators/cid`, { permission: 'push' }))
  await must(cid.patch(`/user/repository_invitations/${invitation}`))
  await must(ann.post(`${at}/labels`, { name: 'a/b c', color: 'ff0000', description: 'Odd' }))
  await must(ann.post(`${at}/milestones`, { title: 'Soon', due_on: '2027-01-01T00:00:00Z' }))
  await must(ann.post(`${at}/milestones`, { title: 'Late', state: 'closed' }))
  const picture = await upload(ann, `${at}/attachments?name=notes.txt`, 'a picture')
  const draft = { title: 'It fails', body: `Really. ![it](${picture.url}) @cid`, labels: ['a/b c', 'bug'] }
  await must(ann.post(`${at}/issues`, { ...draft, assignees: ['cid', 'ann'], milestone: 1 }))
  const comment = await must(cid.post(`${at}/issues/1/comments`, { body: 'I see it, too: 𝄞 “yes” \\u0041' }))
  await must(ann.post(`${at}/issues/comments/${comment.id}/reactions`, { content: 'heart' }))
  await must(cid.post(`${at}/issues/1/reactions`, { content: '+1' }))
  await must(ann.patch(`${at}/issues/1`, { title: 'It fails often' }))
  await must(ann.patch(`${at}/issues/1`, { state: 'closed', state_reason: 'not_planned' }))
  await must(ann.post(`${at}/issues`, { title: 'Like the first', body: 'As #1 said.' }))
  await must(cid.post(`${at}/issues/2/comments`, { body: 'Duplicate of #1' }))
  await must(ann.put(`${at}/issues/2/lock`, { lock_reason: 'resolved' }))
  await must(ann.put(`${at}/issues/1/pin`, {}))
  await must(ann.post(`${at}/issues`, { title: 'Not for long' }))
  await must(ann.delete(`${at}/issues/3`))
  await fillPulls(ann, cid, shas.commit)
  await must(ann.post(`${at}/commits/${shas.commit}/comments`, { body: 'Well done.', path: 'main.ts', position: 1 }))
  const release = await must(ann.post(`${at}/releases`, { tag_name: 'v1.0', name: 'One', body: 'The first.' }))
  await upload(ann, `${at}/releases/${release.id}/assets?name=tool.bin&label=Tool`, 'the tool')
  await must(ann.post(`${at}/releases`, { tag_name: 'v2.0', name: 'Two', draft: true }))
  await must(ann.post(`${at}/releases`, { tag_name: 'v1.1', target_commitish: 'main', prerelease: true }))
  await makeUser(world.server, 'eve')
  await must(ann.put('/orgs/acme/blocks/eve'))
  for (const [from, name] of [
    ['tool', 'instrument'],
    ['instrument', 'tool'],
  ])
    await must(ann.patch(`/repos/acme/${from}`, { name }))
  await must(
    ann.put('/repos/acme/tool/branches/topic/protection', {
      required_status_checks: null,
      enforce_admins: null,
      required_pull_request_reviews: null,
      restrictions: { users: ['cid'], teams: ['crew'] },
    }),
  )
  const { number } = await must(ann.post(`${at}/issues`, { title: 'Moved on' }))
  await must(ann.post(`${at}/issues/${number}/transfer`, { new_repository: 'hidden' }))
  const reviews = { required_approving_review_count: 1, dismiss_stale_reviews: true }
  await must(
    ann.put(`${at}/branches/main/protection`, {
      required_status_checks: { strict: true, contexts: ['build'] },
      enforce_admins: true,
      required_pull_request_reviews: reviews,
      restrictions: null,
    }),
  )
}

async function fillPulls(ann: RestClient, cid: RestClient, commit: string): Promise<void> {
  const at = '/repos/acme/tool'
  await must(ann.put('/orgs/acme/teams/crew/memberships/cid', {}))
  const makePull = async (branch: string) => {
    const content = Buffer.from(`${branch}\n`).toString('base64')
    await must(ann.post(`${at}/git/refs`, { ref: `refs/heads/${branch}`, sha: commit }))
    await must(ann.put(`${at}/contents/${branch}.txt`, { message: 'Add a file', content, branch }))
    return must(ann.post(`${at}/pulls`, { title: `About ${branch}`, head: branch, base: 'main' }))
  }
  const first = await makePull('topic')
  const asked = { reviewers: ['cid'], team_reviewers: ['crew'] }
  await must(ann.post(`${at}/pulls/${first.number}/requested_reviewers`, asked))
  const comments = [{ path: 'topic.txt', line: 1, side: 'RIGHT', body: 'Why this?' }]
  await must(
    cid.post(`${at}/pulls/${first.number}/reviews`, { event: 'REQUEST_CHANGES', body: 'A question.', comments }),
  )
  const [line] = await must(cid.get(`${at}/pulls/${first.number}/comments`))
  await must(ann.post(`${at}/pulls/${first.number}/comments/${line.id}/replies`, { body: 'Because.' }))
  await must(ann.post(`${at}/pulls/comments/${line.id}/reactions`, { content: 'eyes' }))
  const [review] = await must(cid.get(`${at}/pulls/${first.number}/reviews`))
  await must(ann.put(`${at}/pulls/${first.number}/reviews/${review.id}/dismissals`, { message: 'Settled.' }))
  const second = await makePull('ready')
  await must(ann.put(`${at}/pulls/${second.number}/merge`, {}))
  await must(ann.delete(`${at}/git/refs/heads/ready`))
  await must(ann.post(`${at}/issues`, { title: 'Closed by a pull', body: `See #${first.number}` }))
  await must(ann.put(`${at}/issues/3/connections/${first.number}`, {}))
}
