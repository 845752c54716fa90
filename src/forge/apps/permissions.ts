/** The permissions of apps: validates a set, compares two, and intersects them. */
import { isPermission } from '../../accounts/tokens/permissions.ts'
import { type AccessLevel, hasPermission } from '../../accounts/tokens/token.ts'
import { invalidField } from '../failures.ts'
import type { Permissions } from './app.ts'

/** Permissions on the user's own account: granted by the user, not by an installation. */
const ofUsers: ReadonlySet<string> = new Set([
  ...['profile', 'email_addresses', 'watching', 'followers', 'starring', 'datasets'],
])

export function demandKnownPermissions(permissions: Permissions, field = 'permissions'): void {
  const unknown = Object.keys(permissions).find((name) => !isPermission(name))
  if (unknown !== undefined)
    throw invalidField(field, 'invalid', `There is no permission ${JSON.stringify(unknown.slice(0, 60))}.`)
}

/** With any permission on a repository the app can read its metadata. */
export const withMetadata = (permissions: Permissions): Permissions =>
  Object.keys(permissions).some((name) => !ofUsers.has(name)) ? { ...permissions, metadata: 'read' } : permissions

/** The permissions on the user's own account. */
export const ofUser = (permissions: Permissions): Permissions =>
  Object.fromEntries(Object.entries(permissions).filter(([name]) => ofUsers.has(name)))

/** The permissions that an installation grants: all others. */
export const ofInstallation = (permissions: Permissions): Permissions =>
  Object.fromEntries(Object.entries(permissions).filter(([name]) => !ofUsers.has(name)))

/** The first requested permission that is missing. */
export const findExcess = (asked: Permissions, had: Permissions): string | undefined =>
  Object.entries(asked).find(([name, level]) => !hasPermission({ permissions: had }, name, level))?.[0]

const ranks: Record<AccessLevel, number> = { read: 1, write: 2, admin: 3 }

/** The permissions in both, at the lower level. */
export function intersect(a: Permissions, b: Permissions): Permissions {
  const common: Record<string, AccessLevel> = {}
  for (const [name, level] of Object.entries(a)) {
    if (!Object.hasOwn(b, name)) continue
    const other = b[name]!
    common[name] = ranks[level] <= ranks[other] ? level : other
  }
  return common
}
