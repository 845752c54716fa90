/** A pull: an issue, a base and a head. */
import type { OpenRepository } from '../access/repository.ts'
import type { Issue } from '../issues/issue.ts'
import type { TeamWithParent } from '../people/team.ts'
import type { Person } from '../person.ts'

export type PullEnd = {
  readonly ref: string
  readonly sha: string
  /** The owner of the repository, if known. */
  readonly owner: Person | null
  /** Null if it is gone, or if the caller may not see it. */
  readonly repository: OpenRepository | null
}

export type AutoMerge = {
  readonly by: Person
  readonly method: MergeMethod
  readonly title: string | null
  readonly message: string | null
  readonly enabledAt: Date
}

export type Pull = {
  readonly issue: Issue
  readonly base: PullEnd & { readonly repository: OpenRepository }
  readonly head: PullEnd
  /** For a merged pull, the merge base before the merge. */
  readonly forkSha: string | null
  readonly isDraft: boolean
  readonly mayMaintainersPush: boolean
  readonly mergedAt: Date | null
  readonly mergedBy: Person | null
  /** The merge commit; for an open pull the test merge of its present commits, if there is no conflict. */
  readonly mergeSha: string | null
  /** Whether a merge of its present commits was tested. */
  readonly isTested: boolean
  /** How it is merged as soon as it may be; null where nobody asked for that. */
  readonly autoMerge: AutoMerge | null
  readonly requestedUsers: readonly Person[]
  readonly requestedTeams: readonly TeamWithParent[]
}

export const mergeMethods = ['merge', 'squash', 'rebase'] as const
export type MergeMethod = (typeof mergeMethods)[number]

/** The ref in the base's repository that keeps a pull's head: `git fetch origin pull/1/head`. */
export const pullRef = (number: number): string => `refs/pull/${number}/head`

/** The ref of the last test merge. */
export const testRef = (number: number): string => `refs/pull/${number}/merge`
