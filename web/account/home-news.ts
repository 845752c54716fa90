/** What waits for one person, of all three parts of the server, in few requests beside each other. */
import { type Dataset, listDatasets } from '../api/datasets.ts'
import { read } from '../api/forge.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Thread } from '../api/notifications.ts'
import type { Account, SubmissionSnippet } from '../api/operations.ts'
import { callAll, openAnswer } from '../api/rpc.ts'

export type DueSheet = {
  readonly ID: number
  readonly Title: string
  readonly DueTime: number
  readonly className: string
}

export type Work = {
  readonly number: number
  readonly title: string
  readonly repository: { readonly nameWithOwner: string }
}

export type RecentRepository = {
  readonly nameWithOwner: string
  readonly pushedAt: string | null
  readonly isPrivate: boolean
}

type Nodes<T> = { readonly nodes: readonly (T | null)[] }
type FromForge = {
  readonly reviews: Nodes<Work>
  readonly assigned: Nodes<Work & { readonly __typename: string }>
  readonly viewer: { readonly repositories: Nodes<RecentRepository> }
}

const work = 'number title repository { nameWithOwner }'
const question = `query ($reviews: String!, $assigned: String!) {
  reviews: search(query: $reviews, type: ISSUE, first: 6) { nodes { ... on PullRequest { ${work} } } }
  assigned: search(query: $assigned, type: ISSUE, first: 6) { nodes { __typename ... on Issue { ${work} } ... on PullRequest { ${work} } } }
  viewer { repositories(first: 6, orderBy: { field: PUSHED_AT, direction: DESC }) { nodes { nameWithOwner pushedAt isPrivate } } }
}`

const present = <T>({ nodes }: Nodes<T>): T[] => nodes.filter((node) => node !== null)

export async function readForge({ AccountName }: Account) {
  const found = await queryGraphql<FromForge>(question, {
    reviews: `is:open is:pr review-requested:${AccountName}`,
    assigned: `is:open assignee:${AccountName}`,
  })
  return {
    reviews: present(found.reviews),
    assigned: present(found.assigned),
    repositories: present(found.viewer.repositories),
  }
}

export const readUnread = (): Promise<readonly Thread[]> => read('/notifications', { per_page: 6, html_url: true })

export const readRecentDatasets = async (): Promise<readonly Dataset[]> => (await listDatasets(0, 6)).items

type Class = { readonly ID: string; readonly Name: string; readonly IsArchived?: boolean }
type Sheet = {
  readonly ID: number
  readonly Title: string
  readonly OpenTime: number | null
  readonly DueTime: number | null
  readonly LateUntil: number | null
  readonly IsPublished?: boolean
}

const mostClasses = 20
/** What was due longer ago is no news. */
const dueBeforeMs = 86_400_000

/** The classes and the running judgings, then the sheets of the classes: two requests. */
export async function readJudge({
  ID,
}: Account): Promise<{ sheets: readonly DueSheet[]; judgings: readonly SubmissionSnippet[] }> {
  const calls = [
    ['get_class_list', { Offset: 0, Limit: mostClasses }],
    ['find_submission_snippet_list', { AccountID: ID, Status: 1, Limit: 5 }],
    ['find_submission_snippet_list', { AccountID: ID, Status: 2, Limit: 5 }],
  ] as const
  const [classes, waiting, running] = await callAll(calls as never)
  const own = openAnswer<{ ClassList: readonly Class[] }>(classes!).ClassList.filter(({ IsArchived }) => !IsArchived)
  const lists = await callAll(own.map((one) => ['get_sheet_list', { ClassID: one.ID }]) as never)
  const sheets = lists.flatMap((answer, at) =>
    answer.error
      ? []
      : openAnswer<{ SheetList: readonly Sheet[] }>(answer).SheetList.flatMap(({ ID: id, Title, OpenTime, DueTime }) =>
          DueTime !== null && DueTime > Date.now() - dueBeforeMs && (OpenTime ?? 0) <= Date.now()
            ? [{ ID: id, Title, DueTime, className: own[at]!.Name }]
            : [],
        ),
  )
  const submissions = [running!, waiting!].flatMap(
    (answer) => openAnswer<{ SubmissionSnippetList: readonly SubmissionSnippet[] }>(answer).SubmissionSnippetList,
  )
  return { sheets: sheets.sort((a, b) => a.DueTime - b.DueTime).slice(0, 6), judgings: submissions.slice(0, 6) }
}
