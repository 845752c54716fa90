/** What a new repository begins with: a README, a licence and the paths that git ignores. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
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

  test('a repository is made from a template, for oneself or an organisation, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'pattern', auto_init: true, is_template: true, description: 'A pattern' })
    await stage.root.post('/admin/organizations', { login: 'makers', admin: 'bob' })
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/ann/pattern')
    await hands.press('link', 'Use this template')
    await heading(page, 'New repository')
    await see(page, 'From the template ann/pattern')
    await page.getByRole('option', { name: 'makers' }).waitFor({ state: 'attached' })
    assert.equal(await page.getByText('Licence').count(), 0)
    await hands.choose('Owner', 'makers')
    await hands.write('Name', 'made', { exact: true })
    await hands.tick('checkbox', 'All branches')
    await lookAt(page, 'new-from-template')
    await hands.press('button', 'Create repository')
    await page.waitForURL('**/makers/made', { timeout: patience })
    await page.getByRole('link', { name: 'README.md' }).first().waitFor({ timeout: patience })
    const { body } = await stage.as('bob').get('/repos/makers/made')
    assert.equal(body.template_repository.full_name, 'ann/pattern')
    // One that is no template, or not for this person, is refused in words.
    await ann.patch('/repos/ann/pattern', { is_template: false })
    await show(page, '/ann/pattern')
    assert.equal(await page.getByRole('link', { name: 'Use this template' }).count(), 0)
    await show(page, '/-/repositories/new?template=ann/pattern')
    await hands.write('Name', 'refused', { exact: true })
    await hands.press('button', 'Create repository')
    await page.getByRole('alert').waitFor({ timeout: patience })
  })
}
