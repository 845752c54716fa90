/** Shots at the forge: every route with right, fitting and odd words in its address, its query and its body. */

import type { Route } from '../../src/api/forge-rest/route.ts'
import { routes } from '../support/forge-routes.ts'
import { drawCredential } from './credentials.ts'
import type { Random } from './random.ts'
import { drawEncoding, drawHeaders, type RequestParts } from './shot.ts'
import { drawBody, drawOddWord, drawQuery, type Schema } from './values.ts'
import type { World } from './world.ts'

const queryNames = [
  'page',
  'per_page',
  'sha',
  'ref',
  'path',
  'since',
  'until',
  'author',
  'committer',
  'sort',
  'direction',
  'type',
  'role',
  'filter',
  'affiliation',
  'visibility',
  'recursive',
  'anon',
  'protected',
]
const rightQueries = {
  page: ['1', '2'],
  per_page: ['1', '100'],
  sha: ['main', 'feature/one'],
  ref: ['main', 'v1.0'],
  path: ['docs', 'README.md'],
  author: ['ann', 'ann@example.org'],
  since: ['2020-01-01T00:00:00Z'],
  recursive: ['1'],
}

/** What would take the world away where all of it is right; these have one wrong word at least. */
const endings = new Set(['delete-a-repository', 'delete-an-organization', 'suspend-a-user', 'revoke-a-token'])

/** Words for an address: what is read is the world itself, what is changed is what was made to be changed. */
function rightWords(route: Route, { shas, accountId }: World): Record<string, readonly string[]> {
  const isRead = route.method === 'GET'
  const refs = ['main', 'heads/main', 'tags/v1.0', 'feature/one', shas.commit, shas.commit.slice(0, 8)]
  const paths = ['README.md', 'docs', 'docs/c.txt', 'large.bin', `${shas.commit}...main`, 'main..feature/one', 'v1.0']
  return {
    owner: isRead ? ['ann', 'acme', 'ANN'] : ['ann'],
    repo: isRead ? ['open', 'hidden', 'tool', 'open.git'] : ['spare'],
    org: isRead ? ['acme'] : ['spareorg'],
    team_slug: ['crew'],
    username: isRead ? ['ann', 'cid', 'admin'] : ['spare'],
    account_id: [String(accountId)],
    repository_id: ['1', '2', '3'],
    ref: refs,
    file: [`${shas.commit}.tar.gz`, `${shas.commit}.zip`, 'x.tar'],
    commit_sha: [shas.commit],
    tree_sha: [shas.tree, shas.commit, 'main'],
    file_sha: [shas.blob, shas.large],
    tag_sha: [shas.tag],
    '*': [...refs, ...paths],
  }
}

const rightMembers = {
  name: '"made"',
  login: '"made"',
  admin: '"ann"',
  maintainers: '["cid"]',
  repo_names: '["spareorg/tool"]',
  kind: '"classic"',
  scopes: '["repo"]',
}

export function drawForge(random: Random, world: World): RequestParts {
  const route = random.pick(routes)
  const right = rightWords(route, world)
  const names = [...route.path.matchAll(/:(\w+)|\*/g)].map(([word, name]) => name ?? word)
  const wrong = endings.has(route.id) ? random.pick(names) : undefined
  const path = route.path.replace(/:(\w+)|\*/g, (word, name) => {
    const words = right[name ?? word]
    const isRight = words !== undefined && wrong !== (name ?? word) && random.isChance(0.75)
    return isRight ? random.pick(words) : drawOddWord(random)
  })
  const prefix = random.pick(['', '', '', '/api/v3'])
  const text = route.body && drawBody(random, route.body as Schema, rightMembers)
  const { body, headers } = drawEncoding(random, text ?? (random.isChance(0.05) ? '{"a":1}' : undefined))
  return {
    method: random.isChance(0.92) ? route.method : random.pick(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE']),
    path: prefix + path + drawQuery(random, queryNames, rightQueries),
    headers: [...drawCredential(random, world.credentials, ['admin', 'ann']), ...headers, ...drawHeaders(random)],
    body,
    isChunked: random.isChance(0.1),
  }
}
