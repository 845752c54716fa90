/** The Monday ends: a teacher goes from one submission to the next, and students see why they have which points. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Json } from '../../../support/rpc.ts'
import { heading, patience, see, takeKeyboard } from '../../hands.ts'
import { judgeAll, signInSam } from '../class-world.ts'
import { pairPrograms } from './problems.ts'
import { extended, type Monday, openResults, openStudent, place, readCell, rowOf } from './world.ts'

declare const window: Json

export function testFeedback(monday: Monday): void {
  const { world, slips, students } = monday

  test('a teacher goes from one submission to the next, comments and marks', async () => {
    const page = await openResults(monday)
    const hands = takeKeyboard(page)
    const { BestID } = await readCell(monday, place.scored, 2)
    assert.equal(await students[0]!.code('get_submission', { ID: BestID }), 6, 'classmates do not see it')
    await rowOf(page, slips[place.scored]!.login)
      .getByRole('link', { name: /^20 points/ })
      .click()
    await heading(page, /^Submission/)
    await hands.write('Comment', 'Well done', { exact: true })
    await hands.press('button', 'Comment', true)
    await see(page, 'Well done')
    await hands.write('Comment', 'A good name', { exact: true })
    await hands.write('Line', '3')
    await hands.press('button', 'Comment', true)
    const note = page.locator('.cm-line-note')
    await note.getByText('A good name').waitFor({ timeout: patience })
    const lineAbove = await note.evaluate((element: Json) => element.previousElementSibling.textContent)
    assert.equal(lineAbove, pairPrograms.byIndex.split('\n')[2])
    await hands.press('link', 'Results of Sheet 1')
    await rowOf(page, 'david-kim-2')
      .getByRole('link', { name: /^10 points/ })
      .click()
    await see(page, /Student 4 of 39/)
    await hands.press('link', 'Previous student')
    await see(page, /Student 3 of 39/)
    await hands.press('button', 'Mark', true)
    await heading2(page, /^David Kim david-kim: Imported$/)
    await hands.press('button', 'Save and mark the next student')
    await see(page, /Student 4 of 39/)
    await heading2(page, /^David Kim david-kim-2: Imported$/)
    assert.equal(await page.evaluate(() => window.pwned), undefined)
  })

  test('a student sees why they were extended, and the submission behind a mark', async () => {
    const page = await openStudent(monday, extended)
    await page.goto(`/-/sheets/${world.sheetId}`)
    await see(page, /\(extended for you: was ill\)/)
    await page.goto('/-/')
    const due = page.locator('.home-part li', { hasText: 'Sheet 1' })
    await due.getByText(/hours? .*left$/).waitFor({ timeout: patience })
    await page.goto(`/-/sheets/${world.sheetId}`)
    const sam = await signInSam(world)
    const { BestID } = await readCell(monday, extended, 1)
    const mark = { SheetID: world.sheetId, AccountName: slips[extended]!.login, UUID: world.problems[1]!.UUID }
    await sam.call('put_mark', { ...mark, Points: 9, Comment: '' })
    await see(page, 'Marked by sam')
    const link = page.getByRole('link', { name: `submission ${BestID}` })
    assert.equal(await link.getAttribute('href'), `/-/judge/submissions/${BestID}`)
    await sam.call('put_mark', { ...mark, Points: null, Comment: '' })
  })

  test('a student’s comment on their submission is news to the teacher until they open the sheet', async () => {
    const { stage, sheetId } = world
    const { BestID: ID } = await readCell(monday, place.scored, 2)
    await students[place.scored]!.call('put_submission_comment', { ID, Line: null, Text: 'Why is this right?' })
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

  test('a student hears of a rejudging that changed what counts, and sees what it was before', async () => {
    const { BestID: ID } = await readCell(monday, place.small, 1)
    const sam = await signInSam(world)
    await sam.call('rejudge_submission', { ID })
    await judgeAll(world, () => 6)
    const page = await openStudent(monday, place.small)
    await page.goto('/-/')
    const news = page.locator('section[aria-labelledby=news]')
    await news.getByText('judged again with another result').waitFor({ timeout: patience })
    await news.getByRole('link', { name: `submission ${ID}` }).click()
    await see(page, /Judged again .*: Accepted before, Wrong answer now\./)
    await page.goto(`/-/sheets/${world.sheetId}`)
    await see(page, 'judged again with another result')
    await sam.call('rejudge_submission', { ID })
    await judgeAll(world)
    await page.goto(`/-/judge/submissions/${ID}`)
    await see(page, /Judged again .*: Wrong answer before, Accepted now\./)
  })
}

const heading2 = (page: Page, name: RegExp) =>
  page.getByRole('heading', { level: 2, name }).waitFor({ timeout: patience })
