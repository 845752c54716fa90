/** The part of the schema about issues, comments, labels, milestones and reactions. */
import { connectionOf, pageArgs } from './connections.ts'

/** Fields that issues and pulls share. */
export const issueFields = `
  activeLockReason: LockReason
  assignees(${pageArgs}): UserConnection!
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  closed: Boolean!
  closedAt: DateTime
  comments(${pageArgs}): IssueCommentConnection!
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  labels(${pageArgs}): LabelConnection
  locked: Boolean!
  milestone: Milestone
  number: Int!
  projectCards(${pageArgs}): ProjectCardConnection!
  projectItems(${pageArgs}, includeArchived: Boolean = true): ProjectV2ItemConnection!
  reactionGroups: [ReactionGroup!]
  repository: Repository!
  resourcePath: URI!
  title: String!
  updatedAt: DateTime!
  url: URI!
  viewerDidAuthor: Boolean!`

export const issues = `
enum IssueState { CLOSED OPEN }
enum IssueStateReason { COMPLETED DUPLICATE NOT_PLANNED REOPENED }
enum IssueClosedStateReason { COMPLETED DUPLICATE NOT_PLANNED }
enum MilestoneState { CLOSED OPEN }
enum LockReason { OFF_TOPIC RESOLVED SPAM TOO_HEATED }
enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }
enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }
enum CommentAuthorAssociation { COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER }
enum LabelOrderField { CREATED_AT NAME }
enum MilestoneOrderField { CREATED_AT DUE_DATE NUMBER UPDATED_AT }
input MilestoneOrder { direction: OrderDirection! field: MilestoneOrderField! }
input LabelOrder { direction: OrderDirection! field: LabelOrderField! }
input IssueOrder { direction: OrderDirection! field: IssueOrderField! }
input IssueFilters {
  assignee: String
  createdBy: String
  labels: [String!]
  mentioned: String
  milestoneNumber: String
  since: DateTime
  states: [IssueState!]
}

interface Comment {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  createdAt: DateTime!
  id: ID!
  updatedAt: DateTime!
  viewerDidAuthor: Boolean!
}

interface Assignable { assignees(${pageArgs}): UserConnection! }
interface Closable { closed: Boolean! closedAt: DateTime }
interface Labelable { labels(${pageArgs}): LabelConnection }
interface Lockable { activeLockReason: LockReason locked: Boolean! }
interface Reactable { databaseId: Int id: ID! reactionGroups: [ReactionGroup!] }

type Issue implements Assignable & Closable & Comment & Labelable & Lockable & Node & Reactable & UniformResourceLocatable {${issueFields}
  closedByPullRequestsReferences(${pageArgs}, includeClosedPrs: Boolean = false, orderByState: Boolean = false, userLinkedOnly: Boolean = false): PullRequestConnection
  isPinned: Boolean
  linkedBranches(${pageArgs}): LinkedBranchConnection!
  state: IssueState!
  stateReason: IssueStateReason
}

"""A branch that was made for an issue."""
type LinkedBranch implements Node { id: ID! ref: Ref }

type PinnedIssue { databaseId: Int id: ID! issue: Issue! repository: Repository! }

type IssueComment implements Comment & Node & Reactable {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  issue: Issue!
  minimizedReason: String
  pullRequest: PullRequest
  reactionGroups: [ReactionGroup!]
  repository: Repository!
  resourcePath: URI!
  updatedAt: DateTime!
  url: URI!
  viewerDidAuthor: Boolean!
}

type Label implements Node {
  color: String!
  createdAt: DateTime
  description: String
  id: ID!
  isDefault: Boolean!
  name: String!
  repository: Repository!
  resourcePath: URI!
  updatedAt: DateTime
  url: URI!
}

type Milestone implements Node & UniformResourceLocatable {
  closed: Boolean!
  closedAt: DateTime
  createdAt: DateTime!
  creator: Actor
  description: String
  dueOn: DateTime
  id: ID!
  number: Int!
  progressPercentage: Float!
  repository: Repository!
  resourcePath: URI!
  state: MilestoneState!
  title: String!
  updatedAt: DateTime!
  url: URI!
}

type Reaction implements Node {
  content: ReactionContent!
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  reactable: Reactable!
  user: User
}
type ReactionGroup { content: ReactionContent! users(${pageArgs}): ReactingUserConnection! }
"""Who has reacted is told over REST; here it is how many."""
type ReactingUserConnection { totalCount: Int! }

"""There are no projects here: these lists are empty. Clients ask for them beside issues."""
type ProjectCard implements Node { column: ProjectColumn id: ID! project: Project! }
type ProjectColumn implements Node { id: ID! name: String! }
type Project implements Node { body: String id: ID! name: String! number: Int! resourcePath: URI! url: URI! }
enum ProjectState { CLOSED OPEN }
enum ProjectOrderField { CREATED_AT NAME UPDATED_AT }
input ProjectOrder { direction: OrderDirection! field: ProjectOrderField! }

type ProjectV2 implements Node { closed: Boolean! id: ID! number: Int! resourcePath: URI! title: String! url: URI! }
type ProjectV2Item implements Node { fieldValueByName(name: String!): ProjectV2ItemFieldValue id: ID! project: ProjectV2! }
type ProjectV2ItemFieldSingleSelectValue implements Node { id: ID! name: String optionId: String }
union ProjectV2ItemFieldValue = ProjectV2ItemFieldSingleSelectValue
enum ProjectV2OrderField { CREATED_AT NUMBER TITLE UPDATED_AT }
input ProjectV2Order { direction: OrderDirection! field: ProjectV2OrderField! }

union IssueOrPullRequest = Issue | PullRequest
${connectionOf('Issue')}
${connectionOf('IssueComment')}
${connectionOf('Label')}
${connectionOf('LinkedBranch')}
${connectionOf('Milestone')}
${connectionOf('PinnedIssue')}
${connectionOf('Project')}
${connectionOf('ProjectCard')}
${connectionOf('ProjectV2')}
${connectionOf('ProjectV2Item')}
`
