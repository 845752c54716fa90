/** Acts on collaborators: who may know what others may do, who adds and removes them. */
import { useRepository } from '../access.ts'
import { type Act, drawPerson, loginsOf, spellRepository } from '../act.ts'
import type { Credential } from '../credential.ts'
import type { Random } from '../random.ts'
import { complain, decide } from '../truth.ts'
import { givenLevel, type Level, levelOf, type Repository, roleIn, seesTeam, type World } from '../world.ts'
import { drawOne } from './repositories.ts'

const administering = { level: 'admin', permission: ['administration', 'write'], writes: true } as const
const pushing = { level: 'write', permission: ['metadata', 'read'] } as const

const drawBoth = (world: World, random: Random) => {
  const one = drawOne(world, random)
  return one && { ...one, user: drawPerson(world, random) }
}

const isMember = (world: World, { owner }: Repository, user: string): boolean =>
  roleIn(world.organisations.get(owner), user) !== undefined

/** Everyone who was given something of it; members who have of it what everyone has may be shown as well. */
function collaboratorsOf(world: World, repository: Repository): { must: string[]; may: string[] } {
  const people = [...world.people.keys()]
  return {
    must: people.filter((name) => givenLevel(world, name, repository) !== 'none'),
    may: repository.isPrivate ? [] : people.filter((name) => isMember(world, repository, name)),
  }
}

export const collaboratorActs: readonly Act[] = [
  {
    name: 'list collaborators',
    weight: 3,
    draw: drawOne,
    expect(world, credential, params, names) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const { must, may } = collaboratorsOf(world, repository)
      return {
        statuses: decide(useRepository(world, credential, repository, pushing), 200),
        complain({ body }) {
          const level = ({ login }: { login: string }) => levelOf(world, names.read(login), repository)
          const wrong = body.find(
            (user: { login: string; role_name: Level }) => names.read(user.login) && user.role_name !== level(user),
          )
          if (wrong) return `${wrong.login} is shown with ${wrong.role_name}, not ${level(wrong)}`
          return complain(loginsOf(names, body), must, may)
        },
      }
    },
    request: (params, names) => ({
      method: 'GET',
      path: `/repos/${spellRepository(names, params.repository)}/collaborators?per_page=100`,
    }),
  },
  {
    name: 'check a collaborator',
    weight: 1,
    draw: drawBoth,
    expect(world, credential, { repository: name, user }) {
      const repository = world.repositories.get(name)
      if (!repository) return undefined
      const has = givenLevel(world, user, repository) !== 'none'
      const answers = has ? [204] : isMember(world, repository, user) ? [204, 404] : [404]
      return { statuses: decide(useRepository(world, credential, repository, pushing), ...answers) }
    },
    request: ({ repository, user }, names) => ({
      method: 'GET',
      path: `/repos/${spellRepository(names, repository)}/collaborators/${names.spell(user)}`,
    }),
  },
  {
    name: 'get a user’s permission',
    weight: 4,
    draw: drawBoth,
    expect(world, credential, { repository: name, user }) {
      const repository = world.repositories.get(name)
      if (!repository) return undefined
      return {
        statuses: decide(useRepository(world, credential, repository, pushing), 200),
        complain({ body }) {
          const level = levelOf(world, user, repository)
          const given = givenLevel(world, user, repository)
          return complain([body.role_name], [], [level, given])
        },
      }
    },
    request: ({ repository, user }, names) => ({
      method: 'GET',
      path: `/repos/${spellRepository(names, repository)}/collaborators/${names.spell(user)}/permission`,
    }),
  },
  {
    name: 'add a collaborator',
    weight: 6,
    draw(world, random) {
      const both = drawBoth(world, random)
      return both && { ...both, level: random.pick(['read', 'triage', 'write', 'maintain', 'admin']) }
    },
    expect(world, credential, { repository: name, user }) {
      const repository = world.repositories.get(name)
      if (!repository) return undefined
      const isThere = isMember(world, repository, user) || repository.collaborators.has(user)
      // What becomes of an invitation to one who is there by now, nobody says.
      if (isThere && repository.invitations.has(user)) return undefined
      const guards = useRepository(world, credential, repository, administering)
      return { statuses: decide([...guards, [user === repository.owner, 422]], isThere ? 204 : 201) }
    },
    request: ({ repository, user, level }, names) => ({
      method: 'PUT',
      path: `/repos/${spellRepository(names, repository)}/collaborators/${names.spell(user)}`,
      body: { permission: level },
    }),
    apply(world, { account = '' }, { repository: name, user, level }, { status, body }) {
      const { collaborators, invitations } = world.repositories.get(name)!
      if (status === 204) collaborators.set(user, level)
      else invitations.set(user, { id: body.id, level, by: invitations.get(user)?.by ?? account })
    },
  },
  {
    name: 'remove a collaborator',
    weight: 3,
    draw: drawBoth,
    expect(world, credential, { repository: name, user }) {
      const repository = world.repositories.get(name)
      if (!repository) return undefined
      const isSelf = credential.account === user
      const isThere = repository.collaborators.has(user) || repository.invitations.has(user)
      const guards = useRepository(world, credential, repository, {
        ...administering,
        level: isSelf ? 'read' : 'admin',
      })
      return { statuses: [...decide(guards, 204), ...(isSelf && !isThere ? [403, 404] : [])] }
    },
    request: ({ repository, user }, names) => ({
      method: 'DELETE',
      path: `/repos/${spellRepository(names, repository)}/collaborators/${names.spell(user)}`,
    }),
    apply(world, _credential, { repository: name, user }) {
      const { collaborators, invitations } = world.repositories.get(name)!
      // Invitations that a collaborator has sent go with the collaborator.
      if (collaborators.delete(user))
        for (const [invited, { by }] of invitations) if (by === user) invitations.delete(invited)
      invitations.delete(user)
    },
  },
  {
    name: 'list a repository’s teams',
    weight: 3,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const need = { level: 'admin', permission: ['administration', 'read'] } as const
      const { must, may } = teamsOf(world, credential, repository)
      return {
        statuses: decide(useRepository(world, credential, repository, need), 200),
        complain: ({ body }) =>
          complain(
            body.map(({ slug }: { slug: string }) => slug),
            must,
            may,
          ),
      }
    },
    request: (params, names) => ({
      method: 'GET',
      path: `/repos/${spellRepository(names, params.repository)}/teams?per_page=100`,
    }),
  },
]

/** Those that the one who asks sees: closed ones are for members. */
function teamsOf(world: World, { kind, account }: Credential, repository: Repository) {
  const organisation = world.organisations.get(repository.owner)
  const given = organisation
    ? [...organisation.teams.values()].filter(({ repositories }) =>
        repositories.has(`${repository.owner}/${repository.name}`),
      )
    : []
  const isMachine = kind === 'installation' || kind === 'workflow'
  const seen = given.filter((team) => seesTeam(organisation!, team, account))
  const open = given.filter(({ privacy }) => privacy === 'closed')
  const slugs = (teams: typeof given) => teams.map(({ slug }) => slug)
  if (isMachine) return { must: [], may: slugs(account === repository.owner ? given : open) }
  return { must: slugs(seen), may: [] }
}
