/** Routes that transfer an issue to another repository, and delete it. */

import type { Opening } from '../../../forge/access/opening.ts'
import { everyTokenKind, parsePermissions } from '../../../forge/access/required-grant.ts'
import type { IssueDeletion } from '../../../forge/issues/issue-deletion.ts'
import type { Transfers } from '../../../forge/issues/transfers.ts'
import { changed } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Shape, Text } from '../schemas.ts'
import { presentIssue } from './present-issue.ts'

/** The token's needs for the repository that receives the issue. */
const enteringNeed = {
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: parsePermissions('issues=write'),
  level: 'write',
  signIn: true,
  writes: true,
} as const

type Needs = {
  issueDeletion: IssueDeletion
  opening: Opening
  transfers: Transfers
}

export const issueTransferRoutes = ({ issueDeletion, opening, transfers }: Needs): readonly Route[] => [
  route('POST /repos/:owner/:repo/issues/:issue_number/transfer', {
    id: 'transfer-an-issue',
    summary:
      'Transfers an issue to `new_repository` of the same owner, where it takes a new number; its old address leads there.',
    door: changed('write'),
    permission: 'issues=write',
    resource: 'Issue',
    body: Shape({ new_repository: Text(200, 1) }),
    async handle({ actor, target, params, body, view }) {
      const [owner, name] = body.new_repository.includes('/')
        ? body.new_repository.split('/', 2)
        : [target.repository.owner.login, body.new_repository]
      const to = await opening.enterAnywhere(actor, { owner: owner ?? '', name: name ?? '' }, enteringNeed)
      const issue = await transfers.transfer(target, readId(params.issue_number), to)
      const shown = presentIssue(issue, to.repository, view)
      return created(shown, shown.url)
    },
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number', {
    id: 'delete-an-issue',
    summary: 'Deletes an issue with its comments and events, which are 410 from then on.',
    door: changed('admin'),
    permission: 'issues=write',
    handle: ({ target, params }) => done(issueDeletion.remove(target, readId(params.issue_number))),
  }),
]
