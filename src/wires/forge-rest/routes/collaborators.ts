/** Collaborators, invitations, watching, and the teams of a repository. */
import { requireSignIn } from '../../../accounts/actor.ts'
import { invalidField, notFound } from '../../../forge/faults.ts'
import { type Level, parseLevel } from '../../../forge/level.ts'
import type { Collaborator } from '../../../forge/repositories/collaborators.ts'
import { created, list, noContent, ok } from '../answer.ts'
import { presentUser } from '../present/people.ts'
import { presentInvitation, presentLegacyLevel, presentPermissions, presentWatch } from '../present/repository.ts'
import { presentTeamOn } from '../present/teams.ts'
import { type Route, repository, route, signedIn, usualPage } from '../route.ts'
import { Flag, Optional, Shape, Text } from '../shapes.ts'
import type { View } from '../view.ts'

const presentCollaborator = ({ user, level }: Collaborator, view: View) => ({
  ...presentUser(user, view),
  permissions: presentPermissions(level),
  role_name: level,
})

function readLevel(word: string | undefined, otherwise: Level): Level {
  const level = word === undefined ? otherwise : parseLevel(word)
  if (!level) throw invalidField('permission', 'invalid', 'permission must be pull, triage, push, maintain or admin')
  return level
}

const readId = (text: string | undefined): number => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : 0)

