/** A repository's home: watched, ignored and left alone from its page, and what waits behind its tabs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../support/until.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { patience, see, show, takeKeyboard } from '../hands.ts'

export function testRepositoryHome(world: CodeWorld): void {
  test('a repository is watched, ignored and left alone from its page, with the keyboard alone', async () => {
    const { stage } = world
    const bob = stage.as('bob')
    await stage.as('ann').post('/user/repos', { name: 'watched', auto_init: true })
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/ann/watched')
    const subscription = async () => (await bob.get('/repos/ann/watched/subscription')).body
    const choose = async (from: string, to: RegExp) => {
      await hands.open(from)
      await hands.press('button', to)
    }
    await choose('Watch', /^All activity/)
    await until(async () => (await subscription()).subscribed === true)
    await choose('Watching', /^Ignore/)
    await until(async () => (await subscription()).ignored === true)
    await page.reload()
    await see(page, 'Ignoring')
    await choose('Ignoring', /^Participating/)
    await until(async () => (await bob.get('/repos/ann/watched/subscription')).status === 404)
    await page.locator('summary', { hasText: /^Watch$/ }).waitFor({ timeout: patience })
  })

  test('the tabs tell how many issues and pulls are open', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'counted' })
    await stage.push('ann', 'counted', [
      { message: 'One', files: { 'a.txt': 'a\n' } },
      { message: 'Two', files: { 'a.txt': 'b\n' }, branch: 'two' },
    ])
    for (const title of ['One', 'Two', 'Three']) await ann.post('/repos/ann/counted/issues', { title })
    await ann.patch('/repos/ann/counted/issues/3', { state: 'closed' })
    await ann.post('/repos/ann/counted/pulls', { title: 'Two', head: 'two', base: 'main' })
    const { page } = await stage.open()
    await show(page, '/ann/counted')
    const tabs = page.getByRole('navigation', { name: 'Repository' })
    await tabs.locator('.tab-count').first().waitFor({ timeout: patience })
    const texts = ['Code', 'Issues2', 'Pull requests1', 'Releases', 'Wiki']
    assert.deepEqual(await tabs.getByRole('link').allTextContents(), texts)
  })

  test('a branch that was just pushed leads to its pull, and says how it stands to the default branch', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'fresh' })
    await stage.push('ann', 'fresh', [
      { message: 'One', files: { 'a.txt': 'a\n' } },
      { message: 'Two', files: { 'a.txt': 'b\n' }, branch: 'feature/y' },
    ])
    await ann.patch('/repos/ann/fresh', { default_branch: 'main' })
    await ann.put('/repos/ann/fresh/contents/b.txt', { message: 'Three', branch: 'main', content: 'eA==' })
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/fresh')
    await see(page, /^You pushed to/)
    await show(page, '/ann/fresh/tree/feature/y')
    await see(page, 'This branch is 1 commit ahead of and 1 commit behind')
    await page.getByRole('link', { name: 'Compare and open a pull request' }).click()
    await see(page, 'Two')
    await ann.post('/repos/ann/fresh/pulls', { title: 'Two', head: 'feature/y', base: 'main' })
    await show(page, '/ann/fresh')
    await page.locator('.tab-count', { hasText: '1' }).waitFor({ timeout: patience })
    assert.equal(await page.getByText(/^You pushed to/).count(), 0)
  })
}
