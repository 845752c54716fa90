/** Reads reviews and line comments, with their authors and the present position of each line. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import { readLongTexts, shortText } from '../../../store/long-texts.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import {
  associationOf,
  hasContributed,
  isCollaborator,
  isMember,
  reactionsTo,
  readReactions,
} from '../../issues/issue-reading.ts'
import { personBy, readPerson } from '../../people/reading.ts'
import { countRows, readCompletePage, readRows } from '../../row-pages.ts'
import type { PullFigures } from '../pull-figures.ts'
import type { PullReading } from '../pull-reading.ts'
import { type DiffLine, findAgain, parsePatch } from './diff-lines.ts'
import type { Review, ReviewComment } from './review.ts'

type Needs = { store: Store; pullReading: PullReading; figures: PullFigures }

export type CommentOrder = {
  readonly sort: 'created' | 'updated'
  readonly direction: 'asc' | 'desc'
  readonly since?: Date | undefined
}

export const selectReviews = (db: Db) =>
  db
    .selectFrom('review')
    .innerJoin('repository', 'repository.id', 'review.repository_id')
    .select([
      ...(['review.id', 'review.issue_id', 'review.repository_id', 'review.author_id', 'review.state'] as const),
      ...(['review.commit_sha', 'review.submitted_at', 'review.created_at', 'review.updated_at'] as const),
    ])
    .select(shortText<string, 'body'>('review', 'body'))
    .select('repository.owner_id as owner_id')
    .select(isCollaborator('review.author_id').as('is_collaborator'))
    .select(isMember('review.author_id').as('is_member'))
    .select(hasContributed('review.author_id').as('has_contributed'))
    .select(personBy(db, 'review.author_id').as('author'))

const selectComments = (db: Db) =>
  db
    .selectFrom('review_comment')
    .innerJoin('repository', 'repository.id', 'review_comment.repository_id')
    .innerJoin('issue', 'issue.id', 'review_comment.issue_id')
    .innerJoin('review', 'review.id', 'review_comment.review_id')
    .select([
      ...(['review_comment.id', 'review_comment.issue_id', 'review_comment.repository_id'] as const),
      ...(['review_comment.review_id', 'review_comment.author_id', 'review_comment.reply_to_id'] as const),
      ...(['review_comment.path', 'review_comment.subject_kind', 'review_comment.diff_hunk'] as const),
      ...(['review_comment.side', 'review_comment.start_side', 'review_comment.original_commit_sha'] as const),
      ...(['review_comment.original_position', 'review_comment.original_line'] as const),
      ...(['review_comment.original_start_line', 'review_comment.created_at', 'review_comment.updated_at'] as const),
    ])
    .select(shortText<string, 'body'>('review_comment', 'body'))
    .select(['repository.owner_id as owner_id', 'issue.number as number'])
    .select(isCollaborator('review_comment.author_id').as('is_collaborator'))
    .select(isMember('review_comment.author_id').as('is_member'))
    .select(hasContributed('review_comment.author_id').as('has_contributed'))
    .select(personBy(db, 'review_comment.author_id').as('author'))
    .select(reactionsTo(db, 'review-comment', 'review_comment.id').as('reactions'))
    .where('issue.deleted_at', 'is', null)

type ReviewRow = Awaited<ReturnType<ReturnType<typeof selectReviews>['executeTakeFirstOrThrow']>>
type CommentRow = Awaited<ReturnType<ReturnType<typeof selectComments>['executeTakeFirstOrThrow']>>

/** Reviews of a page of pulls together. */
const maxReviewsOfMany = 10_000

/** Used as: a pending review and its comments are visible to their author alone. */
const viewerOf = (actor: Actor): number => actor.account?.id ?? 0

export type ReviewReading = ReturnType<typeof makeReviewReading>

