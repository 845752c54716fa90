/** Line comments of a pull. Each belongs to a review; one written by itself gets its own. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { ReviewCommentTable } from '../../../store/schema/pull-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { reaches } from '../../access/level.ts'
import type { Access } from '../../access/opening.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField, notFound } from '../../failures.ts'
import { actOf, type IssueAct, withIssueLocks } from '../../issues/issue-act.ts'
import { demandUnlocked } from '../../issues/issue-rights.ts'
import { getIssueRow, touchIssue } from '../../issues/issue-row.ts'
import { subjectOf } from '../../issues/issue-state.ts'
import type { NoteText } from '../../issues/written-text.ts'
import type { Pull } from '../pull.ts'
import { findPull } from '../pull-row.ts'
import type { CommentDraft, CommentPlace, CommentPlaces } from './comment-place.ts'
import type { ReviewComment } from './review.ts'
import { insertComment } from './review-comment-row.ts'
import type { ReviewReading } from './review-reading.ts'

type Needs = {
  store: Store
  clock: Clock
  activity: ActivityRecord
  places: CommentPlaces
  reviewReading: ReviewReading
  noteText: NoteText
}

type CommentRow = Selectable<ReviewCommentTable>

export type ReviewComments = ReturnType<typeof makeReviewComments>

export function makeReviewComments({ store, clock, activity, places, reviewReading, noteText }: Needs) {
  type New = { readonly body: string; readonly place: CommentPlace; readonly replyToId?: number }

  async function add(access: Access<'read'>, pull: Pull, { body, place, replyToId }: New): Promise<ReviewComment> {
    const { repository, actor } = access
    const id = await store.write(async (trx) => {
      const { issue } = await findPull(trx, repository.id, pull.issue.number)
      demandUnlocked(access, issue)
      const by = actOf(access, clock.now())
      const reviewId = await insertOwnReview(trx, by, issue.id, place.original_commit_sha)
      const added = await insertComment(trx, by, {
        issueId: issue.id,
        reviewId,
        body,
        place,
        ...(replyToId !== undefined && { replyToId }),
      })
      const mentions = await noteText(trx, { act: by, issueId: issue.id, text: body, formerText: '' })
      await touchIssue(trx, issue.id, by.now)
      await activity.record(trx, {
        kind: 'review-commented',
        ...subjectOf(by, issue.id),
        data: { commentId: added, mentions },
      })
      return added
    }, withIssueLocks(repository.id))
    return reviewReading.getComment(actor, repository, id)
  }

  /**
   * Adds to the actor's pending review: the named one, else the existing one, else a new one. Mentioned users are
   * notified when it is submitted.
   */
  async function addPending(
    access: Access<'read'>,
    pull: Pull,
    { body, place, replyToId }: New,
    given: number | undefined,
  ): Promise<ReviewComment> {
    if (body.trim() === '') throw invalidField('body', 'missing_field', 'It needs a body.')
    const { repository, actor } = access
    const id = await store.write(async (trx) => {
      const { issue } = await findPull(trx, repository.id, pull.issue.number)
      demandUnlocked(access, issue)
      const by = actOf(access, clock.now())
      const own = await findPendingReview(trx, issue.id, by.actorId)
      if (given !== undefined && own !== given) throw notFound()
      const reviewId = own ?? (await insertPendingReview(trx, by, issue.id, place.original_commit_sha))
      await demandRoom(trx, reviewId)
      const reply = replyToId === undefined ? {} : { replyToId }
      return insertComment(trx, by, { issueId: issue.id, reviewId, body, place, ...reply })
    }, withIssueLocks(repository.id))
    return reviewReading.getComment(actor, repository, id)
  }

  /** A comment that others can see. Pending ones can't be answered: only their author sees them. */
  async function findRow(db: Db, repositoryId: number, id: number): Promise<CommentRow> {
    const row = await db
      .selectFrom('review_comment')
      .innerJoin('review', 'review.id', 'review_comment.review_id')
      .selectAll('review_comment')
      .where('review_comment.repository_id', '=', repositoryId)
      .where('review_comment.id', '=', id)
      .where('review.state', '!=', 'PENDING')
      .executeTakeFirst()
    if (!row) throw notFound()
    return row
  }

  /** Authors may change their own comments, and users with write access anyone's; a pending one only its author. */
  async function findOwn(trx: Db, { actor, repository }: Access<'read'>, id: number): Promise<CommentRow> {
    const row = await trx
      .selectFrom('review_comment')
      .innerJoin('review', 'review.id', 'review_comment.review_id')
      .selectAll('review_comment')
      .select('review.state as review_state')
      .where('review_comment.repository_id', '=', repository.id)
      .where('review_comment.id', '=', id)
      .executeTakeFirst()
    const isOwn = row?.author_id === actor.account.id
    if (!row || (row.review_state === 'PENDING' && !isOwn)) throw notFound()
    const mayChange = isOwn || reaches(repository.level, 'write')
    await getIssueRow(trx, row.issue_id)
    demand(mayChange, 'forbidden', 'level-missing', 'Must be its author, or have write rights to Repository.')
    return row
  }

  return {
    async create(access: Access<'read'>, pull: Pull, draft: CommentDraft): Promise<ReviewComment> {
      const [place] = await places.place(pull, [draft])
      return add(access, pull, { body: draft.body, place: place! })
    },

    /** Adds to the actor's own review, which is submitted later. */
    async createPending(
      access: Access<'read'>,
      pull: Pull,
      draft: CommentDraft,
      reviewId: number | undefined,
    ): Promise<ReviewComment> {
      const [place] = await places.place(pull, [draft])
      return addPending(access, pull, { body: draft.body, place: place! }, reviewId)
    },

    /** An answer takes the place of the thread's first comment. */
    async reply(access: Access<'read'>, pull: Pull, commentId: number, body: string): Promise<ReviewComment> {
      return add(access, pull, answerTo(await findRow(store.db, access.repository.id, commentId), pull, body))
    },

    async replyPending(
      access: Access<'read'>,
      pull: Pull,
      commentId: number,
      body: string,
      reviewId: number | undefined,
    ): Promise<ReviewComment> {
      const row = await findRow(store.db, access.repository.id, commentId)
      return addPending(access, pull, answerTo(row, pull, body), reviewId)
    },

    /** The actor's own pending review of a pull. */
    findPendingReview: (access: Access<'read'>, issueId: number): Promise<number | undefined> =>
      findPendingReview(store.db, issueId, access.actor.account.id),

    async edit(access: Access<'read'>, id: number, body: string): Promise<ReviewComment> {
      if (body.trim() === '') throw invalidField('body', 'missing_field', 'It needs a body.')
      await store.write(async (trx) => {
        const row = await findOwn(trx, access, id)
        demandUnlocked(access, await getIssueRow(trx, row.issue_id))
        const by = actOf(access, clock.now())
        await trx.updateTable('review_comment').set({ body, updated_at: by.now }).where('id', '=', id).execute()
        await noteText(trx, { act: by, issueId: row.issue_id, text: body, formerText: row.body })
        if (row.body !== body && (await isSeen(trx, row)))
          await activity.record(trx, {
            kind: 'review-comment-edited',
            ...subjectOf(by, row.issue_id),
            data: { commentId: id, changes: { body: { from: row.body } } },
          })
      }, withIssueLocks(access.repository.id))
      return reviewReading.getComment(access.actor, access.repository, id)
    },

    async remove(access: Access<'read'>, id: number): Promise<void> {
      const comment = await reviewReading.getComment(access.actor, access.repository, id)
      await store.write(async (trx) => {
        const row = await findOwn(trx, access, id)
        if (await isSeen(trx, row))
          await activity.record(trx, {
            kind: 'review-comment-deleted',
            ...subjectOf(actOf(access, clock.now()), row.issue_id),
            data: { gone: { comment } },
          })
        await trx
          .deleteFrom('reaction')
          .where('subject_kind', '=', 'review-comment')
          .where('subject_id', '=', id)
          .execute()
        await trx.deleteFrom('review_comment').where('id', '=', id).execute()
        await dropEmptyReview(trx, row.review_id)
        await touchIssue(trx, row.issue_id, clock.now())
      }, withIssueLocks(access.repository.id))
    },
  }
}

