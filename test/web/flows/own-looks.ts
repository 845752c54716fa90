/** The pages of the inbox, the account, people and organisations as people see and reach them, with all that tries to break out of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { show } from '../hands.ts'
import { findFaults } from '../looks.ts'

declare const window: Json

const tag = '<img src=x onerror=window.pwned=1>'
const texts = `${tag} <script>window.pwned=1</script> [a](javascript:window.pwned=1) "onmouseover="window.pwned=1`

export function testOwnLooks(world: CodeWorld): void {
  test('nothing that people call themselves or send runs as a script; axe finds nothing on any page of one’s own, at three widths, in both colours', async () => {
    const { stage } = world
    const [ann, bob] = [stage.as('ann'), stage.as('bob')]
    await ann.patch('/user', { name: tag, bio: texts, company: tag, location: tag, blog: 'javascript:window.pwned=1' })
    await stage.root.post('/admin/organizations', { login: 'oddities', admin: 'ann', profile_name: tag })
    await ann.patch('/orgs/oddities', { description: texts, blog: 'javascript:window.pwned=1', company: tag })
    await ann.put('/orgs/oddities/memberships/bob', {})
    await ann.post('/orgs/oddities/repos', { name: 'kept', description: tag, private: true })
    const { body: team } = await ann.post('/orgs/oddities/teams', { name: tag, description: texts, privacy: 'closed' })
    await ann.post('/orgs/oddities/teams', { name: `Below ${tag}`, privacy: 'closed', parent_team_id: team.id })
    await ann.put(`/orgs/oddities/teams/${team.slug}/repos/oddities/kept`, { permission: 'push' })
    await ann.post('/orgs/oddities/hooks', { config: { url: `https://example.org/?${tag}` }, events: ['push'] })
    const settings = { name: `Odd ${tag}`, url: 'https://example.org', description: texts }
    const { body: app } = await ann.post('/user/apps', {
      ...settings,
      default_permissions: { issues: 'read' },
      public: true,
    })
    const { body: oauth } = await ann.post('/user/oauth-apps', settings)
    assert.ok(app.slug && oauth.client_id, JSON.stringify([app, oauth]))
    await ann.post('/user/repos', { name: 'seen', description: tag, auto_init: true })
    await ann.put('/repos/ann/seen/topics', { names: ['odd'] })
    await ann.put('/user/starred/ann/seen')
    await bob.put('/repos/ann/seen/subscription', { subscribed: true })
    await bob.post('/repos/ann/seen/forks', {})
    await bob.post('/repos/ann/seen/issues', { title: tag, body: `@ann ${texts}` })
    await ann.post('/user/migrations', { repositories: ['seen'] })
    const paths = [
      ...['/-/', '/-/inbox', '/-/inbox/watching', '/-/repositories?q=seen', '/-/account', '/-/account/tokens'],
      ...['/-/account/keys', '/-/account/apps', '/-/account/apps/new', `/-/account/apps/${app.slug}`],
      ...[`/-/account/oauth-apps/${oauth.client_id}`, '/-/account/migrations', '/-/account/sessions'],
      ...[`/apps/${app.slug}`, '/ann', '/ann?tab=stars', '/bob', '/oddities', '/orgs/oddities'],
      ...['teams', 'hooks', 'apps', 'audit', 'settings'].map((tab) => `/orgs/oddities?tab=${tab}`),
      ...[`/orgs/oddities/teams/${team.slug}`, '/ann/seen/forks', '/ann/seen/stargazers', '/ann/seen/watchers'],
      ...['/orgs/nope', '/apps/nope', `/-/repositories?all&q=${encodeURIComponent(tag)}`],
    ]
    const found: string[] = []
    const look = async (name: string, list: readonly string[]) => {
      const { page } = await stage.openAs(name)
      for (const path of list) {
        await show(page, path)
        assert.equal(await page.evaluate(() => window.pwned), undefined, path)
        const bad = await page.locator('main :is(script, iframe, [onerror], [onload], a[href^="javascript:"])').count()
        assert.equal(bad, 0, path)
        found.push(...(await findFaults(page, path)))
      }
    }
    await look('ann', paths)
    await look('bob', ['/orgs/oddities', `/apps/${app.slug}`, '/-/inbox'])
    await look(admin.name, ['/-/admin/audit', '/-/account/migrations'])
    assert.deepEqual(found, [])
  })
}
