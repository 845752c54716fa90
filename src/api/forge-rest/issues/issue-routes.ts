/** Routes that list, open, read and edit issues. */
import type { IssueLists } from '../../../forge/issues/issue-lists.ts'
import { type IssueInRepository, involvements } from '../../../forge/issues/issue-lists.ts'
import type { Issues } from '../../../forge/issues/issues.ts'
import { changed, organisation, readable, signedIn } from '../doors.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import type { View } from '../view.ts'
import {
  IssueBody,
  IssueEditBody,
  readChoice,
  readIssueFilter,
  readRepositoryFilter,
  toIssueDraft,
  toIssueEdit,
} from './issue-body.ts'
import { presentIssue } from './present-issue.ts'

/** Tokens for either kind pass: whether it is an issue or a pull is known only after it is read. */
export const readsIssue = { door: readable, permission: 'issues=read; pull_requests=read' } as const
export const changesIssue = {
  door: changed('read'),
  permission: 'issues=write; pull_requests=write',
  resource: 'Issue',
} as const

const presentWithRepository = ({ issue, repository }: IssueInRepository, view: View) => ({
  ...presentIssue(issue, repository, view),
  repository: presentListedRepository(repository, view),
})

export const issueRoutes = ({ issueLists, issues }: { issueLists: IssueLists; issues: Issues }): readonly Route[] => [
  ...(['/issues', '/user/issues'] as const).map((path) =>
    route(`GET ${path}`, {
      id:
        path === '/issues'
          ? 'list-issues-assigned-to-the-authenticated-user'
          : 'list-user-account-issues-assigned-to-the-authenticated-user',
      summary:
        'Lists issues in all repositories that are assigned to you, created by you, mention you and so on: `filter` says which.',
      door: signedIn,
      scopes: ['public_repo', 'repo'],
      permission: 'issues=read',
      spansOrganisations: true,
      pageSize: usualPage,
      async handle({ target, query, page, view }) {
        const filter = readChoice(query, 'filter', involvements, 'assigned')
        const found = await issueLists.listOwn(target, filter, readIssueFilter(query), page)
        return list(found, (item) => presentWithRepository(item, view))
      },
    }),
  ),
  route('GET /orgs/:org/issues', {
    id: 'list-organization-issues-assigned-to-the-authenticated-user',
    summary: 'Lists issues in an organisation’s repositories that concern you: `filter` says how.',
    door: organisation('member'),
    scopes: ['repo', 'read:org'],
    permission: 'issues=read',
    pageSize: usualPage,
    async handle({ target, query, page, view }) {
      const filter = readChoice(query, 'filter', involvements, 'assigned')
      const found = await issueLists.listInOrganisation(target, filter, readIssueFilter(query), page)
      return list(found, (item) => presentWithRepository(item, view))
    },
  }),
  route('GET /repos/:owner/:repo/issues', {
    id: 'list-repository-issues',
    summary: 'Issues and pulls of a repository, by state, labels, assignee, creator, mentioned, milestone and time.',
    door: readable,
    permission: 'issues=read',
    resource: 'Issue',
    pageSize: usualPage,
    async handle({ actor, target, query, page, view }) {
      const found = await issueLists.list(actor, target, readRepositoryFilter(query), page)
      return list(found, (issue) => presentIssue(issue, target, view))
    },
  }),
  route('POST /repos/:owner/:repo/issues', {
    id: 'create-an-issue',
    summary: 'Opens an issue. Labels, assignees and milestone are used only for people with triage access.',
    door: changed('read'),
    permission: 'issues=write',
    resource: 'Issue',
    createsContent: true,
    body: IssueBody,
    async handle({ target, body, view }) {
      const issue = presentIssue(await issues.open(target, toIssueDraft(body)), target.repository, view)
      return created(issue, issue.url)
    },
  }),
  route('GET /repos/:owner/:repo/issues/:issue_number', {
    ...readsIssue,
    id: 'get-an-issue',
    summary: 'An issue, or the issue that a pull is.',
    async handle({ actor, target, params, view }) {
      return ok(presentIssue(await issues.get(actor, target, readId(params.issue_number)), target, view))
    },
  }),
  route('PATCH /repos/:owner/:repo/issues/:issue_number', {
    ...changesIssue,
    id: 'update-an-issue',
    summary: 'Edits an issue, closes or reopens it, and sets its labels, assignees and milestone.',
    body: IssueEditBody,
    async handle({ target, params, body, view }) {
      const issue = await issues.edit(target, readId(params.issue_number), toIssueEdit(body))
      return ok(presentIssue(issue, target.repository, view))
    },
  }),
]
