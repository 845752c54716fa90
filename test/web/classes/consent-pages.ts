/** Whom a teacher adds is invited, and answers on the page; what teachers say is news; the sheet narrows the languages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submit } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { heading, patience, see, takeKeyboard } from '../hands.ts'
import { password } from '../stage.ts'
import { type ClassWorld, judgeAll, signInSam } from './class-world.ts'

export function testConsentPages(world: ClassWorld): void {
  const makeAccount = async (name: string) => {
    const account = { AccountName: name, DisplayName: name, Role: 'contestant', Password: password }
    await world.stage.cast.admin.call('create_account', account)
    return world.stage.cast.anonymous.signIn(name, password)
  }

  test('who is added to a class answers the invitation at home, and hears of a mark and a comment, with the keyboard alone', async () => {
    const { stage, clock, problems } = world
    const sam = await signInSam(world)
    const ivy = await makeAccount('ivy')
    const ClassID = 'evening-class'
    await sam.call('create_class', { ID: ClassID, Name: 'Evening class' })
    const { page: teacher } = await stage.openAs('sam')
    const writes = takeKeyboard(teacher)
    await teacher.goto(`/-/classes/${ClassID}/members`)
    await writes.write('Login', 'ivy')
    await writes.press('button', 'Add', true)
    await teacher.getByRole('row', { name: /ivy.*Invited/ }).waitFor({ timeout: patience })
    const draft = {
      ClassID,
      Title: 'Evening sheet',
      // The clock of these tests is ahead of the page's.
      OpenTime: Date.now() - 60_000,
      DueTime: clock.now() + 60 * 60_000,
      IsPublished: true,
      LanguageList: ['python'],
      ProblemList: [{ UUID: problems[1]!.UUID, Points: 8 }],
    }
    const { Sheet } = await sam.call('create_sheet', draft)

    const { page } = await stage.openAs('ivy', { width: 360, height: 740 })
    const hands = takeKeyboard(page)
    await page.goto('/-/')
    await see(page, /\(sam\) added you to the class/)
    await see(page, '0 of 8 points')
    await hands.press('button', 'Accept the invitation to Evening class')
    await page.getByText(/added you to the class/).waitFor({ state: 'detached', timeout: patience })
    await teacher.reload()
    await teacher.getByRole('row', { name: /ivy/ }).waitFor({ timeout: patience })
    assert.equal(await teacher.getByText('Invited', { exact: true }).count(), 0)

    await page.goto(`/-/judge/problems/${problems[1]!.UUID}`)
    await heading(page, 'Imported')
    await see(page, /8 points · due/)
    const offered = () => page.getByLabel('Language').locator('option').allTextContents()
    await page.waitForFunction(
      (label) => (globalThis as Json).document.querySelectorAll(`${label} option`).length === 1,
      'label select',
    )
    assert.deepEqual(await offered(), ['Python'])

    const { ID } = await submit(ivy, problems[1]!.UUID, { Content: 'print(4)' })
    await judgeAll(world)
    const { page: reading } = await stage.openAs('sam')
    await reading.goto(`/-/judge/submissions/${ID}`)
    await see(reading, /ivy \(ivy\)/)
    clock.advance(1)
    await sam.call('put_submission_comment', { ID, Line: 1, Text: 'Why four?' })
    await sam.call('put_mark', { SheetID: Sheet.ID, AccountName: 'ivy', UUID: problems[1]!.UUID, Points: 9 })
    await page.goto('/-/')
    await see(page, 'New on your sheets')
    await see(page, /1 mark, 1 comment on/)
    await page.getByRole('region', { name: 'New on your sheets' }).getByRole('link', { name: 'Evening sheet' }).click()
    await heading(page, 'Evening sheet')
    await see(page, /New:.*1 mark, 1 comment on/)
    await page.goto('/-/classes')
    await see(page, 'Your sheets')
    assert.equal(await page.getByText('New on your sheets').count(), 0, 'it is seen')

    clock.advance(1)
    const newer = await submit(ivy, problems[1]!.UUID, { Content: 'print(5)' })
    await judgeAll(world)
    await teacher.goto(`/-/sheets/${Sheet.ID}/results`)
    const row = teacher.getByRole('row').filter({ has: teacher.getByText('ivy', { exact: true }) })
    const linkOf = async (name: string | RegExp) => row.getByRole('link', { name }).getAttribute('href')
    assert.equal(await linkOf(/^9 points/), `/-/judge/submissions/${ID}?sheet=${Sheet.ID}`)
    assert.equal(
      await linkOf(/^Marked for an earlier submission/),
      `/-/judge/submissions/${newer.ID}?sheet=${Sheet.ID}`,
    )
    await row.getByRole('link', { name: /^Marked for/ }).click()
    await heading(teacher, /^Submission/)
    await writes.press('button', 'Mark', true)
    await see(teacher, `Marked for an earlier submission: submission ${newer.ID} has come since.`)
    await writes.write('Points', '8', { exact: true })
    await writes.press('button', 'Save mark')
    await writes.press('link', 'Results of Evening sheet')
    await row.getByRole('link', { name: /^8 points/ }).waitFor({ timeout: patience })
    assert.equal(await linkOf(/^8 points/), `/-/judge/submissions/${newer.ID}?sheet=${Sheet.ID}`)
    assert.equal(await row.getByText('Newer submission').count(), 0)

    await page.goto(`/-/classes/${ClassID}`)
    await hands.press('button', 'Leave class')
    await hands.answer('Leave class')
    await heading(page, 'Classes')
    assert.equal(await ivy.code('get_class', { ID: ClassID }), 6)
    await page.goto(`/-/judge/submissions/${newer.ID}`)
    await heading(page, /^Submission/)
    await teacher.reload()
    await row.getByText('Left', { exact: true }).waitFor({ timeout: patience })
    assert.equal(await row.getByRole('button').count(), 0, 'who left is not marked')
  })

  test('the home says which sheets are late and which are over, and an extension moves that', async () => {
    const { stage, problems } = world
    const sam = await signInSam(world)
    await makeAccount('hana')
    const ClassID = 'late-class'
    await sam.call('create_class', { ID: ClassID, Name: 'Late class' })
    await stage.cast.admin.call('put_class_member', { ClassID, AccountName: 'hana', Role: 'student' })
    const hour = 3_600_000
    // The page counts by the real clock.
    const [OpenTime, DueTime] = [Date.now() - 2 * hour, Date.now() - 60_000]
    const ProblemList = [{ UUID: problems[1]!.UUID, Points: 8 }]
    const draft = { ClassID, OpenTime, DueTime, IsPublished: true, ProblemList }
    await sam.call('create_sheet', { ...draft, Title: 'Late sheet', LateUntil: Date.now() + 2 * hour, LateFactor: 0.5 })
    const { Sheet } = await sam.call('create_sheet', { ...draft, Title: 'Over sheet' })
    const { page } = await stage.openAs('hana', { width: 360, height: 740 })
    await page.goto('/-/')
    const rowOf = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await rowOf('Late sheet')
      .getByText(/^Late: .* left$/)
      .waitFor({ timeout: patience })
    await rowOf('Over sheet').getByText('Over', { exact: true }).waitFor({ timeout: patience })
    await sam.call('put_extension', { SheetID: Sheet.ID, AccountName: 'hana', DueTime: Date.now() + 3 * hour })
    await page.reload()
    await rowOf('Over sheet')
      .getByText(/hours? .*left$/)
      .waitFor({ timeout: patience })
  })

  test('an invitation is declined on the page of the class', async () => {
    const { stage } = world
    const sam = await signInSam(world)
    await makeAccount('otto')
    const ClassID = 'other-class'
    await sam.call('create_class', { ID: ClassID, Name: 'Other class' })
    await sam.call('put_class_member', { ClassID, AccountName: 'otto', Role: 'student' })
    const { page } = await stage.openAs('otto')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${ClassID}`)
    await hands.press('button', 'Decline the invitation to Other class')
    await heading(page, 'Classes')
    await see(page, 'You are in no class yet')
    assert.equal((await sam.call('get_class', { ID: ClassID })).Class.StudentCount, 0)
  })

  test('a teacher sees what was handed in to a problem that is not released among everybody’s submissions', async () => {
    const { stage } = world
    const sam = await signInSam(world)
    const draft = { DisplayName: 'Kept back', Description: '', TimeLimitInMillisecond: 1_000 }
    const limits = { MemoryLimitInByte: 64 * 1024 * 1024, ExampleList: [] }
    const { UUID } = (await sam.call('create_problem', { ...draft, ...limits })).Problem
    await sam.call('update_problem_judging', { UUID, Judging: { IsHeld: true, IsScored: true, MaximumScore: 30 } })
    await submit(sam, UUID)
    const { page } = await stage.openAs('sam')
    await page.goto('/-/judge/submissions')
    await page.getByRole('cell', { name: 'Kept back' }).first().waitFor({ timeout: patience })
    await page.goto('/-/judge')
    await page.getByRole('row', { name: /Kept back.*30 points/ }).waitFor({ timeout: patience })
  })
}
