/** The part of the schema about people: users, organisations, bots and teams. */
import { connectionOf, pageArgs } from './connections.ts'

const repositoryArgs = `${pageArgs}, isArchived: Boolean, isFork: Boolean, orderBy: RepositoryOrder, ownerAffiliations: [RepositoryAffiliation] = [OWNER, COLLABORATOR], privacy: RepositoryPrivacy, visibility: RepositoryVisibility`

export const people = `
"""Who does something."""
interface Actor { avatarUrl(size: Int): URI! login: String! resourcePath: URI! url: URI! }

interface RepositoryOwner {
  avatarUrl(size: Int): URI!
  id: ID!
  login: String!
  repositories(${repositoryArgs}): RepositoryConnection!
  repository(followRenames: Boolean = true, name: String!): Repository
  resourcePath: URI!
  url: URI!
}

type User implements Actor & Node & RepositoryOwner & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  bio: String
  company: String
  createdAt: DateTime!
  databaseId: Int
  email: String!
  followers(${pageArgs}): FollowerConnection!
  following(${pageArgs}): FollowingConnection!
  id: ID!
  isSiteAdmin: Boolean!
  isViewer: Boolean!
  location: String
  login: String!
  name: String
  organizations(${pageArgs}): OrganizationConnection!
  projects(${pageArgs}, orderBy: ProjectOrder, search: String, states: [ProjectState!]): ProjectConnection!
  projectsV2(${pageArgs}, orderBy: ProjectV2Order = {field: NUMBER, direction: DESC}, query: String): ProjectV2Connection!
  repositories(${repositoryArgs}): RepositoryConnection!
  repository(followRenames: Boolean = true, name: String!): Repository
  resourcePath: URI!
  updatedAt: DateTime!
  url: URI!
  websiteUrl: URI
}

type Organization implements Actor & Node & RepositoryOwner & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  createdAt: DateTime!
  databaseId: Int
  description: String
  email: String
  id: ID!
  location: String
  login: String!
  membersWithRole(${pageArgs}): OrganizationMemberConnection!
  name: String
  projects(${pageArgs}, orderBy: ProjectOrder, search: String, states: [ProjectState!]): ProjectConnection!
  projectsV2(${pageArgs}, orderBy: ProjectV2Order = {field: NUMBER, direction: DESC}, query: String): ProjectV2Connection!
  repositories(${repositoryArgs}): RepositoryConnection!
  repository(followRenames: Boolean = true, name: String!): Repository
  resourcePath: URI!
  team(slug: String!): Team
  teams(${pageArgs}, orderBy: TeamOrder, query: String, userLogins: [String!]): TeamConnection!
  updatedAt: DateTime!
  url: URI!
  websiteUrl: URI
}

enum TeamOrderField { NAME }
input TeamOrder { direction: OrderDirection! field: TeamOrderField! }

"""The account of an app as an author."""
type Bot implements Actor & Node & UniformResourceLocatable {
  avatarUrl(size: Int): URI!
  databaseId: Int
  id: ID!
  login: String!
  resourcePath: URI!
  url: URI!
}

type Team implements Node {
  combinedSlug: String!
  description: String
  id: ID!
  name: String!
  organization: Organization!
  slug: String!
  url: URI!
}
${connectionOf('User')}
${connectionOf('User', 'Follower', 'UserEdge')}
${connectionOf('User', 'Following', 'UserEdge')}
${connectionOf('User', 'OrganizationMember')}
${connectionOf('Organization')}
${connectionOf('Team')}
`
