/** Writes imported comments, reviews, and events of issues and pulls. */
import { commitComment, type IssueEventRecord, issueComment, issueEvent } from '../definitions/comments.ts'
import { review, reviewComment } from '../definitions/pulls.ts'
import { readRecords } from '../reading/record-reading.ts'
import { idsFor, insertReactions, insertRows, type WriteContext } from './write-context.ts'

/** The index holds only the address of an issue or a pull; the address begins with that of its repository. */
const repositoryOf = ({ index }: WriteContext, issue: string): number =>
  index.idOf(issue.slice(0, issue.lastIndexOf('/', issue.lastIndexOf('/') - 1)))

export async function writeIssueComments(context: WriteContext): Promise<void> {
  const { trx, index, checked } = context
  for await (const placed of readRecords(checked.archive, issueComment)) {
    const records = placed.map(({ record }) => record)
    const ids = await idsFor(context, 'issue_comment', records)
    await insertRows(
      trx,
      'issue_comment',
      records.map((record, at) => ({
        id: ids[at]!,
        repository_id: repositoryOf(context, record.issue),
        issue_id: index.idOf(record.issue),
        author_id: index.idOf(record.author),
        body: context.rewrite(record.body),
        created_at: record.createdAt,
        updated_at: record.updatedAt,
      })),
    )
    const reacted = records.map(({ issue, reactions }, at) => ({
      id: ids[at]!,
      repositoryId: repositoryOf(context, issue),
      reactions,
    }))
    await insertReactions(context, 'issue-comment', reacted)
  }
}

export async function writeIssueEvents(context: WriteContext): Promise<void> {
  const { trx, index, checked } = context
  for await (const placed of readRecords(checked.archive, issueEvent)) {
    const records = placed.map(({ record }) => record)
    const ids = await idsFor(context, 'issue_event', records)
    await insertRows(
      trx,
      'issue_event',
      records.map((record, at) => ({
        id: ids[at]!,
        repository_id: repositoryOf(context, record.issue),
        issue_id: index.idOf(record.issue),
        actor_id: index.idOf(record.actor),
        event: record.event,
        commit_sha: record.commitSha,
        data: JSON.stringify(spellCarried(context, record)),
        is_hidden: 0,
        created_at: record.createdAt,
      })),
    )
  }
}

/** The id for a user who is no longer known. */
const nobody = 0

function spellCarried({ index }: WriteContext, { carried }: IssueEventRecord): object {
  const id = (address: string | null) => (address === null ? nobody : index.idOf(address))
  const { assignee, assigner, requester, reviewer, team, label, milestone, rename, dismissedReview } = carried
  return {
    ...(assignee !== undefined && { assigneeId: id(assignee) }),
    ...(assigner !== undefined && { assignerId: id(assigner) }),
    ...(requester !== undefined && { requesterId: id(requester) }),
    ...(reviewer !== undefined && { reviewerId: id(reviewer) }),
    ...(team !== undefined && { teamId: id(team) }),
    ...(label && { label }),
    ...(milestone && { milestone }),
    ...(rename && { rename }),
    ...(carried.lockReason !== undefined && { lockReason: carried.lockReason }),
    ...(carried.stateReason !== undefined && { stateReason: carried.stateReason }),
    ...(dismissedReview && {
      dismissedReview: {
        state: dismissedReview.state,
        reviewId: index.idOf(dismissedReview.review),
        message: dismissedReview.message,
        ...(dismissedReview.commitSha !== null && { commitSha: dismissedReview.commitSha }),
      },
    }),
  }
}

export async function writeCommitComments(context: WriteContext): Promise<void> {
  const { trx, index, checked } = context
  for await (const placed of readRecords(checked.archive, commitComment)) {
    const records = placed.map(({ record }) => record)
    const ids = await idsFor(context, 'commit_comment', records)
    await insertRows(
      trx,
      'commit_comment',
      records.map((record, at) => ({
        id: ids[at]!,
        repository_id: index.idOf(record.repository),
        sha: record.sha,
        author_id: index.idOf(record.author),
        path: record.path,
        position: record.position,
        line: record.line,
        body: context.rewrite(record.body),
        created_at: record.createdAt,
        updated_at: record.updatedAt,
      })),
    )
    const reacted = records.map(({ repository, reactions }, at) => ({
      id: ids[at]!,
      repositoryId: index.idOf(repository),
      reactions,
    }))
    await insertReactions(context, 'commit-comment', reacted)
  }
}

export async function writeReviews(context: WriteContext): Promise<void> {
  const { trx, index, checked } = context
  for await (const placed of readRecords(checked.archive, review)) {
    const records = placed.map(({ record }) => record)
    const ids = await idsFor(context, 'review', records)
    await insertRows(
      trx,
      'review',
      records.map((record, at) => ({
        id: ids[at]!,
        issue_id: index.idOf(record.pull),
        repository_id: repositoryOf(context, record.pull),
        author_id: index.idOf(record.author),
        state: record.state,
        body: context.rewrite(record.body),
        commit_sha: record.commitSha,
        submitted_at: record.submittedAt,
        created_at: record.createdAt,
        updated_at: record.updatedAt,
      })),
    )
    for (const [at, { url }] of records.entries()) index.setId(url, ids[at]!)
  }
}

export async function writeReviewComments(context: WriteContext): Promise<void> {
  const { trx, index, checked } = context
  for await (const placed of readRecords(checked.archive, reviewComment)) {
    const records = placed.map(({ record }) => record)
    const ids = await idsFor(context, 'review_comment', records)
    // A comment may reply to another of the same file.
    for (const [at, { url }] of records.entries()) index.setId(url, ids[at]!)
    await insertRows(
      trx,
      'review_comment',
      records.map((record, at) => ({
        id: ids[at]!,
        issue_id: index.idOf(record.pull),
        repository_id: repositoryOf(context, record.pull),
        review_id: index.idOf(record.review),
        author_id: index.idOf(record.author),
        reply_to_id: index.idOrNull(record.replyTo),
        path: record.path,
        body: context.rewrite(record.body),
        subject_kind: record.subjectKind,
        diff_hunk: record.diffHunk,
        side: record.side,
        start_side: record.startSide,
        original_commit_sha: record.originalCommitSha,
        original_position: record.originalPosition,
        original_line: record.originalLine,
        original_start_line: record.originalStartLine,
        resolved_at: record.resolvedAt,
        resolved_by_id: record.resolvedAt === null ? null : index.idOrNull(record.resolvedBy),
        created_at: record.createdAt,
        updated_at: record.updatedAt,
      })),
    )
    const reacted = records.map(({ pull, reactions }, at) => ({
      id: ids[at]!,
      repositoryId: repositoryOf(context, pull),
      reactions,
    }))
    await insertReactions(context, 'review-comment', reacted)
  }
}
