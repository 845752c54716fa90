/** Protected branches: set by admins, kept by git's pushes and by what is written over REST, for whom and against what. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { theServer } from '../../../src/accounts/actor.ts'
import { everyTokenKind } from '../../../src/forge/access/required-grant.ts'
import { oneEngine } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { asInstallation, installApp, registerApp } from '../apps/app-world.ts'
import { commit, type GitServer, startGitServer } from '../git-server.ts'

const nothing = {
  required_status_checks: null,
  enforce_admins: null,
  required_pull_request_reviews: null,
  restrictions: null,
}

for (const engine of oneEngine)
  describe(`protected branches on ${engine}`, () => {
    let { server, ann, bob, start, url, stop } = {} as GitServer
    before(async () => {
      ;({ server, ann, bob, start, url, stop } = await startGitServer(engine))
    })
    after(() => stop())

    /** A repository of ann's to which bob may push, with main and side. */
    async function prepare(name: string) {
      const folder = await start(name)
      await folder.must('push', '--quiet', 'origin', 'main:side')
      await folder.must('remote', 'add', 'bob', url(`ann/${name}`, bob, 'bob'))
      await ann.put(`/repos/ann/${name}/collaborators/bob`, { permission: 'push' })
      const { body } = await bob.get('/user/repository_invitations')
      await bob.patch(`/user/repository_invitations/${body[0].id}`)
      const protect = async (rules: object, branch = 'side') => {
        const answer = await ann.put(`/repos/ann/${name}/branches/${branch}/protection`, { ...nothing, ...rules })
        assert.equal(answer.status, 200, answer.text)
      }
      const put = (by: RestClient, path: string, branch = 'side') =>
        by.put(`/repos/ann/${name}/contents/${path}`, { message: path, content: '', branch })
      const shaOf = async (branch: string) =>
        (await ann.get(`/repos/ann/${name}/git/ref/heads/${branch}`)).body.object.sha
      return { folder, protect, put, shaOf, path: `/repos/ann/${name}` }
    }

    test('are set, seen and changed part by part by Octokit', async () => {
      await prepare('parts')
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
      const place = { owner: 'ann', repo: 'parts', branch: 'side' }
      const isSet = async () => (await octokit.repos.getBranch(place)).data.protected
      assert.equal(await isSet(), false)
      await assert.rejects(octokit.repos.getBranchProtection(place), { status: 404 })
      const { data } = await octokit.repos.updateBranchProtection({
        ...place,
        ...nothing,
        required_status_checks: { strict: true, contexts: ['ci'] },
        restrictions: { users: ['bob'], teams: [] },
        allow_deletions: true,
      })
      assert.deepEqual(data.required_status_checks?.contexts, ['ci'])
      assert.equal(data.allow_deletions?.enabled, true)
      assert.deepEqual(
        data.restrictions?.users.map(({ login }) => login),
        ['bob'],
      )
      assert.equal(await isSet(), true)
      const listed = await octokit.repos.listBranches({ ...place, protected: true })
      assert.deepEqual(
        listed.data.map(({ name }) => name),
        ['side'],
      )
      await octokit.repos.setAdminBranchProtection(place)
      assert.equal((await octokit.repos.getAdminBranchProtection(place)).data.enabled, true)
      await octokit.repos.deleteAdminBranchProtection(place)
      await assert.rejects(octokit.repos.getPullRequestReviewProtection(place), { status: 404 })
      await octokit.repos.updatePullRequestReviewProtection({ ...place, required_approving_review_count: 2 })
      const reviews = await octokit.repos.updatePullRequestReviewProtection({ ...place, dismiss_stale_reviews: true })
      assert.equal(reviews.data.required_approving_review_count, 2)
      await octokit.repos.deletePullRequestReviewProtection(place)
      await octokit.repos.addStatusCheckContexts({ ...place, contexts: ['lint', 'ci'] })
      assert.deepEqual((await octokit.repos.getAllStatusCheckContexts(place)).data, ['ci', 'lint'])
      await octokit.repos.removeStatusCheckContexts({ ...place, contexts: ['ci'] })
      const checks = await octokit.repos.updateStatusCheckProtection({ ...place, strict: false })
      assert.deepEqual([checks.data.strict, checks.data.contexts], [false, ['lint']])
      await octokit.repos.removeStatusCheckProtection(place)
      await octokit.repos.deleteAccessRestrictions(place)
      await octokit.repos.deleteBranchProtection(place)
      assert.equal(await isSet(), false)
    })

    test('are set by admins alone, with rules that can be kept', async () => {
      const { path } = await prepare('admins')
      const place = `${path}/branches/side/protection`
      assert.equal((await bob.put(place, nothing)).status, 403)
      assert.equal((await bob.get(place)).status, 403)
      assert.equal((await ann.put(`${path}/branches/none/protection`, nothing)).status, 404)
      const wrong: object[] = [
        {},
        { ...nothing, enforce_admins: 'yes' },
        { ...nothing, restrictions: { users: ['nobody'], teams: [] } },
        { ...nothing, restrictions: { users: [], teams: ['crew'] } },
        { ...nothing, required_pull_request_reviews: { required_approving_review_count: 7 } },
        { ...nothing, required_status_checks: { contexts: Array(101).fill('x') } },
      ]
      for (const rules of wrong) assert.equal((await ann.put(place, rules)).status, 422, JSON.stringify(rules))
      assert.equal((await ann.get(place)).status, 404)
    })

    test('keep their commits and stay, whoever pushes, over git and over REST', async () => {
      const { folder, protect, shaOf, path } = await prepare('kept')
      await commit(folder, 'two')
      await folder.must('push', '--quiet', 'origin', 'main:side', 'main')
      await protect({})
      const before = await shaOf('side')
      await folder.must('checkout', '--quiet', '-b', 'other', 'HEAD^')
      await commit(folder, 'elsewhere')
      for (const remote of ['origin', 'bob']) {
        const forced = await folder.git('push', '--force', remote, 'other:side')
        assert.match(forced.output, /protected branch/)
        assert.notEqual(forced.code, 0)
        const gone = await folder.git('push', remote, ':side')
        assert.match(gone.output, /Cannot delete this protected branch/)
      }
      await folder.must('push', '--quiet', 'origin', 'other')
      const sha = await shaOf('other')
      for (const by of [ann, bob]) {
        assert.equal((await by.patch(`${path}/git/refs/heads/side`, { sha, force: true })).status, 422)
        assert.equal((await by.delete(`${path}/git/refs/heads/side`)).status, 422)
      }
      assert.equal(await shaOf('side'), before)
      await protect({ allow_force_pushes: true, allow_deletions: true })
      await folder.must('push', '--quiet', '--force', 'bob', 'other:side')
      assert.equal((await bob.delete(`${path}/git/refs/heads/side`)).status, 204)
    })

    test('that want reviews take changes from nobody directly, but from admins where they may', async () => {
      const { folder, protect, put, path } = await prepare('reviewed')
      await protect({ required_pull_request_reviews: {} })
      await commit(folder, 'two')
      const refused = await folder.git('push', 'bob', 'main:side', 'main:free')
      assert.match(refused.output, /Changes must be made through a pull request/)
      assert.match(refused.output, /\[new branch\]\s+main -> free/, 'each ref is judged by itself')
      const answer = await put(bob, 'x')
      const told = 'Could not create file: Changes must be made through a pull request.'
      assert.deepEqual([answer.status, answer.body.message], [409, told])
      assert.equal((await bob.post(`${path}/merges`, { base: 'side', head: 'free' })).status, 422)
      assert.equal((await put(ann, 'x')).status, 201)
      await protect({ required_pull_request_reviews: {}, enforce_admins: true })
      assert.equal((await put(ann, 'y')).status, 409)
      assert.notEqual((await folder.git('push', 'origin', 'main:side')).code, 0)
    })

    test('that want checks take a commit once each has said that it is fine', async () => {
      const { folder, protect, path } = await prepare('checks')
      await protect({ required_status_checks: { strict: false, contexts: ['ci', 'lint'] } })
      await commit(folder, 'two')
      const sha = await folder.must('rev-parse', 'HEAD')
      await folder.must('push', '--quiet', 'bob', 'main:free')
      const push = () => folder.git('push', 'bob', 'main:side')
      assert.match((await push()).output, /2 of the required status checks/)
      await bob.post(`${path}/statuses/${sha}`, { state: 'success', context: 'ci' })
      await bob.post(`${path}/statuses/${sha}`, { state: 'failure', context: 'lint' })
      assert.match((await push()).output, /Required status check "lint" is expected/)
      await bob.post(`${path}/statuses/${sha}`, { state: 'success', context: 'lint' })
      assert.equal((await push()).code, 0)
    })

    test('that are for some, or locked, take changes from no others', async () => {
      const { protect, put } = await prepare('some')
      await protect({ restrictions: { users: [], teams: [] } })
      assert.match((await put(bob, 'a')).text, /not allowed to push/)
      await protect({ restrictions: { users: ['bob'], teams: [] } })
      assert.equal((await put(bob, 'a')).status, 201)
      await protect({ lock_branch: true })
      assert.match((await put(bob, 'b')).text, /locked/)
    })

    test('keep their rules under another name, which admins alone give them', async () => {
      const { protect, put, path } = await prepare('named')
      await protect({ required_pull_request_reviews: {} })
      const rename = (by: RestClient) => by.post(`${path}/branches/side/rename`, { new_name: 'apart' })
      assert.equal((await rename(bob)).status, 403)
      const draft = { kind: 'fine-grained', permissions: { contents: 'write' }, repositories: 'all' }
      assert.equal((await rename(makeRest(server.url, await makeToken(server, 'ann', draft)))).status, 403)
      const renamed = await rename(ann)
      assert.deepEqual([renamed.status, renamed.body.protected], [201, true])
      assert.equal((await put(bob, 'x', 'apart')).status, 409)
      assert.equal((await ann.get(`${path}/branches/side/protection`)).status, 404)
    })

    test('are not come by under their name', async () => {
      const { folder, protect, put, path } = await prepare('taken')
      await folder.must('push', '--quiet', 'origin', 'main:free')
      await protect({ restrictions: { users: [], teams: [] }, block_creations: true, allow_deletions: true })
      await ann.delete(`${path}/git/refs/heads/side`)
      await put(bob, 'evil', 'free')
      const renamed = await bob.post(`${path}/branches/free/rename`, { new_name: 'side' })
      assert.deepEqual([renamed.status, /not allowed to push/.test(renamed.text)], [422, true], renamed.text)
      assert.equal((await ann.get(`${path}/branches/free`)).status, 200)
    })

    test('that must be linear take no merge, made here or brought', async () => {
      const { folder, protect, put, shaOf, path } = await prepare('linear')
      await folder.must('push', '--quiet', 'origin', 'main:free')
      await put(bob, 'other', 'free')
      await put(bob, 'one', 'side')
      await protect({ required_linear_history: true })
      const merged = await bob.post(`${path}/merges`, { base: 'side', head: 'free' })
      assert.match(merged.text, /must not contain merge commits/)
      await ann.post(`${path}/git/refs`, { ref: 'refs/heads/joined', sha: await shaOf('side') })
      await bob.post(`${path}/merges`, { base: 'joined', head: 'free' })
      const moved = await bob.patch(`${path}/git/refs/heads/side`, { sha: await shaOf('joined') })
      assert.match(moved.text, /must not contain merge commits/)
      assert.equal((await put(bob, 'two', 'side')).status, 201)

      await folder.must('fetch', '--quiet', 'origin')
      await folder.must('checkout', '--quiet', '-b', 'work', 'origin/side')
      await commit(folder, 'straight')
      await folder.must('push', '--quiet', 'bob', 'work:side')
      await folder.must('merge', '--quiet', '--no-ff', '-m', 'joined', 'origin/free')
      const kept = await shaOf('side')
      const mixed = await folder.git('push', 'bob', 'work:side', 'work:beside')
      assert.match(mixed.output, /\[remote rejected\] work -> side \(protected branch\)/)
      assert.match(mixed.output, /side must not contain merge commits/)
      assert.match(mixed.output, /\[new branch\]\s+work -> beside/)
      assert.equal(await shaOf('side'), kept)
      await folder.must('push', '--quiet', 'origin', 'work:side')
      await commit(folder, 'after a merge that is there')
      await folder.must('push', '--quiet', 'bob', 'work:side')
    })

    test('that are for teams take changes from their members, and from those of the teams below', async () => {
      const root = asAdmin(server)
      const cid = await makeUser(server, 'cid')
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'tool', auto_init: true })
      for (const client of [bob, cid]) {
        const login = client === bob ? 'bob' : 'cid'
        await ann.put(`/orgs/acme/memberships/${login}`, { role: 'member' })
        await client.patch('/user/memberships/orgs/acme', { state: 'active' })
        const { body } = await ann.put(`/repos/acme/tool/collaborators/${login}`, { permission: 'push' })
        if (body?.id) await client.patch(`/user/repository_invitations/${body.id}`)
      }
      const { body: crew } = await ann.post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed' })
      await ann.post('/orgs/acme/teams', { name: 'Child', privacy: 'closed', parent_team_id: crew.id })
      await ann.put('/orgs/acme/teams/child/memberships/bob')
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
      const place = { owner: 'acme', repo: 'tool', branch: 'main' }
      const { data } = await octokit.repos.updateBranchProtection({
        ...place,
        ...nothing,
        restrictions: { users: [], teams: ['crew'] },
      })
      assert.deepEqual(
        data.restrictions?.teams.map(({ slug }) => slug),
        ['crew'],
      )
      let count = 0
      const put = async (client: RestClient) =>
        (await client.put(`/repos/acme/tool/contents/f${++count}`, { message: 'f', content: '' })).status
      assert.deepEqual([await put(bob), await put(cid)], [201, 409])
      const named = async () => (await octokit.repos.getTeamsWithAccessToProtectedBranch(place)).data.map((t) => t.slug)
      assert.deepEqual(await named(), ['crew'])
      await octokit.repos.removeTeamAccessRestrictions({ ...place, teams: ['crew'] })
      assert.deepEqual([await named(), await put(bob)], [[], 409])
      await octokit.repos.addUserAccessRestrictions({ ...place, users: ['cid'] })
      const users = await octokit.repos.getUsersWithAccessToProtectedBranch(place)
      assert.deepEqual([users.data.map(({ login }) => login), await put(cid)], [['cid'], 201])
      await octokit.repos.setTeamAccessRestrictions({ ...place, teams: ['child'] })
      assert.equal(await put(bob), 201)
      await ann.delete('/orgs/acme/memberships/bob')
      assert.equal(await put(bob), 403)
      await assert.rejects(octokit.repos.addTeamAccessRestrictions({ ...place, teams: ['none'] }), { status: 422 })
      await ann.delete('/orgs/acme/teams/crew')
      assert.equal((await ann.get('/repos/acme/tool/branches/main/protection')).status, 200)
    })

    test('that are for apps take changes from them, and from no other installation', async () => {
      const { protect, put, path } = await prepare('robots')
      const settings = { default_permissions: { contents: 'write', metadata: 'read' } }
      const [robot, other] = await Promise.all([1, 2].map(() => registerApp({ server }, ann, settings)))
      const [asRobot, asOther] = await Promise.all(
        [robot!, other!].map(async (app) => asInstallation({ server }, app, await installApp(app, ann, 'ann'))),
      )
      assert.equal((await put(asRobot!, 'a')).status, 201)
      const { slug } = robot!.body
      await protect({ restrictions: { users: [], teams: [], apps: [slug] } })
      assert.deepEqual([(await put(asRobot!, 'b')).status, (await put(asOther!, 'bb')).status], [201, 409])
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
      const place = { owner: 'ann', repo: 'robots', branch: 'side' }
      const named = async () => (await octokit.repos.getAppsWithAccessToProtectedBranch(place)).data.map((a) => a?.slug)
      assert.deepEqual(await named(), [slug])
      await octokit.repos.setAppAccessRestrictions({ ...place, apps: [other!.body.slug] })
      assert.deepEqual([(await put(asRobot!, 'c')).status, (await put(asOther!, 'c')).status], [409, 201])
      await octokit.repos.addAppAccessRestrictions({ ...place, apps: [slug] })
      await octokit.repos.removeAppAccessRestrictions({ ...place, apps: [other!.body.slug] })
      assert.deepEqual([await named(), (await put(asRobot!, 'd')).status], [[slug], 201])
      await assert.rejects(octokit.repos.addAppAccessRestrictions({ ...place, apps: ['none'] }), { status: 422 })
      await ann.delete(`/apps/${slug}`)
      assert.deepEqual((await ann.get(`${path}/branches/side/protection`)).body.restrictions.apps, [])
    })

    test('are not promised what is not kept', async () => {
      const { path } = await prepare('promises')
      const put = (more: object) =>
        ann.put(`${path}/branches/side/protection`, {
          required_status_checks: null,
          enforce_admins: null,
          required_pull_request_reviews: null,
          restrictions: null,
          ...more,
        })
      assert.equal((await put({ required_conversation_resolution: true })).status, 422)
      const last = { required_pull_request_reviews: { require_last_push_approval: true } }
      assert.equal((await put(last)).status, 422)
      assert.equal((await put({ required_conversation_resolution: false })).status, 200)
    })

    test('say what stands against a merge', async () => {
      const { protect, shaOf, path } = await prepare('merges')
      const rules = { strict: true, contexts: ['ci'] }
      await protect({ required_status_checks: rules, required_pull_request_reviews: {}, required_linear_history: true })
      const { forge, accounts } = server.services
      const need = {
        tokens: everyTokenKind,
        scopes: [],
        permissions: [],
        level: 'write',
        signIn: true,
        writes: true,
      } as const
      const actorOf = async (name: string) => ({ ...theServer, account: (await accounts.findByName(name))! })
      const headSha = await shaOf('side')
      const judge = async (name: string, merge: object) => {
        const access = await forge.opening.enter(await actorOf(name), { owner: 'ann', name: 'merges' }, need)
        const usual = {
          approvals: 0,
          currentApprovals: 0,
          lacksOwners: async () => false,
          hasChangesRequested: false,
          isUpToDate: true,
          method: 'merge',
        } as const
        return forge.protection.listMergeFaults(access, 'side', { headSha, ...usual, ...merge })
      }
      assert.equal((await judge('bob', {})).length, 3)
      assert.deepEqual(await judge('ann', {}), [])
      await bob.post(`${path}/statuses/${headSha}`, { state: 'success', context: 'ci' })
      assert.deepEqual(await judge('bob', { approvals: 1, method: 'squash' }), [])
      assert.match((await judge('bob', { approvals: 1, method: 'squash', isUpToDate: false })).join(), /up to date/)
      const blocked = await judge('bob', { approvals: 1, method: 'rebase', hasChangesRequested: true })
      assert.match(blocked.join(), /requested/)
      await protect({ required_pull_request_reviews: { dismiss_stale_reviews: true } })
      assert.match((await judge('bob', { approvals: 1 })).join(), /approving review is required/)
      assert.deepEqual(await judge('bob', { approvals: 2, currentApprovals: 1 }), [])
    })
  })
