/** Searching issues: words and qualifiers, kept with every act, and nothing told of what the caller may not read. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { parseNumbers, parseSearch, parseTimes } from '../../../src/forge/issues/search/search-query.ts'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

test('a search is taken apart into words and qualifiers', () => {
  const { words, withoutWords, qualifiers } = parseSearch(
    'Crash "on start" -slow NOT old label:"good first issue" -is:open foo:bar',
  )
  assert.deepEqual(words, ['crash', 'on', 'start', 'foo', 'bar'])
  assert.deepEqual(withoutWords, ['slow', 'old'])
  assert.deepEqual(qualifiers, [
    { name: 'label', value: 'good first issue', isNegated: false },
    { name: 'is', value: 'open', isNegated: true },
  ])
  const day = Date.UTC(2026, 2, 10)
  assert.deepEqual(parseTimes('created', '2026-03-10'), { from: day, below: day + 86_400_000 })
  assert.deepEqual(parseTimes('created', '*..2026-03-10'), { below: day + 86_400_000 })
  assert.deepEqual(parseTimes('created', '>2026-03-10T00:00:00Z'), { from: day + 1000 })
  assert.deepEqual(parseNumbers('comments', '5..10'), { from: 5, below: 11 })
  assert.deepEqual(parseNumbers('comments', '<=3'), { below: 4 })
})

for (const engine of engines)
  describe(`searching issues on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    const find = async (q: string, by = ann, more = ''): Promise<string[]> => {
      const { status, body, text } = await by.get(`/search/issues?q=${encodeURIComponent(q)}&order=asc${more}`)
      assert.equal(status, 200, text)
      assert.equal(body.total_count, more ? body.total_count : body.items.length)
      return body.items.map((item: Json) => item.title)
    }
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      for (const [name, isPrivate] of [
        ['open', false],
        ['hidden', true],
      ] as const)
        await ann.post('/user/repos', { name, private: isPrivate })
      const open = async (repo: string, title: string, draft: object = {}, by = ann) =>
        (await by.post(`/repos/ann/${repo}/issues`, { title, ...draft })).body.number
      await open('open', 'Crash on start', { body: 'The kettle explodes', labels: ['bug'], assignees: ['ann'] })
      const slow = await open('open', 'Slow start', { body: 'Hello @bob' }, bob)
      await ann.post(`/repos/ann/open/issues/${slow}/comments`, { body: 'Perhaps the kettle, Straße' })
      await ann.patch(`/repos/ann/open/issues/${slow}`, { state: 'closed' })
      await open('hidden', 'Secret kettle')
    })
    after(() => server.stop())

    test('finds words in titles, texts and comments, all of them, in any case', async () => {
      assert.deepEqual(await find('start'), ['Crash on start', 'Slow start'])
      assert.deepEqual(await find('START crash'), ['Crash on start'])
      assert.deepEqual(await find('kettle repo:ann/open'), ['Crash on start', 'Slow start'])
      assert.deepEqual(await find('kettle in:body'), ['Crash on start'])
      assert.deepEqual(await find('kettle in:comments,title'), ['Slow start', 'Secret kettle'])
      assert.deepEqual(await find('start -kettle'), [])
      assert.deepEqual(await find('straße'), ['Slow start'])
      assert.deepEqual(await find('nowhere'), [])
    })

    test('takes qualifiers, and each turned around', async () => {
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ['start is:open', ['Crash on start']],
        ['start state:closed', ['Slow start']],
        ['start type:issue -is:closed', ['Crash on start']],
        ['start is:pr', []],
        ['author:bob', ['Slow start']],
        ['repo:ann/open -author:bob', ['Crash on start']],
        ['assignee:ann', ['Crash on start']],
        ['commenter:ann', ['Slow start']],
        ['involves:@me repo:ann/open', ['Crash on start', 'Slow start']],
        ['user:ann kettle', ['Crash on start', 'Slow start', 'Secret kettle']],
        ['is:private', ['Secret kettle']],
        ['repo:ann/open label:bug', ['Crash on start']],
        ['repo:ann/open -label:bug', ['Slow start']],
        ['repo:ann/open no:label', ['Slow start']],
        ['repo:ann/open no:assignee no:milestone', ['Slow start']],
        ['repo:ann/open comments:>=1', ['Slow start']],
        ['repo:ann/open created:<2020-01-01', []],
        ['repo:ann/open created:2020-01-01..2100-01-01 closed:>2020-01-01', ['Slow start']],
        ['repo:ann/open repo:ann/hidden', ['Crash on start', 'Slow start', 'Secret kettle']],
      ]
      for (const [q, expected] of cases) assert.deepEqual(await find(q), expected, q)
    })

    test('takes what gh adds to a search: an order, reviews, merges, drafts, reasons, languages, apps', async () => {
      await ann.put('/repos/ann/open/contents/main.ts', { message: 'First', content: 'YQ==' })
      await ann.put('/repos/ann/open/collaborators/bob', { permission: 'push' })
      const [invitation] = (await bob.get('/user/repository_invitations')).body
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      const { sha } = (await ann.get('/repos/ann/open/commits/main')).body
      const propose = async (title: string, draft: boolean): Promise<string> => {
        const branch = title.toLowerCase()
        await ann.post('/repos/ann/open/git/refs', { ref: `refs/heads/${branch}`, sha })
        await ann.put(`/repos/ann/open/contents/${branch}.ts`, { message: title, content: 'Yg==', branch })
        const { body } = await ann.post('/repos/ann/open/pulls', { title, head: branch, base: 'main', draft })
        return `/repos/ann/open/pulls/${body.number}`
      }
      const [good, bad, merged, asked] = [
        await propose('Good', false),
        await propose('Bad', false),
        await propose('Merged', false),
        await propose('Asked', true),
      ]
      await bob.post(`${good}/reviews`, { event: 'REQUEST_CHANGES', body: 'No' })
      await bob.post(`${good}/reviews`, { event: 'APPROVE' })
      await bob.post(`${bad}/reviews`, { event: 'APPROVE' })
      await bob.post(`${bad}/reviews`, { event: 'REQUEST_CHANGES', body: 'No' })
      await ann.put(`${merged}/merge`)
      await ann.post(`${asked}/requested_reviewers`, { reviewers: ['bob'] })
      const cases: readonly (readonly [string, readonly string[]])[] = [
        ['is:pr review:approved', ['Good']],
        ['is:pr review:changes_requested', ['Bad']],
        ['repo:ann/open review:none', ['Merged', 'Asked']],
        ['is:pr reviewed-by:bob', ['Good', 'Bad']],
        ['is:pr -reviewed-by:@me is:draft', ['Asked']],
        ['merged:>2020-01-01', ['Merged']],
        ['repo:ann/open merged:<2020-01-01', []],
        ['user-review-requested:bob', ['Asked']],
        ['start reason:completed', ['Slow start']],
        ['start reason:"not planned"', []],
        ['start no:project', ['Crash on start', 'Slow start']],
        ['is:pr language:nothing', []],
        ['start sort:created-desc', ['Slow start', 'Crash on start']],
        ['start sort:created-asc', ['Crash on start', 'Slow start']],
        ['start sort:comments', ['Slow start', 'Crash on start']],
      ]
      for (const [q, expected] of cases) assert.deepEqual(await find(q), expected, q)
      for (const q of ['start sort:reactions', 'is:pr review:required', 'is:pr author:app/none'])
        assert.equal((await ann.get(`/search/issues?q=${encodeURIComponent(q)}`)).status, 422, q)
      const query = `{ search(type: ISSUE, last: 30, query: "sort:created-asc is:open repo:ann/open state:open type:issue") { nodes { ... on Issue { title } } } }`
      const { body } = await ann.post('/api/graphql', { query })
      assert.deepEqual(
        body.data.search.nodes.map(({ title }: Json) => title),
        ['Crash on start'],
      )
    })

    test('a review by somebody who may not write approves nothing, and asks for no changes', async () => {
      const root = asAdmin(server)
      const names = ['outsider', 'reader', 'triager', 'writer', 'plain', 'nested', 'invited', 'chief']
      const users = new Map<string, RestClient>()
      for (const name of names) users.set(name, await makeUser(server, name))
      await root.post('/admin/organizations', { login: 'guild', admin: 'ann' })
      for (const name of ['plain', 'nested', 'chief'])
        await root.put(`/orgs/guild/memberships/${name}`, { role: name === 'chief' ? 'admin' : 'member' })
      await ann.put('/orgs/guild/memberships/invited', { role: 'admin' })
      await ann.post('/orgs/guild/repos', { name: 'hall', auto_init: true })
      const above = (await ann.post('/orgs/guild/teams', { name: 'Above', privacy: 'closed' })).body.id
      await ann.post('/orgs/guild/teams', { name: 'Below', parent_team_id: above })
      await ann.put('/orgs/guild/teams/below/memberships/nested')
      await ann.put('/orgs/guild/teams/above/repos/guild/hall', { permission: 'push' })
      for (const [name, permission] of Object.entries({ reader: 'pull', triager: 'triage', writer: 'push' })) {
        await ann.put(`/repos/guild/hall/collaborators/${name}`, { permission })
        const [invitation] = (await users.get(name)!.get('/user/repository_invitations')).body
        await users.get(name)!.patch(`/user/repository_invitations/${invitation.id}`)
      }
      const { sha } = (await ann.get('/repos/guild/hall/commits/main')).body
      for (const event of ['APPROVE', 'REQUEST_CHANGES'])
        for (const name of names) {
          const branch = `${name}-${event}`
          await ann.post('/repos/guild/hall/git/refs', { ref: `refs/heads/${branch}`, sha })
          await ann.put(`/repos/guild/hall/contents/${branch}`, { message: branch, content: 'Yg==', branch })
          const draft = { title: name, head: branch, base: 'main' }
          const { body: pull } = await ann.post('/repos/guild/hall/pulls', draft)
          const review = { event, body: 'So be it' }
          const path = `/repos/guild/hall/pulls/${pull.number}/reviews`
          assert.equal((await users.get(name)!.post(path, review)).status, 200)
        }
      const heard = ['writer', 'nested', 'chief']
      assert.deepEqual(await find('repo:guild/hall review:approved'), heard)
      assert.deepEqual(await find('repo:guild/hall review:changes_requested'), heard)
      const query =
        '{ repository(owner: "guild", name: "hall") { pullRequests(first: 100) { nodes { title reviewDecision } } } }'
      const { nodes } = (await ann.post('/graphql', { query })).body.data.repository.pullRequests
      for (const decision of ['APPROVED', 'CHANGES_REQUESTED'])
        assert.deepEqual(
          nodes.filter((one: Json) => one.reviewDecision === decision).map(({ title }: Json) => title),
          heard,
        )
    })

    test('tells nothing of what the caller may not read, nor whether it is there', async () => {
      const nobody = makeRest(server.url)
      for (const by of [bob, nobody]) {
        assert.deepEqual(await find('kettle', by), ['Crash on start', 'Slow start'])
        assert.deepEqual(await find('secret', by), [])
      }
      const hidden = await bob.get('/search/issues?q=repo:ann/hidden')
      const none = await bob.get('/search/issues?q=repo:ann/nothing')
      assert.deepEqual([hidden.status, none.status], [422, 422])
      assert.deepEqual(hidden.body, none.body)
      const narrow = await makeToken(server, 'ann', {
        kind: 'fine-grained',
        permissions: { contents: 'read' },
        repositories: 'all',
      })
      assert.deepEqual(await find('kettle', makeRest(server.url, narrow)), ['Crash on start', 'Slow start'])
    })

    test('follows edits and deletions', async () => {
      const { body: issue } = await ann.post('/repos/ann/open/issues', { title: 'Walrus', body: 'tusk' })
      const path = `/repos/ann/open/issues/${issue.number}`
      const { body: comment } = await ann.post(`${path}/comments`, { body: 'whiskers' })
      assert.deepEqual(await find('walrus tusk whiskers'), ['Walrus'])
      await ann.patch(path, { title: 'Seal', body: 'flipper' })
      await ann.patch(`/repos/ann/open/issues/comments/${comment.id}`, { body: 'moustache' })
      assert.deepEqual([await find('walrus'), await find('tusk'), await find('whiskers')], [[], [], []])
      assert.deepEqual(await find('seal flipper moustache'), ['Seal'])
      await ann.delete(`/repos/ann/open/issues/comments/${comment.id}`)
      assert.deepEqual(await find('moustache'), [])
      assert.equal((await ann.delete(path)).status, 204)
      assert.deepEqual(await find('seal'), [])
    })

    test('is paged and ordered for published clients, and refuses what is no search', async () => {
      const { rest } = new Octokit({ auth: ann.token, baseUrl: server.url })
      const { data, headers } = await rest.search.issuesAndPullRequests({ q: 'start', sort: 'comments', per_page: 1 })
      assert.deepEqual([data.total_count, data.incomplete_results, data.items[0]!.title], [2, false, 'Slow start'])
      assert.match(headers.link!, /page=2>; rel="next"/)
      const statuses = await Promise.all(
        [
          '',
          '?q=',
          '?q=%20',
          `?q=${'a'.repeat(257)}`,
          '?q=author:nobody-at-all',
          '?q=is:purple',
          '?q=linked:pr',
          '?q=created:soon',
          '?q=a&page=11&per_page=100',
        ].map(async (query) => (await ann.get(`/search/issues${query}`)).status),
      )
      assert.deepEqual(statuses, Array(9).fill(422))
      assert.equal((await ann.get('/search/issues?q=a')).headers.get('x-ratelimit-resource'), 'search')
    })

    test('of a long text the first thousand words count, and hostile ones are words like any', async () => {
      const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`)
      await ann.post('/repos/ann/open/issues', { title: 'Long', body: words.join(' ') })
      assert.deepEqual(await find('w999'), ['Long'])
      assert.deepEqual(await find('w1000'), [])
      await ann.post('/repos/ann/open/issues', {
        title: "Robert'); drop table issue;--",
        body: `${'a'.repeat(100_000)} %_*`,
      })
      assert.deepEqual(await find("robert'); drop"), ["Robert'); drop table issue;--"])
    })
  })
