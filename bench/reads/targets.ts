/** Every reading request: each GET route of the forge, each reading operation of the judge, the data sets' reads. */
import { routes } from '../../test/support/forge-routes.ts'
import type { Target } from '../load.ts'
import type { World } from './world.ts'

/** What a read answers: one object, a page of thirty, or that nothing has changed (304). */
export type Kind = 'object' | 'page' | 'poll'
export type Read = {
  readonly what: string
  readonly kind: Kind
  readonly target: Target
  /** Where what it asks with is good for some minutes only. */
  readonly renew?: () => Promise<Target>
}

/** Not measured, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'get-an-archive': 'it streams what git packs',
  'download-a-user-migration-archive': 'it is a write, too: each is noted in the audit log',
  'download-a-release-asset': 'it is a write, too: each is counted',
}

/** Pages of thirty that go on by a cursor, not by a number; and what is one object, but of thirty and more commits or files. */
const others: ReadonlySet<string> = new Set([
  'get-the-audit-log-for-an-organization',
  'get-the-audit-log-for-an-enterprise',
  'compare-two-commits',
  'get-a-tree',
  'get-a-user-migration-status',
])

/** What stands in an address, where it is not the usual. */
function paramsOf(id: string, path: string, { shas, accountId, numbers }: World): Record<string, string> {
  const self = { username: 'ann' }
  const inOrganisation = { owner: 'org-1', repo: 'open' }
  const hooked = { hook_id: numbers.orgHook!, delivery_id: numbers.orgDelivery! }
  const ofSite = { hook_id: numbers.siteHook!, delivery_id: numbers.siteDelivery! }
  const own: Record<string, Record<string, string>> = {
    'get-a-commit': { '*': shas.commit },
    'compare-two-commits': { '*': `of-file-10...${shas.commit}` },
    'get-a-branch': { '*': 'of-file-7' },
    'get-repository-content': { '*': 'README.md' },
    'get-a-raw-file': { '*': 'README.md' },
    'get-a-repository-readme-for-a-directory': { '*': '' },
    'get-a-reference': { '*': 'heads/main' },
    'list-matching-references': { '*': 'heads/of-' },
    'get-a-reference-or-those-below': { '*': 'heads' },
    'download-a-repository-archive-tar': { '*': 'main' },
    'download-a-repository-archive-zip': { '*': 'main' },
    'get-a-release-by-tag-name': { '*': 'v-file-1' },
    'list-pull-requests-associated-with-a-commit': { commit_sha: shas.spread },
    'list-commits-on-a-pull-request': { pull_number: numbers.longPull! },
    'list-pull-requests-files': { pull_number: numbers.longPull! },
    'check-if-a-pull-request-has-been-merged': { pull_number: numbers.mergedPull! },
    'download-a-release-asset': { tag: 'v-file-1', name: 'tool-1.bin' },
    'get-an-attachment': { name: 'notes.txt' },
    'get-a-label': { name: 'label-1' },
    'list-repositories-for-a-user': self,
    'list-followers-of-a-user': self,
    'list-the-people-a-user-follows': self,
    'list-organizations-for-a-user': self,
    'list-repositories-watched-by-a-user': self,
    'list-repositories-starred-by-a-user': self,
    'list-organization-events-for-the-authenticated-user': self,
    'list-events-for-the-authenticated-user': self,
    'list-public-events-for-a-user': self,
    'list-events-received-by-the-authenticated-user': self,
    'list-public-events-received-by-a-user': self,
    'get-a-user-installation-for-the-authenticated-app': self,
    'check-if-a-user-follows-another-user': { username: 'bob', target_user: 'ann' },
    'list-issue-events': { issue_number: numbers.labelled! },
    'list-labels-for-an-issue': { issue_number: numbers.labelled! },
    'list-watchers': { repo: 'repo-2' },
    'get-a-repository-subscription': { repo: 'repo-2' },
    'list-repository-notifications-for-the-authenticated-user': { repo: 'repo-2' },
    'list-repository-collaborators': { repo: 'repo-3' },
    'list-assignees': { repo: 'repo-3' },
    'list-forks': { repo: 'repo-4' },
    'check-if-a-user-is-a-repository-collaborator': self,
    'check-team-permissions-for-a-repository': { owner: 'org-1', repo: 'tool-1' },
    'list-repository-teams': { owner: 'org-1', repo: 'tool-1' },
    'get-access-restrictions': inOrganisation,
    'get-users-with-access-to-the-protected-branch': inOrganisation,
    'get-teams-with-access-to-the-protected-branch': inOrganisation,
    'get-apps-with-access-to-the-protected-branch': inOrganisation,
    'list-users-blocked-by-an-organization': { org: 'org-2' },
    'check-if-a-user-is-blocked-by-an-organization': { org: 'org-2' },
    'get-a-organization-webhook': hooked,
    'get-a-webhook-configuration-for-an-organization': hooked,
    'list-deliveries-for-a-organization-webhook': hooked,
    'get-a-delivery-for-a-organization-webhook': hooked,
    'get-a-global-webhook': ofSite,
    'get-a-webhook-configuration-for-the-site': ofSite,
    'list-deliveries-for-a-global-webhook': ofSite,
    'get-a-delivery-for-a-global-webhook': ofSite,
    'get-a-delivery-for-an-app-webhook': { delivery_id: numbers.appDelivery! },
  }
  return {
    owner: 'ann',
    repo: 'repo-1',
    org: 'org-1',
    username: 'user-1',
    team_slug: 'crew',
    enterprise: 'guildhall',
    account_id: String(accountId),
    commit_sha: shas.commit,
    tree_sha: shas.tree,
    file_sha: shas.blob,
    tag_sha: shas.tag,
    ref: shas.commit,
    ...numbers,
    comment_id: numbers[/(issues\/comments|pulls\/comments|comments)\/:comment_id/.exec(path)?.[1] ?? ''] ?? '1',
    ...own[id],
  }
}

