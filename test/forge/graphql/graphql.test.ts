/** GraphQL’s queries, asked by the published client: what it answers, to whom, and what it refuses in which shape. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type GraphqlResponseError, graphql as published } from '@octokit/graphql'
import { makeRest, makeToken, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { installApp, mintToken, registerApp } from '../apps/app-world.ts'
import { makeWorld, type World } from '../world.ts'

describe('GraphQL', () => {
  /** Each look at it may take a while. */
  let [offset, step] = [0, 0]
  const clock = {
    now() {
      offset += step
      return Date.now() + offset
    },
  }
  let server: TestServer
  let world: World
  let pull: Json
  let issue: Json
  let comment: Json
  const nobody = () => makeRest(server.url)
  const ask = async (client: RestClient, query: string, variables: object = {}, path = '/graphql') =>
    client.post(path, { query, variables })
  /** The data, where there are no errors. */
  const read = async (client: RestClient, query: string, variables: object = {}): Promise<Json> => {
    const { status, body } = await ask(client, query, variables)
    assert.deepEqual([status, body.errors], [200, undefined])
    return body.data
  }
  const typesOf = (body: Json) => body.errors.map(({ type, path }: Json) => [type, path?.join('.')])
  const client = async (login: string, draft: object) => makeRest(server.url, await makeToken(server, login, draft))

  before(async () => {
    server = await startServer('sqlite', { clock, environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
    const { ann, bob } = world
    issue = (
      await ann.post('/repos/ann/open/issues', { title: 'One', body: 'Words', labels: ['bug'], assignees: ['ann'] })
    ).body
    for (let i = 2; i <= 5; i++) await ann.post('/repos/ann/open/issues', { title: `Issue ${i}` })
    await ann.patch('/repos/ann/open/issues/5', { state: 'closed', state_reason: 'not_planned' })
    comment = (await bob.post('/repos/ann/open/issues/1/comments', { body: 'First' })).body
    await ann.post('/repos/ann/open/issues/1/comments', { body: 'Second' })
    await ann.post(`/repos/ann/open/issues/comments/${comment.id}/reactions`, { content: 'rocket' })
    await ann.post('/repos/ann/open/milestones', { title: 'Soon' })
    await ann.patch('/repos/ann/open/issues/1', { milestone: 1 })
    await ann.put('/repos/ann/open/contents/new.txt', {
      message: 'Add a file',
      content: 'aGk=',
      branch: 'feature/one',
    })
    pull = (await ann.post('/repos/ann/open/pulls', { title: 'A pull', head: 'feature/one', base: 'main' })).body
    await bob.post(`/repos/ann/open/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Fine' })
    await ann.post(`/repos/ann/open/statuses/${pull.head.sha}`, { state: 'success', context: 'build' })
    await ann.post('/repos/ann/hidden/issues', { title: 'Hidden' })
  })
  after(() => server.stop())

  test('the published client asks at both addresses, and is told errors as it knows them', async () => {
    for (const baseUrl of [server.url, `${server.url}/api/v3`]) {
      const asked = published.defaults({ baseUrl, headers: { authorization: `token ${world.ann.token}` } })
      const { viewer } = await asked<Json>('query { viewer { login isViewer } }')
      assert.deepEqual(viewer, { login: 'ann', isViewer: true })
      const error = await asked('{ viewer { login } repository(owner: "ann", name: "none") { id } }').then(
        () => assert.fail('it was resolved'),
        (thrown: GraphqlResponseError<Json>) => thrown,
      )
      assert.equal(error.name, 'GraphqlResponseError')
      assert.deepEqual(error.data, { viewer: { login: 'ann' }, repository: null })
      assert.deepEqual(error.errors?.[0]?.type, 'NOT_FOUND')
      assert.match(error.message, /Could not resolve to a Repository with the name 'ann\/none'/)
    }
  })

  test('a repository with its owner, branch, topics and lists', async () => {
    const { repository } = await read(
      world.ann,
      `{ repository(owner: "ANN", name: "Open") {
        nameWithOwner isPrivate visibility viewerPermission viewerCanAdminister description url isEmpty
        owner { __typename login } defaultBranchRef { name prefix target { oid ... on Commit { messageHeadline } } }
        issues(states: OPEN) { totalCount } pullRequests(states: [OPEN]) { totalCount } watchers { totalCount }
        labels(first: 2) { totalCount nodes { name } pageInfo { hasNextPage endCursor } }
        milestones(first: 5, states: [OPEN]) { nodes { title progressPercentage } }
        ref(qualifiedName: "refs/tags/v1.0") { name } gone: ref(qualifiedName: "nope") { name }
        viewerSubscription viewerHasStarred assignableUsers(first: 10) { nodes { login } } } }`,
    )
    assert.deepEqual(repository.owner, { __typename: 'User', login: 'ann' })
    assert.equal(repository.nameWithOwner, 'ann/open')
    assert.equal(repository.url, `${server.url}/ann/open`)
    assert.deepEqual(repository.defaultBranchRef, {
      name: 'main',
      prefix: 'refs/heads/',
      target: { oid: world.shas.commit, messageHeadline: 'Second' },
    })
    assert.deepEqual(
      [repository.viewerPermission, repository.isEmpty, repository.viewerSubscription, repository.viewerHasStarred],
      ['ADMIN', false, 'SUBSCRIBED', false],
    )
    assert.deepEqual([repository.issues.totalCount, repository.pullRequests.totalCount], [4, 1])
    assert.deepEqual([repository.ref, repository.gone], [{ name: 'v1.0' }, null])
    assert.deepEqual(repository.labels.nodes.length, 2)
    assert.equal(repository.labels.pageInfo.hasNextPage, true)
  })

  test('an issue with all that gh shows of it', async () => {
    const { repository } = await read(
      world.ann,
      `query($n: Int!) { repository(owner: "ann", name: "open") { issue: issueOrPullRequest(number: $n) { __typename
        ... on Issue { id number state stateReason title body author { login ... on User { id name } }
          assignees(first: 100) { nodes { login } totalCount } labels(first: 100) { nodes { id name color } totalCount }
          milestone { number title dueOn } projectCards(first: 100) { nodes { project { name } column { name } } totalCount }
          reactionGroups { content users { totalCount } }
          last: comments(last: 1) { nodes { body } totalCount }
          comments(first: 100) { nodes { id body author { login } viewerDidAuthor reactionGroups { content users { totalCount } } url } } } } } }`,
      { n: 1 },
    )
    const found = repository.issue
    assert.equal(found.id, issue.node_id)
    assert.deepEqual([found.__typename, found.state, found.stateReason, found.body], ['Issue', 'OPEN', null, 'Words'])
    assert.deepEqual(found.labels.nodes[0].id, issue.labels[0].node_id)
    assert.deepEqual([found.milestone.title, found.projectCards.totalCount], ['Soon', 0])
    assert.deepEqual(found.last, { nodes: [{ body: 'Second' }], totalCount: 2 })
    assert.deepEqual(
      found.comments.nodes.map((one: Json) => [one.id, one.body, one.author.login, one.viewerDidAuthor]),
      [
        [comment.node_id, 'First', 'bob', false],
        [found.comments.nodes[1].id, 'Second', 'ann', true],
      ],
    )
    const rocket = found.comments.nodes[0].reactionGroups.find(({ content }: Json) => content === 'ROCKET')
    assert.equal(rocket.users.totalCount, 1)
  })

  test('a pull with what git, its reviews and its statuses say of it', async () => {
    const { repository } = await read(
      world.ann,
      `{ repository(owner: "ann", name: "open") { pullRequest(number: ${pull.number}) { id state isDraft mergeable
        mergeStateStatus baseRefName headRefName headRefOid isCrossRepository headRepositoryOwner { login } headRepository { name }
        additions deletions changedFiles commits(first: 10) { totalCount nodes { commit { oid messageHeadline authors(first: 5) { nodes { name } } } } }
        files(first: 5) { nodes { path additions changeType } } maintainerCanModify mergedBy { login }
        reviews(first: 5) { nodes { state body author { login } commit { oid } } totalCount } latestReviews(first: 5) { totalCount }
        reviewRequests(first: 5) { nodes { requestedReviewer { __typename ... on User { login } } } }
        statusCheckRollup: commits(last: 1) { nodes { commit { statusCheckRollup { state contexts(first: 100) {
          nodes { __typename ... on StatusContext { context state isRequired(pullRequestNumber: ${pull.number}) } ... on CheckRun { name } } pageInfo { hasNextPage } } } } } } } } }`,
    )
    const found = repository.pullRequest
    assert.deepEqual([found.id, found.state, found.mergeable], [pull.node_id, 'OPEN', 'MERGEABLE'])
    assert.deepEqual([found.additions, found.deletions, found.changedFiles, found.commits.totalCount], [1, 0, 1, 1])
    assert.deepEqual(found.files.nodes, [{ path: 'new.txt', additions: 1, changeType: 'ADDED' }])
    assert.deepEqual(
      [found.headRefName, found.headRepositoryOwner.login, found.isCrossRepository],
      ['feature/one', 'ann', false],
    )
    assert.deepEqual(
      found.reviews.nodes.map((one: Json) => [one.state, one.body, one.author.login, one.commit.oid]),
      [['COMMENTED', 'Fine', 'bob', pull.head.sha]],
    )
    const [{ commit }] = found.statusCheckRollup.nodes
    assert.equal(commit.statusCheckRollup.state, 'SUCCESS')
    assert.deepEqual(commit.statusCheckRollup.contexts.nodes, [
      { __typename: 'StatusContext', context: 'build', state: 'SUCCESS', isRequired: false },
    ])
  })

  test('connections go forward by first and after, backward by last and before, and tell where they are', async () => {
    const list = (args: string) =>
      read(
        world.ann,
        `{ repository(owner: "ann", name: "open") { issues(${args}) { totalCount nodes { number } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
      ).then(({ repository }) => repository.issues)
    const numbers = (found: Json) => found.nodes.map(({ number }: Json) => number)
    const one = await list('first: 2')
    assert.deepEqual([numbers(one), one.totalCount], [[1, 2], 5])
    assert.deepEqual([one.pageInfo.hasNextPage, one.pageInfo.hasPreviousPage], [true, false])
    const two = await list(`first: 2, after: "${one.pageInfo.endCursor}"`)
    assert.deepEqual([numbers(two), two.pageInfo.hasPreviousPage], [[3, 4], true])
    const rest = await list(`first: 100, after: "${two.pageInfo.endCursor}"`)
    assert.deepEqual([numbers(rest), rest.pageInfo.hasNextPage], [[5], false])
    const tail = await list('last: 2')
    assert.deepEqual([numbers(tail), tail.pageInfo.hasPreviousPage], [[4, 5], true])
    const before = await list(`last: 2, before: "${tail.pageInfo.startCursor}"`)
    assert.deepEqual(numbers(before), [2, 3])
    assert.deepEqual(numbers(await list('first: 10, states: [CLOSED]')), [5])
    assert.deepEqual(numbers(await list('first: 10, labels: ["bug", "nothing"]')), [1])
    assert.deepEqual(numbers(await list('first: 2, orderBy: {field: CREATED_AT, direction: DESC}')), [5, 4])
    assert.deepEqual(numbers(await list('first: 10, filterBy: {assignee: "ann"}')), [1])
  })

  test('what REST calls node_id is a node, and nothing else is', async () => {
    const { ann } = world
    const user = (await ann.get('/users/bob')).body
    const repository = (await ann.get('/repos/ann/open')).body
    const ids = [user, repository, issue, pull, comment, issue.labels[0]].map(({ node_id }) => node_id)
    const { nodes } = await read(ann, 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids })
    assert.deepEqual(
      nodes.map((node: Json) => [node.__typename, node.id]),
      ['User', 'Repository', 'Issue', 'PullRequest', 'IssueComment', 'Label'].map((type, i) => [type, ids[i]]),
    )
    const asIssue = Buffer.from(`Issue:${pull.id}`).toString('base64url')
    for (const id of ['nonsense', asIssue, `${issue.node_id}=`, Buffer.from('User:99999').toString('base64url')]) {
      const { body } = await ask(ann, 'query($id: ID!) { node(id: $id) { id } }', { id })
      assert.deepEqual([body.data, typesOf(body)], [{ node: null }, [['NOT_FOUND', 'node']]], id)
    }
  })

  test('searches find issues, pulls, repositories and people', async () => {
    const found = await read(
      world.ann,
      `{ issues: search(first: 25, type: ISSUE, query: "assignee:@me state:open archived:false") { issueCount nodes { __typename ... on Issue { number repository { nameWithOwner } } } }
        pulls: search(first: 5, type: ISSUE, query: "is:pr repo:ann/open") { issueCount nodes { ... on PullRequest { number headRefName } } }
        repos: search(first: 5, type: REPOSITORY, query: "open") { repositoryCount nodes { ... on Repository { name } } }
        people: search(first: 5, type: USER, query: "bob") { userCount edges { node { ... on User { login } } } } }`,
    )
    assert.deepEqual(found.issues.nodes, [
      { __typename: 'Issue', number: 1, repository: { nameWithOwner: 'ann/open' } },
    ])
    assert.deepEqual(found.pulls.nodes, [{ number: pull.number, headRefName: 'feature/one' }])
    assert.deepEqual([found.repos.repositoryCount, found.people.userCount], [1, 1])
    assert.deepEqual(found.people.edges[0].node.login, 'bob')
  })

  const hidden =
    '{ repository(owner: "ann", name: "hidden") { name issues(first: 5) { nodes { title } } pullRequests(first: 5) { totalCount } } }'
  const fine = (permissions: object) =>
    client('ann', { kind: 'fine-grained', repositories: ['ann/hidden'], permissions })
  const rights: [string, () => Promise<RestClient>, Json, unknown[]][] = [
    ['its owner', async () => world.ann, { issues: 1, pulls: 0 }, []],
    ['a stranger', async () => world.bob, null, [['NOT_FOUND', 'repository']]],
    [
      'a token without scope',
      () => client('ann', { kind: 'classic', scopes: [] }),
      null,
      [['NOT_FOUND', 'repository']],
    ],
    ['a token for all it takes', () => fine({ issues: 'read', pull_requests: 'read' }), { issues: 1, pulls: 0 }, []],
    ['a token for issues alone', () => fine({ issues: 'read' }), null, [['FORBIDDEN', 'repository.pullRequests']]],
    [
      'a token for another repository',
      () => client('ann', { kind: 'fine-grained', repositories: ['ann/open'], permissions: { issues: 'read' } }),
      null,
      [['NOT_FOUND', 'repository']],
    ],
    [
      'a workflow run of it',
      () =>
        client('ann', {
          kind: 'workflow',
          repositories: ['ann/hidden'],
          permissions: { issues: 'read', pull_requests: 'read' },
        }),
      { issues: 1, pulls: 0 },
      [],
    ],
  ]
  for (const [who, find, expected, errors] of rights)
    test(`of what is private ${who} sees what REST shows`, async () => {
      const { status, body } = await ask(await find(), hidden)
      const { repository } = body.data
      assert.equal(status, 200)
      assert.deepEqual(
        repository && { issues: repository.issues.nodes.length, pulls: repository.pullRequests.totalCount },
        expected,
      )
      assert.deepEqual(body.errors ? typesOf(body) : [], errors)
    })

  test('labels and milestones want a token that may read issues or pulls', async () => {
    const fields = ['labels(first: 1)', 'label(name: "bug")', 'milestones(first: 1)', 'milestone(number: 1)']
    for (const field of fields) {
      const query = `{ repository(owner: "ann", name: "hidden") { ${field} { __typename } } }`
      const { body } = await ask(await fine({ contents: 'read' }), query)
      assert.deepEqual(typesOf(body), [['FORBIDDEN', `repository.${field.replace(/\(.*/, '')}`]], field)
      assert.equal(
        (await ask(await fine({ pull_requests: 'read' }), query)).body.errors?.[0].type !== 'FORBIDDEN',
        true,
      )
    }
  })

  test('an installation sees its repositories, as its app', async () => {
    const app = await registerApp(world, world.ann)
    const token = await mintToken(app, await installApp(app, world.ann, 'ann', ['hidden']))
    const { viewer, repository } = await read(
      makeRest(server.url, token),
      '{ viewer { login __typename } repository(owner: "ann", name: "hidden") { issues(first: 1) { nodes { title } } } }',
    )
    assert.deepEqual(viewer, { login: `${app.body.slug}[bot]`, __typename: 'User' })
    assert.equal(repository.issues.nodes[0].title, 'Hidden')
  })

  test('who has not signed in is refused in the words of the whole interface', async () => {
    const without = await ask(nobody(), '{ viewer { login } }')
    assert.deepEqual([without.status, without.body.message], [401, 'Requires authentication'])
    const wrong = await ask(makeRest(server.url, 'gdp_000000000000000000000000000000000000'), '{ viewer { login } }')
    assert.deepEqual([wrong.status, wrong.body.message], [401, 'Bad credentials'])
    assert.equal((await world.ann.ask('POST', '/graphql', '{')).status, 400)
  })

  const many = (count: number, make: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => make(i)).join(' ')
  const deep = (levels: number) =>
    `{ viewer ${'{ repositories(first: 1) { nodes { owner '.repeat(levels)}{ login }${' } } }'.repeat(levels)} }`
  const inRepository = (inner: string) => `{ repository(owner: "ann", name: "open") { ${inner} } }`
  const refused: [string, Json, RegExp, string?][] = [
    ['no query', {}, /A query attribute must be specified/],
    ['too long a query', { query: `{ ${' '.repeat(1_100_000)} viewer { login } }` }, /query is longer than 1048576/],
    [
      'variables that are too long',
      { query: 'query($o: String!) { user(login: $o) { id } }', variables: { o: 'x'.repeat(200_000) } },
      /variables are longer than 131072/,
    ],
    [
      'variables that are too long, whatever a query calls their type',
      { query: 'query($o: Base64String!) { user(login: $o) { id } }', variables: { o: 'x'.repeat(200_000) } },
      /variables are longer than 131072/,
    ],
    [
      'variables of too many parts',
      { query: 'query($o: String!) { user(login: $o) { id } }', variables: { o: Array(60_000).fill(1) } },
      /too many parts/,
    ],
    ['a query that is none', { query: '{ viewer ' }, /Syntax Error/],
    ['an unknown field', { query: '{ viewer { shoeSize } }' }, /Field 'shoeSize' doesn't exist on type 'User'/],
    ['an unknown operation', { query: 'query A { viewer { login } }', operationName: 'B' }, /no operation named "B"/],
    [
      'two operations and no name',
      { query: 'query A { viewer { login } } query B { viewer { login } }' },
      /operation name is required/,
    ],
    ['a missing variable', { query: 'query($o: String!) { user(login: $o) { id } }' }, /\$o/],
    ['variables that are none', { query: '{ viewer { login } }', variables: [1] }, /variables must be an object/],
    [
      'a mutation that is not served',
      { query: 'mutation { createDiscussion(input: {}) { clientMutationId } }' },
      /^The mutation 'createDiscussion' is not served here\.$/,
    ],
    [
      'too many mutations',
      { query: `mutation { ${many(51, (i) => `a${i}: addStar(input: {starrableId: "x"}) { clientMutationId }`)} }` },
      /more than 50 mutations/,
    ],
    ['a subscription', { query: 'subscription { viewer { login } }' }, /subscription/i],
    [
      'a list without bounds',
      { query: inRepository('issues { nodes { id } }') },
      /provide a `first` or `last` value/,
      'MISSING_PAGINATION_BOUNDARIES',
    ],
    [
      'too long a page',
      { query: inRepository('issues(first: 101) { nodes { id } }') },
      /exceeds the `first` limit of 100/,
      'EXCESSIVE_PAGINATION',
    ],
    [
      'a page by a variable that is too long',
      { query: 'query($n: Int) { viewer { repositories(first: $n) { nodes { id } } } }', variables: { n: 1000 } },
      /exceeds/,
      'EXCESSIVE_PAGINATION',
    ],
    [
      'first and last at once',
      { query: inRepository('issues(first: 1, last: 1) { nodes { id } }') },
      /both `first` and `last`/,
    ],
    [
      'too many nodes',
      {
        query:
          '{ viewer { repositories(first: 100) { nodes { issues(first: 100) { nodes { comments(first: 51) { nodes { id } } } } } } } }',
      },
      /exceeds the maximum limit of 500000/,
      'MAX_NODE_LIMIT_EXCEEDED',
    ],
    [
      'nodes in an alias beside others',
      {
        query: `{ viewer { ${many(51, (i) => `a${i}: repositories(first: 100) { nodes { issues(first: 99) { nodes { id } } } }`)} } }`,
      },
      /exceeds/,
      'MAX_NODE_LIMIT_EXCEEDED',
    ],
    [
      'too many node ids',
      { query: 'query($i: [ID!]!) { nodes(ids: $i) { id } }', variables: { i: Array(101).fill('x') } },
      /more than 100 node ids/,
      'EXCESSIVE_PAGINATION',
    ],
    ['too deep a query', { query: deep(9) }, /nested deeper/],
    ['too many fields', { query: `{ viewer { ${many(2_001, () => 'login')} } }` }, /more than 2000 fields/],
    ['too many words', { query: `{ ${many(1_300, (i) => `a${i}: viewer { id }`)} }` }, /more that 5000 tokens/],
    [
      'fragments that unfold',
      {
        query: `query { viewer { ...f0 } } ${many(15, (i) => `fragment f${i} on User { ...f${i + 1} ...f${i + 1} }`)} fragment f15 on User { login }`,
      },
      /more than 2000 fields/,
    ],
    [
      'values within values',
      { query: `{ user(login: ${'['.repeat(2_000)}${']'.repeat(2_000)}) { id } }` },
      /brackets nested/,
    ],
    [
      'a time that is none',
      {
        query: `query($t: DateTime) { ${inRepository('issues(first: 1, filterBy: {since: $t}) { nodes { id } }').slice(1)}`,
        variables: { t: [[[1]]] },
      },
      /since must be a time/,
      'UNPROCESSABLE',
    ],
    ['one name for two fields', { query: '{ viewer { a: login a: name } }' }, /stands for two fields/],
    [
      'a fragment within itself',
      { query: 'query { viewer { ...a } } fragment a on User { ...b } fragment b on User { ...a }' },
      /Cannot spread fragment/,
    ],
    [
      'introspection that unfolds',
      {
        query: '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
      },
      /introspection depth/i,
    ],
    [
      'a cursor that is none',
      { query: inRepository('issues(first: 1, after: "x") { nodes { id } }') },
      /valid cursor/,
      'UNPROCESSABLE',
    ],
    [
      'too many searches',
      {
        query: `{ ${many(21, (i) => `s${i}: search(first: 1, type: USER, query: "a") { userCount nodes { __typename } }`)} }`,
      },
      /searches/,
    ],
  ]
  for (const [what, body, message, type] of refused)
    test(`${what} is refused in GraphQL’s own shape`, async () => {
      const answer = await world.ann.post('/graphql', body)
      assert.equal(answer.status, 200, answer.text.slice(0, 200))
      const [error] = answer.body.errors
      assert.match(error.message, message)
      assert.equal(error.type, type)
    })

  test('the published client’s introspection is answered', async () => {
    const { getIntrospectionQuery, buildClientSchema } = await import('graphql')
    const data = await read(world.ann, getIntrospectionQuery())
    assert.ok(buildClientSchema(data).getType('PullRequest'))
    const { Issue } = await read(
      world.ann,
      '{ Issue: __type(name: "Issue") { fields(includeDeprecated: true) { name } } }',
    )
    assert.ok(Issue.fields.some(({ name }: Json) => name === 'stateReason'))
  })

  test('an answer holds so much text and takes so long, and no more', async () => {
    await world.ann.post('/repos/ann/open/issues', { title: 'Long', body: 'x'.repeat(60_000) })
    const long = inRepository(`issues(last: 1) { nodes { ${many(400, (i) => `a${i}: body`)} } }`)
    const { body: answer } = await ask(world.ann, long)
    assert.equal(answer.data, null)
    assert.deepEqual(typesOf(answer)[0][0], 'RESOURCE_LIMITS_EXCEEDED')
    step = 11_000
    const { body: slow } = await ask(world.ann, `{ ${many(340, (i) => `a${i}: viewer { a: login b: id c: url }`)} }`)
    step = 0
    assert.equal(slow.errors[0].type, 'RESOURCE_LIMITS_EXCEEDED')
    assert.match(slow.errors[0].message, /longer than ten seconds/)
    assert.equal(slow.errors.length, 1)
  })

  test('what fields ask for one by one is read together: as often for five issues as for one', async () => {
    const query = (count: number) =>
      `{ repository(owner: "ann", name: "open") { issues(first: ${count}) { nodes { title author { login ... on User { name } } comments(first: 5) { nodes { body author { ... on User { name } } } } } } } }`
    const { comments, people } = server.services.forge
    const [{ listOfMany }, { getMany }] = [comments, people]
    let reads = 0
    const counted =
      <A extends unknown[], R>(read: (...args: A) => R) =>
      (...args: A): R => {
        reads++
        return read(...args)
      }
    Object.assign(comments, { listOfMany: counted(listOfMany) })
    Object.assign(people, { getMany: counted(getMany) })
    try {
      // The comments, the authors of the issues, those of the comments; who is told of an issue before may be read beside.
      for (const count of [1, 5])
        await until(async () => {
          reads = 0
          await read(world.ann, query(count))
          return reads === 3
        })
    } finally {
      Object.assign(comments, { listOfMany })
      Object.assign(people, { getMany })
    }
  })
})
