/** The part of the schema about issues and what belongs to them: comments, labels, milestones, reactions. */
import { connectionOf, pageArgs } from './connections.ts'

/** What an issue and a pull have alike. */
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
enum MilestoneState { CLOSED OPEN }
enum LockReason { OFF_TOPIC RESOLVED SPAM TOO_HEATED }
enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }
enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }
enum CommentAuthorAssociation { COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER }
enum LabelOrderField { CREATED_AT NAME }
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

type Issue implements Comment & Node & UniformResourceLocatable {${issueFields}
  isPinned: Boolean
  state: IssueState!
  stateReason: IssueStateReason
}

type IssueComment implements Comment & Node {
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
  description: String
  id: ID!
  isDefault: Boolean!
  name: String!
  repository: Repository!
  resourcePath: URI!
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

type ReactionGroup { content: ReactionContent! users(${pageArgs}): ReactingUserConnection! }
"""Who has reacted is told over REST; here it is how many."""
type ReactingUserConnection { totalCount: Int! }

"""There are no projects here: these lists are empty. Clients ask for them beside issues."""
type ProjectCard implements Node { column: ProjectColumn id: ID! project: Project! }
type ProjectColumn implements Node { id: ID! name: String! }
type Project implements Node { id: ID! name: String! }

union IssueOrPullRequest = Issue | PullRequest
${connectionOf('Issue')}
${connectionOf('IssueComment')}
${connectionOf('Label')}
${connectionOf('Milestone')}
${connectionOf('ProjectCard')}
`
