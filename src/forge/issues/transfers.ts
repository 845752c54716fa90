/** Transfers an issue to another repository of its owner: it gets a new number, and its old address redirects to it. */
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField, notFound } from '../failures.ts'
import { listAssignable } from './assignees/assignable.ts'
import { recordEvent } from './event-recording.ts'
import type { Issue } from './issue.ts'
import { actOf, placeOf, withIssueLocks } from './issue-act.ts'
import { takeNumber } from './issue-opening.ts'
import type { IssueReading } from './issue-reading.ts'
import { demandIssuesOn, demandMayChange } from './issue-rights.ts'
import { findIssue, type IssueCore } from './issue-row.ts'
import { countOpen, subjectOf } from './issue-state.ts'
import { countInMilestone } from './milestones/milestone-rows.ts'

export type Transfers = ReturnType<typeof makeTransfers>

type Needs = { store: Store; clock: Clock; activity: ActivityRecord; reading: IssueReading }

export function makeTransfers({ store, clock, activity, reading }: Needs) {
  return {
    /** Needs write rights to both repositories. */
    async transfer(from: Access<'write'>, number: number, to: Access<'write'>): Promise<Issue> {
      demandFitting(from.repository, to.repository)
      return store.write(
        async (trx) => {
          const issue = await findIssue(trx, from.repository.id, number)
          demandMayChange(from, issue, 'write')
          if (issue.is_pull === 1) throw invalidField('issue', 'invalid', 'Pull requests can’t be transferred.')
          const act = actOf(to, clock.now())
          const before = await reading.readById(issue.id, trx)
          await move(trx, issue, to.repository, act.now)
          await recordEvent(trx, placeOf(act, issue.id), 'transferred', {})
          const data = { fromRepositoryId: from.repository.id, gone: { issue: before! } }
          await activity.record(trx, { kind: 'issue-transferred', ...subjectOf(act, issue.id), data })
          const moved = await reading.readById(issue.id, trx)
          if (!moved) throw notFound()
          return moved
        },
        withIssueLocks(from.repository.id, to.repository.id),
      )
    },
  }
}

function demandFitting(from: Repository, to: Repository): void {
  const refuse = (reason: string) => invalidField('new_repository', 'invalid', reason)
  if (from.id === to.id) throw refuse('The issue is in this repository.')
  if (from.owner.id !== to.owner.id) throw refuse('The repository must have the same owner.')
  if (from.isPrivate && !to.isPrivate) throw refuse('What is private can’t be transferred to a public repository.')
  demandIssuesOn(to)
}

async function move(trx: Db, issue: IssueCore, to: Repository, now: number): Promise<void> {
  const number = await takeNumber(trx, to.id)
  // Taking a number has counted an open issue: correct the count.
  await countOpen(trx, issue.state === 'open' ? issue.repository_id : to.id, -1)
  const milestoneId = await findMatchingMilestone(trx, issue.milestone_id, to.id)
  await countInMilestone(trx, issue.milestone_id, issue.state, -1, now)
  await countInMilestone(trx, milestoneId, issue.state, 1, now)
  await moveLabels(trx, issue.id, to.id)
  await dropStrangers(trx, issue.id, to)
  await trx
    .updateTable('issue')
    .set({ repository_id: to.id, number, milestone_id: milestoneId, pinned_at: null, updated_at: now })
    .where('id', '=', issue.id)
    .execute()
  await trx
    .insertInto('issue_former_place')
    .values({ repository_id: issue.repository_id, number: issue.number, issue_id: issue.id })
    .execute()
  await moveParts(trx, issue.id, to.id)
}

/** The milestone with the same title. */
async function findMatchingMilestone(trx: Db, milestoneId: number | null, repositoryId: number) {
  if (milestoneId === null) return null
  const row = await trx
    .selectFrom('milestone')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('title_key', '=', (eb) => eb.selectFrom('milestone').select('title_key').where('id', '=', milestoneId))
    .executeTakeFirst()
  return row?.id ?? null
}

/** Keeps labels that the other repository has under the same name, and removes the rest. */
async function moveLabels(trx: Db, issueId: number, repositoryId: number): Promise<void> {
  const keys = trx
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .select('label.name_key')
    .where('issue_label.issue_id', '=', issueId)
  const matching = await trx
    .selectFrom('label')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('name_key', 'in', keys)
    .execute()
  await trx.deleteFrom('issue_label').where('issue_id', '=', issueId).execute()
  for (const { id } of matching)
    await trx.insertInto('issue_label').values({ issue_id: issueId, label_id: id }).execute()
}

/** Removes assignees who cannot be assigned there. */
async function dropStrangers(trx: Db, issueId: number, to: Repository): Promise<void> {
  const assigned = await trx
    .selectFrom('issue_assignee')
    .innerJoin('account', 'account.id', 'issue_assignee.user_id')
    .select(['account.id', 'account.name'])
    .where('issue_id', '=', issueId)
    .execute()
  const assignable = await listAssignable(trx, to, { logins: assigned.map(({ name }) => name) })
  for (const { id } of assigned)
    if (!assignable.some((user) => user.id === id))
      await trx.deleteFrom('issue_assignee').where('issue_id', '=', issueId).where('user_id', '=', id).execute()
}

async function moveParts(trx: Db, issueId: number, repositoryId: number): Promise<void> {
  const comments = trx.selectFrom('issue_comment').select('id').where('issue_id', '=', issueId)
  await trx
    .updateTable('reaction')
    .set({ repository_id: repositoryId })
    .where((eb) =>
      eb.or([
        eb.and([eb('subject_kind', '=', 'issue'), eb('subject_id', '=', issueId)]),
        eb.and([eb('subject_kind', '=', 'issue-comment'), eb('subject_id', 'in', comments)]),
      ]),
    )
    .execute()
  await trx.updateTable('issue_comment').set({ repository_id: repositoryId }).where('issue_id', '=', issueId).execute()
  // The events' commits stay in the former repository.
  await trx
    .updateTable('issue_event')
    .set((eb) => ({
      repository_id: repositoryId,
      commit_repository_id: eb.fn.coalesce('commit_repository_id', 'repository_id'),
    }))
    .where('issue_id', '=', issueId)
    .execute()
}
