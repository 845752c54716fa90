/** The permissions of fine-grained, app and workflow tokens, and the levels of each, as on the public platform. */
import type { AccessLevel } from './token.ts'

/** Permissions on a repository, an organisation, and the token's user. */
const names = [
  ...['actions', 'administration', 'checks', 'contents', 'deployments', 'environments', 'issues', 'metadata'],
  ...['packages', 'pages', 'pull_requests', 'repository_hooks', 'repository_projects', 'secrets', 'security_events'],
  ...['statuses', 'workflows', 'single_file', 'vulnerability_alerts'],
  ...['members', 'organization_administration', 'organization_events', 'organization_hooks', 'organization_plan'],
  ...['organization_projects', 'organization_secrets', 'organization_user_blocking'],
  ...['profile', 'email_addresses', 'watching', 'followers', 'starring', 'datasets'],
  ...['git_ssh_keys', 'ssh_signing_keys', 'gpg_keys'],
]
const known: ReadonlySet<string> = new Set(names)

const usualLevels: readonly AccessLevel[] = ['read', 'write']
const otherLevels: ReadonlyMap<string, readonly AccessLevel[]> = new Map<string, readonly AccessLevel[]>([
  ...['metadata', 'organization_events', 'organization_plan'].map((name) => [name, ['read']] as const),
  ...['profile', 'workflows'].map((name) => [name, ['write']] as const),
  ...['repository_projects', 'organization_projects'].map((name) => [name, ['read', 'write', 'admin']] as const),
])

export const isPermission = (name: string): boolean => known.has(name)

/** Explains what is wrong with a permission and lists the valid ones; undefined if it is valid. */
export function explainWrongPermission(name: string, level: AccessLevel): string | undefined {
  if (!isPermission(name))
    return `There is no permission named ${JSON.stringify(name)}. The permissions are ${names.join(', ')}.`
  const levels = otherLevels.get(name) ?? usualLevels
  if (levels.includes(level)) return undefined
  return `The permission ${name} can't be given at the level ${level}: it has ${levels.join(', ')}.`
}
