/** Acts on what teams may do with repositories. */
import { listsRepository, reachedLevel, sees } from '../access.ts'
import { type Act, drawTeam, repositoriesOf, spellRepository } from '../act.ts'
import {
  type Credential,
  hasPermissions,
  hasScopes,
  holdsMetadata,
  holdsPermission,
  holdsScope,
  selects,
} from '../credential.ts'
import type { Random } from '../random.ts'
import { all, complain, decide, type Guard, not, some, type Truth } from '../truth.ts'
import { fullName, lineage, maintains, type Repository, rank, teamLevel, type World } from '../world.ts'
import { findTeam, reading, unseen, writing } from './teams.ts'

/** Mostly one of the organisation's own. */
function drawBoth(world: World, random: Random) {
  const found = drawTeam(world, random)
  if (!found) return undefined
  const own = [...world.repositories.values()].filter(({ owner }) => owner === found.org)
  const repository = random.pick(own.length > 0 && random.chance(0.9) ? own : world.repositories.values())
  return repository && { ...found, repository: fullName(repository) }
}

const find = (world: World, params: { org?: string; team?: string; repository?: string }) => {
  const found = findTeam(world, params)
  const repository = world.repositories.get(params.repository ?? '')
  return found && repository && { ...found, repository }
}

/** Of a repository this takes a token that administers it, besides what it takes of the organisation. */
function administers(credential: Credential, repository: Repository): boolean {
  if (hasScopes(credential))
    return holdsScope(credential, ...(repository.isPrivate ? ['repo'] : ['repo', 'public_repo']))
  if (!hasPermissions(credential)) return true
  return holdsPermission(credential, 'administration', 'write') && selects(credential, fullName(repository))
}

/** `members=read` with the repository's administration is enough on the platform; here one is asked for writing. */
const giving = (world: World, credential: Credential, found: NonNullable<ReturnType<typeof find>>): Guard[] => {
  const write = writing(world, credential, found.organisation)
  const read = reading(world, credential, found.organisation)
  const isBetween = hasPermissions(credential) && decide(write, 200).includes(403) && decide(read, 200).includes(200)
  return isBetween ? [...read, ['unclear', 403]] : write
}

