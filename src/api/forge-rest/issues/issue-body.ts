/** Bodies of issues, and filters of their lists. */
import type { Static } from 'typebox'
import { invalidField } from '../../../forge/failures.ts'
import type { IssueFilter, RepositoryIssueFilter } from '../../../forge/issues/issue-lists.ts'
import type { IssueDraft, IssueEdit } from '../../../forge/issues/issues.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Query } from '../query.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'

/** The longest text of an issue or a comment, in characters. */
export const maxTextLength = 262_144
const maxTitleLength = 256

/** A label's name, or an object with a name. */
const LabelName = Type.Union([Text(50), Shape({ name: Text(50) })])
export const LabelNames = List(LabelName, { maxItems: 100 })
const Logins = List(Text(100), { maxItems: 100 })

const Title = Type.Union([Text(maxTitleLength), Whole])
/** Some clients send numbers as text. */
const MilestoneNumber = Type.Union([Whole, Text(20), Type.Null()])

const common = {
  body: Optional(NullableText(maxTextLength)),
  labels: Optional(LabelNames),
  assignees: Optional(Logins),
  assignee: Optional(NullableText(100)),
  milestone: Optional(MilestoneNumber),
}

export const IssueBody = Shape({ ...common, title: Title })
export const IssueEditBody = Shape({
  ...common,
  title: Optional(Type.Union([Title, Type.Null()])),
  state: Optional(OneOf('open', 'closed')),
  state_reason: Optional(Type.Union([OneOf('completed', 'not_planned', 'duplicate', 'reopened'), Type.Null()])),
})

export const toNames = (labels: Static<typeof LabelNames>): string[] =>
  labels.map((label) => (typeof label === 'string' ? label : label.name)).filter((name) => name.trim() !== '')

type Common = {
  body?: string | null
  labels?: Static<typeof LabelNames>
  assignees?: string[]
  assignee?: string | null
  milestone?: number | string | null
}

function readCommon({ body, labels, assignees, assignee, milestone }: Common) {
  return omitUndefined({
    body,
    labels: labels && toNames(labels),
    // The singular is the older field, and is used only without the plural.
    assignees: assignees ?? (assignee === undefined ? undefined : assignee ? [assignee] : []),
    milestone: milestone === undefined ? undefined : readMilestone(milestone),
  })
}

function readMilestone(given: number | string | null): number | null {
  if (given === null || given === '') return null
  if (typeof given === 'number') return given
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw invalidField('milestone', 'invalid', 'Name the milestone by its number.')
}

export const toIssueDraft = (body: Static<typeof IssueBody>): IssueDraft => ({
  ...readCommon(body),
  title: String(body.title),
})

export function toIssueEdit(body: Static<typeof IssueEditBody>): IssueEdit {
  const { title, state, state_reason: reason } = body
  return {
    ...readCommon(body),
    ...omitUndefined({
      title: title === undefined || title === null ? undefined : String(title),
      state,
      reason: reason && reason !== 'reopened' ? reason : undefined,
    }),
  }
}

/** Any other value than the allowed ones is an error. */
export function readChoice<const T extends string>(
  query: Query,
  name: string,
  allowed: readonly T[],
  otherwise: NoInfer<T>,
): T {
  const text = query.text(name)
  const found = query.oneOf(name, allowed, otherwise)
  if (text !== undefined && found !== text.toLowerCase())
    throw invalidField(name, 'invalid', `${name} must be one of ${allowed.join(', ')}`)
  return found
}

export function readIssueFilter(query: Query): IssueFilter {
  return {
    state: readChoice(query, 'state', ['open', 'closed', 'all'], 'open'),
    labels: splitWords(query.text('labels')),
    since: query.time('since'),
    sort: readChoice(query, 'sort', ['created', 'updated', 'comments'], 'created'),
    direction: readChoice(query, 'direction', ['asc', 'desc'], 'desc'),
  }
}

export function readRepositoryFilter(query: Query): RepositoryIssueFilter {
  return {
    ...readIssueFilter(query),
    assignee: query.text('assignee'),
    creator: query.text('creator'),
    mentioned: query.text('mentioned'),
    milestone: readMilestoneFilter(query.text('milestone')),
  }
}

function readMilestoneFilter(text: string | undefined): RepositoryIssueFilter['milestone'] {
  if (text === undefined || text === '*' || text === 'none') return text
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidField('milestone', 'invalid', 'milestone must be a number, none or *')
}

const splitWords = (text = ''): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
