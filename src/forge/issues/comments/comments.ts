/** Comments on issues and pulls: written, read, edited and deleted. */
import { sql } from 'kysely'
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import { readLongTexts } from '../../../store/long-texts.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { isGrantedTo } from '../../access/required-grant.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField, notFound } from '../../failures.ts'
import { readCompletePage } from '../../row-pages.ts'
import { recordEvent } from '../event-recording.ts'
import { actOf, placeOf, withIssueLocks } from '../issue-act.ts'
import { demandMayChange, demandReadable, demandUnlocked } from '../issue-rights.ts'
import { findIssue, getIssueRow, type IssueCore, touchIssue } from '../issue-row.ts'
import { subjectOf } from '../issue-state.ts'
import type { NoteDuplicate } from '../references/duplicates.ts'
import { dropWords, keepWords } from '../search/words.ts'
import type { NoteText } from '../written-text.ts'
import type { Comment } from './comment.ts'
import { type CommentRow, completeComments, selectComments } from './comment-reading.ts'

/** The order for a whole repository; an issue's comments are always listed oldest first. */
export type CommentOrder = {
  readonly sort: 'created' | 'updated'
  readonly direction: 'asc' | 'desc'
}

type Needs = { store: Store; clock: Clock; activity: ActivityRecord; noteText: NoteText; noteDuplicate: NoteDuplicate }

export type Comments = ReturnType<typeof makeComments>

