/** Routes of the caller's subscription to an issue or a pull; the public platform has them over GraphQL alone. */
import { personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { Issues } from '../../../forge/issues/issues.ts'
import type { IssueSubscription } from '../../../forge/notifications/inbox/issue-subscriptions.ts'
import type { Notifications } from '../../../forge/notifications/notifications.ts'
import { seen } from '../doors.ts'
import { readId } from '../query.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Flag, Optional, Shape } from '../schemas.ts'

const own = {
  door: seen('read'),
  tokens: personalTokenKinds,
  scopes: ['public_repo', 'notifications'],
  permission: 'issues=read; pull_requests=read',
} as const

type Needs = { issues: Issues; notifications: Pick<Notifications, 'issueSubscriptions'> }

const present = ({ isSubscribed, isIgnored, reason }: IssueSubscription) => ({
  subscribed: isSubscribed,
  ignored: isIgnored,
  reason,
})

export const issueSubscriptionRoutes = ({ issues, notifications }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/issues/:issue_number/subscription', {
    ...own,
    id: 'get-a-subscription-to-an-issue',
    summary: 'Shows whether you are notified of an issue or a pull, and why.',
    async handle({ actor, target, params }) {
      const { id } = await issues.get(actor, target.repository, readId(params.issue_number))
      return ok(present(await notifications.issueSubscriptions.get(target, id)))
    },
  }),
  route('PUT /repos/:owner/:repo/issues/:issue_number/subscription', {
    ...own,
    id: 'set-a-subscription-to-an-issue',
    summary: 'Follows an issue or a pull, or with `ignored` mutes it until you comment or are mentioned.',
    body: Shape({ ignored: Optional(Flag) }),
    async handle({ actor, target, params, body: { ignored = false } }) {
      const { id } = await issues.get(actor, target.repository, readId(params.issue_number))
      return ok(present(await notifications.issueSubscriptions.set(target, id, ignored ? 'ignored' : 'subscribed')))
    },
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/subscription', {
    ...own,
    id: 'delete-a-subscription-to-an-issue',
    summary: 'Unfollows it; if you watch the repository, you are still notified.',
    async handle({ actor, target, params }) {
      const { id } = await issues.get(actor, target.repository, readId(params.issue_number))
      return ok(present(await notifications.issueSubscriptions.set(target, id, 'muted')))
    },
  }),
]
