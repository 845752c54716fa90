/** What the list of branches shows of each: its newest commit, and the pull that it is the head of. */
import type { Repository } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'

export type BranchNews = {
  readonly at: number
  readonly title: string
  readonly author: string
  /** Where the author has an account here. */
  readonly login: string | undefined
  readonly pull:
    | { readonly number: number; readonly state: 'OPEN' | 'CLOSED' | 'MERGED'; readonly isDraft: boolean }
    | undefined
}

type Node = {
  readonly name: string
  readonly target: {
    readonly committedDate: string
    readonly messageHeadline: string
    readonly author: { readonly name: string | null; readonly user: { readonly login: string } | null } | null
  } | null
  readonly associatedPullRequests: { readonly nodes: readonly NonNullable<BranchNews['pull']>[] }
}
type Answer = { readonly repository: { readonly refs: { readonly nodes: readonly Node[] } } }

const query = `query($owner: String!, $name: String!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $name) { refs(refPrefix: "refs/heads/", first: $size, after: $after) { nodes {
    name
    target { ... on Commit { committedDate messageHeadline author { name user { login } } } }
    associatedPullRequests(first: 1, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { number state isDraft } } } } } }`

/** By the branch's name. */
export async function readBranchNews(
  { owner, name }: Repository,
  page: number,
  size: number,
): Promise<ReadonlyMap<string, BranchNews>> {
  // As the server writes cursors: pages are numbered, so none has been read that would tell the next.
  const after = page > 1 ? btoa(`cursor:${(page - 1) * size}`) : null
  const { repository } = await queryGraphql<Answer>(query, { owner: owner.login, name, size, after })
  return new Map(
    repository.refs.nodes.flatMap(({ name, target, associatedPullRequests: pulls }) =>
      target
        ? [
            [
              name,
              {
                at: Date.parse(target.committedDate),
                title: target.messageHeadline,
                author: target.author?.name ?? '',
                login: target.author?.user?.login,
                pull: pulls.nodes[0],
              },
            ] as const,
          ]
        : [],
    ),
  )
}
