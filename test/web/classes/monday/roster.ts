/** The Monday begins: a roster comes in and slips are printed, an import is undone, and a sheet of three problems is published. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../../support/rpc.ts'
import { until } from '../../../support/until.ts'
import { makeZip } from '../../../support/zip.ts'
import { chosenFile, heading, patience, see, takeKeyboard } from '../../hands.ts'
import { signInSam } from '../class-world.ts'
import { makeGrouped, makeImported, makeScored } from './problems.ts'
import { fillTime, type Monday, minute, names } from './world.ts'

declare const window: Json

export function testRoster({ world, slips, students }: Monday): void {
  test('a roster of forty comes in from a pasted list, seen before it is made, and slips are printed, with the keyboard alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto('/-/')
    await hands.press('link', 'Classes')
    await heading(page, 'Classes')
    await see(page, 'You are in no class yet')
    await hands.write('Name of the class', 'Informatics 7b')
    await hands.press('button', 'Create class')
    await heading(page, 'Informatics 7b')
    world.classId = 'informatics-7b'
    await hands.write(
      'Paste the list',
      `Name\tKlasse\n${names.map((name) => `${JSON.stringify(name)}\t7b`).join('\n')}\n`.replaceAll('\\"', '""'),
    )
    await hands.press('button', 'Preview')
    await see(page, '40 accounts will be created')
    await page
      .getByRole('row', { name: /David Kim david-kim-2 New account\s+Twice in this list/ })
      .waitFor({ timeout: patience })
    await page.getByRole('combobox', { name: 'Klasse' }).selectOption('Login')
    await see(page, '1 account will be created, 39 lines skipped')
    await page.getByRole('combobox', { name: 'Klasse' }).selectOption('Not used')
    await see(page, '40 accounts will be created')
    assert.equal((await stage.cast.admin.call('get_class', { ID: world.classId })).Class.StudentCount, 0)
    await hands.press('button', 'Add 40 students')
    await see(page, '40 accounts created')
    assert.equal(await page.locator('.slip').count(), 40)
    for (const slip of await page.locator('.slip').all()) {
      const [login, password] = await slip.locator('code').allTextContents()
      slips.push({ login: login!, password: password! })
    }
    assert.match((await page.locator('.slip').first().textContent())!, new RegExp(stage.url))
    await see(page, 'Other computers can’t reach the server by this address')
    await hands.write('Address on the slips', 'https://judge.example')
    await page.getByText('Other computers can’t reach').waitFor({ state: 'detached', timeout: patience })
    await hands.write('Address on the slips', stage.url)
    await page.emulateMedia({ media: 'print' })
    for (const gone of ['header.bar', '.tabs', 'h1', 'main h2', 'main button'])
      assert.equal(await page.locator(gone).locator('visible=true').count(), 0, `${gone} is not printed`)
    assert.equal(await page.locator('.slip').first().isVisible(), true)
    await page.emulateMedia({ media: 'screen' })
    await hands.press('button', 'Dismiss')
    await hands.answer('Dismiss')
    await hands.press('link', 'Members')
    await page.getByRole('row', { name: /David Kim david-kim-2/ }).waitFor({ timeout: patience })
    const otherNames = page.getByRole('columnheader', { name: 'Display name' })
    assert.equal(await otherNames.count(), 0, 'all are called as on the roster')
    const heightOf = async (name: string) => (await page.getByRole('button', { name }).boundingBox())!.height
    assert.equal(await heightOf('New password for david-kim-2'), await heightOf('Rename david-kim-2'), 'one line')
    assert.equal(await page.evaluate(() => window.pwned), undefined)
  })

  test('an import that was a mistake is undone, but for who has signed in', async () => {
    const { stage } = world
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${world.classId}/import`)
    const choose = (name: string, content: Buffer) =>
      hands.offer('Choose a CSV or text file', chosenFile(name, content))
    await choose('class.xlsx', makeZip([{ path: 'xl/workbook.xml', data: '' }]))
    await see(page, 'class.xlsx is an Excel workbook. Save it as CSV, or copy the cells and paste them here.')
    await choose('class.csv', Buffer.from('Login;Name\nwrong-c;J\u00fcrgen Gro\u00df\n', 'latin1'))
    await page.getByRole('row', { name: /Jürgen Groß wrong-c/ }).waitFor({ timeout: patience })
    await hands.offer(
      'Choose a CSV or text file',
      chosenFile('wrong.csv', 'Login;Name\nwrong-a;Wrong A\nwrong-b;Wrong B\n'),
    )
    await see(page, '2 accounts will be created')
    await hands.press('button', /Leave out line 3/)
    await see(page, '1 account will be created')
    await hands.offer(
      'Choose a CSV or text file',
      chosenFile('wrong.csv', 'Login;Name\nwrong-a;Wrong A\nwrong-b;Wrong B\n'),
    )
    await see(page, '2 accounts will be created')
    await hands.press('button', 'Add 2 students')
    await see(page, '2 accounts created')
    const [, password] = await page.locator('.slip').first().locator('code').allTextContents()
    await stage.cast.anonymous.signIn('wrong-a', password!)
    await hands.press('button', 'Undo import')
    await hands.answer('Undo import')
    await see(page, /The import was undone.*wrong-a \(This account has been used/)
    assert.equal(await stage.services.accounts.findByName('wrong-b'), undefined)
    await hands.press('button', 'Dismiss')
    await hands.answer('Dismiss')
    await hands.press('link', 'Members')
    await hands.press('button', 'Remove wrong-a')
    await hands.answer('Remove')
    await page.getByRole('row', { name: /wrong-a/ }).waitFor({ state: 'detached', timeout: patience })
  })

  test('an import is undone from the class later in the day', async () => {
    const { stage, classId } = world
    const sam = await signInSam(world)
    world.clock.advance(1)
    const later = { ClassID: classId, Text: 'Login;Name\nlater-a;Later A\nlater-b;Later B\n', IsDryRun: false }
    await sam.call('import_roster', later)
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${classId}`)
    await hands.press('link', 'Add students')
    await see(page, '40 students, 40 new accounts')
    await hands.press('button', 'Undo import of later-a and 1 other')
    await hands.answer('Undo import')
    await see(page, 'The import was undone.')
    await page.getByText('2 students, 2 new accounts').waitFor({ state: 'detached', timeout: patience })
    assert.equal(await stage.services.accounts.findByName('later-a'), undefined)
    assert.equal((await sam.call('get_class', { ID: classId })).Class.StudentCount, 40)
  })

  test('a sheet of three problems is written, seen as a student, and published, with the keyboard alone', async () => {
    const { stage } = world
    const sam = await signInSam(world)
    world.problems = [await makeGrouped(sam), await makeImported(sam), await makeScored(sam)]
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${world.classId}`)
    await hands.press('link', 'New sheet')
    await heading(page, 'New sheet')
    const opens = await page.getByLabel('Opens', { exact: true }).inputValue()
    const untilOpen = new Date(opens).getTime() - Date.now()
    assert.ok(
      untilOpen > -minute && untilOpen <= 5 * minute,
      'a sheet opens in the next minutes: earlier tries do not count',
    )
    await hands.write('Title', 'Sheet 1 <b>')
    await hands.write('Text', 'Hand in *three* programs.')
    await page.locator('.preview em').waitFor({ timeout: patience })
    for (const name of ['Grouped', 'Imported', 'Scored']) {
      await page.getByRole('button', { name: `Add ${name}` }).waitFor({ timeout: patience })
      await hands.press('button', `Add ${name}`)
    }
    await hands.write('Points of Scored', '20')
    await see(page, '40 points in all.')
    const now = world.clock.now()
    await fillTime(page, 'Opens', now - minute)
    await fillTime(page, 'Due', now + 60 * minute)
    await fillTime(page, 'Late until', now + 120 * minute)
    await hands.write('Late submissions count', '50')
    await hands.press('button', 'Save sheet')
    await heading(page, 'Sheet 1 <b>')
    await see(page, 'Draft')
    world.sheetId = Number(page.url().split('/').at(-1))
    const { Sheet } = await sam.call('get_sheet', { ID: world.sheetId })
    assert.equal(Sheet.LateFactor, 0.5)
    students.push(
      ...(await Promise.all(slips.map(({ login, password }) => stage.cast.anonymous.signIn(login, password)))),
    )
    assert.equal(await students[0]!.code('get_sheet', { ID: world.sheetId }), 6)
    await hands.press('button', 'Publish')
    await until(async () => (await students[0]!.code('get_sheet', { ID: world.sheetId })) === 0)
    await page
      .getByText('Only the teachers of the class see this draft')
      .waitFor({ state: 'detached', timeout: patience })
    await hands.press('link', 'Edit')
    assert.equal(await page.getByRole('radio', { name: 'Published' }).isChecked(), true)
    await sam.call('update_sheet', {
      ID: world.sheetId,
      OpenTime: now,
      DueTime: now + 60 * minute,
      LateUntil: now + 120 * minute,
    })
  })
}
