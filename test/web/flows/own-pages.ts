/** What is one's own in the browser: profile, organisations and teams, apps, migrations and imports. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { makePlatformArchive } from '../../forge/migrations/platform-archives.ts'
import type { Json } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import { makePublicKey } from '../keys.ts'
import { findFaults } from '../looks.ts'

declare const window: Json

export function testOwnPages(world: CodeWorld): void {
  test('one’s profile is written and seen, and one follows others, with the keyboard alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/-/account')
    await page.getByLabel('About').waitFor({ timeout: patience })
    await hands.write('About', 'I build <b>things</b>')
    await hands.write('Website', 'javascript:window.pwned=1')
    await hands.press('button', 'Save profile')
    await hands.press('link', 'See your page')
    await see(page, 'I build <b>things</b>')
    assert.equal(await page.locator('main a[href^="javascript"]').count(), 0)
    await page.goto('/bob')
    await hands.press('button', 'Follow', true)
    await page.getByRole('button', { name: 'Following' }).waitFor({ timeout: patience })
    await see(page, '1 follower')
    await page.reload()
    await hands.press('button', 'Following')
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor({ timeout: patience })
    assert.deepEqual((await stage.as('ann').get('/user/following')).body, [])
  })

  test('SSH keys and signing keys are added and deleted, with the keyboard alone', async () => {
    const { stage } = world
    const bob = stage.as('bob')
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/-/account/keys')
    for (const [what, path] of [
      ['SSH key', '/user/keys'],
      ['signing key', '/user/ssh_signing_keys'],
    ] as const) {
      const title = `My ${what}`
      await hands.open(what === 'SSH key' ? 'Add an SSH key' : 'Add a signing key')
      const form = page.locator('details[open]')
      await form.getByLabel('Title').fill(title)
      await form.getByLabel('Key').fill('no key')
      await hands.press('button', `Add ${what}`)
      await form.getByRole('alert').waitFor({ timeout: patience })
      await form.getByLabel('Key').fill(makePublicKey())
      await hands.press('button', `Add ${what}`)
      await page.getByRole('button', { name: `Delete ${title}` }).waitFor({ timeout: patience })
      const titles = async () => (await bob.get(path)).body.map((key: Json) => key.title)
      assert.deepEqual(await titles(), [title])
      await hands.press('button', `Delete ${title}`)
      await hands.answer('Delete key')
      await see(page, `You have no ${what} yet.`)
      assert.deepEqual(await titles(), [])
      await page.reload()
    }
  })

  test('a fine-grained token is made, shown once, listed with its last use, and revoked, with the keyboard alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('bob')
    await stage.as('bob').post('/user/repos', { name: 'fine', private: true })
    const hands = takeKeyboard(page)
    await show(page, '/-/account/tokens')
    await hands.write('Note', 'fine robot')
    await hands.choose('Kind', 'fine-grained')
    await hands.choose('Code', 'read')
    await hands.press('button', 'Create token')
    const text = (await page.locator('.secret').textContent({ timeout: patience }))!
    assert.match(text, /^guildhall_pat_/)
    const row = page.getByRole('row', { name: /fine robot/ })
    await row.getByText('never').waitFor({ timeout: patience })
    await row.getByText('contents: read').waitFor({ timeout: patience })
    const statusOf = async () =>
      (await fetch(`${stage.url}/repos/bob/fine`, { headers: { authorization: `Bearer ${text}` } })).status
    assert.equal(await statusOf(), 200)
    await page.reload()
    await row.waitFor({ timeout: patience })
    await until(async () => {
      if ((await row.getByText('never').count()) === 0) return true
      await page.reload()
      await row.waitFor({ timeout: patience })
      return false
    }, 500)
    assert.equal(await page.locator('.secret').count(), 0, 'it is shown once')
    await hands.press('button', 'Revoke fine robot')
    await hands.answer('Revoke token')
    await row.waitFor({ state: 'detached', timeout: patience })
    assert.equal(await statusOf(), 401)
  })

  test('an organisation is run in the browser: people, teams with their repositories, hooks, settings, audit log', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await stage.root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
    await ann.post('/orgs/acme/repos', { name: 'tool', private: true, auto_init: true })
    const [{ page }, { page: bob }] = [await stage.openAs('ann'), await stage.openAs('bob')]
    const hands = takeKeyboard(page)
    await show(page, '/acme')
    await hands.press('link', 'People')
    await page.waitForURL('**/orgs/acme')
    await see(page, 'You are an owner.')
    await hands.write('Account', 'bob')
    await hands.press('button', 'Invite')
    await see(page, 'Invited')
    await show(bob, '/orgs/acme')
    await see(bob, 'You are invited to join')
    assert.equal(await bob.getByRole('link', { name: 'Settings' }).count(), 0)
    await bob.getByRole('button', { name: 'Accept' }).click()
    await see(bob, 'You are a member.')
    await hands.press('link', 'Teams')
    await see(page, 'No teams yet')
    await hands.write('Name', 'Night crew')
    await hands.press('button', 'Create team')
    await page.waitForURL('**/orgs/acme/teams/night-crew')
    await hands.write('Account', 'bob')
    await hands.press('button', 'Add person')
    await page.getByRole('button', { name: 'Make maintainer: bob' }).waitFor({ timeout: patience })
    await hands.write('Repository', 'tool')
    await hands.press('button', 'Add repository')
    await hands.choose('Role of the team in acme/tool', 'Write')
    await until(async () => (await stage.as('bob').get('/repos/acme/tool')).body.permissions?.push === true)
    await show(bob, '/orgs/acme/teams/night-crew')
    await see(bob, 'acme/tool')
    assert.equal(await bob.getByRole('button', { name: 'Delete team' }).count(), 0)

    await show(page, '/orgs/acme?tab=hooks')
    await hands.write('Address', 'https://hooks.example.org/org')
    await hands.press('button', 'Create webhook')
    await hands.press('button', 'Deliveries to https://hooks.example.org/org')
    await page.getByRole('region', { name: 'Deliveries' }).waitFor({ timeout: patience })
    await hands.press('link', 'Settings')
    await see(page, 'Not required.')
    await hands.write('Name', 'Acme Inc.')
    await hands.choose('Every member can', 'see only')
    await hands.press('button', 'Save')
    await see(page, 'Saved.')
    const { body: whole } = await ann.get('/orgs/acme')
    assert.deepEqual([whole.name, whole.default_repository_permission], ['Acme Inc.', 'none'])
    await hands.press('link', 'Audit log')
    await page.getByRole('row', { name: /org\.invite_member bob/ }).waitFor({ timeout: patience })
    await hands.write('Find in the audit log', 'actor:bob')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /org\.add_member/ }).waitFor({ timeout: patience })
    await page.getByRole('row', { name: /org\.invite_member/ }).waitFor({ state: 'detached', timeout: patience })
    await show(bob, '/orgs/acme?tab=settings')
    await see(bob, 'Only members or owners of the organisation can open it.')
  })

  test('the page that authorizes a token for an organisation with single sign-on names both', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await stage.root.post('/admin/organizations', { login: 'signers', admin: 'ann' })
    await ann.post('/orgs/signers/repos', { name: 'kept', private: true })
    const provider = { kind: 'oidc', issuer: 'https://login.example.org', client_id: 'guildhall', client_secret: 'x' }
    await stage.root.patch('/admin/organizations/signers', { sso: { ...provider, required: true } })
    const { headers } = await ann.get('/repos/signers/kept')
    const address = /url=(.*)$/.exec(headers.get('x-platform-sso') ?? '')![1]!
    const { page } = await stage.openAs('ann')
    await page.goto(address)
    await heading(page, 'Authorize a token for signers')
    await see(page, 'The classic token ending in')
    assert.deepEqual(await findFaults(page, 'single-sign-on'), [])
    await stage.root.patch('/admin/organizations/signers', { sso: null })
  })

  test('apps are registered, allowed on the consent page, installed, looked at and revoked', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    const callback = 'https://shelf.example.org/back'
    await page.route('https://shelf.example.org/**', (route) =>
      route.fulfill({ body: 'back', contentType: 'text/plain' }),
    )
    await show(page, '/-/account/apps')
    await see(page, 'No apps are authorised.')
    await hands.press('link', 'New app')
    await hands.write('Name', 'Shelf')
    await hands.write('Website', 'https://shelf.example.org')
    await hands.write('Callback addresses', callback)
    await hands.press('button', 'Register app')
    await page.locator('code.secret').waitFor({ timeout: patience })
    await hands.press('link', 'Open the app')
    await heading(page, 'Shelf')
    // It is shown once: the page of the app comes without it.
    await page.locator('.secret').waitFor({ state: 'detached', timeout: patience })
    await hands.press('button', 'New client secret')
    await page.locator('code.secret').waitFor({ timeout: patience })
    const client = new URL(page.url()).pathname.split('/').at(-1)!
    const query = new URLSearchParams({ client_id: client, redirect_uri: callback, scope: 'user', state: 'x' })
    await page.goto(`/login/oauth/authorize?${query}`)
    await heading(page, 'Authorize Shelf')
    assert.deepEqual(await findFaults(page, 'consent'), [])
    await page.goto('/login/device')
    await heading(page, 'Connect a device')
    assert.deepEqual(await findFaults(page, 'device'), [])
    await page.getByLabel('Code').fill('NONE-SUCH')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor({ timeout: patience })
    assert.deepEqual(await findFaults(page, 'device-refused'), [])
    await page.goto(`/login/oauth/authorize?${query}`)
    await page.getByRole('button', { name: 'Authorize Shelf' }).click()
    await page.waitForURL(`${callback}**`)
    await show(page, '/-/account/apps')
    await page.getByRole('button', { name: 'Revoke Shelf' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await see(page, 'No apps are authorised.')

    await stage.as('ann').post('/user/repos', { name: 'watched' })
    await show(page, '/-/account/apps/new')
    await page.getByRole('radio', { name: /is installed on repositories/ }).check()
    await hands.write('Name', 'Watcher')
    await hands.write('Website', 'https://watch.example.org')
    await hands.choose('Issues', 'read')
    await hands.write('Webhook address', 'https://watch.example.org/hook')
    await hands.write('Events', 'issues')
    await hands.press('button', 'Register app')
    await page.locator('pre.secret', { hasText: 'PRIVATE KEY' }).waitFor({ timeout: patience })
    await hands.press('link', 'Open the app')
    await page.getByRole('region', { name: 'Private keys' }).locator('code').first().waitFor({ timeout: patience })
    await hands.press('link', 'Install')
    await page.waitForURL('**/apps/watcher')
    await page.getByRole('checkbox', { name: 'ann/watched' }).check()
    await hands.press('button', 'Install', true)
    await page.waitForURL('**/-/account/apps')
    const listed = page.getByRole('region', { name: 'Installed apps' })
    await listed.getByText('watcher').waitFor({ timeout: patience })
    await stage.as('bob').post('/repos/ann/watched/issues', { title: 'Seen' })
    await page.goto('/-/account/apps/watcher')
    const deliveries = page.getByRole('region', { name: 'Deliveries' })
    await until(async () => {
      await deliveries.getByRole('button', { name: 'Refresh' }).click()
      return (await deliveries.getByText('issues.opened').count()) > 0
    })
    await deliveries
      .getByRole('button', { name: /^Show delivery/ })
      .first()
      .click()
    await deliveries
      .getByText('"title": "Seen"')
      .or(deliveries.getByText('installation'))
      .first()
      .waitFor({ timeout: patience })
    await show(page, '/-/account/apps')
    await listed.getByRole('button', { name: 'Uninstall watcher' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click()
    await see(page, 'No apps are installed.')
  })

  test('repositories are exported, followed, downloaded and unlocked; an archive is previewed and imported', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'moving', auto_init: true })
    await ann.post('/repos/ann/moving/issues', { title: 'Comes along' })
    const { page } = await stage.openAs('ann')
    await show(page, '/-/account/migrations')
    await page.getByRole('checkbox', { name: 'ann/moving' }).check()
    await page.getByRole('checkbox', { name: /Lock the repositories/ }).check()
    await page.getByRole('button', { name: 'Start export' }).click()
    await see(page, 'Exported')
    assert.equal((await ann.post('/repos/ann/moving/issues', { title: 'No' })).status, 403)
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: patience }),
      page.getByRole('link', { name: /Download the archive/ }).click({ timeout: patience }),
    ])
    const archive = await readFile(await download.path())
    await page.getByRole('button', { name: 'Unlock ann/moving' }).click()
    await until(async () => (await ann.post('/repos/ann/moving/issues', { title: 'Yes' })).status === 201)
    assert.equal(await page.getByRole('heading', { name: 'Import an archive' }).count(), 0, 'admins import')

    const { page: root } = await stage.openAs(admin.name)
    await show(root, '/-/account/migrations')
    const offer = (name: string, buffer: Buffer) =>
      root.getByLabel('Choose an archive').setInputFiles({ name, mimeType: 'application/gzip', buffer })
    await offer('odd.tar.gz', Buffer.from('nonsense'))
    await see(root, 'This is not a migration archive')
    await offer('archive.tar.gz', archive)
    await see(root, 'Preview')
    await see(root, 'issues: 1')
    await root.getByLabel('Owner', { exact: true }).fill('bob')
    await see(root, 'bob/moving')
    await root.getByRole('button', { name: 'Import', exact: true }).click()
    await see(root, 'Imported')
    await until(async () => (await stage.as('bob').get('/repos/bob/moving/issues')).body.length === 1)
    await show(root, '/-/admin/audit')
    await root.getByRole('row').nth(3).waitFor({ timeout: patience })
  })

  test('an archive of the public platform is previewed, checked by the server, and imported', async () => {
    const { stage } = world
    const bytes = await (await makePlatformArchive()).forge().toBytes()
    const { page } = await stage.openAs(admin.name)
    await show(page, '/-/account/migrations')
    const offer = () =>
      page
        .getByLabel('Choose an archive')
        .setInputFiles({ name: 'platform.tar.gz', mimeType: 'application/gzip', buffer: bytes })
    await offer()
    await see(page, 'smiths/anvil')
    await see(page, 'issue events: 14')
    await page.getByRole('button', { name: 'Check only' }).click()
    await see(page, 'Checked, not imported')
    await see(page, '1 events of the kind copilot_work_started')
    await see(page, 'New accounts, suspended: ada, ben-corp, helper-bot, Stranger, ghost, smiths')
    assert.equal((await stage.as('bob').get('/users/ada')).status, 404)
    await offer()
    await page.getByLabel('Account of ben_corp').fill('bob')
    assert.deepEqual(await findFaults(page, 'import'), [])
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await until(async () => (await stage.as('bob').get('/repos/smiths/anvil/issues/1')).status === 200)
    await see(page, 'From https://github.com: 2 repositories, 5 new accounts, some things left out')
  })
}
