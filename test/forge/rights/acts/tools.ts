/** Acts of tools on repositories: transfers, deployments, environments, autolinks, checks and events of one's own. */
import { enter, nearOrganisation, readRepository, sees, useRepository } from '../access.ts'
import { type Act, drawOrganisation, drawPerson, spellRepository } from '../act.ts'
import { hasPermissions, isAnonymous, selects } from '../credential.ts'
import { decide, type Guard } from '../truth.ts'
import { fullName, isOwner, plainAdmin, roleIn, siteAdmin } from '../world.ts'
import { drawOne, insertRepository } from './repositories.ts'

const administering = { level: 'admin', permission: ['administration', 'write'], writes: true } as const

const reading = (name: string, path: string, permission: string): Act => ({
  name,
  weight: 1,
  draw: drawOne,
  expect(world, credential, params) {
    const repository = world.repositories.get(params.repository)
    return repository && { statuses: decide(readRepository(world, credential, repository, [permission, 'read']), 200) }
  },
  request: (params, names) => ({ method: 'GET', path: `/repos/${spellRepository(names, params.repository)}${path}` }),
})

type Use = Parameters<typeof useRepository>[3]
type Sent = readonly [method: string, path: string, body: object, success: number]

const using = (name: string, need: Use, [method, path, body, success]: Sent): Act => ({
  name,
  weight: 1,
  draw: drawOne,
  expect(world, credential, params) {
    const repository = world.repositories.get(params.repository)
    return repository && { statuses: decide(useRepository(world, credential, repository, need), success) }
  },
  request: (params, names) => ({
    method,
    path: `/repos/${spellRepository(names, params.repository)}${path}`,
    ...(method !== 'GET' && { body }),
  }),
})

const deploying = {
  level: 'write',
  permission: ['deployments', 'write'],
  scopes: ['repo_deployment', 'repo'],
  writes: true,
} as const

export const toolActs: readonly Act[] = [
  reading('list deployments', '/deployments', 'deployments'),
  reading('list environments', '/environments', 'actions'),
  using('say that a ref is to be deployed', deploying, ['POST', '/deployments', { ref: 'no-such-ref' }, 422]),
  using('set up an environment', administering, ['PUT', '/environments/here', {}, 200]),
  using('list autolinks', { level: 'admin', permission: ['administration', 'read'] }, ['GET', '/autolinks', {}, 200]),
  using('make an autolink that leads nowhere', administering, [
    ...(['POST', '/autolinks'] as const),
    { key_prefix: 'T-', url_template: 'nowhere' },
    422,
  ]),
  using('tell of an event of one’s own', { level: 'write', permission: ['contents', 'write'], writes: true }, [
    ...(['POST', '/dispatches'] as const),
    { event_type: 'built' },
    204,
  ]),
  {
    name: 'check a commit, which apps alone do',
    weight: 1,
    draw: drawOne,
    expect(world, credential, params) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const guards: Guard[] = [
        ...enter(world, credential),
        [!sees(world, credential, repository), 404],
        [isAnonymous(credential), 401],
      ]
      // No installation of this world is of an app.
      return { statuses: decide([...guards, [true, 403, 422]], 201) }
    },
    request: (params, names) => ({
      method: 'POST',
      path: `/repos/${spellRepository(names, params.repository)}/check-runs`,
      body: { name: 'lint', head_sha: '0'.repeat(40) },
    }),
  },
  {
    name: 'transfer a repository',
    weight: 2,
    draw(world, random) {
      const one = drawOne(world, random)
      const to = random.chance(0.5) ? drawOrganisation(world, random)?.org : drawPerson(world, random)
      return one && to !== undefined ? { ...one, to } : undefined
    },
    expect(world, credential, { repository: name, to }) {
      const repository = world.repositories.get(name)
      const { account } = credential
      // The admin is in every world, where the others' repositories would be seen.
      if (!repository || account === plainAdmin) return undefined
      const next = `${to}/${repository.name}`
      const organisation = world.organisations.get(to)
      const need = { ...administering, evenArchived: true, personal: true }
      const isNarrow = hasPermissions(credential) && !selects(credential, next)
      const toOrganisation = (): Guard[] => [
        ...nearOrganisation(
          world,
          credential,
          organisation!,
          'member',
          ['repo', 'public_repo'],
          ['administration', 'write'],
        ),
        [!isOwner(organisation!, account) && !organisation!.membersMayCreate, 403],
        [isNarrow, 403],
      ]
      const toPerson: Guard[] = to === account ? [[isNarrow, 403]] : [[account !== siteAdmin, 403]]
      return {
        statuses: decide(
          [
            ...useRepository(world, credential, repository, need),
            ...(organisation ? toOrganisation() : toPerson),
            [to === repository.owner, 422],
            [world.repositories.has(next), 422],
          ],
          202,
        ),
      }
    },
    request: ({ repository, to }, names) => ({
      method: 'POST',
      path: `/repos/${spellRepository(names, repository)}/transfer`,
      body: { new_owner: names.spell(to) },
    }),
    apply(world, { account = '' }, { repository: name, to }) {
      const before = world.repositories.get(name)!
      world.repositories.delete(name)
      const { isPrivate } = before
      const moved = insertRepository(world, { owner: to, name: before.name, isPrivate, maker: account })
      moved.isArchived = before.isArchived
      moved.watches.clear()
      for (const [who, watch] of before.watches) moved.watches.set(who, watch)
      for (const [who, level] of before.collaborators) if (who !== to) moved.collaborators.set(who, level)
      for (const [who, invitation] of before.invitations) if (who !== to) moved.invitations.set(who, invitation)
      for (const { teams } of world.organisations.values())
        for (const { repositories } of teams.values()) repositories.delete(name)
      // Who hands it over without owning the organisation administers it.
      if (roleIn(world.organisations.get(to), account) === 'member') moved.collaborators.set(account, 'admin')
      // A workflow's token is bound to the repository, whatever that is called.
      for (const [key, credential] of world.credentials)
        if (credential.kind === 'workflow' && credential.repositories.includes(name))
          world.credentials.set(key, { ...credential, repositories: [fullName(moved)] })
    },
  },
]