export function makeReviewReading({ store, pullReading, figures }: Needs) {
  const { db } = store

  async function completeReviews(rows: readonly ReviewRow[], on: Db = db): Promise<Review[]> {
    await readLongTexts(on, 'review', rows)
    return rows.map(toReview)
  }

  /** Lines are located in the pull's present diff. A page refers to a few pulls at most. */
  async function completeComments(
    actor: Actor,
    repository: OpenRepository,
    rows: readonly CommentRow[],
  ): Promise<ReviewComment[]> {
    if (rows.length === 0) return []
    await readLongTexts(db, 'review_comment', rows)
    const patches = await readPatches(actor, repository, rows)
    return rows.map((row) => {
      const { headSha, lines } = patches.get(row.issue_id)!
      return toComment(row, { headSha, lines: lines(row.path) })
    })
  }

  type Patches = { readonly headSha: string; lines(path: string): readonly DiffLine[] | undefined }

  async function readPatches(
    actor: Actor,
    repository: OpenRepository,
    rows: readonly CommentRow[],
  ): Promise<Map<number, Patches>> {
    const found = new Map<number, Patches>()
    const issueIds = [...new Set(rows.map(({ issue_id }) => issue_id))]
    for (const pull of await pullReading.readByIds(actor, repository, issueIds)) {
      const parsed = new Map<string, readonly DiffLine[]>()
      const isMoved = rows.some((row) => row.issue_id === pull.issue.id && row.original_commit_sha !== pull.head.sha)
      const files = isMoved ? await figures.files(pull).catch(() => []) : []
      found.set(pull.issue.id, {
        headSha: pull.head.sha,
        lines(path) {
          const patch = files.find((file) => file.path === path)?.patch
          if (patch !== undefined && !parsed.has(path)) parsed.set(path, parsePatch(patch))
          return parsed.get(path)
        },
      })
    }
    return found
  }

  return {
    listReviews(actor: Actor, issueId: number, page: PageRequest): Promise<Page<Review>> {
      const query = selectReviews(db)
        .where('review.issue_id', '=', issueId)
        .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', viewerOf(actor))]))
      return readCompletePage(query.orderBy('review.id'), page, (rows) => completeReviews(rows))
    },

    /** All reviews of several pulls, oldest first. */
    async listReviewsOfMany(actor: Actor, issueIds: readonly number[]): Promise<Map<number, Review[]>> {
      const rows = await selectReviews(db)
        .where('review.issue_id', 'in', issueIds)
        .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', viewerOf(actor))]))
        .orderBy('review.id')
        .limit(maxReviewsOfMany)
        .execute()
      await readLongTexts(db, 'review', rows)
      const byPull = Map.groupBy(rows, ({ issue_id }) => issue_id)
      return new Map([...byPull].map(([id, found]) => [id, found.map(toReview)]))
    },

    /** By id, without pending ones. */
    async readReviews(ids: readonly number[]): Promise<Map<number, Review>> {
      if (ids.length === 0) return new Map()
      const rows = await selectReviews(db)
        .where('review.id', 'in', ids)
        .where('review.state', '!=', 'PENDING')
        .execute()
      return new Map((await completeReviews(rows)).map((review) => [review.id, review]))
    },

    /** By id, at the place where they were written, without asking git. Comments of pending reviews are left out. */
    async readAsWritten(ids: readonly number[]): Promise<Map<number, ReviewComment>> {
      if (ids.length === 0) return new Map()
      const rows = await selectComments(db)
        .where('review_comment.id', 'in', ids)
        .where('review.state', '!=', 'PENDING')
        .execute()
      await readLongTexts(db, 'review_comment', rows)
      return new Map(
        rows.map((row) => [row.id, toComment(row, { headSha: row.original_commit_sha, lines: undefined })]),
      )
    },

    async getReview(actor: Actor, issueId: number, id: number, on: Db = db): Promise<Review> {
      const rows = await selectReviews(on)
        .where('review.issue_id', '=', issueId)
        .where('review.id', '=', id)
        .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', viewerOf(actor))]))
        .execute()
      const [review] = await completeReviews(rows, on)
      if (!review) throw notFound()
      return review
    },

    /** Comments of a pull, of a review, or of the repository. */
    async listComments(
      actor: Actor,
      repository: OpenRepository,
      of: { issueId?: number; reviewId?: number },
      { sort, direction, since }: CommentOrder,
      page: PageRequest,
    ): Promise<Page<ReviewComment>> {
      let query = selectComments(db)
        .where('review_comment.repository_id', '=', repository.id)
        .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', viewerOf(actor))]))
      if (of.issueId !== undefined) query = query.where('review_comment.issue_id', '=', of.issueId)
      if (of.reviewId !== undefined) query = query.where('review_comment.review_id', '=', of.reviewId)
      // Pending comments are listed only with their review.
      else query = query.where('review.state', '!=', 'PENDING')
      if (since) query = query.where('review_comment.updated_at', '>=', since.getTime())
      const column = sort === 'updated' ? 'review_comment.updated_at' : 'review_comment.created_at'
      const ordered = query.orderBy(column, direction).orderBy('review_comment.id', direction)
      const { total, items } = await readRows(ordered, page)
      return { total, items: await completeComments(actor, repository, items) }
    },

    async getComment(actor: Actor, repository: OpenRepository, id: number): Promise<ReviewComment> {
      const rows = await selectComments(db)
        .where('review_comment.repository_id', '=', repository.id)
        .where('review_comment.id', '=', id)
        .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', viewerOf(actor))]))
        .execute()
      const [comment] = await completeComments(actor, repository, rows)
      if (!comment) throw notFound()
      return comment
    },

    /** By id, in the given order, if the actor may see them. */
    async readComments(actor: Actor, repository: OpenRepository, ids: readonly number[]): Promise<ReviewComment[]> {
      if (ids.length === 0) return []
      const rows = await selectComments(db)
        .where('review_comment.repository_id', '=', repository.id)
        .where('review_comment.id', 'in', ids)
        .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', viewerOf(actor))]))
        .execute()
      const found = new Map((await completeComments(actor, repository, rows)).map((each) => [each.id, each]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },

    async countComments(issueId: number): Promise<number> {
      return countRows(
        db
          .selectFrom('review_comment')
          .innerJoin('review', 'review.id', 'review_comment.review_id')
          .select('review_comment.id')
          .where('review_comment.issue_id', '=', issueId)
          .where('review.state', '!=', 'PENDING'),
      )
    },
  }
}

const toReview = (row: ReviewRow): Review => ({
  id: row.id,
  author: readPerson(row.author)!,
  association: associationOf(row.author_id, row),
  state: row.state,
  body: row.body,
  commitSha: row.commit_sha,
  submittedAt: row.submitted_at === null ? null : new Date(row.submitted_at),
})

type Now = {
  readonly headSha: string
  readonly lines: readonly DiffLine[] | undefined
}

function toComment(row: CommentRow, { headSha, lines }: Now): ReviewComment {
  const { original_position: position, original_line: line, original_start_line: startLine } = row
  const isThere = row.original_commit_sha === headSha || row.subject_kind === 'file'
  const written = { hunk: row.diff_hunk, side: row.side, line, startLine }
  const place = isThere ? { position, line, startLine } : lines && findAgain(lines, written)
  return {
    id: row.id,
    issueId: row.issue_id,
    number: row.number,
    reviewId: row.review_id,
    replyToId: row.reply_to_id,
    author: readPerson(row.author)!,
    association: associationOf(row.author_id, row),
    path: row.path,
    body: row.body,
    subject: row.subject_kind,
    hunk: row.diff_hunk,
    side: row.side,
    startSide: row.start_side,
    commitSha: place ? headSha : row.original_commit_sha,
    originalCommitSha: row.original_commit_sha,
    originalPosition: position,
    originalLine: line,
    originalStartLine: startLine,
    position: place?.position ?? null,
    line: place?.line ?? null,
    startLine: place?.startLine ?? null,
    reactions: readReactions(row.reactions),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }
}
