/** Nodes of pulls and reviews. Git runs only if a field needs it. */
import { reaches } from '../../../forge/access/level.ts'
import type { FileChange } from '../../../forge/git/read/diff.ts'
import type { Pull, PullEnd } from '../../../forge/pulls/pull.ts'
import type { Review } from '../../../forge/pulls/reviews/review.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { type IssueArgs, type ReviewArgs, readReviewFilter, sortIssues } from '../orders.ts'
import { formatTime, formatTimeOrNull } from '../times.ts'
import { issueMembers } from './issue-nodes.ts'

export function pullNode(graph: Graph, pull: Pull): GraphNode {
  const { services, make } = graph
  const { issue, base, head } = pull
  const { repository } = base
  const members = issueMembers(graph, issue, repository)
  const sizes = once(() => services.pullFigures.sizes(pull))
  const state = pull.mergedAt ? 'MERGED' : issue.state.toUpperCase()
  const commitOf = async (sha: string | null) =>
    sha && make.commit(repository, await services.reading.commit(repository, sha))
  return {
    ...members,
    state,
    permalink: members.url,
    isDraft: pull.isDraft,
    isInMergeQueue: false,
    isMergeQueueEnabled: false,
    merged: pull.mergedAt !== null,
    mergedAt: formatTimeOrNull(pull.mergedAt),
    mergedBy: () => pull.mergedBy && make.person(pull.mergedBy),
    mergeable: () => nameMergeable(graph, pull),
    mergeStateStatus: () => nameStanding(graph, pull),
    mergeCommit: () => (pull.mergedAt ? commitOf(pull.mergeSha) : null),
    potentialMergeCommit: async () => (pull.mergedAt ? null : commitOf(await services.testMerging.of(pull))),
    async closingIssuesReferences(args: ConnectionArgs & ClosingIssueArgs) {
      if (!repository.options.hasIssues) return connectAll(args, [], () => null)
      const opened = await graph.demand(repository, 'issues')
      const choice = { isByHand: args.userLinkedOnly === true }
      const found = await services.closingReferences.issuesOf(opened, issue, base.ref, choice)
      return connectAll(args, sortIssues(found, args), (one) => make.issue(one, repository))
    },
    maintainerCanModify: pull.mayMaintainersPush,
    isCrossRepository: head.repository?.id !== repository.id,
    baseRefName: base.ref,
    baseRefOid: base.sha,
    baseRepository: () => make.repository(repository),
    baseRef: () => findRef(graph, base),
    headRefName: head.ref,
    headRefOid: head.sha,
    headRepository: () => head.repository && make.repository(head.repository),
    headRepositoryOwner: () => head.owner && make.person(head.owner),
    headRef: () => findRef(graph, head),
    autoMergeRequest: () =>
      pull.autoMerge && {
        authorEmail: null,
        commitBody: pull.autoMerge.message,
        commitHeadline: pull.autoMerge.title,
        enabledAt: formatTime(pull.autoMerge.enabledAt),
        enabledBy: make.person(pull.autoMerge.by),
        mergeMethod: pull.autoMerge.method.toUpperCase(),
        pullRequest: () => make.pull(pull),
      },
    viewerCanEnableAutoMerge:
      issue.state === 'open' && repository.options.allowAutoMerge && reaches(repository.level, 'write'),
    viewerCanDisableAutoMerge: pull.autoMerge !== null && reaches(repository.level, 'write'),
    additions: async () => (await sizes()).additions,
    deletions: async () => (await sizes()).deletions,
    changedFiles: async () => (await sizes()).changedFiles,
    commits: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => services.pullFigures.commits(pull, page),
        (commit) => ({
          __typename: 'PullRequestCommit',
          id: nodeId('PullRequestCommit', `${issue.id}:${commit.sha}`),
          commit: make.commit(repository, commit),
          pullRequest: () => make.pull(pull),
        }),
      ),
    files: async (args: ConnectionArgs) => connectAll(args, await services.pullFigures.files(pull), presentFile),
    reviewThreads: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => services.reviewThreads.list(graph.actor, repository, issue.id, page),
        (thread) => make.reviewThread(thread, pull),
      ),
    reviews: async (args: ConnectionArgs & ReviewArgs) =>
      connectAll(args, (await graph.reviews(issue.id)).filter(readReviewFilter(args)), (review) =>
        make.review(review, pull),
      ),
    latestReviews: async (args: ConnectionArgs) =>
      connectAll(args, latestOf(await graph.reviews(issue.id)), (review) => make.review(review, pull)),
    reviewDecision: async () => (await services.pullMerging.reviewDecision(pull))?.toUpperCase() ?? null,
    reviewRequests: (args: ConnectionArgs) => {
      const asked = [
        ...pull.requestedUsers.map((user) => ({ key: `user-${user.id}`, reviewer: make.person(user) })),
        ...pull.requestedTeams.map((team) => ({ key: `team-${team.id}`, reviewer: make.team(team) })),
      ]
      return connectAll(args, asked, ({ key, reviewer }) => ({
        id: nodeId('ReviewRequest', `${issue.id}:${key}`),
        requestedReviewer: reviewer,
        pullRequest: () => make.pull(pull),
      }))
    },
    async statusCheckRollup() {
      const commit = make.commit(repository, await services.reading.commit(repository, head.sha))
      return (commit.statusCheckRollup as () => unknown)()
    },
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= read()
    return found
  }
}

async function nameMergeable({ services }: Graph, pull: Pull): Promise<string> {
  const { isMergeable } = await services.pullFigures.mergeability(pull)
  return isMergeable === null ? 'UNKNOWN' : isMergeable ? 'MERGEABLE' : 'CONFLICTING'
}

async function nameStanding({ services }: Graph, pull: Pull): Promise<string> {
  const { isMergeable } = await services.pullFigures.mergeability(pull)
  if (isMergeable === null) return 'UNKNOWN'
  if (!isMergeable) return 'DIRTY'
  return pull.isDraft ? 'DRAFT' : (await services.pullMerging.standing(pull)).toUpperCase()
}

/** Null if the branch or its repository is gone or hidden from the caller. */
async function findRef(graph: Graph, { repository, ref }: PullEnd): Promise<GraphNode | null> {
  const { services, make } = graph
  if (repository) await graph.demand(repository, 'contents')
  const found = repository && (await services.reading.head(repository, `refs/heads/${ref}^{commit}`))
  return found ? make.ref(repository, 'refs/heads/', ref, found.sha) : null
}

type ClosingIssueArgs = Pick<IssueArgs, 'orderBy'> & { readonly userLinkedOnly?: boolean | null }

/** The newest submitted review of each person. */
const latestOf = (reviews: readonly Review[]): Review[] => [
  ...new Map(reviews.filter(({ submittedAt }) => submittedAt).map((review) => [review.author.id, review])).values(),
]

const changeTypes: Record<FileChange['status'], string> = {
  added: 'ADDED',
  removed: 'DELETED',
  modified: 'MODIFIED',
  renamed: 'RENAMED',
  copied: 'COPIED',
  changed: 'CHANGED',
}

const presentFile = ({ path, additions, deletions, status }: FileChange) => ({
  path,
  additions,
  deletions,
  changeType: changeTypes[status],
})