export const collaboratorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators',
    id: 'list-repository-collaborators',
    summary: 'Who may do what with the repository.',
    door: repository('write'),
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ forge, actor, target, page, view }) {
      return list(await forge.collaborators.list(actor, target, page), (each) => presentCollaborator(each, view))
    },
  }),
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators/:username',
    id: 'check-if-a-user-is-a-repository-collaborator',
    summary: '204 for a collaborator, 404 otherwise.',
    door: repository('write'),
    permission: 'metadata=read',
    async handle({ forge, actor, target, params }) {
      if (!(await forge.collaborators.isCollaborator(actor, target, params.username!))) throw notFound()
      return noContent()
    },
  }),
  route({
    method: 'PUT',
    path: '/repos/:owner/:repo/collaborators/:username',
    id: 'add-a-repository-collaborator',
    summary: 'Invites a user (201), or sets the level of one who is there (204).',
    door: repository('admin'),
    permission: 'administration=write',
    body: Shape({ permission: Optional(Text(50)) }),
    async handle({ forge, actor, target, params, body, view }) {
      const level = readLevel(body.permission, 'write')
      const invitation = await forge.collaborators.add(actor, target, params.username!, level)
      return invitation ? created(presentInvitation(invitation, view)) : noContent()
    },
  }),
  route({
    method: 'DELETE',
    path: '/repos/:owner/:repo/collaborators/:username',
    id: 'remove-a-repository-collaborator',
    summary: 'Removes a collaborator, or takes an invitation back.',
    door: repository('admin'),
    permission: 'administration=write',
    async handle({ forge, actor, target, params }) {
      await forge.collaborators.remove(actor, target, params.username!)
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/collaborators/:username/permission',
    id: 'get-repository-permissions-for-a-user',
    summary: 'What a user may do with the repository.',
    door: repository('read', { signIn: true }),
    permission: 'metadata=read',
    async handle({ forge, target, params, view }) {
      const found = await forge.collaborators.levelFor(target, params.username!)
      const user = presentCollaborator(found, view)
      return ok({ permission: presentLegacyLevel(found.level), role_name: found.level, user })
    },
  }),
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/invitations',
    id: 'list-repository-invitations',
    summary: 'Open invitations to the repository.',
    door: repository('admin'),
    permission: 'administration=read',
    pageSize: usualPage,
    async handle({ forge, actor, target, page, view }) {
      return list(await forge.invitations.list(actor, target, page), (each) => presentInvitation(each, view))
    },
  }),
  route({
    method: 'PATCH',
    path: '/repos/:owner/:repo/invitations/:invitation_id',
    id: 'update-a-repository-invitation',
    summary: 'Changes the level that an invitation offers.',
    door: repository('admin'),
    permission: 'administration=write',
    body: Shape({ permissions: Optional(Text(50)) }),
    async handle({ forge, actor, target, params, body, view }) {
      const level = readLevel(body.permissions, 'write')
      const changed = await forge.invitations.change(actor, target, readId(params.invitation_id), level)
      return ok(presentInvitation(changed, view))
    },
  }),
  route({
    method: 'DELETE',
    path: '/repos/:owner/:repo/invitations/:invitation_id',
    id: 'delete-a-repository-invitation',
    summary: 'Takes an invitation back.',
    door: repository('admin'),
    permission: 'administration=write',
    async handle({ forge, actor, target, params }) {
      await forge.invitations.withdraw(actor, target, readId(params.invitation_id))
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/user/repository_invitations',
    id: 'list-repository-invitations-for-the-authenticated-user',
    summary: 'One’s own open invitations.',
    door: signedIn,
    scopes: ['repo:invite'],
    pageSize: usualPage,
    async handle({ forge, actor, page, view }) {
      return list(await forge.invitations.listOwn(actor, page), (each) => presentInvitation(each, view))
    },
  }),
  route({
    method: 'PATCH',
    path: '/user/repository_invitations/:invitation_id',
    id: 'accept-a-repository-invitation',
    summary: 'Accepts: the repository is joined and watched.',
    door: signedIn,
    scopes: ['repo:invite'],
    async handle({ forge, actor, params }) {
      await forge.invitations.accept(actor, readId(params.invitation_id))
      return noContent()
    },
  }),
  route({
    method: 'DELETE',
    path: '/user/repository_invitations/:invitation_id',
    id: 'decline-a-repository-invitation',
    summary: 'Declines.',
    door: signedIn,
    scopes: ['repo:invite'],
    async handle({ forge, actor, params }) {
      await forge.invitations.decline(actor, readId(params.invitation_id))
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/teams',
    id: 'list-repository-teams',
    summary: 'Teams that the repository is given to.',
    door: repository('admin'),
    permission: 'administration=read',
    pageSize: usualPage,
    async handle({ forge, actor, target, page, view }) {
      requireSignIn(actor)
      if (target.owner.kind === 'user') return list({ total: 0, items: [] }, String)
      const profile = await forge.people.getById(target.owner.id)
      const near = { ...profile, role: 'admin' as const }
      const { total, items } = await forge.teamRepositories.listTeams(target, page)
      const teams = await Promise.all(
        items.map(async ({ slug, level }) => ({ team: await forge.teams.open(actor, near, slug), level })),
      )
      return list({ total, items: teams }, ({ team, level }) => presentTeamOn(team, level, view))
    },
  }),
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/subscribers',
    id: 'list-watchers',
    summary: 'Who watches the repository.',
    door: repository('read'),
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ forge, actor, target, page, view }) {
      return list(await forge.watching.list(actor, target, page), (user) => presentUser(user, view))
    },
  }),
  route({
    method: 'GET',
    path: '/repos/:owner/:repo/subscription',
    id: 'get-a-repository-subscription',
    summary: 'Whether one watches or ignores the repository; 404 for neither.',
    door: repository('read', { signIn: true }),
    permission: 'metadata=read',
    async handle({ forge, actor, target, view }) {
      return ok(presentWatch(await forge.watching.get(actor, target), target, view))
    },
  }),
  route({
    method: 'PUT',
    path: '/repos/:owner/:repo/subscription',
    id: 'set-a-repository-subscription',
    summary: 'Watches the repository, or ignores it.',
    door: repository('read', { signIn: true }),
    permission: 'metadata=read',
    body: Shape({ subscribed: Optional(Flag), ignored: Optional(Flag) }),
    async handle({ forge, actor, target, body, view }) {
      return ok(presentWatch(await forge.watching.set(actor, target, body.ignored ?? false), target, view))
    },
  }),
  route({
    method: 'DELETE',
    path: '/repos/:owner/:repo/subscription',
    id: 'delete-a-repository-subscription',
    summary: 'Neither watches nor ignores it any more.',
    door: repository('read', { signIn: true }),
    permission: 'metadata=read',
    async handle({ forge, actor, target }) {
      await forge.watching.remove(actor, target)
      return noContent()
    },
  }),
]
