/** Factories for every kind of node, connected with each other for one query. */
import type { GraphContext } from '../context.ts'
import type { Graph } from '../graph.ts'
import { commitNode, refNode } from './commit-nodes.ts'
import { commentNode, issueNode, labelNode, milestoneNode } from './issue-nodes.ts'
import { personNode, teamNode } from './people-nodes.ts'
import { pullNode } from './pull-nodes.ts'
import { releaseNode, repositoryNode } from './repository-nodes.ts'
import { reviewCommentNode, reviewNode, reviewThreadNode } from './review-nodes.ts'
import { checkRunNode, statusNode } from './rollup-nodes.ts'

export function makeGraph(context: GraphContext): Graph {
  const graph: Graph = {
    ...context,
    make: {
      person: (person) => personNode(graph, person),
      team: (team) => teamNode(graph, team),
      repository: (repository) => repositoryNode(graph, repository),
      issue: (issue, repository) => issueNode(graph, issue, repository),
      pull: (pull) => pullNode(graph, pull),
      comment: (comment, issue, repository) => commentNode(graph, comment, issue, repository),
      review: (review, pull) => reviewNode(graph, review, pull),
      reviewComment: (comment, pull) => reviewCommentNode(graph, comment, pull),
      reviewThread: (thread, pull) => reviewThreadNode(graph, thread, pull),
      label: (label, repository) => labelNode(graph, label, repository),
      milestone: (milestone, repository) => milestoneNode(graph, milestone, repository),
      release: (release, repository) => releaseNode(graph, release, repository),
      ref: (repository, prefix, name, sha) => refNode(graph, repository, prefix, name, sha),
      commit: (repository, commit) => commitNode(graph, repository, commit),
      checkRun: (repository, run) => checkRunNode(graph, repository, run),
      status: (repository, status) => statusNode(graph, repository, status),
    },
  }
  return graph
}