/** What is looked for, where it is not a word. */
const searched: Readonly<Record<string, string>> = {
  '/search/users': 'user',
  '/search/labels': 'label&repository_id=1',
  '/search/repositories': 'repo',
  '/search/commits': 'Add+repo:ann/repo-1',
  '/search/topics': 'topic',
  '/search/code': 'name+repo:ann/repo-1',
}

function hostingReads(world: World): Read[] {
  const { root, ann, bob, apps } = world
  const chosen = routes.filter(({ method, id }) => method === 'GET' && !(id in leftOut))
  return chosen.map(({ path, id, pageSize, door }) => {
    const params = paramsOf(id, path, world)
    const plain = path.replace(/:(\w+)/g, (_, name) => params[name] ?? '1').replace('*', params['*'] ?? '')
    const words = [
      ...(path.startsWith('/search/') ? [`q=${searched[path] ?? 'words'}`] : []),
      ...(pageSize && pageSize.usual !== 30 ? ['per_page=30'] : []),
    ]
    const url = ann.url + (words.length > 0 ? `${plain}?${words.join('&')}` : plain)
    const asked = (token: string, address = url): Target => ({
      url: address,
      headers: { authorization: `Bearer ${token}` },
    })
    const read = { what: `GET ${path}`, kind: pageSize || others.has(id) ? ('page' as const) : ('object' as const) }
    if (door.kind === 'app') return { ...read, target: asked(''), renew: async () => asked(apps.signAsApp()) }
    if (door.kind === 'site-admin') return { ...read, target: asked(root.token) }
    if (door.kind === 'installation') return { ...read, target: asked(apps.installationToken) }
    if (id === 'get-a-migration-archive')
      return { ...read, target: asked(''), renew: async () => ({ url: await apps.findArchive() }) }
    return { ...read, target: asked(id === 'get-a-background-mark' ? bob.token : ann.token) }
  })
}

