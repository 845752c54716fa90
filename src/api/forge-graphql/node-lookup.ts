/** Nodes by their global ids, which REST shows as `node_id`, with the access checks of their own routes. */
import { notFound } from '../../forge/failures.ts'
import type { NodePlace, PlacedKind } from '../../forge/node-places.ts'
import { parseNodeId } from '../node-id.ts'
import { orUnresolved, type Permission } from './context.ts'
import type { Graph, GraphNode } from './graph.ts'

type Find = (graph: Graph, id: number) => Promise<GraphNode>

/** The place names the repository of a node; access is checked on that repository. */
const placed =
  (
    kind: PlacedKind,
    permission: Permission,
    read: (
      graph: Graph,
      repository: Awaited<ReturnType<Graph['open']>>,
      key: NodePlace['key'],
      id: number,
    ) => Promise<GraphNode>,
  ): Find =>
  async (graph, id) => {
    const place = await graph.services.nodePlaces.find(kind, id)
    if (!place) throw notFound()
    return read(graph, await graph.open({ id: place.repositoryId }, permission), place.key, id)
  }

const person: Find = async (graph, id) => graph.make.person(await graph.services.people.getById(id))

const finders: Readonly<Record<string, Find>> = {
  User: person,
  Organization: person,
  Bot: person,
  Repository: async (graph, id) => graph.make.repository(await graph.open({ id })),
  Issue: placed('issue', 'either', async ({ services, actor, make }, repository, key) =>
    make.issue(await services.issues.get(actor, repository, Number(key)), repository),
  ),
  PullRequest: placed('issue', 'pulls', async ({ services, actor, make }, repository, key) =>
    make.pull(await services.pulls.get(actor, repository, Number(key))),
  ),
  IssueComment: placed('comment', 'either', async ({ services, actor, make }, repository, _key, id) => {
    const comment = await services.comments.get(actor, repository, id)
    return make.comment(comment, await services.issues.get(actor, repository, comment.issueNumber), repository)
  }),
  PullRequestReview: placed('review', 'pulls', async ({ services, actor, make }, repository, key, id) => {
    const pull = await services.pulls.get(actor, repository, Number(key))
    return make.review(await services.reviewReading.getReview(actor, pull.issue.id, id), pull)
  }),
  PullRequestReviewComment: placed(
    'review-comment',
    'pulls',
    async ({ services, actor, make }, repository, key, id) => {
      const comment = await services.reviewReading.getComment(actor, repository, id)
      return make.reviewComment(comment, await services.pulls.get(actor, repository, Number(key)))
    },
  ),
  PullRequestReviewThread: placed('review-comment', 'pulls', async ({ services, actor, make }, repository, key, id) => {
    const thread = await services.reviewThreads.get(actor, repository, id)
    return make.reviewThread(thread, await services.pulls.get(actor, repository, Number(key)))
  }),
  Label: placed('label', 'either', async ({ services, make }, repository, key) =>
    make.label(await services.labels.get(repository, String(key)), repository),
  ),
  Milestone: placed('milestone', 'either', async ({ services, make }, repository, key) =>
    make.milestone(await services.milestones.get(repository, Number(key)), repository),
  ),
  Release: placed('release', 'contents', async ({ services, make }, repository, _key, id) =>
    make.release(await services.releases.get(repository, id), repository),
  ),
}

/** A commit's id is its repository's id and its hash. */
async function findCommit(graph: Graph, text: string): Promise<GraphNode> {
  const [, id, sha] = /^([1-9]\d{0,14}):([0-9a-f]{40})$/.exec(text) ?? []
  if (!id || !sha) throw notFound()
  const repository = await graph.open({ id: Number(id) }, 'contents')
  return graph.make.commit(repository, await graph.services.reading.commit(repository, sha))
}

/** The node must be of the type in its id: an issue's id finds no pull. */
export async function findNode(graph: Graph, text: string): Promise<GraphNode> {
  const parsed = parseNodeId(text)
  const find = parsed && Object.hasOwn(finders, parsed.type) ? finders[parsed.type] : undefined
  const id = parsed && /^[1-9]\d{0,14}$/.test(parsed.id) ? Number(parsed.id) : 0
  const message = `Could not resolve to a node with the global id of '${text.slice(0, 200)}'`
  const search = async () => {
    if (parsed?.type === 'Commit') return findCommit(graph, parsed.id)
    if (!find || id === 0) throw notFound()
    const node = await find(graph, id)
    if (node.__typename !== parsed!.type) throw notFound()
    return node
  }
  return orUnresolved(search(), message)
}
