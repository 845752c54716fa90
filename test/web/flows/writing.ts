/** Writing on the pages of issues: suggestions that move nothing, and drafts that are kept until they are sent, and no longer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../support/until.ts'
import { heading, patience, see, show } from '../hands.ts'
import type { OwnWorkWorld } from '../own-work.test.ts'

export function testWriting(world: OwnWorkWorld): void {
  test('a click on Comment or Create issue sends the text while suggestions are open', async () => {
    const { stage } = world
    const { body: issue } = await stage.as('ann').post('/repos/ann/tool/issues', { title: 'Said with a click' })
    const { page } = await stage.openAs('ann')
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await show(page, `/ann/tool/issues/${issue.number}`)
      const box = page.getByRole('textbox', { name: 'Add a comment' })
      await box.fill(`Seen at ${width}`)
      await box.press('End')
      await page.keyboard.type(' ping @an')
      await page.getByRole('option', { name: '@ann' }).waitFor({ timeout: patience })
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.locator('.comment', { hasText: `Seen at ${width} ping @an` }).waitFor({ timeout: patience })
    }
    await show(page, '/ann/tool/issues/new')
    await page.getByLabel('Title').fill('Created with a click')
    await page.getByRole('textbox', { name: 'Description' }).focus()
    await page.keyboard.type('like #said')
    await page.getByRole('option', { name: /Said with a click/ }).waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'Create issue' }).click()
    await heading(page, /Created with a click/)
  })

  test('a draft that was restored, continued and sent is gone; what was added to it before that was kept', async () => {
    const { stage } = world
    const { page } = await stage.openAs('bob')
    const field = page.getByRole('textbox', { name: 'Description' })
    const open = async (text: string) => {
      await show(page, '/-/repositories')
      await show(page, '/ann/tool/issues/new')
      await field.waitFor({ timeout: patience })
      assert.equal(await field.inputValue(), text)
    }
    await open('')
    await page.getByLabel('Title').fill('Written in parts')
    await field.fill('One')
    await open('One')
    await field.fill('One, two')
    await open('One, two')
    await field.fill('One, two, three')
    await page.getByRole('button', { name: 'Create issue' }).click()
    await heading(page, /Written in parts/)
    await see(page, 'One, two, three')
    await open('')
    assert.equal(await page.getByLabel('Title').inputValue(), '')
  })

  test('a tab whose draft is continued in another tab keeps its own', async () => {
    const { stage } = world
    const { page, context } = await stage.openAs('bob')
    await show(page, '/ann/tool/issues/new')
    const field = page.getByRole('textbox', { name: 'Description' })
    await field.fill('Here')
    const other = await context.newPage()
    await show(other, '/ann/tool/issues/new')
    const second = other.getByRole('textbox', { name: 'Description' })
    await until(async () => (await second.inputValue()) === 'Here')
    await second.fill('There')
    await see(page, 'editing this text in another tab')
    await Promise.all([page.reload(), other.reload()])
    await until(async () => (await field.inputValue()) === 'Here')
    await until(async () => (await second.inputValue()) === 'There')
  })
}
