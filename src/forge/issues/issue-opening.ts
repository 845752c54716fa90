/** Opens an issue, or the issue of a pull: it takes the next number of its repository. */
import type { Db } from '../../store/schema/schema.ts'
import { reaches } from '../access/level.ts'
import type { Activity, ActivityRecord } from '../activity/activity.ts'
import { notFound } from '../failures.ts'
import { type AssigneeChanges, listAssigneeIds } from './assignees/issue-assignees.ts'
import type { IssueAct } from './issue-act.ts'
import type { IssueCore } from './issue-row.ts'
import { subjectOf } from './issue-state.ts'
import { changeLabelsWithin } from './labels/issue-labels.ts'
import { setMilestoneWithin } from './milestones/issue-milestone.ts'
import { bodySource, keepWords, titleSource } from './search/words.ts'
import type { NoteText } from './written-text.ts'

export type OpeningDraft = {
  readonly title: string
  readonly isPull: boolean
  readonly body?: string | null
  /** These three need triage rights; without them they are silently dropped. */
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly milestone?: number | null
}

export type IssueOpening = ReturnType<typeof makeIssueOpening>

type Needs = { activity: ActivityRecord; assignees: AssigneeChanges; noteText: NoteText }

export function makeIssueOpening({ activity, assignees, noteText }: Needs) {
  return {
    /** Call within a write that holds the lock on the repository's issues. */
    async openWithin(trx: Db, act: IssueAct, draft: OpeningDraft): Promise<{ id: number; number: number }> {
      const number = await takeNumber(trx, act.repository.id)
      const { id } = await trx
        .insertInto('issue')
        .values({
          repository_id: act.repository.id,
          number,
          is_pull: draft.isPull ? 1 : 0,
          state: 'open',
          state_reason: null,
          title: draft.title,
          body: draft.body ?? null,
          author_id: act.actorId,
          milestone_id: null,
          is_locked: 0,
          lock_reason: null,
          pinned_at: null,
          duplicate_of_id: null,
          comment_count: 0,
          app_id: act.appId,
          closed_by_id: null,
          closed_at: null,
          created_at: act.now,
          updated_at: act.now,
          deleted_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const words = { repositoryId: act.repository.id, issueId: id }
      await keepWords(trx, { ...words, source: titleSource, text: draft.title })
      if (draft.body) await keepWords(trx, { ...words, source: bodySource, text: draft.body })
      const mentions = await noteText(trx, { act, issueId: id, text: draft.body ?? '', formerText: '' })
      const told: Activity[] = []
      const later = { ...activity, record: async (_trx: Db, each: Activity) => void told.push(each) }
      if (reaches(act.repository.level, 'triage')) await adorn(trx, later, act, id, draft)
      const assigneeIds = await listAssigneeIds(trx, id)
      await activity.record(trx, { kind: 'issue-opened', ...subjectOf(act, id), data: { mentions, assigneeIds } })
      // Activities about its first labels, milestone and assignees follow the opening.
      for (const each of told) await activity.record(trx, each)
      return { id, number }
    },

    /**
     * Turns an open issue into a pull, within a write that holds the lock on the repository's issues. Answers its id.
     */
    async convertWithin(trx: Db, act: IssueAct, { id }: Pick<IssueCore, 'id'>): Promise<number> {
      await trx
        .updateTable('issue')
        // A pull has no reason for its state, and cannot be pinned.
        .set({ is_pull: 1, state_reason: null, pinned_at: null, updated_at: act.now })
        .where('id', '=', id)
        .execute()
      const data = { mentions: { users: [], teams: [] }, assigneeIds: [] }
      await activity.record(trx, { kind: 'issue-opened', ...subjectOf(act, id), data })
      return id
    },
  }

  async function adorn(
    trx: Db,
    activity: ActivityRecord,
    act: IssueAct,
    id: number,
    draft: OpeningDraft,
  ): Promise<void> {
    if (draft.labels?.length) await changeLabelsWithin(trx, activity, act, id, { mode: 'set', names: draft.labels })
    if (typeof draft.milestone === 'number') await setMilestoneWithin(trx, activity, act, id, draft.milestone)
    if (draft.assignees?.length) await assignees.changeWithin(trx, act, id, { mode: 'open', logins: draft.assignees })
  }
}

/** Takes the repository's next number, and counts one more open issue. */
export async function takeNumber(trx: Db, repositoryId: number): Promise<number> {
  const row = await trx
    .updateTable('repository')
    .set((eb) => ({
      last_issue_number: eb('last_issue_number', '+', 1),
      open_issue_count: eb('open_issue_count', '+', 1),
    }))
    .where('id', '=', repositoryId)
    .returning('last_issue_number')
    .executeTakeFirst()
  if (!row) throw notFound()
  return row.last_issue_number
}
