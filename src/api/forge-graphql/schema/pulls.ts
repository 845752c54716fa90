/** The part of the schema about pulls: their ends, reviews, commits and files. */
import { connectionOf, pageArgs } from './connections.ts'
import { issueFields } from './issues.ts'

export const pulls = `
enum PullRequestState { CLOSED MERGED OPEN }
enum MergeableState { CONFLICTING MERGEABLE UNKNOWN }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT HAS_HOOKS UNKNOWN UNSTABLE }
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
enum PullRequestReviewDecision { APPROVED CHANGES_REQUESTED REVIEW_REQUIRED }
enum PullRequestReviewCommentState { PENDING SUBMITTED }
enum PullRequestReviewEvent { APPROVE COMMENT DISMISS REQUEST_CHANGES }
enum PullRequestReviewThreadSubjectType { FILE LINE }
enum PullRequestUpdateState { CLOSED OPEN }
enum PullRequestMergeMethod { MERGE REBASE SQUASH }
enum PullRequestBranchUpdateMethod { MERGE REBASE }
enum DiffSide { LEFT RIGHT }
input DraftPullRequestReviewComment { body: String! path: String! position: Int! }
input DraftPullRequestReviewThread {
  body: String!
  line: Int!
  path: String!
  side: DiffSide = RIGHT
  startLine: Int
  startSide: DiffSide = RIGHT
}
enum PatchStatus { ADDED CHANGED COPIED DELETED MODIFIED RENAMED }

type PullRequest implements Assignable & Closable & Comment & Labelable & Lockable & Node & Reactable & UniformResourceLocatable {${issueFields}
  additions: Int!
  autoMergeRequest: AutoMergeRequest
  baseRef: Ref
  baseRefName: String!
  baseRefOid: GitObjectID!
  baseRepository: Repository
  changedFiles: Int!
  closingIssuesReferences(${pageArgs}, orderBy: IssueOrder, userLinkedOnly: Boolean = false): IssueConnection
  commits(${pageArgs}): PullRequestCommitConnection!
  deletions: Int!
  files(${pageArgs}): PullRequestChangedFileConnection
  headRef: Ref
  headRefName: String!
  headRefOid: GitObjectID!
  headRepository: Repository
  headRepositoryOwner: RepositoryOwner
  isCrossRepository: Boolean!
  isDraft: Boolean!
  isInMergeQueue: Boolean!
  isMergeQueueEnabled: Boolean!
  latestReviews(${pageArgs}): PullRequestReviewConnection
  maintainerCanModify: Boolean!
  mergeCommit: Commit
  mergeStateStatus: MergeStateStatus!
  mergeable: MergeableState!
  merged: Boolean!
  mergedAt: DateTime
  mergedBy: Actor
  permalink: URI!
  potentialMergeCommit: Commit
  reviewDecision: PullRequestReviewDecision
  reviewRequests(${pageArgs}): ReviewRequestConnection
  reviewThreads(${pageArgs}): PullRequestReviewThreadConnection!
  reviews(${pageArgs}, author: String, states: [PullRequestReviewState!]): PullRequestReviewConnection
  state: PullRequestState!
  statusCheckRollup: StatusCheckRollup
  viewerCanDisableAutoMerge: Boolean!
  viewerCanEnableAutoMerge: Boolean!
}

type AutoMergeRequest {
  authorEmail: String
  commitBody: String
  commitHeadline: String
  enabledAt: DateTime
  enabledBy: Actor
  mergeMethod: PullRequestMergeMethod!
  pullRequest: PullRequest!
}

type PullRequestReview implements Comment & Node & Reactable {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  comments(${pageArgs}): PullRequestReviewCommentConnection!
  commit: Commit
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  pullRequest: PullRequest!
  reactionGroups: [ReactionGroup!]
  repository: Repository!
  resourcePath: URI!
  state: PullRequestReviewState!
  submittedAt: DateTime
  updatedAt: DateTime!
  url: URI!
  viewerDidAuthor: Boolean!
}

type PullRequestReviewComment implements Comment & Node & Reactable {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  commit: Commit
  createdAt: DateTime!
  databaseId: Int
  diffHunk: String!
  id: ID!
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  line: Int
  minimizedReason: String
  originalCommit: Commit
  originalLine: Int
  originalPosition: Int!
  originalStartLine: Int
  outdated: Boolean!
  path: String!
  position: Int
  pullRequest: PullRequest!
  pullRequestReview: PullRequestReview
  reactionGroups: [ReactionGroup!]
  replyTo: PullRequestReviewComment
  repository: Repository!
  resourcePath: URI!
  startLine: Int
  state: PullRequestReviewCommentState!
  subjectType: PullRequestReviewThreadSubjectType!
  updatedAt: DateTime!
  url: URI!
  viewerDidAuthor: Boolean!
}

type PullRequestReviewThread implements Node {
  comments(${pageArgs}): PullRequestReviewCommentConnection!
  diffSide: DiffSide!
  id: ID!
  isCollapsed: Boolean!
  isOutdated: Boolean!
  isResolved: Boolean!
  line: Int
  originalLine: Int
  originalStartLine: Int
  path: String!
  pullRequest: PullRequest!
  repository: Repository!
  resolvedBy: User
  startDiffSide: DiffSide
  startLine: Int
  subjectType: PullRequestReviewThreadSubjectType!
}

type PullRequestCommit implements Node { commit: Commit! id: ID! pullRequest: PullRequest! }
type PullRequestChangedFile { additions: Int! changeType: PatchStatus! deletions: Int! path: String! }
type ReviewRequest implements Node { id: ID! pullRequest: PullRequest! requestedReviewer: RequestedReviewer }
union RequestedReviewer = Bot | Team | User
${connectionOf('PullRequest')}
${connectionOf('PullRequestReview')}
${connectionOf('PullRequestReviewComment')}
${connectionOf('PullRequestReviewThread')}
${connectionOf('PullRequestCommit')}
${connectionOf('PullRequestChangedFile')}
${connectionOf('ReviewRequest')}
`
