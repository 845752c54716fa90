/** Translates a query's orders and filters into the modules' terms. */
import { invalidField } from '../../forge/failures.ts'
import type { Issue } from '../../forge/issues/issue.ts'
import type { RepositoryIssueFilter } from '../../forge/issues/issue-lists.ts'
import type { MilestoneFilter } from '../../forge/issues/milestones/milestones.ts'
import type { CommitPullOrder } from '../../forge/pulls/commit-pulls.ts'
import type { PullFilter } from '../../forge/pulls/pulls.ts'
import type { Review } from '../../forge/pulls/reviews/review.ts'
import type { AroundFilter, RepositoryOrder } from '../../forge/repositories/repository-lists.ts'

type Direction = 'ASC' | 'DESC'
type Maybe<T> = T | null | undefined

export type RepositoryOrderArgs = {
  readonly orderBy?: Maybe<{
    readonly field: 'CREATED_AT' | 'NAME' | 'PUSHED_AT' | 'STARGAZERS' | 'UPDATED_AT'
    readonly direction: Direction
  }>
}

const toDirection = (direction: Direction | undefined): 'asc' | 'desc' => (direction === 'DESC' ? 'desc' : 'asc')

const repositorySorts = {
  CREATED_AT: 'created',
  NAME: 'full_name',
  PUSHED_AT: 'pushed',
  STARGAZERS: 'stars',
  UPDATED_AT: 'updated',
} as const

export const readRepositoryOrder = ({ orderBy }: RepositoryOrderArgs): RepositoryOrder => ({
  sort: repositorySorts[orderBy?.field ?? 'CREATED_AT'],
  direction: toDirection(orderBy?.direction),
})

export type RepositoryFilterArgs = {
  readonly isFork?: Maybe<boolean>
  readonly isArchived?: Maybe<boolean>
  readonly privacy?: Maybe<'PUBLIC' | 'PRIVATE'>
  readonly visibility?: Maybe<'PUBLIC' | 'PRIVATE' | 'INTERNAL'>
  readonly ownerAffiliations?: Maybe<readonly Maybe<keyof typeof affiliations>[]>
}

const affiliations = {
  OWNER: 'owner',
  COLLABORATOR: 'collaborator',
  ORGANIZATION_MEMBER: 'organization_member',
} as const

/** Undefined if nothing can be found: no repository is internal here. */
export function readRepositoryFilter(args: RepositoryFilterArgs): AroundFilter | undefined {
  const { isFork, isArchived, privacy, visibility, ownerAffiliations } = args
  if (privacy && visibility) throw invalidField('visibility', 'invalid', 'Give privacy or visibility, not both.')
  if (visibility === 'INTERNAL') return undefined
  const wanted = visibility ?? privacy
  return {
    affiliations: (ownerAffiliations ?? ['OWNER', 'COLLABORATOR']).flatMap((one) => (one ? [affiliations[one]] : [])),
    isFork: isFork ?? undefined,
    isArchived: isArchived ?? undefined,
    isPrivate: wanted ? wanted === 'PRIVATE' : undefined,
  }
}

export type WordArgs = { readonly query?: Maybe<string> }

/** A longer pattern is too much for the database. */
const maxWords = 256

export function readWords(query: Maybe<string>): string | undefined {
  if (query && query.length > maxWords)
    throw invalidField('query', 'invalid', `query can have at most ${maxWords} characters.`)
  return query || undefined
}

export type TeamArgs = WordArgs & {
  readonly orderBy?: Maybe<{ readonly field: 'NAME'; readonly direction: Direction }>
  readonly userLogins?: Maybe<readonly string[]>
}

const maxUserLogins = 100

export function readTeamFilter({ query, orderBy, userLogins }: TeamArgs) {
  if (userLogins && userLogins.length > maxUserLogins)
    throw invalidField('userLogins', 'invalid', `userLogins can have at most ${maxUserLogins} logins.`)
  return {
    words: readWords(query),
    logins: userLogins ?? undefined,
    direction: toDirection(orderBy?.direction),
  }
}

export type MilestoneArgs = WordArgs & {
  readonly states?: Maybe<readonly ('OPEN' | 'CLOSED')[]>
  readonly orderBy?: Maybe<{ readonly field: keyof typeof milestoneSorts; readonly direction: Direction }>
}

const milestoneSorts = { CREATED_AT: 'created', DUE_DATE: 'due_on', NUMBER: 'number', UPDATED_AT: 'updated' } as const

export function readMilestoneFilter({ states: given, query, orderBy }: MilestoneArgs): MilestoneFilter {
  const states = new Set(given ?? [])
  return {
    state: states.size === 1 ? (states.has('OPEN') ? 'open' : 'closed') : 'all',
    sort: milestoneSorts[orderBy?.field ?? 'DUE_DATE'],
    direction: toDirection(orderBy?.direction),
    words: readWords(query),
  }
}

export type ReviewArgs = {
  readonly author?: Maybe<string>
  readonly states?: Maybe<readonly Review['state'][]>
}

export function readReviewFilter({ author, states }: ReviewArgs) {
  const key = author?.toLowerCase()
  return ({ author: by, state }: Review): boolean =>
    (key === undefined || by.login.toLowerCase() === key) && (!states || states.includes(state))
}

