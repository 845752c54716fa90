/** The API about itself: its root, its versions, the limits. */
import type { Limits, RateStatus } from '../../../forge/limits/limits.ts'
import type { Organisations } from '../../../forge/people/organisations.ts'
import { anyone } from '../doors.ts'
import { versions } from '../pipeline/versions.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import type { View } from '../view.ts'

const presentStanding = ({ limit, used, remaining, resetAt }: RateStatus) => ({
  limit,
  used,
  remaining,
  reset: Math.ceil(resetAt / 1000),
})

function presentRateStatuses(rateStatuses: readonly RateStatus[], { version }: View) {
  const resources = Object.fromEntries(rateStatuses.map((each) => [each.resource, presentStanding(each)]))
  return { resources, ...(version === '2022-11-28' && { rate: resources.core }) }
}

type Needs = { limits: Limits; organisations: Organisations }

export const metaRoutes = ({ limits, organisations }: Needs): readonly Route[] => [
  route('GET /', {
    id: 'get-the-root',
    summary: 'Lists the addresses of the interface.',
    door: anyone,
    handle({ view: { base } }) {
      const entries = Object.entries(rootPaths).map(([name, path]) => [name, `${base}${path}`])
      return ok(Object.fromEntries(entries))
    },
  }),
  route('GET /meta', {
    id: 'get-meta-information',
    summary: 'Describes this server and how to sign in to it.',
    door: anyone,
    handle: () =>
      ok({
        verifiable_password_authentication: false,
        installed_version: '0.1.0',
        hooks: [],
        web: [],
        api: [],
        git: [],
        organization_makers: organisations.makers,
      }),
  }),
  route('GET /versions', {
    id: 'list-the-versions',
    summary: 'The versions of the interface, oldest first.',
    door: anyone,
    handle: () => ok(versions),
  }),
  route('GET /rate_limit', {
    id: 'get-the-rate-limits',
    summary: 'Shows what is left of each rate limit. This request does not count.',
    door: anyone,
    isFree: true,
    isLive: true,
    async handle({ caller, view }) {
      return ok(presentRateStatuses(await limits.overview(caller), view))
    },
  }),
]

const rootPaths = {
  current_user_url: '/user',
  current_user_authorizations_html_url: '/settings/connections/applications{/client_id}',
  authorizations_url: '/authorizations',
  code_search_url: '/search/code?q={query}{&page,per_page,sort,order}',
  commit_search_url: '/search/commits?q={query}{&page,per_page,sort,order}',
  emails_url: '/user/emails',
  emojis_url: '/emojis',
  events_url: '/events',
  feeds_url: '/feeds',
  followers_url: '/user/followers',
  following_url: '/user/following{/target}',
  gists_url: '/gists{/gist_id}',
  hub_url: '/hub',
  issue_search_url: '/search/issues?q={query}{&page,per_page,sort,order}',
  issues_url: '/issues',
  keys_url: '/user/keys',
  label_search_url: '/search/labels?q={query}&repository_id={repository_id}{&page,per_page}',
  notifications_url: '/notifications',
  organization_url: '/orgs/{org}',
  organization_repositories_url: '/orgs/{org}/repos{?type,page,per_page,sort}',
  organization_teams_url: '/orgs/{org}/teams',
  public_gists_url: '/gists/public',
  rate_limit_url: '/rate_limit',
  repository_url: '/repos/{owner}/{repo}',
  repository_search_url: '/search/repositories?q={query}{&page,per_page,sort,order}',
  current_user_repositories_url: '/user/repos{?type,page,per_page,sort}',
  starred_url: '/user/starred{/owner}{/repo}',
  starred_gists_url: '/gists/starred',
  topic_search_url: '/search/topics?q={query}{&page,per_page}',
  user_url: '/users/{user}',
  user_organizations_url: '/user/orgs',
  user_repositories_url: '/users/{user}/repos{?type,page,per_page,sort}',
  user_search_url: '/search/users?q={query}{&page,per_page,sort,order}',
}
