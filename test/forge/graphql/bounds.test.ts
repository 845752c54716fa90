/** What a query can make the server do, and show, is bounded: however its fragments overlap, whatever it introspects, whoever asks. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { makeWorld, type World } from '../world.ts'

describe('GraphQL’s bounds', () => {
  let server: TestServer
  let world: World
  const ask = async (client: RestClient, query: string, variables: object = {}): Promise<Json> => {
    const { status, body } = await client.post('/graphql', { query, variables })
    assert.equal(status, 200)
    return body
  }
  const inRepository = (inner: string) =>
    `{ rateLimit { cost nodeCount } repository(owner: "ann", name: "open") { ${inner} } }`

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
  })
  after(() => server.stop())

  const conflicting: [string, string][] = [
    [
      'a fragment',
      `${inRepository('labels(first: 100) { nodes { name } } ...A')}
      fragment A on Repository { labels(first: 0) { nodes { repository { id } } } }`,
    ],
    [
      'an inline fragment',
      inRepository('labels(first: 1) { nodes { id } } ... on Repository { labels(first: 2) { nodes { id } } }'),
    ],
    ['an interface', '{ repositoryOwner(login: "ann") { a: login ... on User { a: name } } }'],
    [
      'a field of a field',
      inRepository('labels(first: 1) { nodes { a: name } } ... { labels(first: 1) { nodes { a: color } } }'),
    ],
    [
      'an interface and two types',
      '{ repositoryOwner(login: "ann") { repository(name: "open") { a: name } ... on User { repository(name: "open") { b: name } } ... on Organization { repository(name: "open") { a: id } } } }',
    ],
  ]
  for (const [where, query] of conflicting)
    test(`one name for two fields is refused across ${where}`, async () => {
      const { data, errors } = await ask(world.ann, query)
      assert.equal(data, undefined)
      assert.match(errors[0].message, /stands for two fields/)
    })

  test('fields that are the same are one, and cost what one does', async () => {
    const { data, errors } = await ask(
      world.ann,
      `${inRepository('labels(first: 100) { nodes { name } } ...A')}
      fragment A on Repository { labels(first: 100) { nodes { repository { labels(first: 100) { nodes { id } } } } } }`,
    )
    assert.equal(errors, undefined)
    assert.deepEqual(data.rateLimit, { cost: 1, nodeCount: 10_100 })
    assert.ok(data.repository.labels.nodes[0].name)
    assert.ok(data.repository.labels.nodes[0].repository.labels.nodes[0].id)
  })

  test('types that no thing is both of may have fields of one name', async () => {
    const { data, errors } = await ask(
      world.ann,
      '{ repositoryOwner(login: "ann") { ... on User { a: login } ... on Organization { a: description } } }',
    )
    assert.deepEqual([data, errors], [{ repositoryOwner: { a: 'ann' } }, undefined])
  })

  test('fragments that overlap for every combination of types are refused', async () => {
    const nest = (levels: number): string => {
      if (levels === 0) return 'id'
      const inner = `repository(name: "open") { owner { ${nest(levels - 1)} } }`
      return `${inner} ... on User { repository(name: "open") { id } } ... on Organization { repository(name: "open") { id } }`
    }
    const { data, errors } = await ask(world.ann, `{ repositoryOwner(login: "ann") { ${nest(4)} } }`)
    assert.deepEqual([data.repositoryOwner.repository.id !== undefined, errors], [true, undefined])
    const bomb = await ask(world.ann, `{ repositoryOwner(login: "ann") { ${nest(11)} } }`)
    assert.match(bomb.errors[0].message, /too many fields that overlap/)
  })

  test('an address is shown to whom REST shows it', async () => {
    const { ann, bob } = world
    await bob.patch('/user', { email: 'bob@example.org' })
    const query =
      '{ user(login: "bob") { email } search(query: "bob", type: USER, first: 5) { nodes { ... on User { email } } } }'
    const classic = async (scopes: string[]) =>
      makeRest(server.url, await makeToken(server, 'bob', { kind: 'classic', scopes }))
    const fine = async (permissions: object) =>
      makeRest(server.url, await makeToken(server, 'bob', { kind: 'fine-grained', repositories: [], permissions }))
    const viewers: [string, RestClient, boolean][] = [
      ['another', ann, false],
      ['themselves', bob, true],
      ['their token without scope', await classic([]), false],
      ['their token for repositories', await classic(['repo']), false],
      ['their token for the profile', await classic(['read:user']), true],
      ['their fine-grained token', await fine({}), false],
      ['their fine-grained token for addresses', await fine({ email_addresses: 'read' }), true],
      ['an admin', world.root, true],
    ]
    for (const [who, client, sees] of viewers) {
      const { data } = await ask(client, query)
      const email = sees ? 'bob@example.org' : ''
      assert.deepEqual(data, { user: { email }, search: { nodes: [{ email }] } }, who)
      assert.equal((await client.get('/users/bob')).body.email ?? '', email, who)
    }
  })

  test('a pull of a repository that one may not see is not resolved', async () => {
    const { ann, bob } = world
    const { body: branch } = await ann.get('/repos/ann/open/branches/main')
    await ann.post(`/repos/ann/open/statuses/${branch.commit.sha}`, { state: 'success', context: 'build' })
    const { body: first } = await ann.post('/repos/ann/hidden/issues', { title: 'Hidden' })
    const isRequired = async (pullRequestId: string) => {
      const { errors } = await ask(
        bob,
        inRepository(
          `defaultBranchRef { target { ... on Commit { statusCheckRollup { contexts(first: 1) { nodes { ... on StatusContext { isRequired(pullRequestId: "${pullRequestId}") } } } } } } }`,
        ),
      )
      return errors.map(({ type, message }: Json) => [type, message])
    }
    const idOf = (id: number) => Buffer.from(`PullRequest:${id}`).toString('base64url')
    assert.deepEqual(await isRequired(idOf(first.id)), await isRequired(idOf(999_999)))
  })

  const many = (count: number, make: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => make(i)).join(' ')

  test('others are answered while a long query is executed', async () => {
    const { ann, bob } = world
    for (let i = 0; i < 20; i++) await ann.post('/repos/ann/open/labels', { name: `label-${i}`, color: 'ffffff' })
    const labels = (inner: string) => `labels(first: 25) { nodes { ${inner} } }`
    let isOver = false
    const long = ask(
      ann,
      inRepository(labels(`repository { ${labels(`repository { ${labels('name color id')} }`)} }`)),
    ).finally(() => {
      isOver = true
    })
    let others = 0
    while (!isOver && others < 1_000) {
      await bob.get('/user')
      others++
    }
    const { data, errors } = await long
    assert.equal(errors, undefined)
    assert.equal(data.repository.labels.nodes[0].repository.labels.nodes[0].repository.labels.nodes.length, 25)
    assert.ok(others > 10, `${others} were answered meanwhile`)
  })

  test('nothing more is read for a client that has left', async () => {
    const { ann } = world
    const { opening } = server.services.forge
    const { open } = opening
    let opened = 0
    const gone = new AbortController()
    Object.assign(opening, {
      open: (...args: Parameters<typeof open>) => {
        if (++opened === 50) gone.abort()
        return open(...args)
      },
    })
    const labels = (inner: string) => `labels(first: 25) { nodes { ${inner} } }`
    const query = inRepository(labels(`repository { ${labels(`repository { ${labels('name')} }`)} }`))
    try {
      await assert.rejects(
        fetch(`${server.url}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
          signal: gone.signal,
        }),
      )
      let before = -1
      await until(async () => {
        const isStill = opened === before
        before = opened
        return isStill
      })
      assert.ok(opened < 600, `${opened} of 651 lists were read`)
    } finally {
      Object.assign(opening, { open })
    }
  })

  test('an answer is bounded in bytes, however few characters they are', async () => {
    await world.ann.post('/repos/ann/open/issues', { title: 'Wide', body: '\u20ac'.repeat(60_000) })
    const wide = (count: number) => inRepository(`issues(last: 1) { nodes { ${many(count, (i) => `a${i}: body`)} } }`)
    assert.equal((await ask(world.ann, wide(90))).errors, undefined)
    const { data, errors } = await ask(world.ann, wide(95))
    assert.deepEqual([data, errors.map(({ type }: Json) => type)], [null, ['RESOURCE_LIMITS_EXCEEDED']])
  })

  test('what is read only when it is asked for counts, too', async () => {
    await world.ann.patch('/user', { bio: 'x'.repeat(250) })
    const bios = many(900, (i) => `a${i}: bio`)
    const inner = `labels(first: 4) { nodes { repository { owner { ... on User { ${bios} } } } } }`
    const query = inRepository(`labels(first: 100) { nodes { repository { ${inner} } } }`)
    const { data, errors } = await ask(world.ann, query)
    assert.deepEqual([data === null, errors?.[0].type], [true, 'RESOURCE_LIMITS_EXCEEDED'])
  })

  const schemaFields =
    'types { fields { name type { fields { name args { name type { name ofType { name } } } type { name kind ofType { name kind ofType { name } } } } } } }'
  const refused: [string, string, RegExp][] = [
    [
      'the schema again and again',
      `{ ${many(94, (i) => `a${i}: __schema { ${schemaFields} }`)} }`,
      /asks too much of the schema/,
    ],
    [
      'many names within the schema',
      `{ __schema { ${many(60, (i) => `a${i}: ${schemaFields}`)} } }`,
      /asks too much of the schema/,
    ],
    [
      'many names of a type’s name',
      inRepository(`labels(first: 100) { nodes { ${many(11, (i) => `a${i}: __typename`)} } }`),
      /__typename has more than 10 names/,
    ],
    [
      'a long name of a type’s name',
      inRepository(`labels(first: 100) { nodes { ${'a'.repeat(101)}: __typename } }`),
      /one longer than 100/,
    ],
    [
      'a text of very many lines',
      `{ repository(owner: """${'\n'.repeat(20_000)}""", name: "x") { id } }`,
      /more than 20000 lines/,
    ],
  ]
  for (const [what, query, message] of refused)
    test(`${what} is refused before it is executed`, async () => {
      const { data, errors } = await ask(world.ann, query)
      assert.equal(data, undefined)
      assert.match(errors[0].message, message)
    })
})
