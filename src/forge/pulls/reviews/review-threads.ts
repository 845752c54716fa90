/** Threads of line comments: the first comment, its answers, and whether it is resolved. */

import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { noteThreadChange } from '../../activity/thread-changes.ts'
import { notFound } from '../../failures.ts'
import { withIssueLocks } from '../../issues/issue-act.ts'
import { demandMayChange } from '../../issues/issue-rights.ts'
import { touchIssue } from '../../issues/issue-row.ts'
import { personBy, readPerson } from '../../people/reading.ts'
import type { Person } from '../../person.ts'
import { readRows } from '../../row-pages.ts'
import { findPull } from '../pull-row.ts'
import type { ReviewComment } from './review.ts'
import type { ReviewReading } from './review-reading.ts'

export type ReviewThread = {
  readonly first: ReviewComment
  readonly isResolved: boolean
  /** Undefined once the account is gone. */
  readonly resolvedBy: Person | undefined
}

/** Comments of a thread, for one page. */
const answersAtOnce = 1_000

type Needs = { store: Store; clock: Clock; reviewReading: ReviewReading }

export type ReviewThreads = ReturnType<typeof makeReviewThreads>

export function makeReviewThreads({ store, clock, reviewReading }: Needs) {
  const { db } = store

  /** A pending comment is visible to its author alone. */
  const select = (actor: Actor) =>
    db
      .selectFrom('review_comment')
      .innerJoin('review', 'review.id', 'review_comment.review_id')
      .select('review_comment.id')
      .where((eb) => eb.or([eb('review.state', '!=', 'PENDING'), eb('review.author_id', '=', actor.account?.id ?? 0)]))

  const selectFirst = (actor: Actor) =>
    select(actor)
      .select('review_comment.resolved_at')
      .select(personBy(db, 'review_comment.resolved_by_id').as('resolver'))
      .where('review_comment.reply_to_id', 'is', null)

  type Row = Awaited<ReturnType<ReturnType<typeof selectFirst>['executeTakeFirstOrThrow']>>

  async function complete(actor: Actor, repository: OpenRepository, rows: readonly Row[]): Promise<ReviewThread[]> {
    const ids = rows.map(({ id }) => id)
    const found = await reviewReading.readComments(actor, repository, ids)
    const byId = new Map(rows.map((row) => [row.id, row]))
    return found.map((first) => {
      const { resolved_at, resolver } = byId.get(first.id)!
      return { first, isResolved: resolved_at !== null, resolvedBy: readPerson(resolver) ?? undefined }
    })
  }

  /** Allowed for the pull's author and for write access. */
  const mark = (access: Access<'read'>, number: number, id: number, isResolved: boolean): Promise<void> =>
    store.write(async (trx) => {
      const { repository, actor } = access
      const { issue } = await findPull(trx, repository.id, number)
      demandMayChange(access, issue, 'write', { orAuthor: true })
      const row = await trx
        .selectFrom('review_comment')
        .innerJoin('review', 'review.id', 'review_comment.review_id')
        .select('review_comment.resolved_at')
        .where('review_comment.id', '=', id)
        .where('review_comment.issue_id', '=', issue.id)
        .where('review_comment.reply_to_id', 'is', null)
        .where('review.state', '!=', 'PENDING')
        .executeTakeFirst()
      if (!row) throw notFound()
      if ((row.resolved_at !== null) === isResolved) return
      const now = clock.now()
      await trx
        .updateTable('review_comment')
        .set({ resolved_by_id: isResolved ? actor.account.id : null, resolved_at: isResolved ? now : null })
        .where('id', '=', id)
        .execute()
      await touchIssue(trx, issue.id, now)
      // It is no activity, which would tell the pages that show the pull.
      await noteThreadChange(store, trx, repository.id, issue.id)
    }, withIssueLocks(access.repository.id))

  return {
    /** Threads of a pull, oldest first. */
    async list(
      actor: Actor,
      repository: OpenRepository,
      issueId: number,
      page: PageRequest,
    ): Promise<Page<ReviewThread>> {
      const query = selectFirst(actor).where('review_comment.issue_id', '=', issueId).orderBy('review_comment.id')
      const { total, items } = await readRows(query, page)
      return { total, items: await complete(actor, repository, items) }
    },

    /** The thread whose first comment has this id. */
    async get(actor: Actor, repository: OpenRepository, id: number): Promise<ReviewThread> {
      const rows = await selectFirst(actor)
        .where('review_comment.repository_id', '=', repository.id)
        .where('review_comment.id', '=', id)
        .execute()
      const [thread] = await complete(actor, repository, rows)
      if (!thread) throw notFound()
      return thread
    },

    /** The first comment and its answers. */
    async listComments(
      actor: Actor,
      repository: OpenRepository,
      { first }: ReviewThread,
      page: PageRequest,
    ): Promise<Page<ReviewComment>> {
      const rows = await select(actor)
        .where('review_comment.issue_id', '=', first.issueId)
        .where((eb) => eb.or([eb('review_comment.id', '=', first.id), eb('reply_to_id', '=', first.id)]))
        .orderBy('review_comment.id')
        .limit(answersAtOnce)
        .execute()
      const ids = rows.map(({ id }) => id)
      const shown = ids.slice(page.offset, page.offset + page.limit)
      return { total: ids.length, items: await reviewReading.readComments(actor, repository, shown) }
    },

    resolve: (access: Access<'read'>, number: number, id: number) => mark(access, number, id, true),
    unresolve: (access: Access<'read'>, number: number, id: number) => mark(access, number, id, false),
  }
}
