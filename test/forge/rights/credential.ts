/** Credentials of every kind, and what each of them was granted. */
export const tokenKinds = ['classic', 'oauth', 'fine-grained', 'app-user', 'installation', 'workflow'] as const
export type TokenKind = (typeof tokenKinds)[number]
export type Access = 'read' | 'write'

export type Credential = {
  readonly name: string
  readonly kind: 'none' | 'session' | TokenKind
  /** Nobody has it, its time is over, or it was banned for going on while limited. */
  readonly flaw?: 'bad' | 'expired' | 'banned'
  /** The user or, of an installation, the organisation that it stands for. */
  readonly account?: string
  /** Of a fine-grained token, and of an app's user token that no app asked for: whose things it is for. */
  readonly owner?: string
  readonly scopes: readonly string[]
  readonly permissions: Readonly<Record<string, Access>>
  readonly repositories: 'all' | 'none' | readonly string[]
}

/** A scope and those that it contains, as the platform documents them. */
const contained: Readonly<Record<string, readonly string[]>> = {
  repo: ['public_repo', 'repo:invite', 'repo:status'],
  'admin:org': ['write:org', 'read:org'],
  'write:org': ['read:org'],
  user: ['read:user', 'user:email', 'user:follow'],
  dataset: ['dataset:read'],
}

/** Permissions on repositories; each brings `metadata` with it. All others are on organisations and on oneself. */
const onRepositories = new Set(['metadata', 'contents', 'administration', 'issues', 'pull_requests'])

export const isAnonymous = ({ kind }: Credential): boolean => kind === 'none'
export const hasScopes = ({ kind }: Credential): boolean => kind === 'classic' || kind === 'oauth'
export const hasPermissions = (credential: Credential): boolean =>
  !hasScopes(credential) && !isAnonymous(credential) && credential.kind !== 'session'
/** It stands for a person, who may do what is done in one's own name. */
export const isPersonal = ({ kind }: Credential): boolean => !['none', 'installation', 'workflow'].includes(kind)

export const holdsScope = ({ scopes }: Credential, ...anyOf: readonly string[]): boolean =>
  anyOf.some((scope) => scopes.some((held) => held === scope || contained[held]?.includes(scope)))

export function holdsPermission({ permissions }: Credential, name: string, access: Access): boolean {
  const held = permissions[name]
  return held === 'write' || (held === 'read' && access === 'read')
}

/** Fine-grained tokens are for one owner; of others they have what a stranger has. */
export const isFor = ({ owner }: Credential, account: string | undefined): boolean =>
  owner === undefined || owner === account

/** These are about the token's own person, so they count by tokens that are for that person. */
const onOneself = new Set(['profile', 'email_addresses', 'watching', 'datasets'])

/** Whether the token was given what this takes; a session was given everything, nobody nothing. */
export function isGranted(
  credential: Credential,
  scopes: readonly string[],
  permission: readonly [string, Access],
): boolean {
  if (credential.kind === 'session') return true
  if (isAnonymous(credential)) return false
  if (hasScopes(credential)) return holdsScope(credential, ...scopes)
  const isOther = onOneself.has(permission[0]) && !isFor(credential, credential.account)
  return !isOther && holdsPermission(credential, ...permission)
}

/** Any permission on repositories brings it, no other does. */
export const holdsMetadata = ({ permissions }: Credential): boolean =>
  Object.keys(permissions).some((name) => onRepositories.has(name))

/** All repositories are all of the owner. */
export function selects(credential: Credential, fullName: string): boolean {
  const { repositories } = credential
  if (!isFor(credential, fullName.split('/')[0])) return false
  return repositories === 'all' || (repositories !== 'none' && repositories.includes(fullName))
}

export function describeCredential({ name, kind, account, owner, flaw, ...grant }: Credential): string {
  if (flaw) return `${name} (${flaw})`
  if (kind === 'none' || kind === 'session') return name
  const given = kind === 'classic' || kind === 'oauth' ? grant.scopes.join(' ') : JSON.stringify(grant.permissions)
  const whose = owner === undefined ? '' : ` of ${owner}`
  const where = kind === 'classic' || kind === 'oauth' ? '' : ` on ${JSON.stringify(grant.repositories)}${whose}`
  return `${name} (${kind} of ${account}: ${given || 'no scope'}${where})`
}
