/** Acts on teams themselves: who sees, makes, moves, changes and deletes them, and who is in them. */
import { nearOrganisation, signedIn } from '../access.ts'
import { type Act, drawOrganisation, drawTeam } from '../act.ts'
import { type Credential, isFor, isGranted } from '../credential.ts'
import { complain, decide, type Guard } from '../truth.ts'
import { descendants, maintains, type Organisation, roleIn, seesTeam, type Team, type World } from '../world.ts'

export const reading = (world: World, credential: Credential, organisation: Organisation) =>
  nearOrganisation(world, credential, organisation, 'member', ['read:org'], ['members', 'read'])
export const writing = (world: World, credential: Credential, organisation: Organisation) =>
  nearOrganisation(world, credential, organisation, 'member', ['write:org'], ['members', 'write'])

/** The team of a step with its organisation; undefined where there is none, or none any more. */
export function findTeam(world: World, { org, team }: { org?: string; team?: string }) {
  const organisation = world.organisations.get(org ?? '')
  const found = organisation?.teams.get(team ?? '')
  return organisation && found && { organisation, team: found }
}

export const unseen = (organisation: Organisation, team: Team, { account }: Credential): Guard => [
  !seesTeam(organisation, team, account),
  404,
]
export const unmaintained = (organisation: Organisation, team: Team, { account }: Credential): Guard => [
  !maintains(organisation, team, account),
  403,
]

/** Below a team one has what it has, so putting a team there is for those who maintain that one, and for owners. */
function parentGuards(organisation: Organisation, parent: string | undefined, { account }: Credential): Guard[] {
  if (parent === undefined) return []
  const above = organisation.teams.get(parent)
  if (!above) return [[true, 404, 422]]
  const isForeign = !maintains(organisation, above, account)
  // What is secret has no children, whoever asks; to those who do not see it, it is not there.
  return [
    [isForeign, 403, 404, ...(above.privacy === 'secret' ? [422] : [])],
    [above.privacy === 'secret', 422],
  ]
}

const listed = (list: { slug: string }[]): string[] => list.map(({ slug }) => slug)