export function makeComments({ store, clock, activity, noteText, noteDuplicate }: Needs) {
  const { db } = store

  const complete = (rows: readonly CommentRow[]) => completeComments(db, rows)

  async function readWhole(on: Db, id: number): Promise<Comment> {
    const rows = await selectComments(on).where('issue_comment.id', '=', id).execute()
    const [comment] = await completeComments(on, rows)
    if (!comment) throw notFound()
    return comment
  }

  async function findRow(on: Db, repository: OpenRepository, id: number): Promise<CommentRow> {
    const row = await selectComments(on)
      .where('issue_comment.id', '=', id)
      .where('issue_comment.repository_id', '=', repository.id)
      .executeTakeFirst()
    if (!row) throw notFound()
    await readLongTexts(on, 'issue_comment', [row])
    return row
  }

  /**
   * Call within a write that holds the lock on the repository's issues. For the author, and users with write rights.
   */
  async function demandOwn(
    trx: Db,
    access: Access<'read'>,
    id: number,
  ): Promise<{ row: CommentRow; issue: IssueCore }> {
    const row = await findRow(trx, access.repository, id)
    const issue = await getIssueRow(trx, row.issue_id)
    demandMayChange(access, { is_pull: issue.is_pull, author_id: row.author_id }, 'write', { orAuthor: true })
    return { row, issue }
  }

  return {
    async list(
      actor: Actor,
      repository: OpenRepository,
      number: number,
      since: Date | undefined,
      page: PageRequest,
    ): Promise<Page<Comment>> {
      const issue = await findIssue(db, repository.id, number)
      demandReadable(actor, repository, issue)
      let query = selectComments(db).where('issue_comment.issue_id', '=', issue.id)
      if (since) query = query.where('issue_comment.updated_at', '>=', since.getTime())
      return readCompletePage(query.orderBy('issue_comment.id'), page, complete)
    },

    /** The same page for each of several issues, oldest first; `isFromEnd` counts from the newest. */
    async listOfMany(
      issueIds: readonly number[],
      { offset, limit }: PageRequest,
      isFromEnd: boolean,
    ): Promise<Map<number, Comment[]>> {
      const order = sql.raw(isFromEnd ? 'desc' : 'asc')
      const numbered = db
        .selectFrom('issue_comment')
        .select(['id', sql<number>`row_number() over (partition by issue_id order by id ${order})`.as('place')])
        .where('issue_id', 'in', issueIds)
      const rows = await selectComments(db)
        .innerJoin(numbered.as('numbered'), 'numbered.id', 'issue_comment.id')
        .where('numbered.place', '>', offset)
        .where('numbered.place', '<=', offset + limit)
        .orderBy('issue_comment.id')
        .execute()
      return Map.groupBy(await complete(rows), ({ issueId }) => issueId)
    },

    /** Comments on issues, if issues are on and the token covers them, and on pulls likewise. */
    async listAll(
      actor: Actor,
      repository: OpenRepository,
      since: Date | undefined,
      { sort, direction }: CommentOrder,
      page: PageRequest,
    ): Promise<Page<Comment>> {
      const mayRead = (name: string) =>
        !repository.isPrivate ||
        isGrantedTo(actor, { scopes: [], permissions: [{ name, level: 'read' }] }, repository.owner)
      const kinds = [
        ...(repository.options.hasIssues && mayRead('issues') ? [0] : []),
        ...(mayRead('pull_requests') ? [1] : []),
      ]
      if (kinds.length === 0) return { total: 0, items: [] }
      let query = selectComments(db).where('issue_comment.repository_id', '=', repository.id)
      if (kinds.length === 1) query = query.where('issue.is_pull', '=', kinds[0]!)
      if (since) query = query.where('issue_comment.updated_at', '>=', since.getTime())
      const ordered = sort === 'updated' ? query.orderBy('issue_comment.updated_at', direction) : query
      return readCompletePage(ordered.orderBy('issue_comment.id', direction), page, complete)
    },

    async get(actor: Actor, repository: OpenRepository, id: number): Promise<Comment> {
      const row = await findRow(db, repository, id)
      demandReadable(actor, repository, row)
      const [comment] = await complete([row])
      return comment!
    },

    async write(access: Access<'read'>, number: number, body: string): Promise<Comment> {
      const { repository } = access
      demandText(body)
      return store.write(async (trx) => {
        const act = actOf(access, clock.now())
        const issue = await findIssue(trx, repository.id, number)
        demandMayChange(access, issue, 'read')
        demandUnlocked(access, issue)
        const { id } = await trx
          .insertInto('issue_comment')
          .values({
            repository_id: repository.id,
            issue_id: issue.id,
            author_id: act.actorId,
            body,
            app_id: act.appId,
            created_at: act.now,
            updated_at: act.now,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        await trx
          .updateTable('issue')
          .set((eb) => ({ comment_count: eb('comment_count', '+', 1), updated_at: act.now }))
          .where('id', '=', issue.id)
          .execute()
        await keepWords(trx, { repositoryId: repository.id, issueId: issue.id, source: id, text: body })
        const mentions = await noteText(trx, { act, issueId: issue.id, text: body, formerText: '' })
        await activity.record(trx, {
          kind: 'issue-commented',
          ...subjectOf(act, issue.id),
          data: { commentId: id, mentions },
        })
        await noteDuplicate(trx, act, issue, body)
        return readWhole(trx, id)
      }, withIssueLocks(repository.id))
    },

    async edit(access: Access<'read'>, id: number, body: string): Promise<Comment> {
      const { repository } = access
      demandText(body)
      return store.write(async (trx) => {
        const act = actOf(access, clock.now())
        const { row, issue } = await demandOwn(trx, access, id)
        demandUnlocked(access, issue)
        if (row.body !== body) {
          await trx.updateTable('issue_comment').set({ body, updated_at: act.now }).where('id', '=', id).execute()
          await touchIssue(trx, issue.id, act.now)
          await keepWords(trx, { repositoryId: repository.id, issueId: issue.id, source: id, text: body })
          const mentions = await noteText(trx, { act, issueId: issue.id, text: body, formerText: row.body })
          await activity.record(trx, {
            kind: 'comment-edited',
            ...subjectOf(act, issue.id),
            data: { commentId: id, mentions, changes: { body: { from: row.body } } },
          })
        }
        return readWhole(trx, id)
      }, withIssueLocks(repository.id))
    },

    async remove(access: Access<'read'>, id: number): Promise<void> {
      const { repository } = access
      await store.write(async (trx) => {
        const act = actOf(access, clock.now())
        const { issue } = await demandOwn(trx, access, id)
        const comment = await readWhole(trx, id)
        await trx
          .deleteFrom('reaction')
          .where('subject_kind', '=', 'issue-comment')
          .where('subject_id', '=', id)
          .execute()
        await dropWords(trx, issue.id, id)
        await trx.deleteFrom('issue_comment').where('id', '=', id).execute()
        await trx
          .updateTable('issue')
          .set((eb) => ({ comment_count: eb('comment_count', '-', 1), updated_at: act.now }))
          .where('id', '=', issue.id)
          .execute()
        await recordEvent(trx, placeOf(act, issue.id), 'comment_deleted', {})
        await activity.record(trx, {
          kind: 'comment-deleted',
          ...subjectOf(act, issue.id),
          data: { gone: { comment } },
        })
      }, withIssueLocks(repository.id))
    },
  }
}

function demandText(body: string): void {
  if (body.trim() === '') throw invalidField('body', 'missing_field', 'Body can’t be blank')
}
