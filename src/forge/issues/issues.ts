/** Issues: opened, read, edited, closed and reopened. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { ActivityRecord, Changes, Mentions } from '../activity/activity.ts'
import { invalidField, notFound } from '../failures.ts'
import type { AssigneeChanges } from './assignees/issue-assignees.ts'
import { recordEvent } from './event-recording.ts'
import type { Issue } from './issue.ts'
import { actOf, type IssueAct, placeOf, withIssueLocks } from './issue-act.ts'
import type { IssueOpening } from './issue-opening.ts'
import type { IssueReading } from './issue-reading.ts'
import { demandIssuesOn, demandMayChange, demandReadable, demandUnlocked } from './issue-rights.ts'
import { findIssue, type IssueCore } from './issue-row.ts'
import { type CloseReason, type IssueStates, subjectOf } from './issue-state.ts'
import { changeLabelsWithin } from './labels/issue-labels.ts'
import { setMilestoneWithin } from './milestones/issue-milestone.ts'
import { bodySource, keepWords, titleSource } from './search/words.ts'
import type { NoteText } from './written-text.ts'

/** Absent members stay unchanged. Labels and assignees replace all that were there. */
export type IssueEdit = {
  readonly title?: string
  readonly body?: string | null
  readonly state?: 'open' | 'closed'
  readonly reason?: CloseReason
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly milestone?: number | null
}

export type IssueDraft = {
  readonly title: string
  readonly body?: string | null
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly milestone?: number | null
}

type Needs = {
  store: Store
  clock: Clock
  activity: ActivityRecord
  reading: IssueReading
  opening: IssueOpening
  states: IssueStates
  assignees: AssigneeChanges
  noteText: NoteText
}

export type Issues = ReturnType<typeof makeIssues>

export function makeIssues({ store, clock, activity, reading, opening, states, assignees, noteText }: Needs) {
  const { db } = store

  async function readWhole(id: number, on: Db): Promise<Issue> {
    const issue = await reading.readById(id, on)
    if (!issue) throw notFound()
    return issue
  }

  /** Edits rows of issues and of pulls: the routes of pulls use it, too. */
  async function editWithin(trx: Db, act: IssueAct, issue: IssueCore, edit: IssueEdit): Promise<void> {
    const mentions = await editText(trx, act, issue, edit)
    if (edit.milestone !== undefined) await setMilestoneWithin(trx, activity, act, issue.id, edit.milestone)
    if (edit.labels) await changeLabelsWithin(trx, activity, act, issue.id, { mode: 'set', names: edit.labels })
    if (edit.assignees) await assignees.changeWithin(trx, act, issue.id, { mode: 'set', logins: edit.assignees })
    // If one act assigns and mentions somebody, the mention counts, so it is recorded last.
    if (mentions)
      await activity.record(trx, {
        kind: 'issue-edited',
        ...subjectOf(act, issue.id),
        data: { mentions, changes: listChanges(issue, edit) },
      })
    if (edit.state === 'closed') await states.closeWithin(trx, act, issue.id, { reason: edit.reason })
    if (edit.state === 'open') await states.reopenWithin(trx, act, issue.id)
  }

  /** Answers the new mentions; undefined if nothing changed. */
  async function editText(trx: Db, act: IssueAct, issue: IssueCore, edit: IssueEdit): Promise<Mentions | undefined> {
    const title = edit.title === undefined ? issue.title : readTitle(edit.title)
    const body = edit.body === undefined ? issue.body : edit.body
    if (title === issue.title && body === issue.body) return undefined
    await trx.updateTable('issue').set({ title, body, updated_at: act.now }).where('id', '=', issue.id).execute()
    if (title !== issue.title)
      await recordEvent(trx, placeOf(act, issue.id), 'renamed', { rename: { from: issue.title, to: title } })
    const words = { repositoryId: issue.repository_id, issueId: issue.id }
    if (title !== issue.title) await keepWords(trx, { ...words, source: titleSource, text: title })
    if (body !== issue.body) await keepWords(trx, { ...words, source: bodySource, text: body ?? '' })
    const written = { act, issueId: issue.id, text: body ?? '', formerText: issue.body ?? '' }
    return noteText(trx, written)
  }

  return {
    editWithin,

    async get(actor: Actor, repository: OpenRepository, number: number): Promise<Issue> {
      const issue = await reading.readByNumber(repository.id, number)
      // `findIssue` throws as well, and tells a deleted issue from one that never existed.
      if (!issue) return readWhole((await findIssue(db, repository.id, number)).id, db)
      demandReadable(actor, repository, { is_pull: issue.isPull ? 1 : 0 })
      return issue
    },

    async open(access: Access<'read'>, draft: IssueDraft): Promise<Issue> {
      demandIssuesOn(access.repository)
      const title = readTitle(draft.title)
      return store.write(async (trx) => {
        const act = actOf(access, clock.now())
        const { id } = await opening.openWithin(trx, act, { ...draft, title, isPull: false })
        return readWhole(id, trx)
      }, withIssueLocks(access.repository.id))
    },

    /** Authors edit their own text and state; triage rights allow all but others' text, which needs write rights. */
    async edit(access: Access<'read'>, number: number, edit: IssueEdit): Promise<Issue> {
      const { repository } = access
      return store.write(async (trx) => {
        const row = await findIssue(trx, repository.id, number)
        demandMayChange(access, row, 'triage', { orAuthor: true })
        const editsText = edit.title !== undefined || edit.body !== undefined
        if (editsText) demandMayChange(access, row, 'write', { orAuthor: true })
        // With triage rights one may reopen a locked issue. An author who may not comment can only close it.
        if (editsText || (edit.state === 'open' && !reaches(repository.level, 'triage'))) demandUnlocked(access, row)
        await editWithin(trx, actOf(access, clock.now()), row, withoutSilenced(repository, edit))
        return readWhole(row.id, trx)
      }, withIssueLocks(repository.id))
    },
  }
}

function listChanges(before: IssueCore, { title, body }: IssueEdit): Changes {
  return {
    ...(title !== undefined && readTitle(title) !== before.title && { title: { from: before.title } }),
    ...(body !== undefined && body !== before.body && { body: { from: before.body ?? '' } }),
  }
}

/** Without triage rights these members are silently dropped, as clients expect. */
function withoutSilenced(repository: OpenRepository, edit: IssueEdit): IssueEdit {
  if (reaches(repository.level, 'triage')) return edit
  const { labels: _labels, assignees: _assignees, milestone: _milestone, ...rest } = edit
  return rest
}

export function readTitle(text: string): string {
  const title = text.trim()
  if (title === '') throw invalidField('title', 'missing_field', 'It needs a title.')
  return title
}
