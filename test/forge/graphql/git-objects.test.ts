/** What release bots and page builders ask over GraphQL of git: objects by expressions, histories, the pulls of a commit, branches and tags. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

describe('GraphQL over git', () => {
  let server: TestServer
  let world: World
  let merged: string
  let number: number
  const read = async (inner: string, variables: object = {}): Promise<Json> => {
    const types: Record<string, string> = { sha: 'GitObjectID', text: 'String' }
    const declared = Object.keys(variables).map((name) => `$${name}: ${types[name]}`)
    const query = `query ${declared.length > 0 ? `(${declared})` : ''} { repository(owner: "ann", name: "open") { ${inner} } }`
    const { status, body } = await world.ann.post('/graphql', { query, variables })
    assert.deepEqual([status, body.errors], [200, undefined])
    return body.data.repository
  }

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
    const { ann } = world
    await ann.put('/repos/ann/open/contents/new.txt', { message: 'Add', content: 'aGk=', branch: 'feature/one' })
    const draft = { title: 'A pull', head: 'feature/one', base: 'main' }
    number = (await ann.post('/repos/ann/open/pulls', draft)).body.number
    merged = (await ann.put(`/repos/ann/open/pulls/${number}/merge`, { merge_method: 'squash' })).body.sha
    await ann.post('/repos/ann/open/releases', { tag_name: 'v1.0', name: 'One' })
  })
  after(() => server.stop())

  const named: [string, Json][] = [
    ['HEAD', { __typename: 'Commit' }],
    ['main', { __typename: 'Commit' }],
    ['refs/heads/main', { __typename: 'Commit' }],
    ['v1.0', { __typename: 'Commit' }],
    ['HEAD:README.md', { __typename: 'Blob', text: '# Hello\n', byteSize: 8, isBinary: false, isTruncated: false }],
    ['v1.0:docs', { __typename: 'Tree', entries: [{ name: 'c.txt', type: 'blob', path: 'c.txt' }] }],
    ['main:', { __typename: 'Tree' }],
    ['main:none', null],
    ['none', null],
    ['main\nHEAD:README.md', null],
  ]
  for (const [expression, expected] of named)
    test(`the object ${JSON.stringify(expression)}`, async () => {
      const { object } = await read(
        'object(expression: $text) { __typename ... on Blob { text byteSize isBinary isTruncated } ... on Tree { entries { name type path } } }',
        { text: expression },
      )
      const shown = expected && Object.fromEntries(Object.keys(expected).map((key) => [key, object?.[key]]))
      assert.deepEqual(expected ? shown : object, expected)
    })

  test('a commit by its name, with its address, parents, folder and the pull that brought it', async () => {
    const { object } = await read(
      'object(oid: $sha) { ... on Commit { oid commitUrl parents(first: 5) { totalCount nodes { oid } } tree { entries { name } } associatedPullRequests(first: 10) { nodes { number url labels(first: 5) { nodes { name } } mergeCommit { oid } } } } }',
      { sha: merged },
    )
    assert.equal(object.commitUrl, `${server.url}/ann/open/commit/${merged}`)
    assert.deepEqual(object.parents.nodes, [{ oid: world.shas.commit }])
    assert.ok(object.tree.entries.some(({ name }: Json) => name === 'new.txt'))
    assert.deepEqual(
      object.associatedPullRequests.nodes.map((one: Json) => [one.number, one.mergeCommit.oid]),
      [[number, merged]],
    )
  })

  test('a tag’s own object, with who made it and what it is of', async () => {
    const { object } = await read('object(oid: $sha) { __typename ... on Tag { name message target { oid } } }', {
      sha: world.shas.tag,
    })
    assert.deepEqual(object, {
      __typename: 'Tag',
      name: 'v1.0',
      message: 'The first release',
      target: { oid: world.shas.commit },
    })
  })

  test('the history of a branch, newest first, page by page, by path and time', async () => {
    const history = async (args: string) => {
      const { ref } = await read(
        `ref(qualifiedName: "main") { target { ... on Commit { history(${args}) { totalCount pageInfo { hasNextPage endCursor } nodes { messageHeadline } } } } }`,
      )
      return ref.target.history
    }
    const first = await history('first: 1')
    assert.deepEqual([first.totalCount, first.pageInfo.hasNextPage], [3, true])
    const rest = await history(`first: 5, after: "${first.pageInfo.endCursor}"`)
    assert.deepEqual(
      rest.nodes.map((one: Json) => one.messageHeadline),
      ['Second', 'First'],
    )
    assert.equal((await history('first: 5, path: "main.ts"')).totalCount, 2)
    assert.equal((await history('first: 5, until: "2000-01-01T00:00:00Z"')).totalCount, 0)
    assert.equal((await history('first: 5, author: {emails: ["nobody@example.org"]}')).totalCount, 0)
  })

  test('branches, tags, the pulls of a branch, and what a release is of', async () => {
    const found = await read(
      `heads: refs(refPrefix: "refs/heads/", first: 10) { nodes { name associatedPullRequests(first: 5, states: [MERGED]) { nodes { number } } } }
       tags: refs(refPrefix: "refs/tags/", first: 10, query: "v1") { totalCount nodes { name target { oid } } }
       releases(first: 5) { nodes { tag { name } tagCommit { oid } } }
       hasVulnerabilityAlertsEnabled projectsV2(first: 5) { totalCount }
       pullRequest(number: ${number}) { projectItems(first: 5) { totalCount nodes { project { title } } } }`,
    )
    assert.deepEqual(found.heads.nodes, [
      { name: 'feature/one', associatedPullRequests: { nodes: [{ number }] } },
      { name: 'main', associatedPullRequests: { nodes: [] } },
    ])
    assert.deepEqual(found.tags.nodes, [{ name: 'v1.0', target: { oid: world.shas.tag } }])
    assert.deepEqual(found.releases.nodes, [{ tag: { name: 'v1.0' }, tagCommit: { oid: world.shas.commit } }])
    assert.deepEqual([found.hasVulnerabilityAlertsEnabled, found.projectsV2.totalCount], [false, 0])
    assert.equal(found.pullRequest.projectItems.totalCount, 0)
  })

  test('the rules of a branch say whether this person may push to it', async () => {
    const rule = `ref(qualifiedName: "refs/heads/main") { refUpdateRule {
      pattern requiredApprovingReviewCount requiredStatusCheckContexts requiresLinearHistory viewerCanPush } }`
    assert.equal((await read(rule)).ref.refUpdateRule, null)
    const protect = (change: object) =>
      world.ann.put('/repos/ann/open/branches/main/protection', {
        ...{ required_status_checks: null, enforce_admins: true, restrictions: null },
        ...{ required_pull_request_reviews: null, ...change },
      })
    const rules = async () => (await read(rule)).ref.refUpdateRule
    const usual = { pattern: 'main', requiredApprovingReviewCount: null, requiredStatusCheckContexts: [] }
    await protect({ required_linear_history: true })
    assert.deepEqual(await rules(), { ...usual, requiresLinearHistory: true, viewerCanPush: true })
    const reviews = { required_pull_request_reviews: { required_approving_review_count: 2 } }
    const reviewed = { ...usual, requiredApprovingReviewCount: 2, requiresLinearHistory: false }
    await protect(reviews)
    assert.deepEqual(await rules(), { ...reviewed, viewerCanPush: false })
    await protect({ ...reviews, enforce_admins: false })
    assert.deepEqual(await rules(), { ...reviewed, viewerCanPush: true })
    await protect({ required_status_checks: { strict: false, contexts: ['build'] } })
    assert.equal((await rules()).viewerCanPush, false)
    const asked = { query: `{ repository(owner: "ann", name: "open") { ${rule} } }` }
    assert.equal((await world.bob.post('/graphql', asked)).body.data.repository.ref.refUpdateRule.viewerCanPush, false)
    await world.ann.delete('/repos/ann/open/branches/main/protection')
  })

  test('teams are told to members, and code to tokens that may read it', async () => {
    const teams = '{ organization(login: "acme") { teams(first: 5) { nodes { slug } } } }'
    const mine = await world.cid.post('/graphql', { query: teams })
    assert.deepEqual(
      mine.body.data?.organization?.teams.nodes.map(({ slug }: Json) => slug),
      ['crew', 'night-shift'],
    )
    const { body } = await world.bob.post('/graphql', { query: teams })
    assert.equal(body.errors[0].type, 'FORBIDDEN')
    const draft = { kind: 'fine-grained', repositories: ['ann/hidden'], permissions: { issues: 'read' } }
    const forIssues = makeRest(server.url, await makeToken(server, 'ann', draft))
    const code = '{ repository(owner: "ann", name: "hidden") { object(expression: "HEAD:README.md") { oid } } }'
    assert.equal((await forIssues.post('/graphql', { query: code })).body.errors[0].type, 'FORBIDDEN')
  })
})
