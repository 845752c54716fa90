/** An issue as the modules see it, with everything that is shown of it. A pull is an issue, too. */
import type { StateReason } from '../../store/schema/issue-tables.ts'
import type { App } from '../apps/app.ts'
import type { Person } from '../person.ts'

export type Label = {
  readonly id: number
  readonly name: string
  /** Six hexadecimal digits. */
  readonly color: string
  readonly description: string | null
  readonly isDefault: boolean
}

export type Milestone = {
  readonly id: number
  readonly number: number
  readonly state: 'open' | 'closed'
  readonly title: string
  readonly description: string | null
  readonly creator: Person
  readonly openIssueCount: number
  readonly closedIssueCount: number
  readonly dueOn: Date | null
  readonly closedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The author's association to the repository. */
export type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'FIRST_TIME_CONTRIBUTOR' | 'NONE'

export const reactionContents = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'eyes', 'rocket'] as const
export type ReactionContent = (typeof reactionContents)[number]
/** How many there are of each; contents without reactions may be absent. */
export type ReactionCounts = Readonly<Partial<Record<ReactionContent, number>>>

/** The members of a pull that lists of issues show. */
export type PullFacts = { readonly isDraft: boolean; readonly mergedAt: Date | null }

export type Issue = {
  readonly id: number
  readonly repositoryId: number
  readonly number: number
  readonly isPull: boolean
  readonly pull: PullFacts | null
  readonly state: 'open' | 'closed'
  readonly stateReason: StateReason | null
  readonly title: string
  readonly body: string | null
  readonly author: Person
  readonly association: Association
  readonly labels: readonly Label[]
  readonly assignees: readonly Person[]
  readonly milestone: Milestone | null
  readonly isLocked: boolean
  readonly lockReason: string | null
  readonly pinnedAt: Date | null
  readonly commentCount: number
  readonly reactions: ReactionCounts
  /** The app that opened it. */
  readonly app: App | null
  readonly closedBy: Person | null
  readonly closedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}
