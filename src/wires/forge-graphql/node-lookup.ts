/** Nodes by their global ids, which REST tells as `node_id`: each through the door that its own route has. */
import { notFound } from '../../forge/failures.ts'
import type { NodePlace, PlacedKind } from '../../forge/node-places.ts'
import { parseNodeId } from '../node-id.ts'
import { orUnresolved, type Permission } from './context.ts'
import type { Graph, GraphNode } from './graph.ts'

type Find = (graph: Graph, id: number) => Promise<GraphNode>

/** What lies in a repository is where its place says; whether the caller may see it is asked there. */
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
    const place = await graph.forge.nodePlaces.find(kind, id)
    if (!place) throw notFound()
    return read(graph, await graph.open({ id: place.repositoryId }, permission), place.key, id)
  }

const person: Find = async (graph, id) => graph.make.person(await graph.forge.people.getById(id))

const finders: Readonly<Record<string, Find>> = {
  User: person,
  Organization: person,
  Bot: person,
  Repository: async (graph, id) => graph.make.repository(await graph.open({ id })),
  Issue: placed('issue', 'either', async ({ forge, actor, make }, repository, key) =>
    make.issue(await forge.issues.get(actor, repository, Number(key)), repository),
  ),
  PullRequest: placed('issue', 'pulls', async ({ forge, actor, make }, repository, key) =>
    make.pull(await forge.pulls.get(actor, repository, Number(key))),
  ),
  IssueComment: placed('comment', 'either', async ({ forge, actor, make }, repository, _key, id) => {
    const comment = await forge.comments.get(actor, repository, id)
    return make.comment(comment, await forge.issues.get(actor, repository, comment.issueNumber), repository)
  }),
  PullRequestReview: placed('review', 'pulls', async ({ forge, actor, make }, repository, key, id) => {
    const pull = await forge.pulls.get(actor, repository, Number(key))
    return make.review(await forge.reviewReading.getReview(actor, pull.issue.id, id), pull)
  }),
  Label: placed('label', 'either', async ({ forge, make }, repository, key) =>
    make.label(await forge.labels.get(repository, String(key)), repository),
  ),
  Milestone: placed('milestone', 'either', async ({ forge, make }, repository, key) =>
    make.milestone(await forge.milestones.get(repository, Number(key)), repository),
  ),
  Release: placed('release', 'contents', async ({ forge, make }, repository, _key, id) =>
    make.release(await forge.releases.get(repository, id), repository),
  ),
}

/** A node is of the type that its id says, or there is none: an issue's id names no pull. */
export async function findNode(graph: Graph, text: string): Promise<GraphNode> {
  const parsed = parseNodeId(text)
  const find = parsed && Object.hasOwn(finders, parsed.type) ? finders[parsed.type] : undefined
  const id = parsed && /^[1-9]\d{0,14}$/.test(parsed.id) ? Number(parsed.id) : 0
  const message = `Could not resolve to a node with the global id of '${text.slice(0, 200)}'`
  const search = async () => {
    if (!find || id === 0) throw notFound()
    const node = await find(graph, id)
    if (node.__typename !== parsed!.type) throw notFound()
    return node
  }
  return orUnresolved(search(), message)
}
