/** What the page asks and says before a teacher's act surprises: problems removed, closed accounts, people of one name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submit } from '../../support/judge.ts'
import { until } from '../../support/until.ts'
import { heading, patience, see, takeKeyboard } from '../hands.ts'
import { type ClassWorld, signInSam } from './class-world.ts'
import { fillTime } from './monday/world.ts'

export function testSheetQuestions(world: ClassWorld): void {
  test('a problem with results leaves a published sheet only after a question', async () => {
    const { stage, sheetId } = world
    const sam = await signInSam(world)
    const namesOf = async () =>
      (await sam.call('get_sheet', { ID: sheetId })).Sheet.ProblemList.map(
        ({ DisplayName }: { DisplayName: string }) => DisplayName,
      )
    const { ProblemList } = (await sam.call('get_sheet', { ID: sheetId })).Sheet
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/sheets/${sheetId}/edit`)
    await hands.press('button', 'Remove Imported')
    await hands.press('button', 'Save sheet')
    await see(page, 'Remove “Imported”?')
    await see(page, /The points of 39 students/)
    assert.deepEqual(await namesOf(), ['Grouped', 'Imported', 'Scored'])
    await hands.answer('Remove and save')
    await heading(page, 'Sheet 1 <b>')
    // The page that is left has the same heading.
    await until(async () => (await namesOf()).join() === 'Grouped,Scored')
    await sam.call('update_sheet', { ID: sheetId, ProblemList: ProblemList.map(pickPlace) })
  })

  test('the times of a sheet with results are narrowed only after a question', async () => {
    const { stage, sheetId } = world
    const sam = await signInSam(world)
    const readTimes = async () => {
      const { OpenTime, DueTime, LateUntil } = (await sam.call('get_sheet', { ID: sheetId })).Sheet
      return { OpenTime, DueTime, LateUntil }
    }
    const before = await readTimes()
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/sheets/${sheetId}/edit`)
    await fillTime(page, 'Due', before.OpenTime + 120_000)
    await hands.press('button', 'Save sheet')
    await see(page, 'Change the times of work that was handed in?')
    await see(page, /39 students handed in/)
    assert.deepEqual(await readTimes(), before)
    await hands.answer('Change and save')
    await until(async () => (await readTimes()).DueTime !== before.DueTime)
    await sam.call('update_sheet', { ID: sheetId, ...before })
  })

  test('a sheet is copied into another class as a draft without dates, extensions and submissions, with the keyboard alone', async () => {
    const { stage, sheetId } = world
    const sam = await signInSam(world)
    await sam.call('create_class', { ID: 'next-year', Name: 'Next year' })
    const { Sheet: first } = await sam.call('get_sheet', { ID: sheetId })
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/sheets/${sheetId}`)
    await hands.press('link', 'Copy')
    await hands.choose('Class', 'Next year')
    await hands.write('Title', 'Sheet 1 again')
    await hands.press('button', 'Copy sheet')
    await heading(page, 'Sheet 1 again')
    await page.waitForURL(/\/edit$/)
    const { SheetList } = await sam.call('get_sheet_list', { ClassID: 'next-year' })
    assert.equal(SheetList.length, 1)
    const [copy] = SheetList
    for (const field of ['Description', 'LateFactor', 'ProblemList', 'LanguageList', 'SubmissionLimit', 'ShowsOthers'])
      assert.deepEqual(copy[field], first[field], field)
    assert.deepEqual([copy.IsPublished, copy.LateUntil, copy.ExtensionList], [false, null, []])
    assert.notEqual(copy.OpenTime, first.OpenTime)
    await sam.call('delete_sheet', { ID: copy.ID })
    await sam.call('delete_class', { ID: 'next-year' })
  })

  test('people of one name have their logins beside it where submissions are rejudged and in all results', async () => {
    const { stage, problems } = world
    const { page } = await stage.openAs('sam')
    for (const path of [`/-/judge/problems/${problems[1]!.UUID}/rejudge`, '/-/judge/results']) {
      await page.goto(path)
      await page.getByText('david-kim-2', { exact: true }).first().waitFor({ timeout: patience })
    }
  })

  test('a list of students says before that new accounts are switched off', async () => {
    const { stage, classId } = world
    const { Account } = (await stage.cast.admin.call('get_server_info', {})).Setting
    const turn = (DisableAccountCreation: boolean) =>
      stage.cast.admin.call('update_setting', { Setting: { Account: { ...Account, DisableAccountCreation } } })
    await turn(true)
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${classId}/import`)
    await hands.write('Paste the list', 'Somebody New\n')
    await hands.press('button', 'Preview')
    await see(page, /New accounts are switched off/)
    assert.equal(await page.getByRole('button', { name: 'Add 1 student' }).isDisabled(), true)
    await turn(false)
  })

  test('of two known students of one name the teacher chooses one, and gives a login where one of the name is in the class', async () => {
    const { stage, classId } = world
    const sam = await signInSam(world)
    await sam.call('create_class', { ID: 'parallel', Name: 'Parallel' })
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto('/-/classes/parallel/import')
    await hands.write('Paste the list', 'David Kim\n')
    await hands.press('button', 'Preview', true)
    await see(page, /In other classes of yours: david-kim/)
    await hands.press('button', 'Use david-kim-2 for line 1, David Kim')
    await page.getByRole('row', { name: /David Kim david-kim-2 Existing account/ }).waitFor({ timeout: patience })
    await hands.press('button', 'Undo the login of line 1, David Kim')
    await page.getByRole('row', { name: /David Kim david-kim-3 New account/ }).waitFor({ timeout: patience })
    await page.goto(`/-/classes/${classId}/import`)
    await hands.write('Paste the list', 'David Kim\n')
    await hands.press('button', 'Preview', true)
    await see(page, /give a login to add another/)
    await hands.write('Login for line 1, David Kim', 'david-the-third')
    await hands.press('button', 'Set the login of line 1, David Kim')
    await page.getByRole('row', { name: /David Kim david-the-third New account/ }).waitFor({ timeout: patience })
    await sam.call('delete_class', { ID: 'parallel' })
  })

  test('a teacher’s own submissions to problems that are not released are in their list', async () => {
    const { stage } = world
    const sam = await signInSam(world)
    const { Problem } = await sam.call('create_problem', { ...heldProblem })
    await sam.call('update_problem_judging', { UUID: Problem.UUID, Judging: { IsHeld: true } })
    await submit(sam, Problem.UUID)
    const { page } = await stage.openAs('sam')
    await page.goto('/-/judge/submissions?by=me')
    await page.getByRole('link', { name: 'Kept back' }).first().waitFor({ timeout: patience })
  })
}

const pickPlace = ({ UUID, Points }: { UUID: string; Points: number }) => ({ UUID, Points })

const heldProblem = {
  DisplayName: 'Kept back',
  Description: '',
  TimeLimitInMillisecond: 1_000,
  MemoryLimitInByte: 64 * 1024 * 1024,
  ExampleList: [],
}
