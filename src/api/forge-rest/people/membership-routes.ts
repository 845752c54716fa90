/** Routes of an organisation's members, and of the caller's own memberships. */
import type { Memberships } from '../../../forge/people/memberships.ts'
import type { People } from '../../../forge/people/people.ts'
import { organisation, seenFromWithin, seenOrganisation, signedIn } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { OneOf, Optional, Shape } from '../schemas.ts'
import { presentMembership, presentUser } from './present-people.ts'

const publicly = { door: seenOrganisation, scopes: ['read:org'], permission: 'members=read' } as const
const sees = { door: seenFromWithin, scopes: ['read:org'], permission: 'members=read' } as const
const owns = { door: organisation('owner'), permission: 'members=write', resource: 'Membership' } as const
const publicises = { door: organisation('member'), scopes: ['write:org'], permission: 'members=write' } as const
const own = { door: signedIn, scopes: ['read:org'], permission: 'members=read' } as const

type Needs = {
  memberships: Memberships
  people: People
}

export const membershipRoutes = ({ memberships, people }: Needs): readonly Route[] => [
  route('GET /orgs/:org/members', {
    ...sees,
    id: 'list-organization-members',
    summary: 'Members; those outside see the public ones.',
    pageSize: usualPage,
    handle({ target, query, page, view }) {
      const role = query.oneOf('role', ['all', 'admin', 'member'], 'all')
      return pageOf(memberships.list(target, role === 'all' ? {} : { role }, page), presentUser, view)
    },
  }),
  route('GET /orgs/:org/members/:username', {
    ...sees,
    id: 'check-organization-membership-for-a-user',
    summary: '204 for a member that you can see, 404 otherwise.',
    handle: ({ target, params }) => whether(memberships.isMember(target, params.username)),
  }),
  route('DELETE /orgs/:org/members/:username', {
    ...owns,
    id: 'remove-an-organization-member',
    summary: 'Removes a member, from all teams too.',
    handle: ({ target, params }) => done(memberships.remove(target, params.username)),
  }),
  route('GET /orgs/:org/memberships', {
    id: 'list-organization-memberships',
    summary: 'Members with their roles, and those who are invited: for owners. `state` and `role` narrow it.',
    door: organisation('owner'),
    scopes: ['read:org'],
    permission: 'members=read',
    pageSize: usualPage,
    handle({ target, query, page, view }) {
      const role = query.oneOf('role', ['all', 'admin', 'member'], 'all')
      const state = query.oneOf('state', ['active', 'pending', 'all'], 'all')
      const filter = { role: role === 'all' ? undefined : role, state: state === 'all' ? undefined : state }
      return pageOf(memberships.listAll(target, filter, page), presentMembership, view)
    },
  }),
  route('GET /orgs/:org/memberships/:username', {
    id: 'get-organization-membership-for-a-user',
    summary: 'Shows the membership of a user in an organisation.',
    door: organisation('member'),
    permission: 'members=read',
    async handle({ target, params, view }) {
      return ok(presentMembership(await memberships.get(target, params.username), view))
    },
  }),
  route('PUT /orgs/:org/memberships/:username', {
    ...owns,
    id: 'set-organization-membership-for-a-user',
    summary: 'Invites a user, or changes a member’s role.',
    body: Shape({ role: Optional(OneOf('admin', 'member')) }),
    async handle({ target, params, body, view }) {
      const membership = await memberships.set(target, params.username, body.role ?? 'member')
      return ok(presentMembership(membership, view))
    },
  }),
  route('DELETE /orgs/:org/memberships/:username', {
    ...owns,
    id: 'remove-organization-membership-for-a-user',
    summary: 'Removes a member, or cancels an invitation.',
    handle: ({ target, params }) => done(memberships.remove(target, params.username)),
  }),
  route('GET /orgs/:org/public_members', {
    ...publicly,
    id: 'list-public-organization-members',
    summary: 'Lists the public members.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(memberships.list(target, { onlyPublic: true }, page), presentUser, view),
  }),
  route('GET /orgs/:org/public_members/:username', {
    ...publicly,
    id: 'check-public-organization-membership-for-a-user',
    summary: '204 for a public member, 404 otherwise.',
    handle: ({ target, params }) => whether(memberships.isMember(target, params.username, true)),
  }),
  route('PUT /orgs/:org/public_members/:username', {
    ...publicises,
    id: 'set-public-organization-membership-for-the-authenticated-user',
    summary: 'Makes your own membership public.',
    handle: ({ target, params }) => done(memberships.publicise(target, params.username, true)),
  }),
  route('DELETE /orgs/:org/public_members/:username', {
    ...publicises,
    id: 'remove-public-organization-membership-for-the-authenticated-user',
    summary: 'Hides your own membership.',
    handle: ({ target, params }) => done(memberships.publicise(target, params.username, false)),
  }),
  route('GET /user/memberships/orgs', {
    ...own,
    id: 'list-organization-memberships-for-the-authenticated-user',
    summary: 'Lists your own memberships and invitations.',
    spansOrganisations: true,
    pageSize: usualPage,
    handle({ target, query, page, view }) {
      const state = query.oneOf('state', ['active', 'pending', 'all'], 'all')
      return pageOf(memberships.listOwn(target, state === 'all' ? undefined : state, page), presentMembership, view)
    },
  }),
  route('GET /user/memberships/orgs/:org', {
    ...own,
    id: 'get-an-organization-membership-for-the-authenticated-user',
    summary: 'Shows your own membership in an organisation.',
    async handle({ target, params, view }) {
      const found = await people.get(params.org, 'organisation')
      return ok(presentMembership(await memberships.getOwn(target, found), view))
    },
  }),
  route('PATCH /user/memberships/orgs/:org', {
    ...own,
    id: 'update-an-organization-membership-for-the-authenticated-user',
    summary: 'Accepts an invitation.',
    resource: 'Membership',
    scopes: ['write:org'],
    permission: 'members=write',
    body: Shape({ state: OneOf('active') }),
    async handle({ target, params, view }) {
      const found = await people.get(params.org, 'organisation')
      return ok(presentMembership(await memberships.accept(target, found), view))
    },
  }),
  route('DELETE /user/memberships/orgs/:org', {
    ...own,
    id: 'remove-an-organization-membership-for-the-authenticated-user',
    summary: 'Leaves an organisation, or declines its invitation.',
    resource: 'Membership',
    scopes: ['write:org'],
    permission: 'members=write',
    async handle({ target, params }) {
      return done(memberships.leave(target, await people.get(params.org, 'organisation')))
    },
  }),
]
