/** Reviews: start, submit, edit, dismiss. Only its author sees a pending one. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import { prepareFor } from '../../../store/prepared.ts'
import type { ReviewState, ReviewTable } from '../../../store/schema/pull-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import { type Repository, selectNear } from '../../access/repository.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { notFound } from '../../failures.ts'
import { recordEvent } from '../../issues/event-recording.ts'
import { actOf, type IssueAct, placeOf, withIssueLocks } from '../../issues/issue-act.ts'
import { demandUnlocked } from '../../issues/issue-rights.ts'
import { type IssueCore, touchIssue } from '../../issues/issue-row.ts'
import { subjectOf } from '../../issues/issue-state.ts'
import type { NoteText } from '../../issues/written-text.ts'
import type { Pull } from '../pull.ts'
import { refuse } from '../pull-opening.ts'
import { findPull } from '../pull-row.ts'
import type { CommentDraft, CommentPlaces } from './comment-place.ts'
import type { Review } from './review.ts'
import { insertComment } from './review-comment-row.ts'
import type { ReviewReading } from './review-reading.ts'

export const verdicts = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const
export type Verdict = (typeof verdicts)[number]

const states: Record<Verdict, ReviewState> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
}

export type ReviewDraft = {
  readonly verdict?: Verdict | undefined
  readonly body?: string | undefined
  readonly commitSha?: string | undefined
  readonly comments?: readonly CommentDraft[] | undefined
}

type ReviewRow = Selectable<ReviewTable>

/** A reviewer's latest approval or request for changes. */
export type Opinion = {
  readonly reviewerId: number
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED'
  readonly commitSha: string
}

type Needs = {
  store: Store
  clock: Clock
  activity: ActivityRecord
  places: CommentPlaces
  reviewReading: ReviewReading
  noteText: NoteText
}

export type Reviews = ReturnType<typeof makeReviews>

