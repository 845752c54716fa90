/** Words that REST's own addresses begin with. An account may have such a name; its page is then there for browsers where REST has nothing. */

/** Without `admin`, which is what the first admin is called: below it browsers have that person's pages. */
export const restSteps: ReadonlySet<string> = new Set([
  ...['api', 'app', 'app-manifests', 'applications', 'apps', 'avatars', 'enterprises', 'events', 'graphql'],
  ...['installation', 'issues', 'markdown', 'meta', 'migrations', 'networks', 'notifications', 'oauth-apps'],
  ...['organizations', 'orgs', 'rate_limit', 'repos', 'repositories', 'search', 'user', 'users', 'versions'],
])
