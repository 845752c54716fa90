/** Requests that succeed, for the routes of issues, their labels, milestones, assignees and events. */
import type { Case } from './route-cases.ts'

let count = 0
const fresh = (word: string) => `${word}-i${++count}`

export const freshIssue: NonNullable<Case['fresh']> = async ({ ann }, { repo }) => {
  const { body } = await ann.post(`/repos/ann/${repo}/issues`, { title: fresh('issue') })
  return { issue_number: body.number }
}

const freshLabelledIssue: Case['fresh'] = async ({ ann }, { repo }) => {
  const { body } = await ann.post(`/repos/ann/${repo}/issues`, { title: fresh('issue'), labels: ['bug'] })
  return { issue_number: body.number, name: 'bug' }
}

const freshLabel: Case['fresh'] = async ({ ann }, { repo }) => {
  const { body } = await ann.post(`/repos/ann/${repo}/labels`, { name: fresh('label') })
  return { name: body.name }
}

const freshMilestone: Case['fresh'] = async ({ ann }, { repo }) => {
  const { body } = await ann.post(`/repos/ann/${repo}/milestones`, { title: fresh('milestone') })
  await ann.post(`/repos/ann/${repo}/issues`, { title: 'Due', milestone: body.number, labels: ['bug'] })
  return { milestone_number: body.number }
}

const freshEvent: Case['fresh'] = async (world, params) => {
  await freshLabelledIssue(world, params)
  const { body } = await world.ann.get(`/repos/ann/${params.repo}/issues/events`)
  return { event_id: body[0].id }
}

/** Three are pinned at most: it is unpinned again by the next. */
const freshPinned: Case['fresh'] = async (world, params) => {
  const { body } = await world.ann.get(`/repos/ann/${params.repo}/issues?per_page=100&state=all`)
  for (const { number } of body) await world.ann.delete(`/repos/ann/${params.repo}/issues/${number}/pin`)
  return freshIssue(world, params)
}

const assignable: Case['fresh'] = async (world, params) => ({ ...(await freshIssue(world, params)), assignee: 'ann' })

const freshStranger: Case['fresh'] = async ({ root }) => {
  const login = fresh('stranger')
  await root.post('/admin/users', { login })
  return { username: login }
}

const freshBlock: Case['fresh'] = async (world, params) => {
  const { username } = (await freshStranger!(world, params)) as { username: string }
  await world.ann.put(`/orgs/acme/blocks/${username}`)
  return { username }
}

export const issueCases: Record<string, Case> = {
  'list-issue-events-for-a-repository': { fresh: freshLabelledIssue },
  'get-an-issue-event': { fresh: freshEvent },
  'list-issue-events': { fresh: freshLabelledIssue },
  'lock-an-issue': { fresh: freshIssue, body: { lock_reason: 'too heated' } },
  'unlock-an-issue': { fresh: freshIssue },
  'pin-an-issue': { fresh: freshPinned },
  'unpin-an-issue': { fresh: freshPinned },
  'create-a-label': { body: { color: 'ff00aa', description: 'New' } },
  'get-a-label': { fresh: freshLabel },
  'update-a-label': { fresh: freshLabel, body: { color: '00ff00' } },
  'delete-a-label': { fresh: freshLabel },
  'list-labels-for-issues-in-a-milestone': { fresh: freshMilestone },
  'list-labels-for-an-issue': { fresh: freshLabelledIssue },
  'add-labels-to-an-issue': { fresh: freshIssue, body: { labels: ['bug', 'fresh one'] } },
  'set-labels-for-an-issue': { fresh: freshLabelledIssue, body: { labels: ['question'] } },
  'remove-all-labels-from-an-issue': { fresh: freshLabelledIssue },
  'remove-a-label-from-an-issue': { fresh: freshLabelledIssue },
  'create-a-milestone': { body: () => ({ title: fresh('made'), due_on: '2027-01-01T00:00:00Z', description: 'Soon' }) },
  'get-a-milestone': { fresh: freshMilestone },
  'update-a-milestone': { fresh: freshMilestone, body: { state: 'closed' } },
  'delete-a-milestone': { fresh: freshMilestone },
  'check-if-a-user-can-be-assigned': { fresh: assignable },
  'check-if-a-user-can-be-assigned-to-a-issue': { fresh: assignable },
  'add-assignees-to-an-issue': { fresh: freshIssue, body: { assignees: ['ann'] } },
  'remove-assignees-from-an-issue': { fresh: freshIssue, body: { assignees: ['ann'] } },
  'create-an-issue': { body: { title: 'A fault', body: 'It fails', labels: ['bug'], assignees: ['ann'] } },
  'get-an-issue': { fresh: freshIssue },
  'update-an-issue': { fresh: freshIssue, body: { title: 'Renamed', state: 'closed', labels: ['new one'] } },
  'transfer-an-issue': {
    fresh: async (world, params) => {
      const { body } = await world.ann.post('/user/repos', { name: fresh('goal'), private: true })
      return { ...(await freshIssue(world, params)), goal: body.name }
    },
    body: (_world, params) => ({ new_repository: params.goal ?? 'nowhere' }),
  },
  'delete-an-issue': { fresh: freshIssue },
  'get-a-subscription-to-an-issue': { fresh: freshIssue },
  'set-a-subscription-to-an-issue': { fresh: freshIssue, body: {} },
  'delete-a-subscription-to-an-issue': { fresh: freshIssue },
  'list-timeline-events-for-an-issue': { fresh: freshLabelledIssue },
  'check-if-a-user-is-blocked-by-an-organization': { fresh: freshBlock },
  'block-a-user-from-an-organization': { fresh: freshStranger, body: {} },
  'unblock-a-user-from-an-organization': { fresh: freshBlock },
}
