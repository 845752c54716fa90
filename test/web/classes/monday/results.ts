/** The Monday's results: sorted, marked with a comment, as a spreadsheet, and with the one pair of programs that are alike. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read, utils } from 'xlsx'
import type { Json } from '../../../support/rpc.ts'
import { heading, patience, see, takeKeyboard } from '../../hands.ts'
import { extended, late, type Monday, missing, names, openResults, place, rowOf } from './world.ts'

declare const window: Json

export function testResults(monday: Monday): void {
  const { slips } = monday

  test('results have a row for every student, those who did nothing too, and are sorted by any column', async () => {
    const page = await openResults(monday)
    const hands = takeKeyboard(page)
    assert.equal(await page.getByRole('row').count(), 1 + names.length)
    const row = (at: number) => rowOf(page, slips[at]!.login)
    await row(late).getByText('Late').waitFor({ timeout: patience })
    assert.equal(await row(extended).getByText('Late').count(), 0, 'who is extended is not late')
    assert.equal(
      await row(missing)
        .getByRole('link', { name: /points/ })
        .count(),
      0,
    )
    await row(place.small)
      .getByRole('link', { name: /^5 points/ })
      .waitFor({ timeout: patience })
    await row(place.right)
      .getByRole('link', { name: /^10 points/ })
      .first()
      .waitFor({ timeout: patience })
    const firstName = () => page.locator('tbody th').first().textContent()
    await hands.press('button', /^Total of 40/)
    assert.match((await firstName())!, /Student 01/, 'the best is first, by name where they are equal')
    await hands.press('button', /^Student/)
    assert.match((await firstName())!, /HYPERLINK|<img/)
  })

  test('a cell is marked with points and a comment, after a question where they are too many', async () => {
    const page = await openResults(monday)
    const hands = takeKeyboard(page)
    await hands.press('button', 'Mark Grouped of David Kim (david-kim-2)')
    await hands.write('Points', '75', { exact: true })
    await hands.write('Comment', 'shown at the board')
    await hands.press('button', 'Save mark')
    await see(page, 'Give 75 of 10 points?')
    await page.keyboard.press('Escape')
    await hands.write('Points', '7,5', { exact: true })
    await hands.press('button', 'Save mark')
    await rowOf(page, 'david-kim-2').getByText('Marked').waitFor({ timeout: patience })
    const focused = () => page.evaluate(() => window.document.activeElement.ariaLabel)
    assert.equal(await focused(), 'Mark Grouped of David Kim (david-kim-2)')
    await hands.press('button', 'Mark Grouped of David Kim (david-kim-2)')
    await hands.press('button', 'Previous student')
    await page.getByRole('heading', { level: 2, name: /^David Kim david-kim: Grouped$/ }).waitFor({ timeout: patience })
    await hands.press('button', 'Cancel', true)
  })

  test('a double click on Mark opens the form of that student below the row, with the name, and moves nothing', async () => {
    const page = await openResults(monday)
    const row = rowOf(page, slips[place.right]!.login)
    const button = row.getByRole('button', { name: /^Mark Grouped/ })
    await button.scrollIntoViewIfNeeded()
    const before = (await button.boundingBox())!
    await page.mouse.dblclick(before.x + before.width / 2, before.y + before.height / 2)
    const title = page.getByRole('heading', { level: 2, name: new RegExp(`^${names[place.right]} .*: Grouped$`) })
    await title.waitFor({ timeout: patience })
    assert.ok((await title.boundingBox())!.y > before.y, 'the form is below its row')
    assert.equal((await button.boundingBox())!.x, before.x)
    assert.equal(await page.locator('.mark-form').count(), 1)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await title.waitFor({ state: 'detached', timeout: patience })
  })

  test('the spreadsheet has every student, points as numbers, the mark and its comment', async () => {
    const page = await openResults(monday)
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: patience }),
      takeKeyboard(page).press('link', 'Spreadsheet (xlsx)'),
    ])
    const book = read(await readAll(await download.createReadStream()))
    const rows = utils.sheet_to_json<unknown[]>(book.Sheets[book.SheetNames[0]!]!, { header: 1, defval: '' })
    const titles = ['Grouped', 'Imported', 'Scored']
    assert.deepEqual(rows[0], [
      ...['Name', 'Login', ...titles, 'Total', 'Maximum'],
      ...titles.map((one) => `Maximum of ${one}`),
      ...['Late for Imported', 'Mark for Grouped'],
      ...titles.map((one) => `Comment on ${one}`),
    ])
    const marked = [40, 10, 10, 20, '', 7.5, 'shown at the board', '', '']
    assert.deepEqual(rows.find(([, one]) => one === 'david-kim-2')!.slice(6), marked)
    assert.equal(rows.length, 1 + names.length)
    const points = (at: number) => rows.find(([, one]) => one === slips[at]!.login)!.slice(2, 6)
    const table: readonly (readonly [at: number, ...points: (number | '')[]])[] = [
      [0, '', 10, '', 10],
      [1, 7.5, 10, '', 17.5],
      [place.wrong, 0, 10, '', 10],
      [place.small, 5, 10, '', 15],
      [place.right, 10, 10, '', 20],
      [place.scored, '', 10, 20, 30],
      [place.pushing, '', 10, 20, 30],
      [place.original, '', 10, 20, 30],
      [place.copied, '', 10, 20, 30],
      [missing, '', '', '', 0],
      [extended, '', 10, '', 10],
      [late, '', 5, '', 5],
    ]
    for (const [at, ...expected] of table) assert.deepEqual(points(at), expected, names[at])
  })

  test('of four programs the pair that was copied is found, and no other', async () => {
    const page = await openResults(monday)
    await takeKeyboard(page).press('link', 'Similarity of Scored')
    await see(page, '4 programs were compared')
    const pair = page.getByRole('row', { name: new RegExp(`${names[place.original]}.*${names[place.copied]}`) })
    await pair.waitFor({ timeout: patience })
    assert.equal(await page.getByRole('row').count(), 2)
    await pair.getByRole('link').first().click()
    await heading(page, /^Sheet 1/)
    await page.locator('.shared').first().waitFor({ timeout: patience })
    assert.match((await page.locator('.shared').allTextContents()).join(''), /known/)
  })
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
