/**
 * First path segments of REST's own addresses. If an account has such a name, its page is shown to browsers where REST
 * has nothing.
 */

/** Without `admin`, the usual name of the first admin: browsers find that account's pages below it. */
export const restSteps: ReadonlySet<string> = new Set([
  ...['api', 'app', 'app-manifests', 'applications', 'apps', 'avatars', 'enterprises', 'events', 'graphql'],
  ...[
    'gitignore',
    'installation',
    'issues',
    'licenses',
    'markdown',
    'meta',
    'migrations',
    'networks',
    'notifications',
    'oauth-apps',
  ],
  ...['organizations', 'orgs', 'rate_limit', 'repos', 'repositories', 'search', 'user', 'users', 'versions'],
])
