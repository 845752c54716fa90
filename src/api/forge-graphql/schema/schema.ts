/** The schema: a subset of the public platform's, with the same names, so that its published clients work. */
import { buildSchema, type GraphQLSchema } from 'graphql'
import { mutationTypes } from '../mutations/mutations.ts'
import { pageArgs, paging } from './connections.ts'
import { gitObjects } from './git-objects.ts'
import { issues } from './issues.ts'
import { people } from './people.ts'
import { pulls } from './pulls.ts'
import { repositories } from './repositories.ts'

export const schemaText = `
scalar Base64String
scalar DateTime
scalar URI
scalar GitObjectID
scalar GitSSHRemote
scalar GitTimestamp

"""Whatever has a global id, which REST tells as node_id."""
interface Node { id: ID! }
interface UniformResourceLocatable { resourcePath: URI! url: URI! }

type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  organization(login: String!): Organization
  rateLimit: RateLimit
  repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  repositoryOwner(login: String!): RepositoryOwner
  search(${pageArgs}, query: String!, type: SearchType!): SearchResultItemConnection!
  user(login: String!): User
  viewer: User!
}

type RateLimit { cost: Int! limit: Int! nodeCount: Int! remaining: Int! resetAt: DateTime! used: Int! }

enum SearchType { ISSUE REPOSITORY USER }
union SearchResultItem = Issue | Organization | PullRequest | Repository | User
type SearchResultItemConnection {
  edges: [SearchResultItemEdge]
  issueCount: Int!
  nodes: [SearchResultItem]
  pageInfo: PageInfo!
  repositoryCount: Int!
  userCount: Int!
}
type SearchResultItemEdge { cursor: String! node: SearchResultItem }
${[paging, people, repositories, gitObjects, issues, pulls, mutationTypes()].join('\n')}`

export const makeSchema = (): GraphQLSchema => buildSchema(schemaText)
