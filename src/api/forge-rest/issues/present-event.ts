/** Presents issue events: the members that all share, and those of each type. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { EventType } from '../../../forge/issues/event-recording.ts'
import type { IssueEvent } from '../../../forge/issues/events/issue-event.ts'
import type { Person } from '../../../forge/person.ts'
import { presentUser } from '../people/present-people.ts'
import { presentTeam } from '../people/present-teams.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { presentPerformer } from './present-issue.ts'

type Extra = (event: IssueEvent, view: View) => object

const nothing: Extra = () => ({})
const userOrNull = (user: Person | undefined, view: View) => (user ? presentUser(user, view) : null)

const assignment: Extra = ({ assignee, assigner }, view) => ({
  assignee: userOrNull(assignee, view),
  assigner: userOrNull(assigner, view),
})
const label: Extra = ({ label }) => ({ label })
const milestone: Extra = ({ milestone }) => ({ milestone })
const state: Extra = ({ stateReason }) => ({ state_reason: stateReason ?? null })
const lock: Extra = ({ lockReason }) => ({ lock_reason: lockReason ?? null })
const reviewRequest: Extra = ({ reviewRequester, requestedReviewer, requestedTeam }, view) => ({
  review_requester: userOrNull(reviewRequester, view),
  ...(requestedReviewer && { requested_reviewer: presentUser(requestedReviewer, view) }),
  ...(requestedTeam && { requested_team: presentTeam({ ...requestedTeam, parent: undefined }, view) }),
})
const dismissal: Extra = ({ dismissedReview }) => ({
  dismissed_review: dismissedReview && {
    state: dismissedReview.state,
    review_id: dismissedReview.reviewId,
    dismissal_message: dismissedReview.message,
    ...(dismissedReview.commitSha && { dismissal_commit_id: dismissedReview.commitSha }),
  },
})

const extras: Record<EventType, Extra> = {
  assigned: assignment,
  unassigned: assignment,
  labeled: label,
  unlabeled: label,
  milestoned: milestone,
  demilestoned: milestone,
  renamed: ({ rename }) => ({ rename }),
  closed: state,
  reopened: state,
  locked: lock,
  unlocked: lock,
  pinned: nothing,
  unpinned: nothing,
  transferred: nothing,
  mentioned: nothing,
  subscribed: nothing,
  referenced: nothing,
  merged: nothing,
  head_ref_deleted: nothing,
  head_ref_restored: nothing,
  head_ref_force_pushed: nothing,
  base_ref_changed: nothing,
  base_ref_force_pushed: nothing,
  convert_to_draft: nothing,
  ready_for_review: nothing,
  review_requested: reviewRequest,
  review_request_removed: reviewRequest,
  review_dismissed: dismissal,
  marked_as_duplicate: nothing,
  unmarked_as_duplicate: nothing,
  connected: nothing,
  disconnected: nothing,
  comment_deleted: nothing,
  user_blocked: nothing,
}

export function presentEvent(event: IssueEvent, repository: Repository, view: View) {
  const { id, commitSha, commitRepository = repository } = event
  const addressOf = ({ owner, name }: Repository) => `${view.base}/repos/${owner.login}/${name}`
  return {
    id,
    node_id: nodeId('IssueEvent', id),
    url: `${addressOf(repository)}/issues/events/${id}`,
    actor: presentUser(event.actor, view),
    event: event.event,
    commit_id: commitSha,
    commit_url: commitSha && `${addressOf(commitRepository)}/commits/${commitSha}`,
    created_at: formatTime(event.createdAt),
    ...extras[event.event](event, view),
    ...presentPerformer(event.app, view),
  }
}
