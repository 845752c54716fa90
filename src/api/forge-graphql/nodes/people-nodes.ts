/**
 * Nodes of users, organisations, bots and teams. Details that a short account lacks are read when a field asks for
 * them.
 */
import { personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { TeamWithParent } from '../../../forge/people/team.ts'
import type { Person, Profile } from '../../../forge/person.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import { orNull, orUnresolved } from '../context.ts'
import { findRepository, type Graph, type RepositoryName } from '../graph.ts'
import {
  type RepositoryFilterArgs,
  type RepositoryOrderArgs,
  readRepositoryFilter,
  readRepositoryOrder,
  readTeamFilter,
  type TeamArgs,
} from '../orders.ts'
import { formatTime } from '../times.ts'
import { noProjects } from './no-projects.ts'

const types = { user: 'User', organisation: 'Organization', bot: 'Bot' } as const

/** Members and owners see who is in an organisation, with a token of this scope or permission. */
const membersRead = {
  tokens: [],
  scopes: ['read:org'],
  permissions: [{ name: 'members', level: 'read' }],
} as const

/** A team's members, with the same rules as over REST. */
const teamsRead = { ...membersRead, tokens: personalTokenKinds } as const

export function personNode(graph: Graph, person: Person) {
  const { id, login, kind, isSiteAdmin } = person
  const { services, actor, origin } = graph
  const resourcePath = kind === 'bot' ? `/apps/${login.replace('[bot]', '')}` : `/${login}`
  const of =
    <T>(read: (profile: Profile) => T) =>
    async () =>
      read(await graph.profile(id))
  const ofPeople = (which: 'followers' | 'following') => (args: ConnectionArgs) =>
    connect(
      args,
      (page) => services.following.list(which, { id }, page),
      (one) => graph.make.person(one),
    )
  return {
    __typename: types[kind],
    id: nodeId(types[kind], id),
    databaseId: id,
    login,
    resourcePath,
    url: origin + resourcePath,
    avatarUrl: `${origin}/avatars/${id}`,
    isSiteAdmin,
    isViewer: actor.account.id === id,
    name: of(({ name }) => name),
    bio: of(({ bio }) => bio),
    description: of(({ bio }) => bio),
    company: of(({ company }) => company),
    location: of(({ location }) => location),
    websiteUrl: of(({ website }) => website),
    // An organisation's email is public, as over REST. A user's is never null in the public schema.
    email: of((profile) => {
      if (kind === 'organisation') return profile.email
      const isShown = profile.isEmailPublic || services.people.seesPrivate(actor, profile)
      return (isShown && profile.email) || ''
    }),
    createdAt: of(({ createdAt }) => formatTime(createdAt)),
    updatedAt: of(({ updatedAt }) => formatTime(updatedAt)),
    followers: ofPeople('followers'),
    following: ofPeople('following'),
    organizations: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => services.organisations.listOf(actor, person, page),
        (one) => graph.make.person(one),
      ),
    async membersWithRole(args: ConnectionArgs) {
      const access = await services.organisationDoor.look(actor, login, membersRead, true)
      return connect(
        args,
        (page) => services.memberships.list(access, {}, page),
        (one) => graph.make.person(one),
      )
    },
    async team({ slug }: { slug: string }) {
      const access = await services.organisationDoor.open(actor, login, 'member', teamsRead)
      const team = await orNull(services.teams.open(access, slug))
      return team && graph.make.team(team)
    },
    async teams(args: ConnectionArgs & TeamArgs) {
      const access = await services.organisationDoor.open(actor, login, 'member', teamsRead)
      return connect(
        args,
        (page) => services.teams.list(access, page, readTeamFilter(args)),
        (team) => graph.make.team(team),
      )
    },
    repositories(args: ConnectionArgs & RepositoryOrderArgs & RepositoryFilterArgs) {
      const filter = readRepositoryFilter(args)
      if (!filter) return connectAll(args, [], () => null)
      return connect(
        args,
        (page) => services.repositoryLists.listAround(actor, person, filter, readRepositoryOrder(args), page),
        (one) => graph.make.repository(one),
      )
    },
    ...noProjects,
    repository: (args: Omit<RepositoryName, 'owner'>) => findRepository(graph, { ...args, owner: login }),
  }
}

export async function findPerson(graph: Graph, login: string, kind: 'user' | 'organisation' | undefined) {
  const word = kind === 'organisation' ? 'an Organization' : kind === 'user' ? 'a User' : 'a RepositoryOwner'
  const found = orUnresolved(
    graph.services.people.get(login, kind),
    `Could not resolve to ${word} with the login of '${login}'.`,
  )
  return graph.make.person(await found)
}

export function teamNode(graph: Graph, team: TeamWithParent) {
  const { id, name, slug, description, organisation } = team
  return {
    __typename: 'Team',
    id: nodeId('Team', id),
    name,
    slug,
    combinedSlug: `${organisation.login}/${slug}`,
    description,
    url: `${graph.origin}/orgs/${organisation.login}/teams/${slug}`,
    organization: graph.make.person(organisation),
  }
}
