/** Routes of organisations and their repositories. */

import { accountNameRule, isAccountName } from '../../../accounts/account-rules.ts'
import { parseLevel, rankOf } from '../../../forge/access/level.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { Organisations } from '../../../forge/people/organisations.ts'
import type { People } from '../../../forge/people/people.ts'
import type { Repositories } from '../../../forge/repositories/repositories.ts'
import type { RepositoryLists } from '../../../forge/repositories/repository-lists.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { anyone, organisation, seenFromWithin, seenOrganisation, signedIn } from '../doors.ts'
import { allSince, pageOf } from '../outcomes.ts'
import { presentListedRepository, presentWholeRepository } from '../repositories/present-repository.ts'
import { OrganisationRepositoryBody, readOrder, toRepositoryDraft } from '../repositories/repository-body.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, OneOf, Optional, Shape, Text } from '../schemas.ts'
import { presentSignOn } from '../single-sign-on/sign-on-body.ts'
import { presentOrganisation, presentWholeOrganisation } from './present-people.ts'
import { profileShape, readProfile } from './profile-body.ts'

const owns = { door: organisation('owner'), permission: 'organization_administration=write' } as const

type Needs = {
  singleSignOn: SignOnServices
  organisations: Organisations
  people: People
  repositories: Repositories
  repositoryLists: RepositoryLists
}

/** The enterprise server's address, and ours beside one's other things. */
const own = (organisations: Organisations, address: 'POST /user/orgs' | 'POST /organizations', id: string): Route =>
  route(address, {
    id,
    summary: 'Makes an organisation of which one is the owner, where the server lets everyone make some.',
    door: signedIn,
    tokens: ['classic', 'oauth'],
    scopes: ['admin:org'],
    resource: 'Organization',
    createsContent: true,
    body: Shape({ login: Text(39, 1), admin: Optional(Text(39, 1)), profile_name: Optional(Text(255)) }),
    async handle({ actor, target, body, view }) {
      if (!isAccountName(body.login)) throw invalidField('login', 'invalid', `A login has ${accountNameRule}.`)
      const isOther = body.admin !== undefined && body.admin.toLowerCase() !== actor.account?.name.toLowerCase()
      if (isOther) throw invalidField('admin', 'invalid', 'You own what you make: leave admin out, or name yourself.')
      const made = await organisations.createOwn(target, { login: body.login, name: body.profile_name })
      return created(presentOrganisation(made, view), `${view.base}/orgs/${made.login}`)
    },
  })

export const organisationRoutes = ({
  organisations,
  people,
  repositories,
  repositoryLists,
  singleSignOn,
}: Needs): readonly Route[] => [
  route('GET /organizations', {
    id: 'list-organizations',
    summary: 'Every organisation, by id, after `since`.',
    door: anyone,
    pageSize: usualPage,
    handle: (call) => allSince(call, (since, limit) => people.list('organisation', since, limit), presentOrganisation),
  }),
  own(organisations, 'POST /user/orgs', 'create-an-organization-of-ones-own'),
  own(organisations, 'POST /organizations', 'create-an-organization-as-its-owner'),
  route('GET /users/:username/orgs', {
    id: 'list-organizations-for-a-user',
    summary: 'Organisations that a user is a public member of.',
    door: anyone,
    pageSize: usualPage,
    async handle({ actor, params, page, view }) {
      const user = await people.get(params.username, 'user')
      return pageOf(organisations.listOf(actor, user, page), presentOrganisation, view)
    },
  }),
  route('GET /user/orgs', {
    id: 'list-organizations-for-the-authenticated-user',
    summary: 'Lists the organisations that you are a member of.',
    spansOrganisations: true,
    door: signedIn,
    scopes: ['user', 'read:org'],
    permission: 'members=read',
    pageSize: usualPage,
    handle: ({ actor, target, page, view }) =>
      pageOf(organisations.listOf(actor, target.actor.account, page), presentOrganisation, view),
  }),
  route('GET /orgs/:org', {
    id: 'get-an-organization',
    summary: 'An organisation; its owners see more of it.',
    door: seenOrganisation,
    scopes: ['admin:org'],
    permission: 'organization_administration=read',
    async handle({ target, view }) {
      const { organisation, isOwner } = target
      const [counts, signOn] = await Promise.all([
        people.countAround(organisation.id),
        isOwner ? singleSignOn.providers.find(organisation.id) : undefined,
      ])
      const shown = presentWholeOrganisation(organisation, isOwner, counts, view)
      return ok(isOwner ? { ...shown, sso: presentSignOn(signOn) } : shown)
    },
  }),
  route('PATCH /orgs/:org', {
    ...owns,
    id: 'update-an-organization',
    summary: 'Changes an organisation.',
    resource: 'Organization',
    body: Shape({
      ...profileShape,
      billing_email: profileShape.email,
      description: profileShape.bio,
      default_repository_permission: Optional(OneOf('read', 'write', 'admin', 'none')),
      members_can_create_repositories: Optional(Flag),
    }),
    async handle({ target, body, view }) {
      const { email = body.billing_email, description: bio, default_repository_permission: permission } = body
      const changed = await organisations.update(target, {
        ...readProfile({ ...body, email, bio }),
        ...omitUndefined({
          memberRank: permission && rankOf(parseLevel(permission) ?? 'none'),
          membersMayCreate: body.members_can_create_repositories,
        }),
      })
      return ok(presentWholeOrganisation(changed, true, await people.countAround(changed.id), view))
    },
  }),
  route('DELETE /orgs/:org', {
    ...owns,
    id: 'delete-an-organization',
    summary: 'Deletes an organisation that owns no repositories.',
    async handle({ target }) {
      await organisations.remove(target)
      return { status: 202, body: {} }
    },
  }),
  route('GET /orgs/:org/repos', {
    id: 'list-organization-repositories',
    summary: 'Lists the repositories of an organisation that you can see.',
    door: seenFromWithin,
    permission: 'metadata=read',
    pageSize: usualPage,
    handle({ actor, target, query, page, view }) {
      const visibility = query.oneOf('type', ['all', 'public', 'private', 'forks', 'sources'], 'all')
      const order = readOrder(query, 'created')
      return pageOf(
        repositoryLists.listOf(actor, target.organisation, visibility, order, page),
        presentListedRepository,
        view,
      )
    },
  }),
  route('POST /orgs/:org/repos', {
    id: 'create-an-organization-repository',
    summary: 'Creates a repository for an organisation; the team `team_id` may read it.',
    door: organisation('member'),
    scopes: ['public_repo', 'repo'],
    permission: 'administration=write',
    createsContent: true,
    body: OrganisationRepositoryBody,
    async handle({ target, body, view }) {
      const made = await repositories.createFor(target, toRepositoryDraft(body), body.team_id)
      return created(presentWholeRepository(made, view), `${view.base}/repos/${target.organisation.login}/${made.name}`)
    },
  }),
]
