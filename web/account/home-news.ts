/** Loads the home of a signed-in person from all three parts of the server, in few parallel requests. */

import type { Class as ClassOfApi, Results, Sheet, SheetNews } from '../api/classes.ts'
import type { Contest } from '../api/contests.ts'
import { type Dataset, listDatasets } from '../api/datasets.ts'
import { read } from '../api/forge.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Thread } from '../api/notifications.ts'
import type { Account, SubmissionSnippet } from '../api/operations.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { isOver } from '../contests/contest-clock.tsx'
import { dueTimeOf, formatPoints, sumPoints } from '../teach/sheets/sheet-times.ts'

export type DueSheet = {
  readonly ID: number
  readonly Title: string
  /** The user's own, with their extension. */
  readonly DueTime: number
  readonly LateUntil: number | null
  readonly className: string
  /** The progress, such as `10 of 40 points`. Absent for teachers. */
  readonly progress: string | undefined
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

type Class = Pick<ClassOfApi, 'ID' | 'Name' | 'TeacherList' | 'TeacherNameList' | 'IsArchived' | 'IsInvited'>

const mostClasses = 20
const mostSheets = 6
const mostContests = 20
/** Sheets due longer ago are not shown. */
const dueBeforeMs = 86_400_000

export type JudgeNews = {
  readonly sheets: readonly DueSheet[]
  readonly judgings: readonly SubmissionSnippet[]
  readonly invitations: readonly Class[]
  readonly news: readonly SheetNews[]
  /** Coming and running contests in which the user has a part. */
  readonly contests: readonly Contest[]
}

/** Three requests: classes, contests and running submissions, then the sheets, then the progress. */
export async function readJudge({ ID, AccountName }: Account): Promise<JudgeNews> {
  const calls = [
    ['get_class_list', { Offset: 0, Limit: mostClasses }],
    ['find_submission_snippet_list', { AccountID: ID, Status: 1, Limit: 5 }],
    ['find_submission_snippet_list', { AccountID: ID, Status: 2, Limit: 5 }],
    ['get_sheet_news', {}],
    ['get_contest_list', { Offset: 0, Limit: mostContests }],
  ] as const
  const [classes, waiting, running, news, contests] = await callAll(calls as never)
  const own = openAnswer<{ ClassList: readonly Class[] }>(classes!).ClassList.filter(({ IsArchived }) => !IsArchived)
  const lists = await callAll(own.map((one) => ['get_sheet_list', { ClassID: one.ID }]) as never)
  const sheets = lists.flatMap((answer, at) =>
    answer.error
      ? []
      : openAnswer<{ SheetList: readonly Sheet[] }>(answer).SheetList.flatMap((sheet) => {
          const { ID: id, Title, OpenTime, LateUntil } = sheet
          const DueTime = dueTimeOf(sheet, AccountName)
          return DueTime !== null && DueTime > Date.now() - dueBeforeMs && OpenTime <= Date.now()
            ? [{ ID: id, Title, DueTime, LateUntil, inClass: own[at]! }]
            : []
        }),
  )
  const due = sheets.sort((a, b) => a.DueTime - b.DueTime).slice(0, mostSheets)
  const results = await callAll(due.map((sheet) => ['get_sheet_results', { SheetID: sheet.ID }]) as never)
  const progressOf = (at: number) => {
    const { TeacherList } = due[at]!.inClass
    const found = results[at]!.error ? undefined : openAnswer<Results>(results[at]!)
    const row = TeacherList.includes(AccountName)
      ? undefined
      : found?.RowList.find((one) => one.AccountName === AccountName)
    return row && `${formatPoints(row.Total)} of ${formatPoints(sumPoints(found!))} points`
  }
  const submissions = [running!, waiting!].flatMap(
    (answer) => openAnswer<{ SubmissionSnippetList: readonly SubmissionSnippet[] }>(answer).SubmissionSnippetList,
  )
  return {
    sheets: due.map(({ inClass, ...one }, at) => ({ ...one, className: inClass.Name, progress: progressOf(at) })),
    judgings: submissions.slice(0, 6),
    invitations: own.filter(({ IsInvited }) => IsInvited),
    news: openAnswer<{ NewsList: readonly SheetNews[] }>(news!).NewsList,
    contests: openAnswer<{ ContestList: readonly Contest[] }>(contests!).ContestList.filter(
      (one) => one.Role !== 'public' && !isOver(one),
    ),
  }
}
