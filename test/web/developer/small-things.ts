/** Small things of a day: what is offered, what errors say, and keys that are not lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../support/until.ts'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { patience, see, show } from '../hands.ts'
import { lookAt } from '../looks.ts'

export function testSmallThings(world: DeveloperWorld): void {
  test('writers are offered problem links and no settings, and an archived repository no new issue', async () => {
    const { stage } = world
    const [ann, bob] = [stage.as('ann'), stage.as('bob')]
    await ann.post('/user/repos', { name: 'small', auto_init: true })
    await ann.put('/repos/ann/small/collaborators/bob', { permission: 'push' })
    const { body } = await bob.get('/user/repository_invitations')
    await bob.patch(`/user/repository_invitations/${body[0].id}`)
    const { page } = await stage.openAs('bob')
    await show(page, '/ann/small')
    const tabs = page.getByRole('navigation', { name: 'Repository' })
    await tabs.getByRole('link', { name: 'Problem links' }).click()
    await page
      .getByRole('heading', { name: /Problem links/ })
      .first()
      .waitFor({ timeout: patience })
    assert.equal(await tabs.getByRole('link', { name: 'Settings' }).count(), 0)
    await ann.patch('/repos/ann/small', { archived: true })
    for (const path of ['issues', 'pulls']) {
      await show(page, `/ann/small/${path}/new`)
      await see(page, 'This repository is archived.')
      assert.equal(await page.getByRole('textbox', { name: 'Title' }).count(), 0)
    }
    await lookAt(page, 'archived')
  })

  test('an error names the field in plain words', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'errors', auto_init: true })
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/errors/settings/hooks')
    await page.getByLabel('Address').fill('https://hooks.example.org/a')
    await page.getByRole('textbox', { name: 'Events' }).fill('nothing')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor({ timeout: patience })
    assert.doesNotMatch((await alert.textContent()) ?? '', /Validation Failed/)
  })

  test('no letter that is typed while the search box is being loaded is lost', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    await show(page, '/ann')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/*search-box*', async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('smxall')
    for (let times = 0; times < 4; times++) await page.keyboard.press('Backspace')
    release()
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.waitFor({ timeout: patience })
    await page.keyboard.type('all')
    await until(async () => (await field.inputValue()) === 'small')
  })

  test('a new token has no scope that was not chosen', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    await show(page, '/-/account/tokens')
    await page.getByLabel('Note').waitFor({ timeout: patience })
    assert.equal(await page.locator('fieldset input:checked').count(), 0)
  })
}
