/** Routes that mark an issue as a duplicate or connect it with a pull. These are endpoints of our own. */
import type { Connections } from '../../../forge/issues/references/connections.ts'
import type { Duplicates } from '../../../forge/issues/references/duplicates.ts'
import { changed } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { type Route, route } from '../route.ts'

const triages = {
  door: changed('triage'),
  permission: 'issues=write; pull_requests=write',
  resource: 'Issue',
} as const

type Needs = {
  connections: Connections
  duplicates: Duplicates
}

export const issueRelationRoutes = ({ connections, duplicates }: Needs): readonly Route[] => [
  route('DELETE /repos/:owner/:repo/issues/:issue_number/duplicate', {
    ...triages,
    id: 'unmark-an-issue-as-a-duplicate',
    summary: 'Unmarks an issue as a duplicate, which a comment `Duplicate of #12` marked it as.',
    handle: ({ target, params }) => done(duplicates.unmark(target, readId(params.issue_number))),
  }),
  route('PUT /repos/:owner/:repo/issues/:issue_number/connections/:pull_number', {
    ...triages,
    id: 'connect-an-issue-with-a-pull-request',
    summary: 'Connects an issue with a pull request, which closes it when it is merged.',
    handle: ({ target, params }) =>
      done(connections.connect(target, readId(params.issue_number), readId(params.pull_number))),
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/connections/:pull_number', {
    ...triages,
    id: 'disconnect-an-issue-from-a-pull-request',
    summary: 'Disconnects an issue from a pull request.',
    handle: ({ target, params }) =>
      done(connections.disconnect(target, readId(params.issue_number), readId(params.pull_number))),
  }),
]
