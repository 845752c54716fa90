/** Data sets: filled by files, browsed, taken out and shared, with the keyboard alone; wide ones stay small on the page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { chosenFile, heading, patience, see, show, takeKeyboard } from '../hands.ts'
import { makeDataset } from '../stage.ts'
import type { World } from '../world.ts'

declare const window: Json

export function testDatasets(world: World): void {
  test('a data set is filled by files, browsed, taken out and shared, with the keyboard alone', async () => {
    const { page } = await world.stage.openAs('ann')
    const hands = takeKeyboard(page)
    await page.goto('/-/')
    await hands.press('link', 'Data sets')
    await hands.write('Name', 'books')
    await hands.press('button', 'Create')
    await heading(page, 'books')
    await hands.press('link', 'Add', true)
    const offer = (name: string, text: string) => hands.offer(/Drop a JSON/, chosenFile(name, text))
    await offer('books.csv', 'title,year,note\nEmma,1815,"a, ""b"""\nDracula,1897,\n')
    await see(page, 'books.csv was stored')
    await offer('more.csv', '\ufefftitle;year;"note; long"\r\nPersuasion;1817;"1,5 stars"\r\n')
    await see(page, 'more.csv was stored')
    await offer('more.jsonl', '{"title":"Ulysses","tags":["long",{"deep":1}]}\n{"title":\n')
    await see(page, 'Line 2: This line is not valid JSON. Nothing was stored.')
    await offer('more.jsonl', '{"title":"Ulysses","tags":["long",{"deep":1}]}\n')
    await see(page, 'The data set now has 4 items')
    await drop(page, 'dropped.json', '[{"title":"Sanditon","year":1817}]')
    await see(page, 'The data set now has 5 items')
    await hands.press('link', 'Items')
    await page.getByRole('cell', { name: 'a, "b"' }).waitFor({ timeout: patience })
    await page.getByRole('cell', { name: '1,5 stars' }).waitFor({ timeout: patience })
    await hands.open('[2] in tags')
    await see(page, '"deep": 1')
    const titles = () =>
      page.evaluate(() => {
        const heads = [...window.document.querySelectorAll('.data th')].map((head: Json) => head.textContent)
        const at = heads.indexOf('title')
        return [...window.document.querySelectorAll('.data tbody tr')].map((row: Json) => row.cells[at].textContent)
      })
    const shows = (...wanted: string[]) => until(async () => String(await titles()) === String(wanted), 50)
    await hands.press('button', 'year')
    await hands.press('button', 'year')
    await shows('Dracula', 'Persuasion', 'Sanditon', 'Emma', 'Ulysses')
    await hands.write('Where', 'year >= 1800 and')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor({ timeout: patience })
    await hands.write('Where', 'year >= 1800')
    await hands.write('Unique by', 'year')
    await page.keyboard.press('Enter')
    await shows('Dracula', 'Persuasion', 'Emma')
    await see(page, '3 items found')
    await hands.write('Contains', 'nothing has this')
    await page.keyboard.press('Enter')
    await see(page, 'No items match')
    await hands.press('button', 'All items')
    await see(page, /^5 items$/)
    await hands.press('link', 'Export')
    await hands.write('Only these fields', 'year,title')
    const address = (await page.locator('.address').textContent())!
    const csv = await page.context().request.get(address)
    assert.equal((await csv.text()).trim().split('\r\n')[1], '1815,Emma')
    const xlsx = await Promise.all([page.waitForEvent('download', { timeout: patience }), hands.press('link', 'xlsx')])
    assert.match(xlsx[0].suggestedFilename(), /\.xlsx$/)
    await hands.press('link', 'Schema')
    await hands.press('button', 'Generate from items')
    await page.locator('.cm-content').getByText('"properties"').waitFor({ timeout: patience })
    await hands.press('button', 'Save')
    await see(page, 'It applies to items pushed from now on')
    await hands.press('link', 'Add', true)
    await offer('odd.jsonl', '{"year":"long ago"}\n')
    await see(page, /do not fit the schema/)
    await hands.press('link', 'Share')
    await hands.press('button', 'Create link')
    const link = (await page.locator('.address').textContent({ timeout: patience }))!
    const shared = await fetch(link)
    assert.equal(((await shared.json()) as Json).length, 5, 'anyone reads it by the link')
    await hands.press('button', 'Delete this data set')
    await hands.answer('Delete data set')
    await see(page, 'You have no data sets yet')
  })

  test('however many columns a data set has, and however long its texts are, the page draws a bounded number of cells', async () => {
    const names = Array.from({ length: 500 }, (_, at) => `column${at}`)
    const items = Array.from({ length: 120 }, (_, row) =>
      Object.fromEntries(names.map((name, at) => [name, at === 0 ? 'long '.repeat(50) : row * at])),
    )
    const id = await makeDataset(world.stage, 'wide', items)
    const { page } = await world.stage.openAs('ada')
    const countCells = () => page.evaluate(() => window.document.querySelectorAll('main td, main th').length)
    await show(page, `/-/datasets/${id}`)
    await see(page, 'Columns 1 to 20 of 500')
    assert.ok((await countCells()) <= 51 * 21, `${await countCells()} cells`)
    await page.getByRole('button', { name: 'Right' }).press('Enter')
    await page.getByRole('columnheader', { name: 'column39' }).waitFor({ timeout: patience })
    assert.ok((await countCells()) <= 51 * 21, `${await countCells()} cells`)
    await show(page, `/-/datasets/${id}?tab=fields`)
    assert.ok((await countCells()) <= 501 * 6, `${await countCells()} cells`)
  })
}

/** As a mouse does it; the keyboard chooses the file instead. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const held = new window.DataTransfer()
      held.items.add(new window.File([text], name, { type: 'application/json' }))
      return held
    },
    [name, text],
  )
  await page.dispatchEvent('.drop', 'drop', { dataTransfer })
}
