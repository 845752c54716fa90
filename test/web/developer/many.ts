/** Many at once: issues of a list, lines of a search, and words in a file that is not drawn as a whole. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLines } from '../../../web/code/file/find-lines.ts'
import { cutLines, wordsOf } from '../../../web/search/found-lines.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import { lookAt } from '../looks.ts'

export function testMany(world: DeveloperWorld): void {
  test('issues are selected by x, closed, labelled and assigned together; who may not triage is offered no boxes', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'many' })
    await ann.post('/repos/ann/many/labels', { name: 'chore', color: '117733' })
    for (const title of ['One', 'Two', 'Three']) await ann.post('/repos/ann/many/issues', { title })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/many/issues')
    const { keyboard } = page
    await page.getByRole('checkbox', { name: 'Select #3' }).waitFor({ timeout: patience })
    for (const key of ['j', 'x', 'j', 'x']) await keyboard.press(key)
    await see(page, '2 selected')
    await lookAt(page, 'selected')
    await hands.press('button', 'Label', true)
    await hands.press('button', /chore/)
    const listed = async () => (await ann.get('/repos/ann/many/issues?state=all&direction=asc')).body
    await until(async () => (await listed()).filter(({ labels }: Json) => labels.length > 0).length === 2)
    await page.keyboard.press('Escape')
    await see(page, '2 selected')
    await hands.press('button', 'Assign', true)
    await hands.press('button', /^(✓)?.*ann/)
    await until(async () => (await listed()).filter(({ assignees }: Json) => assignees.length > 0).length === 2)
    await page.keyboard.press('Escape')
    await see(page, '2 selected')
    await hands.press('button', 'Close', true)
    await page.getByRole('link', { name: 'Three' }).waitFor({ state: 'detached', timeout: patience })
    assert.deepEqual(
      (await listed()).map(({ state, labels, assignees }: Json) => [state, labels.length, assignees.length]),
      [
        ['open', 0, 0],
        ['closed', 1, 1],
        ['closed', 1, 1],
      ],
    )
    const { page: other } = await stage.openAs('bob')
    await show(other, '/ann/many/issues')
    await see(other, 'One')
    assert.equal(await other.getByRole('checkbox').count(), 0)
  })

  test('found lines are numbered, cut where they are long, and their words stand apart', () => {
    assert.deepEqual(wordsOf('Pan "of gold" repo:a/b -path:x OR'), ['pan', 'of gold'])
    const { shown, hidden } = cutLines(`a\nThe Pan, pan\n${'x'.repeat(400)}pan\n`, ['pan'])
    assert.deepEqual(shown[0], {
      number: 2,
      pieces: [
        ['The ', false],
        ['Pan', true],
        [', ', false],
        ['pan', true],
      ],
    })
    assert.deepEqual(shown[1]!.pieces, [
      ['… ', false],
      ['x'.repeat(40), false],
      ['pan', true],
    ])
    assert.equal(hidden, 0)
    assert.equal(cutLines('pan\n'.repeat(20), ['pan']).hidden, 12)
    assert.deepEqual(findLines(['a', 'B', 'ab'], 'b'), [2, 3])
    assert.deepEqual(findLines(['a'], ''), [])
  })

  test('the search box leads to a page of code with the lines that were found', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'mine' })
    const lines = Array.from({ length: 3_000 }, (_, at) => `let line${at + 1} = ${at}`)
    lines[2_499] = 'const nugget = "gold" // <b>'
    lines[2_799] = 'return nugget'
    await stage.push('ann', 'mine', [{ message: 'Dig', files: { 'src/dig.js': `${lines.join('\n')}\n` } }])
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/mine')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('nugget')
    await page.getByRole('option', { name: /Search code for “nugget”/ }).click()
    await heading(page, 'Search code')
    await page.getByRole('link', { name: 'Line 2500' }).waitFor({ timeout: patience })
    await see(page, '1 file')
    assert.deepEqual(await page.locator('mark').allTextContents(), ['nugget', 'nugget'])
    await lookAt(page, 'code-search')
    await page.getByRole('link', { name: 'Line 2500' }).click()
    await page.waitForURL('**/src/dig.js#L2500', { timeout: patience })
    await page.locator('tr.chosen', { hasText: 'nugget' }).waitFor({ timeout: patience })
    // Words are found in lines that are not drawn.
    const field = page.getByRole('searchbox', { name: 'Find in this file' })
    await page.keyboard.press('Control+f')
    await until(() => field.evaluate((one) => one === one.ownerDocument.activeElement))
    await page.keyboard.type('line12')
    await see(page, '111 lines')
    await page.keyboard.press('Enter')
    await page.locator('tr.chosen', { hasText: 'line12 = 11' }).waitFor({ timeout: patience })
    await page.keyboard.press('Enter')
    await page.locator('tr.chosen', { hasText: 'line120 = ' }).waitFor({ timeout: patience })
    await see(page, '2 of 111 lines')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Shift+Enter')
    await page.locator('tr.chosen', { hasText: 'line1299 = ' }).waitFor({ timeout: patience })
    await lookAt(page, 'find-in-file')
  })

  test('the history of a file that was moved leads on to its former name', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'moves' })
    const text = 'one\ntwo\nthree\nfour\nfive\n'
    await stage.push('ann', 'moves', [
      { message: 'Write it', files: { 'old.txt': text } },
      { message: 'Move it', files: { 'old.txt': undefined, 'docs/new.txt': text } },
    ])
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/moves/commits/main/docs/new.txt')
    await see(page, 'Move it')
    await see(page, 'Renamed from')
    await lookAt(page, 'renamed')
    await page.getByRole('link', { name: 'View its earlier history' }).click()
    await see(page, 'Write it')
    assert.match(page.url(), /old\.txt$/)
    assert.equal(await page.getByText('Renamed from').count(), 0)
  })
}
