/** What a teacher meets besides: problems found by tag, zips with folders, the jury's solutions, accounts in bulk; and a student's drafts and password. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProblem } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { makeZip } from '../../support/zip.ts'
import { chosenFile, heading, patience, see, takeKeyboard } from '../hands.ts'
import { password } from '../stage.ts'
import { type ClassWorld, judgeAll, signInSam } from './class-world.ts'

declare const window: Json

const hour = 3_600_000
const day = 24 * hour

export function testTeacherPages(world: ClassWorld): void {
  test('problems are found by name and tag, with the keyboard alone', async () => {
    const sam = await signInSam(world)
    const { UUID } = await makeProblem(sam, { DisplayName: 'Cycles' })
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/judge/problems/${UUID}/edit`)
    await hands.write('Tags', 'Graphs, hard')
    await hands.press('button', 'Save', true)
    await heading(page, 'Cycles')
    await hands.press('link', 'Problems')
    await hands.press('link', 'graphs')
    await page.waitForURL(/tag=graphs/)
    await page.getByRole('link', { name: 'Cycles' }).waitFor({ timeout: patience })
    await page.getByRole('link', { name: 'Scored' }).waitFor({ state: 'detached', timeout: patience })
    await hands.write('Name or tag', 'no such thing')
    await hands.press('button', 'Search', true)
    await see(page, 'No problem matches')
    await hands.press('link', 'Show all problems')
    await page.getByRole('link', { name: 'Scored' }).waitFor({ timeout: patience })
  })

  test('a sheet warns that it would show students a problem of a contest that is not over', async () => {
    const { stage, clock, classId, problems } = world
    const sam = await signInSam(world)
    const { UUID } = problems[1]!
    const ContestID = 'coming'
    const StartTime = clock.now() + 10 * day
    await sam.call('create_contest', { ID: ContestID, Name: 'Coming', Style: 'icpc', Duration: hour, StartTime })
    const place = { Label: 'A', Ordinal: 0, Colour: '#ff0000' }
    await sam.call('put_contest_problem', { ContestID, ID: 'a', UUID, ...place })
    const { page } = await stage.openAs('sam')
    await page.goto(`/-/classes/${classId}/new-sheet`)
    await page.getByRole('button', { name: 'Add Imported' }).click()
    const warning = page.getByRole('status').filter({ hasText: 'Imported, in Coming, which begins' })
    await warning.waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'Remove Imported' }).click()
    await warning.waitFor({ state: 'detached', timeout: patience })
    await page.getByLabel('Find a problem').fill('no such thing')
    await see(page, 'No problem matches.')
    await page.goto(`/-/sheets/${world.sheetId}`)
    await warning.waitFor({ timeout: patience })
    await sam.call('delete_contest', { ID: ContestID })
  })

  test('a zip keeps its folders as groups, and its samples are open', async () => {
    const sam = await signInSam(world)
    const { UUID } = await makeProblem(sam, { DisplayName: 'Folders' })
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/judge/problems/${UUID}/tests`)
    const files = ['sample/1', 'easy/1', 'hard/1'].flatMap((name) => [
      { path: `${name}.in`, data: `${name} ${'long '.repeat(30)}` },
      { path: `${name}.out`, data: '1' },
    ])
    await hands.offer('Choose a zip file', chosenFile('tests.zip', makeZip(files)))
    await see(page, '3 tests were added')
    const easy = page.getByRole('row').filter({ hasText: 'easy/1' })
    await easy.getByText('Hidden').waitFor({ timeout: patience })
    await easy.getByRole('cell', { name: 'easy', exact: true }).waitFor({ timeout: patience })
    await page.getByRole('row').filter({ hasText: 'sample/1' }).getByText('Open').waitFor({ timeout: patience })
  })

  test('a package takes another time limit, and its solutions are run against what they should get', async () => {
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto('/-/judge/problems/import')
    await hands.write('Time limit (ms)', '2500')
    const zip = makeZip([
      { path: 'problem.yaml', data: 'name: Twice\n' },
      { path: 'data/sample/1.in', data: '2\n' },
      { path: 'data/sample/1.ans', data: '4\n' },
      { path: 'submissions/accepted/good.py', data: 'print(4)' },
      { path: 'submissions/wrong_answer/bad.py', data: 'print(4)' },
      { path: 'submissions/accepted/folder/a.py', data: 'print(4)' },
      { path: 'submissions/accepted/folder/b.py', data: 'print(4)' },
    ])
    await hands.offer('Choose a zip file', chosenFile('package.zip', zip))
    await see(page, /limits: 2\.5 s/)
    await see(page, /The package has 2 solutions that can be judged here/)
    await hands.press('button', 'Run the solutions')
    await until(async () => (await page.getByRole('row', { name: /submissions?\/|good\.py|bad\.py/ }).count()) === 2)
    await judgeAll(world)
    await page
      .getByRole('row', { name: /good\.py/ })
      .getByText('Yes')
      .waitFor({ timeout: patience })
    await page
      .getByRole('row', { name: /bad\.py/ })
      .getByText('No', { exact: true })
      .waitFor({ timeout: patience })
  })

  test('a teacher’s submissions are everybody’s at first, and an empty list says what is true', async () => {
    const { page } = await world.stage.openAs('sam')
    await page.goto('/-/judge/submissions')
    await heading(page, 'Submissions')
    await page.getByRole('cell', { name: 'Student 01' }).first().waitFor({ timeout: patience })
    const { page: own } = await world.stage.openAs('ann')
    await own.goto('/-/judge/submissions')
    await see(own, 'You have submitted nothing yet')
    await own.goto('/-/judge/submissions/999999')
    await heading(own, 'There is no such submission here')
  })

  test('accounts are found, and several retired and put into a class at once, with the keyboard alone', async () => {
    const { stage, classId } = world
    for (const name of ['bulk-a', 'bulk-b'])
      await stage.cast.admin.call('create_account', {
        AccountName: name,
        DisplayName: name,
        Role: 'contestant',
        Password: password,
      })
    const { page } = await stage.openAs('ada')
    const hands = takeKeyboard(page)
    await page.goto('/-/admin/accounts')
    await hands.write('Name of an account', 'BULK')
    await hands.press('button', 'Search', true)
    await see(page, '2 accounts')
    for (const name of ['bulk-a', 'bulk-b']) await hands.tick('checkbox', `Choose ${name}`)
    await hands.choose('Class', 'Informatics 7b')
    await hands.press('button', 'Add to class')
    await see(page, '2 accounts added to the class.')
    const { MemberList } = await stage.cast.admin.call('get_class_member_list', { ClassID: classId })
    assert.equal(MemberList.filter(({ AccountName }: Json) => AccountName.startsWith('bulk-')).length, 2)
    for (const name of ['bulk-a', 'bulk-b']) await hands.tick('checkbox', `Choose ${name}`)
    await hands.press('button', 'Retire', true)
    await hands.answer('Retire accounts')
    await see(page, '2 accounts retired.')
    await page.getByRole('row', { name: /bulk-a.*Retired/ }).waitFor({ timeout: patience })
  })

  test('two tabs do not overwrite each other’s program in silence', async () => {
    const { stage, problems } = world
    const { page, context } = await stage.openAs('ann')
    const { UUID } = await makeProblem(await signInSam(world), { DisplayName: 'Twin' })
    const address = `/-/judge/problems/${UUID}`
    const write = async (tab: typeof page, text: string) => {
      await tab.locator('.cm-content').click()
      await tab.keyboard.press('Control+A')
      await tab.keyboard.insertText(text)
    }
    await page.goto(address)
    await write(page, 'first tab')
    const second = await context.newPage()
    await second.goto(address)
    await see(second, 'first tab')
    await write(second, 'second tab')
    await see(page, 'You changed this program in another tab')
    await write(page, 'first again')
    const stored = () =>
      second.evaluate(
        (uuid) => JSON.stringify(Object.entries(window.localStorage).filter((entry: Json) => entry[0].includes(uuid))),
        UUID,
      )
    assert.match(await stored(), /second tab/)
    await page.getByRole('button', { name: 'Keep this one' }).click()
    await see(second, 'You changed this program in another tab')
    assert.match(await stored(), /first again/)
    await second.getByRole('button', { name: 'Use the other tab’s' }).click()
    await see(second, 'first again')
    assert.ok(problems.length > 0)
  })

  test('a password is changed with the present one alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await page.goto('/-/account')
    await hands.write('Current password', 'not the one')
    await hands.write('New password', 'another horse')
    await hands.press('button', 'Change password')
    await see(page, 'The current password is wrong.')
    await hands.write('Current password', password)
    await hands.press('button', 'Change password')
    await see(page, 'Password changed.')
    await stage.cast.anonymous.signIn('ann', 'another horse')
  })
}
