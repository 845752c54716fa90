/**
 * Finds the subject of a mutation by its global id, and checks access to its repository as the same REST route does.
 */

import type { Access, HeldLevel, PushAccess, RepositoryNeed } from '../../../forge/access/opening.ts'
import {
  demandTokenKind,
  everyTokenKind,
  parsePermissions,
  personalTokenKinds,
} from '../../../forge/access/required-grant.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { NodePlace, PlacedKind } from '../../../forge/node-places.ts'
import type { Pull } from '../../../forge/pulls/pull.ts'
import { parseNodeId } from '../../node-id.ts'
import { orUnresolved, unresolved } from '../context.ts'
import type { Graph, GraphNode } from '../graph.ts'
import type { Acting } from './mutation.ts'

const ofRepository = { tokens: everyTokenKind, scopes: ['repo'], signIn: true } as const

/** The need of a change to a repository, as the REST routes declare it. */
export const changed = <L extends HeldLevel>(
  level: L,
  permission: string,
  more: Partial<Pick<RepositoryNeed, 'scopes' | 'evenArchived' | 'evenBlocked'>> = {},
): RepositoryNeed<L> => ({
  ...ofRepository,
  permissions: parsePermissions(permission),
  level,
  writes: true,
  ...more,
})

/** The need of the caller's own data about a repository that they see. */
export const ownAbout = (permission: string, scopes: readonly string[]): RepositoryNeed<'read'> => ({
  ...ofRepository,
  tokens: personalTokenKinds,
  scopes,
  permissions: parsePermissions(permission),
  level: 'read',
  writes: false,
})

export const eitherWrite = 'issues=write; pull_requests=write'

const kinds: Readonly<Record<string, PlacedKind>> = {
  Issue: 'issue',
  PullRequest: 'issue',
  IssueComment: 'comment',
  PullRequestReview: 'review',
  PullRequestReviewComment: 'review-comment',
  PullRequestReviewThread: 'review-comment',
  Label: 'label',
  LinkedBranch: 'linked-branch',
  Milestone: 'milestone',
  Release: 'release',
}

export type SubjectPlace = NodePlace & { readonly type: string; readonly id: number }

export const unknownNode = (id: string) =>
  unresolved(`Could not resolve to a node with the global id of '${id.slice(0, 200)}'`)

/**
 * Looks up where the subject is. Access to the repository is checked afterwards; callers without it get the same error.
 */
export async function findPlace(graph: Graph, text: string, types: readonly string[]): Promise<SubjectPlace> {
  const parsed = parseNodeId(text)
  const id = parsed && /^[1-9]\d{0,14}$/.test(parsed.id) ? Number(parsed.id) : 0
  if (!parsed || id === 0 || !types.includes(parsed.type)) throw unknownNode(text)
  if (parsed.type === 'Repository') return { type: parsed.type, id, repositoryId: id, key: id }
  const place = await graph.services.nodePlaces.find(kinds[parsed.type]!, id)
  if (!place) throw unknownNode(text)
  // An issue's id names no pull, and a pull's no issue.
  const isPull = parsed.type === 'PullRequest'
  if (place.isPull !== undefined && isPull !== (place.isPull === 1)) throw unknownNode(text)
  return { ...place, type: parsed.type, id }
}

export async function enter<L extends HeldLevel>(
  graph: Graph,
  id: string,
  types: readonly string[],
  need: RepositoryNeed<L>,
): Promise<{ access: Access<L>; place: SubjectPlace }> {
  demandTokenKind(graph.actor, need)
  const place = await findPlace(graph, id, types)
  const entered = graph.services.opening.enter(graph.actor, { id: place.repositoryId }, need)
  return { access: await orUnresolved(entered, unknownNode(id).message), place }
}

export async function enterRepository<L extends HeldLevel>(
  graph: Graph,
  id: string,
  need: RepositoryNeed<L>,
): Promise<Access<L>> {
  return (await enter(graph, id, ['Repository'], need)).access
}

/** Access for moving branches. */
export async function enterToPush(graph: Graph, repositoryId: number, id: string): Promise<PushAccess> {
  const need = changed('write', 'contents=write')
  return orUnresolved(
    graph.services.opening.enterToPush(graph.actor, { id: repositoryId }, need),
    unknownNode(id).message,
  )
}

export async function enterIssue<L extends HeldLevel>(
  graph: Acting,
  id: string,
  types: readonly ('Issue' | 'PullRequest')[],
  need: RepositoryNeed<L>,
): Promise<{ access: Access<L>; number: number }> {
  const { access, place } = await enter(graph, id, types, need)
  return { access, number: Number(place.key) }
}

/** Finds a pull by its id, for changes that need only its number. */
export async function enterPull<L extends HeldLevel>(
  graph: Acting,
  id: string,
  need: RepositoryNeed<L>,
): Promise<{ access: Access<L>; number: number }> {
  const { access, place } = await enter(graph, id, ['PullRequest'], need)
  return { access, number: Number(place.key) }
}

export const getPull = (graph: Acting, { repository }: Access<'read'>, number: number): Promise<Pull> =>
  graph.services.pulls.get(graph.actor, repository, number)

/** The pull after the change, for tokens that may read it. */
export const showPull =
  (graph: Acting, { repository }: Access<'read'>, number: number) =>
  async (): Promise<GraphNode> => {
    const opened = await graph.demand(repository, 'pulls')
    return graph.make.pull(await graph.services.pulls.get(graph.actor, opened, number))
  }

export const showIssue =
  (graph: Acting, { repository }: Access<'read'>, number: number) =>
  async (): Promise<GraphNode> => {
    const opened = await graph.demand(repository, 'either')
    const issue = await graph.services.issues.get(graph.actor, opened, number)
    return issue.isPull
      ? graph.make.pull(await graph.services.pulls.get(graph.actor, opened, number))
      : graph.make.issue(issue, opened)
  }

/** Names of one repository's labels by their ids. */
export const nameLabels = (graph: Graph, repositoryId: number, ids: readonly string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => String((await findWithin(graph, repositoryId, id, 'Label')).key)))

export const numberMilestone = async (graph: Graph, repositoryId: number, id: string): Promise<number> =>
  Number((await findWithin(graph, repositoryId, id, 'Milestone')).key)

async function findWithin(graph: Graph, repositoryId: number, id: string, type: string): Promise<SubjectPlace> {
  const place = await findPlace(graph, id, [type])
  if (place.repositoryId !== repositoryId) throw unknownNode(id)
  return place
}

/** Logins of people by their ids. */
export const nameUsers = (graph: Graph, ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const userId = readId(id, ['User', 'Bot'])
      const person = await orUnresolved(graph.services.people.getById(userId), unknownNode(id).message)
      return person.login
    }),
  )

/** The number in a global id of one of these types. */
export function readId(text: string, types: readonly string[]): number {
  const parsed = parseNodeId(text)
  if (!parsed || !types.includes(parsed.type) || !/^[1-9]\d{0,14}$/.test(parsed.id)) throw unknownNode(text)
  return Number(parsed.id)
}

/** Fields that have no counterpart here may be omitted or empty. */
export function demandNone(name: string, given: unknown): void {
  if (given === undefined || given === null || given === '' || (Array.isArray(given) && given.length === 0)) return
  throw invalidField(name, 'invalid', `${name} is not served here.`)
}