export const teamRepositoryActs: readonly Act[] = [
  {
    name: 'list a team’s repositories',
    weight: 3,
    draw: drawTeam,
    expect(world, credential, params, names) {
      const found = findTeam(world, params)
      if (!found) return undefined
      const { organisation, team } = found
      const given = lineage(organisation, team.slug).flatMap(({ repositories }) =>
        [...repositories.keys()].flatMap((name) => world.repositories.get(name) ?? []),
      )
      const shown = (wanted: Truth) =>
        given.filter((each) => listsRepository(world, credential, each) === wanted).map(fullName)
      return {
        statuses: decide([...reading(world, credential, organisation), unseen(organisation, team, credential)], 200),
        complain: ({ body }) => complain(repositoriesOf(names, body), shown(true), shown('unclear')),
      }
    },
    request: ({ org, team }, names) => ({
      method: 'GET',
      path: `/orgs/${names.spell(org)}/teams/${team}/repos?per_page=100`,
    }),
  },
  {
    name: 'check a team’s repository',
    weight: 2,
    draw: drawBoth,
    expect(world, credential, params) {
      const found = find(world, params)
      if (!found) return undefined
      const { organisation, team, repository } = found
      const has = teamLevel(organisation, team.slug, params.repository) !== 'none'
      const isSeen = sees(world, credential, repository)
      // `admin:org` opens a private one here on the platform, of which this server says nothing.
      const isOther = !isSeen && hasScopes(credential) && holdsScope(credential, 'admin:org')
      const isBlind = all(repository.isPrivate, hasPermissions(credential), not(holdsMetadata(credential)))
      return {
        statuses: decide(
          [
            ...reading(world, credential, organisation),
            unseen(organisation, team, credential),
            [isSeen ? false : isOther ? 'unclear' : true, 404],
            // It tells no more than that the team has it.
            [isBlind === false ? false : 'unclear', 403, 404],
            [!has, 404],
          ],
          204,
        ),
      }
    },
    request: ({ org, team, repository }, names) => ({
      method: 'GET',
      path: `/orgs/${names.spell(org)}/teams/${team}/repos/${spellRepository(names, repository)}`,
    }),
  },
  {
    name: 'give a team a repository',
    weight: 7,
    draw(world, random) {
      const both = drawBoth(world, random)
      return both && { ...both, level: random.pick(['read', 'triage', 'write', 'maintain', 'admin']) }
    },
    expect(world, credential, params) {
      const found = find(world, params)
      if (!found) return undefined
      const { organisation, team, repository } = found
      return {
        statuses: decide(
          [
            ...giving(world, credential, found),
            unseen(organisation, team, credential),
            [!sees(world, credential, repository), 404],
            [!administers(credential, repository), 403],
            [rank(reachedLevel(world, credential, repository)) < rank('admin'), 403],
            [repository.isArchived, 403],
            [repository.owner !== organisation.name, 422],
          ],
          204,
        ),
      }
    },
    request: ({ org, team, repository, level }, names) => ({
      method: 'PUT',
      path: `/orgs/${names.spell(org)}/teams/${team}/repos/${spellRepository(names, repository)}`,
      body: { permission: level },
    }),
    apply(world, _credential, params) {
      find(world, params)!.team.repositories.set(params.repository, params.level)
    },
  },
  {
    name: 'take a repository from a team',
    weight: 2,
    draw: drawBoth,
    expect(world, credential, params) {
      const found = find(world, params)
      if (!found) return undefined
      const { organisation, team, repository } = found
      const isAdmin = reachedLevel(world, credential, repository) === 'admin'
      const may = isAdmin || maintains(organisation, team, credential.account)
      // Who maintains the team but may not administer the repository: of the token's part in that nobody says anything.
      const isWeak = !administers(credential, repository)
      return {
        statuses: decide(
          [
            ...giving(world, credential, found),
            unseen(organisation, team, credential),
            [!sees(world, credential, repository), 404],
            [!may, 403],
            [isWeak || repository.isArchived ? 'unclear' : false, 403],
            [team.repositories.has(params.repository) ? false : 'unclear', 404, 422],
          ],
          204,
        ),
      }
    },
    request: ({ org, team, repository }, names) => ({
      method: 'DELETE',
      path: `/orgs/${names.spell(org)}/teams/${team}/repos/${spellRepository(names, repository)}`,
    }),
    apply(world, _credential, params) {
      find(world, params)!.team.repositories.delete(params.repository)
    },
  },
  {
    name: 'make a team with repositories',
    weight: 2,
    draw(world, random) {
      const repository = random.pick(
        [...world.repositories.values()].filter(({ owner }) => world.organisations.has(owner)),
      )
      return repository && { org: repository.owner, name: `t${random.below(1e6)}`, repository: fullName(repository) }
    },
    expect(world, credential, { org, name, repository: chosen }) {
      const organisation = world.organisations.get(org)
      const repository = world.repositories.get(chosen)
      if (!organisation || !repository || organisation.teams.has(name)) return undefined
      const isAdmin = reachedLevel(world, credential, repository) === 'admin'
      return {
        statuses: decide(
          [
            ...writing(world, credential, organisation),
            [!sees(world, credential, repository), 404],
            [some(!administers(credential, repository), !isAdmin, repository.isArchived), 403],
          ],
          201,
        ),
      }
    },
    request: ({ org, name, repository }, names) => ({
      method: 'POST',
      path: `/orgs/${names.spell(org)}/teams`,
      body: { name, privacy: 'closed', repo_names: [spellRepository(names, repository)] },
    }),
    apply(world, { account = '' }, { org, name, repository }, { body }) {
      const organisation = world.organisations.get(org)!
      const isMember = organisation.members.get(account)?.state === 'active'
      organisation.teams.set(name, {
        slug: name,
        id: body.id,
        privacy: 'closed',
        parent: undefined,
        members: new Map(isMember ? [[account, 'maintainer']] : []),
        repositories: new Map([[repository, 'read']]),
      })
    },
  },
]
