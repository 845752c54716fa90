/** Teams: nested, with members and repositories. */
import { omitUndefined } from '../../../base/omit-undefined.ts'
import { parsePermissions, personalTokenKinds } from '../../../forge/access/need.ts'
import type { Access } from '../../../forge/access/opening.ts'
import type { OrganisationAccess } from '../../../forge/access/organisation-access.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { TeamWithCounts } from '../../../forge/people/team.ts'
import type { Person } from '../../../forge/person.ts'
import { created, list, noContent, ok } from '../answer.ts'
import { organisation, signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readLevel } from '../repositories/collaborators.ts'
import { presentListedRepository, presentPermissions } from '../repositories/present-repository.ts'
import { type Call, type Route, route, usualPage } from '../route.ts'
import { List, NullableText, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'
import { presentUser } from './present-people.ts'
import { presentTeam, presentTeamMembership, presentWholeTeam } from './present-teams.ts'

type OrganisationCall = Call<OrganisationAccess<'member'>>

type TeamCall = Call<OrganisationAccess<'member'>, unknown, { readonly team_slug: string }>

const openTeam = ({ forge, target, params }: TeamCall) => forge.teams.open(target, params.team_slug)

async function showTeam({ forge, target, view }: OrganisationCall, team: TeamWithCounts) {
  const { organisation } = target
  return presentWholeTeam(team, organisation, await forge.people.countAround(organisation.id), view)
}

type Address = { readonly owner?: string; readonly repo?: string }

/** What is asked of the token for the repository, beside what the team's own door asks. */
const needs = {
  read: { tokens: personalTokenKinds, scopes: ['repo'], permissions: parsePermissions('metadata=read') },
  admin: { tokens: personalTokenKinds, scopes: ['repo'], permissions: parsePermissions('administration=write') },
} as const

const addressOf = ({ owner = '', repo = '' }: Address) => ({ owner, name: repo })

/** The repository to change, of which one must be so much: that in the request's address, unless another is named. */
function enterRepository<L extends 'read' | 'admin'>(call: Call, level: L, named: Address = call.params) {
  const need = { ...needs[level], level, signIn: true, writes: true }
  return call.forge.opening.enterAnywhere(call.actor, addressOf(named), need)
}

async function findMaintainer({ forge, target }: OrganisationCall, login: string): Promise<Person> {
  const membership = await forge.memberships.find(target, login)
  if (membership?.state === 'active') return membership.user
  throw invalidField('maintainers', 'invalid', `${login} is no member of the organization.`)
}

async function findRepository(call: OrganisationCall, fullName: string): Promise<Access<'admin'>> {
  const [owner = '', repo = ''] = fullName.split('/')
  const found = await enterRepository(call, 'admin', { owner, repo })
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

export const teamRoutes: readonly Route[] = [
  route('GET /orgs/:org/teams', {
    ...read,
    id: 'list-teams',
    summary: 'Teams of an organisation that one may see.',
    pageSize: usualPage,
    handle: ({ forge, target, page, view }) => pageOf(forge.teams.list(target, page), presentTeam, view),
  }),
  route('POST /orgs/:org/teams', {
    ...write,
    id: 'create-a-team',
    summary: 'Makes a team, with `maintainers` and `repo_names` to read; its maker is a maintainer.',
    body: Shape({
      ...members,
      name: Text(255, 1),
      maintainers: Optional(List(Text(39), { maxItems: 100 })),
      repo_names: Optional(List(Text(200), { maxItems: 100 })),
    }),
    async handle(call) {
      const { forge, target, body } = call
      const [maintainers, repositories] = await Promise.all([
        Promise.all((body.maintainers ?? []).map((login) => findMaintainer(call, login))),
        Promise.all((body.repo_names ?? []).map((fullName) => findRepository(call, fullName))),
      ])
      const start = { maintainers, repositories }
      const team = await forge.teams.create(target, { ...toDraft(body), name: body.name }, start)
      return created(await showTeam(call, team))
    },
  }),
  route('GET /orgs/:org/teams/:team_slug', {
    ...read,
    id: 'get-a-team-by-name',
    summary: 'A team.',
    async handle(call) {
      return ok(await showTeam(call, await call.forge.teams.withCounts(await openTeam(call))))
    },
  }),
  route('PATCH /orgs/:org/teams/:team_slug', {
    ...write,
    id: 'update-a-team',
    summary: 'Changes a team, or moves it below another.',
    body: Shape({ ...members, name: Optional(Text(255, 1)) }),
    async handle(call) {
      const { forge, target, body } = call
      const change = { ...toDraft(body), ...omitUndefined({ name: body.name }) }
      return ok(await showTeam(call, await forge.teams.update(target, await openTeam(call), change)))
    },
  }),
  route('DELETE /orgs/:org/teams/:team_slug', {
    ...write,
    id: 'delete-a-team',
    summary: 'Deletes a team and those below it.',
    async handle(call) {
      return done(call.forge.teams.remove(call.target, await openTeam(call)))
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/teams', {
    ...read,
    id: 'list-child-teams',
    summary: 'Teams right below a team.',
    pageSize: usualPage,
    async handle(call) {
      const { forge, target, page, view } = call
      return pageOf(forge.teams.list(target, page, await openTeam(call)), presentTeam, view)
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/members', {
    ...read,
    id: 'list-team-members',
    summary: 'Members of a team and of those below it.',
    pageSize: usualPage,
    async handle(call) {
      const { forge, target, query, page, view } = call
      const role = query.oneOf('role', ['all', 'member', 'maintainer'], 'all')
      return pageOf(forge.teamMembers.list(target, await openTeam(call), role, page), presentUser, view)
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/memberships/:username', {
    ...read,
    id: 'get-team-membership-for-a-user',
    summary: 'A user’s part in a team.',
    async handle(call) {
      const { forge, target, params, view } = call
      const team = await openTeam(call)
      return ok(presentTeamMembership(team, await forge.teamMembers.get(target, team, params.username), view))
    },
  }),
  route('PUT /orgs/:org/teams/:team_slug/memberships/:username', {
    ...write,
    id: 'add-or-update-team-membership-for-a-user',
    summary: 'Puts a user in a team; one outside the organisation is invited to it.',
    body: Shape({ role: Optional(OneOf('member', 'maintainer')) }),
    async handle(call) {
      const { forge, target, params, body, view } = call
      const team = await openTeam(call)
      const membership = await forge.teamMembers.set(target, team, params.username, body.role ?? 'member')
      return ok(presentTeamMembership(team, membership, view))
    },
  }),
  route('DELETE /orgs/:org/teams/:team_slug/memberships/:username', {
    ...write,
    id: 'remove-team-membership-for-a-user',
    summary: 'Takes a user out of a team.',
    async handle(call) {
      const { forge, target, params } = call
      return done(forge.teamMembers.remove(target, await openTeam(call), params.username))
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/repos', {
    ...read,
    id: 'list-team-repositories',
    summary: 'Repositories that a team is given.',
    pageSize: usualPage,
    async handle(call) {
      const { forge, actor, page, view } = call
      return pageOf(forge.repositoryLists.listOfTeam(actor, await openTeam(call), page), presentListedRepository, view)
    },
  }),
  route('GET /orgs/:org/teams/:team_slug/repos/:owner/:repo', {
    ...read,
    id: 'check-team-permissions-for-a-repository',
    summary: '204, or with the media type `…repository+json` the repository with the team’s rights; 404 for none.',
    async handle(call) {
      const { forge, actor, accept, view } = call
      const team = await openTeam(call)
      const reading = { ...needs.read, level: 'read', signIn: false, writes: false } as const
      const found = await forge.opening.openAnywhere(actor, addressOf(call.params), reading)
      const level = await forge.teamRepositories.level(team, found)
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
      const { forge, body } = call
      const team = await openTeam(call)
      const access = await enterRepository(call, 'admin')
      return done(forge.teamRepositories.set(access, team, readLevel(body.permission)))
    },
  }),
  route('DELETE /orgs/:org/teams/:team_slug/repos/:owner/:repo', {
    ...write,
    id: 'remove-a-repository-from-a-team',
    summary: 'Takes a repository from a team.',
    async handle(call) {
      const { forge, target } = call
      const team = await openTeam(call)
      const isMaintainer = await forge.teams.mayMaintain(target, team.id)
      return isMaintainer
        ? done(forge.teamRepositories.giveUp(target, team, await enterRepository(call, 'read')))
        : done(forge.teamRepositories.remove(await enterRepository(call, 'admin'), team))
    },
  }),
  route('GET /user/teams', {
    id: 'list-teams-for-the-authenticated-user',
    summary: 'Teams that one is in.',
    spansOrganisations: true,
    door: signedIn,
    scopes: ['user', 'repo', 'read:org'],
    permission: 'members=read',
    pageSize: usualPage,
    async handle({ forge, target, page, view }) {
      const found = await forge.teams.listOwn(target, page, forge.organisations.getById)
      const ids = [...new Set(found.items.map(({ organisation }) => organisation.id))]
      const around = new Map(
        await Promise.all(
          ids.map(
            async (id) =>
              [id, [await forge.organisations.getById(id), await forge.people.countAround(id)] as const] as const,
          ),
        ),
      )
      return list(found, (team) => presentWholeTeam(team, ...around.get(team.organisation.id)!, view))
    },
  }),
]
