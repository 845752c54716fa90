/** The part of the schema about repositories, their topics, templates and releases. */
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

interface Starrable { id: ID! stargazerCount: Int! viewerHasStarred: Boolean! }
interface Subscribable { id: ID! viewerSubscription: SubscriptionState }

input CommittableBranch { branchName: String id: ID repositoryNameWithOwner: String }
input CommitMessage { body: String headline: String! }
input FileAddition { contents: Base64String! path: String! }
input FileDeletion { path: String! }
input FileChanges { additions: [FileAddition!] = [] deletions: [FileDeletion!] = [] }

type Repository implements Node & Starrable & Subscribable & UniformResourceLocatable {
  assignableUsers(${pageArgs}, query: String): UserConnection!
  archivedAt: DateTime
  autoMergeAllowed: Boolean!
  codeOfConduct: CodeOfConduct
  contactLinks: [RepositoryContactLink!]
  createdAt: DateTime!
  databaseId: Int
  defaultBranchRef: Ref
  deleteBranchOnMerge: Boolean!
  description: String
  diskUsage: Int
  forkCount: Int!
  forks(${pageArgs}, orderBy: RepositoryOrder): RepositoryConnection!
  fundingLinks: [FundingLink!]!
  hasDiscussionsEnabled: Boolean!
  hasIssuesEnabled: Boolean!
  hasProjectsEnabled: Boolean!
  hasVulnerabilityAlertsEnabled: Boolean!
  hasWikiEnabled: Boolean!
  homepageUrl: URI
  id: ID!
  isArchived: Boolean!
  isBlankIssuesEnabled: Boolean!
  isDisabled: Boolean!
  isEmpty: Boolean!
  isFork: Boolean!
  isInOrganization: Boolean!
  isLocked: Boolean!
  isMirror: Boolean!
  isPrivate: Boolean!
  isSecurityPolicyEnabled: Boolean
  isTemplate: Boolean!
  isUserConfigurationRepository: Boolean!
  issue(number: Int!): Issue
  issueOrPullRequest(number: Int!): IssueOrPullRequest
  issues(${pageArgs}, filterBy: IssueFilters, labels: [String!], orderBy: IssueOrder, states: [IssueState!]): IssueConnection!
  issueTemplates: [IssueTemplate!]
  label(name: String!): Label
  labels(${pageArgs}, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}, query: String): LabelConnection
  languages(${pageArgs}, orderBy: LanguageOrder): LanguageConnection
  latestRelease: Release
  licenseInfo: License
  lockReason: RepositoryLockReason
  mentionableUsers(${pageArgs}, query: String): UserConnection!
  mergeCommitAllowed: Boolean!
  mergeQueue(branch: String): MergeQueue
  milestone(number: Int!): Milestone
  milestones(${pageArgs}, orderBy: MilestoneOrder, query: String, states: [MilestoneState!]): MilestoneConnection
  mirrorUrl: URI
  name: String!
  nameWithOwner: String!
  openGraphImageUrl: URI!
  object(expression: String, oid: GitObjectID): GitObject
  owner: RepositoryOwner!
  parent: Repository
  pinnedIssues(${pageArgs}): PinnedIssueConnection
  primaryLanguage: Language
  projects(${pageArgs}, orderBy: ProjectOrder, search: String, states: [ProjectState!]): ProjectConnection!
  projectsV2(${pageArgs}, orderBy: ProjectV2Order = {field: NUMBER, direction: DESC}, query: String): ProjectV2Connection!
  pullRequest(number: Int!): PullRequest
  pullRequestTemplates: [PullRequestTemplate!]
  pullRequests(${pageArgs}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder, states: [PullRequestState!]): PullRequestConnection!
  pushedAt: DateTime
  rebaseMergeAllowed: Boolean!
  ref(qualifiedName: String!): Ref
  refs(${pageArgs}, direction: OrderDirection, orderBy: RefOrder, query: String, refPrefix: String!): RefConnection
  release(tagName: String!): Release
  releases(${pageArgs}, orderBy: ReleaseOrder): ReleaseConnection!
  repositoryTopics(${pageArgs}): RepositoryTopicConnection!
  resourcePath: URI!
  securityPolicyUrl: URI
  squashMergeAllowed: Boolean!
  sshUrl: GitSSHRemote!
  stargazerCount: Int!
  templateRepository: Repository
  updatedAt: DateTime!
  url: URI!
  usesCustomOpenGraphImage: Boolean!
  viewerCanAdminister: Boolean!
  viewerDefaultCommitEmail: String
  viewerDefaultMergeMethod: PullRequestMergeMethod!
  viewerHasStarred: Boolean!
  viewerPermission: RepositoryPermission
  viewerPossibleCommitEmails: [String!]
  viewerSubscription: SubscriptionState
  visibility: RepositoryVisibility!
  watchers(${pageArgs}): UserConnection!
}

type Language implements Node { id: ID! name: String! }
type LanguageConnection { edges: [LanguageEdge] nodes: [Language] pageInfo: PageInfo! totalCount: Int! totalSize: Int! }
type LanguageEdge { cursor: String! node: Language! size: Int! }
enum LanguageOrderField { SIZE }
input LanguageOrder { direction: OrderDirection! field: LanguageOrderField! }
"""Files that a new issue or pull begins with."""
type IssueTemplate { about: String body: String filename: String! name: String! title: String }
type PullRequestTemplate { body: String filename: String repository: Repository! }
"""Not found out here: null, or none."""
type MergeQueue implements Node { id: ID! repository: Repository url: URI! }
type License implements Node { id: ID! key: String! name: String! nickname: String spdxId: String url: URI }
type CodeOfConduct implements Node { id: ID! key: String! name: String! url: URI }
type RepositoryContactLink { about: String! name: String! url: URI! }
type FundingLink { platform: FundingPlatform! url: URI! }
enum FundingPlatform { CUSTOM }
type Topic implements Node { id: ID! name: String! }
type RepositoryTopic implements Node { id: ID! topic: Topic! }

enum ReleaseOrderField { CREATED_AT }
input ReleaseOrder { direction: OrderDirection! field: ReleaseOrderField! }

type Release implements Node & Reactable & UniformResourceLocatable {
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
  reactionGroups: [ReactionGroup!]
  resourcePath: URI!
  tag: Ref
  tagCommit: Commit
  tagName: String!
  url: URI!
}

${connectionOf('Release')}
${connectionOf('Repository')}
${connectionOf('RepositoryTopic')}
`
