/** Acts on people: what of them is private, and lists of what is theirs. */
import { enter, listsRepository, signedIn } from '../access.ts'
import { type Act, drawPerson, repositoriesOf } from '../act.ts'
import {
  type Credential,
  hasPermissions,
  hasScopes,
  holdsMetadata,
  holdsPermission,
  holdsScope,
  isFor,
  isGranted,
  isPersonal,
  selects,
} from '../credential.ts'
import { complain, decide, some, type Truth } from '../truth.ts'
import { fullName, givenLevel, type Repository, roleIn, siteAdmin, type World } from '../world.ts'

/** An address is for its owner, with a token that was given it; for an admin of the server, who was given that. */
function seesAddress(credential: Credential, user: string): Truth {
  const { account } = credential
  if (!isPersonal(credential)) return false
  if (account === siteAdmin) return 'unclear'
  if (account !== user) return false
  if (hasScopes(credential) && !holdsScope(credential, 'read:user'))
    return holdsScope(credential, 'user:email') && 'unclear'
  return isGranted(credential, ['read:user'], ['email_addresses', 'read'])
}

const complainOfAddress =
  (world: World, credential: Credential, user: string) =>
  ({ body }: { body: { email: string | null } }): string | undefined => {
    const is = seesAddress(credential, user)
    if (is === 'unclear') return undefined
    return complain([body.email ?? 'no address'], [is ? world.people.get(user)!.address : 'no address'])
  }

const listing = (world: World, credential: Credential, all: readonly Repository[], wanted: Truth): string[] =>
  all.filter((each) => listsRepository(world, credential, each) === wanted).map(fullName)

/** What one owns, was added to, or has through an organisation: not merely as everyone has what is public. */
const ownRepositories = (world: World, account: string): Repository[] =>
  [...world.repositories.values()].filter((each) =>
    account === siteAdmin
      ? each.owner === account ||
        each.collaborators.has(account) ||
        roleIn(world.organisations.get(each.owner), account)
      : givenLevel(world, account, each) !== 'none',
  )

const activeIn = (world: World, account: string, onlyPublic: boolean): string[] =>
  [...world.organisations.values()].flatMap((organisation) => {
    const membership = organisation.members.get(account)
    return membership?.state === 'active' && (membership.isPublic || !onlyPublic) ? [organisation.name] : []
  })

/** Those that anyone is told of, and of the others those that the token is for. */
const toldOf = (world: World, credential: Credential, account: string, isAll: boolean): string[] => [
  ...activeIn(world, account, true),
  ...(isAll ? activeIn(world, account, false).filter((name) => isFor(credential, name)) : []),
]

const orgsOf = (names: { read(login: string): string | undefined }, list: { login: string }[]): string[] =>
  list.flatMap(({ login }) => names.read(login) ?? [])

