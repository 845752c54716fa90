/** The permissions of apps: validates a set, compares two, and intersects them. */
import { isPermission } from '../../accounts/tokens/permissions.ts'
import { type AccessLevel, hasPermission } from '../../accounts/tokens/token.ts'
import { invalidField } from '../failures.ts'
import type { Permissions } from './app.ts'

/** Of one's own account: granted by the user, not by an installation. */
const ofUsers: ReadonlySet<string> = new Set([
  ...['profile', 'email_addresses', 'watching', 'followers', 'starring', 'datasets'],
])

export function demandKnownPermissions(permissions: Permissions, field = 'permissions'): void {
  const unknown = Object.keys(permissions).find((name) => !isPermission(name))
  if (unknown !== undefined)
    throw invalidField(field, 'invalid', `There is no permission ${JSON.stringify(unknown.slice(0, 60))}.`)
}

/** Who may anything with a repository sees what it is called. */
export const withMetadata = (permissions: Permissions): Permissions =>
  Object.keys(permissions).some((name) => !ofUsers.has(name)) ? { ...permissions, metadata: 'read' } : permissions

/** Of these, what is about the user’s own account. */
export const ofUser = (permissions: Permissions): Permissions =>
  Object.fromEntries(Object.entries(permissions).filter(([name]) => ofUsers.has(name)))

/** Of these, what an installation gives: all the rest. */
export const ofInstallation = (permissions: Permissions): Permissions =>
  Object.fromEntries(Object.entries(permissions).filter(([name]) => !ofUsers.has(name)))

/** The first that is asked for and not had. */
export const findExcess = (asked: Permissions, had: Permissions): string | undefined =>
  Object.entries(asked).find(([name, level]) => !hasPermission({ permissions: had }, name, level))?.[0]

const ranks: Record<AccessLevel, number> = { read: 1, write: 2, admin: 3 }

/** What both have, at the lower level. */
export function intersect(a: Permissions, b: Permissions): Permissions {
  const common: Record<string, AccessLevel> = {}
  for (const [name, level] of Object.entries(a)) {
    if (!Object.hasOwn(b, name)) continue
    const other = b[name]!
    common[name] = ranks[level] <= ranks[other] ? level : other
  }
  return common
}
