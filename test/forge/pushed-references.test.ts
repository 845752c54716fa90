/** What commits say of issues elsewhere reaches as far as the credential that brought them: on every way, and as it stands then. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { theServer } from '../../src/accounts/actor.ts'
import { engines } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { exportAll } from './migrations/exports.ts'
import { everyPermission } from './world.ts'

const oidc = { kind: 'oidc', issuer: 'https://login.example.org', client_id: 'guildhall', client_secret: 'a secret' }

for (const engine of engines)
  suite(`what commits say of issues elsewhere, ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let root: RestClient
    let ann: RestClient
    let count = 0

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      const zoe = await makeUser(server, 'zoe')
      await zoe.post('/user/repos', { name: 'hers', auto_init: true })
      for (const name of ['own', 'near', 'target']) await ann.post('/user/repos', { name, auto_init: true })
      await root.post('/admin/organizations', { login: 'so', admin: 'ann' })
      await ann.post('/orgs/so/repos', { name: 'shown', auto_init: true })
      await root.post('/user/repos', { name: 'desk', auto_init: true })
    })
    after(() => server.stop())

    const make = async (login: string, draft: object) => makeRest(server.url, await makeToken(server, login, draft))
    /** Reaches ann/own and ann/near, and nothing else of ann's. */
    const selecting = (permissions: object = everyPermission, names = ['own', 'near']) =>
      make('ann', { kind: 'fine-grained', permissions, repositories: names.map((name) => `ann/${name}`) })

    const openIssue = async (repo: string): Promise<string> => {
      const { body } = await root.post(`/repos/${repo}/issues`, { title: 'An issue' })
      return `${repo}#${body.number}`
    }
    const at = (issue: string) => `/repos/${issue.replace('#', '/issues/')}`
    const eventsOf = async (issue: string): Promise<string[]> =>
      (await root.get(`${at(issue)}/events`)).body.map(({ event }: { event: string }) => event)
    const stateOf = async (issue: string): Promise<string> => (await root.get(at(issue))).body.state

    async function commitTo(client: RestClient, repo: string, message: string): Promise<void> {
      const path = `/repos/${repo}/contents/f${++count}.txt`
      const { status, text } = await client.put(path, { message, content: btoa(`${count}`) })
      assert.equal(status, 201, text)
    }

    /** The state of an issue once a commit that says it fixes it was heard of there; both are one write. */
    async function settled(issue: string): Promise<string> {
      await until(async () => (await eventsOf(issue)).includes('referenced'))
      return stateOf(issue)
    }

    /** What a commit by this client to one of its repositories makes of an issue. */
    async function fix(client: RestClient, target: string, from = 'ann/own'): Promise<string> {
      const issue = await openIssue(target)
      await commitTo(client, from, `Fixes ${issue}`)
      return settled(issue)
    }

    test('a token closes what it reaches, and refers to what anyone reads', async () => {
      const { issues: _, ...others } = everyPermission
      const session = (await makeRpcClient(server.url).signIn(admin.name, admin.password)).token
      const rows: [string, RestClient, Record<string, string>, from?: string][] = [
        ['a classic token', ann, { 'ann/target': 'closed', 'so/shown': 'closed', 'zoe/hers': 'open' }],
        ['one of chosen repositories', await selecting(), { 'ann/near': 'closed', 'ann/target': 'open' }],
        ['one that may not change issues', await selecting(others), { 'ann/near': 'open' }],
        [
          'one of all of one’s own',
          await make('ann', { kind: 'fine-grained', permissions: everyPermission, repositories: 'all' }),
          { 'ann/target': 'closed', 'so/shown': 'open' },
        ],
        [
          'an admin’s token without the scope of admins',
          await make('admin', { kind: 'classic', scopes: ['repo'] }),
          { 'zoe/hers': 'open' },
          'admin/desk',
        ],
        ['an admin’s token with it', root, { 'zoe/hers': 'closed' }, 'admin/desk'],
        ['an admin’s session', makeRest(server.url, session), { 'zoe/hers': 'closed' }, 'admin/desk'],
      ]
      for (const [who, client, due, from] of rows) {
        const found: Record<string, string> = {}
        for (const target of Object.keys(due)) found[target] = await fix(client, target, from)
        assert.deepEqual(found, due, who)
      }
    })

    /** Each brings a commit with this message to the default branch of ann/own. */
    const ways: Record<string, (client: RestClient, message: string) => Promise<void>> = {
      async 'git push'(client, message) {
        const work = await makeWorkingFolder()
        const url = remoteUrl(server.url, 'ann/own', 'ann', client.token)
        await work.must('pull', '--quiet', url, 'main')
        await work.must('commit', '--quiet', '--allow-empty', '-m', message)
        await work.must('push', '--quiet', url, 'HEAD:refs/heads/main')
        await work.drop()
      },
      contents: (client, message) => commitTo(client, 'ann/own', message),
      async refs(client, message) {
        await client.patch('/repos/ann/own/git/refs/heads/main', { sha: await commitAside(client, message) })
      },
      async merges(client, message) {
        const branch = await branchAside(client, 'Aside')
        const merge = { base: 'main', head: branch, commit_message: message }
        assert.equal((await client.post('/repos/ann/own/merges', merge)).status, 201)
      },
      async 'the message of a pull’s merge'(client, message) {
        const head = await branchAside(client, 'Aside')
        const { body } = await client.post('/repos/ann/own/pulls', { title: 'A pull', head, base: 'main' })
        const merged = { commit_title: 'Merged', commit_message: message }
        assert.equal((await client.put(`/repos/ann/own/pulls/${body.number}/merge`, merged)).status, 200)
      },
    }

    async function commitAside(client: RestClient, message: string): Promise<string> {
      const { body: ref } = await client.get('/repos/ann/own/git/ref/heads/main')
      const { body: tip } = await client.get(`/repos/ann/own/git/commits/${ref.object.sha}`)
      const draft = { message, tree: tip.tree.sha, parents: [tip.sha] }
      return (await client.post('/repos/ann/own/git/commits', draft)).body.sha
    }

    async function branchAside(client: RestClient, message: string): Promise<string> {
      const ref = `side${++count}`
      const draft = { ref: `refs/heads/${ref}`, sha: await commitAside(client, message) }
      assert.equal((await client.post('/repos/ann/own/git/refs', draft)).status, 201)
      return ref
    }

    for (const [way, bring] of Object.entries(ways))
      rule(`so it is by ${way}`, async () => {
        const client = await selecting()
        const [far, near, own] = [
          await openIssue('ann/target'),
          await openIssue('ann/near'),
          await openIssue('ann/own'),
        ]
        await bring(client, `Fixes ${far}, fixes ${near}, fixes ${own}`)
        assert.deepEqual([await settled(far), await settled(near), await settled(own)], ['open', 'closed', 'closed'])
      })

    const landings: Record<string, (client: RestClient, pull: number, head: string) => Promise<number>> = {
      merged: async (client, pull) => (await client.put(`/repos/ann/own/pulls/${pull}/merge`)).status,
      pushed: async (client, _, head) => {
        const { body } = await client.get(`/repos/ann/own/git/ref/heads/${head}`)
        return (await client.patch('/repos/ann/own/git/refs/heads/main', { sha: body.object.sha })).status
      },
    }
    for (const [how, land] of Object.entries(landings))
      rule(`the text of a pull that is ${how} closes what the token reaches`, async () => {
        const client = await selecting()
        const [far, near, own] = [
          await openIssue('ann/target'),
          await openIssue('ann/near'),
          await openIssue('ann/own'),
        ]
        const head = await branchAside(ann, 'Aside')
        const draft = { title: 'A pull', head, base: 'main', body: `Fixes ${far}, fixes ${near}, fixes ${own}` }
        const { body: pull } = await ann.post('/repos/ann/own/pulls', draft)
        assert.equal(await land(client, pull.number, head), 200)
        // They are closed in the order of the text.
        await until(async () => (await stateOf(near)) === 'closed')
        assert.deepEqual([await stateOf(far), await stateOf(own)], ['open', 'closed'])
      })

    rule('where issues are switched off, a commit closes none', async () => {
      const [own, near] = [await openIssue('ann/own'), await openIssue('ann/near')]
      await ann.patch('/repos/ann/own', { has_issues: false })
      await commitTo(ann, 'ann/own', `Fixes ${own}, see ${near}`)
      // Both are looked at in the order of the text.
      await settled(near)
      await ann.patch('/repos/ann/own', { has_issues: true })
      assert.equal(await stateOf(own), 'open')
    })

    rule('a token that was revoked before its commits were looked at closes nothing elsewhere', async () => {
      const token = await makeToken(server, 'ann', { kind: 'classic', scopes: ['repo'], note: 'to be revoked' })
      const [kept, far, own] = [
        await openIssue('ann/target'),
        await openIssue('ann/target'),
        await openIssue('ann/own'),
      ]
      const { id } = await exportAll(ann, { repositories: ['target'], lock_repositories: true })
      await commitTo(ann, 'ann/own', `Fixes ${kept}`)
      await commitTo(makeRest(server.url, token), 'ann/own', `Fixes ${far}, fixes ${own}`)
      assert.equal(await settled(own), 'closed')
      const found = (await server.services.tokens.find(token))!
      await server.services.tokens.revoke(found.token.id)
      assert.equal((await ann.delete(`/user/migrations/${id}/repos/target/lock`)).status, 204)
      assert.deepEqual([await settled(far), await settled(kept)], ['open', 'closed'])
    })

    rule('an organisation that requires single sign-on has its issues closed by authorised tokens alone', async () => {
      const [plain, authorised] = [
        await make('ann', { kind: 'classic', scopes: ['repo'] }),
        await make('ann', { kind: 'classic', scopes: ['repo'] }),
      ]
      const { body: organisation } = await root.get('/orgs/so')
      await root.patch('/admin/organizations/so', { sso: { ...oidc, required: true } })
      const { store, tokens, forge } = server.services
      const { token, account } = (await tokens.find(authorised.token!))!
      const member = { organisationId: organisation.id, userId: account.id }
      const { identities, authorizations } = forge.singleSignOn
      await store.write(async (trx) => {
        await identities.linkWithin(trx, theServer, member, { issuer: oidc.issuer, subject: 'ann' })
        await authorizations.addWithin(trx, theServer, { ...member, tokenId: token.id })
      })
      assert.deepEqual([await fix(plain, 'so/shown'), await fix(authorised, 'so/shown')], ['open', 'closed'])
    })
  })
