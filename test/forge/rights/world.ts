/** The world of the model: people, organisations, teams, repositories and data sets, and who has which right by them. */
import type { Credential } from './credential.ts'

export const levels = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const
export type Level = (typeof levels)[number]
export const rank = (level: Level): number => levels.indexOf(level)
export const highest = (...found: readonly (Level | undefined)[]): Level =>
  levels[Math.max(0, ...found.map((level) => rank(level ?? 'none')))]!

export type Person = { readonly name: string; isSuspended: boolean; address: string }
export type Membership = { role: 'admin' | 'member'; state: 'active' | 'pending'; isPublic: boolean }
export type Team = {
  readonly slug: string
  id: number
  privacy: 'closed' | 'secret'
  parent: string | undefined
  readonly members: Map<string, 'member' | 'maintainer'>
  readonly repositories: Map<string, Level>
}
export type Organisation = {
  readonly name: string
  base: Level
  membersMayCreate: boolean
  readonly members: Map<string, Membership>
  readonly teams: Map<string, Team>
}
export type Invitation = { readonly id: number; level: Level; readonly by: string }
export type Repository = {
  readonly owner: string
  readonly name: string
  isPrivate: boolean
  isArchived: boolean
  readonly collaborators: Map<string, Level>
  readonly invitations: Map<string, Invitation>
  /** Who watches it, and who wants to hear nothing of it. */
  readonly watches: Map<string, 'watched' | 'ignored'>
}
export type DataSet = { readonly owner: string; readonly name: string; id: string; access: string }

export type World = {
  readonly people: Map<string, Person>
  readonly organisations: Map<string, Organisation>
  readonly repositories: Map<string, Repository>
  readonly dataSets: Map<string, DataSet>
  readonly credentials: Map<string, Credential>
}

export const makeWorld = (): World => ({
  people: new Map(),
  organisations: new Map(),
  repositories: new Map(),
  dataSets: new Map(),
  credentials: new Map(),
})

/** The one admin of the server, who is in every world, by a session or a classic token with `site_admin`. */
export const siteAdmin = 'admin'
/** The same account by any other token: an ordinary user. */
export const plainAdmin = 'plain-admin'

export const fullName = ({ owner, name }: Repository): string => `${owner}/${name}`

/** The part that one has taken in an organisation; none while one is only invited. */
export const roleIn = (organisation: Organisation | undefined, account = ''): Membership['role'] | undefined => {
  const membership = organisation?.members.get(account)
  return membership?.state === 'active' ? membership.role : undefined
}

export const isOwner = (organisation: Organisation, account: string | undefined): boolean =>
  account === siteAdmin || roleIn(organisation, account) === 'admin'

/** The team itself and those above it. */
export function lineage(organisation: Organisation, slug: string): Team[] {
  const line: Team[] = []
  for (let at: string | undefined = slug; at !== undefined; ) {
    const team: Team | undefined = organisation.teams.get(at)
    if (!team) break
    line.push(team)
    at = team.parent
  }
  return line
}

/** The team itself and those below it. */
export const descendants = (organisation: Organisation, slug: string): Team[] =>
  [...organisation.teams.values()].filter((team) =>
    lineage(organisation, team.slug).some((above) => above.slug === slug),
  )

/** What a team may do with a repository: its own level, or a parent's. */
export const teamLevel = (organisation: Organisation, slug: string, repository: string): Level =>
  highest(...lineage(organisation, slug).map((team) => team.repositories.get(repository)))

/** Members see closed teams and the secret ones that they are in; owners see all. */
export const seesTeam = (organisation: Organisation, team: Team, account: string | undefined): boolean =>
  isOwner(organisation, account) ||
  (roleIn(organisation, account) !== undefined && (team.privacy === 'closed' || team.members.has(account!)))

export const maintains = (organisation: Organisation, team: Team, account: string | undefined): boolean =>
  isOwner(organisation, account) ||
  (roleIn(organisation, account) !== undefined && team.members.get(account!) === 'maintainer')

/** What an account has been given of a repository, by ownership, membership, teams or by name. */
export function givenLevel(world: World, account: string | undefined, repository: Repository): Level {
  if (account === undefined) return 'none'
  if (account === siteAdmin || account === repository.owner) return 'admin'
  const byName = repository.collaborators.get(account)
  const organisation = world.organisations.get(repository.owner)
  const role = roleIn(organisation, account)
  if (!organisation || role === undefined) return byName ?? 'none'
  if (role === 'admin') return 'admin'
  const teams = [...organisation.teams.values()].filter(({ members }) => members.has(account))
  return highest(
    byName,
    organisation.base,
    ...teams.map(({ slug }) => teamLevel(organisation, slug, fullName(repository))),
  )
}

/** With what everyone has of a public one. */
export const levelOf = (world: World, account: string | undefined, repository: Repository): Level =>
  highest(repository.isPrivate ? 'none' : 'read', givenLevel(world, account, repository))

/** Owners who can act: one who is suspended can't. */
export const ownersOf = (world: World, organisation: Organisation): string[] =>
  [...organisation.members].flatMap(([name, { role, state }]) =>
    role === 'admin' && state === 'active' && !world.people.get(name)?.isSuspended ? [name] : [],
  )
