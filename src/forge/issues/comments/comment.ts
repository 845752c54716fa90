/** A comment on an issue, with everything that is shown of it. */
import type { App } from '../../apps/app.ts'
import type { Person } from '../../person.ts'
import type { Association, ReactionCounts } from '../issue.ts'

export type Comment = {
  readonly id: number
  readonly issueId: number
  readonly issueNumber: number
  readonly isOnPull: boolean
  readonly author: Person
  readonly association: Association
  readonly body: string
  /** The app that wrote it. */
  readonly app: App | null
  readonly reactions: ReactionCounts
  readonly createdAt: Date
  readonly updatedAt: Date
}
