/** The inbox: read, marked, muted, filtered and undone, by the keyboard alone; what one does arrives at another live. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { heading, patience, see, show } from '../hands.ts'
import type { Mine } from '../mine.ts'

const hostile = '<img src=x onerror="window.broken=1"> {{x}} `"\'>'

export function testInbox(mine: Mine): void {
  const titles = async (query = '') =>
    (await mine.ann.get(`/notifications${query}`)).body.map(({ subject }: Json) => subject.title)

  test('what one writes to another arrives in the other’s open inbox, with its reason in words', async () => {
    const { stage, sam } = mine
    const ann = await stage.openAs('ann')
    await show(ann.page, '/-/inbox')
    await see(ann.page, 'Nothing is waiting for you.')
    const other = await stage.openAs('sam')
    await other.page.goto('/sam/course')
    await other.page.evaluate(async (title) => {
      const body = JSON.stringify({ title, body: 'Look, @ann: **bold**' })
      await fetch('/repos/sam/course/issues', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    }, hostile)
    await see(ann.page, hostile)
    await see(ann.page, /Issue #1 · You were mentioned/)
    await ann.page.getByRole('link', { name: /img src/ }).click()
    await ann.page.getByRole('article').getByText('bold').waitFor({ timeout: patience })
    await until(async () => (await titles()).length === 0)
    await ann.page.getByRole('textbox', { name: 'Comment' }).fill('I will.')
    await ann.page.getByRole('button', { name: 'Comment', exact: true }).click()
    await ann.page.getByRole('article').getByText('I will.').nth(0).waitFor({ timeout: patience })
    assert.equal((await sam.get('/repos/sam/course/issues/1/comments')).body[0].body, 'I will.')
    assert.equal(await ann.page.evaluate('window.broken'), undefined)
  })

  test('the keyboard alone goes through the threads: next, select, done, undo, unread, mute, filter, help', async () => {
    const { stage, ann } = mine
    for (const title of ['First run', 'Second run', 'Third run']) await mine.deliver('ann', title)
    const { page } = await stage.openAs('ann')
    const { keyboard } = page
    await show(page, '/-/inbox?type=external')
    await see(page, 'Third run')
    await keyboard.press('j')
    await until(async () => (await page.evaluate('document.activeElement.textContent')) === 'Unread: Third run')
    await keyboard.press('j')
    await until(async () => (await page.evaluate('document.activeElement.textContent')) === 'Unread: Second run')
    await keyboard.press('e')
    await see(page, '1 thread done.')
    await until(async () => (await titles('?done=true')).includes('Second run'))
    // The next one came to its place, and the keyboard goes on from there.
    await until(async () => (await page.locator('.thread-row').count()) === 2)
    await keyboard.press('j')
    await until(async () => (await page.evaluate('document.activeElement.textContent')) === 'Unread: First run')
    await keyboard.press('z')
    await until(async () => (await titles()).includes('Second run'))
    await see(page, 'Second run')
    await keyboard.press('k')
    await keyboard.press('x')
    await keyboard.press('j')
    await keyboard.press('x')
    await see(page, '2 selected')
    await keyboard.press('r')
    await see(page, '2 threads read.')
    await until(async () => (await titles('?type=external')).length === 1)
    await keyboard.press('u')
    await until(async () => (await titles('?type=external')).length === 2)
    const [thread] = (await ann.get('/notifications?all=true&q=third')).body
    await keyboard.press('/')
    await keyboard.type('third')
    await keyboard.press('Enter')
    await until(async () => (await page.locator('.thread-row').count()) === 1)
    await keyboard.press('j')
    await keyboard.press('m')
    await see(page, '1 thread muted.')
    const subscription = async () => (await ann.get(`/notifications/threads/${thread.id}/subscription`)).body
    await keyboard.press('i')
    await see(page, '1 thread ignored.')
    assert.equal((await subscription()).ignored, true)
    await keyboard.press('z')
    await until(async () => !(await subscription()).ignored)
    await keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await keyboard.press('Escape')
    await keyboard.press('Enter')
    await page.getByRole('article').getByText('Third run').waitFor({ timeout: patience })
    await keyboard.press('Escape')
    await page.getByRole('article').waitFor({ state: 'detached' })
  })

  test('what is done in one browser is done in the other, and comes back in both', async () => {
    const { stage } = mine
    await mine.deliver('ann', 'Seen twice')
    const [{ page: one }, { page: other }] = [await stage.openAs('ann'), await stage.openAs('ann', { width: 360 })]
    await show(one, '/-/inbox?q=twice')
    await show(other, '/-/inbox?q=twice')
    await see(one, 'Seen twice')
    await see(other, 'Seen twice')
    await one.keyboard.press('j')
    await one.keyboard.press('e')
    await see(one, '1 thread done.')
    await other.getByText('Seen twice').waitFor({ state: 'detached', timeout: patience })
    await one.keyboard.press('z')
    await see(other, 'Seen twice')
  })

  test('a filter is kept under a name, found again in another browser, and removed', async () => {
    const { stage, ann } = mine
    const { page } = await stage.openAs('ann')
    await show(page, '/-/inbox?show=unread&group=repository')
    await page.getByRole('heading', { name: /sam\/course/ }).waitFor({ timeout: patience })
    await page.getByLabel('Name of this filter').fill('<b>By place</b>')
    await page.getByRole('button', { name: 'Save' }).click()
    const other = await stage.openAs('ann', { width: 360 })
    await show(other.page, '/-/inbox')
    await other.page.getByRole('link', { name: '<b>By place</b>' }).click()
    await other.page.waitForURL(/group=repository/)
    await page.getByRole('button', { name: 'Remove the filter <b>By place</b>' }).click()
    await until(async () => (await ann.get('/notifications/filters')).body.length === 0)
  })

  test('many threads are drawn as few are, and the last of them is reached', async () => {
    const { stage } = mine
    for (let at = 0; at < 130; at++) await mine.deliver('sam', `Run ${at}`)
    const { page } = await stage.openAs('sam')
    await show(page, '/-/inbox?type=external')
    await see(page, 'Run 129')
    await page.locator('.thread-list').evaluate((element: Json) => element.scrollTo(0, element.scrollHeight))
    await page.getByRole('link', { name: 'Unread: Run 0', exact: true }).waitFor({ timeout: patience })
    assert.ok((await page.locator('.thread-row').count()) < 40)
  })

  test('what one watches is listed, and can be left', async () => {
    const { stage, ann } = mine
    await ann.put('/repos/sam/course/subscription', { subscribed: true })
    const { page } = await stage.openAs('ann')
    await show(page, '/-/inbox/watching')
    await page.getByRole('button', { name: 'Unwatch sam/course' }).click()
    await page.getByRole('button', { name: 'Watch sam/course', exact: true }).waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/sam/course/subscription')).status, 404)
    await heading(page, 'Watching')
  })
}
