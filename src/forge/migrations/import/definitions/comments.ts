/** Records of comments on issues, pulls and commits, and of the events of issues and pulls. */
import { anyAccount, issueOrPull } from '../address-index.ts'
import { type Fields, lengths } from '../reading/fields.ts'
import { checkReactions, type Definition, readReactions } from './definition.ts'

export type IssueCommentRecord = ReturnType<typeof readIssueComment>
export type IssueEventRecord = ReturnType<typeof readIssueEvent>
export type CommitCommentRecord = ReturnType<typeof readCommitComment>

/** A record belongs to an issue or to a pull; the member's name tells which. */
const readIssueAddress = (fields: Fields): string =>
  fields.has('pull_request') ? fields.address('pull_request') : fields.address('issue')

function readIssueComment(fields: Fields) {
  const issue = readIssueAddress(fields)
  return {
    url: fields.address('url'),
    id: fields.numberAfter('url', `${issue}#issuecomment-`),
    issue,
    author: fields.address('user'),
    body: fields.text('body', lengths.text, 0),
    reactions: readReactions(fields),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const issueComment: Definition<IssueCommentRecord> = {
  type: 'issue_comment',
  read: readIssueComment,
  check(record, index, place) {
    index.add('comment', record.url, place)
    index.claim(`issuecomment-${record.id}`, place)
    index.expect(issueOrPull, record.issue, place)
    index.expect(anyAccount, record.author, place)
    checkReactions(record.reactions, index, place)
  },
}

function readIssueEvent(fields: Fields) {
  const issue = readIssueAddress(fields)
  const event = fields.text('event', 100)
  if (!/^[a-z_]+$/.test(event)) fields.refuse('event', 'a word')
  return {
    id: fields.numberAfter('url', `${issue}#event-`),
    issue,
    actor: fields.address('actor'),
    event,
    commitSha: fields.shaOrNull('commit_id'),
    carried: readCarried(fields),
    createdAt: fields.time('created_at'),
  }
}

/** An event's further members: undefined if its type has no such member, null if its target no longer exists. */
function readCarried(fields: Fields) {
  const { members } = fields
  const address = (name: string) => (name in members ? fields.addressOrNull(name) : undefined)
  const text = (name: string) => (name in members ? fields.textOrNull(name, lengths.line) : undefined)
  const label = fields.objectOrNull('label')
  const rename = fields.objectOrNull('rename')
  const dismissed = fields.objectOrNull('dismissed_review')
  return {
    assignee: address('assignee'),
    assigner: address('assigner'),
    requester: address('review_requester'),
    reviewer: address('requested_reviewer'),
    team: address('requested_team'),
    label: label && { name: label.text('name', 255), color: label.text('color', 6) },
    milestone: fields.has('milestone') ? { title: fields.object('milestone').text('title', lengths.line, 0) } : null,
    rename: rename && { from: rename.text('from', lengths.line, 0), to: rename.text('to', lengths.line, 0) },
    lockReason: text('lock_reason'),
    stateReason: text('state_reason'),
    dismissedReview: dismissed && {
      state: dismissed.text('state', 50),
      review: dismissed.address('review'),
      message: dismissed.textOrNull('dismissal_message', lengths.text),
      commitSha: dismissed.shaOrNull('dismissal_commit_id'),
    },
  }
}

export const issueEvent: Definition<IssueEventRecord> = {
  type: 'issue_event',
  read: readIssueEvent,
  check(record, index, place) {
    const { assignee, assigner, requester, reviewer, team, dismissedReview } = record.carried
    index.claim(`event-${record.id}`, place)
    index.expect(issueOrPull, record.issue, place)
    for (const person of [record.actor, assignee, assigner, requester, reviewer])
      index.expect(anyAccount, person ?? null, place)
    index.expect(['team'], team ?? null, place)
    index.expect(['review'], dismissedReview?.review ?? null, place)
  },
}

function readCommitComment(fields: Fields) {
  const repository = fields.address('repository')
  const sha = fields.sha('commit_id')
  return {
    url: fields.address('url'),
    id: fields.numberAfter('url', `${repository}/commit/${sha}#commitcomment-`),
    repository,
    sha,
    author: fields.address('user'),
    body: fields.text('body', lengths.text, 0),
    path: fields.textOrNull('path', 4_096),
    position: fields.wholeOrNull('position'),
    line: fields.wholeOrNull('line'),
    reactions: readReactions(fields),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const commitComment: Definition<CommitCommentRecord> = {
  type: 'commit_comment',
  read: readCommitComment,
  check(record, index, place) {
    index.claim(`commitcomment-${record.id}`, place)
    index.expect(['repository'], record.repository, place)
    index.expect(anyAccount, record.author, place)
    checkReactions(record.reactions, index, place)
  },
}
