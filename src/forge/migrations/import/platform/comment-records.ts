/** Translates comments on issues, pulls and commits, and reviews with their comments on lines. */
import type { ExportRecord } from '../../records/record-files.ts'
import { lengths } from '../reading/fields.ts'
import { type Context, findSubject, translateReactions } from './context.ts'
import { findLine } from './diff-hunk.ts'
import type { RawRecord } from './raw-record.ts'

export function translateIssueComments(context: Context): void {
  const { people, writer, uploads, leavingOut } = context
  for (const record of context.read('issue_comments')) {
    const subject = findSubject(context, record)
    if (!subject) {
      leavingOut.add('comments on what is not in the archive')
      continue
    }
    const { address, ...names } = subject
    const url = `${address}#issuecomment-${record.numberOf('url')}`
    context.addresses.add('issue_comment', record.demandAddress('url'), url)
    writer.add({
      type: 'issue_comment',
      url,
      ...names,
      user: people.person(record.address('user')),
      body: uploads.rewrite(record.text('body', lengths.text)),
      reactions: translateReactions(context, record),
      created_at: record.time('created_at'),
      updated_at: record.timeOrNull('updated_at'),
    })
  }
}

export function translateCommitComments(context: Context): void {
  const { people, writer, addresses, uploads, leavingOut } = context
  for (const record of context.read('commit_comments')) {
    const repository = addresses.find('repository', record.address('repository'))
    const sha = record.sha('commit_id')
    if (repository === null || sha === null) {
      leavingOut.add('comments on what is not in the archive')
      continue
    }
    writer.add({
      type: 'commit_comment',
      url: `${repository}/commit/${sha}#commitcomment-${record.numberOf('url')}`,
      repository,
      commit_id: sha,
      user: people.person(record.address('user')),
      body: uploads.rewrite(record.text('body', lengths.text)),
      path: record.textOrNull('path', 4_096),
      position: record.whole('position'),
      reactions: translateReactions(context, record),
      created_at: record.time('created_at'),
      updated_at: record.timeOrNull('updated_at'),
    })
  }
}

/** Newer archives write states as numbers. */
const states: Readonly<Record<string, string>> = {
  1: 'COMMENTED',
  30: 'CHANGES_REQUESTED',
  40: 'APPROVED',
  50: 'DISMISSED',
  commented: 'COMMENTED',
  changes_requested: 'CHANGES_REQUESTED',
  approved: 'APPROVED',
  dismissed: 'DISMISSED',
}

export function translateReviews(context: Context): void {
  const { people, writer, addresses, uploads, leavingOut } = context
  for (const record of context.read('pull_request_reviews')) {
    const pull = addresses.find('pull_request', record.address('pull_request'))
    const state = states[record.word('state')]
    const sha = record.sha('head_sha') ?? record.sha('commit_id')
    if (pull === null) leavingOut.add('reviews of what is not in the archive')
    else if (state === undefined || sha === null) leavingOut.add('reviews that were not handed in')
    if (pull === null || state === undefined || sha === null) continue
    const url = `${pull}#pullrequestreview-${record.numberOf('url')}`
    const createdAt = record.time('created_at')
    writer.add({
      type: 'pull_request_review',
      url: addresses.add('pull_request_review', record.demandAddress('url'), url),
      pull_request: pull,
      user: people.person(record.address('user')),
      body: uploads.rewrite(record.text('body', lengths.text)),
      state,
      commit_id: sha,
      submitted_at: record.timeOrNull('submitted_at') ?? createdAt,
      created_at: createdAt,
    })
  }
}

type Place = {
  readonly line: number
  readonly startLine: number | null
  readonly side: string
  readonly startSide: string | null
  readonly resolvedAt: string | null
  readonly resolver: string | null
}

const sideOf = (record: RawRecord, name: string): 'LEFT' | 'RIGHT' | null =>
  record.word(name) === 'left' ? 'LEFT' : record.word(name) === 'right' ? 'RIGHT' : null

/** Newer archives tell the lines in records of threads, older ones only in the difference. */
function readThreads(context: Context): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const record of context.read('pull_request_review_threads')) {
    const line = record.whole('original_line')
    if (line === null) continue
    places.set(record.demandAddress('url').toLowerCase(), {
      line,
      startLine: record.whole('original_start_line'),
      side: sideOf(record, 'side') ?? 'RIGHT',
      startSide: sideOf(record, 'start_side'),
      resolvedAt: record.timeOrNull('resolved_at'),
      resolver: record.address('resolver'),
    })
  }
  return places
}

export function translateReviewComments(context: Context): void {
  const threads = readThreads(context)
  for (const record of context.read('pull_request_review_comments')) {
    const pull = context.addresses.find('pull_request', record.address('pull_request'))
    const sha = record.sha('original_commit_id') ?? record.sha('commit_id')
    if (pull === null || sha === null) context.leavingOut.add('comments on what is not in the archive')
    else if (record.word('state') === '0') context.leavingOut.add('comments of reviews that were not handed in')
    else context.writer.add(translateReviewComment(context, record, { pull, sha, threads }))
  }
}

type Known = { readonly pull: string; readonly sha: string; readonly threads: ReadonlyMap<string, Place> }

function translateReviewComment(context: Context, record: RawRecord, { pull, sha, threads }: Known): ExportRecord {
  const { people, addresses, uploads } = context
  const hunk = record.text('diff_hunk', lengths.text)
  const place = threads.get(record.address('pull_request_review_thread')?.toLowerCase() ?? '') ?? findLine(hunk)
  const url = `${pull}#discussion_r${record.numberOf('url')}`
  const replyTo = addresses.find('pull_request_review_comment', record.address('in_reply_to'))
  const isOwn = replyTo?.startsWith(`${pull}#`) === true
  addresses.add('pull_request_review_comment', record.demandAddress('url'), url)
  return {
    type: 'pull_request_review_comment',
    url,
    pull_request: pull,
    pull_request_review: findReview(context, record, pull, sha),
    user: people.person(record.address('user')),
    body: uploads.rewrite(record.text('body', lengths.text)),
    path: record.text('path', 4_096) || 'unknown',
    subject_type: record.word('subject_type') === 'file' ? 'file' : 'line',
    diff_hunk: hunk,
    side: place.side,
    start_side: place.startLine === null ? null : place.startSide,
    original_commit_id: sha,
    original_position: record.whole('original_position') ?? record.whole('position') ?? 1,
    original_line: place.line,
    original_start_line: place.startLine,
    in_reply_to: isOwn ? replyTo : null,
    resolved_at: isOwn ? null : place.resolvedAt,
    resolved_by: isOwn || place.resolvedAt === null ? null : people.person(place.resolver),
    reactions: translateReactions(context, record),
    created_at: record.time('created_at'),
    updated_at: record.timeOrNull('updated_at'),
  }
}

/** In older archives a single comment has no review: it gets one of its own. */
function findReview({ addresses, people, writer }: Context, record: RawRecord, pull: string, sha: string): string {
  const found = addresses.find('pull_request_review', record.address('pull_request_review'))
  if (found?.startsWith(`${pull}#`)) return found
  const url = `${pull}#pullrequestreview-${record.numberOf('url')}`
  const createdAt = record.time('created_at')
  writer.add({
    type: 'pull_request_review',
    url,
    pull_request: pull,
    user: people.person(record.address('user')),
    body: '',
    state: 'COMMENTED',
    commit_id: sha,
    submitted_at: createdAt,
    created_at: createdAt,
  })
  return url
}
