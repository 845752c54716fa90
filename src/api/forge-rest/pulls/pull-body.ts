/** Bodies of pulls, and filters of their lists. */
import type { Static } from 'typebox'
import { invalidField } from '../../../forge/failures.ts'
import type { MergeRequest } from '../../../forge/pulls/merging/pull-merging.ts'
import { mergeMethods } from '../../../forge/pulls/pull.ts'
import type { PullDraft } from '../../../forge/pulls/pull-opening.ts'
import type { PullEdit, PullFilter } from '../../../forge/pulls/pulls.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { maxTextLength, readChoice } from '../issues/issue-body.ts'
import type { Query } from '../query.ts'
import { Flag, NullableText, OneOf, Optional, Shape, Text, Whole } from '../schemas.ts'

const maxTitleLength = 256
/** A login, a colon and a branch. */
const maxHeadLength = 300

export const PullBody = Shape({
  title: Optional(Text(maxTitleLength, 1)),
  issue: Optional(Whole),
  body: Optional(NullableText(maxTextLength)),
  head: Text(maxHeadLength, 1),
  head_repo: Optional(Text(140, 1)),
  base: Text(255, 1),
  draft: Optional(Flag),
  maintainer_can_modify: Optional(Flag),
})

export const PullEditBody = Shape({
  title: Optional(Text(maxTitleLength, 1)),
  body: Optional(NullableText(maxTextLength)),
  state: Optional(OneOf('open', 'closed')),
  base: Optional(Text(255, 1)),
  draft: Optional(Flag),
  maintainer_can_modify: Optional(Flag),
})

export const MergeBody = Shape({
  commit_title: Optional(NullableText(maxTextLength)),
  commit_message: Optional(NullableText(maxTextLength)),
  sha: Optional(Text(64)),
  merge_method: Optional(OneOf(...mergeMethods)),
})

/** Exactly one: an issue already has a title. */
function readSubject({ title, issue }: Static<typeof PullBody>): PullDraft['subject'] {
  if (issue !== undefined && title !== undefined)
    throw invalidField('issue', 'custom', 'title and issue exclude each other.')
  if (issue !== undefined) return { issue }
  if (title === undefined) throw invalidField('title', 'missing_field', 'title or issue must be given.')
  return { title }
}

export const toPullDraft = (body: Static<typeof PullBody>): PullDraft => ({
  subject: readSubject(body),
  head: body.head,
  base: body.base,
  ...omitUndefined({
    body: body.body,
    // Also accepted with its owner before it.
    headRepository: body.head_repo?.split('/').at(-1),
    isDraft: body.draft,
    mayMaintainersPush: body.maintainer_can_modify,
  }),
})

export const toPullEdit = ({ draft, maintainer_can_modify, ...rest }: Static<typeof PullEditBody>): PullEdit =>
  omitUndefined({ ...rest, isDraft: draft, mayMaintainersPush: maintainer_can_modify })

export const toMergeRequest = (body: Static<typeof MergeBody>): MergeRequest => ({
  method: body.merge_method ?? 'merge',
  title: body.commit_title ?? undefined,
  message: body.commit_message ?? undefined,
  sha: body.sha,
})

/** Newest first by default. */
export function readPullFilter(query: Query): PullFilter {
  const sort = readChoice(query, 'sort', ['created', 'updated', 'popularity', 'long-running'], 'created')
  return {
    state: readChoice(query, 'state', ['open', 'closed', 'all'], 'open'),
    base: query.text('base'),
    head: query.text('head'),
    sort,
    direction: readChoice(query, 'direction', ['asc', 'desc'], sort === 'created' ? 'desc' : 'asc'),
  }
}
