/** Payloads about issues, their comments, labels and milestones. */
import { notFound } from '../../../forge/failures.ts'
import { presentComment } from '../issues/comments.ts'
import { presentIssue } from '../issues/present-issue.ts'
import { presentUser } from '../people/present-people.ts'
import type { Part, PartContext } from './part.ts'

async function issueOf({ forge, source, repository, view }: PartContext) {
  const issue = await forge.issueReading.readById(source.subjectId ?? 0)
  // One that was transferred is told of where it is.
  if (!issue || issue.repositoryId !== repository.id) throw notFound()
  return presentIssue(issue, repository, view)
}

export const personOf = async ({ forge, view }: PartContext, id: number) =>
  presentUser(await forge.people.getById(id), view)

const issues: Part = async (context) => {
  const { source, action } = context
  const { assigneeId, changes } = source.data
  return {
    issue: await issueOf(context),
    ...(assigneeId !== undefined && { assignee: await personOf(context, assigneeId) }),
    ...(action === 'edited' && { changes: changes ?? {} }),
  }
}

const issueComment: Part = async (context) => {
  const { forge, viewer, repository, source, action, view } = context
  const { commentId, changes } = source.data
  const comment = await forge.comments.get(viewer, repository, commentId)
  return {
    issue: await issueOf(context),
    comment: presentComment(comment, repository, view),
    ...(action === 'edited' && { changes: changes ?? {} }),
  }
}

export const issueParts = { issues, issue_comment: issueComment } as const satisfies Record<string, Part>