function judgeReads({ root, ann, session, accountId, problem, testCase, submission }: World): Read[] {
  const page = { Offset: 0, Limit: 30 }
  const calls: [method: string, params: object, kind: Kind, token?: string][] = [
    ['get_session_list', page, 'page', session],
    ['get_token_list', page, 'page', session],
    ['get_problem_statement', { UUID: problem }, 'object'],
    ['get_problem_judging', { UUID: problem }, 'object'],
    ['get_test_case_judging', { UUID: testCase }, 'object'],
    ['get_problem_test_case_judging_list', { ProblemUUID: problem, ...page }, 'page'],
    ['get_submission_report', { ID: submission }, 'object'],
    ['find_submission_snippet_list', { Limit: 30 }, 'page'],
    ['get_queue', {}, 'object', root.token],
    ['get_executor_list', {}, 'object', root.token],
    ['get_account', { ID: accountId }, 'object', session],
    ['get_server_info', {}, 'object'],
    ['get_session', {}, 'object'],
    ['get_account', { ID: accountId }, 'object'],
    ['get_account_list', page, 'page'],
    ['get_problem', { UUID: problem }, 'object'],
    ['get_problem_snippet_list', page, 'page'],
    ['get_account_problem_snippet_list', { AccountID: accountId, ...page }, 'page'],
    ['get_problem_test_case_snippet_list', { ProblemUUID: problem, ...page }, 'page'],
    ['get_test_case', { UUID: testCase }, 'object'],
    ['get_submission', { ID: submission }, 'object'],
    ['get_submission_snippet_list', page, 'page'],
    ['get_account_submission_snippet_list', { AccountID: accountId, ...page }, 'page'],
    ['get_problem_submission_snippet_list', { ProblemUUID: problem, ...page }, 'page'],
    ['get_account_problem_submission_snippet_list', { AccountID: accountId, ProblemUUID: problem, ...page }, 'page'],
  ]
  return calls.map(([method, params, kind, token = ann.token]) => ({
    what: token === session ? `${method} (session)` : method,
    kind,
    target: {
      url: `${ann.url}/`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11', method, params }),
    },
  }))
}

function datasetReads({ ann: { url, token }, dataset }: World): Read[] {
  const paths: [string, Kind][] = [
    ['/v2/datasets?limit=30', 'page'],
    [`/v2/datasets/${dataset}`, 'object'],
    [`/v2/datasets/${dataset}/statistics`, 'object'],
    ['/v2/users/me', 'object'],
    ...['json', 'jsonl', 'csv', 'xml', 'html', 'rss', 'xlsx'].map((format): [string, Kind] => [
      `/v2/datasets/${dataset}/items?limit=30&format=${format}`,
      'page',
    ]),
  ]
  const headers = { authorization: `Bearer ${token}` }
  return paths.map(([path, kind]) => ({
    what: `GET ${path.replace(dataset, '{id}')}`,
    kind,
    target: { url: url + path, headers },
  }))
}

/** What clients ask for again and again, with the ETag that they were given. */
const polled: readonly string[] = ['/user', '/repos/ann/repo-1', '/repos/ann/repo-1/issues', '/user/repos']

const polls = ({ ann: { url, token } }: World): Read[] =>
  polled.map((path) => {
    const headers = { authorization: `Bearer ${token}` }
    const target = { url: url + path, headers }
    const renew = async () => {
      const answer = await fetch(target.url, { headers })
      return { ...target, headers: { ...headers, 'if-none-match': answer.headers.get('etag')! } }
    }
    return { what: `GET ${path} (304)`, kind: 'poll', target, renew }
  })

export const allReads = (world: World): Read[] => [
  ...hostingReads(world),
  ...polls(world),
  ...judgeReads(world),
  ...datasetReads(world),
]
