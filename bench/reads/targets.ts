/** Every reading request: each GET route of the hosting interface, each reading operation of the judge, the data sets' reads. */
import { routes } from '../../src/wires/forge-rest/routes.ts'
import type { Target } from '../load.ts'
import type { World } from './world.ts'

/** What a read answers: one object, or a page of thirty. */
export type Kind = 'object' | 'page'
export type Read = { readonly what: string; readonly kind: Kind; readonly target: Target }

/** Not measured, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'get-an-archive': 'it streams what git packs',
  'list-admin-lockouts': 'it is for admins of the server',
}

/** Pages of thirty that go on by a cursor, not by a number; and what is one object, but of thirty and more commits or files. */
const others: ReadonlySet<string> = new Set([
  'get-the-audit-log-for-an-organization',
  'compare-two-commits',
  'get-a-tree',
])

/** What stands in an address, where it is not the usual. */
function paramsOf(id: string, path: string, { shas, accountId, numbers }: World): Record<string, string> {
  const own: Record<string, Record<string, string>> = {
    'get-a-commit': { '*': shas.commit },
    'compare-two-commits': { '*': `of-file-10...${shas.commit}` },
    'get-a-branch': { '*': 'of-file-7' },
    'get-repository-content': { '*': 'README.md' },
    'get-a-raw-file': { '*': 'README.md' },
    'get-a-repository-readme-for-a-directory': { '*': '' },
    'get-a-reference': { '*': 'heads/main' },
    'list-matching-references': { '*': 'heads/of-' },
    'get-a-reference-or-those-below': { '*': 'heads/main' },
    'download-a-repository-archive-tar': { '*': 'main' },
    'download-a-repository-archive-zip': { '*': 'main' },
    'get-a-release-by-tag-name': { '*': 'v-file-1' },
    'check-if-a-person-is-followed-by-the-authenticated-user': { username: 'user-1' },
    'check-if-a-user-follows-another-user': { username: 'bob', target_user: 'ann' },
    'list-labels-for-an-issue': { issue_number: numbers.labelled! },
    'list-watchers': { repo: 'repo-2' },
    'get-a-repository-subscription': { repo: 'repo-2' },
    'check-if-a-user-is-a-repository-collaborator': { username: 'ann' },
    'check-team-permissions-for-a-repository': { owner: 'org-1', repo: 'tool-1' },
  }
  return {
    owner: 'ann',
    repo: 'repo-1',
    org: 'org-1',
    username: 'user-1',
    team_slug: 'crew',
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
  '/search/code': 'name+repo:ann/repo-1',
}

function hostingReads(world: World): Read[] {
  const { url, token } = world.ann
  const chosen = routes.filter(
    ({ method, id, door }) => method === 'GET' && !(id in leftOut) && door.kind !== 'site-admin',
  )
  return chosen.map(({ path, id, pageSize }) => {
    const params = paramsOf(id, path, world)
    const plain = path.replace(/:(\w+)/g, (_, name) => params[name] ?? '1').replace('*', params['*'] ?? '')
    const words = [
      ...(path.startsWith('/search/') ? [`q=${searched[path] ?? 'words'}`] : []),
      ...(pageSize && pageSize.usual !== 30 ? ['per_page=30'] : []),
    ]
    const address = words.length > 0 ? `${plain}?${words.join('&')}` : plain
    return {
      what: `GET ${path}`,
      kind: pageSize || others.has(id) ? 'page' : 'object',
      target: { url: url + address, headers: { authorization: `Bearer ${token}` } },
    }
  })
}

function judgeReads({ ann: { url, token }, accountId, problem, testCase, submission }: World): Read[] {
  const page = { Offset: 0, Limit: 30 }
  const calls: [string, object, Kind][] = [
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
  return calls.map(([method, params, kind]) => ({
    what: method,
    kind,
    target: {
      url: `${url}/`,
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

export const allReads = (world: World): Read[] => [...hostingReads(world), ...judgeReads(world), ...datasetReads(world)]
