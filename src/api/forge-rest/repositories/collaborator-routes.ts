/** Collaborators of a repository, and teams with access to it. */

import { type Level, parseLevel } from '../../../forge/access/level.ts'
import type { OrganisationDoor } from '../../../forge/access/organisation-access.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { Teams } from '../../../forge/people/teams.ts'
import type { Collaborators } from '../../../forge/repositories/collaborators.ts'
import { administeredOrOneself, changed, seen } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { presentTeamOn } from '../people/present-teams.ts'
import { created, list, noContent, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { presentCollaborator, presentInvitation, presentLegacyLevel } from './present-repository.ts'

const administers = { door: changed('admin'), permission: 'administration=write' } as const
const sees = { door: seen('write'), permission: 'metadata=read' } as const

/** A level by its name, also by an older one. */
export function readLevel(word = 'push'): Level {
  const level = parseLevel(word)
  if (!level) throw invalidField('permission', 'invalid', 'permission must be pull, triage, push, maintain or admin')
  return level
}

type Needs = {
  collaborators: Collaborators
  organisationDoor: OrganisationDoor
  teams: Teams
}

export const collaboratorRoutes = ({ collaborators, organisationDoor, teams }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/collaborators', {
    ...sees,
    id: 'list-repository-collaborators',
    summary: 'Lists the collaborators of the repository and their roles.',
    pageSize: usualPage,
    handle({ target, query, page, view }) {
      const affiliation = query.oneOf('affiliation', ['all', 'direct', 'outside'], 'all')
      const asked = query.text('permission')
      const filter = { affiliation, level: asked === undefined ? undefined : readLevel(asked) }
      return pageOf(collaborators.list(target, filter, page), presentCollaborator, view)
    },
  }),
  route('GET /repos/:owner/:repo/collaborators/:username', {
    ...sees,
    id: 'check-if-a-user-is-a-repository-collaborator',
    summary: '204 for a collaborator, 404 otherwise.',
    handle: ({ target, params }) => whether(collaborators.isCollaborator(target, params.username)),
  }),
  route('PUT /repos/:owner/:repo/collaborators/:username', {
    ...administers,
    id: 'add-a-repository-collaborator',
    summary: 'Invites a user (201), or sets the role of a collaborator (204).',
    body: Shape({ permission: Optional(Text(50)) }),
    async handle({ target, params, body, view }) {
      const level = readLevel(body.permission)
      const invitation = await collaborators.add(target, params.username, level)
      return invitation ? created(presentInvitation(invitation, view)) : noContent()
    },
  }),
  route('DELETE /repos/:owner/:repo/collaborators/:username', {
    ...administers,
    door: administeredOrOneself,
    id: 'remove-a-repository-collaborator',
    summary: 'Removes a collaborator (everyone can remove themselves), or cancels an invitation.',
    handle: ({ target, params }) =>
      done(target.holds('admin') ? collaborators.remove(target, params.username) : collaborators.leave(target)),
  }),
  route('GET /repos/:owner/:repo/collaborators/:username/permission', {
    id: 'get-repository-permissions-for-a-user',
    summary: 'Shows the permissions of a user on the repository.',
    door: seen('write'),
    permission: 'metadata=read',
    async handle({ target, params, view }) {
      const found = await collaborators.levelFor(target, params.username)
      const user = presentCollaborator(found, view)
      return ok({ permission: presentLegacyLevel(found.level), role_name: found.level, user })
    },
  }),
  route('GET /repos/:owner/:repo/teams', {
    id: 'list-repository-teams',
    summary: 'Lists the teams with access to the repository that you can see.',
    door: seen('admin'),
    permission: 'administration=read',
    pageSize: usualPage,
    async handle({ target, page, view }) {
      const { repository } = target
      if (repository.owner.kind === 'user') return list({ total: 0, items: [] }, String)
      const found = await teams.listOn(await organisationDoor.lookFrom(target), repository, page)
      return list(found, ({ team, level }) => presentTeamOn(team, level, view))
    },
  }),
]