function answerTo(row: CommentRow, pull: Pull, body: string) {
  if (row.issue_id !== pull.issue.id) throw notFound()
  const { path, subject_kind, diff_hunk, side, start_side } = row
  const { original_commit_sha, original_position, original_line, original_start_line } = row
  const place = {
    ...{ path, subject_kind, diff_hunk, side, start_side },
    ...{ original_commit_sha, original_position, original_line, original_start_line },
  }
  return { body, place, replyToId: row.reply_to_id ?? row.id }
}

async function findPendingReview(on: Db, issueId: number, authorId: number): Promise<number | undefined> {
  const row = await on
    .selectFrom('review')
    .select('id')
    .where('issue_id', '=', issueId)
    .where('author_id', '=', authorId)
    .where('state', '=', 'PENDING')
    .executeTakeFirst()
  return row?.id
}

/** Ten times what one request may create: a review is read as a whole when it is submitted. */
const maxPendingComments = 1_000

async function demandRoom(trx: Db, reviewId: number): Promise<void> {
  const { count } = await trx
    .selectFrom('review_comment')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('review_id', '=', reviewId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxPendingComments)
    throw invalidField('body', 'unprocessable', `A review can have at most ${maxPendingComments} comments.`)
}

/** Whether the comment is published: pending ones notify nobody. */
async function isSeen(trx: Db, { review_id }: CommentRow): Promise<boolean> {
  const row = await trx.selectFrom('review').select('state').where('id', '=', review_id).executeTakeFirst()
  return row !== undefined && row.state !== 'PENDING'
}

const insertOwnReview = (trx: Db, by: IssueAct, issueId: number, commitSha: string): Promise<number> =>
  insertReview(trx, by, issueId, commitSha, true)

const insertPendingReview = (trx: Db, by: IssueAct, issueId: number, commitSha: string): Promise<number> =>
  insertReview(trx, by, issueId, commitSha, false)

async function insertReview(
  trx: Db,
  by: IssueAct,
  issueId: number,
  commitSha: string,
  isSubmitted: boolean,
): Promise<number> {
  const { id } = await trx
    .insertInto('review')
    .values({
      issue_id: issueId,
      repository_id: by.repository.id,
      author_id: by.actorId,
      state: isSubmitted ? 'COMMENTED' : 'PENDING',
      body: '',
      commit_sha: commitSha,
      submitted_at: isSubmitted ? by.now : null,
      created_at: by.now,
      updated_at: by.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Deletes a review that consisted only of the comment. */
async function dropEmptyReview(trx: Db, reviewId: number): Promise<void> {
  const other = await trx.selectFrom('review_comment').select('id').where('review_id', '=', reviewId).executeTakeFirst()
  if (other) return
  await trx
    .deleteFrom('review')
    .where('id', '=', reviewId)
    .where('state', '=', 'COMMENTED')
    .where('body', '=', '')
    .execute()
}
