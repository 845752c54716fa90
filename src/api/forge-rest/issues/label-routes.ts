/** Routes of labels: of a repository, and of an issue. */
import type { Static } from 'typebox'
import type { Label } from '../../../forge/issues/issue.ts'
import type { Labels } from '../../../forge/issues/labels/labels.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { changed, readable } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { NullableText, Optional, Shape, Text, Type } from '../schemas.ts'
import { LabelNames, toNames } from './issue-body.ts'
import { presentLabel } from './present-issue.ts'

const either = { read: 'issues=read; pull_requests=read', write: 'issues=write; pull_requests=write' } as const
const resource = 'Label'

const members = { color: Optional(Text(7)), description: Optional(NullableText(100)) }

/** A bare list of names is also accepted. */
const NamesBody = Type.Union([LabelNames, Shape({ labels: Optional(LabelNames) })])
const namesOf = (body: Static<typeof NamesBody>): string[] => toNames(Array.isArray(body) ? body : (body.labels ?? []))

const ofIssue = { door: changed('triage'), permission: either.write, resource } as const

export const labelRoutes = ({ labels }: { labels: Labels }): readonly Route[] => [
  route('GET /repos/:owner/:repo/labels', {
    id: 'list-labels-for-a-repository',
    summary: 'Labels of a repository.',
    door: readable,
    permission: either.read,
    pageSize: usualPage,
    async handle({ target, page, view }) {
      return list(await labels.list(target, page), (label) => presentLabel(label, target, view))
    },
  }),
  route('POST /repos/:owner/:repo/labels', {
    id: 'create-a-label',
    summary: 'Creates a label.',
    door: changed('write'),
    permission: either.write,
    resource,
    createsContent: true,
    body: Shape({ ...members, name: Text(50) }),
    async handle({ target, body, view }) {
      const label = await labels.create(target, { name: body.name, ...omitUndefined(pickMembers(body)) })
      const shown = presentLabel(label, target.repository, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/labels/:name', {
    id: 'get-a-label',
    summary: 'A label.',
    door: readable,
    permission: either.read,
    async handle({ target, params, view }) {
      return ok(presentLabel(await labels.get(target, params.name), target, view))
    },
  }),
  route('PATCH /repos/:owner/:repo/labels/:name', {
    id: 'update-a-label',
    summary: 'Renames a label (`new_name`), or gives it another color or description.',
    door: changed('write'),
    permission: either.write,
    resource,
    body: Shape({ ...members, new_name: Optional(Text(50)), name: Optional(Text(50)) }),
    async handle({ target, params, body, view }) {
      const edit = omitUndefined({ ...pickMembers(body), name: body.new_name ?? body.name })
      return ok(presentLabel(await labels.update(target, params.name, edit), target.repository, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/labels/:name', {
    id: 'delete-a-label',
    summary: 'Deletes a label and removes it from all issues.',
    door: changed('write'),
    permission: either.write,
    handle: ({ target, params }) => done(labels.remove(target, params.name)),
  }),
  route('GET /repos/:owner/:repo/milestones/:milestone_number/labels', {
    id: 'list-labels-for-issues-in-a-milestone',
    summary: 'Labels of the issues of a milestone.',
    door: readable,
    permission: either.read,
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const found = await labels.listOfMilestone(target, readId(params.milestone_number), page)
      return list(found, (label) => presentLabel(label, target, view))
    },
  }),
  route('GET /repos/:owner/:repo/issues/:issue_number/labels', {
    id: 'list-labels-for-an-issue',
    summary: 'Labels of an issue.',
    door: readable,
    permission: either.read,
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const found = await labels.listOfIssue(actor, target, readId(params.issue_number), page)
      return list(found, (label) => presentLabel(label, target, view))
    },
  }),
  ...(['POST', 'PUT'] as const).map((method) =>
    route(`${method} /repos/:owner/:repo/issues/:issue_number/labels`, {
      ...ofIssue,
      id: method === 'POST' ? 'add-labels-to-an-issue' : 'set-labels-for-an-issue',
      summary: method === 'POST' ? 'Adds labels to an issue.' : 'Sets the labels of an issue and removes all others.',
      body: NamesBody,
      async handle({ target, params, body, view }) {
        const isGiven = Array.isArray(body) || body.labels !== undefined
        const mode = method === 'PUT' && isGiven ? 'set' : 'add'
        const change = { mode, names: namesOf(body) } as const
        const left = await labels.changeOfIssue(target, readId(params.issue_number), change)
        return ok(left.map((label: Label) => presentLabel(label, target.repository, view)))
      },
    }),
  ),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/labels', {
    ...ofIssue,
    id: 'remove-all-labels-from-an-issue',
    summary: 'Removes all labels from an issue.',
    handle: ({ target, params }) =>
      done(labels.changeOfIssue(target, readId(params.issue_number), { mode: 'set', names: [] })),
  }),
  route('DELETE /repos/:owner/:repo/issues/:issue_number/labels/:name', {
    ...ofIssue,
    id: 'remove-a-label-from-an-issue',
    summary: 'Removes a label from an issue and answers the remaining ones.',
    async handle({ target, params, view }) {
      const left = await labels.removeFromIssue(target, readId(params.issue_number), params.name)
      return ok(left.map((label) => presentLabel(label, target.repository, view)))
    },
  }),
]

const pickMembers = ({ color, description }: { color?: string; description?: string | null }) => ({
  color,
  description,
})
