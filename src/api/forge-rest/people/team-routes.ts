/** Routes of teams, which may be nested, with their members and repositories. */

import type { Access, Opening } from '../../../forge/access/opening.ts'
import type { OrganisationAccess } from '../../../forge/access/organisation-access.ts'
import { parsePermissions, personalTokenKinds } from '../../../forge/access/required-grant.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { Memberships } from '../../../forge/people/memberships.ts'
import type { Organisations } from '../../../forge/people/organisations.ts'
import type { People } from '../../../forge/people/people.ts'
import type { TeamWithCounts } from '../../../forge/people/team.ts'
import type { TeamMembers } from '../../../forge/people/team-members.ts'
import type { Teams } from '../../../forge/people/teams.ts'
import type { Person } from '../../../forge/person.ts'
import type { RepositoryLists } from '../../../forge/repositories/repository-lists.ts'
import type { TeamRepositories } from '../../../forge/repositories/team-repositories.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { organisation, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readLevel } from '../repositories/collaborator-routes.ts'
import { presentListedRepository, presentPermissions } from '../repositories/present-repository.ts'
import { created, list, noContent, ok } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'
import { presentUser } from './present-people.ts'
import { presentTeam, presentTeamMembership, presentWholeTeam } from './present-teams.ts'

type OrganisationCall = ForgeCall<OrganisationAccess<'member'>>

type TeamCall = ForgeCall<OrganisationAccess<'member'>, unknown, { readonly team_slug: string }>

const openTeam = (teams: Teams, { target, params }: TeamCall) => teams.open(target, params.team_slug)

async function showTeam(people: People, { target, view }: OrganisationCall, team: TeamWithCounts) {
  const { organisation } = target
  return presentWholeTeam(team, organisation, await people.countAround(organisation.id), view)
}

type Address = { readonly owner?: string; readonly repo?: string }

/** The token's needs for the repository, besides those of the team's own door. */
const needs = {
  read: { tokens: personalTokenKinds, scopes: ['repo'], permissions: parsePermissions('metadata=read') },
  admin: { tokens: personalTokenKinds, scopes: ['repo'], permissions: parsePermissions('administration=write') },
} as const

const addressOf = ({ owner = '', repo = '' }: Address) => ({ owner, name: repo })

/** Opens the repository at the given level: the one in the request's address, unless another is named. */
function enterRepository<L extends 'read' | 'admin'>(
  opening: Opening,
  call: ForgeCall,
  level: L,
  named: Address = call.params,
) {
  const need = { ...needs[level], level, signIn: true, writes: true }
  return opening.enterAnywhere(call.actor, addressOf(named), need)
}

async function findMaintainer(memberships: Memberships, { target }: OrganisationCall, login: string): Promise<Person> {
  const membership = await memberships.find(target, login)
  if (membership?.state === 'active') return membership.user
  throw invalidField('maintainers', 'invalid', `${login} is not a member of the organization.`)
}

async function findRepository(opening: Opening, call: OrganisationCall, fullName: string): Promise<Access<'admin'>> {
  const [owner = '', repo = ''] = fullName.split('/')
  const found = await enterRepository(opening, call, 'admin', { owner, repo })
  if (found.repository.owner.id === call.target.organisation.id) return found
  throw invalidField('repo_names', 'invalid', `${fullName} belongs to another account.`)
}

const members = {
  description: Optional(NullableText(2_000)),
  privacy: Optional(OneOf('secret', 'closed')),
  notification_setting: Optional(OneOf('notifications_enabled', 'notifications_disabled')),
  parent_team_id: Optional(Type.Union([Whole, Type.Null()])),
}

type TeamBody = {
  description?: string | null
  privacy?: 'secret' | 'closed'
  notification_setting?: string
  parent_team_id?: number | null
}

const toDraft = ({ description, privacy, ...body }: TeamBody) =>
  omitUndefined({ description, privacy, notificationSetting: body.notification_setting, parentId: body.parent_team_id })

