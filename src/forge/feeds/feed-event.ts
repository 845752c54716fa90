/** Events of feeds as the modules see them: actor, action, repository, and the current state of the subject. */
import type { OpenRepository } from '../access/repository.ts'
import type { CommitComment } from '../commits/comments.ts'
import type { Comment } from '../issues/comments/comment.ts'
import type { Issue } from '../issues/issue.ts'
import type { Person } from '../person.ts'
import type { Review, ReviewComment } from '../pulls/reviews/review.ts'
import type { Release } from '../releases/release.ts'

export type RefFacts = {
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly pushId: number
}

export type PullBrief = {
  readonly issue: Issue
  readonly base: PullBriefEnd
  readonly head: PullBriefEnd
}
/** `repository`: null where it is gone, or may not be seen. */
export type PullBriefEnd = { readonly ref: string; readonly sha: string; readonly repository: OpenRepository | null }

/** What each type tells, in our words. */
export type FeedPayloads = {
  readonly PushEvent: RefFacts
  readonly CreateEvent: RefFacts | null
  readonly DeleteEvent: RefFacts
  readonly ForkEvent: OpenRepository
  readonly WatchEvent: null
  readonly PublicEvent: null
  readonly MemberEvent: Person
  readonly IssuesEvent: Issue
  readonly IssueCommentEvent: { readonly issue: Issue; readonly comment: Comment }
  readonly PullRequestEvent: PullBrief
  readonly PullRequestReviewEvent: { readonly pull: PullBrief; readonly review: Review }
  readonly PullRequestReviewCommentEvent: { readonly pull: PullBrief; readonly comment: ReviewComment }
  readonly ReleaseEvent: Release
  readonly CommitCommentEvent: CommitComment
}
export type FeedType = keyof FeedPayloads

export type FeedEvent = {
  readonly [T in FeedType]: {
    readonly id: number
    readonly type: T
    readonly action: string | null
    readonly actor: Person
    readonly repository: OpenRepository
    /** Whether it was public when it happened. */
    readonly isPublic: boolean
    readonly createdAt: Date
    readonly payload: FeedPayloads[T]
  }
}[FeedType]

/** What a token must have been given to read events of a type of what is private. */
export const permissionOf: Readonly<Record<FeedType, string>> = {
  PushEvent: 'contents',
  CreateEvent: 'contents',
  DeleteEvent: 'contents',
  ForkEvent: 'metadata',
  WatchEvent: 'metadata',
  PublicEvent: 'metadata',
  MemberEvent: 'metadata',
  IssuesEvent: 'issues',
  IssueCommentEvent: 'issues',
  PullRequestEvent: 'pull_requests',
  PullRequestReviewEvent: 'pull_requests',
  PullRequestReviewCommentEvent: 'pull_requests',
  ReleaseEvent: 'contents',
  CommitCommentEvent: 'contents',
}
