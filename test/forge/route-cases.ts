/** For every route a request that succeeds for its owner: what stands in the address, the body, and what must be there first. */
import type { Route } from '../../src/api/forge-rest/route.ts'
import type { RestClient } from '../support/rest.ts'
import { appCases, asApp, asItsClient, asItsInstallation } from './apps/app-cases.ts'
import { codeCases } from './code-cases.ts'
import { freshIssue, issueCases } from './issue-cases.ts'
import { migrationCases } from './migrations/cases.ts'
import { freshPull, pullCases } from './pulls/pull-cases.ts'
import { singleSignOnCases } from './single-sign-on/cases.ts'
import { keyCases } from './ssh/key-cases.ts'
import { asChecker, toolCases } from './tool-cases.ts'
import { webhookCases } from './webhooks/cases.ts'
import type { World } from './world.ts'

export type Params = Record<string, string | number>

export type Case = {
  readonly params?: (world: World) => Params
  readonly query?: string
  readonly body?: object | ((world: World, params: Params) => object)
  /** Makes what the request will use up or change, anew for each request. */
  readonly fresh?: (world: World, params: Params) => Promise<Params>
  /** Who succeeds, where it is not ann. */
  readonly by?: 'admin' | 'cid'
}

let count = 0
const fresh = (word: string) => `${word}-${++count}`

const freshRepository: NonNullable<Case['fresh']> = async ({ ann }, { repo }) => {
  const { body } = await ann.post('/user/repos', { name: fresh('repo'), private: repo === 'hidden' })
  return { repo: body.name }
}

/** The address has no name server that would know it. */
const nowhere = { url: 'https://source.invalid/ann/tool.git' }
const freshMirror: Case['fresh'] = async (world, params) => {
  const made = await freshRepository(world, params)
  await world.ann.post(`/repos/ann/${made.repo}/import`, { ...nowhere, mirror: true })
  return made
}

const freshTeam: Case['fresh'] = async ({ ann }) => {
  const { body } = await ann.post('/orgs/acme/teams', { name: fresh('team'), privacy: 'closed' })
  return { team_slug: body.slug }
}

const freshInvitation: Case['fresh'] = async ({ ann, root }, { repo }) => {
  const login = fresh('guest')
  await root.post('/admin/users', { login })
  const { body } = await ann.put(`/repos/ann/${repo}/collaborators/${login}`, {})
  return { invitation_id: body.id }
}

/** An invitation for the one who asks. */
const ownInvitation: Case['fresh'] = async ({ bob, ann }) => {
  const { body } = await bob.post('/user/repos', { name: fresh('shared') })
  const invitation = await bob.put(`/repos/bob/${body.name}/collaborators/ann`, {})
  void ann
  return { invitation_id: invitation.body.id }
}

const freshMember: Case['fresh'] = async ({ root }) => {
  const login = fresh('member')
  await root.post('/admin/users', { login })
  await root.put(`/orgs/acme/memberships/${login}`, {})
  return { username: login }
}

const freshOwnMembership: Case['fresh'] = async ({ root }) => {
  const org = fresh('org')
  await root.post('/admin/organizations', { login: org, admin: 'bob' })
  await root.put(`/orgs/${org}/memberships/ann`, {})
  return { org }
}

const freshTeamMember: Case['fresh'] = async (world, params) => {
  const { username } = await freshMember(world, params)
  await world.ann.put(`/orgs/acme/teams/crew/memberships/${username}`, {})
  return { username: username! }
}

const publicised: Case['fresh'] = async ({ ann }) => {
  await ann.put('/orgs/acme/public_members/ann')
  return {}
}

const watched: Case['fresh'] = async ({ ann }, { repo }) => {
  await ann.put(`/repos/ann/${repo}/subscription`, {})
  return {}
}

/** After the cases that stop watching: what reads have made is made once for all of them. */
const watchedAgain: Case['fresh'] = async ({ ann }, { repo }) => {
  await ann.put(`/user/subscriptions/ann/${repo}`)
  return {}
}

const starred: Case['fresh'] = async ({ ann }, { repo }) => {
  await ann.put(`/user/starred/ann/${repo}`)
  return {}
}

const followed: Case['fresh'] = async ({ ann }) => {
  await ann.put('/user/following/bob')
  return {}
}