const read = { door: organisation('member'), permission: 'members=read' }
const write = { door: organisation('member'), scopes: ['write:org'], permission: 'members=write', resource: 'Team' }

type Needs = {
  memberships: Memberships
  opening: Opening
  organisations: Organisations
  people: People
  repositoryLists: RepositoryLists
  teamMembers: TeamMembers
  teamRepositories: TeamRepositories
  teams: Teams
}

export const teamRoutes = ({
  memberships,
  opening,
  organisations,
  people,
  repositoryLists,
  teamMembers,
  teamRepositories,
  teams,
}: Needs): readonly Route[] => [
  route('GET /orgs/:org/teams', {
    ...read,
    id: 'list-teams',
    summary: 'Lists the teams of an organisation that you can see.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(teams.list(target, page), presentTeam, view),
  }),
  route('POST /orgs/:org/teams', {
    ...write,
    id: 'create-a-team',
    summary: 'Creates a team with `maintainers`, and read access to `repo_names`; you become a maintainer.',
    body: Shape({
      ...members,
      name: Text(255, 1),
      maintainers: Optional(List(Text(39), { maxItems: 100 })),
      repo_names: Optional(List(Text(200), { maxItems: 100 })),
    }),
    async handle(call) {
      const { target, body } = call
      const [maintainers, repositories] = await Promise.all([
        Promise.all((body.maintainers ?? []).map((login) => findMaintainer(memberships, call, login))),
        Promise.all((body.repo_names ?? []).map((fullName) => findRepository(opening, call, fullName))),
      ])
      const start = { maintainers, repositories }
      const team = await teams.create(target, { ...toDraft(body), name: body.name }, start)
      return created(await showTeam(people, call, team))
    },
  }),
  route('GET /orgs/:org/teams/:team_slug', {
    ...read,
    id: 'get-a-team-by-name',
    summary: 'A team.',
    async handle(call) {
      return ok(await showTeam(people, call, await teams.withCounts(await openTeam(teams, call))))
    },
  }),
  route('PATCH /orgs/:org/teams/:team_slug', {
    ...write,
    id: 'update-a-team',
    summary: 'Changes a team, or gives it another parent team.',
    body: Shape({ ...members, name: Optional(Text(255, 1)) }),
    async handle(call) {
      const { target, body } = call
      const change = { ...toDraft(body), ...omitUndefined({ name: body.name }) }
      return ok(await showTeam(people, call, await teams.update(target, await openTeam(teams, call), change)))
    },
  }),
  route('DELETE /orgs/:org/teams/:team_slug', {
    ...write,
    id: 'delete-a-team',
    summary: 'Deletes a team and its child teams.',
    async handle(call) {
      return done(teams.remove(call.target, await openTeam(teams, call)))
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/teams', {
    ...read,
    id: 'list-child-teams',
    summary: 'Lists the direct child teams of a team.',
    pageSize: usualPage,
    async handle(call) {
      const { target, page, view } = call
      return pageOf(teams.list(target, page, { parent: await openTeam(teams, call) }), presentTeam, view)
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/members', {
    ...read,
    id: 'list-team-members',
    summary: 'Lists the members of a team and of its child teams.',
    pageSize: usualPage,
    async handle(call) {
      const { target, query, page, view } = call
      const role = query.oneOf('role', ['all', 'member', 'maintainer'], 'all')
      return pageOf(teamMembers.list(target, await openTeam(teams, call), role, page), presentUser, view)
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/memberships/:username', {
    ...read,
    id: 'get-team-membership-for-a-user',
    summary: 'Shows the membership of a user in a team.',
    async handle(call) {
      const { target, params, view } = call
      const team = await openTeam(teams, call)
      return ok(presentTeamMembership(team, await teamMembers.get(target, team, params.username), view))
    },
  }),
  route('PUT /orgs/:org/teams/:team_slug/memberships/:username', {
    ...write,
    id: 'add-or-update-team-membership-for-a-user',
    summary: 'Adds a user to a team; a user outside the organisation is invited to it.',
    body: Shape({ role: Optional(OneOf('member', 'maintainer')) }),
    async handle(call) {
      const { target, params, body, view } = call
      const team = await openTeam(teams, call)
      const membership = await teamMembers.set(target, team, params.username, body.role ?? 'member')
      return ok(presentTeamMembership(team, membership, view))
    },
  }),
  route('DELETE /orgs/:org/teams/:team_slug/memberships/:username', {
    ...write,
    id: 'remove-team-membership-for-a-user',
    summary: 'Removes a user from a team.',
    async handle(call) {
      const { target, params } = call
      return done(teamMembers.remove(target, await openTeam(teams, call), params.username))
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/repos', {
    ...read,
    id: 'list-team-repositories',
    summary: 'Lists the repositories of a team, each with the team’s rights.',
    pageSize: usualPage,
    async handle(call) {
      const { actor, page, view } = call
      const team = await openTeam(teams, call)
      const found = await repositoryLists.listOfTeam(actor, team, page)
      const levels = await teamRepositories.levels(
        team,
        found.items.map(({ id }) => id),
      )
      return list(found, (one) => {
        const level = levels.get(one.id) ?? 'none'
        return { ...presentListedRepository(one, view), permissions: presentPermissions(level), role_name: level }
      })
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/repos/:owner/:repo', {
    ...read,
    id: 'check-team-permissions-for-a-repository',
    summary: '204, or with the media type `…repository+json` the repository with the team’s rights; 404 for none.',
    async handle(call) {
      const { actor, accept, view } = call
      const team = await openTeam(teams, call)
      const reading = { ...needs.read, level: 'read', signIn: false, writes: false } as const
      const found = await opening.openAnywhere(actor, addressOf(call.params), reading)
      const level = await teamRepositories.level(team, found)
      if (!accept.includes('repository+json')) return noContent()
      return ok({ ...presentListedRepository(found, view), permissions: presentPermissions(level), role_name: level })
    },
  }),
  route('PUT /orgs/:org/teams/:team_slug/repos/:owner/:repo', {
    ...write,
    id: 'add-or-update-team-repository-permissions',
    summary: 'Gives a repository to a team.',
    body: Shape({ permission: Optional(Text(50)) }),
    async handle(call) {
      const { body } = call
      const team = await openTeam(teams, call)
      const access = await enterRepository(opening, call, 'admin')
      return done(teamRepositories.set(access, team, readLevel(body.permission)))
    },
  }),
  route('DELETE /orgs/:org/teams/:team_slug/repos/:owner/:repo', {
    ...write,
    id: 'remove-a-repository-from-a-team',
    summary: 'Removes a repository from a team.',
    async handle(call) {
      const { target } = call
      const team = await openTeam(teams, call)
      const isMaintainer = await teams.mayMaintain(target, team.id)
      return isMaintainer
        ? done(teamRepositories.giveUp(target, team, await enterRepository(opening, call, 'read')))
        : done(teamRepositories.remove(await enterRepository(opening, call, 'admin'), team))
    },
  }),
  route('GET /user/teams', {
    id: 'list-teams-for-the-authenticated-user',
    summary: 'Lists the teams that you are in.',
    spansOrganisations: true,
    door: signedIn,
    scopes: ['user', 'repo', 'read:org'],
    permission: 'members=read',
    pageSize: usualPage,
    async handle({ target, page, view }) {
      const found = await teams.listOwn(target, page, organisations.getById)
      const ids = [...new Set(found.items.map(({ organisation }) => organisation.id))]
      const around = new Map(
        await Promise.all(
          ids.map(
            async (id) => [id, [await organisations.getById(id), await people.countAround(id)] as const] as const,
          ),
        ),
      )
      return list(found, (team) => presentWholeTeam(team, ...around.get(team.organisation.id)!, view))
    },
  }),
]
