/** Records of users, organisations and teams. */
import { accountNameRule, isAccountName } from '../../../../accounts/account-rules.ts'
import { levels } from '../../../access/level.ts'
import type { AddressIndex } from '../address-index.ts'
import type { Fields } from '../reading/fields.ts'
import type { Definition } from './definition.ts'

export type UserRecord = ReturnType<typeof readUser>
export type OrganisationRecord = ReturnType<typeof readOrganisation>
export type TeamRecord = ReturnType<typeof readTeam>

function readLogin(fields: Fields): string {
  const login = fields.text('login')
  return isAccountName(login) ? login : fields.refuse('login', accountNameRule)
}

function readUser(fields: Fields) {
  const login = readLogin(fields)
  const emails = fields.each('emails', (one) => one.text('address', 255))
  return {
    kind: 'user' as const,
    url: fields.address('url'),
    login,
    name: fields.textOrNull('name', 255),
    bio: fields.textOrNull('bio'),
    company: fields.textOrNull('company', 255),
    website: fields.textOrNull('website', 255),
    location: fields.textOrNull('location', 255),
    email: emails[0]?.toLowerCase() ?? null,
    createdAt: fields.time('created_at'),
  }
}

export const user: Definition<UserRecord> = {
  type: 'user',
  read: readUser,
  check: (record, index, place) => checkAccount(record, index, place),
}

function readOrganisation(fields: Fields) {
  return {
    kind: 'organisation' as const,
    url: fields.address('url'),
    login: readLogin(fields),
    name: fields.textOrNull('name', 255),
    bio: fields.textOrNull('description'),
    company: null,
    website: fields.textOrNull('website', 255),
    location: fields.textOrNull('location', 255),
    email: fields.textOrNull('email', 255),
    memberLevel: fields.oneOfOrNull('default_repository_permission', levels),
    membersMayCreate: fields.flag('members_can_create_repositories', true),
    members: fields.each('members', (one) => ({
      user: one.address('user'),
      role: one.oneOf('role', ['admin', 'member']),
      isPublic: one.flag('public'),
    })),
    blocks: fields.each('blocked_users', (one) => ({ user: one.address('user'), createdAt: one.time('created_at') })),
    createdAt: fields.time('created_at'),
  }
}

export const organisation: Definition<OrganisationRecord> = {
  type: 'organization',
  read: readOrganisation,
  check(record, index, place) {
    checkAccount(record, index, place)
    for (const { user: member } of record.members) {
      index.expect(['user'], member, place)
      index.claim(`${record.url} with ${member}`, place)
    }
    for (const { user: blocked } of record.blocks) {
      index.expect(['user'], blocked, place)
      index.claim(`${record.url} without ${blocked}`, place)
    }
  },
}

function checkAccount({ kind, url, login }: UserRecord | OrganisationRecord, index: AddressIndex, place: string): void {
  index.add(kind, url, place)
  index.claim(`the login ${login.toLowerCase()}`, place)
}

function readTeam(fields: Fields) {
  const url = fields.address('url')
  const slug = fields.text('slug', 255)
  if (!/^[a-z0-9_-]+$/.test(slug)) fields.refuse('slug', 'lower-case letters, digits and hyphens')
  return {
    url,
    organisation: fields.address('organization'),
    name: fields.text('name', 255),
    slug,
    description: fields.textOrNull('description', 2_000),
    privacy: fields.oneOf('privacy', ['closed', 'secret']),
    notificationSetting:
      fields.oneOfOrNull('notification_setting', ['notifications_enabled', 'notifications_disabled']) ??
      'notifications_enabled',
    parent: fields.addressOrNull('parent_team'),
    permissions: fields.each('permissions', (one) => ({
      repository: one.address('repository'),
      access: one.oneOf('access', levels),
    })),
    members: fields.each('members', (one) => ({
      user: one.address('user'),
      role: one.oneOf('role', ['member', 'maintainer']),
    })),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const team: Definition<TeamRecord> = {
  type: 'team',
  read: readTeam,
  check(record, index, place) {
    index.add('team', record.url, place)
    index.claim(`the team ${record.slug} of ${record.organisation}`, place)
    index.expect(['organisation'], record.organisation, place)
    index.expect(['team'], record.parent, place)
    for (const { repository } of record.permissions) {
      index.expect(['repository'], repository, place)
      index.claim(`${record.url} on ${repository}`, place)
    }
    for (const { user: member } of record.members) {
      index.expect(['user'], member, place)
      index.claim(`${record.url} with ${member}`, place)
    }
  },
}
