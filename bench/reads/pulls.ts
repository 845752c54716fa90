/** Pulls with all that they have, and protected branches. */
import type { Json } from './client.ts'
import { at, type Numbers } from './conversations.ts'
import { many, repeat } from './many.ts'
import type { People } from './people.ts'

export async function makePulls({ ann, members }: People): Promise<Numbers> {
  const must = (method: string, path: string, body: object = {}): Promise<Json> => ann.rest(method, path, body)
  const open = (head: string, base: string) => must('POST', `${at}/pulls`, { title: 'A pull', head, base })
  const long = await open('long', 'main')
  const merged = await open('ahead', 'behind')
  await must('PUT', `${at}/pulls/${merged.number}/merge`)
  const spread = await repeat((i) => open('spread', `of-file-${i}`))
  const content = Buffer.from('words\n').toString('base64')
  await must('PUT', `${at}/contents/pulled.txt`, { message: 'Add a file', content, branch: 'of-file-40' })
  const pull = await open('of-file-40', 'main')
  const line = { path: 'pulled.txt', line: 1, side: 'RIGHT' }
  const [remark] = await repeat((i) =>
    must('POST', `${at}/pulls/${pull.number}/comments`, { body: `Line ${i}`, commit_id: pull.head.sha, ...line }),
  )
  for (const member of members.values())
    await member.rest('POST', `${at}/pulls/comments/${remark.id}/reactions`, { content: '+1' })
  const comments = Array.from({ length: many }, (_, i) => ({ body: `Seen ${i}`, ...line }))
  const review = await must('POST', `${at}/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Seen.', comments })
  await must('PUT', `${at}/branches/main/protection`, {
    required_status_checks: { strict: true, contexts: ['build'] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 1 },
    restrictions: null,
  })
  await must('PUT', '/orgs/org-1/teams/crew/repos/org-1/open', { permission: 'push' })
  await must('PUT', '/repos/org-1/open/branches/main/protection', {
    ...{ required_status_checks: null, enforce_admins: null, required_pull_request_reviews: null },
    restrictions: { users: ['ann'], teams: ['crew'], apps: [] },
  })
  return {
    pull_number: String(pull.number),
    review_id: String(review.id),
    'pulls/comments': String(remark.id),
    longPull: String(long.number),
    mergedPull: String(merged.number),
    file: `${spread.at(-1).number}.diff`,
    branch: 'main',
  }
}
