/** Acts on repositories: make, read, change, archive, delete, and who watches them. */
import { readRepository, signedIn, useRepository } from '../access.ts'
import { type Act, drawRepository, spellRepository } from '../act.ts'
import { hasPermissions, hasScopes, holdsScope, isGranted, selects } from '../credential.ts'
import type { Random } from '../random.ts'
import { decide } from '../truth.ts'
import { fullName, plainAdmin, type Repository, siteAdmin, type World } from '../world.ts'

const administering = { level: 'admin', permission: ['administration', 'write'], writes: true } as const

type NewRepository = { owner: string; name: string; isPrivate: boolean; maker: string }

/** Who makes it watches it. */
export function insertRepository(world: World, { owner, name, isPrivate, maker }: NewRepository): Repository {
  const repository: Repository = {
    owner,
    name,
    isPrivate,
    isArchived: false,
    collaborators: new Map(),
    invitations: new Map(),
    watches: new Map([[maker, 'watched']]),
  }
  world.repositories.set(fullName(repository), repository)
  return repository
}

export const drawOne = (world: World, random: Random) => {
  const repository = drawRepository(world, random)
  return repository && { repository: fullName(repository) }
}

const reading = (name: string, weight: number, path: string, permission: 'metadata' | 'contents'): Act => ({
  name,
  weight,
  draw: drawOne,
  expect(world, credential, params) {
    const repository = world.repositories.get(params.repository)
    if (!repository) return undefined
    return { statuses: decide(readRepository(world, credential, repository, [permission, 'read']), 200) }
  },
  request: (params, names) => ({ method: 'GET', path: `/repos/${spellRepository(names, params.repository)}${path}` }),
})

export const repositoryActs: readonly Act[] = [
  reading('get a repository', 6, '', 'metadata'),
  reading('list branches', 4, '/branches', 'contents'),
  reading('list topics', 1, '/topics', 'metadata'),
  reading('list watchers', 1, '/subscribers', 'metadata'),
  {
    name: 'make a repository of one’s own',
    weight: 3,
    draw: (_world, random) => ({ name: `r${random.below(1e6)}`, isPrivate: random.chance(0.65) }),
    expect(world, credential, { name, isPrivate }) {
      const fresh = `${credential.account}/${name}`
      // The admin is in every world, where the others' repositories would be seen.
      const isAdmin = credential.account === siteAdmin || credential.account === plainAdmin
      if (world.repositories.has(fresh) || isAdmin) return undefined
      const scopes = isPrivate ? ['repo'] : ['repo', 'public_repo']
      // A token makes repositories of its owner alone, and none beside those that were chosen.
      const isNarrow = hasPermissions(credential) && !selects(credential, fresh)
      return {
        statuses: decide(
          [
            ...signedIn(world, credential),
            [!isGranted(credential, scopes, ['administration', 'write']), 403],
            [isNarrow, 403],
          ],
          201,
        ),
      }
    },
    request: ({ name, isPrivate }) => ({ method: 'POST', path: '/user/repos', body: { name, private: isPrivate } }),
    apply(world, { account = '' }, { name, isPrivate }) {
      insertRepository(world, { owner: account, name, isPrivate, maker: account })
    },
  },
  {
    name: 'change a repository',
    weight: 5,
    draw(world, random) {
      const one = drawOne(world, random)
      const bodies = [
        { description: 'new' },
        { private: true },
        { private: false },
        { archived: true },
        { archived: false },
      ]
      return one && { ...one, body: random.pick(bodies) }
    },
    expect(world, credential, { repository: name, body }) {
      const repository = world.repositories.get(name)
      if (!repository) return undefined
      const isUnarchiving = body.archived === false
      // A token for what is public makes nothing private.
      const isBeyond = body.private === true && hasScopes(credential) && !holdsScope(credential, 'repo')
      const guards = useRepository(world, credential, repository, { ...administering, evenArchived: isUnarchiving })
      return { statuses: decide([...guards, [isBeyond, 403]], 200) }
    },
    request: ({ repository, body }, names) => ({
      method: 'PATCH',
      path: `/repos/${spellRepository(names, repository)}`,
      body,
    }),
    apply(world, _credential, { repository: name, body }) {
      const repository = world.repositories.get(name)!
      repository.isPrivate = body.private ?? repository.isPrivate
      repository.isArchived = body.archived ?? repository.isArchived
    },
  },
  {
    name: 'change an archived repository while ending that',
    weight: 1,
    draw(world, random) {
      const archived = random.pick([...world.repositories.values()].filter(({ isArchived }) => isArchived))
      return archived && { repository: fullName(archived) }
    },
    expect(world, credential, { repository: name }) {
      const repository = world.repositories.get(name)
      if (!repository?.isArchived) return undefined
      return { statuses: decide([...useRepository(world, credential, repository, administering), [true, 403, 422]]) }
    },
    request: ({ repository }, names) => ({
      method: 'PATCH',
      path: `/repos/${spellRepository(names, repository)}`,
      body: { archived: false, name: 'renamed' },
    }),
  },
  {
    name: 'set topics',
    weight: 2,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      return repository && { statuses: decide(useRepository(world, credential, repository, administering), 200) }
    },
    request: (params, names) => ({
      method: 'PUT',
      path: `/repos/${spellRepository(names, params.repository)}/topics`,
      body: { names: ['one'] },
    }),
  },
  {
    name: 'import into a repository',
    weight: 2,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const writing = { level: 'write', permission: ['contents', 'write'], writes: true } as const
      const guards = [
        ...useRepository(world, credential, repository, { ...administering, personal: true }),
        ...useRepository(world, credential, repository, writing),
      ]
      return { statuses: decide([...guards, [true, 422]]) }
    },
    request: (params, names) => ({
      method: 'POST',
      path: `/repos/${spellRepository(names, params.repository)}/import`,
      // The address is of no host on the internet, which is told to those who might import.
      body: { url: 'https://10.0.0.1/ann/tool.git' },
    }),
  },
  {
    name: 'see how an import goes',
    weight: 1,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const need = { level: 'admin', permission: ['administration', 'read'], personal: true } as const
      return { statuses: decide([...useRepository(world, credential, repository, need), [true, 404]]) }
    },
    request: (params, names) => ({
      method: 'GET',
      path: `/repos/${spellRepository(names, params.repository)}/import`,
    }),
  },
  {
    name: 'delete a repository',
    weight: 1,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const need = { ...administering, scopes: ['delete_repo'], evenArchived: true }
      return { statuses: decide(useRepository(world, credential, repository, need), 204) }
    },
    request: (params, names) => ({ method: 'DELETE', path: `/repos/${spellRepository(names, params.repository)}` }),
    apply(world, _credential, params) {
      world.repositories.delete(params.repository)
      for (const { teams } of world.organisations.values())
        for (const { repositories } of teams.values()) repositories.delete(params.repository)
    },
  },
]
