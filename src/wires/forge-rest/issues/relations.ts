/** What an issue is to others: a duplicate of one, connected with a pull. These are endpoints of our own. */
import { changed } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { type Route, route } from '../route.ts'

const triages = {
  door: changed('triage'),
  permission: 'issues=write; pull_requests=write',
  resource: 'Issue',
} as const

export const issueRelationRoutes: readonly Route[] = [
  route('DELETE /repos/:owner/:repo/issues/:issue_number/duplicate', {
    ...triages,
    id: 'unmark-an-issue-as-a-duplicate',
    summary: 'Takes back that an issue is a duplicate, which a comment `Duplicate of #12` says.',
    handle: ({ forge, target, params }) => done(forge.duplicates.unmark(target, readId(params.issue_number))),
  }),
  route('PUT /repos/:owner/:repo/issues/:issue_number/connections/:pull_number', {
    ...triages,
    id: 'connect-an-issue-with-a-pull-request',
    summary: 'Connects an issue with a pull request, which closes it when it is merged.',
    handle: ({ forge, target, params }) =>
      done(forge.connections.connect(target, readId(params.issue_number), readId(params.pull_number))),
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/connections/:pull_number', {
    ...triages,
    id: 'disconnect-an-issue-from-a-pull-request',
    summary: 'Takes the connection of an issue with a pull request back.',
    handle: ({ forge, target, params }) =>
      done(forge.connections.disconnect(target, readId(params.issue_number), readId(params.pull_number))),
  }),
]
