/** Issue events: of a repository, of an issue, and single ones. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { EventOfIssue, IssueEvents } from '../../../forge/issues/events/issue-events.ts'
import { readable } from '../doors.ts'
import { readId } from '../query.ts'
import { list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import type { View } from '../view.ts'
import { presentEvent } from './present-event.ts'
import { presentIssue } from './present-issue.ts'

/** The last page that a repository's list has. */
const lastPage = 300

const presentWithIssue = ({ event, issue }: EventOfIssue, repository: OpenRepository, view: View) => ({
  ...presentEvent(event, repository, view),
  issue: presentIssue(issue, repository, view),
})

const either = 'issues=read; pull_requests=read'

export const issueEventRoutes = ({ issueEvents }: { issueEvents: IssueEvents }): readonly Route[] => [
  route('GET /repos/:owner/:repo/issues/events', {
    id: 'list-issue-events-for-a-repository',
    summary: 'Lists the events of all issues and pulls, newest first, on up to 300 pages.',
    door: readable,
    permission: 'issues=read',
    resource: 'IssueEvent',
    pageSize: usualPage,
    async handle({ actor, target, page, view }) {
      const number = page.offset / page.limit + 1
      if (number > lastPage)
        throw invalidField(
          'page',
          'invalid',
          `In order to keep the API fast for everyone, ${lastPage} pages are served.`,
        )
      const { total, items } = await issueEvents.listOfRepository(actor, target, page)
      const shown = { total: Math.min(total, lastPage * page.limit), items }
      return list(shown, (each) => presentWithIssue(each, target, view))
    },
  }),
  route('GET /repos/:owner/:repo/issues/events/:event_id', {
    id: 'get-an-issue-event',
    summary: 'An event; 410 once its issue was deleted.',
    door: readable,
    permission: either,
    async handle({ actor, target, params, view }) {
      return ok(presentWithIssue(await issueEvents.get(actor, target, readId(params.event_id)), target, view))
    },
  }),
  route('GET /repos/:owner/:repo/issues/:issue_number/events', {
    id: 'list-issue-events',
    summary: 'Events of an issue, the oldest first.',
    door: readable,
    permission: either,
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const found = await issueEvents.listOfIssue(actor, target, readId(params.issue_number), page)
      return list(found, (event) => presentEvent(event, target, view))
    },
  }),
]
