/** What a new repository begins with: a README, a licence and the paths that git ignores. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { show, takeKeyboard } from '../hands.ts'
import { lookAt } from '../looks.ts'

export function testBeginnings(world: DeveloperWorld): void {
  test('a new repository begins with the README, the licence and the .gitignore that were chosen', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/-/repositories/new')
    await hands.write('Name', 'begun', { exact: true })
    assert.equal(await page.getByRole('checkbox', { name: 'Add a README' }).isChecked(), true)
    await page.getByRole('option', { name: 'MIT License' }).waitFor({ state: 'attached' })
    await hands.choose('Licence', 'MIT License')
    await hands.choose('.gitignore', 'Node')
    await lookAt(page, 'new-repository')
    await hands.press('button', 'Create repository')
    await page.waitForURL('**/ann/begun')
    const read = async (path: string) => {
      const { body } = await stage.as('ann').get(`/repos/ann/begun/contents/${path}`)
      return Buffer.from(body.content, 'base64').toString()
    }
    assert.match(await read('LICENSE'), /^MIT License\n\nCopyright \(c\) \d{4} ann\n\nPermission is hereby granted/)
    assert.match(await read('.gitignore'), /^node_modules\/$/m)
    assert.match(await read('README.md'), /^# begun/)
  })
}