export const teamActs: readonly Act[] = [
  {
    name: 'list teams',
    weight: 3,
    draw: drawOrganisation,
    expect(world, credential, { org }) {
      const organisation = world.organisations.get(org)
      if (!organisation) return undefined
      const seen = [...organisation.teams.values()].filter((team) => seesTeam(organisation, team, credential.account))
      return {
        statuses: decide(reading(world, credential, organisation), 200),
        complain: ({ body }) => complain(listed(body), listed(seen)),
      }
    },
    request: ({ org }, names) => ({ method: 'GET', path: `/orgs/${names.spell(org)}/teams?per_page=100` }),
  },
  {
    name: 'get a team',
    weight: 2,
    draw: drawTeam,
    expect(world, credential, params) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      return {
        statuses: decide([...reading(world, credential, organisation), unseen(organisation, team, credential)], 200),
        complain: ({ body }) => complain([body.parent?.slug ?? 'none'], [team.parent ?? 'none']),
      }
    },
    request: ({ org, team }, names) => ({ method: 'GET', path: `/orgs/${names.spell(org)}/teams/${team}` }),
  },
  {
    name: 'make a team',
    weight: 7,
    draw(world, random) {
      const one = drawOrganisation(world, random)
      if (!one) return undefined
      const parent = random.chance(0.5) ? random.pick(world.organisations.get(one.org)!.teams.keys()) : undefined
      const privacy = random.pick(['closed', 'closed', 'secret'])
      return { ...one, name: `t${random.below(1e6)}`, privacy, parent }
    },
    expect(world, credential, { org, name, privacy, parent }) {
      const organisation = world.organisations.get(org)
      if (!organisation || organisation.teams.has(name)) return undefined
      if (parent !== undefined && !organisation.teams.has(parent)) return undefined
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            // Two wrongs at once: either may be named.
            [privacy === 'secret' && parent !== undefined ? 'unclear' : false, 422],
            ...parentGuards(organisation, parent, credential),
            [privacy === 'secret' && parent !== undefined, 422],
          ],
          201,
        ),
      }
    },
    request: ({ org, name, privacy, parent }, names, world) => ({
      method: 'POST',
      path: `/orgs/${names.spell(org)}/teams`,
      body: {
        name,
        privacy,
        ...(parent !== undefined && { parent_team_id: world.organisations.get(org)!.teams.get(parent)!.id }),
      },
    }),
    apply(world, { account = '' }, { org, name, privacy, parent }, { body }) {
      const organisation = world.organisations.get(org)!
      const isMember = roleIn(organisation, account) !== undefined
      organisation.teams.set(name, {
        slug: name,
        id: body.id,
        privacy,
        parent,
        members: new Map(isMember ? [[account, 'maintainer']] : []),
        repositories: new Map(),
      })
    },
  },
  {
    name: 'move a team',
    weight: 5,
    draw(world, random) {
      const found = drawTeam(world, random)
      const slugs = found ? [...world.organisations.get(found.org)!.teams.keys()] : []
      return found && { ...found, parent: random.chance(0.8) ? random.pick(slugs) : null }
    },
    expect(world, credential, params) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      const parent: string | undefined = params.parent ?? undefined
      if (parent !== undefined && !organisation.teams.has(parent)) return undefined
      const isCircle = descendants(organisation, team.slug).some(({ slug }) => slug === parent)
      // A maintainer changes it who maintains both; of one that goes from one parent to another nobody says which.
      const former = organisation.teams.get(team.parent ?? '')
      const isForeign = former !== undefined && !maintains(organisation, former, credential.account)
      const leaving: Guard[] = [[isForeign && (parent === undefined || 'unclear'), 403]]
      const isWrong = isCircle || (team.privacy === 'secret' && parent !== undefined)
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            unseen(organisation, team, credential),
            unmaintained(organisation, team, credential),
            [isWrong ? 'unclear' : false, 422],
            ...leaving,
            ...parentGuards(organisation, parent, credential),
            [isWrong, 422],
          ],
          200,
        ),
      }
    },
    request: ({ org, team, parent }, names, world) => ({
      method: 'PATCH',
      path: `/orgs/${names.spell(org)}/teams/${team}`,
      body: { parent_team_id: parent && world.organisations.get(org)!.teams.get(parent)!.id },
    }),
    apply(world, _credential, params) {
      findTeam(world, params)!.team.parent = params.parent ?? undefined
    },
  },
  {
    name: 'change a team’s privacy',
    weight: 2,
    draw(world, random) {
      const found = drawTeam(world, random)
      return found && { ...found, privacy: random.pick(['closed', 'secret']) }
    },
    expect(world, credential, params) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      const isNested = team.parent !== undefined || descendants(organisation, team.slug).length > 1
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            unseen(organisation, team, credential),
            unmaintained(organisation, team, credential),
            [isNested && params.privacy === 'secret', 422],
          ],
          200,
        ),
      }
    },
    request: ({ org, team, privacy }, names) => ({
      method: 'PATCH',
      path: `/orgs/${names.spell(org)}/teams/${team}`,
      body: { privacy },
    }),
    apply(world, _credential, params) {
      findTeam(world, params)!.team.privacy = params.privacy
    },
  },
  {
    name: 'delete a team',
    weight: 1,
    draw: drawTeam,
    expect(world, credential, params) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            unseen(organisation, team, credential),
            unmaintained(organisation, team, credential),
          ],
          204,
        ),
      }
    },
    request: ({ org, team }, names) => ({ method: 'DELETE', path: `/orgs/${names.spell(org)}/teams/${team}` }),
    apply(world, _credential, params) {
      const { organisation, team } = findTeam(world, params)!
      for (const { slug } of descendants(organisation, team.slug)) organisation.teams.delete(slug)
    },
  },
  {
    name: 'list own teams',
    weight: 2,
    draw: () => ({}),
    expect(world, credential, _params, names) {
      const { account = '' } = credential
      const must = [...world.organisations.values()].flatMap((organisation) =>
        roleIn(organisation, account) === undefined || !isFor(credential, organisation.name)
          ? []
          : [...organisation.teams.values()].flatMap(({ slug, members }) =>
              members.has(account) ? [`${organisation.name}/${slug}`] : [],
            ),
      )
      const isMissing = !isGranted(credential, ['user', 'repo', 'read:org'], ['members', 'read'])
      return {
        statuses: decide([...signedIn(world, credential), [isMissing, 403]], 200),
        complain: ({ body }) =>
          complain(
            body.map(
              (team: { slug: string; organization: { login: string } }) =>
                `${names.read(team.organization.login)}/${team.slug}`,
            ),
            must,
          ),
      }
    },
    request: () => ({ method: 'GET', path: '/user/teams?per_page=100' }),
  },
]
