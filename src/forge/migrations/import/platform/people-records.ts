/** Translates users, organisations and teams. */
import { parseLevel } from '../../../access/level.ts'
import type { Context } from './context.ts'
import type { RawRecord } from './raw-record.ts'

/** Apps of the public platform have a file of their own, and some archives list them among the users as well. */
export function translateUsers(context: Context): void {
  for (const record of context.read('users')) translateUser(context, record)
  for (const record of context.read('bots'))
    if (!context.people.has(record.demandAddress('url'))) translateUser(context, record)
}

function translateUser({ origin, people, writer }: Context, record: RawRecord): void {
  const login = people.add(record, true)
  writer.add({
    type: 'user',
    url: `${origin}/${login}`,
    login,
    name: record.textOrNull('name', 255),
    bio: record.textOrNull('bio'),
    company: record.textOrNull('company', 255),
    website: record.textOrNull('website', 255),
    location: record.textOrNull('location', 255),
    emails: listEmails(record),
    created_at: record.timeOrNull('created_at') ?? '1970-01-01T00:00:00Z',
  })
}

/** The primary one first. The public platform's own addresses reach nobody. */
const listEmails = (record: RawRecord): object[] =>
  record
    .each('emails')
    .sort((a, b) => Number(b.flag('primary')) - Number(a.flag('primary')))
    .map((one) => one.text('address', 255))
    .filter((address) => address !== '' && !/@users\.noreply\./i.test(address))
    .map((address) => ({ address }))

/** Two passes: members may be people without a record, who must not take the name of an organisation. */
export function translateOrganisations(context: Context): void {
  const { origin, people, writer, leavingOut } = context
  const logins = [...context.read('organizations')].map((record) => people.add(record, false))
  let at = 0
  for (const record of context.read('organizations')) {
    const login = logins[at++]!
    const members = new Map<string, string>()
    for (const one of record.each('members')) {
      const isActive = !one.has('state') || one.word('state') === 'active'
      const [user] = people.users([one.address('user')])
      if (user && isActive) members.set(user, one.word('role') === 'admin' ? 'admin' : 'member')
    }
    leavingOut.add('webhooks', record.list('webhooks').length)
    const privileges = record.object('member_privileges')
    const level = privileges?.word('default_repository_permission') ?? ''
    writer.add({
      type: 'organization',
      url: `${origin}/${login}`,
      login,
      name: record.textOrNull('name', 255),
      description: record.textOrNull('description'),
      website: record.textOrNull('website', 255),
      location: record.textOrNull('location', 255),
      email: record.textOrNull('email', 255),
      default_repository_permission: level === 'none' ? 'none' : (parseLevel(level) ?? null),
      members: [...members].map(([user, role]) => ({ user, role })),
      created_at: record.timeOrNull('created_at') ?? '1970-01-01T00:00:00Z',
    })
  }
}

/** Before the repositories, which their permissions name, and after the organisations. */
export function placeTeams(context: Context): void {
  for (const record of context.read('teams')) {
    const organisation = context.people.organisation(record.address('organization'))
    const slug = slugOf(record)
    if (organisation !== null && slug !== '')
      context.addresses.add('team', record.demandAddress('url'), `${teamsOf(organisation)}/${slug}`)
  }
}

const teamsOf = (organisation: string): string => organisation.replace(/\/([^/]+)$/, '/orgs/$1/teams')

const slugOf = (record: RawRecord): string =>
  (/\/teams\/([^/?#]+)$/.exec(record.demandAddress('url'))?.[1] ?? record.text('name', 255))
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 255)

export function translateTeams(context: Context): void {
  const { people, writer, addresses, leavingOut } = context
  for (const record of context.read('teams')) {
    const url = addresses.find('team', record.address('url'))
    if (url === null) {
      leavingOut.add('teams of organisations that are not in the archive')
      continue
    }
    const access = new Map<string, string>()
    for (const one of record.each('permissions')) {
      const repository = addresses.find('repository', one.address('repository'))
      const level = parseLevel(one.word('access'))
      if (repository && level) access.set(repository, level)
    }
    const members = new Map<string, string>()
    for (const one of record.each('members')) {
      const [user] = people.users([one.address('user')])
      if (user) members.set(user, one.word('role') === 'maintainer' ? 'maintainer' : 'member')
    }
    writer.add({
      type: 'team',
      url,
      organization: people.person(record.address('organization')),
      name: record.text('name', 255) || 'team',
      slug: url.slice(url.lastIndexOf('/') + 1),
      description: record.textOrNull('description', 2_000),
      privacy: record.word('privacy') === 'secret' ? 'secret' : 'closed',
      parent_team: addresses.find('team', record.address('parent_team')),
      permissions: [...access].map(([repository, level]) => ({ repository, access: level })),
      members: [...members].map(([user, role]) => ({ user, role })),
      created_at: record.timeOrNull('created_at') ?? '1970-01-01T00:00:00Z',
    })
  }
}
