/** Organisations, memberships and nested teams, and what they open. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'

for (const engine of oneEngine) {
  describe(`people on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let cid: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      cid = await makeUser(server, 'cid')
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'secret', private: true })
    })
    after(() => server.stop())

    const levelOf = async (login: string) =>
      (await ann.get(`/repos/acme/secret/collaborators/${login}/permission`)).body.role_name

    test('logins are one namespace of users and organisations, without regard to case', async () => {
      const root = asAdmin(server)
      const taken = await root.post('/admin/users', { login: 'ACME' })
      assert.equal(taken.status, 422)
      assert.equal(taken.body.errors[0].code, 'already_exists')
      assert.equal((await root.post('/admin/organizations', { login: 'bob', admin: 'ann' })).status, 422)
      assert.equal((await root.post('/admin/organizations', { login: 'x', admin: 'nobody' })).status, 422)
      for (const login of ['-x', 'a b', 'a'.repeat(40)]) {
        assert.equal((await root.post('/admin/users', { login })).status, 422, login)
      }
    })

    test('a user changes their own profile and no other’s; the address stays their own', async () => {
      const { body } = await bob.patch('/user', { name: 'Bob B.', bio: null, location: 'Oslo' })
      assert.deepEqual([body.name, body.bio, body.location, body.email], ['Bob B.', null, 'Oslo', 'bob@example.org'])
      assert.equal((await ann.get('/users/bob')).body.email, null)
      assert.equal((await ann.get('/users/bob')).body.name, 'Bob B.')
      assert.equal((await bob.patch('/user', { email: 'Ann@example.org' })).body.errors[0].code, 'already_exists')
      assert.equal((await bob.patch('/user', { email: 'nonsense' })).status, 422)
    })

    test('a team’s repositories are listed with what the team may do with each', async () => {
      await ann.post('/orgs/acme/teams', { name: 'readers' })
      await ann.put('/orgs/acme/teams/readers/repos/acme/secret', { permission: 'triage' })
      const { body } = await ann.get('/orgs/acme/teams/readers/repos')
      assert.deepEqual(
        body.map(({ full_name, role_name, permissions }: Json) => [full_name, role_name, permissions.push]),
        [['acme/secret', 'triage', false]],
      )
      await ann.delete('/orgs/acme/teams/readers')
    })

    test('owners see roles and invitations; whoever is invited may decline, and a member may leave, but not the last owner', async () => {
      await asAdmin(server).post('/admin/organizations', { login: 'guild', admin: 'ann' })
      await ann.put('/orgs/guild/memberships/bob', { role: 'admin' })
      const shown = async (query = '') =>
        (await ann.get(`/orgs/guild/memberships${query}`)).body.map(
          ({ user, role, state }: Json) => `${user.login} ${role} ${state}`,
        )
      assert.deepEqual(await shown(), ['ann admin active', 'bob admin pending'])
      assert.deepEqual(await shown('?state=pending'), ['bob admin pending'])
      assert.deepEqual(await shown('?role=member'), [])
      assert.equal((await bob.get('/orgs/guild/memberships')).status, 403)
      assert.equal((await cid.delete('/user/memberships/orgs/guild')).status, 404)
      assert.equal((await bob.delete('/user/memberships/orgs/guild')).status, 204)
      assert.deepEqual(await shown(), ['ann admin active'])
      assert.equal((await bob.patch('/user/memberships/orgs/guild', { state: 'active' })).status, 404)
      const last = await ann.delete('/user/memberships/orgs/guild')
      assert.deepEqual([last.status, /last owner/.test(last.body.message)], [403, true])
      await ann.put('/orgs/guild/memberships/cid', { role: 'admin' })
      await cid.patch('/user/memberships/orgs/guild', { state: 'active' })
      assert.equal((await ann.delete('/user/memberships/orgs/guild')).status, 204)
      assert.equal((await ann.get('/orgs/guild/memberships')).status, 403)
      assert.equal((await cid.get('/orgs/guild')).body.sso, null)
    })

    test('an owner invites, the one invited accepts, and only then is a member', async () => {
      const invited = await ann.put('/orgs/acme/memberships/bob', { role: 'member' })
      assert.deepEqual([invited.status, invited.body.state], [200, 'pending'])
      assert.equal((await bob.get('/repos/acme/secret')).status, 404)
      assert.equal((await bob.get('/orgs/acme/teams')).status, 403)
      const accepted = await bob.patch('/user/memberships/orgs/acme', { state: 'active' })
      assert.equal(accepted.body.state, 'active')
      assert.equal((await bob.get('/repos/acme/secret')).status, 200)
      assert.deepEqual(
        (await bob.get('/user/orgs')).body.map(({ login }: { login: string }) => login),
        ['acme'],
      )
    })

    test('membership is shown outside only where the member says so', async () => {
      const seen = async (client: RestClient) =>
        (await client.get('/orgs/acme/members')).body.map(({ login }: { login: string }) => login)
      assert.deepEqual(await seen(bob), ['ann', 'bob'])
      assert.deepEqual(await seen(cid), [])
      assert.equal((await bob.put('/orgs/acme/public_members/bob')).status, 204)
      assert.equal((await ann.put('/orgs/acme/public_members/bob')).status, 403)
      assert.deepEqual(await seen(cid), ['bob'])
      assert.equal((await cid.get('/orgs/acme/public_members/bob')).status, 204)
      assert.equal((await cid.get('/orgs/acme/members/ann')).status, 404)
    })

    test('members have the level that the organisation gives them all', async () => {
      assert.equal(await levelOf('bob'), 'read')
      await ann.patch('/orgs/acme', { default_repository_permission: 'none' })
      assert.equal(await levelOf('bob'), 'none')
      assert.equal((await bob.get('/repos/acme/secret')).status, 404)
      await ann.patch('/orgs/acme', { default_repository_permission: 'write' })
      assert.equal(await levelOf('bob'), 'write')
      await ann.patch('/orgs/acme', { default_repository_permission: 'none' })
      assert.equal(await levelOf('ann'), 'admin')
    })

    test('what a team may, the teams below it may, as soon as it is moved there and as long as it stays', async () => {
      const top = (await ann.post('/orgs/acme/teams', { name: 'Top', privacy: 'closed' })).body
      const low = (await ann.post('/orgs/acme/teams', { name: 'Low', privacy: 'closed' })).body
      await ann.put('/orgs/acme/teams/low/memberships/bob', {})
      await ann.put('/orgs/acme/teams/top/repos/acme/secret', { permission: 'maintain' })
      assert.equal(await levelOf('bob'), 'none')
      await ann.patch('/orgs/acme/teams/low', { parent_team_id: top.id })
      assert.equal(await levelOf('bob'), 'maintain')
      assert.equal((await ann.get('/orgs/acme/teams/low')).body.parent.slug, 'top')
      assert.deepEqual(
        (await ann.get('/orgs/acme/teams/top/teams')).body.map(({ slug }: { slug: string }) => slug),
        ['low'],
      )
      const members = (await ann.get('/orgs/acme/teams/top/members')).body
      assert.ok(members.some(({ login }: { login: string }) => login === 'bob'))
      assert.equal((await ann.get('/orgs/acme/teams/low/repos/acme/secret')).status, 204)
      const circle = await ann.patch('/orgs/acme/teams/top', { parent_team_id: low.id })
      assert.equal(circle.status, 422)
      await ann.patch('/orgs/acme/teams/low', { parent_team_id: null })
      assert.equal(await levelOf('bob'), 'none')
      assert.equal((await ann.get('/orgs/acme/teams/LOW')).body.parent, null)
    })

    test('nested teams are secret neither above nor below, and a team goes with those below it', async () => {
      const make = async (draft: object) => (await ann.post('/orgs/acme/teams', draft)).body
      const top = await make({ name: 'A', privacy: 'closed' })
      const middle = await make({ name: 'B', parent_team_id: top.id })
      await make({ name: 'C', parent_team_id: middle.id })
      assert.equal(middle.privacy, 'closed')
      const hidden = await make({ name: 'D', privacy: 'secret' })
      for (const [slug, change] of [
        ['a', { privacy: 'secret' }],
        ['c', { privacy: 'secret' }],
        ['d', { parent_team_id: top.id }],
        ['b', { parent_team_id: hidden.id }],
      ] as const) {
        const { status, body } = await ann.patch(`/orgs/acme/teams/${slug}`, change)
        assert.deepEqual([status, body.message], [422, 'Validation Failed'], slug)
      }
      const nested = { name: 'E', privacy: 'secret', parent_team_id: top.id }
      assert.equal((await ann.post('/orgs/acme/teams', nested)).status, 422)
      assert.equal((await ann.delete('/orgs/acme/teams/b')).status, 204)
      const statuses = ['a', 'b', 'c'].map(async (slug) => (await ann.get(`/orgs/acme/teams/${slug}`)).status)
      assert.deepEqual(await Promise.all(statuses), [200, 404, 404])
    })

    test('teams are nested sixteen levels deep at most, however they come there', async () => {
      const make = (draft: object) => ann.post('/orgs/acme/teams', draft)
      let parent: number | undefined
      for (let level = 1; level <= 16; level++) {
        const { status, body } = await make({ name: `Level ${level}`, privacy: 'closed', parent_team_id: parent })
        assert.equal(status, 201)
        parent = body.id
      }
      const deeper = await make({ name: 'Level 17', parent_team_id: parent })
      assert.equal(deeper.status, 422)
      assert.match(deeper.text, /nested 16 levels deep at most/)
      const above = (await make({ name: 'Level 0', privacy: 'closed' })).body
      assert.equal((await ann.patch('/orgs/acme/teams/level-1', { parent_team_id: above.id })).status, 422)
      assert.equal((await ann.patch('/orgs/acme/teams/level-2', { parent_team_id: above.id })).status, 200)
      await ann.put('/orgs/acme/teams/level-16/memberships/bob', {})
      for (const [slug, isAbove] of [
        ['level-0', true],
        ['level-2', true],
        ['level-1', false],
      ] as const) {
        const members = (await ann.get(`/orgs/acme/teams/${slug}/members`)).body
        assert.equal(
          members.some(({ login }: { login: string }) => login === 'bob'),
          isAbove,
          slug,
        )
      }
      for (const slug of ['level-0', 'level-1']) await ann.delete(`/orgs/acme/teams/${slug}`)
    })

    test('a member who makes a repository of the organisation has it, as long as they are one', async () => {
      await ann.patch('/orgs/acme', { default_repository_permission: 'none' })
      const made = await bob.post('/orgs/acme/repos', { name: 'bobs', private: true })
      assert.deepEqual([made.status, made.body.permissions.admin], [201, true])
      assert.equal((await bob.patch('/repos/acme/bobs', { description: 'Mine' })).status, 200)
      await ann.patch('/orgs/acme', { default_repository_permission: 'read' })
    })

    test('who is put in a team and only invited to its organisation is in no list of it, and sees nothing of it', async () => {
      const dee = await makeUser(server, 'dee')
      await ann.post('/orgs/acme/teams', { name: 'Coming', privacy: 'closed' })
      await ann.put('/orgs/acme/teams/coming/repos/acme/secret', { permission: 'push' })
      assert.equal((await ann.put('/orgs/acme/teams/coming/memberships/dee', {})).body.state, 'pending')
      const seen = async () => {
        const [own, theirs, teams] = await Promise.all(
          ['/user/repos', '/orgs/acme/repos', '/user/teams'].map(async (path) => (await dee.get(path)).body),
        )
        const names = (list: Json) => list.map(({ name }: { name: string }) => name)
        const members = (await ann.get('/orgs/acme/teams/coming/members')).body
        const { members_count } = (await ann.get('/orgs/acme/teams/coming')).body
        const isMember = members.some(({ login }: { login: string }) => login === 'dee')
        const { status } = await dee.get('/repos/acme/secret')
        const isListed = [own, theirs].map((list) => names(list).includes('secret'))
        return [status, ...isListed, names(teams).includes('Coming'), isMember, members_count]
      }
      assert.deepEqual(await seen(), [404, false, false, false, false, 1])
      await dee.patch('/user/memberships/orgs/acme', { state: 'active' })
      assert.deepEqual(await seen(), [200, true, true, true, true, 2])
    })

    test('a team begins with its maintainers and the repositories that it reads, or not at all', async () => {
      const draft = { name: 'Begun', maintainers: ['bob', 'ann', 'BOB'], repo_names: ['acme/secret', 'Acme/Secret'] }
      const made = await ann.post('/orgs/acme/teams', draft)
      assert.deepEqual([made.status, made.body.members_count, made.body.repos_count], [201, 2, 1])
      assert.equal((await ann.get('/orgs/acme/teams/begun/memberships/bob')).body.role, 'maintainer')
      const accept = { accept: 'application/vnd.platform.v3.repository+json' }
      const shared = await ann.get('/orgs/acme/teams/begun/repos/acme/secret', accept)
      assert.equal(shared.body.role_name, 'read')
      await ann.post('/user/repos', { name: 'own' })
      for (const [wrong, status] of [
        [{ maintainers: ['cid'] }, 422],
        [{ maintainers: ['nobody'] }, 422],
        [{ repo_names: ['ann/own'] }, 422],
        [{ repo_names: ['acme/none'] }, 404],
      ] as const) {
        assert.equal((await ann.post('/orgs/acme/teams', { name: 'Never', ...wrong })).status, status)
        assert.equal((await ann.get('/orgs/acme/teams/never')).status, 404)
      }
      await ann.delete('/orgs/acme/teams/begun')
    })

    test('a team whose maintainer and repository are both unknown is refused, and the server goes on', async () => {
      const wrong = { name: 'doubly wrong', maintainers: ['nobody', 'nobody-2'], repo_names: ['acme/none', 'no/thing'] }
      const refused = await ann.post('/orgs/acme/teams', wrong)
      assert.ok(refused.status === 422 || refused.status === 404, refused.text)
      assert.equal((await ann.get('/orgs/acme/teams/doubly-wrong')).status, 404)
      assert.equal((await ann.get('/user')).status, 200)
    })

    test('a team is given a repository by its former name, too', async () => {
      await ann.post('/orgs/acme/repos', { name: 'before' })
      await ann.patch('/repos/acme/before', { name: 'later' })
      assert.equal((await ann.put('/orgs/acme/teams/low/repos/acme/before', { permission: 'push' })).status, 204)
      assert.equal((await ann.get('/orgs/acme/teams/low/repos/acme/later')).status, 204)
      assert.equal((await ann.delete('/orgs/acme/teams/low/repos/acme/before')).status, 204)
    })

    test('a secret team is seen by its own and by the owners', async () => {
      await ann.post('/orgs/acme/teams', { name: 'Whisper', privacy: 'secret' })
      assert.equal((await bob.get('/orgs/acme/teams/whisper')).status, 404)
      await ann.put('/orgs/acme/teams/whisper/memberships/bob', { role: 'maintainer' })
      assert.equal((await bob.get('/orgs/acme/teams/whisper')).status, 200)
      assert.equal((await bob.patch('/orgs/acme/teams/whisper', { description: 'ours' })).status, 200)
      const logins = async (query: string) => {
        const { body } = await ann.get(`/orgs/acme/teams/whisper/members${query}`)
        return body.map(({ login }: { login: string }) => login)
      }
      await ann.put('/orgs/acme/teams/whisper/memberships/ann', { role: 'member' })
      const [all, maintainers, members] = [
        await logins(''),
        await logins('?role=maintainer'),
        await logins('?role=member'),
      ]
      assert.ok(maintainers.includes('bob') && !members.includes('bob') && all.includes('bob'))
      assert.deepEqual([...maintainers, ...members].sort(), all.toSorted())
      assert.equal((await bob.patch('/orgs/acme/teams/low', { description: 'not ours' })).status, 403)
      await asAdmin(server).post('/admin/users', { login: 'stranger' })
      const invited = await bob.put('/orgs/acme/teams/whisper/memberships/stranger', {})
      assert.equal(invited.status, 403, 'to the organisation its owners invite')
      assert.equal((await ann.get('/orgs/acme/memberships/stranger')).status, 404)
      assert.equal((await ann.post('/orgs/acme/teams', { name: 'whisper' })).status, 422)
    })

    test('a member who is removed loses teams and what they opened; the last owner stays', async () => {
      assert.equal((await ann.delete('/orgs/acme/members/ann')).status, 403)
      assert.equal((await ann.put('/orgs/acme/memberships/ann', { role: 'member' })).status, 403)
      assert.equal((await ann.put('/orgs/acme/memberships/ann', { role: 'admin' })).status, 200)
      assert.equal((await ann.delete('/orgs/acme/members/bob')).status, 204)
      assert.equal((await ann.get('/orgs/acme/teams/whisper/memberships/bob')).status, 404)
      assert.equal((await bob.get('/orgs/acme/teams')).status, 403)
      assert.equal((await bob.get('/repos/acme/bobs')).status, 404)
    })

    test('what is private of a user is for a token that was given it', async () => {
      const ask = async (scopes: string[]) =>
        makeRest(server.url, await makeToken(server, 'cid', { kind: 'classic', scopes })).get('/user')
      for (const scopes of [['read:user'], ['user']]) {
        const { body } = await ask(scopes)
        assert.deepEqual([body.email, body.user_view_type, body.plan.name], ['cid@example.org', 'private', 'free'])
      }
      for (const scopes of [[], ['repo']]) {
        const { body } = await ask(scopes)
        assert.deepEqual([body.login, body.email, body.user_view_type, body.plan], ['cid', null, 'public', undefined])
      }
    })
  })
}
