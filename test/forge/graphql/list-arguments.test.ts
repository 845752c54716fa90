/** Every argument of a list narrows or orders it: one that is ignored gives a wrong answer without an error. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isObjectType } from 'graphql'
import { makeSchema } from '../../../src/api/forge-graphql/schema/schema.ts'
import { engines } from '../../support/engines.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

/** A field of an owner, its arguments, what to read of each item, and the expected items. */
type Case = readonly [given: string, expected: readonly unknown[]]

const byName = (direction: string) => `orderBy: {field: NAME, direction: ${direction}}`
const labels = ['bug', 'documentation', 'duplicate', 'enhancement', 'good first issue', 'help wanted', 'invalid']
const openPull = 'states: [OPEN]'

/** By type and field: where the field is found, what is read of an item, and its arguments with what they answer. */
const cases: Record<string, readonly [place: string, item: string, ofArguments: Record<string, readonly Case[]>]> = {
  'Query.repository': [
    '',
    'name',
    {
      name: [['owner: "ann", name: "OPEN"', ['open']]],
      owner: [['owner: "ANN", name: "open"', ['open']]],
      followRenames: [
        ['owner: "ann", name: "former"', ['later']],
        ['owner: "ann", name: "former", followRenames: false', [null]],
      ],
    },
  ],
  'User.repository': [
    'user(login: "ann")',
    'name',
    {
      name: [['name: "open"', ['open']]],
      followRenames: [
        ['name: "former"', ['later']],
        ['name: "former", followRenames: false', [null]],
      ],
    },
  ],
  'User.repositories': [
    'user(login: "ann")',
    'name',
    {
      isArchived: [
        ['isArchived: true', ['attic']],
        [`isArchived: false, ${byName('ASC')}`, ['fork', 'hidden', 'later', 'open']],
      ],
      isFork: [['isFork: true', ['fork']]],
      orderBy: [[byName('DESC'), ['open', 'later', 'hidden', 'fork', 'attic']]],
      ownerAffiliations: [
        ['ownerAffiliations: [ORGANIZATION_MEMBER]', ['tool']],
        [`ownerAffiliations: null, ${byName('ASC')}`, ['attic', 'fork', 'hidden', 'later', 'open']],
      ],
      privacy: [['privacy: PRIVATE', ['hidden']]],
      visibility: [
        ['visibility: PRIVATE', ['hidden']],
        [`visibility: PUBLIC, ${byName('ASC')}`, ['attic', 'fork', 'later', 'open']],
        ['visibility: INTERNAL', []],
      ],
    },
  ],
  'Organization.team': ['organization(login: "acme")', 'slug', { slug: [['slug: "crew"', ['crew']]] }],
  'Organization.teams': [
    'organization(login: "acme")',
    'slug',
    {
      query: [
        ['query: "ght SH"', ['night-shift']],
        ['query: "t-s"', ['night-shift']],
        ['query: "c_ew"', []],
      ],
      orderBy: [[byName('DESC'), ['night-shift', 'crew']]],
      userLogins: [
        ['userLogins: ["CID"]', ['crew', 'night-shift']],
        ['userLogins: ["bob"]', []],
        ['userLogins: []', []],
      ],
    },
  ],
  'Repository.assignableUsers': ['REPOSITORY', 'login', { query: [['query: "ANN"', ['ann']]] }],
  'Repository.mentionableUsers': [
    'REPOSITORY',
    'login',
    {
      query: [
        ['query: "Annie"', ['ann']],
        ['query: "BO"', ['bob']],
        ['query: "100%"', []],
      ],
    },
  ],
  'Repository.forks': ['repository(owner: "bob", name: "source")', 'name', { orderBy: [[byName('ASC'), ['fork']]] }],
  'Repository.issues': [
    'REPOSITORY',
    'title',
    {
      states: [['states: [CLOSED]', ['Two']]],
      labels: [['labels: ["bug"]', ['One']]],
      filterBy: [
        ['filterBy: {assignee: "ann"}', ['One']],
        ['filterBy: {createdBy: "bob"}', ['Three']],
        ['filterBy: {labels: ["bug"]}', ['One']],
        ['filterBy: {mentioned: "bob"}', ['Two']],
        ['filterBy: {milestoneNumber: "1"}', ['Three']],
        ['filterBy: {since: "2100-01-01T00:00:00Z"}', []],
        ['filterBy: {states: [CLOSED]}', ['Two']],
      ],
      orderBy: [['orderBy: {field: CREATED_AT, direction: DESC}', ['Three', 'Two', 'One']]],
    },
  ],
  'Repository.labels': [
    'REPOSITORY',
    'name',
    {
      query: [['query: "FIRST"', ['good first issue']]],
      orderBy: [[byName('DESC'), [...labels, 'question', 'wontfix'].reverse()]],
    },
  ],
  'Repository.languages': [
    'REPOSITORY',
    'name',
    { orderBy: [['orderBy: {field: SIZE, direction: ASC}', ['CSS', 'TypeScript']]] },
  ],
  'Repository.milestones': [
    'REPOSITORY',
    'title',
    {
      query: [['query: "AT"', ['Later']]],
      states: [['states: [CLOSED]', ['Later']]],
      orderBy: [
        ['orderBy: {field: NUMBER, direction: DESC}', ['Later', 'Soon']],
        ['orderBy: {field: CREATED_AT, direction: ASC}', ['Soon', 'Later']],
        ['orderBy: {field: UPDATED_AT, direction: DESC}', ['Soon', 'Later']],
        ['orderBy: {field: DUE_DATE, direction: ASC}', ['Later', 'Soon']],
      ],
    },
  ],
  'Repository.pullRequests': [
    'REPOSITORY',
    'title',
    {
      states: [['states: [CLOSED]', ['Closed']]],
      baseRefName: [['baseRefName: "more"', ['Closed']]],
      headRefName: [
        ['headRefName: "feature/one"', ['Pull', 'Closed']],
        ['headRefName: "main"', []],
      ],
      labels: [['labels: ["bug"]', ['Pull']]],
      orderBy: [['orderBy: {field: CREATED_AT, direction: DESC}', ['Closed', 'Pull']]],
    },
  ],
  'Repository.refs': [
    'REPOSITORY',
    'name',
    {
      refPrefix: [['refPrefix: "refs/heads/"', ['feature/one', 'main', 'more']]],
      query: [['refPrefix: "refs/heads/", query: "ma"', ['main']]],
      direction: [['refPrefix: "refs/heads/", direction: DESC', ['more', 'main', 'feature/one']]],
      orderBy: [
        [
          'refPrefix: "refs/tags/", orderBy: {field: TAG_COMMIT_DATE, direction: DESC}',
          ['a-newest', 'v1.0', 'old/annotated', 'oldest'],
        ],
        [
          'refPrefix: "refs/tags/", orderBy: {field: ALPHABETICAL, direction: DESC}',
          ['v1.0', 'oldest', 'old/annotated', 'a-newest'],
        ],
      ],
    },
  ],
  'Repository.releases': [
    'REPOSITORY',
    'tagName',
    { orderBy: [['orderBy: {field: CREATED_AT, direction: ASC}', ['v1.0', 'a-newest']]] },
  ],
  'Ref.associatedPullRequests': [
    'REPOSITORY { ref(qualifiedName: "feature/one")',
    'title',
    {
      states: [
        [openPull, ['Pull']],
        ['states: [MERGED]', []],
      ],
      baseRefName: [['baseRefName: "more"', ['Closed']]],
      headRefName: [['headRefName: "none"', []]],
      labels: [['labels: ["question"]', []]],
      orderBy: [['orderBy: {field: CREATED_AT, direction: DESC}', ['Closed', 'Pull']]],
    },
  ],
  'Commit.associatedPullRequests': [
    'REPOSITORY { object(expression: "feature/one") { ... on Commit',
    'title',
    {
      orderBy: [
        ['orderBy: {field: CREATED_AT, direction: DESC}', ['Closed', 'Pull']],
        ['orderBy: {field: UPDATED_AT, direction: DESC}', ['Pull', 'Closed']],
      ],
    },
  ],
  'Commit.history': [
    'REPOSITORY { object(expression: "main") { ... on Commit',
    'messageHeadline',
    {
      path: [['path: "README.md"', ['First']]],
      author: [['author: {emails: ["nobody@example.org"]}', []]],
      since: [['since: "2100-01-01T00:00:00Z"', []]],
      until: [['until: "2001-01-01T00:00:00Z"', []]],
    },
  ],
  'PullRequest.reviews': [
    'REPOSITORY { pullRequest(number: PULL)',
    'body',
    {
      author: [['author: "BOB"', ['Good', 'Hm']]],
      states: [['states: [COMMENTED]', ['Hm', 'Me']]],
    },
  ],
}

