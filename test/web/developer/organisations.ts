/** Organisations made on the page: by admins always, by others where the server lets them; admins see them all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin } from '../../support/server.ts'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { heading, see, show, takeKeyboard } from '../hands.ts'
import { lookAt } from '../looks.ts'

export function testOrganisations(world: DeveloperWorld): void {
  test('an organisation is made on the page, owned by who made it, and listed for admins', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/-/repositories')
    await hands.press('link', 'New organisation')
    await heading(page, 'New organisation')
    await hands.write('Name', 'smiths')
    await hands.write('Display name', 'The smiths')
    await lookAt(page, 'new-organisation')
    await hands.press('button', 'Create organisation')
    await page.waitForURL('**/smiths')
    const { body: own } = await stage.as('ann').get('/user/memberships/orgs/smiths')
    assert.deepEqual([own.role, own.state], ['admin', 'active'])

    const { page: other } = await stage.openAs(admin.name)
    await show(other, '/-/admin/organisations')
    await see(other, 'smiths')
    await lookAt(other, 'admin-organisations')
  })

  test('where admins alone make organisations, the page says so', async () => {
    const { stage } = world
    const { page } = await stage.openAs('bob')
    await page.route('**/meta', (route) => route.fulfill({ json: { organization_makers: 'admins' } }))
    await show(page, '/-/organisations/new')
    await see(page, 'Organisations are made by admins of this server.')
  })
}
