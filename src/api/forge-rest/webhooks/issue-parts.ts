/** Parts of payloads for issues, comments, labels and milestones. */
import { notFound } from '../../../forge/failures.ts'
import type { Comment } from '../../../forge/issues/comments/comment.ts'
import type { Issue, Label, Milestone } from '../../../forge/issues/issue.ts'
import { presentComment } from '../issues/comment-routes.ts'
import { presentIssue, presentLabel, presentMilestone } from '../issues/present-issue.ts'
import { presentUser } from '../people/present-people.ts'
import { findShown, type PartContext, type PayloadPart, presentHookRepository, revive } from './part.ts'

async function issueOf({ services, source, repository, view }: PartContext) {
  const issue = await services.issueReading.readById(source.subjectId ?? 0)
  // An issue that was transferred away is reported by its new repository.
  if (!issue || issue.repositoryId !== repository.id) throw notFound()
  return presentIssue(issue, repository, view)
}

export const personOf = async ({ services, view }: PartContext, id: number) =>
  presentUser(await services.people.getById(id), view)

/** The label or milestone that was added or removed, if it has been deleted since. */
export function presentGiven({ source, repository, view }: PartContext) {
  const { label, milestone } = source.data.gone ?? {}
  return {
    ...(label && { label: presentLabel(label as Label, repository, view) }),
    ...(milestone && { milestone: presentMilestone(revive<Milestone>(milestone), repository, view) }),
  }
}

/** The former or the new place of a transferred issue, if the viewer may see it. */
async function presentMoved(context: PartContext) {
  const { services, source, action, view } = context
  const { fromRepositoryId, toRepositoryId, gone } = source.data
  const isLeaving = action === 'transferred'
  const other = await findShown(context, isLeaving ? toRepositoryId : fromRepositoryId)
  if (!other) return {}
  const shownRepository = presentHookRepository(other, view)
  const issue = isLeaving ? await services.issueReading.readById(source.subjectId ?? 0) : revive<Issue>(gone.issue)
  const shownIssue = issue && presentIssue(issue, other, view)
  return isLeaving
    ? { new_issue: shownIssue, new_repository: shownRepository }
    : { old_issue: shownIssue, old_repository: shownRepository }
}

const issues: PayloadPart = async (context) => {
  const { source, action, repository, view } = context
  const { assigneeId, changes, gone, fromRepositoryId } = source.data
  const isGone = action === 'deleted' || action === 'transferred'
  return {
    issue: isGone ? presentIssue(revive<Issue>(gone.issue), repository, view) : await issueOf(context),
    ...presentGiven(context),
    ...(assigneeId !== undefined && { assignee: await personOf(context, assigneeId) }),
    ...(action === 'edited' && { changes: changes ?? {} }),
    ...(fromRepositoryId !== undefined && { changes: await presentMoved(context) }),
  }
}

const issueComment: PayloadPart = async (context) => {
  const { services, viewer, repository, source, action, view } = context
  const { commentId, changes, gone } = source.data
  const comment = gone ? revive<Comment>(gone.comment) : await services.comments.get(viewer, repository, commentId)
  return {
    issue: await issueOf(context),
    comment: presentComment(comment, repository, view),
    ...(action === 'edited' && { changes: changes ?? {} }),
  }
}

const label: PayloadPart = async ({ source, action, repository, view }) => ({
  label: presentLabel(source.data.gone.label, repository, view),
  ...(action === 'edited' && { changes: source.data.changes ?? {} }),
})

const milestone: PayloadPart = async ({ source, action, repository, view }) => ({
  milestone: presentMilestone(revive<Milestone>(source.data.gone.milestone), repository, view),
  ...(action === 'edited' && { changes: source.data.changes ?? {} }),
})

export const issueParts = {
  issues,
  issue_comment: issueComment,
  label,
  milestone,
} as const satisfies Record<string, PayloadPart>
