/** Repositories made and administered in the browser, by the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'

export function testCodeSettings(world: CodeWorld): void {
  test('a repository is made, changed, shared, protected, renamed, archived and deleted, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/-/repositories')
    await hands.press('link', 'New repository')
    await heading(page, 'New repository')
    await hands.write('Name', 'made')
    await hands.write('Description', 'Made by hand')
    await hands.turnTo('Visibility', /Private/)
    await hands.press('button', 'Create repository')
    await page.waitForURL('**/ann/made', { timeout: patience })
    await page.getByRole('link', { name: 'README.md' }).waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/ann/made')).body.private, true)

    await hands.press('link', 'Settings')
    await heading(page, 'Settings: General')
    await hands.write('Topics', 'one, two')
    await hands.write('Name', 'renamed')
    await hands.press('button', 'Save')
    await page.waitForURL('**/ann/renamed/settings', { timeout: patience })
    assert.deepEqual((await ann.get('/repos/ann/renamed/topics')).body.names, ['one', 'two'])

    await hands.press('link', 'Access')
    await hands.write('Account', 'bob')
    await hands.choose('Role', 'Triage')
    await hands.press('button', 'Invite')
    await see(page, 'Invited:')
    const bob = stage.as('bob')
    const { body: invitations } = await bob.get('/user/repository_invitations')
    await bob.patch(`/user/repository_invitations/${invitations[0].id}`)
    await page.reload()
    await page.getByRole('button', { name: 'Remove bob' }).waitFor({ timeout: patience })
    await hands.choose('Role of bob', 'Admin')
    await until(
      async () => (await ann.get('/repos/ann/renamed/collaborators/bob/permission')).body.permission === 'admin',
    )
    await hands.press('button', 'Remove bob')
    await hands.answer('Remove')
    await page.getByRole('button', { name: 'Remove bob' }).waitFor({ state: 'detached', timeout: patience })

    await hands.press('link', 'Branch protection')
    await see(page, 'No branches are protected.')
    await hands.tick('checkbox', 'Require a pull request before merging')
    await hands.write('Required approvals', '2')
    await hands.press('button', 'Save rules')
    await see(page, 'is protected by these rules')
    const { body: rules } = await ann.get('/repos/ann/renamed/branches/main/protection')
    assert.equal(rules.required_pull_request_reviews.required_approving_review_count, 2)

    await hands.press('link', 'Webhooks')
    await hands.write('Address', 'https://hooks.example.org/a')
    await hands.press('button', 'Create webhook')
    await page.getByRole('button', { name: 'Ping https://hooks.example.org/a' }).waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/ann/renamed/hooks')).body[0].config.url, 'https://hooks.example.org/a')

    await hands.press('link', 'General')
    await hands.open('Archive it')
    await hands.write(/Type ann\/renamed/, 'ann/renamed')
    await hands.press('button', 'Archive', true)
    await see(page, 'This repository is archived')
    await hands.open('Delete it')
    const removing = page.getByRole('button', { name: 'Delete this repository' })
    await removing.waitFor({ timeout: patience })
    assert.equal(await removing.isDisabled(), true)
    await hands.write(/Type ann\/renamed/, 'ann/renamed', { isLast: true })
    await hands.press('button', 'Delete this repository')
    await page.waitForURL('**/-/repositories', { timeout: patience })
    assert.equal((await ann.get('/repos/ann/renamed')).status, 404)
  })

  test('a repository is transferred to an organisation, and its old address leads to it', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await stage.root.post('/admin/organizations', { login: 'movers', admin: 'ann' })
    await ann.post('/user/repos', { name: 'moving', auto_init: true })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/moving/settings')
    await hands.open('Transfer it')
    await hands.write('New owner', 'nobody-there')
    await hands.write(/Type ann\/moving/, 'ann/moving', { isLast: true })
    await hands.press('button', 'Transfer', true)
    await see(page, /There is no account of this name/)
    await hands.write('New owner', 'movers')
    await hands.press('button', 'Transfer', true)
    await page.waitForURL('**/movers/moving', { timeout: patience })
    await page.getByRole('link', { name: 'README.md' }).waitFor({ timeout: patience })
    await show(page, '/ann/moving')
    await page.getByRole('navigation', { name: 'Repository' }).waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/movers/moving')).status, 200)
  })

  test('teams are given and refused access, and the visibility is changed, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await stage.root.post('/admin/organizations', { login: 'crew', admin: 'ann' })
    await ann.post('/orgs/crew/repos', { name: 'boat', private: true, auto_init: true })
    await ann.post('/orgs/crew/teams', { name: 'Rowers', privacy: 'closed' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/crew/boat/settings/access')
    await see(page, 'No teams have access.')
    await hands.press('button', 'Add team')
    await hands.choose('Role of Rowers', 'Maintain')
    const levels = async () => (await ann.get('/repos/crew/boat/teams')).body.map((team: Json) => team.permission)
    await until(async () => (await levels()).join() === 'maintain')
    await hands.press('button', 'Remove Rowers')
    await hands.answer('Remove')
    await see(page, 'No teams have access.')
    assert.deepEqual(await levels(), [])

    await hands.press('link', 'General')
    const seenBy = async () => (await fetch(`${stage.url}/repos/crew/boat`)).status
    for (const [title, action, status] of [
      ['Make it public', 'Make public', 200],
      ['Make it private', 'Make private', 404],
    ] as const) {
      await hands.open(title)
      await hands.write(/Type crew\/boat/, 'crew/boat')
      await hands.press('button', action, true)
      await until(async () => (await seenBy()) === status)
    }
    await page.getByText('Make it public').first().waitFor({ timeout: patience })
  })

  test('settings are for admins', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'shown' })
    const { page } = await stage.openAs('bob')
    await show(page, '/ann/shown/settings')
    await heading(page, 'Only admins of this repository can change these settings')
  })
  test('who is invited, to a private repository too, accepts or declines on the page that the inbox leads to', async () => {
    const { stage } = world
    const [ann, bob] = [stage.as('ann'), stage.as('bob')]
    for (const name of ['closed', 'dull']) {
      await ann.post('/user/repos', { name, private: true, auto_init: true })
      await ann.put(`/repos/ann/${name}/collaborators/bob`, { permission: 'push' })
    }
    const { page } = await stage.openAs('bob')
    await show(page, '/-/inbox')
    await page.getByRole('link', { name: 'Invitation to join ann/closed' }).click()
    await page.getByRole('link', { name: 'Open the page' }).click()
    await heading(page, 'Invitation to ann/closed')
    await see(page, 'You will be able to read it and push to it.')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('link', { name: 'README.md' }).waitFor({ timeout: patience })
    assert.equal((await bob.get('/repos/ann/closed')).body.permissions.push, true)
    const { body: left } = await bob.get('/repos/ann/closed/notifications')
    assert.deepEqual(left, [], 'an accepted invitation leaves the inbox')

    await show(page, '/ann/dull/invitations')
    await page.getByRole('button', { name: 'Decline' }).click()
    await heading(page, 'Inbox')
    assert.equal((await bob.get('/repos/ann/dull')).status, 404)
    await show(page, '/ann/dull/invitations')
    await heading(page, 'There is no such invitation')
  })
}