export type LabelArgs = {
  readonly query?: Maybe<string>
  readonly orderBy?: Maybe<{ readonly field: 'CREATED_AT' | 'NAME'; readonly direction: Direction }>
}

export const readLabelFilter = ({ query, orderBy }: LabelArgs) => ({
  words: readWords(query) ?? '',
  sort: orderBy?.field === 'NAME' ? ('name' as const) : ('created' as const),
  direction: toDirection(orderBy?.direction),
})

export type ReleaseOrderArgs = {
  readonly orderBy?: Maybe<{ readonly field: 'CREATED_AT'; readonly direction: Direction }>
}

export const readReleaseDirection = ({ orderBy }: ReleaseOrderArgs): 'asc' | 'desc' =>
  toDirection(orderBy?.direction ?? 'DESC')

type IssueOrderArgs = {
  readonly orderBy?: Maybe<{
    readonly field: 'COMMENTS' | 'CREATED_AT' | 'UPDATED_AT'
    readonly direction: Direction
  }>
  readonly labels?: Maybe<readonly string[]>
}

export type IssueArgs = IssueOrderArgs & {
  readonly states?: Maybe<readonly ('OPEN' | 'CLOSED')[]>
  readonly filterBy?: Maybe<{
    readonly assignee?: Maybe<string>
    readonly createdBy?: Maybe<string>
    readonly labels?: Maybe<readonly string[]>
    readonly mentioned?: Maybe<string>
    readonly milestoneNumber?: Maybe<string>
    readonly since?: Maybe<string>
    readonly states?: Maybe<readonly ('OPEN' | 'CLOSED')[]>
  }>
}

const issueSorts = { COMMENTS: 'comments', CREATED_AT: 'created', UPDATED_AT: 'updated' } as const

export function readIssueFilter({ states: given, labels, filterBy, orderBy }: IssueArgs): RepositoryIssueFilter {
  const states = new Set(filterBy?.states ?? given ?? ['OPEN', 'CLOSED'])
  const { assignee, createdBy, mentioned, milestoneNumber, since } = filterBy ?? {}
  return {
    kind: 'issue',
    state: states.size === 1 ? (states.has('OPEN') ? 'open' : 'closed') : 'all',
    sort: issueSorts[orderBy?.field ?? 'CREATED_AT'],
    direction: toDirection(orderBy?.direction),
    anyLabels: filterBy?.labels ?? labels ?? undefined,
    assignee: assignee ?? undefined,
    creator: createdBy ?? undefined,
    mentioned: mentioned ?? undefined,
    milestone: milestoneNumber ? readMilestone(milestoneNumber) : undefined,
    since: readTime('since', since),
  }
}

/** A list that is already in memory. */
export function sortIssues(list: readonly Issue[], { orderBy }: Pick<IssueArgs, 'orderBy'>): Issue[] {
  const amountOf = ({ commentCount, createdAt, updatedAt }: Issue): number =>
    Number({ COMMENTS: commentCount, CREATED_AT: createdAt, UPDATED_AT: updatedAt }[orderBy?.field ?? 'CREATED_AT'])
  const sign = toDirection(orderBy?.direction) === 'desc' ? -1 : 1
  return list.toSorted((one, other) => sign * (amountOf(one) - amountOf(other) || one.id - other.id))
}

function readMilestone(text: string): number | '*' {
  if (text === '*') return '*'
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw invalidField('milestoneNumber', 'invalid', 'milestoneNumber must be a number, or * for any.')
}

/** A variable of this scalar may be any JSON value. */
export function readTime(name: string, given: unknown): Date | undefined {
  if (given === undefined || given === null || given === '') return undefined
  const date = new Date(typeof given === 'string' ? given : Number.NaN)
  if (!Number.isNaN(date.getTime())) return date
  throw invalidField(name, 'invalid', `${name} must be a time such as 2026-03-10T12:00:00Z.`)
}

export type PullArgs = IssueOrderArgs & {
  readonly states?: Maybe<readonly ('OPEN' | 'CLOSED' | 'MERGED')[]>
  readonly baseRefName?: Maybe<string>
  readonly headRefName?: Maybe<string>
}

const pullSorts = { COMMENTS: 'popularity', CREATED_AT: 'created', UPDATED_AT: 'updated' } as const

/** A merged pull is closed, but its state is not `CLOSED`. */
export const readPullFilter = ({ states, orderBy, labels, baseRefName, headRefName }: PullArgs): PullFilter => ({
  state: 'all',
  states: states?.map((one) => pullStates[one]),
  base: baseRefName ?? undefined,
  headRef: headRefName ?? undefined,
  anyLabels: labels ?? undefined,
  sort: pullSorts[orderBy?.field ?? 'CREATED_AT'],
  direction: toDirection(orderBy?.direction),
})

export type CommitPullArgs = {
  readonly orderBy?: Maybe<{ readonly field: 'CREATED_AT' | 'UPDATED_AT'; readonly direction: Direction }>
}

export const readCommitPullOrder = ({ orderBy }: CommitPullArgs): CommitPullOrder => ({
  sort: orderBy?.field === 'UPDATED_AT' ? 'updated' : 'created',
  direction: toDirection(orderBy?.direction),
})

const pullStates = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const
