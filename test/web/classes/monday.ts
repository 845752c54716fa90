/** The Monday: forty come in from a list, hand in to a sheet of three problems, one late, one extended, and get results and marks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { read, utils } from 'xlsx'
import { submit } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { makeZip } from '../../support/zip.ts'
import { chosenFile, heading, patience, see, takeKeyboard } from '../hands.ts'
import { type ClassWorld, judgeAll, signInSam } from './class-world.ts'

declare const window: Json

const minute = 60_000

/** Two Davids, a script and a spreadsheet's formula among them. */
const names = [
  'David Kim',
  'David Kim',
  '<img src=x onerror=window.pwned=1>',
  '=HYPERLINK("http://x")',
  ...Array.from({ length: 36 }, (_, at) => `Student ${String(at + 1).padStart(2, '0')}`),
]

const heading2 = (page: Page, name: RegExp) =>
  page.getByRole('heading', { level: 2, name }).waitFor({ timeout: patience })

export function testMonday(world: ClassWorld): void {
  const slips: { login: string; password: string }[] = []
  let students: RpcClient[] = []

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
    await page.getByRole('row', { name: /David Kim david-kim-2 New account/ }).waitFor({ timeout: patience })
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
    assert.ok(new Date(opens).getTime() <= Date.now(), 'a sheet that is published is open')
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
    students = await Promise.all(slips.map(({ login, password }) => stage.cast.anonymous.signIn(login, password)))
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

  test('a student finds what is due, hands in, and sees what counted', async () => {
    const page = await openStudent(0)
    await page.goto('/-/')
    const due = page.locator('.home-part small', { hasText: 'due' })
    await due.waitFor({ timeout: patience })
    assert.ok(await due.evaluate((element: Json) => element.scrollWidth <= element.clientWidth), 'all of it is shown')
    await page.goto('/-/classes')
    await see(page, 'Your sheets')
    await see(page, /left$/)
    await page.getByRole('link', { name: 'Sheet 1 <b>' }).click()
    await heading(page, 'Sheet 1 <b>')
    await see(page, '0 of 40 points.')
    const points = page.getByRole('cell', { name: '– of 20', exact: true })
    const box = (await points.boundingBox())!
    assert.ok(box.x + box.width <= 360, 'the points are on the screen of a phone')
    assert.ok(await page.locator('.card.flush.scroll').evaluate((card: Json) => card.scrollWidth <= card.clientWidth))
    await page.getByRole('link', { name: 'Imported' }).click()
    await heading(page, 'Imported')
    await see(page, /10 points · due/)
    await page.locator('.cm-content').click()
    await page.keyboard.insertText('print(4)')
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'In the queue')
    await judgeAll(world)
    await see(page, /Accepted|tests? passed/)
    await page.goto(`/-/sheets/${world.sheetId}`)
    await see(page, '10 of 40 points.')
    await page.goto('/-/judge/problems/00000000-0000-4000-8000-000000000000')
    await heading(page, 'There is no such problem here')
  })

  test('forty hand in, one late, one extended; results come in live, sorted, marked, and as a spreadsheet', async () => {
    const { stage, clock, problems, sheetId } = world
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${world.classId}`)
    await hands.press('link', 'Results of Sheet 1')
    await page.getByRole('row', { name: /Student 36/ }).waitFor({ timeout: patience })
    const [grouped, imported, scored] = problems as [Json, Json, Json]
    const resultOf = (content: string) => (content.includes('wrong') ? 6 : 1)
    // The last two are late, the last but one of them extended; nobody hears of number 37.
    for (const student of students.slice(1, 37)) await submit(student, imported.UUID, { Content: 'x' })
    await submit(students[3]!, grouped.UUID, { Content: 'wrong' })
    await submit(students[4]!, scored.UUID, { Content: 'x' })
    await see(page, /submissions are being judged and count 0 points/)
    await judgeAll(world, resultOf)
    await page.getByRole('row', { name: /Student 36/ }).waitFor({ timeout: patience })
    const rowOf = (login: string) => page.getByRole('row').filter({ has: page.getByText(login, { exact: true }) })
    await rowOf(slips[4]!.login)
      .getByRole('link', { name: /^20 points/ })
      .waitFor({ timeout: patience })
    await hands.press('link', 'Extensions')
    await hands.choose('Student', 'Student 35')
    await fillTime(page, 'Due', clock.now() + 200 * minute)
    await hands.write('Note', 'was ill')
    await hands.press('button', 'Extend', true)
    await see(page, 'was ill')
    clock.advance(61 * minute)
    await submit(students[38]!, imported.UUID, { Content: 'x' })
    await submit(students[39]!, imported.UUID, { Content: 'x' })
    await judgeAll(world)
    await hands.press('link', 'Results')
    await rowOf(slips[39]!.login).getByText('Late').waitFor({ timeout: patience })
    assert.equal(await rowOf(slips[38]!.login).getByText('Late').count(), 0, 'who is extended is not late')
    const firstName = () => page.locator('tbody th').first().textContent()
    await hands.press('button', /^Total of 40/)
    assert.match((await firstName())!, /Student 01|Student 1/)
    await hands.press('button', /^Student/)
    assert.match((await firstName())!, /HYPERLINK|<img/)
    await hands.press('button', 'Mark Grouped of David Kim (david-kim-2)')
    await hands.write('Points', '75', { exact: true })
    await hands.write('Comment', 'shown at the board')
    await hands.press('button', 'Save mark')
    await see(page, 'Give 75 of 10 points?')
    await page.keyboard.press('Escape')
    await hands.write('Points', '7,5', { exact: true })
    await hands.press('button', 'Save mark')
    await rowOf('david-kim-2').getByText('Marked').waitFor({ timeout: patience })
    const focused = () => page.evaluate(() => window.document.activeElement.ariaLabel)
    assert.equal(await focused(), 'Mark Grouped of David Kim (david-kim-2)')
    await hands.press('button', 'Mark Grouped of David Kim (david-kim-2)')
    await hands.press('button', 'Previous student')
    await heading2(page, /^Grouped: David Kim david-kim$/)
    await hands.press('button', 'Cancel', true)
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: patience }),
      hands.press('link', 'Spreadsheet (xlsx)'),
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
    assert.deepEqual(rows.find(([, one]) => one === 'david-kim-2')!.slice(6), [
      40,
      10,
      10,
      20,
      '',
      7.5,
      'shown at the board',
      '',
      '',
    ])
    const lineOf = (login: string) => rows.find(([, one]) => one === login)!.slice(2, 6)
    assert.equal(rows.length, 41)
    assert.deepEqual(lineOf('david-kim'), ['', 10, '', 10])
    assert.deepEqual(lineOf('david-kim-2'), [7.5, 10, '', 17.5])
    assert.deepEqual(lineOf(slips[3]!.login), [0, 10, '', 10])
    assert.deepEqual(lineOf(slips[4]!.login), ['', 10, 20, 30])
    assert.deepEqual(lineOf(slips[37]!.login), ['', '', '', 0])
    assert.deepEqual(lineOf(slips[38]!.login), ['', 10, '', 10])
    assert.deepEqual(lineOf(slips[39]!.login), ['', 5, '', 5])
    assert.equal(await students[0]!.code('get_submission', { ID: await bestOf(sheetId, slips[4]!.login) }), 6)
    await rowOf(slips[4]!.login)
      .getByRole('link', { name: /^20 points/ })
      .click()
    await heading(page, /^Submission/)
    await hands.write('Comment', 'Well done', { exact: true })
    await hands.press('button', 'Comment', true)
    await see(page, 'Well done')
    await hands.press('link', 'Results of Sheet 1')
    await rowOf('david-kim-2')
      .getByRole('link', { name: /^10 points/ })
      .click()
    await see(page, /Student 4 of 39/)
    await hands.press('link', 'Previous student')
    await see(page, /Student 3 of 39/)
    await hands.press('button', 'Mark', true)
    await heading2(page, /^Imported: David Kim david-kim$/)
    await hands.press('button', 'Save and mark the next student')
    await see(page, /Student 4 of 39/)
    await heading2(page, /^Imported: David Kim david-kim-2$/)
    assert.equal(await page.evaluate(() => window.pwned), undefined)
  })

  test('a student sees why they were extended, and the submission behind a mark', async () => {
    const page = await openStudent(38)
    await page.goto(`/-/sheets/${world.sheetId}`)
    await see(page, /\(extended for you: was ill\)/)
    await page.goto('/-/')
    const due = page.locator('.home-part li', { hasText: 'Sheet 1' })
    await due.getByText(/hours? .*left$/).waitFor({ timeout: patience })
    await page.goto(`/-/sheets/${world.sheetId}`)
    const sam = await signInSam(world)
    const { BestID } = (await sam.call('get_sheet_results', { SheetID: world.sheetId })).RowList.find(
      ({ AccountName }: Json) => AccountName === slips[38]!.login,
    ).CellList[1]
    const mark = { SheetID: world.sheetId, AccountName: slips[38]!.login, UUID: world.problems[1]!.UUID }
    await sam.call('put_mark', { ...mark, Points: 9, Comment: '' })
    await see(page, 'Marked by sam')
    const link = page.getByRole('link', { name: `submission ${BestID}` })
    assert.equal(await link.getAttribute('href'), `/-/judge/submissions/${BestID}`)
    await sam.call('put_mark', { ...mark, Points: null, Comment: '' })
  })

  test('a student’s comment on their submission is news to the teacher until they open the sheet', async () => {
    const { stage, sheetId } = world
    const ID = await bestOf(sheetId, slips[4]!.login)
    await students[4]!.call('put_submission_comment', { ID, Line: null, Text: 'Why is this right?' })
    const { page } = await stage.openAs('sam')
    await page.goto('/-/')
    const news = page.locator('section[aria-labelledby=news]')
    await news.getByText('1 comment on').waitFor({ timeout: patience })
    await page.goto(`/-/sheets/${sheetId}/results`)
    const notice = page.getByRole('status').filter({ hasText: 'New: 1 comment on' })
    await notice.getByRole('link', { name: `submission ${ID}` }).waitFor({ timeout: patience })
    await page.goto('/-/')
    await see(page, 'Recent data sets')
    await page.locator('.home-part li', { hasText: 'Sheet 1' }).waitFor({ timeout: patience })
    assert.equal(await news.count(), 0)
  })

  test('members stand in the order of the alphabet, teachers first, whatever letter a name begins with', async () => {
    const { stage, classId } = world
    const sam = await signInSam(world)
    const member = { ClassID: classId, AccountName: slips[4]!.login, Role: 'student' }
    await sam.call('put_class_member', { ...member, RosterName: 'Éva Tóth' })
    const { page } = await stage.openAs('sam')
    await page.goto(`/-/classes/${classId}/members`)
    await page.getByRole('row', { name: /Éva Tóth/ }).waitFor({ timeout: patience })
    const shown = await page.locator('tbody tr td:first-child').allTextContents()
    assert.ok(shown.indexOf('Éva Tóth') < shown.indexOf('Student 02'), shown.join(', '))
    await page.getByRole('columnheader', { name: 'Display name' }).waitFor({ timeout: patience })
    await sam.call('put_class_member', { ...member, RosterName: names[4] })
  })

  test('the bar is one row, and nothing in it covers another, whatever the width', async () => {
    const page = await openStudent(1)
    await page.goto('/-/account')
    await heading(page, 'My account')
    for (const width of [360, 1_000, 1_280, 1_500]) {
      await page.setViewportSize({ width, height: 800 })
      const boxes = await page.evaluate(() =>
        [...window.document.querySelectorAll('header.bar > *')]
          .map((element: Json) => element.getBoundingClientRect())
          .filter((box: Json) => box.width > 0)
          .map(({ left, right, top, bottom }: Json) => ({ left, right, top, bottom })),
      )
      for (const [at, box] of boxes.entries()) {
        if (at === 0) continue
        const before = boxes[at - 1]!
        assert.ok(box.left >= before.right, `${width}: part ${at + 1} of the bar begins after the one before it`)
        assert.ok(box.top < before.bottom && box.bottom > before.top, `${width}: part ${at + 1} is in the same row`)
      }
      const brand = page.locator('.brand')
      assert.ok(await brand.evaluate((element: Json) => element.scrollWidth <= element.clientWidth), `${width}: brand`)
    }
  })

  async function openStudent(at: number) {
    const { stage } = world
    const { page, context } = await stage.open({ width: 360, height: 740 })
    await context.request.post(`${stage.url}/`, {
      data: {
        jsonrpc: '2.0',
        id: crypto.randomUUID(),
        method: 'create_session',
        params: { AccountName: slips[at]!.login, Password: slips[at]!.password },
      },
    })
    return page
  }

  async function bestOf(SheetID: number, login: string): Promise<number> {
    const { RowList } = await (await signInSam(world)).call('get_sheet_results', { SheetID })
    return RowList.find(({ AccountName }: Json) => AccountName === login).CellList[2].BestID
  }
}

/** In the browser's zone, as a person would. */
async function fillTime(page: Parameters<typeof see>[0], name: string, at: number): Promise<void> {
  const date = new Date(at)
  const local = new Date(at - date.getTimezoneOffset() * minute).toISOString().slice(0, 16)
  await page.getByLabel(name, { exact: true }).fill(local)
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

const draftOf = (DisplayName: string) => ({
  DisplayName,
  Description: '',
  TimeLimitInMillisecond: 1_000,
  MemoryLimitInByte: 64 * 1024 * 1024,
  ExampleList: [],
})

async function makeGrouped(sam: RpcClient): Promise<Json> {
  const { Problem } = await sam.call('create_problem', draftOf('Grouped'))
  const tests = makeZip(
    ['sample/1', 'small/1', 'large/1'].flatMap((name) => [
      { path: `${name}.in`, data: '1' },
      { path: `${name}.out`, data: '1' },
    ]),
  ).toString('base64')
  await sam.call('create_test_case_list', { ProblemUUID: Problem.UUID, ZippedTestData: tests, KeepsFolders: true })
  const Judging = { Checker: { Kind: 'tokens' }, IsScored: true }
  await sam.call('update_problem_judging', { UUID: Problem.UUID, Judging })
  return Problem
}

async function makeImported(sam: RpcClient): Promise<Json> {
  const zip = makeZip([
    { path: 'problem.yaml', data: 'name: Imported\n' },
    { path: 'data/sample/1.in', data: '2\n' },
    { path: 'data/sample/1.ans', data: '4\n' },
  ])
  return (await sam.call('import_problem_package', { ZippedPackage: zip.toString('base64') })).Problem
}

async function makeScored(sam: RpcClient): Promise<Json> {
  const { Problem } = await sam.call('create_problem', draftOf('Scored'))
  const made = { ProblemUUID: Problem.UUID, Input: '1', Output: '1', IsHidden: true }
  await sam.call('create_test_case', made)
  const Judging = { IsScored: true, MaximumScore: 20 }
  await sam.call('update_problem_judging', { UUID: Problem.UUID, Judging })
  return Problem
}
