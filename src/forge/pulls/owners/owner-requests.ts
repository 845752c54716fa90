/** Asks the owners of a pull's files for their reviews, once each: when it is opened, ready, or has new commits. */
import { theServer } from '../../../accounts/actor.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { type IssueAct, withIssueLocks } from '../../issues/issue-act.ts'
import { touchIssue } from '../../issues/issue-row.ts'
import { takesWrites } from '../following/pull-changes.ts'
import { unlessGone } from '../following/pull-following.ts'
import type { PullEnds } from '../pull-ends.ts'
import type { PullReading } from '../pull-reading.ts'
import { getPullRows, isOpen } from '../pull-row.ts'
import { maxReviewers, type ReviewRequests } from '../reviews/review-requests.ts'
import type { CodeOwner, CodeOwners } from './code-owners.ts'
import { requestOwnersKind } from './owner-review-requests.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  ends: PullEnds
  reading: PullReading
  codeOwners: CodeOwners
  requests: ReviewRequests
}

export function serveOwnerRequests({ store, clock, jobs, ends, reading, codeOwners, requests }: Needs): void {
  const { db } = store

  async function listAsked(trx: Db, issueId: number, authorId: number): Promise<Set<string>> {
    const events = await trx
      .selectFrom('issue_event')
      .select('data')
      .where('issue_id', '=', issueId)
      .where('event', '=', 'review_requested')
      .execute()
    const reviews = await trx.selectFrom('review').select('author_id').where('issue_id', '=', issueId).execute()
    return new Set([
      keyOf({ userId: authorId }),
      ...reviews.map(({ author_id }) => keyOf({ userId: author_id })),
      ...events.map(({ data }) => {
        const { reviewerId, teamId } = JSON.parse(data)
        return keyOf(reviewerId === undefined ? { teamId } : { userId: reviewerId })
      }),
    ])
  }

  async function ask(issueId: number): Promise<void> {
    const rows = await getPullRows(db, issueId)
    if (!isOpen(rows) || rows.row.is_draft === 1) return
    const repository = await ends.findRepository(rows.row.repository_id)
    if (!repository || !takesWrites(repository)) return
    const owners = await codeOwners.list(await reading.readById(theServer, repository, issueId))
    if (owners.length === 0) return
    await store.write(async (trx) => {
      const { issue, row } = await getPullRows(trx, issueId)
      if (!isOpen({ issue, row }) || row.repository_id !== repository.id) return
      const asked = await listAsked(trx, issueId, issue.author_id)
      const wanted = owners.filter((owner) => !asked.has(keyOf(owner)))
      const open = await trx.selectFrom('review_request').select('id').where('issue_id', '=', issueId).execute()
      const by: IssueAct = { repository, actorId: issue.author_id, appId: null, now: clock.now() }
      for (const owner of wanted.slice(0, Math.max(0, maxReviewers - open.length)))
        await requests.requestWithin(trx, by, issueId, owner)
      if (wanted.length > 0) await touchIssue(trx, issueId, by.now)
    }, withIssueLocks(repository.id))
  }

  jobs.define<{ issueId: number }>(requestOwnersKind, ({ issueId }) => ask(issueId).catch(unlessGone))
}

const keyOf = (owner: CodeOwner): string => ('userId' in owner ? `user:${owner.userId}` : `team:${owner.teamId}`)
