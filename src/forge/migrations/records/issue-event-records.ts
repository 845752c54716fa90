/** Records of issue events, with the members of each type. */
import { type SqlBool, sql } from 'kysely'
import { placeElsewhere } from '../../issues/events/issue-event.ts'
import { formatTime } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { pageSize, readPages } from './keyed-pages.ts'
import type { TeamAddresses } from './team-addresses.ts'

/** The data as stored: people, teams and reviews are ids. */
type StoredData = {
  readonly assigneeId?: number
  readonly assignerId?: number
  readonly requesterId?: number
  readonly reviewerId?: number
  readonly teamId?: number
  readonly label?: object
  readonly milestone?: object
  readonly rename?: object
  readonly lockReason?: string | null
  readonly stateReason?: string | null
  readonly dismissedReview?: {
    readonly state: string
    readonly reviewId: number
    readonly message: string | null
    readonly commitSha?: string
  }
}

export async function writeIssueEvents(
  context: ExportContext,
  repository: ExportedRepository,
  teams: TeamAddresses,
): Promise<void> {
  const { db, addresses, people, files } = context
  const read = (after: number) =>
    db
      .selectFrom('issue_event')
      .innerJoin('issue', 'issue.id', 'issue_event.issue_id')
      .selectAll('issue_event')
      .select(['issue.number', 'issue.is_pull'])
      .where('issue_event.repository_id', '=', repository.id)
      // A literal, not a parameter: only then does the partial index of events that are not hidden apply.
      .where(sql<SqlBool>`issue_event.is_hidden = 0`)
      .where('issue.deleted_at', 'is', null)
      .where('issue_event.id', '>', after)
      .orderBy('issue_event.id')
      .limit(pageSize)
      .execute()
  for await (const page of readPages(read, ({ id }) => id)) {
    const rows = page.map((row) => ({ ...row, carried: JSON.parse(row.data) as StoredData }))
    await people.look(
      rows.flatMap(({ actor_id, carried }) => [
        actor_id,
        carried.assigneeId,
        carried.assignerId,
        carried.requesterId,
        carried.reviewerId,
      ]),
    )
    for (const row of rows) {
      const issue = addresses.issue(repository, row.number, row.is_pull === 1)
      await files.add({
        type: 'issue_event',
        url: addresses.issueEvent(issue, row.id),
        [row.is_pull === 1 ? 'pull_request' : 'issue']: issue,
        actor: people.address(row.actor_id),
        event: row.event,
        // A commit of another repository is not in the archive, and may be private.
        commit_id: placeElsewhere(row).length > 0 ? null : row.commit_sha,
        ...describe(context, issue, row.carried, teams),
        created_at: formatTime(row.created_at),
      })
    }
  }
}

function describe({ people, addresses }: ExportContext, issue: string, data: StoredData, teams: TeamAddresses): object {
  const { label, milestone, rename, dismissedReview: dismissed } = data
  return {
    ...(data.assigneeId !== undefined && { assignee: people.addressOrNull(data.assigneeId) }),
    ...(data.assignerId !== undefined && { assigner: people.addressOrNull(data.assignerId) }),
    ...(data.requesterId !== undefined && { review_requester: people.addressOrNull(data.requesterId) }),
    ...(data.reviewerId !== undefined && { requested_reviewer: people.addressOrNull(data.reviewerId) }),
    ...(data.teamId !== undefined && { requested_team: teams.addressOrNull(data.teamId) }),
    ...(label && { label }),
    ...(milestone && { milestone }),
    ...(rename && { rename }),
    ...(data.lockReason !== undefined && { lock_reason: data.lockReason }),
    ...(data.stateReason !== undefined && { state_reason: data.stateReason }),
    ...(dismissed && {
      dismissed_review: {
        state: dismissed.state,
        review: addresses.review(issue, dismissed.reviewId),
        dismissal_message: dismissed.message,
        dismissal_commit_id: dismissed.commitSha ?? null,
      },
    }),
  }
}
