/** Events of an issue or a pull in words. */
import type { ComponentChildren } from 'preact'
import type { IssueEvent } from '../api/issue-types.ts'
import { LabelChip } from './label-chip.tsx'

export type Words = (event: IssueEvent, place: string) => ComponentChildren

const commit = ({ commit_id: sha }: IssueEvent, place: string) =>
  sha && (
    <a href={`/${place}/commit/${sha}`}>
      <code>{sha.slice(0, 7)}</code>
    </a>
  )

const person = (login: string | undefined) => (login ? <a href={`/${login}`}>{login}</a> : 'somebody')

const reviewer = ({ requested_reviewer: user, requested_team: team }: IssueEvent) =>
  user ? person(user.login) : `the team ${team?.name ?? ''}`

const reasons: Readonly<Record<string, string>> = { not_planned: ' as not planned', duplicate: ' as duplicate' }
const lockReasons: Readonly<Record<string, string>> = {
  'off-topic': ' as off-topic',
  'too heated': ' as too heated',
  resolved: ' as resolved',
  spam: ' as spam',
}

export const eventWords: Readonly<Record<string, Words>> = {
  assigned: ({ assignee, actor }) =>
    assignee?.login === actor?.login ? 'self-assigned this' : <>assigned {person(assignee?.login)}</>,
  unassigned: ({ assignee, actor }) =>
    assignee?.login === actor?.login ? 'removed their assignment' : <>unassigned {person(assignee?.login)}</>,
  labeled: ({ label }) =>
    label && (
      <>
        added the label <LabelChip label={label} />
      </>
    ),
  unlabeled: ({ label }) =>
    label && (
      <>
        removed the label <LabelChip label={label} />
      </>
    ),
  milestoned: ({ milestone }) => (
    <>
      added this to the milestone <b>{milestone?.title}</b>
    </>
  ),
  demilestoned: ({ milestone }) => (
    <>
      removed this from the milestone <b>{milestone?.title}</b>
    </>
  ),
  renamed: ({ rename }) => (
    <>
      changed the title <s>{rename?.from}</s> <b>{rename?.to}</b>
    </>
  ),
  closed: (event, place) => (
    <>
      closed this{reasons[event.state_reason ?? ''] ?? ''}
      {event.commit_id && <> in {commit(event, place)}</>}
    </>
  ),
  reopened: () => 'reopened this',
  locked: ({ lock_reason: reason }) => `locked the conversation${lockReasons[reason ?? ''] ?? ''}`,
  unlocked: () => 'unlocked the conversation',
  pinned: () => 'pinned this issue',
  unpinned: () => 'unpinned this issue',
  transferred: () => 'transferred this issue',
  referenced: (event, place) => <>mentioned this in the commit {commit(event, place)}</>,
  merged: (event, place) => <>merged this in {commit(event, place)}</>,
  head_ref_deleted: () => 'deleted the branch',
  head_ref_restored: () => 'restored the branch',
  head_ref_force_pushed: (event, place) => <>force-pushed the branch to {commit(event, place)}</>,
  base_ref_changed: () => 'changed the base branch',
  base_ref_force_pushed: (event, place) => <>force-pushed the base branch to {commit(event, place)}</>,
  convert_to_draft: () => 'marked this as a draft',
  ready_for_review: () => 'marked this as ready for review',
  review_requested: (event) => <>requested a review from {reviewer(event)}</>,
  review_request_removed: (event) => <>removed the review request for {reviewer(event)}</>,
  review_dismissed: ({ dismissed_review: review }) =>
    `dismissed a review${review?.dismissal_message ? `: ${review.dismissal_message}` : ''}`,
  marked_as_duplicate: () => 'marked this as a duplicate',
  unmarked_as_duplicate: () => 'marked this as not a duplicate',
  connected: () => 'connected this with a pull request',
  disconnected: () => 'disconnected this from a pull request',
  comment_deleted: () => 'deleted a comment',
  auto_merge_enabled: () => 'enabled auto-merge',
  auto_merge_disabled: () => 'disabled auto-merge',
}
