/** Routes of assignees: users who can be assigned, and users who are. */
import type { Static } from 'typebox'
import type { Assignees } from '../../../forge/issues/assignees/assignees.ts'
import type { Issues } from '../../../forge/issues/issues.ts'
import { changed, readable } from '../doors.ts'
import { pageOf, whether } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { List, Optional, Shape, Text, Type } from '../schemas.ts'
import { presentIssue } from './present-issue.ts'

const reading = { door: readable, permission: 'issues=read; pull_requests=read' } as const
const writing = { door: changed('triage'), permission: 'issues=write; pull_requests=write', resource: 'Issue' } as const

const Login = Type.Union([Text(100), Shape({ login: Text(100) })])
const LoginsBody = Shape({ assignees: Optional(Type.Union([List(Login, { maxItems: 100 }), Text(100)])) })

function loginsOf({ assignees = [] }: Static<typeof LoginsBody>): string[] {
  if (typeof assignees === 'string') return [assignees]
  return assignees.map((one) => (typeof one === 'string' ? one : one.login))
}

export const assigneeRoutes = ({ assignees, issues }: { assignees: Assignees; issues: Issues }): readonly Route[] => [
  route('GET /repos/:owner/:repo/assignees', {
    ...reading,
    id: 'list-assignees',
    summary: 'Lists the users who can be assigned to issues.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(assignees.listAssignable(target, page), presentUser, view),
  }),
  route('GET /repos/:owner/:repo/assignees/:assignee', {
    ...reading,
    id: 'check-if-a-user-can-be-assigned',
    summary: '204 for a user who can be assigned, 404 for others.',
    handle: ({ target, params }) => whether(assignees.isAssignable(target, params.assignee)),
  }),
  route('GET /repos/:owner/:repo/issues/:issue_number/assignees/:assignee', {
    ...reading,
    id: 'check-if-a-user-can-be-assigned-to-a-issue',
    summary: '204 for a user who can be assigned to this issue, 404 for others.',
    async handle({ actor, target, params }) {
      await issues.get(actor, target, readId(params.issue_number))
      return whether(assignees.isAssignable(target, params.assignee))
    },
  }),
  route('POST /repos/:owner/:repo/issues/:issue_number/assignees', {
    ...writing,
    id: 'add-assignees-to-an-issue',
    summary: 'Assigns up to ten users in all. Users who can’t be assigned are left out.',
    body: LoginsBody,
    async handle({ target, params, body, view }) {
      const change = { mode: 'add', logins: loginsOf(body) } as const
      const issue = await assignees.change(target, readId(params.issue_number), change)
      return created(presentIssue(issue, target.repository, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/assignees', {
    ...writing,
    id: 'remove-assignees-from-an-issue',
    summary: 'Unassigns users.',
    body: LoginsBody,
    async handle({ target, params, body, view }) {
      const change = { mode: 'remove', logins: loginsOf(body) } as const
      const issue = await assignees.change(target, readId(params.issue_number), change)
      return ok(presentIssue(issue, target.repository, view))
    },
  }),
]