/** Of lists that can only be empty, of single things, and what changes nothing here. */
const others = new Set([
  ...['Query.node', 'Query.nodes', 'Query.organization', 'Query.repositoryOwner', 'Query.search', 'Query.user'],
  ...['User.avatarUrl', 'User.projects', 'User.projectsV2', 'Organization.avatarUrl', 'Organization.projects'],
  ...['Organization.projectsV2', 'Bot.avatarUrl', 'Repository.issue', 'Repository.issueOrPullRequest'],
  ...['Repository.label', 'Repository.mergeQueue', 'Repository.milestone', 'Repository.object', 'Repository.projects'],
  ...['Repository.projectsV2', 'Repository.pullRequest', 'Repository.ref', 'Repository.release', 'Commit.blame'],
  ...['StatusContext.isRequired', 'CheckRun.isRequired', 'Issue.projectItems', 'PullRequest.projectItems'],
  ...['ProjectV2Item.fieldValueByName'],
  // See the test of closing references.
  ...['Issue.closedByPullRequestsReferences', 'PullRequest.closingIssuesReferences'],
  // The same code as those of a user.
  ...['Organization.repositories', 'Organization.repository'],
])

const paging = new Set(['first', 'last', 'after', 'before'])

test('each argument of the schema has a case here', () => {
  const known = Object.entries(cases).flatMap(([field, [, , of]]) => Object.keys(of).map((name) => `${field} ${name}`))
  const served = Object.values(makeSchema().getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || type.name.startsWith('__') || type.name === 'Mutation') return []
    return Object.values(type.getFields()).flatMap(({ name, args }) => {
      if (others.has(`${type.name}.${name}`)) return []
      return args.filter((arg) => !paging.has(arg.name)).map((arg) => `${type.name}.${name} ${arg.name}`)
    })
  })
  assert.deepEqual(known.sort(), served.sort())
})

