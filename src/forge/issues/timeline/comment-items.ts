/** Comments as items of their issue's timeline. */
import type { Store } from '../../../store/store.ts'
import type { Comment } from '../comments/comment.ts'
import { completeComments, selectComments } from '../comments/comment-reading.ts'
import type { TimelineSource } from './timeline.ts'

declare module './timeline.ts' {
  interface TimelineItems {
    readonly comment: Comment
  }
}

export function makeCommentItems({ store: { db } }: { store: Store }): TimelineSource<'comment'> {
  return {
    kind: 'comment',
    listKeys: (_viewer, issue) =>
      db
        .selectFrom('issue_comment')
        .select(['id', 'created_at as at'])
        .where('issue_id', '=', issue.id)
        .orderBy('id')
        .execute(),
    async read(_viewer, _issue, ids) {
      const rows = await selectComments(db).where('issue_comment.id', 'in', ids).execute()
      return new Map((await completeComments(db, rows)).map((comment) => [comment.id, comment]))
    },
  }
}
