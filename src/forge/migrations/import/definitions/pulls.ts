/** Records of pulls, of reviews, and of comments on lines. */

import { isBranchName } from '../../../git/ref-name.ts'
import { anyAccount } from '../address-index.ts'
import { type Fields, lengths } from '../reading/fields.ts'
import { demandImport } from '../refusal.ts'
import { checkReactions, type Definition, readReactions } from './definition.ts'
import { checkIssueMembers, readIssueMembers } from './issues.ts'

export type PullRecord = ReturnType<typeof readPull>
export type ReviewRecord = ReturnType<typeof readReview>
export type ReviewCommentRecord = ReturnType<typeof readReviewComment>

function readBranch(fields: Fields): string {
  const ref = fields.text('ref', 255)
  return isBranchName(ref) ? ref : fields.refuse('ref', 'a name that a branch can have')
}

function readPull(fields: Fields) {
  const [base, head] = [fields.object('base'), fields.object('head')]
  return {
    ...readIssueMembers(fields, 'pull'),
    base: { ref: readBranch(base), sha: base.sha('sha') },
    head: {
      ref: readBranch(head),
      sha: head.sha('sha'),
      owner: head.addressOrNull('user'),
      repository: head.addressOrNull('repo'),
    },
    isHeadDeleted: fields.flag('head_deleted'),
    wasHeadPrivate: fields.flag('head_was_private'),
    forkSha: fields.shaOrNull('merge_base_sha'),
    requests: fields.each('review_requests', (one) => ({
      reviewer: one.addressOrNull('reviewer'),
      team: one.addressOrNull('team'),
    })),
    isDraft: fields.flag('draft'),
    mayMaintainersPush: fields.flag('maintainer_can_modify'),
    mergedAt: fields.timeOrNull('merged_at'),
    mergedBy: fields.addressOrNull('merged_by'),
    mergeSha: fields.shaOrNull('merge_commit_sha'),
  }
}

export const pull: Definition<PullRecord> = {
  type: 'pull_request',
  read: readPull,
  check(record, index, place) {
    index.add('pull', record.url, place)
    checkIssueMembers(record, index, place)
    index.expect(['repository'], record.head.repository, place)
    for (const person of [record.head.owner, record.mergedBy]) index.expect(anyAccount, person, place)
    for (const { reviewer, team } of record.requests) {
      index.expect(['user'], reviewer, place)
      index.expect(['team'], team, place)
    }
    const asked = record.requests.flatMap(({ reviewer, team }) => reviewer ?? team ?? [])
    demandImport(new Set(asked).size === asked.length, `${place} asks somebody for a review twice.`)
  },
}

function readReview(fields: Fields) {
  const pullAddress = fields.address('pull_request')
  return {
    url: fields.address('url'),
    id: fields.numberAfter('url', `${pullAddress}#pullrequestreview-`),
    pull: pullAddress,
    author: fields.address('user'),
    body: fields.textOrNull('body', lengths.text) ?? '',
    state: fields.oneOf('state', ['COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']),
    commitSha: fields.sha('commit_id'),
    submittedAt: fields.timeOrNull('submitted_at'),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const review: Definition<ReviewRecord> = {
  type: 'pull_request_review',
  read: readReview,
  check(record, index, place) {
    index.add('review', record.url, place)
    index.claim(`pullrequestreview-${record.id}`, place)
    index.expect(['pull'], record.pull, place)
    index.expect(anyAccount, record.author, place)
  },
}

const sides = ['LEFT', 'RIGHT'] as const

function readReviewComment(fields: Fields) {
  const pullAddress = fields.address('pull_request')
  return {
    url: fields.address('url'),
    id: fields.numberAfter('url', `${pullAddress}#discussion_r`),
    pull: pullAddress,
    review: fields.address('pull_request_review'),
    author: fields.address('user'),
    body: fields.text('body', lengths.text, 0),
    path: fields.text('path', 4_096),
    subjectKind: fields.oneOf('subject_type', ['line', 'file']),
    diffHunk: fields.text('diff_hunk', lengths.text, 0),
    side: fields.oneOf('side', sides),
    startSide: fields.oneOfOrNull('start_side', sides),
    originalCommitSha: fields.sha('original_commit_id'),
    originalPosition: fields.whole('original_position'),
    originalLine: fields.whole('original_line'),
    originalStartLine: fields.wholeOrNull('original_start_line'),
    replyTo: fields.addressOrNull('in_reply_to'),
    resolvedAt: fields.timeOrNull('resolved_at'),
    resolvedBy: fields.addressOrNull('resolved_by'),
    reactions: readReactions(fields),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const reviewComment: Definition<ReviewCommentRecord> = {
  type: 'pull_request_review_comment',
  read: readReviewComment,
  check(record, index, place) {
    const { replyTo } = record
    const isLater = replyTo !== null && !index.has('review-comment', replyTo)
    demandImport(!isLater, `${place} answers ${replyTo}, which does not come before it.`)
    index.add('review-comment', record.url, place)
    index.claim(`discussion_r${record.id}`, place)
    index.expect(['pull'], record.pull, place)
    index.expect(['review'], record.review, place)
    for (const person of [record.author, record.resolvedBy]) index.expect(anyAccount, person, place)
    demandImport(record.review.startsWith(`${record.pull}#`), `${place} is of another pull’s review.`)
    checkReactions(record.reactions, index, place)
  },
}