for (const engine of engines) {
  describe(`arguments of lists on ${engine}`, () => {
    let server: TestServer
    let world: World
    let pull: Json

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
      const { ann, bob, cid, shas } = world
      const must = async (answer: Promise<{ status: number; body: Json; text: string }>) => {
        const { status, body, text } = await answer
        assert.ok(status < 300, text)
        return body
      }
      await must(ann.patch('/user', { name: 'Annie of the open' }))
      await must(ann.post('/user/repos', { name: 'former' }))
      await must(ann.patch('/repos/ann/former', { name: 'later' }))
      await must(ann.post('/user/repos', { name: 'attic' }))
      await must(ann.patch('/repos/ann/attic', { archived: true }))
      await must(bob.post('/user/repos', { name: 'source', auto_init: true }))
      await must(ann.post('/repos/bob/source/forks', { name: 'fork' }))
      await must(ann.put('/orgs/acme/teams/night-shift/memberships/cid'))
      await must(cid.get('/user'))

      await must(ann.put('/repos/ann/open/collaborators/bob', { permission: 'push' }))
      const [invitation] = (await bob.get('/user/repository_invitations')).body
      await must(bob.patch(`/user/repository_invitations/${invitation.id}`))
      await must(ann.post('/repos/ann/open/milestones', { title: 'Soon' }))
      await must(
        ann.post('/repos/ann/open/milestones', { title: 'Later', state: 'closed', due_on: '2030-01-01T00:00:00Z' }),
      )
      await must(ann.post('/repos/ann/open/issues', { title: 'One', labels: ['bug'], assignees: ['ann'] }))
      await must(ann.post('/repos/ann/open/issues', { title: 'Two', body: 'See, @bob' }))
      await must(ann.patch('/repos/ann/open/issues/2', { state: 'closed' }))
      await must(bob.post('/repos/ann/open/issues', { title: 'Three', milestone: 1 }))

      const commit = (message: string, date: string) =>
        ann.post('/repos/ann/open/git/commits', {
          ...{ message, tree: shas.tree, parents: [], author: { name: 'A', email: 'a@example.org', date } },
        })
      const ref = (name: string, sha: string) => must(ann.post('/repos/ann/open/git/refs', { ref: name, sha }))
      const oldest = await must(commit('Oldest', '2001-01-01T00:00:00Z'))
      const old = await must(commit('Old', '2002-01-01T00:00:00Z'))
      const newest = await must(commit('Newest', '2090-01-01T00:00:00Z'))
      const annotated = await must(
        ann.post('/repos/ann/open/git/tags', {
          ...{ tag: 'old/annotated', message: 'Made later', object: old.sha, type: 'commit' },
          tagger: { name: 'A', email: 'a@example.org', date: '2095-01-01T00:00:00Z' },
        }),
      )
      await ref('refs/tags/oldest', oldest.sha)
      await ref('refs/tags/old/annotated', annotated.sha)
      await ref('refs/tags/a-newest', newest.sha)
      await ref('refs/heads/more', shas.commit)
      for (const tag_name of ['v1.0', 'a-newest']) await must(ann.post('/repos/ann/open/releases', { tag_name }))

      await must(
        ann.put('/repos/ann/open/contents/new.css', { message: 'New', content: 'YXt9', branch: 'feature/one' }),
      )
      const draft = { head: 'feature/one', title: 'Pull', base: 'main' }
      pull = await must(ann.post('/repos/ann/open/pulls', draft))
      const other = await must(ann.post('/repos/ann/open/pulls', { ...draft, title: 'Closed', base: 'more' }))
      await must(ann.patch(`/repos/ann/open/pulls/${other.number}`, { state: 'closed' }))
      await must(bob.post(`/repos/ann/open/pulls/${pull.number}/reviews`, { event: 'APPROVE', body: 'Good' }))
      await must(bob.post(`/repos/ann/open/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Hm' }))
      await must(ann.post(`/repos/ann/open/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Me' }))
      await must(ann.post(`/repos/ann/open/issues/${pull.number}/labels`, { labels: ['bug'] }))
      await must(ann.put('/repos/ann/open/contents/a.css', { message: 'Style', content: 'YXt9' }))
    })
    after(() => server.stop())

    for (const [field, [place, item, ofArguments]] of Object.entries(cases))
      for (const [argument, tried] of Object.entries(ofArguments))
        test(`${field}: ${argument}`, async () => {
          for (const [given, expected] of tried) {
            const name = field.split('.')[1]!
            const isSingle = ['repository', 'team'].includes(name)
            const selection = isSingle ? `{ ${item} }` : `{ nodes { ${item} } }`
            const asked = `found: ${name}(${isSingle ? '' : 'first: 100, '}${given}) ${selection}`
            const within = place.replace('REPOSITORY', 'repository(owner: "ann", name: "open")')
            const from = within.replace('PULL', String(pull.number))
            const query = `{ ${from}${from ? ' { ' : ''}${asked}${' }'.repeat(from ? from.split('{').length : 0)} }`
            const { body } = await world.ann.post('/graphql', { query })
            const found = findNamed(body.data, 'found')
            const nodes = isSingle ? [found] : found?.nodes
            assert.deepEqual(
              nodes?.map((one: Json) => one?.[item] ?? null),
              expected,
              `${given}: ${JSON.stringify(body)}`,
            )
          }
        })

    test('what is too long to look for is refused by name', async () => {
      for (const given of [
        `teams(first: 1, query: "${'x'.repeat(60_000)}")`,
        `teams(first: 1, userLogins: [${'"a",'.repeat(101)}])`,
      ]) {
        const query = `{ organization(login: "acme") { ${given} { totalCount } } }`
        const { body } = await world.ann.post('/graphql', { query })
        assert.match(body.errors[0].message, /^(query|userLogins) can have at most/)
      }
      const both = 'repositories(first: 1, privacy: PUBLIC, visibility: PUBLIC) { totalCount }'
      const { body } = await world.ann.post('/graphql', { query: `{ user(login: "ann") { ${both} } }` })
      assert.match(body.errors[0].message, /privacy or visibility, not both/)
    })

    test('a branch names a commit, an annotated tag a tag, and a tag of a commit that commit', async () => {
      const { body } = await world.ann.post('/graphql', {
        query: `{ repository(owner: "ann", name: "open") {
          branch: ref(qualifiedName: "main") { target { __typename } }
          annotated: ref(qualifiedName: "refs/tags/v1.0") { target { __typename oid ... on Tag { target { __typename oid } } } }
          plain: ref(qualifiedName: "refs/tags/oldest") { target { __typename } }
          refs(refPrefix: "refs/tags/", query: "v1", first: 1) { nodes { target { __typename } } }
          release(tagName: "v1.0") { tag { target { __typename } } tagCommit { __typename } } } }`,
      })
      const { branch, annotated, plain, refs, release } = body.data.repository
      assert.equal(branch.target.__typename, 'Commit')
      const { commit: oid, tag } = world.shas
      assert.deepEqual(annotated.target, { __typename: 'Tag', oid: tag, target: { __typename: 'Commit', oid } })
      assert.equal(plain.target.__typename, 'Commit')
      assert.equal(refs.nodes[0].target.__typename, 'Tag')
      assert.deepEqual(release, { tag: { target: { __typename: 'Tag' } }, tagCommit: { __typename: 'Commit' } })
    })
  })
}

/** The value of the first member of this name, however deep. */
function findNamed(value: Json, name: string): Json {
  if (value === null || typeof value !== 'object') return undefined
  if (name in value) return value[name]
  return Object.values(value)
    .map((one) => findNamed(one, name))
    .find((one) => one !== undefined)
}
