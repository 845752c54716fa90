/** The scopes of classic and OAuth tokens. A parent scope includes its children. */

const children: Record<string, readonly string[]> = {
  repo: ['repo:status', 'repo_deployment', 'public_repo', 'repo:invite', 'security_events'],
  workflow: [],
  'write:packages': ['read:packages'],
  'read:packages': [],
  'delete:packages': [],
  'admin:org': ['write:org', 'manage_runners:org'],
  'write:org': ['read:org'],
  'admin:public_key': ['write:public_key'],
  'write:public_key': ['read:public_key'],
  'admin:ssh_signing_key': ['write:ssh_signing_key'],
  'write:ssh_signing_key': ['read:ssh_signing_key'],
  'admin:repo_hook': ['write:repo_hook'],
  'write:repo_hook': ['read:repo_hook'],
  'admin:org_hook': [],
  gist: [],
  notifications: [],
  user: ['read:user', 'user:email', 'user:follow'],
  delete_repo: [],
  'write:discussion': ['read:discussion'],
  'admin:enterprise': ['manage_runners:enterprise', 'manage_billing:enterprise', 'read:enterprise'],
  audit_log: ['read:audit_log'],
  codespace: ['codespace:secrets'],
  project: ['read:project'],
  'admin:gpg_key': ['write:gpg_key'],
  'write:gpg_key': ['read:gpg_key'],
  site_admin: [],
  /** Guildhall's own scope: the judge's interface with a token instead of a session. */
  judge: [],
  /** Guildhall's own scope: the user's own data sets. */
  dataset: ['dataset:read'],
}

export const everyScope: readonly string[] = Object.keys(children).filter(
  (scope) => !Object.values(children).some((list) => list.includes(scope)),
)

export const isScope = (name: string): boolean =>
  Object.hasOwn(children, name) || Object.values(children).some((list) => list.includes(name))

/** Lists the scopes, so that nobody has to look up a mistyped one. */
export const explainUnknownScope = (name: string): string =>
  `There is no scope named ${JSON.stringify(name)}. The scopes are ${listScopes().join(', ')}.`

const listScopes = (): string[] => [...new Set(Object.entries(children).flatMap(([name, below]) => [name, ...below]))]

const implied = new WeakMap<readonly string[], ReadonlySet<string>>()

/** The scopes and all that they imply. Memoized by the list, because every request with a token needs it. */
export function impliedScopes(scopes: readonly string[]): ReadonlySet<string> {
  const known = implied.get(scopes)
  if (known) return known
  const all = new Set<string>()
  const add = (scope: string) => {
    all.add(scope)
    for (const child of children[scope] ?? []) add(child)
  }
  scopes.forEach(add)
  implied.set(scopes, all)
  return all
}
