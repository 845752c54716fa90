/** Loads a pull for its pages: the pull, its conversation, its line comments and its checks. */
import { asFull, read, readIfThere, readList, repositoryPath } from '../api/forge.ts'
import type { Status } from '../api/forge-types.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Pull, ReviewComment } from '../api/issue-types.ts'
import { watchIssue, watchRepository } from '../api/live.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { getSession } from '../app/session.ts'
import { type Place, useThread } from '../issues/thread.ts'
import { useLive } from '../issues/use-live.ts'

/** The base's rules for merging that a reader can see. */
export type Rules = {
  readonly approvals: number
  readonly isStrict: boolean
  readonly contexts: readonly string[]
  readonly decision: 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null
}

export type Checks = { readonly statuses: readonly Status[]; readonly rules: Rules }

export const pullPath = ({ owner, repo, number }: Place, ...rest: readonly (string | number)[]): string =>
  repositoryPath(owner, repo, 'pulls', number, ...rest)

/** More comments than these are read on the pages of their files. */
const mostPages = 5

const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes { id isResolved resolvedBy { login } comments(first: 1) { nodes { databaseId } } }
      }
    }
  }
}`

type ThreadsAnswer = {
  readonly repository: {
    readonly pullRequest: {
      readonly reviewThreads: {
        readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean }
        readonly nodes: readonly {
          readonly id: string
          readonly isResolved: boolean
          readonly resolvedBy: { readonly login: string } | null
          readonly comments: { readonly nodes: readonly { readonly databaseId: number }[] }
        }[]
      }
    } | null
  } | null
}

type Found = NonNullable<NonNullable<ThreadsAnswer['repository']>['pullRequest']>['reviewThreads'] | undefined

export type ThreadMark = { readonly id: string; readonly isResolved: boolean; readonly by: string | undefined }

/** By the first comment of each. Without them the comments are shown all the same. */
export async function readThreadMarks({ owner, repo, number }: Place): Promise<ReadonlyMap<number, ThreadMark>> {
  const marks = new Map<number, ThreadMark>()
  if (!getSession().account) return marks
  let after: string | null = null
  for (let page = 1; page <= mostPages; page++) {
    const answer: ThreadsAnswer | undefined = await queryGraphql<ThreadsAnswer>(threadsQuery, {
      ...{ owner, number, after },
      name: repo,
    }).catch(() => undefined)
    const found: Found = answer?.repository?.pullRequest?.reviewThreads
    for (const { id, isResolved, resolvedBy, comments } of found?.nodes ?? []) {
      const [first] = comments.nodes
      if (first) marks.set(first.databaseId, { id, isResolved, by: resolvedBy?.login })
    }
    if (!found?.pageInfo.hasNextPage) break
    after = found.pageInfo.endCursor
  }
  return marks
}

/** The first comment of each thread says whether the thread is resolved. */
export async function readComments(place: Place): Promise<readonly ReviewComment[]> {
  const [comments, marks] = await Promise.all([readAllComments(place), readThreadMarks(place)])
  return comments.map((comment) => {
    const thread = marks.get(comment.id)
    return thread ? { ...comment, thread } : comment
  })
}

async function readAllComments(place: Place): Promise<readonly ReviewComment[]> {
  const found: ReviewComment[] = []
  for (let page = 1; page <= mostPages; page++) {
    const query = { per_page: 100, page }
    const { items, hasMore } = await readList<ReviewComment>(pullPath(place, 'comments'), query, asFull)
    found.push(...items)
    if (!hasMore) break
  }
  return found
}

export const usePull = (place: Place): Loaded<Pull> =>
  useLoad(`pull ${pullPath(place)}`, () => read<Pull>(pullPath(place), {}, asFull))

/** Everything of the conversation; what others do is read as it happens. */
export function useConversation(place: Place) {
  const { loaded: thread, showMore } = useThread(place)
  const pull = usePull(place)
  const comments = useLoad(`comments ${pullPath(place)}`, () => readComments(place))
  const checks = useChecks(place, pull.value)
  const reload = () => {
    thread.reload()
    pull.reload()
    comments.reload()
    checks.reload()
  }
  usePullLive(pull.value, reload)
  return { thread, pull, comments, checks, showMore, reload }
}

/** Updates of its repository concern it too, such as the status of a commit. */
export function usePullLive(pull: Pull | undefined, reload: () => void): void {
  useLive((listener) => (pull ? watchIssue(pull.id, listener) : () => {}), reload, 300, pull?.id)
  const repository = pull?.base.repo?.id
  useLive(
    (listener) => (repository === undefined ? () => {} : watchRepository(repository, listener)),
    reload,
    5_000,
    repository,
  )
}

const rulesQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewDecision
      baseRef { branchProtectionRule { requiredApprovingReviewCount requiresStrictStatusChecks } }
    }
  }
}`

type RulesAnswer = {
  readonly repository: {
    readonly pullRequest: {
      readonly reviewDecision: Rules['decision']
      readonly baseRef: {
        readonly branchProtectionRule: {
          readonly requiredApprovingReviewCount: number | null
          readonly requiresStrictStatusChecks: boolean
        } | null
      } | null
    } | null
  } | null
}

type Branch = {
  readonly protection?: { readonly required_status_checks?: { readonly contexts?: readonly string[] } | null }
}

export function useChecks(place: Place, pull: Pull | undefined): Loaded<Checks> {
  const { owner, repo, number } = place
  return useLoad(`checks ${pullPath(place)} ${pull?.head.sha}`, async () => {
    const nothing: Rules = { approvals: 0, isStrict: false, contexts: [], decision: null }
    if (!pull) return { statuses: [], rules: nothing }
    const path = repositoryPath(owner, repo, 'commits', pull.head.sha, 'status')
    const [status, branch, answer] = await Promise.all([
      read<{ readonly statuses: readonly Status[] }>(path, { per_page: 100 }),
      readIfThere<Branch>(repositoryPath(owner, repo, 'branches', pull.base.ref)),
      getSession().account
        ? queryGraphql<RulesAnswer>(rulesQuery, { owner, name: repo, number }).catch(() => undefined)
        : undefined,
    ])
    const found = answer?.repository?.pullRequest
    const rule = found?.baseRef?.branchProtectionRule
    return {
      statuses: status.statuses,
      rules: {
        approvals: rule?.requiredApprovingReviewCount ?? 0,
        isStrict: rule?.requiresStrictStatusChecks ?? false,
        contexts: branch?.protection?.required_status_checks?.contexts ?? [],
        decision: found?.reviewDecision ?? null,
      },
    }
  })
}