/** One of bob's, which ann may read. */
const forkable: Case['fresh'] = async ({ ann, bob }, { repo }) => {
  const { body } = await bob.post('/user/repos', {
    name: fresh('forkable'),
    auto_init: true,
    private: repo === 'hidden',
  })
  const invitation = await bob.put(`/repos/bob/${body.name}/collaborators/ann`, { permission: 'pull' })
  await ann.patch(`/user/repository_invitations/${invitation.body.id}`)
  return { owner: 'bob', repo: body.name }
}

const collaborating: Case['fresh'] = async (_world, _params) => ({ username: 'ann' })

const freshComment: NonNullable<Case['fresh']> = async (world, params) => {
  const { issue_number } = await freshIssue(world, params)
  const { body } = await world.ann.post(`/repos/ann/${params.repo}/issues/${issue_number}/comments`, { body: 'Well' })
  return { issue_number: issue_number!, comment_id: body.id }
}

const freshReaction =
  (make: NonNullable<Case['fresh']>, pathOf: (params: Params) => string): NonNullable<Case['fresh']> =>
  async (world, params) => {
    const made = await make(world, params)
    const path = `/repos/ann/${params.repo}/${pathOf(made)}/reactions`
    const { body } = await world.ann.post(path, { content: 'heart' })
    return { ...made, reaction_id: body.id }
  }
const freshIssueReaction = freshReaction(freshIssue, (made) => `issues/${made.issue_number}`)
const freshCommentReaction = freshReaction(freshComment, (made) => `issues/comments/${made.comment_id}`)

const freshDuplicate: NonNullable<Case['fresh']> = async (world, params) => {
  const original = await freshIssue(world, params)
  const made = await freshIssue(world, params)
  await world.ann.post(`/repos/ann/${params.repo}/issues/${made.issue_number}/comments`, {
    body: `Duplicate of #${original.issue_number}`,
  })
  return made
}

const issueAndPull: NonNullable<Case['fresh']> = async (world, params) => ({
  ...(await freshPull(world, params)),
  ...(await freshIssue(world, params)),
})

const connectedPull: NonNullable<Case['fresh']> = async (world, params) => {
  const made = await issueAndPull(world, params)
  await world.ann.put(`/repos/ann/${params.repo}/issues/${made.issue_number}/connections/${made.pull_number}`)
  return made
}

let deliveries = 0
const freshThread: Case['fresh'] = async ({ root }) => {
  const subject = { title: `Build ${++deliveries}`, type: 'CheckSuite' }
  const draft = { login: 'ann', repository: 'ann/open', reason: 'ci_activity', subject }
  const { body } = await root.post('/admin/notifications', draft)
  return { thread_id: body.id }
}

/** More threads than are marked at once. */
const freshMark: Case['fresh'] = async (world, params) => {
  const most = world.server.services.settings.markedAtOnce
  for (let i = 0; i <= most; i++) await freshThread(world, params)
  const { body } = await world.ann.put('/notifications')
  return { mark_id: body.url.split('/').at(-1) }
}

