/** The part of the schema about repositories: what they are, their branches, topics and releases. */
import { connectionOf, pageArgs } from './connections.ts'

export const repositories = `
enum RepositoryPermission { ADMIN MAINTAIN READ TRIAGE WRITE }
enum RepositoryAffiliation { COLLABORATOR ORGANIZATION_MEMBER OWNER }
enum RepositoryPrivacy { PRIVATE PUBLIC }
enum RepositoryVisibility { INTERNAL PRIVATE PUBLIC }
enum RepositoryLockReason { BILLING MIGRATING MOVING RENAME TRADE_RESTRICTION TRANSFERRING_OWNERSHIP }
enum RepositoryOrderField { CREATED_AT NAME PUSHED_AT STARGAZERS UPDATED_AT }
enum SubscriptionState { IGNORED SUBSCRIBED UNSUBSCRIBED }
input RepositoryOrder { direction: OrderDirection! field: RepositoryOrderField! }

type Repository implements Node & UniformResourceLocatable {
  assignableUsers(${pageArgs}): UserConnection!
  autoMergeAllowed: Boolean!
  createdAt: DateTime!
  databaseId: Int
  defaultBranchRef: Ref
  deleteBranchOnMerge: Boolean!
  description: String
  diskUsage: Int
  forkCount: Int!
  forks(${pageArgs}, orderBy: RepositoryOrder): RepositoryConnection!
  hasDiscussionsEnabled: Boolean!
  hasIssuesEnabled: Boolean!
  hasProjectsEnabled: Boolean!
  hasWikiEnabled: Boolean!
  homepageUrl: URI
  id: ID!
  isArchived: Boolean!
  isDisabled: Boolean!
  isEmpty: Boolean!
  isFork: Boolean!
  isInOrganization: Boolean!
  isLocked: Boolean!
  isMirror: Boolean!
  isPrivate: Boolean!
  isTemplate: Boolean!
  issue(number: Int!): Issue
  issueOrPullRequest(number: Int!): IssueOrPullRequest
  issues(${pageArgs}, filterBy: IssueFilters, labels: [String!], orderBy: IssueOrder, states: [IssueState!]): IssueConnection!
  label(name: String!): Label
  labels(${pageArgs}, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}, query: String): LabelConnection
  latestRelease: Release
  lockReason: RepositoryLockReason
  mergeCommitAllowed: Boolean!
  milestone(number: Int!): Milestone
  milestones(${pageArgs}, states: [MilestoneState!]): MilestoneConnection
  mirrorUrl: URI
  name: String!
  nameWithOwner: String!
  owner: RepositoryOwner!
  parent: Repository
  primaryLanguage: Language
  pullRequest(number: Int!): PullRequest
  pullRequests(${pageArgs}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder, states: [PullRequestState!]): PullRequestConnection!
  pushedAt: DateTime
  rebaseMergeAllowed: Boolean!
  ref(qualifiedName: String!): Ref
  release(tagName: String!): Release
  releases(${pageArgs}, orderBy: ReleaseOrder): ReleaseConnection!
  repositoryTopics(${pageArgs}): RepositoryTopicConnection!
  resourcePath: URI!
  squashMergeAllowed: Boolean!
  sshUrl: GitSSHRemote!
  stargazerCount: Int!
  updatedAt: DateTime!
  url: URI!
  viewerCanAdminister: Boolean!
  viewerHasStarred: Boolean!
  viewerPermission: RepositoryPermission
  viewerSubscription: SubscriptionState
  visibility: RepositoryVisibility!
  watchers(${pageArgs}): UserConnection!
}

type Language implements Node { id: ID! name: String! }
type Topic implements Node { id: ID! name: String! }
type RepositoryTopic implements Node { id: ID! topic: Topic! }

enum ReleaseOrderField { CREATED_AT }
input ReleaseOrder { direction: OrderDirection! field: ReleaseOrderField! }

type Release implements Node & UniformResourceLocatable {
  author: User
  createdAt: DateTime!
  databaseId: Int
  description: String
  id: ID!
  isDraft: Boolean!
  isLatest: Boolean!
  isPrerelease: Boolean!
  name: String
  publishedAt: DateTime
  resourcePath: URI!
  tagName: String!
  url: URI!
}

interface GitObject { abbreviatedOid: String! id: ID! oid: GitObjectID! repository: Repository! }

type Ref implements Node {
  branchProtectionRule: BranchProtectionRule
  id: ID!
  name: String!
  prefix: String!
  repository: Repository!
  target: GitObject
}

type BranchProtectionRule implements Node {
  id: ID!
  requiredApprovingReviewCount: Int
  requiresStrictStatusChecks: Boolean!
}

type GitActor { date: GitTimestamp email: String name: String user: User }

type Commit implements GitObject & Node & UniformResourceLocatable {
  abbreviatedOid: String!
  author: GitActor
  authoredDate: DateTime!
  authors(${pageArgs}): GitActorConnection!
  committedDate: DateTime!
  committer: GitActor
  id: ID!
  message: String!
  messageBody: String!
  messageHeadline: String!
  oid: GitObjectID!
  repository: Repository!
  resourcePath: URI!
  statusCheckRollup: StatusCheckRollup
  url: URI!
}

enum StatusState { ERROR EXPECTED FAILURE PENDING SUCCESS }
enum CheckConclusionState { ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT }
enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }

type StatusCheckRollup implements Node {
  commit: Commit
  contexts(${pageArgs}): StatusCheckRollupContextConnection!
  id: ID!
  state: StatusState!
}

type StatusContext implements Node {
  commit: Commit
  context: String!
  createdAt: DateTime!
  creator: Actor
  description: String
  id: ID!
  isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!
  state: StatusState!
  targetUrl: URI
}

"""Check runs are not served here: there are none. Clients ask for them beside statuses."""
type CheckRun implements Node {
  checkSuite: CheckSuite!
  completedAt: DateTime
  conclusion: CheckConclusionState
  detailsUrl: URI
  id: ID!
  isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!
  name: String!
  startedAt: DateTime
  status: CheckStatusState!
}
type CheckSuite implements Node { id: ID! workflowRun: WorkflowRun }
type WorkflowRun implements Node { id: ID! workflow: Workflow! }
type Workflow implements Node { id: ID! name: String! }
union StatusCheckRollupContext = CheckRun | StatusContext
${connectionOf('StatusCheckRollupContext')}
${connectionOf('GitActor')}
${connectionOf('Release')}
${connectionOf('Repository')}
${connectionOf('RepositoryTopic')}
`
