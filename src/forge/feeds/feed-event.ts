/** Feed events for other modules: actor, action, repository, and the current state of the subject. */
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
/** `repository`: null if it is gone or may not be seen. */
export type PullBriefEnd = { readonly ref: string; readonly sha: string; readonly repository: OpenRepository | null }

/** The payload of each type, in our own words. */
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
    /** Whether the repository was public when it happened. */
    readonly isPublic: boolean
    readonly createdAt: Date
    readonly payload: FeedPayloads[T]
  }
}[FeedType]

/** The permission that a token needs to read events of each type in private repositories. */
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