export const routeCases: Record<string, Case> = {
  ...appCases,
  ...codeCases,
  ...migrationCases,
  ...pullCases,
  ...toolCases,
  ...webhookCases,
  ...keyCases,
  graphql: { body: { query: '{ viewer { login } }' } },
  'get-the-audit-log-for-an-enterprise': { params: () => ({ enterprise: 'guildhall' }) },
  ...singleSignOnCases,
  'list-issue-comments': { fresh: freshComment },
  'create-an-issue-comment': { fresh: freshIssue, body: { body: 'Hello @bob, see #1' } },
  'get-an-issue-comment': { fresh: freshComment },
  'update-an-issue-comment': { fresh: freshComment, body: { body: 'Better' } },
  'delete-an-issue-comment': { fresh: freshComment },
  'unmark-an-issue-as-a-duplicate': { fresh: freshDuplicate },
  'connect-an-issue-with-a-pull-request': { fresh: issueAndPull, params: () => ({ pull_number: 999_999 }) },
  'disconnect-an-issue-from-a-pull-request': { fresh: connectedPull, params: () => ({ pull_number: 999_999 }) },
  'search-repositories': { query: '?q=o' },
  'search-users': { query: '?q=n' },
  'search-labels': { query: '?q=bug&repository_id=1' },
  'search-code': { query: '?q=o' },
  'list-organization-events-for-the-authenticated-user': { params: () => ({ username: 'ann' }) },
  'search-commits': { query: '?q=second' },
  'search-topics': { query: '?q=on' },
  'search-issues-and-pull-requests': { query: '?q=issue+is:open' },
  'list-reactions-for-an-issue': { fresh: freshIssueReaction },
  'create-reaction-for-an-issue': { fresh: freshIssue, body: { content: '+1' } },
  'delete-an-issue-reaction': { fresh: freshIssueReaction },
  'list-reactions-for-an-issue-comment': { fresh: freshCommentReaction },
  'create-reaction-for-an-issue-comment': { fresh: freshComment, body: { content: '+1' } },
  'delete-an-issue-comment-reaction': { fresh: freshCommentReaction },
  ...issueCases,
  'render-a-markdown-document': { body: { text: 'Hello' } },
  'render-a-markdown-document-in-raw-mode': { body: { text: 'Hello' } },
  'get-a-license': { params: () => ({ license: 'mit' }) },
  'get-a-gitignore-template': { params: () => ({ name: 'Node' }) },
  'get-a-user': { params: () => ({ username: 'ann' }) },
  'list-repositories-for-a-user': { params: () => ({ username: 'ann' }) },
  'update-the-authenticated-user': { body: { bio: 'Hello', email: 'ann@example.org' } },
  'get-a-user-by-id': { params: () => ({ account_id: 2 }) },
  'get-an-avatar': { params: () => ({ account_id: 2 }) },
  'update-an-organization': { body: { description: 'We make everything' } },
  'delete-an-organization': {
    fresh: async ({ root }) => {
      const login = fresh('org')
      await root.post('/admin/organizations', { login, admin: 'ann' })
      return { org: login }
    },
  },
  'create-an-organization-repository': { fresh: async () => ({}), body: {} },
  'check-organization-membership-for-a-user': { fresh: publicised, params: () => ({ username: 'ann' }) },
  'remove-an-organization-member': { fresh: freshMember },
  'get-organization-membership-for-a-user': { params: () => ({ username: 'cid' }) },
  'set-organization-membership-for-a-user': { fresh: freshMember, body: { role: 'member' } },
  'remove-organization-membership-for-a-user': { fresh: freshMember },
  'check-public-organization-membership-for-a-user': { fresh: publicised, params: () => ({ username: 'ann' }) },
  'set-public-organization-membership-for-the-authenticated-user': { params: () => ({ username: 'ann' }) },
  'remove-public-organization-membership-for-the-authenticated-user': { params: () => ({ username: 'ann' }) },
  'update-an-organization-membership-for-the-authenticated-user': { body: { state: 'active' } },
  'remove-an-organization-membership-for-the-authenticated-user': { fresh: freshOwnMembership },
  'create-a-team': { body: {} },
  'update-a-team': { fresh: freshTeam, body: { description: 'New' } },
  'delete-a-team': { fresh: freshTeam },
  'get-team-membership-for-a-user': { params: () => ({ username: 'ann' }) },
  'add-or-update-team-membership-for-a-user': { params: () => ({ username: 'cid' }), body: { role: 'member' } },
  'remove-team-membership-for-a-user': { fresh: freshTeamMember },
  'check-team-permissions-for-a-repository': { params: () => ({ owner: 'acme', repo: 'tool' }) },
  'add-or-update-team-repository-permissions': {
    params: () => ({ owner: 'acme', repo: 'tool' }),
    body: { permission: 'push' },
  },
  'remove-a-repository-from-a-team': { params: () => ({ owner: 'acme', repo: 'tool' }) },
  'create-a-repository-for-the-authenticated-user': { body: {} },
  'update-a-repository': { fresh: freshRepository, body: { description: 'New' } },
  'delete-a-repository': { fresh: freshRepository },
  'start-a-repository-import': { fresh: freshRepository, body: nowhere },
  'get-a-repository-import': { fresh: freshMirror },
  'update-a-repository-import': { fresh: freshMirror, body: {} },
  'cancel-a-repository-import': { fresh: freshMirror },
  'create-a-fork': { fresh: forkable, body: {} },
  'replace-all-repository-topics': { body: { names: ['one', 'two'] } },
  'check-if-a-user-is-a-repository-collaborator': { fresh: collaborating },
  'remove-a-repository-collaborator': { params: () => ({ username: 'cid' }) },
  'add-a-repository-collaborator': { body: { permission: 'push' } },
  'update-a-repository-invitation': { fresh: freshInvitation, body: { permissions: 'read' } },
  'delete-a-repository-invitation': { fresh: freshInvitation },
  'accept-a-repository-invitation': { fresh: ownInvitation },
  'decline-a-repository-invitation': { fresh: ownInvitation },
  'get-a-repository-subscription': { fresh: watched },
  'check-if-one-watches-a-repository': { fresh: watchedAgain },
  'list-public-events': { fresh: starred },
  'list-repository-events': { fresh: starred },
  'check-if-a-repository-is-starred-by-the-authenticated-user': { fresh: starred },
  'list-stargazers': { fresh: starred },
  'list-repositories-starred-by-the-authenticated-user': { fresh: starred },
  'follow-a-user': { params: () => ({ username: 'bob' }) },
  'unfollow-a-user': { params: () => ({ username: 'bob' }) },
  'check-if-a-person-is-followed-by-the-authenticated-user': {
    fresh: followed,
    params: () => ({ username: 'bob' }),
  },
  'check-if-a-user-follows-another-user': {
    fresh: followed,
    params: () => ({ username: 'ann', target_user: 'bob' }),
  },
  'set-a-repository-subscription': { body: { subscribed: true } },
  'list-notifications-for-the-authenticated-user': { fresh: freshThread },
  'change-several-threads': { body: { threads: ['1'], state: 'read' } },
  'save-notification-filters': { body: { filters: [{ name: 'Mentions', query: 'reason=mention' }] } },
  'mark-notifications-as-read': { body: { last_read_at: '2026-01-01T00:00:00Z' } },
  'get-a-background-mark': { fresh: freshMark },
  'get-a-thread': { fresh: freshThread },
  'mark-a-thread-as-read': { fresh: freshThread },
  'mark-a-thread-as-done': { fresh: freshThread },
  'get-a-thread-subscription-for-the-authenticated-user': { fresh: freshThread },
  'set-a-thread-subscription': { fresh: freshThread, body: { ignored: false } },
  'delete-a-thread-subscription': { fresh: freshThread },
  'list-repository-notifications-for-the-authenticated-user': { fresh: freshThread },
  'mark-repository-notifications-as-read': { body: { last_read_at: '2026-01-01T00:00:00Z' } },
  'deliver-a-notification': {
    body: {
      login: 'bob',
      repository: 'ann/open',
      reason: 'security_alert',
      subject: { title: 'A weakness', type: 'RepositoryVulnerabilityAlert' },
    },
  },
  'get-a-commit': { params: () => ({ '*': 'heads/main' }) },
  'compare-two-commits': { params: ({ shas }) => ({ '*': `${shas.commit}...feature/one` }) },
  'get-an-archive': { params: ({ shas }) => ({ file: `${shas.commit}.tar.gz` }) },
  'download-a-repository-archive-tar': { params: () => ({ '*': 'main' }) },
  'download-a-repository-archive-zip': { params: () => ({ '*': 'feature/one' }) },
  'get-a-branch': { params: () => ({ '*': 'feature/one' }) },
  'get-a-wiki-page': { params: () => ({ '*': 'README' }) },
  'list-revisions-of-a-wiki-page': { params: () => ({ '*': 'README' }) },
  'get-a-raw-wiki-file': { params: () => ({ '*': 'docs/c.txt' }) },
  'get-repository-content': { params: () => ({ '*': 'README.md' }) },
  'get-a-raw-file': { params: () => ({ '*': 'README.md' }) },
  'get-a-reference': { params: () => ({ '*': 'heads/main' }) },
  'list-matching-references': { params: () => ({ '*': 'heads/feature' }) },
  'get-a-reference-or-those-below': { params: () => ({ '*': 'tags/v1.0' }) },
  'get-a-commit-object': { params: ({ shas }) => ({ commit_sha: shas.commit }) },
  'get-a-tree': { params: ({ shas }) => ({ tree_sha: shas.tree }), query: '?recursive=1' },
  'get-a-blob': { params: ({ shas }) => ({ file_sha: shas.blob }) },
  'get-a-tag': { params: ({ shas }) => ({ tag_sha: shas.tag }) },
  'list-commit-statuses': { params: ({ shas }) => ({ ref: shas.commit }) },
  'create-a-user': { body: {} },
  'create-an-organization': { body: { admin: 'ann' } },
  'administer-an-organization': { body: { plan: 'enterprise' } },
  'create-an-impersonation-token': { body: { scopes: ['repo'] } },
  'create-a-token': { body: { kind: 'classic', scopes: [] } },
  'revoke-a-token': {
    fresh: async ({ root }) => ({
      token_id: (await root.post('/admin/users/bob/tokens', { kind: 'classic' })).body.id,
    }),
  },
  'lift-a-ban': {
    fresh: async ({ root }) => ({
      token_id: (await root.post('/admin/users/bob/tokens', { kind: 'classic' })).body.id,
    }),
  },
  'lift-a-lockout': {
    fresh: async ({ server }) => {
      const name = fresh('locked')
      for (let i = 0; i < 10; i++) await server.services.credentialLockout.settle(`user:${name}`, false)
      return { key: `credential:user:${name}` }
    },
  },
  'suspend-a-user': {
    fresh: async ({ root }) => {
      const login = fresh('bad')
      await root.post('/admin/users', { login })
      return { username: login }
    },
  },
}

