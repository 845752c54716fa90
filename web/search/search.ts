/** Looking in everything at once: each interface answers what this person may see, and nothing else. */
import { findDatasets } from '../api/datasets.ts'
import { Fault } from '../api/fault.ts'
import { read } from '../api/forge.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { ProblemSnippet } from '../api/operations.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { getSession } from '../app/session.ts'
import type { Hit } from './commands.ts'

export type Group = { readonly name: string; readonly hits: readonly Hit[]; readonly more?: Hit }

const most = 5

type Nodes<T> = { readonly nodes: readonly (T | null)[] }
type Found = {
  readonly repositories: Nodes<{ nameWithOwner: string; description: string | null }>
  readonly issues: Nodes<{ __typename: string; number: number; title: string; repository: { nameWithOwner: string } }>
  readonly people: Nodes<{ login: string; name: string | null }>
}

const question = `query ($text: String!, $most: Int!) {
  repositories: search(query: $text, type: REPOSITORY, first: $most) { nodes { ... on Repository { nameWithOwner description } } }
  issues: search(query: $text, type: ISSUE, first: $most) { nodes { __typename
    ... on Issue { number title repository { nameWithOwner } }
    ... on PullRequest { number title repository { nameWithOwner } } } }
  people: search(query: $text, type: USER, first: $most) { nodes { ... on User { login name } ... on Organization { login name } } }
}`

const present = <T>({ nodes }: Nodes<T>): T[] => nodes.filter((node) => node !== null)

async function searchForge(text: string): Promise<Group[]> {
  const found = await queryGraphql<Found>(question, { text, most })
  return [
    {
      name: 'Repositories',
      hits: present(found.repositories).map(({ nameWithOwner, description }) => ({
        href: `/${nameWithOwner}`,
        title: nameWithOwner,
        ...(description && { note: description }),
      })),
    },
    {
      name: 'Issues and pull requests',
      hits: present(found.issues).map(({ __typename, number, title, repository: { nameWithOwner } }) => ({
        href: `/${nameWithOwner}/${__typename === 'Issue' ? 'issues' : 'pull'}/${number}`,
        title,
        note: `${nameWithOwner} #${number}`,
      })),
    },
    {
      name: 'People and organisations',
      hits: present(found.people).map(({ login, name }) => ({
        href: `/${login}`,
        title: login,
        ...(name && name !== login && { note: name }),
      })),
    },
  ]
}

/** For people who are not signed in, because GraphQL requires sign-in. */
async function searchPublic(text: string): Promise<Group[]> {
  type Repositories = { items: readonly { full_name: string; description: string | null }[] }
  const { items } = await read<Repositories>('/search/repositories', { q: text, per_page: most })
  return [
    {
      name: 'Repositories',
      hits: items.map(({ full_name, description }) => ({
        href: `/${full_name}`,
        title: full_name,
        ...(description && { note: description }),
      })),
    },
  ]
}

async function searchProblems(text: string): Promise<Group[]> {
  const asked = ['find_problem_snippet_list', { Text: text, Offset: 0, Limit: most }]
  const [answer] = await callAll([asked as never])
  const { ProblemSnippetList } = openAnswer<{ ProblemSnippetList: readonly ProblemSnippet[] }>(answer!)
  const hits = ProblemSnippetList.map(({ UUID, DisplayName, Author }) => ({
    href: `/-/judge/problems/${UUID}`,
    title: DisplayName,
    note: `by ${Author.DisplayName}`,
  }))
  return [{ name: 'Problems', hits }]
}

async function searchDatasets(text: string): Promise<Group[]> {
  const { items } = await findDatasets(text, most)
  const hits = items.map(({ id, name, title }) => ({
    href: `/-/datasets/${id}`,
    title: title || name || id,
    ...(name && title && { note: name }),
  }))
  return [{ name: 'Data sets', hits }]
}

export type Answer = { readonly groups: readonly Group[]; readonly errors: readonly unknown[] }

/** One failing search does not affect the others. */
export async function searchAll(text: string): Promise<Answer> {
  const isSignedIn = getSession().account !== undefined
  const parts = isSignedIn ? [searchProblems(text), searchForge(text), searchDatasets(text)] : [searchPublic(text)]
  const settled = await Promise.allSettled(parts)
  return {
    groups: settled
      .flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      .filter(({ hits }) => hits.length > 0),
    // A word that the interface rejects as a qualifier does not affect the others.
    errors: settled.flatMap((one) =>
      one.status === 'rejected' && !(one.reason instanceof Fault && one.reason.code === 422) ? [one.reason] : [],
    ),
  }
}