export const peopleActs: readonly Act[] = [
  {
    name: 'get oneself',
    weight: 3,
    draw: () => ({}),
    expect: (world, credential) => ({
      statuses: decide(signedIn(world, credential), 200),
      complain: (answer) =>
        world.people.has(credential.account ?? '')
          ? complainOfAddress(world, credential, credential.account!)(answer)
          : undefined,
    }),
    request: () => ({ method: 'GET', path: '/user' }),
  },
  {
    name: 'get a user',
    weight: 3,
    draw: (world, random) => ({ user: drawPerson(world, random) }),
    expect: (world, credential, { user }) => ({
      statuses: decide(enter(world, credential), 200),
      complain: complainOfAddress(world, credential, user),
    }),
    request: ({ user }, names) => ({ method: 'GET', path: `/users/${names.spell(user)}` }),
  },
  {
    name: 'list own addresses',
    weight: 1,
    draw: () => ({}),
    expect: (world, credential) => ({
      statuses: decide(
        [...signedIn(world, credential), [!isGranted(credential, ['user:email'], ['email_addresses', 'read']), 403]],
        200,
      ),
    }),
    request: () => ({ method: 'GET', path: '/user/emails' }),
  },
  {
    name: 'take another’s address',
    weight: 2,
    draw: (world, random) => ({ user: drawPerson(world, random), isHidden: random.chance(0.7) }),
    expect(world, credential, { user }) {
      // One's own is one's own, and a new one would be a change of the world.
      if (credential.account === user) return undefined
      const lacks = !isGranted(credential, ['user'], ['profile', 'write'])
      return { statuses: decide([...signedIn(world, credential), [lacks, 403], [true, 422]]) }
    },
    request: ({ user, isHidden }, names, world) => ({
      method: 'PATCH',
      path: '/user',
      body: {
        email: isHidden ? `${names.spell(user)}@users.noreply` : world.people.get(user)!.address,
      },
    }),
  },
  {
    name: 'list a user’s repositories',
    weight: 3,
    draw: (world, random) => ({ user: drawPerson(world, random) }),
    expect(world, credential, { user }, names) {
      const own = [...world.repositories.values()].filter(({ owner }) => owner === user)
      return {
        statuses: decide(enter(world, credential), 200),
        complain: ({ body }) =>
          complain(
            repositoriesOf(names, body),
            listing(world, credential, own, true),
            listing(world, credential, own, 'unclear'),
          ),
      }
    },
    request: ({ user }, names) => ({ method: 'GET', path: `/users/${names.spell(user)}/repos?per_page=100` }),
  },
  {
    name: 'list own repositories',
    weight: 5,
    draw: () => ({}),
    expect(world, credential, _params, names) {
      const own = ownRepositories(world, credential.account ?? '')
      // Whether what is public is listed for a token that did not choose it, nobody says.
      const isVague = (each: Repository) =>
        !each.isPrivate && hasPermissions(credential) && !selects(credential, fullName(each))
      const must = own.filter((each) => !isVague(each))
      const metadata = hasPermissions(credential) ? holdsMetadata(credential) : true
      return {
        statuses: decide([...signedIn(world, credential), [!metadata, 403]], 200),
        complain: ({ body }) =>
          complain(repositoriesOf(names, body), listing(world, credential, must, true), [
            // What one is to another owner is not told, be its repository public or not.
            ...own.filter((each) => isVague(each) && isFor(credential, each.owner)).map(fullName),
            ...listing(world, credential, own, 'unclear'),
          ]),
      }
    },
    request: () => ({ method: 'GET', path: '/user/repos?per_page=100' }),
  },
  {
    name: 'list a user’s organisations',
    weight: 3,
    draw: (world, random) => ({ user: drawPerson(world, random) }),
    expect(world, credential, { user }, names) {
      const { account } = credential
      const isGiven = isPersonal(credential) && isGranted(credential, ['read:org', 'user'], ['members', 'read'])
      const isMore = (isGiven && account === user) || (account === siteAdmin && holdsScope(credential, 'site_admin'))
      return {
        statuses: decide(enter(world, credential), 200),
        complain: ({ body }) =>
          complain(orgsOf(names, body), activeIn(world, user, true), toldOf(world, credential, user, isMore)),
      }
    },
    request: ({ user }, names) => ({ method: 'GET', path: `/users/${names.spell(user)}/orgs?per_page=100` }),
  },
  {
    name: 'list own organisations',
    weight: 2,
    draw: () => ({}),
    expect(world, credential, _params, names) {
      const { account = '' } = credential
      const lacks = hasScopes(credential) && !holdsScope(credential, 'user', 'read:org')
      const isFine = hasPermissions(credential)
      const may = !isFine || holdsPermission(credential, 'members', 'read')
      return {
        statuses: decide([...signedIn(world, credential), [some(lacks, isFine && 'unclear'), 403]], 200),
        complain: ({ body }) =>
          complain(
            orgsOf(names, body),
            isFine ? [] : activeIn(world, account, false),
            toldOf(world, credential, account, may),
          ),
      }
    },
    request: () => ({ method: 'GET', path: '/user/orgs?per_page=100' }),
  },
]
