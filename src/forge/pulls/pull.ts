/** A pull as the modules see it: an issue, a base and a head. */
import type { OpenRepository } from '../access/repository.ts'
import type { Issue } from '../issues/issue.ts'
import type { TeamWithParent } from '../people/team.ts'
import type { Person } from '../person.ts'

export type PullEnd = {
  readonly ref: string
  readonly sha: string
  /** Whose repository it is, where that is known. */
  readonly owner: Person | null
  /** Null where it is gone, or the asking account may not see it. */
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
  /** Of a merged pull, the last commit that both ends had before. */
  readonly forkSha: string | null
  readonly isDraft: boolean
  readonly mayMaintainersPush: boolean
  readonly mergedAt: Date | null
  readonly mergedBy: Person | null
  /** The merge; of an open pull the one that was tried with the commits at its ends, where there was no conflict. */
  readonly mergeSha: string | null
  /** Whether a merge of the commits at its ends was tried. */
  readonly isTested: boolean
  /** How it is merged as soon as it may be; null where nobody asked for that. */
  readonly autoMerge: AutoMerge | null
  readonly requestedUsers: readonly Person[]
  readonly requestedTeams: readonly TeamWithParent[]
}

export const mergeMethods = ['merge', 'squash', 'rebase'] as const
export type MergeMethod = (typeof mergeMethods)[number]

/** The ref under which the base's repository keeps a pull's head: `git fetch origin pull/1/head`. */
export const pullRef = (number: number): string => `refs/pull/${number}/head`

/** The ref of the merge that was tried last. */
export const testRef = (number: number): string => `refs/pull/${number}/merge`
