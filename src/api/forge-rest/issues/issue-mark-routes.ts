/** Routes that lock the conversation of an issue, and pin it. */
import type { IssueMarks } from '../../../forge/issues/issue-marks.ts'
import { lockReasons } from '../../../forge/issues/issue-marks.ts'
import { changed } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { type Route, route } from '../route.ts'
import { OneOf, Optional, Shape, Type } from '../schemas.ts'

const either = 'issues=write; pull_requests=write'
const resource = 'Issue'

export const issueMarkRoutes = ({ issueMarks }: { issueMarks: IssueMarks }): readonly Route[] => [
  route('PUT /repos/:owner/:repo/issues/:issue_number/lock', {
    id: 'lock-an-issue',
    summary: 'Locks the conversation: only people with write access can comment.',
    door: changed('write'),
    permission: either,
    resource,
    body: Shape({ lock_reason: Optional(Type.Union([OneOf(...lockReasons), Type.Null()])) }),
    handle: ({ target, params, body }) =>
      done(issueMarks.lock(target, readId(params.issue_number), body.lock_reason ?? null)),
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/lock', {
    id: 'unlock-an-issue',
    summary: 'Unlocks the conversation.',
    door: changed('write'),
    permission: either,
    handle: ({ target, params }) => done(issueMarks.unlock(target, readId(params.issue_number))),
  }),
  route('PUT /repos/:owner/:repo/issues/:issue_number/pin', {
    id: 'pin-an-issue',
    summary: 'Pins an issue. At most three issues can be pinned.',
    door: changed('write'),
    permission: 'issues=write',
    resource,
    handle: ({ target, params }) => done(issueMarks.pin(target, readId(params.issue_number))),
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/pin', {
    id: 'unpin-an-issue',
    summary: 'Unpins an issue.',
    door: changed('write'),
    permission: 'issues=write',
    handle: ({ target, params }) => done(issueMarks.unpin(target, readId(params.issue_number))),
  }),
]
