/** Searching repositories, users, labels, commits and topics: qualifiers, rights, bounds, and where the words are. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { takeApart } from '../../src/forge/issues/search/search-query.ts'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'

test('a search has five operators, 256 characters of words and ten conditions at most', () => {
  const language = { names: ['is', 'repo'], unserved: new Set<string>() }
  const parse = (text: string) => takeApart(text, language)
  const refused = (text: string, said: RegExp) =>
    assert.throws(
      () => parse(text),
      (error: Json) => said.test(error.detail.faults[0].reason),
    )
  assert.equal(parse('NOT a NOT b NOT c NOT d NOT e').withoutWords.length, 5)
  refused('NOT a NOT b NOT c NOT d AND e AND f', /more than 5 AND, OR and NOT/)
  refused('a OR b', /OR is not served/)
  const long = `${'a'.repeat(127)} ${'b'.repeat(128)}`
  assert.equal(parse(`${long} is:open`).words.length, 2)
  refused(`${long}c is:open`, /longer than 256/)
  refused('is:open '.repeat(11), /more than 10 qualifiers/)
  assert.equal(parse('repo:a/b '.repeat(30)).qualifiers.length, 30)
  refused('repo:a/b '.repeat(31), /more than 30/)
})

for (const engine of engines)
  describe(`searching on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    const find = async (path: string, q: string, by: RestClient = bob, more = ''): Promise<Json> => {
      const { status, body, text } = await by.get(`/search/${path}?q=${encodeURIComponent(q)}${more}`)
      assert.equal(status, 200, text)
      assert.equal(body.incomplete_results, false)
      return body
    }
    const names = async (...args: Parameters<typeof find>): Promise<string[]> =>
      (await find(...args)).items.map(({ full_name, login, name }: Json) => full_name ?? login ?? name).sort()
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/user/repos', { name: 'kettle', description: 'Boils Water', auto_init: true })
      await ann.post('/user/repos', { name: 'tea_pot', description: 'For 100% tea' })
      await ann.post('/user/repos', { name: 'secret-kettle', private: true, auto_init: true })
      await ann.put('/repos/ann/kettle/topics', { names: ['kitchen', 'steam'] })
      await ann.put('/repos/ann/tea_pot/topics', { names: ['kitchen'] })
      await ann.put('/repos/ann/secret-kettle/topics', { names: ['kitchen-hidden'] })
      await bob.put('/user/starred/ann/kettle')
      await bob.post('/repos/ann/kettle/forks')
      await bob.put('/user/following/ann')
      await ann.patch('/user', { name: 'Ann of the Kitchen', location: 'Bern' })
    })
    after(() => server.stop())

    test('repositories are found by words and qualifiers, of what the caller may read', async () => {
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ['kettle', ['ann/kettle']],
        ['kettle fork:true', ['ann/kettle', 'bob/kettle']],
        ['kettle fork:only', ['bob/kettle']],
        ['BOILS water', ['ann/kettle']],
        ['water in:name', []],
        ['kitchen', ['ann/kettle', 'ann/tea_pot']],
        ['kitchen -water', ['ann/tea_pot']],
        ['tea_pot', ['ann/tea_pot']],
        ['te_', []],
        ['topic:steam', ['ann/kettle']],
        ['topics:>1', ['ann/kettle']],
        ['user:ann', ['ann/kettle', 'ann/tea_pot']],
        ['user:ann -repo:ann/kettle', ['ann/tea_pot']],
        ['repo:bob/kettle', ['bob/kettle']],
        ['stars:>=1', ['ann/kettle']],
        ['user:ann stars:0', ['ann/tea_pot']],
        ['forks:1', ['ann/kettle']],
        ['user:ann archived:true', []],
        ['user:ann created:<2020-01-01', []],
        ['org:acme', []],
      ]
      for (const [q, expected] of cases) assert.deepEqual(await names('repositories', q), expected, q)
      assert.deepEqual(await names('repositories', 'kettle', ann), ['ann/kettle', 'ann/secret-kettle'])
      assert.deepEqual(await names('repositories', 'is:private', ann), ['ann/secret-kettle'])
      const narrow = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: [] }))
      assert.deepEqual(await names('repositories', 'kettle', narrow), ['ann/kettle'])
      const hidden = await bob.get('/search/repositories?q=repo:ann/secret-kettle')
      assert.deepEqual(
        [hidden.status, hidden.body],
        [422, (await bob.get('/search/repositories?q=repo:ann/nothing')).body],
      )
      for (const q of ['license:mit', 'is:fork', 'in:readme x', 'archived:perhaps', 'stars:many'])
        assert.equal((await bob.get(`/search/repositories?q=${q}`)).status, 422, q)
    })

    test('users are found by login and name, and by what is public of them', async () => {
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ['kitchen', ['ann']],
        ['ann in:login', ['ann']],
        ['kitchen in:login', []],
        ['location:bern', ['ann']],
        ['followers:1', ['ann']],
        ['repos:2', ['ann']],
        ['type:org', ['acme']],
        ['user:bob', ['bob']],
      ]
      for (const [q, expected] of cases) assert.deepEqual(await names('users', q), expected, q)
      const byRepositories = async (order: string) =>
        (await find('users', 'type:user', bob, `&sort=repositories&order=${order}`)).items as Json[]
      assert.equal((await byRepositories('desc'))[0].login, 'ann')
      assert.equal((await byRepositories('asc')).at(-1).login, 'ann')
      assert.equal((await bob.get('/search/users?q=ann@example.org+in:email')).status, 422)
      // Addresses are private.
      assert.deepEqual(await names('users', 'example.org'), [])
    })

    test('labels are found within one repository that the caller may read', async () => {
      const [open, hidden] = await Promise.all(
        ['kettle', 'secret-kettle'].map(async (name) => (await ann.get(`/repos/ann/${name}`)).body.id),
      )
      assert.deepEqual(await names('labels', 'bug', bob, `&repository_id=${open}`), ['bug'])
      assert.equal((await bob.get(`/search/labels?q=bug&repository_id=${hidden}`)).status, 404)
      assert.equal((await bob.get('/search/labels?q=bug')).status, 422)
    })

    test('commits are found by their messages, in what the caller may read', async () => {
      const write = (repo: string, path: string, message: string) =>
        ann.put(`/repos/ann/${repo}/contents/${path}`, { message, content: 'YQ==' })
      await write('kettle', 'a', 'Boil faster\n\nMore WATER')
      await write('kettle', 'b', 'Boil slower')
      await write('secret-kettle', 'a', 'Boil in secret')
      const titles = async (q: string, by: RestClient = bob) =>
        (await find('commits', q, by)).items.map(({ commit }: Json) => commit.message.split('\n')[0]).sort()
      assert.deepEqual(await titles('boil repo:ann/kettle'), ['Boil faster', 'Boil slower'])
      assert.deepEqual(await titles('boil water'), ['Boil faster'])
      assert.deepEqual(await titles('boil -water'), ['Boil slower'])
      assert.deepEqual(await titles('boil author:ann user:ann'), ['Boil faster', 'Boil slower'])
      assert.deepEqual(await titles('boil author:bob'), [])
      assert.deepEqual(await titles('boil author-date:<2020-01-01'), [])
      assert.deepEqual(await titles('boil', ann), ['Boil faster', 'Boil in secret', 'Boil slower'])
      assert.deepEqual(await titles('boil is:private', ann), ['Boil in secret'])
      const issuesOnly = { kind: 'fine-grained', repositories: 'all', permissions: { issues: 'read' } }
      const fine = makeRest(server.url, await makeToken(server, 'ann', issuesOnly))
      assert.deepEqual(await titles('boil', fine), ['Boil faster', 'Boil slower'])
    })

    test('code is found by words and paths of default branches, in what the caller may read', async () => {
      await ann.post('/user/repos', { name: 'stove', auto_init: true })
      const write = async (repo: string, path: string, text: string, branch = 'main') => {
        const content = Buffer.from(text).toString('base64')
        const { status } = await ann.put(`/repos/ann/${repo}/contents/${path}`, { message: path, content, branch })
        assert.equal(status, 201)
      }
      await write('stove', 'src/flame.ts', 'export const Gasflame = 1\n// heats the pan\n')
      await write('stove', 'src/deep/pan.py', 'gasflame = 2\n')
      await write('stove', 'gas.md', 'No word of it.\n')
      await write('stove', ':(top)odd [1].ts', 'gasflame again, and heats\n')
      await write('stove', 'image.bin', 'gasflame\0heats')
      await write('stove', 'large.ts', 'gasflame heats\n'.repeat(27_000))
      await write('secret-kettle', 'hidden.ts', 'gasflame in secret\n')
      const { body: main } = await ann.get('/repos/ann/stove/git/ref/heads/main')
      await ann.post('/repos/ann/stove/git/refs', { ref: 'refs/heads/other', sha: main.object.sha })
      await write('stove', 'elsewhere.ts', 'gasflame elsewhere\n', 'other')
      const paths = async (q: string, by: RestClient = bob) =>
        (await find('code', q, by)).items.map(({ path }: Json) => path).sort()
      const odd = ':(top)odd [1].ts'
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ['gasflame', [odd, 'src/deep/pan.py', 'src/flame.ts']],
        ['GASFLAME heats', [odd, 'src/flame.ts']],
        ['gasflame -heats', ['src/deep/pan.py']],
        ['gasflame path:src', ['src/deep/pan.py', 'src/flame.ts']],
        ['gasflame path:deep', ['src/deep/pan.py']],
        ['gasflame path:/', [odd]],
        ['gasflame extension:ts', [odd, 'src/flame.ts']],
        ['gasflame language:python user:ann', ['src/deep/pan.py']],
        ['gasflame filename:flame', ['src/flame.ts']],
        ['gasflame -extension:ts', ['src/deep/pan.py']],
        ['gasflame size:<20', ['src/deep/pan.py']],
        ['gas in:path', ['gas.md']],
        ['gas in:path,file', [odd, 'gas.md', 'src/deep/pan.py', 'src/flame.ts']],
        ['filename:pan repo:ann/stove', ['src/deep/pan.py']],
        ['gasflame repo:ann/kettle', []],
        ['gasflame org:acme', []],
      ]
      for (const [q, expected] of cases) assert.deepEqual(await paths(q), expected, q)
      assert.deepEqual(await paths('gasflame secret', ann), ['hidden.ts'])
      assert.deepEqual(await paths('secret is:private', bob), [])
      const issuesOnly = { kind: 'fine-grained', repositories: 'all', permissions: { issues: 'read' } }
      const fine = makeRest(server.url, await makeToken(server, 'ann', issuesOnly))
      assert.deepEqual(await paths('gasflame secret', fine), [])
      for (const q of ['repo:ann/stove', 'gasflame repo:ann/secret-kettle', 'gasflame in:label', 'a -repo:ann/stove'])
        assert.equal((await bob.get(`/search/code?q=${encodeURIComponent(q)}`)).status, 422, q)
      assert.equal((await makeRest(server.url).get('/search/code?q=gasflame')).status, 401)

      const octokit = new Octokit({ auth: bob.token, baseUrl: server.url })
      const { data } = await octokit.search.code({ q: 'pan path:src/flame.ts', mediaType: { format: 'text-match' } })
      const [file] = data.items
      assert.deepEqual([file?.name, file?.repository.full_name, file?.sha.length], ['flame.ts', 'ann/stove', 40])
      assert.deepEqual(file?.text_matches?.[0]?.matches, [{ text: 'pan', indices: [39, 42] }])
      for (const url of [file!.url, file!.git_url])
        assert.equal((await bob.get(url.slice(server.url.length))).body.sha, file!.sha)
    })

    test('topics are those of public repositories, the most frequent first', async () => {
      const { items } = await find('topics', 'kitchen')
      assert.deepEqual(
        items.map(({ name, repository_count }: Json) => [name, repository_count]),
        [['kitchen', 2]],
      )
    })

    test('tell where the words are, and speak to Octokit', async () => {
      const octokit = new Octokit({ auth: bob.token, baseUrl: server.url })
      const mediaType = { format: 'text-match' }
      const { data } = await octokit.search.repos({ q: 'water', mediaType })
      assert.deepEqual(data.items[0]?.text_matches, [
        {
          object_url: `${server.url}/repos/ann/kettle`,
          object_type: 'Repository',
          property: 'description',
          fragment: 'Boils Water',
          matches: [{ text: 'Water', indices: [6, 11] }],
        },
      ])
      await ann.post('/repos/ann/kettle/issues', { title: 'Whistle', body: 'It does not whistle' })
      const { data: issues } = await octokit.search.issuesAndPullRequests({ q: 'whistle repo:ann/kettle', mediaType })
      assert.deepEqual(
        issues.items[0]?.text_matches?.map(({ property, matches }) => [property, matches?.length]),
        [
          ['title', 1],
          ['body', 1],
        ],
      )
      assert.equal((await octokit.search.users({ q: 'ann' })).data.total_count, 1)
    })
  })

test('searches of every kind share a limit of their own: 30 a minute signed in, 10 not', async () => {
  const server = await startServer('sqlite')
  try {
    const ann = await makeUser(server, 'ann')
    const nobody = makeRest(server.url)
    for (const [client, most] of [
      [ann, 30],
      [nobody, 10],
    ] as const) {
      const paths = ['repositories', 'users', 'topics', 'commits', 'issues']
      for (let i = 0; i < most; i++) {
        const { status, headers } = await client.get(`/search/${paths[i % paths.length]}?q=a`)
        assert.deepEqual([status, headers.get('x-ratelimit-resource')], [200, 'search'])
        assert.equal(headers.get('x-ratelimit-limit'), String(most))
      }
      assert.equal((await client.get('/search/users?q=a')).status, 403)
    }
    for (let i = 0; i <= 10; i++) await ann.post('/user/repos', { name: `r${i}`, auto_init: true })
    for (let i = 0; i <= 10; i++) {
      const { status, headers, body } = await ann.get('/search/code?q=r1')
      assert.deepEqual([status, headers.get('x-ratelimit-resource')], [i < 10 ? 200 : 403, 'code_search'])
      if (i === 0)
        assert.equal(body.incomplete_results, true, 'ten repositories are looked through, and there are eleven')
    }
  } finally {
    await server.stop()
  }
})
