/**
 * The fields of a repository about issues and pulls: single ones by number, lists, labels, milestones, assignable
 * users.
 */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Issue } from '../../../forge/issues/issue.ts'
import type { RepositoryIssueFilter } from '../../../forge/issues/issue-lists.ts'
import { maxPinned } from '../../../forge/issues/issue-marks.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import { orNull, orUnresolved, unresolved } from '../context.ts'
import type { Graph, GraphNode } from '../graph.ts'
import {
  type IssueArgs,
  type LabelArgs,
  type MilestoneArgs,
  type PullArgs,
  readIssueFilter,
  readLabelFilter,
  readMilestoneFilter,
  readPullFilter,
  readWords,
  type WordArgs,
} from '../orders.ts'

const pinned: RepositoryIssueFilter = { state: 'all', isPinned: true, sort: 'created', direction: 'asc' }

type Numbered = { readonly number: number }

export function repositoryIssues(graph: Graph, repository: OpenRepository) {
  const { services, actor, make } = graph

  const find = (number: number, word: string): Promise<Issue> =>
    orUnresolved(
      graph.demand(repository, 'either').then((opened) => services.issues.get(actor, opened, number)),
      `Could not resolve to ${word} with the number of ${number}.`,
    )

  /** Pulls of a list are loaded together; a single one is first brought up to date. */
  async function findPull(number: number): Promise<GraphNode> {
    const opened = await graph.demand(repository, 'pulls')
    return make.pull(await services.pulls.get(actor, opened, number))
  }

  return {
    async issue({ number }: Numbered) {
      const issue = await find(number, 'an Issue')
      if (issue.isPull) throw unresolved(`Could not resolve to an Issue with the number of ${number}.`)
      return make.issue(issue, repository)
    },
    pullRequest: ({ number }: Numbered) =>
      orUnresolved(findPull(number), `Could not resolve to a PullRequest with the number of ${number}.`),
    async issueOrPullRequest({ number }: Numbered) {
      const issue = await find(number, 'an issue or pull request')
      return issue.isPull ? findPull(number) : make.issue(issue, repository)
    },
    async issues(args: ConnectionArgs & IssueArgs) {
      // A repository with issues switched off has an empty list; `hasIssuesEnabled` tells why.
      if (!repository.options.hasIssues) return connectAll(args, [], () => null)
      const opened = await graph.demand(repository, 'issues')
      return connect(
        args,
        (page) => services.issueLists.list(actor, opened, readIssueFilter(args), page),
        (issue) => make.issue(issue, repository),
      )
    },
    async pinnedIssues(args: ConnectionArgs) {
      if (!repository.options.hasIssues) return connectAll(args, [], () => null)
      const opened = await graph.demand(repository, 'issues')
      const { items } = await services.issueLists.list(actor, opened, pinned, { offset: 0, limit: maxPinned })
      const sorted = items.toSorted((one, other) => Number(one.pinnedAt) - Number(other.pinnedAt))
      return connectAll(args, sorted, (issue) => ({
        __typename: 'PinnedIssue',
        id: nodeId('PinnedIssue', issue.id),
        databaseId: issue.id,
        issue: make.issue(issue, repository),
        repository: () => make.repository(repository),
      }))
    },
    async pullRequests(args: ConnectionArgs & PullArgs) {
      const opened = await graph.demand(repository, 'pulls')
      return connect(
        args,
        (page) => services.pulls.list(actor, opened, readPullFilter(args), page),
        (pull) => make.pull(pull),
      )
    },
    async label({ name }: { name: string }) {
      await graph.demand(repository, 'either')
      const label = await orNull(services.labels.get(repository, name))
      return label && make.label(label, repository)
    },
    async labels(args: ConnectionArgs & LabelArgs) {
      await graph.demand(repository, 'either')
      return connect(
        args,
        (page) => services.labels.list(repository, page, readLabelFilter(args)),
        (label) => make.label(label, repository),
      )
    },
    async milestone({ number }: Numbered) {
      await graph.demand(repository, 'either')
      const milestone = await orNull(services.milestones.get(repository, number))
      return milestone && make.milestone(milestone, repository)
    },
    async milestones(args: ConnectionArgs & MilestoneArgs) {
      await graph.demand(repository, 'either')
      return connect(
        args,
        (page) => services.milestones.list(repository, readMilestoneFilter(args), page),
        (milestone) => make.milestone(milestone, repository),
      )
    },
    async assignableUsers(args: ConnectionArgs & WordArgs) {
      await graph.demand(repository, 'either')
      return connect(
        args,
        (page) => services.assignees.listAssignable(repository, page, readWords(args.query)),
        (person) => make.person(person),
      )
    },
  }
}
