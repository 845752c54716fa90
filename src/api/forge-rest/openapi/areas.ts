/** The areas that group routes in the reference. The first area whose pattern matches a path counts. */

export type Area = { readonly name: string; readonly description: string; readonly pattern: RegExp }

export const areas: readonly Area[] = [
  {
    name: 'Site administration',
    description: 'For admins of the server: accounts, lockouts, imports, hooks of the site.',
    pattern: /^\/(?:admin|users\/:username\/suspended|enterprises)\b/,
  },
  { name: 'Audit log', description: 'The audit log of access changes.', pattern: /\/audit-log$/ },
  {
    name: 'Apps and OAuth',
    description: 'Apps, their installations, OAuth apps and the tokens of both.',
    pattern:
      /^\/(?:app\b|apps\b|app-manifests|applications|installation|oauth-apps|user\/(?:apps|app-manifests|oauth-apps|installations)|(?:orgs\/:org|users\/:username|repos\/:owner\/:repo)\/(?:apps|oauth-apps|approved-oauth-apps|installations?)\b)/,
  },
  { name: 'Workflow runs', description: 'Short-lived tokens for automation.', pattern: /\/workflow-runs\b/ },
  {
    name: 'Webhooks',
    description: 'Events sent to an address of your choice, for a repository or an organisation.',
    pattern: /\/hooks\b/,
  },
  { name: 'Migrations', description: 'Repositories of an account as one archive.', pattern: /\/?migrations\b/ },
  {
    name: 'Notifications and watching',
    description: 'The inbox, its threads, and watching repositories.',
    pattern: /^\/notifications\b|\/(?:notifications|subscription|subscriptions|subscribers)\b/,
  },
  { name: 'Search', description: 'Search over everything that the caller may read.', pattern: /^\/search\b/ },
  {
    name: 'Feeds, stars and followers',
    description: 'What happened, and what people like.',
    pattern:
      /^\/events$|^\/networks\b|^\/repos\/:owner\/:repo\/events$|\/(?:stargazers|starred|followers|following|received_events)\b|^\/(?:users|orgs)\/:\w+\/events\b/,
  },
  { name: 'Reactions', description: 'Reactions to issues and comments.', pattern: /\/reactions\b/ },
  {
    name: 'Pull requests',
    description: 'Pulls, reviews, and comments on lines.',
    pattern: /^\/repos\/:owner\/:repo\/(?:pulls\b|commits\/:\w+\/pulls)|^\/:owner\/:repo\/pull\//,
  },
  {
    name: 'Issues',
    description: 'Issues, comments, labels, milestones, assignees, events.',
    pattern:
      /^\/(?:issues|user\/issues|orgs\/:org\/issues)\b|^\/repos\/:owner\/:repo\/(?:issues|labels|milestones|assignees)\b/,
  },
  {
    name: 'Releases and attachments',
    description: 'Releases with their files, and files attached to issues.',
    pattern: /\/(?:releases|attachments|downloads)\b/,
  },
  {
    name: 'Checks',
    description: 'What apps say of commits, run by run.',
    pattern: /^\/repos\/:owner\/:repo\/(?:check-(?:runs|suites)|commits\/:ref\/check-(?:runs|suites))\b/,
  },
  {
    name: 'Deployments',
    description: 'What is put where, how that goes, and who agrees to it.',
    pattern: /^\/repos\/:owner\/:repo\/(?:deployments|environments)\b/,
  },
  {
    name: 'Branches and commits',
    description: 'Branches and their rules, commits, statuses, comparisons, merges.',
    pattern:
      /^\/repos\/:owner\/:repo\/(?:branches|commits|comments|statuses|compare|merges|merge-upstream|tags|contributors)\b/,
  },
  {
    name: 'Files and git data',
    description: 'Contents, archives, and the objects of git.',
    pattern: /^\/repos\/:owner\/:repo\/(?:contents|raw|readme|tarball|zipball|archive|git|lfs)\b/,
  },
  { name: 'Teams', description: 'Teams of organisations.', pattern: /\/teams\b|^\/teams\b/ },
  {
    name: 'Organisations',
    description: 'Organisations, members, blocks, single sign-on.',
    pattern: /^\/(?:orgs\/:org(?!\/repos)|organizations$|user\/(?:orgs|memberships)|users\/:username\/orgs)\b/,
  },
  {
    name: 'Repositories',
    description: 'Repositories, forks, collaborators, invitations, topics.',
    pattern:
      /^\/(?:repos|repositories|licenses|gitignore|user\/(?:repos|repository_invitations)|users\/:username\/repos|orgs\/:org\/repos)\b/,
  },
  { name: 'People', description: 'Users and their profiles.', pattern: /^\/(?:users?|avatars)\b/ },
  { name: 'Server', description: 'The server itself: limits, versions, Markdown, GraphQL.', pattern: /^\// },
]

export const areaOf = (path: string): string => areas.find(({ pattern }) => pattern.test(path))!.name
