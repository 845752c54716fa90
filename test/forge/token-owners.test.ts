/** A fine-grained token is for the things of one owner: to all others it is a stranger's, at every door. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { tokenOwners } from '../../src/store/migrations/0052-token-owners.ts'
import { postgresDdl, sqliteDdl } from '../../src/store/migrations/ddl.ts'
import { engines } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { type Json, makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { makeLfsClient, makeObject } from './lfs/lfs-client.ts'
import { everyPermission } from './world.ts'

const everything = Object.entries({ ...everyPermission, datasets: 'write' }).map(([Name, Level]) => ({ Name, Level }))
const password = 'a good password'

for (const engine of engines) {
  describe(`owners of tokens on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let root: RestClient
    /** Owns the organisations `so` and `other`. */
    let ann: RestClient
    let sessions: Record<'ann' | 'zoe', RpcClient>
    /** Has nothing to do with any of it; the same token as the others have. */
    let stranger: RestClient
    const ids: Record<string, number> = {}

    const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status
    const logins = ({ body }: { body: Json }): string[] => body.map(({ login }: { login: string }) => login)
    const fullNames = ({ body }: { body: Json }): string[] =>
      body.map(({ full_name }: { full_name: string }) => full_name).sort()

    /** As the page makes one. */
    async function make(session: RpcClient, draft: object = {}): Promise<RestClient> {
      const params = { Kind: 'fine-grained', PermissionList: everything, ...draft }
      const { Text } = await session.call('create_token', params)
      return makeRest(server.url, Text)
    }
    const forSelf = (draft: object = {}) => make(sessions.ann, draft)
    const forSo = (draft: object = {}) => make(sessions.ann, { ResourceOwner: 'so', ...draft })

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      root = asAdmin(server)
      const anyone = makeRpcClient(server.url)
      for (const name of ['ann', 'zoe'])
        await anyone.call('create_account', {
          ...{ AccountName: name, DisplayName: name, Password: password, Role: 'contestant' },
        })
      sessions = { ann: await anyone.signIn('ann', password), zoe: await anyone.signIn('zoe', password) }
      const scopes = ['repo', 'user', 'admin:org', 'delete_repo', 'admin:org_hook', 'dataset']
      ann = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes }))
      await makeUser(server, 'bob')
      for (const login of ['so', 'other']) {
        await root.post('/admin/organizations', { login, admin: 'ann' })
        await root.put(`/orgs/${login}/memberships/bob`, {})
        for (const [name, isPrivate] of [['vault', true] as const, ['shown', false] as const]) {
          const { body } = await ann.post(`/orgs/${login}/repos`, { name, private: isPrivate, auto_init: true })
          ids[body.full_name] = body.id
          await ann.post(`/repos/${login}/${name}/issues`, { title: `needle of ${login}`, assignees: ['ann'] })
        }
        await ann.post(`/orgs/${login}/teams`, { name: 'Crew', privacy: 'secret', repo_names: [`${login}/shown`] })
        await ann.post(`/repos/${login}/shown/releases`, { tag_name: 'v1', name: 'Draft', draft: true })
        await ann.post(`/orgs/${login}/hooks`, { config: { url: 'https://example.org/hook' } })
        await ann.put(`/orgs/${login}/blocks/zoe`, {})
        await ann.delete(`/orgs/${login}/blocks/zoe`)
      }
      for (const name of ['own', 'second']) {
        const { body } = await ann.post('/user/repos', { name, private: true, auto_init: true })
        ids[body.full_name] = body.id
        await ann.post(`/repos/ann/${name}/issues`, { title: 'needle of ann', assignees: ['ann'] })
      }
      await fetch(`${server.url}/v2/datasets?name=figures`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ann.token}` },
      })
      stranger = await make(sessions.zoe)
    })
    after(() => server.stop())

    /** What an organisation or its repositories show, by every kind of door. */
    const readsOf = (org: string): string[] =>
      [
        ...['', '/repos', '/members', '/members/bob', '/members/ann', '/public_members', '/memberships/bob', '/teams'],
        ...['/teams/crew', '/teams/crew/members', '/teams/crew/repos', '/hooks', '/audit-log', '/blocks', '/issues'],
        ...['/credential-authorizations', '/events', '/installations'],
      ]
        .map((path) => `/orgs/${org}${path}`)
        .concat(
          ['vault', 'shown'].flatMap((name) =>
            [
              ...['', '/contents/README.md', '/commits', '/branches', '/issues', '/issues/1', '/issues/1/timeline'],
              ...[
                '/issues/events',
                '/pulls',
                '/labels',
                '/releases',
                '/collaborators',
                '/collaborators/bob/permission',
              ],
              ...['/teams', '/hooks', '/keys', '/invitations', '/subscribers', '/events', '/forks', '/topics'],
              ...['/branches/main/protection', '/actions/runs', '/assignees', '/stargazers'],
            ].map((path) => `/repos/${org}/${name}${path}`),
          ),
        )
        .concat(
          [`/user/memberships/orgs/${org}`, `/users/ann/events/orgs/${org}`, `/search/issues?q=needle+org:${org}`],
          [
            `/search/repositories?q=org:${org}`,
            `/search/code?q=vault+org:${org}`,
            `/search/commits?q=initial+org:${org}`,
          ],
          ['/users/bob/orgs', '/users/ann/repos', '/users/ann/orgs'],
        )

    /** What tells of the person by name is left out of the comparison: only what is there counts. */
    async function compare(client: RestClient, path: string): Promise<string | undefined> {
      const [got, due] = [await client.get(path), await stranger.get(path)]
      const isSame = got.status === due.status || (got.status === 404 && due.status === 403)
      const [seen, public_] = [JSON.stringify(got.body), JSON.stringify(due.body)]
      if (isSame && (got.status >= 300 || seen === public_)) return undefined
      return `${path}: ${got.status} ${seen.slice(0, 300)} for ${due.status} ${public_.slice(0, 300)}`
    }

    test('by a token for oneself, an organisation that one owns is what it is to a stranger', async () => {
      for (const client of [await forSelf(), await forSelf({ RepositoryIDList: [ids['ann/own']] })]) {
        const wrong: string[] = []
        for (const path of readsOf('so').filter((each) => !each.startsWith('/users/ann')))
          wrong.push(...([await compare(client, path)].filter(Boolean) as string[]))
        assert.deepEqual(wrong, [])
      }
    })

    rule(
      'by a token for one organisation, another is what it is to a stranger, and so is what is one’s own',
      async () => {
        const client = await forSo()
        const wrong: string[] = []
        for (const path of [...readsOf('other'), '/repos/ann/own', '/repos/ann/own/issues', '/users/ann/repos'])
          wrong.push(...([await compare(client, path)].filter(Boolean) as string[]))
        assert.deepEqual(
          wrong.filter((line) => !line.startsWith('/users/ann/orgs')),
          [],
        )
        for (const path of ['/user/emails', '/user/followers', '/user/starred', '/user/subscriptions'])
          assert.equal(await statusOf(client.get(path)), 403, path)
        assert.equal(await statusOf(client.patch('/user', { bio: 'Changed' })), 403)
        assert.equal((await client.get('/user')).body.email, null)
        const sets = (method: string) =>
          fetch(`${server.url}/v2/datasets`, { method, headers: { authorization: `Bearer ${client.token}` } })
        assert.equal(await statusOf(sets('GET')), 403)
        assert.equal(await statusOf(sets('POST')), 403)
      },
    )

    test('a text tells nothing of private issues that the token does not reach, and leaves nothing there', async () => {
      const client = await forSelf()
      const { body } = await client.post('/repos/ann/own/issues', { title: 'Like so/vault#1?' })
      await client.post(`/repos/ann/own/issues/${body.number}/comments`, { body: 'Duplicate of so/vault#1' })
      const eventsOf = async (path: string) =>
        (await ann.get(`${path}/timeline`)).body.map(({ event }: { event: string }) => event)
      const own = `/repos/ann/own/issues/${body.number}`
      assert.equal((await eventsOf(own)).includes('marked_as_duplicate'), false)
      assert.equal((await eventsOf('/repos/so/vault/issues/1')).includes('cross-referenced'), false)
      await ann.post(`${own}/comments`, { body: 'Duplicate of so/vault#1' })
      assert.ok((await eventsOf(own)).includes('marked_as_duplicate'), 'by a token that reaches it')
      assert.ok((await eventsOf('/repos/so/vault/issues/1')).includes('cross-referenced'))
    })

    test('a token for oneself changes nothing of an organisation', async () => {
      for (const client of [await forSelf(), await forSelf({ RepositoryIDList: [ids['ann/own']] })])
        for (const [method, path, body] of [
          ['PATCH', '/orgs/so', { description: 'Taken' }],
          ['PUT', '/orgs/so/memberships/zoe', { role: 'admin' }],
          ['DELETE', '/orgs/so/members/bob', undefined],
          ['POST', '/orgs/so/hooks', { config: { url: 'https://example.org/thief' } }],
          ['POST', '/orgs/so/teams', { name: 'Taken' }],
          ['POST', '/orgs/so/repos', { name: 'taken' }],
          ['PUT', '/orgs/so/blocks/zoe', undefined],
          ['PUT', '/orgs/so/public_members/ann', undefined],
          ['DELETE', '/orgs/so/credential-authorizations/1', undefined],
          ['PATCH', '/repos/so/shown', { description: 'Taken' }],
          ['PATCH', '/repos/so/vault', { description: 'Taken' }],
          ['DELETE', '/repos/so/vault', undefined],
          ['POST', '/repos/so/shown/issues', { title: 'Taken' }],
          ['PUT', '/repos/so/shown/contents/taken', { message: 'Taken', content: 'AA==' }],
          ['POST', '/repos/so/shown/actions/runs', { name: 'Taken' }],
          ['POST', '/repos/so/shown/forks', { organization: 'so' }],
          ['DELETE', '/orgs/so', undefined],
        ] as const) {
          const status = await statusOf(client.ask(method, path, body))
          assert.ok(status === 403 || status === 404, `${method} ${path}: ${status}`)
        }
      assert.equal((await ann.get('/orgs/so')).body.description, null)
      assert.deepEqual(logins(await ann.get('/orgs/so/members')), ['ann', 'bob'])
    })

    test('lists of one’s own tell of the token’s owner alone', async () => {
      const [self, so] = [await forSelf(), await forSo()]
      assert.deepEqual(fullNames(await self.get('/user/repos')), ['ann/own', 'ann/second'])
      assert.deepEqual(fullNames(await so.get('/user/repos')), ['so/shown', 'so/vault'])
      assert.deepEqual(fullNames(await so.get('/orgs/so/repos')), ['so/shown', 'so/vault'])
      const organisations = (path: string, client: RestClient) =>
        client.get(path).then(({ body }) => body.map((one: Json) => one.organization?.login ?? one.login))
      for (const path of ['/user/orgs', '/users/ann/orgs', '/user/memberships/orgs', '/user/teams']) {
        assert.deepEqual(await organisations(path, self), [], path)
        assert.deepEqual(await organisations(path, so), ['so'], path)
      }
      for (const path of ['/issues?filter=all', '/user/issues?filter=all', '/search/issues?q=needle']) {
        const titles = ({ body }: { body: Json }) => (body.items ?? body).map(({ title }: Json) => title).sort()
        const shown = path.startsWith('/search') ? ['needle of other', 'needle of so'] : undefined
        const ofSelf = titles(await self.get(path))
        const ofSo = titles(await so.get(path))
        assert.ok(ofSelf.includes('needle of ann') && !ofSo.includes('needle of ann'), path)
        assert.equal(ofSo.filter((title: string) => title === 'needle of so').length, 2, path)
        assert.ok(ofSelf.filter((title: string) => title === 'needle of so').length <= 1, path)
        if (shown) assert.deepEqual([...new Set(ofSo)], shown)
      }
      const selected = await forSelf({ RepositoryIDList: [ids['ann/own']] })
      assert.deepEqual(fullNames(await selected.get('/user/repos')), ['ann/own'])
    })

    rule('a public repository of another owner shows its person no more rights, and no drafts', async () => {
      const self = await forSelf()
      const { body } = await self.get('/repos/so/shown')
      assert.deepEqual([body.permissions.admin, body.permissions.push, body.permissions.pull], [false, false, true])
      assert.deepEqual((await self.get('/repos/so/shown/releases')).body, [])
      const [listed] = (await self.get('/search/repositories?q=shown+org:so')).body.items
      assert.equal(listed.permissions.admin, false)
      assert.equal((await (await forSo()).get('/repos/so/shown')).body.permissions.admin, true)
      assert.equal((await (await forSo()).get('/repos/so/shown/releases')).body.length, 1)
    })

    rule('git, large files and GraphQL know the owner as well', async () => {
      const [self, so] = [await forSelf(), await forSo()]
      const folder = await makeWorkingFolder()
      const ls = async (client: RestClient, name: string) =>
        (await folder.git('ls-remote', remoteUrl(server.url, name, 'ann', client.token))).code
      assert.deepEqual([await ls(so, 'so/vault'), await ls(self, 'ann/own'), await ls(self, 'so/shown')], [0, 0, 0])
      for (const [client, name] of [
        [self, 'so/vault'],
        [so, 'ann/own'],
        [so, 'other/vault'],
      ] as const) {
        assert.notEqual(await ls(client, name), 0, name)
        const lfs = makeLfsClient(server.url, name, client)
        assert.equal((await lfs.batch('download', [makeObject('x')])).status, 404, name)
      }
      assert.equal((await makeLfsClient(server.url, 'so/shown', self).batch('upload', [makeObject('x')])).status, 403)
      assert.equal((await makeLfsClient(server.url, 'so/vault', so).batch('upload', [makeObject('x')])).status, 200)
      const query = `{ viewer { organizations(first: 9) { nodes { login } } repositories(first: 9, ownerAffiliations: [OWNER, COLLABORATOR, ORGANIZATION_MEMBER]) { nodes { nameWithOwner } } }
        organization(login: "so") { membersWithRole(first: 9) { totalCount } }
        repository(owner: "so", name: "vault") { name } }`
      const seen = async (client: RestClient) => {
        const { body } = await client.post('/graphql', { query })
        const { viewer, organization, repository } = body.data
        return {
          organizations: viewer.organizations.nodes.map(({ login }: Json) => login),
          repositories: viewer.repositories.nodes.map(({ nameWithOwner }: Json) => nameWithOwner).sort(),
          members: organization.membersWithRole.totalCount,
          vault: repository?.name ?? null,
        }
      }
      assert.deepEqual(await seen(self), {
        organizations: [],
        repositories: ['ann/own', 'ann/second'],
        members: 0,
        vault: null,
      })
      assert.deepEqual(await seen(so), {
        organizations: ['so'],
        repositories: ['so/shown', 'so/vault'],
        members: 2,
        vault: 'vault',
      })
    })

    test('repositories are made and forked for the token’s owner alone, and not beside a selection', async () => {
      const [self, so] = [await forSelf(), await forSo()]
      const chosenSelf = await forSelf({ RepositoryIDList: [ids['ann/own']] })
      const chosenSo = await forSo({ RepositoryIDList: [ids['so/vault'], ids['so/shown']] })
      const bare = await forSelf({ PermissionList: [{ Name: 'administration', Level: 'read' }] })
      for (const client of [so, chosenSelf, chosenSo, bare])
        assert.equal(await statusOf(client.post('/user/repos', { name: 'made' })), 403)
      for (const client of [self, chosenSelf, chosenSo, bare])
        assert.equal(await statusOf(client.post('/orgs/so/repos', { name: 'made' })), 403)
      for (const client of [so, chosenSelf, chosenSo, bare])
        assert.equal(await statusOf(client.post('/repos/other/shown/forks', {})), 403)
      for (const client of [self, chosenSelf, chosenSo, bare])
        assert.equal(await statusOf(client.post('/repos/other/shown/forks', { organization: 'so' })), 403)
      assert.equal(await statusOf(self.post('/repos/so/vault/forks', {})), 404)
      assert.equal(await statusOf(self.post('/user/repos', { name: 'made' })), 201)
      assert.equal(await statusOf(so.post('/orgs/so/repos', { name: 'made' })), 201)
      const fork = await self.post('/repos/other/shown/forks', {})
      assert.deepEqual([fork.status, fork.body.full_name], [202, 'ann/shown'])
      const named = await so.post('/repos/other/shown/forks', { organization: 'so', name: 'forked' })
      assert.deepEqual([named.status, named.body.full_name], [202, 'so/forked'])
      for (const name of ['ann/made', 'ann/shown', 'so/made', 'so/forked']) await ann.delete(`/repos/${name}`)
    })

    rule('what a person marks of others’ is the person’s own', async () => {
      const [self, so] = [await forSelf(), await forSo()]
      assert.equal(await statusOf(self.put('/user/starred/so/shown')), 204)
      assert.equal(await statusOf(self.get('/user/starred/so/shown')), 204)
      assert.deepEqual(fullNames(await self.get('/user/starred')), ['so/shown'])
      assert.equal(await statusOf(self.put('/user/starred/so/vault')), 404)
      assert.equal(await statusOf(so.put('/user/starred/so/shown')), 403)
      await ann.delete('/user/starred/so/shown')
    })

    rule('invitations of others are not shown and not accepted', async () => {
      await ann.post('/user/repos', { name: 'shared', private: true })
      const { body: invitation } = await ann.put('/repos/ann/shared/collaborators/zoe', {})
      await root.post('/admin/organizations', { login: 'later', admin: 'ann' })
      await ann.put('/orgs/later/memberships/zoe', {})
      assert.deepEqual((await stranger.get('/user/repository_invitations')).body, [])
      assert.equal(await statusOf(stranger.patch(`/user/repository_invitations/${invitation.id}`)), 404)
      assert.equal(await statusOf(stranger.patch('/user/memberships/orgs/later', { state: 'active' })), 404)
      assert.deepEqual((await stranger.get('/user/memberships/orgs')).body, [])
    })

    test('the owner is named when a token is made, oneself if absent, and shown ever after', async () => {
      const draft = { Kind: 'fine-grained', PermissionList: [], Note: 'shown' }
      const own = await sessions.ann.call('create_token', draft)
      const so = await sessions.ann.call('create_token', { ...draft, ResourceOwner: 'SO', RepositoryIDList: null })
      const classic = await sessions.ann.call('create_token', { Kind: 'classic', ScopeList: [], Note: 'shown' })
      assert.deepEqual(
        [own, so, classic].map(({ Token }) => Token.ResourceOwner),
        ['ann', 'so', null],
      )
      const { TokenList } = await sessions.ann.call('get_token_list', { Offset: 0, Limit: 3 })
      assert.deepEqual(
        TokenList.map(({ ResourceOwner }: Json) => ResourceOwner),
        [null, 'so', 'ann'],
      )
      const post = (body: object) => root.post('/admin/users/ann/tokens', { kind: 'fine-grained', ...body })
      assert.equal((await post({})).body.resource_owner, 'ann')
      assert.equal((await post({ resource_owner: 'so', repositories: ['so/vault'] })).body.resource_owner, 'so')
      for (const body of [
        ...['bob', 'nobody', 'admin'].map((login) => ({ resource_owner: login })),
        { repositories: ['so/vault'] },
        { resource_owner: 'so', repositories: ['so/vault', 'ann/own'] },
        { kind: 'classic', resource_owner: 'so' },
      ])
        assert.equal(await statusOf(post(body)), 422, JSON.stringify(body))
      for (const params of [{ ResourceOwner: 'bob' }, { RepositoryIDList: [ids['so/vault']] }])
        assert.match(
          JSON.stringify((await sessions.ann.ask('create_token', { ...draft, ...params })).error),
          /-32602.* (member of|none of)/,
        )
    })

    test('a token for an organisation ends with the membership, and goes with the organisation', async () => {
      await root.post('/admin/organizations', { login: 'brief', admin: 'ann' })
      await root.put('/orgs/brief/memberships/zoe', {})
      const { body } = await ann.post('/orgs/brief/repos', { name: 'vault', private: true })
      const zoe = await make(sessions.zoe, { ResourceOwner: 'brief' })
      assert.equal(await statusOf(zoe.get('/repos/brief/vault')), 200)
      await ann.delete('/orgs/brief/members/zoe')
      assert.equal(await statusOf(zoe.get('/repos/brief/vault')), 404)
      // Who is invited again accepts in person: a token that was lost meanwhile does not take up the invitation.
      await ann.put('/orgs/brief/memberships/zoe', { role: 'admin' })
      assert.equal(await statusOf(zoe.patch('/user/memberships/orgs/brief', { state: 'active' })), 403)
      assert.equal(await statusOf(zoe.get('/orgs/brief/hooks')), 403)
      await ann.delete(`/repos/${body.full_name}`)
      assert.equal(await statusOf(ann.delete('/orgs/brief')), 202)
      assert.equal(await statusOf(zoe.get('/user')), 401)
    })

    test('tokens from before there were owners have that of their repositories, else their own account', async () => {
      const { store } = server.services
      const selections: readonly (readonly [string, unknown, string])[] = [
        ['all', 'all', 'ann'],
        ['none', 'none', 'ann'],
        ['own', [ids['ann/own'], ids['ann/second']], 'ann'],
        ['of an organisation', [ids['so/vault'], ids['so/shown']], 'so'],
        ['of several owners', [ids['so/vault'], ids['other/vault']], 'ann'],
        ['gone', [999_999], 'ann'],
      ]
      const draft = { Kind: 'fine-grained', PermissionList: [], Note: 'old' }
      const made: number[] = []
      for (const _ of selections) made.push((await sessions.ann.call('create_token', draft)).Token.ID)
      await store.write(async (trx) => {
        for (const [at, [, repositories]] of selections.entries())
          await trx
            .updateTable('token')
            .set({ repositories: JSON.stringify(repositories), resource_owner_id: null })
            .where('id', '=', made[at]!)
            .execute()
        const filling = tokenOwners(engine === 'sqlite' ? sqliteDdl : postgresDdl).find((line) => /^update/.test(line))!
        await sql.raw(`${filling.replace(/where kind/, 'where resource_owner_id is null and (kind')})`).execute(trx)
      })
      const { TokenList } = await sessions.ann.call('get_token_list', { Offset: 0, Limit: 100 })
      const ownerOf = new Map(TokenList.map(({ ID, ResourceOwner }: Json) => [ID, ResourceOwner]))
      assert.deepEqual(
        selections.map(([what], at) => [what, ownerOf.get(made[at]!)]),
        selections.map(([what, , owner]) => [what, owner]),
      )
    })

    rule('an app user token that an admin made is for one owner as well', async () => {
      const draft = { kind: 'app-user', permissions: everyPermission, repositories: 'all' }
      const self = makeRest(server.url, await makeToken(server, 'ann', draft))
      const so = makeRest(server.url, await makeToken(server, 'ann', { ...draft, resource_owner: 'so' }))
      assert.equal(await statusOf(self.get('/repos/ann/own')), 200)
      assert.equal(await statusOf(self.get('/repos/so/vault')), 404)
      assert.equal(await statusOf(self.patch('/orgs/so', { description: 'Taken' })), 403)
      assert.equal(await statusOf(self.put('/orgs/so/memberships/zoe', {})), 403)
      assert.deepEqual(logins(await self.get('/orgs/so/members')), [])
      assert.equal(await statusOf(so.patch('/orgs/other', { description: 'Taken' })), 403)
      assert.equal(await statusOf(so.get('/repos/ann/own')), 404)
      assert.equal(await statusOf(so.patch('/orgs/so', { location: 'Here' })), 200)
      assert.equal(await statusOf(so.get('/repos/so/vault')), 200)
    })
  })
}