export function makeReviews({ store, clock, activity, places, reviewReading, noteText }: Needs) {
  /** Runs in one write that holds the repository's issues lock, and reads the pull inside it. */
  const change = async (
    access: Access<'read'>,
    pull: Pull,
    act: (trx: Db, by: IssueAct, issue: IssueCore) => Promise<number>,
  ): Promise<Review> => {
    const { repository, actor } = access
    const id = await store
      .write(async (trx) => {
        const { issue } = await findPull(trx, repository.id, pull.issue.number)
        demandUnlocked(access, issue)
        return act(trx, actOf(access, clock.now()), issue)
      }, withIssueLocks(repository.id))
      .catch((error) => {
        throw isUniqueViolation(error) ? refuse('User can only have one pending review per pull request') : error
      })
    return reviewReading.getReview(actor, pull.issue.id, id)
  }

  async function findRow(trx: Db, issueId: number, id: number): Promise<ReviewRow> {
    const row = await trx
      .selectFrom('review')
      .selectAll()
      .where('id', '=', id)
      .where('issue_id', '=', issueId)
      .executeTakeFirst()
    if (!row) throw notFound()
    return row
  }

  /** The actor's own pending review; others' pending reviews count as not found. */
  async function findPending(trx: Db, by: IssueAct, issueId: number, id: number): Promise<ReviewRow> {
    const row = await findRow(trx, issueId, id)
    if (row.author_id === by.actorId && row.state === 'PENDING') return row
    throw row.state === 'PENDING' ? notFound() : refuse('The review is submitted already.')
  }

  /** Makes a review visible: it counts from now on, and the request to its author is done. */
  async function publish(trx: Db, by: IssueAct, row: Pick<ReviewRow, 'id' | 'issue_id' | 'body'>): Promise<void> {
    const { issue_id: issueId } = row
    const written = await trx.selectFrom('review_comment').select('body').where('review_id', '=', row.id).execute()
    const text = [row.body, ...written.map(({ body }) => body)].join('\n\n')
    const mentions = await noteText(trx, { act: by, issueId, text, formerText: '' })
    await trx.deleteFrom('review_request').where('issue_id', '=', issueId).where('user_id', '=', by.actorId).execute()
    await touchIssue(trx, issueId, by.now)
    await activity.record(trx, {
      kind: 'pull-reviewed',
      ...subjectOf(by, issueId),
      data: { reviewId: row.id, mentions },
    })
  }

  return {
    async create(access: Access<'read'>, pull: Pull, draft: ReviewDraft): Promise<Review> {
      const { verdict, body = '', comments = [] } = draft
      if (verdict) demandVerdict(access, pull, { verdict, body, comments: comments.length })
      const placed = await places.place(
        pull,
        comments.map((comment) => ({ ...comment, commitSha: draft.commitSha })),
      )
      const commitSha = placed[0]?.original_commit_sha ?? (await places.findCommit(pull, draft.commitSha))
      return change(access, pull, async (trx, by, issue) => {
        const { id } = await trx
          .insertInto('review')
          .values({
            issue_id: issue.id,
            repository_id: issue.repository_id,
            author_id: by.actorId,
            state: verdict ? states[verdict] : 'PENDING',
            body,
            commit_sha: commitSha,
            submitted_at: verdict ? by.now : null,
            created_at: by.now,
            updated_at: by.now,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        for (const [i, place] of placed.entries())
          await insertComment(trx, by, { issueId: issue.id, reviewId: id, body: comments[i]!.body, place })
        if (verdict) await publish(trx, by, { id, issue_id: issue.id, body })
        return id
      })
    },

    submit: (access: Access<'read'>, pull: Pull, id: number, verdict: Verdict, body: string | undefined) =>
      change(access, pull, async (trx, by, issue) => {
        const row = await findPending(trx, by, issue.id, id)
        const text = body ?? row.body
        const { count } = await trx
          .selectFrom('review_comment')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('review_id', '=', id)
          .executeTakeFirstOrThrow()
        demandVerdict(access, pull, { verdict, body: text, comments: Number(count) })
        await trx
          .updateTable('review')
          .set({ state: states[verdict], body: text, submitted_at: by.now, updated_at: by.now })
          .where('id', '=', id)
          .execute()
        await publish(trx, by, { id, issue_id: issue.id, body: text })
        return id
      }),

    /** Authors may edit the text of their reviews. */
    edit: (access: Access<'read'>, pull: Pull, id: number, body: string) =>
      change(access, pull, async (trx, by, issue) => {
        const row = await findRow(trx, issue.id, id)
        if (row.state === 'PENDING' && row.author_id !== by.actorId) throw notFound()
        demand(row.author_id === by.actorId, 'forbidden', 'not-author', 'Only its author can change a review.')
        await trx.updateTable('review').set({ body, updated_at: by.now }).where('id', '=', id).execute()
        if (row.state !== 'PENDING')
          await noteText(trx, { act: by, issueId: issue.id, text: body, formerText: row.body })
        if (row.state !== 'PENDING' && row.body !== body)
          await activity.record(trx, {
            kind: 'review-changed',
            ...subjectOf(by, issue.id),
            data: { action: 'edited', reviewId: id, changes: { body: { from: row.body } } },
          })
        return id
      }),

    /** Answers the review as it was. */
    async deletePending(access: Access<'read'>, pull: Pull, id: number): Promise<Review> {
      const review = await reviewReading.getReview(access.actor, pull.issue.id, id)
      await store.write(async (trx) => {
        const { issue } = await findPull(trx, access.repository.id, pull.issue.number)
        await findPending(trx, actOf(access, clock.now()), issue.id, id)
        await trx.deleteFrom('review').where('id', '=', id).execute()
      }, withIssueLocks(access.repository.id))
      return review
    },

    dismiss: (access: Access<'write'>, pull: Pull, id: number, message: string) =>
      change(access, pull, async (trx, by, issue) => {
        const row = await findRow(trx, issue.id, id)
        if (row.state === 'PENDING') throw notFound()
        if (row.state !== 'APPROVED' && row.state !== 'CHANGES_REQUESTED')
          throw refuse('Can not dismiss a commented pull request review')
        await trx.updateTable('review').set({ state: 'DISMISSED', updated_at: by.now }).where('id', '=', id).execute()
        const dismissedReview = { state: row.state.toLowerCase(), reviewId: id, message }
        await recordEvent(trx, placeOf(by, issue.id), 'review_dismissed', { dismissedReview })
        await activity.record(trx, {
          kind: 'review-changed',
          ...subjectOf(by, issue.id),
          data: { action: 'dismissed', reviewId: id },
        })
        await touchIssue(trx, issue.id, by.now)
        return id
      }),

    /**
     * For branch rules: each reviewer's latest approval or request for changes that was not dismissed, among those who
     * may have rights by name. Anyone may review a public pull; reviews by strangers, however many, are not read.
     */
    async listOpinions({ id: repositoryId, owner }: Repository, issueId: number): Promise<Opinion[]> {
      const rows = await opinionsOn(store.db, { issueId, repositoryId, ownerId: owner.id })
      const newest = new Map(rows.map((row) => [row.author_id, row]))
      return [...newest.values()].map(({ author_id, state, commit_sha }) => ({
        reviewerId: author_id,
        state: state as Opinion['state'],
        commitSha: commit_sha,
      }))
    },
  }
}

type OpinionArgs = { issueId: number; repositoryId: number; ownerId: number }
const opinionsOn = prepareFor((db, { issueId, repositoryId, ownerId }: OpinionArgs) =>
  db
    .selectFrom('review')
    .select(['author_id', 'state', 'commit_sha'])
    .where('issue_id', '=', issueId)
    .where('state', 'in', ['APPROVED', 'CHANGES_REQUESTED'])
    .where(({ eb, or }) =>
      or([
        eb('author_id', '=', ownerId),
        eb('author_id', 'in', selectNear(db, { id: repositoryId, owner: { id: ownerId } })),
      ]),
    )
    .orderBy('submitted_at')
    .orderBy('id'),
)

type Judged = { readonly verdict: Verdict; readonly body: string; readonly comments: number }

function demandVerdict({ actor }: Access<'read'>, { issue }: Pull, { verdict, body, comments }: Judged): void {
  const isOwn = issue.author.id === actor.account.id
  if (isOwn && verdict === 'APPROVE') throw refuse('Can not approve your own pull request')
  if (isOwn && verdict === 'REQUEST_CHANGES') throw refuse('Can not request changes on your own pull request')
  const isEmpty = body.trim() === '' && (verdict === 'REQUEST_CHANGES' || comments === 0)
  if (verdict !== 'APPROVE' && isEmpty) throw refuse(`A review that is to ${verdict} needs a body.`)
}
