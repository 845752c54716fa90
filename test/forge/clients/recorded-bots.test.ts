/**
 * What large bots from npm ask, in the order in which they asked it when they were run by hand: Renovate 44, Release
 * Please 17, and semantic-release 25 with `@semantic-release/github` 12. They are too heavy to be installed for a test.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

const encode = (text: string) => Buffer.from(text).toString('base64')

describe('what large bots ask', () => {
  let server: TestServer
  let world: World
  const at = (path: string) => `/api/v3/repos/ann/open${path}`
  const must = async (answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> => {
    const { status, body, text } = await answer
    assert.ok(status < 300, text)
    return body
  }
  async function ask(query: string, more: object = {}): Promise<Json> {
    const variables = { owner: 'ann', repo: 'open', name: 'open', ...more }
    const { data, errors } = await must(world.ann.post('/api/graphql', { query, variables }))
    assert.deepEqual(errors, undefined)
    return data.repository
  }
  /** A branch with a commit for each file, through the interface. */
  async function branch(name: string, files: readonly string[]): Promise<string> {
    const { object } = await must(world.ann.get(at('/git/ref/heads/main')))
    await must(world.ann.post(at('/git/refs'), { ref: `refs/heads/${name}`, sha: object.sha }))
    let sha = object.sha
    for (const file of files) {
      const draft = { message: `fix: ${file}`, content: encode(file), branch: name }
      sha = (await must(world.ann.put(at(`/contents/${file}`), draft))).commit.sha
    }
    return sha
  }

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
    await must(world.ann.post(at('/issues'), { title: 'A leak' }))
  })
  after(() => server.stop())

  test('Renovate: reads a repository, opens a pull, looks after it, and keeps a dashboard', async () => {
    const { ann } = world
    assert.equal((await ann.ask('HEAD', '/api/v3/')).status, 200)
    assert.equal((await must(ann.get('/api/v3/user'))).login, 'ann')
    const facts = await ask(
      `query($owner: String!, $name: String!, $user: String) { repository(owner: $owner, name: $name) {
        id sshUrl isFork parent { nameWithOwner } isArchived nameWithOwner hasIssuesEnabled hasVulnerabilityAlertsEnabled
        autoMergeAllowed mergeCommitAllowed rebaseMergeAllowed squashMergeAllowed mergeQueue { id }
        defaultBranchRef { name target { oid } }
        issues(orderBy: { field: UPDATED_AT, direction: DESC }, filterBy: { createdBy: $user }, first: 5) {
          nodes { number state title body updatedAt } } } }`,
      { user: 'ann' },
    )
    assert.deepEqual([facts.nameWithOwner, facts.mergeQueue, facts.issues.nodes.length], ['ann/open', null, 1])
    const list = at('/pulls?per_page=100&state=all&sort=updated&direction=desc&page=1')
    assert.deepEqual(await must(ann.get(list)), [])

    const name = 'renovate/tiles-3.x'
    const head = await branch(name, ['tiles.txt'])
    const draft = { title: 'fix(deps): update tiles to v3', head: `ann:${name}`, base: 'main', body: 'Tiles.' }
    const pull = await must(ann.post(at('/pulls'), { ...draft, draft: false }))
    await must(ann.post(at(`/issues/${pull.number}/labels`), ['deps']))
    const status = await ann.get(at(`/commits/${name}/status`))
    assert.deepEqual([status.status, status.body.sha], [200, head])
    const checks = await ann.get(at(`/commits/${name}/check-runs?per_page=100`))
    assert.deepEqual([checks.status, checks.body.total_count], [200, 0])
    const again = await ann.get(at(`/commits/${name}/status`), { 'if-none-match': status.headers.get('etag')! })
    assert.equal(again.status, 304)
    const state = { state: 'pending', context: 'renovate/stability-days', description: 'Waits' }
    await must(ann.post(at(`/statuses/${head}`), state))
    assert.equal((await must(ann.get(at(`/commits/${name}/statuses`))))[0].context, 'renovate/stability-days')
    assert.equal((await ann.get(at(`/branches/${name}/protection`))).status, 404)
    await must(ann.patch(at(`/pulls/${pull.number}`), { title: 'fix(deps): update tiles', body: 'Tiles!' }))
    await must(ann.put(at(`/pulls/${pull.number}/merge`), { merge_method: 'squash' }))
    await must(ann.delete(at(`/git/refs/heads/${name}`)))

    const dashboard = await must(
      ann.post(at('/issues'), { title: 'Dependency Dashboard', body: 'Updates', labels: [] }),
    )
    await must(ann.patch(at(`/issues/${dashboard.number}`), { body: 'None', state: 'open' }))
  })

  test('an address of a branch with a slash, left as it is, means the branch', async () => {
    const { ann } = world
    const sha = await branch('feature/a/b', ['ab.txt'])
    for (const prefix of ['/repos/ann/open', '/api/v3/repos/ann/open']) {
      for (const end of ['status', 'statuses', 'check-runs?per_page=1', 'check-suites'])
        assert.equal((await ann.get(`${prefix}/commits/feature/a/b/${end}`)).status, 200, end)
      assert.equal((await ann.get(`${prefix}/commits/feature/a/b`)).body.sha, sha)
      assert.equal((await ann.get(`${prefix}/branches/feature/a/b`)).body.name, 'feature/a/b')
    }
    const { id } = await must(ann.get(at('')))
    assert.equal((await ann.get(`/repositories/${id}/commits/feature/a/b/status`)).status, 200)
    const rules = { required_status_checks: null, enforce_admins: true, restrictions: null }
    const place = at('/branches/feature/a/b/protection')
    await must(ann.put(place, { ...rules, required_pull_request_reviews: null }))
    assert.equal((await must(ann.get(`${place}/enforce_admins`))).enabled, true)
    assert.equal((await ann.delete(place)).status, 204)
    await must(ann.post(at('/branches/feature/a/b/rename'), { new_name: 'feature/c' }))
    assert.equal((await ann.get(at('/commits/feature/a/b/status'))).status, 422)
  })

  test('Release Please: finds what was merged since the last release, and opens a pull for the next one', async () => {
    const { ann } = world
    const head = await branch('leak', ['slate.txt', 'gutter.txt'])
    const pull = await must(
      ann.post(at('/pulls'), { title: 'fix: a leak', head: 'leak', base: 'main', body: 'Closes #1' }),
    )
    await must(ann.put(at(`/pulls/${pull.number}/merge`), { merge_method: 'merge' }))
    const { ref } = await ask(
      `query pullRequestsSince($owner: String!, $repo: String!, $num: Int!, $maxFilesChanged: Int, $targetBranch: String!, $cursor: String) {
        repository(owner: $owner, name: $repo) { ref(qualifiedName: $targetBranch) { target { ... on Commit {
          history(first: $num, after: $cursor) {
            nodes { associatedPullRequests(first: 10) { nodes { number title baseRefName headRefName
                labels(first: 10) { nodes { name } } body mergeCommit { oid }
                files(first: $maxFilesChanged) { nodes { path } pageInfo { endCursor hasNextPage } } } }
              sha: oid message author { name email user { login } } }
            pageInfo { hasNextPage endCursor } } } } } } }`,
      { num: 3, targetBranch: 'main', maxFilesChanged: 100 },
    )
    const { nodes } = ref.target.history
    assert.deepEqual(
      nodes.map((one: Json) => one.associatedPullRequests.nodes.map(({ number }: Json) => number)),
      [[pull.number], [pull.number], [pull.number]],
    )
    assert.equal(nodes[1].sha, head)
    assert.equal(nodes[0].associatedPullRequests.nodes[0].mergeCommit.oid, nodes[0].sha)
    await must(ann.post(at('/releases'), { tag_name: 'v1.0', name: 'One' }))
    const { releases } = await ask(
      `query releases($owner: String!, $repo: String!, $num: Int!, $cursor: String) {
        repository(owner: $owner, name: $repo) {
          releases(first: $num, after: $cursor, orderBy: {field: CREATED_AT, direction: DESC}) {
            nodes { name tag { name } tagCommit { oid } url description isDraft }
            pageInfo { endCursor hasNextPage } } } }`,
      { num: 25 },
    )
    assert.deepEqual(
      releases.nodes.map((one: Json) => [one.tag.name, one.tagCommit.oid]),
      [['v1.0', world.shas.commit]],
    )
    const { commit } = await must(ann.get(at('/branches/main')))
    const name = 'release-please--branches--main'
    const missing = await ann.get(at(`/git/ref/${encodeURIComponent(`heads/${name}`)}`))
    assert.equal(missing.status, 404)
    await must(ann.post(at('/git/refs'), { ref: `refs/heads/${name}`, sha: commit.sha }))
    const { tree } = await must(ann.get(at(`/git/commits/${commit.sha}`)))
    const entry = { path: 'CHANGELOG.md', mode: '100644', type: 'blob', content: '# 1.0.1\n' }
    const { sha: changed } = await must(ann.post(at('/git/trees'), { tree: [entry], base_tree: tree.sha }))
    const made = { message: 'chore(main): release 1.0.1', tree: changed, parents: [commit.sha] }
    const { sha } = await must(ann.post(at('/git/commits'), made))
    await must(ann.patch(at(`/git/refs/${encodeURIComponent(`heads/${name}`)}`), { sha, force: true }))
    assert.deepEqual(await must(ann.get(at(`/pulls?head=${encodeURIComponent(`ann:${name}`)}`))), [])
    const draft = { title: made.message, head: `ann:${name}`, base: 'main', body: '# 1.0.1', draft: false }
    const { number } = await must(ann.post(at('/pulls'), { ...draft, maintainer_can_modify: true }))
    await must(ann.post(at(`/issues/${number}/labels`), { labels: ['autorelease: pending'] }))
    await must(ann.put(at(`/pulls/${number}/merge`), { merge_method: 'squash' }))
    await must(ann.post(at('/releases'), { tag_name: 'v1.0.1', target_commitish: sha, name: 'v1.0.1', draft: true }))
    await must(ann.delete(at(`/issues/${number}/labels/${encodeURIComponent('autorelease: pending')}`)))
  })

  test('semantic-release: publishes a release, and tells its pulls and issues', async () => {
    const { ann } = world
    const release = await must(ann.post(at('/releases'), { tag_name: 'v2.0.0', target_commitish: 'main', draft: true }))
    const files = `/api/uploads/repos/ann/open/releases/${release.id}/assets?name=a.txt&`
    assert.equal((await ann.ask('POST', files, 'a', { 'content-type': 'text/plain' })).status, 201)
    await must(ann.patch(at(`/releases/${release.id}`), { draft: false, make_latest: 'true' }))
    const { sha } = await must(ann.get(at('/commits/leak')))
    const fields = `__typename id title body url number createdAt updatedAt closedAt comments { totalCount } state
      author { login url avatarUrl __typename } authorAssociation activeLockReason
      labels(first: 40) { nodes { id url name color description isDefault } }
      milestone { url id number state title description creator { login url avatarUrl } createdAt closedAt updatedAt } locked`
    const ofPull = `mergeable changedFiles mergedAt isDraft mergedBy { login avatarUrl url } commits { totalCount }`
    const found = await ask(
      `query getAssociatedPRs($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) {
        commit${sha.slice(0, 7)}: object(oid: "${sha}") { ...on Commit { oid associatedPullRequests(first: 100) {
          pageInfo { endCursor hasNextPage } nodes { ${fields} ${ofPull} } } } } } }`,
    )
    const [pull] = found[`commit${sha.slice(0, 7)}`].associatedPullRequests.nodes
    assert.deepEqual([pull.state, pull.commits.totalCount, pull.changedFiles], ['MERGED', 2, 2])
    const { issue1 } = await ask(
      `query getRelatedIssues($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) {
        issue1: issueOrPullRequest(number: 1) { ... on Issue { ${fields} } ... on PullRequest { ${fields} ${ofPull} } } } }`,
    )
    assert.deepEqual([issue1.__typename, issue1.state], ['Issue', 'CLOSED'])
    await must(ann.post(at(`/issues/${pull.number}/comments`), { body: 'Included in 2.0.0' }))
    await must(ann.post(at(`/issues/${pull.number}/labels`), ['released']))
    const { issues } = await ask(
      `query getSRIssues($owner: String!, $repo: String!, $filter: IssueFilters) {
        repository(owner: $owner, name: $repo) {
          issues(first: 100, states: OPEN, filterBy: $filter) { nodes { number title body } } } }`,
      { filter: { labels: ['semantic-release', 'semantic-release'] } },
    )
    assert.deepEqual(issues.nodes, [])
  })
})
