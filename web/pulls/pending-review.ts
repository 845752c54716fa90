/** A pending review: line comments, kept in this browser until they are submitted together. */

import type { LineRange } from '../parts/diff/diff-props.ts'
import { useDraft } from '../parts/markdown/drafts.ts'

export type PendingComment = LineRange & { readonly key: string; readonly body: string }

export type PendingReview = {
  readonly comments: readonly PendingComment[]
  add(comment: PendingComment): void
  remove(key: string): void
  clear(): void
}

function read(text: string): readonly PendingComment[] {
  try {
    return JSON.parse(text) as readonly PendingComment[]
  } catch {
    return []
  }
}

export function usePendingReview(path: string): PendingReview {
  const draft = useDraft(`review ${path}`, '[]')
  const comments = read(draft.text)
  return {
    comments,
    add: (comment) => draft.write(JSON.stringify([...comments, comment])),
    remove: (key) => draft.write(JSON.stringify(comments.filter((each) => each.key !== key))),
    clear: draft.clear,
  }
}

/** As the interface takes them. */
export const toSent = ({ path, line, side, start, body }: Omit<PendingComment, 'key'>) => ({
  path,
  line,
  side,
  body,
  ...(start && { start_line: start.line, start_side: start.side }),
})
