/** The graph of one query: a factory for every kind of node. Nodes refer to each other through this type alone. */
import type { OpenRepository } from '../../forge/access/repository.ts'
import type { CheckRun } from '../../forge/checks/check.ts'
import type { CommitStatus } from '../../forge/commits/statuses.ts'
import type { Commit } from '../../forge/git/read/commit.ts'
import type { Comment } from '../../forge/issues/comments/comment.ts'
import type { Issue, Label, Milestone } from '../../forge/issues/issue.ts'
import type { TeamWithParent } from '../../forge/people/team.ts'
import type { Person } from '../../forge/person.ts'
import type { Pull } from '../../forge/pulls/pull.ts'
import type { Review, ReviewComment } from '../../forge/pulls/reviews/review.ts'
import type { ReviewThread } from '../../forge/pulls/reviews/review-threads.ts'
import type { Release } from '../../forge/releases/release.ts'
import { type GraphContext, orUnresolved } from './context.ts'

/** A node: the schema's fields read its members, and call those that are functions with the field's arguments. */
export type GraphNode = { readonly __typename: string; readonly [field: string]: unknown }

export type Nodes = {
  person(person: Person): GraphNode
  team(team: TeamWithParent): GraphNode
  repository(repository: OpenRepository): GraphNode
  issue(issue: Issue, repository: OpenRepository): GraphNode
  pull(pull: Pull): GraphNode
  comment(comment: Comment, issue: Issue, repository: OpenRepository): GraphNode
  review(review: Review, pull: Pull): GraphNode
  reviewComment(comment: ReviewComment, pull: Pull): GraphNode
  reviewThread(thread: ReviewThread, pull: Pull): GraphNode
  label(label: Label, repository: OpenRepository): GraphNode
  milestone(milestone: Milestone, repository: OpenRepository): GraphNode
  release(release: Release, repository: OpenRepository): GraphNode
  ref(repository: OpenRepository, prefix: string, name: string, sha: string): GraphNode
  commit(repository: OpenRepository, commit: Commit): GraphNode
  checkRun(repository: OpenRepository, run: CheckRun): GraphNode
  status(repository: OpenRepository, status: CommitStatus): GraphNode
}

export type Graph = GraphContext & { readonly make: Nodes }

export type RepositoryName = { readonly owner: string; readonly name: string; readonly followRenames?: boolean | null }

export async function findRepository(graph: Graph, { owner, name, followRenames }: RepositoryName): Promise<GraphNode> {
  const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`
  const opened = followRenames === false ? graph.openNamed({ owner, name }) : graph.open({ owner, name })
  return graph.make.repository(await orUnresolved(opened, message))
}
