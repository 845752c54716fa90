/** A release and its files. */
import type { ReactionCounts } from '../issues/issue.ts'
import type { Person } from '../person.ts'

export type Latest = 'true' | 'false' | 'legacy'

export type Release = {
  readonly id: number
  readonly author: Person
  readonly tag: string
  readonly target: string
  readonly name: string | null
  readonly body: string | null
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  readonly assets: readonly Asset[]
  readonly reactions: ReactionCounts
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | null
}

export type Asset = {
  readonly id: number
  readonly releaseId: number
  readonly uploader: Person
  readonly name: string
  readonly label: string | null
  readonly contentType: string
  readonly hash: string
  readonly size: number
  readonly downloadCount: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type ReleaseDraft = {
  readonly tag: string
  /** A branch or a commit; the default branch if absent. */
  readonly target?: string | undefined
  readonly name?: string | null | undefined
  readonly body?: string | null | undefined
  readonly isDraft?: boolean | undefined
  readonly isPrerelease?: boolean | undefined
  readonly latest?: Latest | undefined
}

export type ReleaseChange = Partial<ReleaseDraft>
