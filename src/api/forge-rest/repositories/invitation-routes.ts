/** Routes of invitations to a repository: those that its admins sent, and the caller's own. */
import type { Invitations } from '../../../forge/repositories/invitations.ts'
import { changed, seen, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { readLevel } from './collaborator-routes.ts'
import { presentInvitation } from './present-repository.ts'

const sent = { door: changed('admin'), permission: 'administration=write' } as const
const own = { door: signedIn, scopes: ['repo:invite'], permission: 'administration=write' } as const

export const invitationRoutes = ({ invitations }: { invitations: Invitations }): readonly Route[] => [
  route('GET /repos/:owner/:repo/invitations', {
    door: seen('admin'),
    permission: 'administration=read',
    id: 'list-repository-invitations',
    isLive: true,
    summary: 'Open invitations to the repository.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(invitations.list(target, page), presentInvitation, view),
  }),
  route('PATCH /repos/:owner/:repo/invitations/:invitation_id', {
    ...sent,
    id: 'update-a-repository-invitation',
    summary: 'Changes the role that an invitation offers.',
    body: Shape({ permissions: Optional(Text(50)) }),
    async handle({ target, params, body, view }) {
      const level = readLevel(body.permissions)
      const invitation = await invitations.change(target, readId(params.invitation_id), level)
      return ok(presentInvitation(invitation, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/invitations/:invitation_id', {
    ...sent,
    id: 'delete-a-repository-invitation',
    summary: 'Cancels an invitation.',
    handle: ({ target, params }) => done(invitations.withdraw(target, readId(params.invitation_id))),
  }),
  route('GET /user/repository_invitations', {
    ...own,
    permission: 'administration=read',
    id: 'list-repository-invitations-for-the-authenticated-user',
    isLive: true,
    summary: 'Lists your own open invitations.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(invitations.listOwn(target, page), presentInvitation, view),
  }),
  route('PATCH /user/repository_invitations/:invitation_id', {
    ...own,
    id: 'accept-a-repository-invitation',
    summary: 'Accepts: the repository is joined and watched.',
    handle: ({ target, params }) => done(invitations.accept(target, readId(params.invitation_id))),
  }),
  route('DELETE /user/repository_invitations/:invitation_id', {
    ...own,
    id: 'decline-a-repository-invitation',
    summary: 'Declines.',
    handle: ({ target, params }) => done(invitations.decline(target, readId(params.invitation_id))),
  }),
]
