/** Acts on data sets: the owner's, with a token that was given them; what is shared is read by anyone. */
import type { Act, Params } from '../act.ts'
import { type Access, type Credential, isAnonymous, isGranted, isPersonal } from '../credential.ts'
import type { Random } from '../random.ts'
import { all, complain, decide, type Guard, not, type Truth } from '../truth.ts'
import type { DataSet, World } from '../world.ts'

const accesses = ['RESTRICTED', 'ANYONE_WITH_ID_CAN_READ', 'ANYONE_WITH_NAME_CAN_READ']

/** Of a suspended user and of a banned token nothing is done; whether they read what anyone reads, nobody says. */
const enter = (world: World, { flaw, account = '' }: Credential, isOpen: boolean): Guard[] => [
  [flaw === 'bad' || flaw === 'expired', 401],
  [flaw === 'banned', 401, 403],
  [world.people.get(account)?.isSuspended === true && (isOpen ? 'unclear' : true), 401, 403],
]

function holds(credential: Credential, access: Access): Truth {
  if (!isPersonal(credential)) return false
  const is = isGranted(credential, [access === 'read' ? 'dataset:read' : 'dataset'], ['datasets', access])
  // The permission is said to be that of fine-grained tokens.
  return credential.kind === 'app-user' && is ? 'unclear' : is
}

const drawOne = (world: World, random: Random): Params | undefined => {
  const found = random.pick(world.dataSets.values())
  return found && { key: `${found.owner}~${found.name}`, byName: random.chance(0.4) }
}

const isShared = ({ access }: DataSet, byName: boolean): boolean =>
  access === 'ANYONE_WITH_NAME_CAN_READ' || (access === 'ANYONE_WITH_ID_CAN_READ' && !byName)

function reading(world: World, credential: Credential, dataSet: DataSet, byName: boolean): Guard[] {
  const isOpen = isShared(dataSet, byName)
  const isOwn = all(credential.account === dataSet.owner, holds(credential, 'read'))
  return [
    ...enter(world, credential, isOpen),
    [isAnonymous(credential) && !isOpen, 401],
    [isOpen ? false : not(isOwn), 403],
  ]
}

const writing = (world: World, credential: Credential, dataSet: DataSet): Guard[] => [
  ...enter(world, credential, false),
  [isAnonymous(credential), 401],
  [not(all(credential.account === dataSet.owner, holds(credential, 'write'))), 403],
]

const address = ({ key, byName }: Params, names: { spell(name: string): string }, world: World): string => {
  const { owner, name, id } = world.dataSets.get(key)!
  return `/v2/datasets/${byName ? `${names.spell(owner)}~${names.spell(name)}` : id}`
}

const readingAct = (name: string, ending: string): Act => ({
  name,
  weight: 2,
  draw: drawOne,
  expect(world, credential, params) {
    const found = world.dataSets.get(params.key)
    if (!found) return undefined
    const secrets = all(credential.account === found.owner, holds(credential, 'write'))
    return {
      statuses: decide(reading(world, credential, found, params.byName), 200),
      complain({ body }) {
        if (ending !== '' || secrets === 'unclear') return undefined
        const shown = 'urlSigningSecretKey' in body.data ? ['the signing key'] : []
        return complain(shown, secrets ? ['the signing key'] : [])
      },
    }
  },
  request: (params, names, world) => ({ method: 'GET', path: `${address(params, names, world)}${ending}` }),
})

export const dataSetActs: readonly Act[] = [
  readingAct('get a data set', ''),
  readingAct('read a data set’s items', '/items'),
  readingAct('read a data set’s statistics', '/statistics'),
  {
    name: 'make a data set',
    weight: 2,
    draw: (_world, random) => ({ name: `d${random.below(1e6)}` }),
    expect(world, credential, { name }) {
      if (world.dataSets.has(`${credential.account}~${name}`)) return undefined
      const guards: Guard[] = [
        ...enter(world, credential, false),
        [isAnonymous(credential), 401],
        [not(holds(credential, 'write')), 403],
      ]
      return { statuses: decide(guards, 201) }
    },
    request: ({ name }, names) => ({ method: 'POST', path: `/v2/datasets?name=${names.spell(name)}` }),
    apply(world, { account = '' }, { name }, { body }) {
      world.dataSets.set(`${account}~${name}`, { owner: account, name, id: body.data.id, access: 'RESTRICTED' })
    },
  },
  {
    name: 'list own data sets',
    weight: 2,
    draw: () => ({}),
    expect(world, credential, _params, names) {
      const own = [...world.dataSets.values()].filter(({ owner }) => owner === credential.account)
      const guards: Guard[] = [
        ...enter(world, credential, false),
        [isAnonymous(credential), 401],
        [not(holds(credential, 'read')), 403],
      ]
      return {
        statuses: decide(guards, 200),
        complain({ body }) {
          const got = body.data.items.flatMap(({ name }: { name: string }) => names.read(name) ?? [])
          return complain(
            got,
            own.map(({ name }) => name),
          )
        },
      }
    },
    request: () => ({ method: 'GET', path: '/v2/datasets' }),
  },
  {
    name: 'share a data set',
    weight: 2,
    draw(world, random) {
      const one = drawOne(world, random)
      return one && { ...one, access: random.pick(accesses) }
    },
    expect(world, credential, { key }) {
      const found = world.dataSets.get(key)
      return found && { statuses: decide(writing(world, credential, found), 200) }
    },
    request: (params, names, world) => ({
      method: 'PUT',
      path: address(params, names, world),
      body: { generalAccess: params.access },
    }),
    apply(world, _credential, { key, access }) {
      world.dataSets.get(key)!.access = access
    },
  },
  {
    name: 'push an item',
    weight: 2,
    draw: drawOne,
    expect(world, credential, { key }) {
      const found = world.dataSets.get(key)
      return found && { statuses: decide(writing(world, credential, found), 201) }
    },
    request: (params, names, world) => ({
      method: 'POST',
      path: `${address(params, names, world)}/items`,
      body: { a: 1 },
    }),
  },
  {
    name: 'delete a data set',
    weight: 1,
    draw: drawOne,
    expect(world, credential, { key }) {
      const found = world.dataSets.get(key)
      return found && { statuses: decide(writing(world, credential, found), 204) }
    },
    request: (params, names, world) => ({ method: 'DELETE', path: address(params, names, world) }),
    apply(world, _credential, { key }) {
      world.dataSets.delete(key)
    },
  },
]
