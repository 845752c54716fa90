/** Acts on watching: done in one's own name, so by people's credentials alone, and never by one that is for reading. */
import { enter, listsRepository, sees, signedIn } from '../access.ts'
import { type Act, drawPerson, repositoriesOf, spellRepository } from '../act.ts'
import {
  type Access,
  type Credential,
  hasPermissions,
  holdsPermission,
  isAnonymous,
  isFor,
  isGranted,
  isPersonal,
  selects,
} from '../credential.ts'
import { complain, decide, type Guard, type Truth } from '../truth.ts'
import { fullName, plainAdmin, type Repository, siteAdmin, type World } from '../world.ts'
import { drawOne } from './repositories.ts'

/** `notifications` watches, and `repo` does; of permissions it is `watching`. */
const isGiven = (credential: Credential, access: Access): boolean =>
  isGranted(credential, ['notifications', 'public_repo'], ['watching', access])

function guards(world: World, credential: Credential, repository: Repository, writes: boolean): Guard[] {
  // An app acts where it is installed; watching is otherwise one's own, whoever owns what is watched.
  const isBeyondApp = writes && credential.kind === 'app-user' && !selects(credential, fullName(repository))
  const lacks = isBeyondApp || !isGiven(credential, writes ? 'write' : 'read')
  return [
    ...enter(world, credential),
    [!sees(world, credential, repository), 404],
    [isAnonymous(credential), 401],
    // Reading, what watches nothing may be told so.
    [!isPersonal(credential), 403, ...(writes ? [] : [404])],
    // Whether reading one's own takes anything of the token, nobody says.
    [writes || !lacks ? lacks : 'unclear', 403],
  ]
}

/** What the admin of the server watches is the same by whichever token. */
const personOf = ({ account = '' }: Credential): string => (account === plainAdmin ? siteAdmin : account)

const onOne = (method: 'GET' | 'PUT' | 'DELETE', name: string, weight: number): Act => ({
  name,
  weight,
  draw(world, random) {
    const one = drawOne(world, random)
    return one && { ...one, ...(method === 'PUT' && { ignored: random.chance(0.3) }) }
  },
  expect(world, credential, params) {
    const repository = world.repositories.get(params.repository)
    if (!repository) return undefined
    const known = repository.watches.get(personOf(credential))
    const found = guards(world, credential, repository, method !== 'GET')
    if (method !== 'GET') return { statuses: decide(found, method === 'PUT' ? 200 : 204) }
    return {
      statuses: decide([...found, [!known, 404]], 200),
      complain: ({ body }) => complain([body.ignored ? 'ignored' : 'watched'], [known!]),
    }
  },
  request: (params, names) => ({
    method,
    path: `/repos/${spellRepository(names, params.repository)}/subscription`,
    ...(method === 'PUT' && { body: { subscribed: !params.ignored, ignored: params.ignored } }),
  }),
  ...(method !== 'GET' && {
    apply(world, credential, params) {
      const account = personOf(credential)
      const { watches } = world.repositories.get(params.repository)!
      if (method === 'DELETE') watches.delete(account)
      else watches.set(account, params.ignored ? 'ignored' : 'watched')
    },
  }),
})

const watchedBy = (world: World, account: string): Repository[] =>
  [...world.repositories.values()].filter(({ watches }) => watches.get(account) === 'watched')

function complainOfList(world: World, credential: Credential, account: string): (got: string[]) => string | undefined {
  const shown = (wanted: Truth) =>
    watchedBy(world, account)
      .filter((each) => listsRepository(world, credential, each) === wanted)
      .map(fullName)
  return (got) => complain(got, shown(true), shown('unclear'))
}

export const watchingActs: readonly Act[] = [
  onOne('GET', 'get a subscription', 1),
  onOne('PUT', 'set a subscription', 3),
  onOne('DELETE', 'delete a subscription', 1),
  {
    name: 'list what someone watches',
    weight: 2,
    draw: (world, random) => ({ user: drawPerson(world, random) }),
    expect: (world, credential, { user }, names) => ({
      statuses: decide(enter(world, credential), 200),
      complain: ({ body }) => complainOfList(world, credential, user)(repositoriesOf(names, body)),
    }),
    request: ({ user }, names) => ({ method: 'GET', path: `/users/${names.spell(user)}/subscriptions?per_page=100` }),
  },
  {
    name: 'list what one watches',
    weight: 1,
    draw: () => ({}),
    expect(world, credential, _params, names) {
      const isOther = !isFor(credential, credential.account)
      const lacks = hasPermissions(credential) && (isOther || !holdsPermission(credential, 'watching', 'read'))
      return {
        statuses: decide([...signedIn(world, credential), [lacks, 403]], 200),
        complain: ({ body }) => complainOfList(world, credential, personOf(credential))(repositoriesOf(names, body)),
      }
    },
    request: () => ({ method: 'GET', path: '/user/subscriptions?per_page=100' }),
  },
]