/** Who may: the app itself by its key or its secret, its installation, an admin of the server, or ann. */
export async function clientFor(world: World, { door, need }: Route): Promise<RestClient> {
  if (need.tokens.join() === 'installation' && door.kind === 'repository') return asChecker(world)
  if (door.kind === 'app') return asApp(world)
  if (door.kind === 'client') return asItsClient(world)
  if (door.kind === 'installation') return asItsInstallation(world)
  return door.kind === 'site-admin' ? world.root : world.ann
}

export type Prepared = { readonly path: string; readonly body: object | undefined; readonly query: string }

/** Names in bodies that make something must be new each time. */
const named = new Set([
  'create-a-label',
  'create-a-team',
  'create-an-organization-repository',
  'create-a-repository-for-the-authenticated-user',
])
const loggedIn = new Set(['create-a-user', 'create-an-organization'])

/** `isReal`: the request is meant to succeed, so what it needs is made. */
type Made = Map<NonNullable<Case['fresh']>, Map<string, Promise<Params>>>
const madeToRead = new WeakMap<World, Made>()

/** Reading uses nothing up: what was made to be read serves all who read. */
async function makeFresh(world: World, { method }: Route, { fresh: make }: Case, own: Params): Promise<Params> {
  if (!make) return {}
  if (method !== 'GET') return make(world, own)
  const made = madeToRead.get(world) ?? new Map()
  madeToRead.set(world, made)
  const places: Map<string, Promise<Params>> = made.get(make) ?? new Map()
  made.set(make, places)
  const place = String(own.repo)
  const found = places.get(place) ?? make(world, own)
  places.set(place, found)
  return found
}

