/** Bodies of reviews and of comments on lines. */
import type { Static } from 'typebox'
import type { CommentDraft } from '../../../forge/pulls/reviews/comment-place.ts'
import type { CommentOrder } from '../../../forge/pulls/reviews/review-reading.ts'
import { maxReviewers } from '../../../forge/pulls/reviews/review-requests.ts'
import { type ReviewDraft, verdicts } from '../../../forge/pulls/reviews/reviews.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { maxTextLength, readChoice } from '../issues/issue-body.ts'
import type { Query } from '../query.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'

const Side = OneOf('LEFT', 'RIGHT')
const MaybeSide = Optional(Type.Union([OneOf('LEFT', 'RIGHT', 'side'), Type.Null()]))
const MaybeWhole = Optional(Type.Union([Whole, Type.Null()]))
const maxPathLength = 4096
/** The most comments of one review. */
const maxComments = 100

const place = {
  path: Text(maxPathLength, 1),
  position: MaybeWhole,
  line: MaybeWhole,
  side: Optional(Type.Union([Side, Type.Null()])),
  start_line: MaybeWhole,
  start_side: MaybeSide,
}

export const ReviewBody = Shape({
  commit_id: Optional(NullableText(64)),
  body: Optional(NullableText(maxTextLength)),
  // A review without an event is pending; some clients send that explicitly.
  event: Optional(Type.Union([OneOf(...verdicts, 'PENDING', ''), Type.Null()])),
  comments: Optional(
    List(Shape({ ...place, body: Text(maxTextLength, 1), subject_type: Optional(OneOf('line', 'file')) }), {
      maxItems: maxComments,
    }),
  ),
})

export const SubmitBody = Shape({ body: Optional(NullableText(maxTextLength)), event: OneOf(...verdicts) })
export const TextBody = Shape({ body: Text(maxTextLength, 1) })
export const DismissBody = Shape({ message: Text(maxTextLength, 1), event: Optional(OneOf('DISMISS')) })

export const CommentBody = Shape({
  ...place,
  path: Optional(Text(maxPathLength, 1)),
  body: Text(maxTextLength, 1),
  commit_id: Optional(Text(64)),
  in_reply_to: Optional(Whole),
  subject_type: Optional(OneOf('line', 'file')),
})

const Names = List(Text(100), { maxItems: maxReviewers })
export const ReviewersBody = Shape({ reviewers: Optional(Names), team_reviewers: Optional(Names) })

type GivenComment = {
  path: string
  body: string
  commit_id?: string
  position?: number | null
  line?: number | null
  side?: 'LEFT' | 'RIGHT' | null
  start_line?: number | null
  start_side?: 'LEFT' | 'RIGHT' | 'side' | null
  subject_type?: 'line' | 'file'
}

export const toCommentDraft = (given: GivenComment): CommentDraft => ({
  path: given.path,
  body: given.body,
  ...omitUndefined({
    commitSha: given.commit_id,
    position: given.position ?? undefined,
    line: given.line ?? undefined,
    side: given.side ?? undefined,
    startLine: given.start_line ?? undefined,
    // `side` means the side of the last line.
    startSide: given.start_side === 'side' ? undefined : (given.start_side ?? undefined),
    subject: given.subject_type,
  }),
})

export function toReviewDraft({ commit_id, body, event, comments }: Static<typeof ReviewBody>): ReviewDraft {
  const verdict = verdicts.find((each) => each === event)
  return {
    verdict,
    body: body ?? undefined,
    commitSha: commit_id || undefined,
    comments: comments?.map((comment) => toCommentDraft(comment)),
  }
}

export const readCommentOrder = (query: Query): CommentOrder => {
  const sort =
    query.text('sort') === 'created_at' ? 'created' : readChoice(query, 'sort', ['created', 'updated'], 'created')
  return { sort, direction: readChoice(query, 'direction', ['asc', 'desc'], 'asc'), since: query.time('since') }
}
