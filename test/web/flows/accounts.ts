/** One's own account: name and password, tokens and sessions, with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { patience, see, takeKeyboard } from '../hands.ts'
import { password } from '../stage.ts'
import type { World } from '../world.ts'

declare const window: Json

export function testAccounts(world: World): void {
  test('a blank after the name does not matter at sign-in, and one in the password is told', async () => {
    const { page } = await world.stage.open()
    await page.goto('/-/sign-in')
    await page.getByLabel('Name').fill(' ann ')
    await page.getByLabel('Password').fill(`${password} `)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await see(page, 'Wrong account name or password. The password begins or ends with a blank.')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ timeout: patience })
  })

  test('tokens are made, shown once and revoked, and sessions elsewhere ended, with the keyboard alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const { keyboard } = page
    const hands = takeKeyboard(page)
    const elsewhere = await stage.cast.anonymous.signIn('ann', password)
    await page.goto('/-/account')
    await hands.write('Display name', 'Ann Lee')
    await keyboard.press('Enter')
    await see(page, 'Saved. Others see “Ann Lee”.')
    await hands.press('link', 'Tokens')
    await see(page, 'You have no tokens')
    await hands.write('Note', 'my robot')
    await hands.tick('checkbox', /judge$/)
    await hands.press('button', 'Create token')
    const text = (await page.locator('.secret').textContent({ timeout: 60_000 }))!
    await page.waitForFunction(() => window.document.activeElement?.textContent.includes('it will not be shown again'))
    const robot = stage.cast.anonymous.as(text)
    assert.equal((await robot.call('get_session')).Account.AccountName, 'ann')
    await page.reload()
    await see(page, 'my robot')
    assert.equal(await page.locator('.secret').count(), 0, 'it is shown once')
    await hands.press('button', 'Revoke my robot')
    await hands.answer('Revoke token')
    await see(page, 'You have no tokens')
    assert.equal(await robot.code('get_session'), 17)
    await hands.press('link', 'Sessions')
    await see(page, 'This session')
    await until(async () => {
      if ((await elsewhere.code('get_session')) === 17) return true
      await hands.press('button', /End session/)
      return false
    }, 200)
  })
}
