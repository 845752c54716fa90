/** Acts on organisations: what of them is shown to whom, who changes them, and the repositories that are theirs. */
import { enter, listsRepository, nearOrganisation } from '../access.ts'
import { type Act, drawOrganisation, repositoriesOf } from '../act.ts'
import { type Credential, hasPermissions, isFor, isGranted, isPersonal, selects } from '../credential.ts'
import { complain, decide, type Truth } from '../truth.ts'
import { fullName, isOwner, type Organisation, roleIn, siteAdmin } from '../world.ts'
import { insertRepository } from './repositories.ts'

const ownersMembers = ['plan', 'default_repository_permission', 'members_can_create_repositories', 'billing_email']

/** Whole only for an owner, with a token that was given the organisation's administration. */
function seesWhole(credential: Credential, organisation: Organisation): Truth {
  const { account, kind } = credential
  if (kind === 'installation' && account === organisation.name) return 'unclear'
  if (!isPersonal(credential) || !isOwner(organisation, account) || !isFor(credential, organisation.name)) return false
  if (account === siteAdmin) return 'unclear'
  return isGranted(credential, ['admin:org'], ['organization_administration', 'read'])
}

export const organisationActs: readonly Act[] = [
  {
    name: 'get an organisation',
    weight: 3,
    draw: drawOrganisation,
    expect(world, credential, { org }) {
      const organisation = world.organisations.get(org)
      if (!organisation) return undefined
      const isWhole = seesWhole(credential, organisation)
      return {
        statuses: decide(enter(world, credential), 200),
        complain({ body }) {
          const shown = ownersMembers.filter((name) => name in body)
          if (isWhole === 'unclear') return undefined
          return complain(shown, isWhole ? ownersMembers : [])
        },
      }
    },
    request: ({ org }, names) => ({ method: 'GET', path: `/orgs/${names.spell(org)}` }),
  },
  {
    name: 'change an organisation',
    weight: 3,
    draw(world, random) {
      const one = drawOrganisation(world, random)
      const body = random.chance(0.7)
        ? { default_repository_permission: random.pick(['none', 'none', 'read', 'read', 'write', 'admin']) }
        : { members_can_create_repositories: random.chance(0.6) }
      return one && { ...one, body }
    },
    expect(world, credential, { org }) {
      const organisation = world.organisations.get(org)
      const near = ['admin:org'] as const
      const permission = ['organization_administration', 'write'] as const
      return (
        organisation && {
          statuses: decide(nearOrganisation(world, credential, organisation, 'owner', near, permission), 200),
        }
      )
    },
    request: ({ org, body }, names) => ({ method: 'PATCH', path: `/orgs/${names.spell(org)}`, body }),
    apply(world, _credential, { org, body }) {
      const organisation = world.organisations.get(org)!
      organisation.base = body.default_repository_permission ?? organisation.base
      organisation.membersMayCreate = body.members_can_create_repositories ?? organisation.membersMayCreate
    },
  },
  {
    name: 'list an organisation’s repositories',
    weight: 5,
    draw: drawOrganisation,
    expect(world, credential, { org }, names) {
      if (!world.organisations.has(org)) return undefined
      const own = [...world.repositories.values()].filter(({ owner }) => owner === org)
      const shown = (wanted: Truth) =>
        own.filter((repository) => listsRepository(world, credential, repository) === wanted).map(fullName)
      return {
        statuses: decide(enter(world, credential), 200),
        complain: ({ body }) => complain(repositoriesOf(names, body), shown(true), shown('unclear')),
      }
    },
    request: ({ org }, names) => ({ method: 'GET', path: `/orgs/${names.spell(org)}/repos?per_page=100` }),
  },
  {
    name: 'make a repository of an organisation',
    weight: 5,
    draw(world, random) {
      const one = drawOrganisation(world, random)
      return one && { ...one, name: `r${random.below(1e6)}`, isPrivate: random.chance(0.65) }
    },
    expect(world, credential, { org, isPrivate, name }) {
      const organisation = world.organisations.get(org)
      if (!organisation || world.repositories.has(`${org}/${name}`)) return undefined
      const scopes = isPrivate ? ['repo'] : ['repo', 'public_repo']
      const may = isOwner(organisation, credential.account) || organisation.membersMayCreate
      // A token for chosen repositories makes no others.
      const isNarrow = hasPermissions(credential) && !selects(credential, `${org}/${name}`)
      return {
        statuses: decide(
          [
            ...nearOrganisation(world, credential, organisation, 'member', scopes, ['administration', 'write']),
            [!may, 403],
            [isNarrow, 403],
          ],
          201,
        ),
      }
    },
    request: ({ org, name, isPrivate }, names) => ({
      method: 'POST',
      path: `/orgs/${names.spell(org)}/repos`,
      body: { name, private: isPrivate },
    }),
    apply(world, { account = '' }, { org, name, isPrivate }) {
      const repository = insertRepository(world, { owner: org, name, isPrivate, maker: account })
      // Who makes it without owning the organisation administers it.
      if (roleIn(world.organisations.get(org), account) === 'member') repository.collaborators.set(account, 'admin')
    },
  },
]
