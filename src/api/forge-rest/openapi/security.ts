/** Describes who may call a route, in words and as OpenAPI security requirements. */
import type { Route } from '../route.ts'

const members = {
  anyone: 'Anyone',
  member: 'Members of the organisation',
  owner: 'Owners of the organisation',
}

export function describeCallers({ door }: Route): string {
  switch (door.kind) {
    case 'anyone':
      return 'Anyone'
    case 'signed-in':
      return 'Signed-in callers'
    case 'site-admin':
      return 'Admins of the server'
    case 'organisation':
      return members[door.membership ?? 'anyone']
    case 'app':
      return 'The app itself, with a JSON web token that it signed'
    case 'client':
      return 'The app itself, with its client id and secret as Basic'
    case 'installation':
      return 'An installation of an app, with its own token'
    case 'owner':
      return 'The owner: the user, or an owner of the organisation'
    case 'repository':
      return door.level === 'read' && !door.signIn
        ? 'Everyone with read access to the repository; anyone if it is public'
        : `Signed-in callers with the level ${door.level} on the repository`
  }
}

type Requirement = { readonly [scheme: string]: readonly string[] }

/**
 * In OpenAPI 3.1 the list of a scheme other than OAuth names roles. Here they are the scopes, of which one suffices.
 */
export function requireSecurity({ door, need }: Route): readonly Requirement[] {
  if (door.kind === 'app') return [{ appToken: [] }]
  if (door.kind === 'client') return [{ clientSecret: [] }]
  const requirement = { token: need.scopes }
  return door.signIn ? [requirement] : [{}, requirement]
}

export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of any kind, also as `token …` or as the password of Basic.',
  },
  appToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A JSON web token signed with a key of the app.',
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description: 'The client id as the name, a client secret as the password.',
  },
} as const