export async function prepareRequest(
  world: World,
  route: Route,
  repo: 'open' | 'hidden',
  isReal: boolean,
): Promise<Prepared> {
  const found = routeCases[route.id] ?? {}
  const usual: Params = {
    owner: 'ann',
    repo,
    org: 'acme',
    username: 'bob',
    team_slug: 'crew',
    invitation_id: 999_999,
    token_id: 999_999,
    account_id: 2,
    issue_number: 999_999,
    pull_number: 999_999,
    review_id: 999_999,
    comment_id: 999_999,
    reaction_id: 999_999,
    thread_id: 999_999,
    mark_id: 999_999,
    event_id: 999_999,
    milestone_number: 999_999,
    name: 'no-such-label',
    assignee: 'nobody',
  }
  const own = { ...usual, ...found.params?.(world) }
  const params = { ...own, ...(isReal ? await makeFresh(world, route, found, own) : {}) }
  const path = route.path
    .replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? `missing-${name}`))
    .replace('*', String(params['*'] ?? ''))
  const extra = named.has(route.id) ? { name: fresh('made') } : loggedIn.has(route.id) ? { login: fresh('made') } : {}
  const body = typeof found.body === 'function' ? found.body(world, params) : found.body
  const query = String(params.query ?? found.query ?? '')
  return { path, query, body: body && { ...body, ...extra } }
}
