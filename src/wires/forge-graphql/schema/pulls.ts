/** The part of the schema about pulls: their ends, reviews, commits and files. */
import { connectionOf, pageArgs } from './connections.ts'
import { issueFields } from './issues.ts'

export const pulls = `
enum PullRequestState { CLOSED MERGED OPEN }
enum MergeableState { CONFLICTING MERGEABLE UNKNOWN }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT HAS_HOOKS UNKNOWN UNSTABLE }
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
enum PullRequestReviewDecision { APPROVED CHANGES_REQUESTED REVIEW_REQUIRED }
enum PatchStatus { ADDED CHANGED COPIED DELETED MODIFIED RENAMED }

type PullRequest implements Comment & Node & UniformResourceLocatable {${issueFields}
  additions: Int!
  baseRef: Ref
  baseRefName: String!
  baseRefOid: GitObjectID!
  baseRepository: Repository
  changedFiles: Int!
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
  reviews(${pageArgs}): PullRequestReviewConnection
  state: PullRequestState!
  statusCheckRollup: StatusCheckRollup
}

type PullRequestReview implements Comment & Node {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
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

type PullRequestCommit implements Node { commit: Commit! id: ID! pullRequest: PullRequest! }
type PullRequestChangedFile { additions: Int! changeType: PatchStatus! deletions: Int! path: String! }
type ReviewRequest implements Node { id: ID! pullRequest: PullRequest! requestedReviewer: RequestedReviewer }
union RequestedReviewer = Bot | Team | User
${connectionOf('PullRequest')}
${connectionOf('PullRequestReview')}
${connectionOf('PullRequestCommit')}
${connectionOf('PullRequestChangedFile')}
${connectionOf('ReviewRequest')}
`
