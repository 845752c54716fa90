/** Presents users and organisations, briefly and in full. */

import { levelOf } from '../../../forge/access/level.ts'
import type { Membership } from '../../../forge/people/memberships.ts'
import type { AccountCounts } from '../../../forge/people/people.ts'
import type { Person, Profile } from '../../../forge/person.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export const avatarUrl = ({ id }: { readonly id: number }, { origin }: Pick<View, 'origin'>): string =>
  `${origin}/avatars/${id}`

const types = { user: 'User', organisation: 'Organization', bot: 'Bot' } as const

export function presentUser({ id, login, kind, isSiteAdmin }: Person, { base, origin }: View) {
  const url = `${base}/users/${kind === 'bot' ? encodeURIComponent(login) : login}`
  return {
    login,
    id,
    node_id: nodeId(types[kind], id),
    avatar_url: avatarUrl({ id }, { origin }),
    gravatar_id: '',
    url,
    html_url: kind === 'bot' ? `${origin}/apps/${login.replace('[bot]', '')}` : `${origin}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: types[kind],
    user_view_type: 'public',
    site_admin: isSiteAdmin,
  }
}

export function presentProfile(profile: Profile, counts: AccountCounts, view: View) {
  return {
    ...presentUser(profile, view),
    name: profile.name,
    company: profile.company,
    blog: profile.website ?? '',
    location: profile.location,
    email: profile.email,
    hireable: null,
    bio: profile.bio,
    twitter_username: null,
    public_repos: counts.publicCount,
    public_gists: 0,
    followers: counts.followers,
    following: counts.following,
    created_at: formatTime(profile.createdAt),
    updated_at: formatTime(profile.updatedAt),
    ...(profile.suspendedAt && { suspended_at: formatTime(profile.suspendedAt) }),
  }
}

/** Only for the account itself. */
export function presentOwnProfile(profile: Profile, counts: AccountCounts, view: View) {
  return {
    ...presentProfile(profile, counts, view),
    user_view_type: 'private',
    private_gists: 0,
    total_private_repos: counts.privateCount,
    owned_private_repos: counts.privateCount,
    disk_usage: counts.sizeKib,
    collaborators: 0,
    two_factor_authentication: false,
    plan: { name: profile.plan, space: 976_562_499, collaborators: 0, private_repos: 10_000 },
  }
}

export function presentOrganisation({ id, login, bio }: Person & { bio?: string | null }, { base, origin }: View) {
  const url = `${base}/orgs/${login}`
  return {
    login,
    id,
    node_id: nodeId('Organization', id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: avatarUrl({ id }, { origin }),
    description: bio ?? null,
  }
}

/** The organisation of a team: only what anyone may see. */
export function presentOpenOrganisation(organisation: Profile, counts: AccountCounts, view: View) {
  const { name, company, website, location, email } = organisation
  return {
    ...presentOrganisation(organisation, view),
    name,
    // Present only if they have a value.
    ...(company && { company }),
    ...(website && { blog: website }),
    ...(location && { location }),
    ...(email && { email }),
    is_verified: false,
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: counts.publicCount,
    public_gists: 0,
    followers: counts.followers,
    following: counts.following,
    html_url: `${view.origin}/${organisation.login}`,
    type: 'Organization',
    created_at: formatTime(organisation.createdAt),
    updated_at: formatTime(organisation.updatedAt),
    archived_at: null,
  }
}

export function presentWholeOrganisation(organisation: Profile, isOwner: boolean, counts: AccountCounts, view: View) {
  return {
    ...presentOpenOrganisation(organisation, counts, view),
    twitter_username: null,
    ...(isOwner && {
      total_private_repos: counts.privateCount,
      owned_private_repos: counts.privateCount,
      private_gists: 0,
      disk_usage: counts.sizeKib,
      collaborators: 0,
      billing_email: organisation.email,
      plan: { name: organisation.plan, space: 976_562_499, private_repos: 10_000, filled_seats: 0, seats: 0 },
      default_repository_permission: levelOf(organisation.memberRank),
      members_can_create_repositories: organisation.membersMayCreate,
      two_factor_requirement_enabled: false,
    }),
  }
}

export function presentMembership({ organisation, user, role, state }: Membership, view: View) {
  const organisationUrl = `${view.base}/orgs/${organisation.login}`
  return {
    url: `${organisationUrl}/memberships/${user.login}`,
    state,
    role,
    organization_url: organisationUrl,
    organization: presentOrganisation(organisation, view),
    user: presentUser(user, view),
    permissions: { can_create_repository: true },
  }
}
