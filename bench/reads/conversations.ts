/** Issues, a pull, releases, hooks and what else is read of a repository, forty of what lists show. */
import type { Client, Json } from './client.ts'

/** By the name that stands in an address; of comments by the address before it. */
export type Numbers = Readonly<Record<string, string>>

const many = 40
const at = '/repos/ann/repo-1'

async function repeat(act: (i: number) => Promise<Json>): Promise<Json[]> {
  const made: Json[] = []
  for (let i = 0; i < many; i += 8)
    made.push(...(await Promise.all(Array.from({ length: 8 }, (_, j) => act(i + j + 1)))))
  return made
}

/** Nobody listens there: what is told of hooks waits. */
const hook = { config: { url: 'https://example.org/hook', content_type: 'json' }, events: ['release'] }

export async function makeConversations(ann: Client, bob: Client, commit: string): Promise<Numbers> {
  const must = (method: string, path: string, body: object = {}): Promise<Json> => ann.rest(method, path, body)
  await repeat((i) => must('POST', `${at}/labels`, { name: `label-${i}`, color: 'ededed' }))
  await repeat((i) => must('POST', `${at}/milestones`, { title: `Milestone ${i}` }))
  const labels = Array.from({ length: many }, (_, i) => `label-${i + 1}`)
  const labelled = await must('POST', `${at}/issues`, { title: 'Much labelled', labels })
  const issue = await must('POST', `${at}/issues`, {
    ...{ title: 'Much talked of', labels: labels.slice(0, 5), milestone: 1, assignees: ['ann'] },
  })
  const others = await repeat((i) =>
    must('POST', `${at}/issues`, { title: `Words ${i} in a title`, body: 'A body of some words.' }),
  )
  // The newest events are of issues as they usually are: thirty that show forty labels each take 390 kB.
  for (const { number } of others) await must('PATCH', `${at}/issues/${number}`, { milestone: 2, labels: ['label-1'] })
  const [comment] = await repeat((i) => must('POST', `${at}/issues/${issue.number}/comments`, { body: `Comment ${i}` }))
  await must('POST', `${at}/issues/${issue.number}/reactions`, { content: '+1' })
  await must('POST', `${at}/issues/comments/${comment.id}/reactions`, { content: '+1' })
  const content = Buffer.from('words\n').toString('base64')
  await must('PUT', `${at}/contents/pulled.txt`, { message: 'Add a file', content, branch: 'of-file-40' })
  const pull = await must('POST', `${at}/pulls`, { title: 'A pull', head: 'of-file-40', base: 'main' })
  await bob.rest('PUT', '/user/following/ann')
  const review = await must('POST', `${at}/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Seen.' })
  const line = { commit_id: pull.head.sha, path: 'pulled.txt', line: 1, side: 'RIGHT' }
  const [remark] = await repeat((i) =>
    must('POST', `${at}/pulls/${pull.number}/comments`, { body: `Line ${i}`, ...line }),
  )
  await must('POST', `${at}/pulls/comments/${remark.id}/reactions`, { content: '+1' })
  const [noted] = await repeat((i) => must('POST', `${at}/commits/${commit}/comments`, { body: `Commit ${i}` }))
  await must('POST', `${at}/comments/${noted.id}/reactions`, { content: '+1' })
  const [release] = await repeat((i) => must('POST', `${at}/releases`, { tag_name: `v-file-${i}`, body: 'News.' }))
  await must('POST', `${at}/releases/${release.id}/reactions`, { content: '+1' })
  const asset = await must('POST', `${at}/releases/${release.id}/assets?name=tool.bin`, { some: 'bytes' })
  const { id: hookId } = await must('POST', `${at}/hooks`, hook)
  await must('PUT', '/user/starred/ann/repo-1')
  await must('PUT', '/user/following/user-1')
  await must('PUT', `${at}/branches/main/protection`, {
    required_status_checks: { strict: true, contexts: ['build'] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 1 },
    restrictions: null,
  })
  const [{ id: eventId }] = await ann.rest('GET', `${at}/issues/events`)
  const text = (id: unknown) => String(id)
  return {
    issue_number: text(issue.number),
    labelled: text(labelled.number),
    milestone_number: '1',
    pull_number: text(pull.number),
    review_id: text(review.id),
    event_id: text(eventId),
    release_id: text(release.id),
    asset_id: text(asset.id),
    hook_id: text(hookId),
    branch: 'main',
    assignee: 'ann',
    target_user: 'ann',
    'issues/comments': text(comment.id),
    'pulls/comments': text(remark.id),
    comments: text(noted.id),
  }
}
