/** The forge services that mutations call: the same functions that the REST routes call. */

import type { CodeWriting } from '../../../forge/git/write/code-writing.ts'
import type { IssueDeletion } from '../../../forge/issues/issue-deletion.ts'
import type { IssueMarks } from '../../../forge/issues/issue-marks.ts'
import type { Reactions } from '../../../forge/issues/reactions/reactions.ts'
import type { Transfers } from '../../../forge/issues/transfers.ts'
import type { Notifications } from '../../../forge/notifications/notifications.ts'
import type { AutoMerging } from '../../../forge/pulls/merging/auto-merging.ts'
import type { PullReverting } from '../../../forge/pulls/merging/reverting.ts'
import type { ReviewComments } from '../../../forge/pulls/reviews/review-comments.ts'
import type { ReviewRequests } from '../../../forge/pulls/reviews/review-requests.ts'
import type { Reviews } from '../../../forge/pulls/reviews/reviews.ts'
import type { Repositories } from '../../../forge/repositories/repositories.ts'
import type { TemplateGeneration } from '../../../forge/repositories/template-generation.ts'
import type { GraphServices } from '../services.ts'

export type MutationServices = GraphServices & {
  readonly autoMerging: AutoMerging
  readonly code: CodeWriting
  readonly generating: TemplateGeneration
  readonly issueDeletion: IssueDeletion
  readonly issueMarks: IssueMarks
  readonly notifications: Notifications
  readonly pullReverting: PullReverting
  readonly reactions: Reactions
  readonly repositories: Repositories
  readonly reviewComments: ReviewComments
  readonly reviewRequests: ReviewRequests
  readonly reviews: Reviews
  readonly transfers: Transfers
}
