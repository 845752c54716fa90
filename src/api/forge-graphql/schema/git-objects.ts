/** The part of the schema about git: commits, folders, files, refs, signatures, and what statuses and checks say. */
import { connectionOf, pageArgs } from './connections.ts'

const gitSignature = `
  email: String!
  isValid: Boolean!
  payload: String!
  signature: String!
  signer: User
  state: GitSignatureState!
  verifiedAt: DateTime
  wasSignedByGitHub: Boolean!`

export const gitObjects = `
interface GitObject {
  abbreviatedOid: String!
  commitResourcePath: URI!
  commitUrl: URI!
  id: ID!
  oid: GitObjectID!
  repository: Repository!
}
type Tree implements GitObject & Node {
  abbreviatedOid: String!
  commitResourcePath: URI!
  commitUrl: URI!
  entries: [TreeEntry!]
  id: ID!
  oid: GitObjectID!
  repository: Repository!
}
type TreeEntry {
  mode: Int!
  name: String!
  object: GitObject
  oid: GitObjectID!
  path: String
  repository: Repository!
  size: Int!
  type: String!
}
type Blob implements GitObject & Node {
  abbreviatedOid: String!
  byteSize: Int!
  commitResourcePath: URI!
  commitUrl: URI!
  id: ID!
  isBinary: Boolean
  isTruncated: Boolean!
  oid: GitObjectID!
  repository: Repository!
  text: String
}
type Tag implements GitObject & Node {
  abbreviatedOid: String!
  commitResourcePath: URI!
  commitUrl: URI!
  id: ID!
  message: String
  name: String!
  oid: GitObjectID!
  repository: Repository!
  tagger: GitActor
  target: GitObject!
}

enum RefOrderField { ALPHABETICAL TAG_COMMIT_DATE }
input RefOrder { direction: OrderDirection! field: RefOrderField! }
input CommitAuthor { emails: [String!] id: ID }
enum PullRequestOrderField { CREATED_AT UPDATED_AT }
input PullRequestOrder { direction: OrderDirection! field: PullRequestOrderField! }

type Ref implements Node {
  associatedPullRequests(${pageArgs}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder, states: [PullRequestState!]): PullRequestConnection!
  branchProtectionRule: BranchProtectionRule
  id: ID!
  name: String!
  prefix: String!
  refUpdateRule: RefUpdateRule
  repository: Repository!
  target: GitObject
}

type BranchProtectionRule implements Node {
  id: ID!
  requiredApprovingReviewCount: Int
  requiresStrictStatusChecks: Boolean!
}

type RefUpdateRule {
  allowsDeletions: Boolean!
  allowsForcePushes: Boolean!
  blocksCreations: Boolean!
  pattern: String!
  requiredApprovingReviewCount: Int
  requiredStatusCheckContexts: [String]
  requiresCodeOwnerReviews: Boolean!
  requiresConversationResolution: Boolean!
  requiresLinearHistory: Boolean!
  viewerCanPush: Boolean!
}

type GitActor { date: GitTimestamp email: String name: String user: User }

type Commit implements GitObject & Node & UniformResourceLocatable {
  abbreviatedOid: String!
  associatedPullRequests(${pageArgs}, orderBy: PullRequestOrder = {field: CREATED_AT, direction: ASC}): PullRequestConnection
  author: GitActor
  authoredDate: DateTime!
  authors(${pageArgs}): GitActorConnection!
  blame(path: String!): Blame!
  commitResourcePath: URI!
  commitUrl: URI!
  committedDate: DateTime!
  committer: GitActor
  history(${pageArgs}, author: CommitAuthor, path: String, since: GitTimestamp, until: GitTimestamp): CommitHistoryConnection!
  id: ID!
  message: String!
  messageBody: String!
  messageHeadline: String!
  oid: GitObjectID!
  parents(${pageArgs}): CommitConnection!
  repository: Repository!
  resourcePath: URI!
  signature: GitSignature
  statusCheckRollup: StatusCheckRollup
  tree: Tree!
  url: URI!
}

interface GitSignature {
${gitSignature}
}
type GpgSignature implements GitSignature {
${gitSignature}
  keyId: String
}
type SshSignature implements GitSignature {
${gitSignature}
  keyFingerprint: String
}
type UnknownSignature implements GitSignature {
${gitSignature}
}
enum GitSignatureState {
  BAD_CERT BAD_EMAIL EXPIRED_KEY GPGVERIFY_ERROR GPGVERIFY_UNAVAILABLE INVALID MALFORMED_SIG NOT_SIGNING_KEY NO_USER
  OCSP_ERROR OCSP_PENDING OCSP_REVOKED UNKNOWN_KEY UNKNOWN_SIG_TYPE UNSIGNED UNVERIFIED_EMAIL VALID
}

type Blame { ranges: [BlameRange!]! }
"""Lines of a file that are from one commit."""
type BlameRange { age: Int! commit: Commit! endingLine: Int! startingLine: Int! }

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

"""What an app says of a commit."""
type CheckRun implements Node {
  checkSuite: CheckSuite!
  completedAt: DateTime
  conclusion: CheckConclusionState
  databaseId: Int
  detailsUrl: URI
  externalId: String
  id: ID!
  isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!
  name: String!
  permalink: URI!
  startedAt: DateTime
  status: CheckStatusState!
  summary: String
  text: String
  title: String
}
type CheckSuite implements Node { id: ID! workflowRun: WorkflowRun }
type WorkflowRun implements Node { id: ID! workflow: Workflow! }
type Workflow implements Node { id: ID! name: String! }
union StatusCheckRollupContext = CheckRun | StatusContext
${connectionOf('StatusCheckRollupContext')}
${connectionOf('Commit')}
${connectionOf('Commit', 'CommitHistory', 'CommitEdge')}
${connectionOf('GitActor')}
${connectionOf('Ref')}
`
