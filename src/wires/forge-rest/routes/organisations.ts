/** Organisations, who is in them, and what they own. */

import { notFound } from '../../../forge/faults.ts'
import { parseLevel, rankOf } from '../../../forge/level.ts'
import { created, list, noContent, ok } from '../answer.ts'
import { presentMembership, presentOrganisation, presentUser, presentWholeOrganisation } from '../present/people.ts'
import { presentListedRepository, presentWholeRepository } from '../present/repository.ts'
import { sinceLink } from '../query.ts'
import { anyone, organisation, type Route, route, signedIn, usualPage } from '../route.ts'
import { Flag, NullableText, OneOf, Optional, Shape, Text } from '../shapes.ts'
import { RepositoryBody, toRepositoryDraft } from './repository-body.ts'

export const organisationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations',
    id: 'list-organizations',
    summary: 'Every organisation, by id, after `since`.',
    door: anyone,
    pageSize: usualPage,
    async handle({ forge, query, page, view, address }) {
      const found = await forge.people.list('organisation', query.whole('since', 0), page.limit)
      const more = found.length === page.limit ? { link: sinceLink(address, found.at(-1)!.id) } : undefined
      return ok(
        found.map((each) => presentOrganisation(each, view)),
        more,
      )
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org',
    id: 'get-an-organization',
    summary: 'An organisation; its owners see more of it.',
    door: organisation('anyone'),
    async handle({ forge, target, view }) {
      return ok(presentWholeOrganisation(target, await forge.people.countRepositories(target.id), view))
    },
  }),
  route({
    method: 'PATCH',
    path: '/orgs/:org',
    id: 'update-an-organization',
    summary: 'Changes an organisation.',
    door: organisation('owner'),
    resource: 'Organization',
    permission: 'organization_administration=write',
    body: Shape({
      name: Optional(Text(255)),
      email: Optional(NullableText(255)),
      billing_email: Optional(NullableText(255)),
      blog: Optional(NullableText(255)),
      company: Optional(NullableText(255)),
      location: Optional(NullableText(255)),
      description: Optional(NullableText(1000)),
      default_repository_permission: Optional(OneOf('read', 'write', 'admin', 'none')),
      members_can_create_repositories: Optional(Flag),
    }),
    async handle({ forge, actor, target, body, view }) {
      const email = body.email !== undefined ? body.email : body.billing_email
      const permission = body.default_repository_permission
      const changed = await forge.organisations.update(actor, target, {
        ...(body.name !== undefined && { name: body.name }),
        ...(email !== undefined && { email: email?.toLowerCase() ?? null }),
        ...(body.blog !== undefined && { website: body.blog }),
        ...(body.company !== undefined && { company: body.company }),
        ...(body.location !== undefined && { location: body.location }),
        ...(body.description !== undefined && { bio: body.description }),
        ...(permission !== undefined && { memberRank: rankOf(parseLevel(permission) ?? 'none') }),
        ...(body.members_can_create_repositories !== undefined && {
          membersMayCreate: body.members_can_create_repositories,
        }),
      })
      return ok(presentWholeOrganisation(changed, await forge.people.countRepositories(target.id), view))
    },
  }),
  route({
    method: 'DELETE',
    path: '/orgs/:org',
    id: 'delete-an-organization',
    summary: 'Deletes an organisation that owns no repository any more.',
    door: organisation('owner'),
    permission: 'organization_administration=write',
    async handle({ forge, actor, target }) {
      await forge.organisations.remove(actor, target)
      return { status: 202, body: {} }
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org/repos',
    id: 'list-organization-repositories',
    summary: 'Repositories of an organisation, as far as one may see them.',
    door: organisation('anyone'),
    permission: 'metadata=read',
    pageSize: usualPage,
    async handle({ forge, actor, target, query, page, view }) {
      const sort = query.oneOf('sort', ['created', 'updated', 'pushed', 'full_name'], 'created')
      const direction = query.oneOf('direction', ['asc', 'desc'], sort === 'full_name' ? 'asc' : 'desc')
      const visibility = query.oneOf('type', ['all', 'public', 'private'], 'all')
      const found = await forge.repositoryLists.listOf(actor, target, visibility, { sort, direction }, page)
      return list(found, (repository) => presentListedRepository(repository, view))
    },
  }),
  route({
    method: 'POST',
    path: '/orgs/:org/repos',
    id: 'create-an-organization-repository',
    summary: 'Makes a repository for an organisation.',
    door: organisation('member'),
    scopes: ['public_repo', 'repo'],
    permission: 'administration=write',
    createsContent: true,
    body: RepositoryBody,
    async handle({ forge, actor, target, body, view }) {
      const made = await forge.repositories.createFor(actor, target, toRepositoryDraft(body))
      return created(presentWholeRepository(made, view), `${view.base}/repos/${target.login}/${made.name}`)
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org/members',
    id: 'list-organization-members',
    summary: 'Members; those outside see the public ones.',
    door: organisation('anyone'),
    permission: 'members=read',
    pageSize: usualPage,
    async handle({ forge, actor, target, query, page, view }) {
      const part = query.oneOf('role', ['all', 'admin', 'member'], 'all')
      const filter = part === 'all' ? {} : { role: part }
      return list(await forge.memberships.list(actor, target, filter, page), (user) => presentUser(user, view))
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org/members/:username',
    id: 'check-organization-membership-for-a-user',
    summary: '204 for a member, 404 otherwise, as far as one may know.',
    door: organisation('anyone'),
    permission: 'members=read',
    async handle({ forge, actor, target, params }) {
      if (!(await forge.memberships.isMember(actor, target, params.username!))) throw notFound()
      return noContent()
    },
  }),
  route({
    method: 'DELETE',
    path: '/orgs/:org/members/:username',
    id: 'remove-an-organization-member',
    summary: 'Removes a member, from all teams too.',
    door: organisation('owner'),
    permission: 'members=write',
    async handle({ forge, actor, target, params }) {
      await forge.memberships.remove(actor, target, params.username!)
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org/memberships/:username',
    id: 'get-organization-membership-for-a-user',
    summary: 'A user’s part in an organisation.',
    door: organisation('member'),
    permission: 'members=read',
    async handle({ forge, actor, target, params, view }) {
      return ok(presentMembership(await forge.memberships.get(actor, target, params.username!), view))
    },
  }),
  route({
    method: 'PUT',
    path: '/orgs/:org/memberships/:username',
    id: 'set-organization-membership-for-a-user',
    summary: 'Invites a user, or changes a member’s role.',
    door: organisation('owner'),
    resource: 'Membership',
    permission: 'members=write',
    body: Shape({ role: Optional(OneOf('admin', 'member')) }),
    async handle({ forge, actor, target, params, body, view }) {
      const membership = await forge.memberships.set(actor, target, params.username!, body.role ?? 'member')
      return ok(presentMembership(membership, view))
    },
  }),
  route({
    method: 'DELETE',
    path: '/orgs/:org/memberships/:username',
    id: 'remove-organization-membership-for-a-user',
    summary: 'Removes a member, or takes an invitation back.',
    door: organisation('owner'),
    permission: 'members=write',
    async handle({ forge, actor, target, params }) {
      await forge.memberships.remove(actor, target, params.username!)
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org/public_members',
    id: 'list-public-organization-members',
    summary: 'Members who say so.',
    door: organisation('anyone'),
    pageSize: usualPage,
    async handle({ forge, actor, target, page, view }) {
      return list(await forge.memberships.list(actor, target, { onlyPublic: true }, page), (user) =>
        presentUser(user, view),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/orgs/:org/public_members/:username',
    id: 'check-public-organization-membership-for-a-user',
    summary: '204 for a public member, 404 otherwise.',
    door: organisation('anyone'),
    async handle({ forge, actor, target, params }) {
      if (!(await forge.memberships.isMember(actor, target, params.username!, true))) throw notFound()
      return noContent()
    },
  }),
  route({
    method: 'PUT',
    path: '/orgs/:org/public_members/:username',
    id: 'set-public-organization-membership-for-the-authenticated-user',
    summary: 'Makes one’s own membership public.',
    door: organisation('member'),
    scopes: ['write:org'],
    permission: 'members=write',
    async handle({ forge, actor, target, params }) {
      await forge.memberships.publicise(actor, target, params.username!, true)
      return noContent()
    },
  }),
  route({
    method: 'DELETE',
    path: '/orgs/:org/public_members/:username',
    id: 'remove-public-organization-membership-for-the-authenticated-user',
    summary: 'Conceals one’s own membership.',
    door: organisation('member'),
    scopes: ['write:org'],
    permission: 'members=write',
    async handle({ forge, actor, target, params }) {
      await forge.memberships.publicise(actor, target, params.username!, false)
      return noContent()
    },
  }),
  route({
    method: 'GET',
    path: '/user/memberships/orgs',
    id: 'list-organization-memberships-for-the-authenticated-user',
    summary: 'One’s own memberships and invitations.',
    door: signedIn,
    scopes: ['read:org'],
    permission: 'members=read',
    pageSize: usualPage,
    async handle({ forge, actor, query, page, view }) {
      const state = query.oneOf('state', ['active', 'pending', 'all'], 'all')
      const found = await forge.memberships.listOwn(actor, state === 'all' ? undefined : state, page)
      return list(found, (membership) => presentMembership(membership, view))
    },
  }),
  route({
    method: 'GET',
    path: '/user/memberships/orgs/:org',
    id: 'get-an-organization-membership-for-the-authenticated-user',
    summary: 'One’s own part in an organisation.',
    door: signedIn,
    scopes: ['read:org'],
    permission: 'members=read',
    async handle({ forge, actor, params, view }) {
      const found = await forge.people.get(params.org!, 'organisation')
      return ok(presentMembership(await forge.memberships.get(actor, found, actor.account!.name), view))
    },
  }),
  route({
    method: 'PATCH',
    path: '/user/memberships/orgs/:org',
    id: 'update-an-organization-membership-for-the-authenticated-user',
    summary: 'Accepts an invitation.',
    door: signedIn,
    resource: 'Membership',
    scopes: ['write:org'],
    permission: 'members=write',
    body: Shape({ state: OneOf('active') }),
    async handle({ forge, actor, params, view }) {
      const found = await forge.people.get(params.org!, 'organisation')
      return ok(presentMembership(await forge.memberships.accept(actor, found), view))
    },
  }),
]
