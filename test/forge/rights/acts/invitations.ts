/** Acts on invitations to repositories: those sent, and one's own. */
import { signedIn, useRepository } from '../access.ts'
import { type Act, drawPerson, loginsOf, spellRepository } from '../act.ts'
import { type Access, type Credential, isFor, isGranted } from '../credential.ts'
import type { Random } from '../random.ts'
import { complain, decide, type Guard } from '../truth.ts'
import { fullName, type World } from '../world.ts'
import { drawOne } from './repositories.ts'

const administering = { level: 'admin', permission: ['administration', 'write'], writes: true } as const

/** Someone's invitation; the one who uses it may be another. */
function drawInvitation(world: World, random: Random) {
  const invited = [...world.repositories.values()].filter(({ invitations }) => invitations.size > 0)
  const repository = random.pick(invited)
  const user = repository && random.pick(repository.invitations.keys())
  return user === undefined ? undefined : { repository: fullName(repository!), user }
}

const find = (world: World, params: { repository?: string; user?: string }) => {
  const repository = world.repositories.get(params.repository ?? '')
  const invitation = repository?.invitations.get(params.user ?? '')
  return repository && invitation && { repository, invitation }
}

/** `repo:invite` is for this; of permissions it takes the one on repositories' administration, to answer by a token for oneself. */
function ownGuards(world: World, credential: Credential, access: Access): Guard[] {
  const isOther = access === 'write' && !isFor(credential, credential.account)
  const lacks = isOther || !isGranted(credential, ['repo:invite'], ['administration', access])
  return [...signedIn(world, credential), [lacks, 403]]
}

const answering = (method: 'PATCH' | 'DELETE', name: string, weight: number): Act => ({
  name,
  weight,
  draw: drawInvitation,
  expect(world, credential, params) {
    const found = find(world, params)
    if (!found) return undefined
    // What others own is not there for a token that is not for them.
    const isForeign = credential.account !== params.user || !isFor(credential, found.repository.owner)
    return {
      statuses: [
        ...decide(
          [
            ...ownGuards(world, credential, 'write'),
            [isForeign, 404],
            [found.repository.isArchived ? 'unclear' : false, 403],
          ],
          204,
        ),
        // To those whose it is not, it may be not there before anything is said of the token.
        ...(isForeign && credential.kind !== 'none' && !credential.flaw ? [404] : []),
      ],
    }
  },
  request: (params, _names, world) => ({
    method,
    path: `/user/repository_invitations/${find(world, params)!.invitation.id}`,
  }),
  apply(world, _credential, params) {
    const { repository, invitation } = find(world, params)!
    repository.invitations.delete(params.user)
    if (method === 'DELETE') return
    repository.collaborators.set(params.user, invitation.level)
    repository.watches.set(params.user, 'watched')
  },
})

const managing = (method: 'PATCH' | 'DELETE', name: string): Act => ({
  name,
  weight: 2,
  draw(world, random) {
    const found = drawInvitation(world, random)
    return found && { ...found, ...(method === 'PATCH' && { level: random.pick(['read', 'write', 'admin']) }) }
  },
  expect(world, credential, params) {
    const found = find(world, params)
    if (!found) return undefined
    const guards = useRepository(world, credential, found.repository, administering)
    return { statuses: decide(guards, method === 'PATCH' ? 200 : 204) }
  },
  request: (params, names, world) => ({
    method,
    path: `/repos/${spellRepository(names, params.repository)}/invitations/${find(world, params)!.invitation.id}`,
    ...(method === 'PATCH' && { body: { permissions: params.level } }),
  }),
  apply(world, _credential, params) {
    const { repository, invitation } = find(world, params)!
    if (method === 'DELETE') repository.invitations.delete(params.user)
    else invitation.level = params.level
  },
})

export const invitationActs: readonly Act[] = [
  answering('PATCH', 'accept an invitation', 6),
  answering('DELETE', 'decline an invitation', 1),
  managing('PATCH', 'change an invitation'),
  managing('DELETE', 'take an invitation back'),
  {
    name: 'list invitations',
    weight: 2,
    draw: drawOne,
    expect(world, credential, params, names) {
      const repository = world.repositories.get(params.repository)
      if (!repository) return undefined
      const need = { level: 'admin', permission: ['administration', 'read'] } as const
      return {
        statuses: decide(useRepository(world, credential, repository, need), 200),
        complain: ({ body }) =>
          complain(
            loginsOf(
              names,
              body.map(({ invitee }: { invitee: object }) => invitee),
            ),
            repository.invitations.keys(),
          ),
      }
    },
    request: (params, names) => ({
      method: 'GET',
      path: `/repos/${spellRepository(names, params.repository)}/invitations?per_page=100`,
    }),
  },
  {
    name: 'list own invitations',
    weight: 1,
    draw: (world, random) => ({ user: drawPerson(world, random) }),
    expect(world, credential, _params) {
      const own = [...world.repositories.values()]
        .filter(({ owner }) => isFor(credential, owner))
        .flatMap(({ invitations }) => invitations.get(credential.account ?? '')?.id ?? [])
      return {
        statuses: decide(ownGuards(world, credential, 'read'), 200),
        complain: ({ body }) =>
          complain(
            body.map(({ id }: { id: number }) => String(id)),
            own.map(String),
          ),
      }
    },
    request: () => ({ method: 'GET', path: '/user/repository_invitations?per_page=100' }),
  },
]
