/** The documents: found by words and by the addresses that errors name, with requests that can be tried. */
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { patience, see } from '../hands.ts'
import type { World } from '../world.ts'

declare const window: Json

export function testDocuments(world: World): void {
  test('the documents are found by words and by the addresses that errors name', async () => {
    const { stage } = world
    const { page } = await stage.open()
    await page.goto('/-/docs')
    await page.getByLabel('Search the documents').fill('rejudge')
    await page.getByRole('link', { name: 'rejudge_problem', exact: true }).press('Enter', { timeout: patience })
    await page.getByRole('heading', { level: 1, name: /judge/ }).waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'Try it get_server_info' }).press('Enter', { timeout: patience })
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).press('Enter')
    await see(page, /"SupportedLanguageList"/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached', timeout: patience })
    const { page: signedIn } = await stage.openAs('ann')
    await signedIn.goto('/-/docs/hosting#get-a-user')
    await signedIn.waitForURL('**/-/docs/reference/forge#get-a-user')
    await signedIn.getByLabel('Filter the operations').fill('get a user')
    const tryIt = signedIn.getByRole('button', { name: 'Try it GET /users/{username}', exact: true })
    await tryIt.press('Enter', { timeout: patience })
    await signedIn.getByRole('dialog').getByLabel('username').fill('ann')
    await signedIn.keyboard.press('Enter')
    await see(signedIn, /"login": "ann"/)
    await page.goto('/-/docs/forge#about-primary-rate-limits')
    await page.locator('#about-primary-rate-limits').waitFor({ timeout: patience })
    await page.waitForFunction(() => window.scrollY > 100)
  })
}
