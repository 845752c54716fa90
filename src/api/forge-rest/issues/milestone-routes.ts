/** Routes of a repository's milestones. */
import type { Milestones } from '../../../forge/issues/milestones/milestones.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { changed, readable } from '../doors.ts'
import { done } from '../outcomes.ts'
import { parseTime, readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { NullableText, OneOf, Optional, Shape, Text } from '../schemas.ts'
import { maxTextLength, readChoice } from './issue-body.ts'
import { presentMilestone } from './present-issue.ts'

const members = {
  state: Optional(OneOf('open', 'closed')),
  description: Optional(NullableText(maxTextLength)),
  due_on: Optional(NullableText(40)),
}

type MilestoneBody = { state?: 'open' | 'closed'; description?: string | null; due_on?: string | null }

const readMembers = ({ state, description, due_on: dueOn }: MilestoneBody) =>
  omitUndefined({
    state,
    description,
    dueOn: dueOn === undefined ? undefined : dueOn ? parseTime('due_on', dueOn) : null,
  })

const reading = { door: readable, permission: 'issues=read; pull_requests=read' } as const
const writing = {
  door: changed('write'),
  permission: 'issues=write; pull_requests=write',
  resource: 'Milestone',
} as const

export const milestoneRoutes = ({ milestones }: { milestones: Milestones }): readonly Route[] => [
  route('GET /repos/:owner/:repo/milestones', {
    ...reading,
    id: 'list-milestones',
    summary: 'Milestones, by due date or completeness.',
    pageSize: usualPage,
    async handle({ target, query, page, view }) {
      const filter = {
        state: readChoice(query, 'state', ['open', 'closed', 'all'], 'open'),
        sort: readChoice(query, 'sort', ['due_on', 'completeness'], 'due_on'),
        direction: readChoice(query, 'direction', ['asc', 'desc'], 'asc'),
      }
      const found = await milestones.list(target, filter, page)
      return list(found, (milestone) => presentMilestone(milestone, target, view))
    },
  }),
  route('POST /repos/:owner/:repo/milestones', {
    ...writing,
    id: 'create-a-milestone',
    summary: 'Creates a milestone.',
    createsContent: true,
    body: Shape({ ...members, title: Text(255) }),
    async handle({ target, body, view }) {
      const milestone = await milestones.create(target, { ...readMembers(body), title: body.title })
      const shown = presentMilestone(milestone, target.repository, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/milestones/:milestone_number', {
    ...reading,
    id: 'get-a-milestone',
    summary: 'A milestone.',
    async handle({ target, params, view }) {
      return ok(presentMilestone(await milestones.get(target, readId(params.milestone_number)), target, view))
    },
  }),
  route('PATCH /repos/:owner/:repo/milestones/:milestone_number', {
    ...writing,
    id: 'update-a-milestone',
    summary: 'Changes, closes or reopens a milestone.',
    body: Shape({ ...members, title: Optional(Text(255)) }),
    async handle({ target, params, body, view }) {
      const edit = { ...readMembers(body), ...omitUndefined({ title: body.title }) }
      const milestone = await milestones.update(target, readId(params.milestone_number), edit)
      return ok(presentMilestone(milestone, target.repository, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/milestones/:milestone_number', {
    ...writing,
    id: 'delete-a-milestone',
    summary: 'Deletes a milestone: its issues stay, without it.',
    handle: ({ target, params }) => done(milestones.remove(target, readId(params.milestone_number))),
  }),
]
