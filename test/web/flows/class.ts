/** A class: accounts from a list or a file, the grid of results, the grade sheet, roles and switches; with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submit } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { chosenFile, heading, patience, see, takeKeyboard } from '../hands.ts'
import { sum } from '../stage.ts'
import type { World } from '../world.ts'

declare const window: Json

export function testClass(world: World): void {
  test('a class comes from a list or a file, its results are a grid, and the grid becomes a sheet, with the keyboard alone', async () => {
    const { stage, problem } = world
    const { page } = await stage.openAs('ada')
    const hands = takeKeyboard(page)
    await page.goto('/-/')
    await hands.press('link', 'Admin')
    await hands.write('One account per line', 'kim, Kim Moe\nlee, "Lee, Jr."\nann, Ann Again')
    await hands.press('button', 'Create accounts')
    await see(page, 'Lee, Jr.')
    await see(page, /taken|exists|already/i)
    assert.match(
      await page.getByLabel('One account per line').inputValue(),
      /^ann, Ann Again$/,
      'what was refused is kept',
    )
    const file = 'name;shown\nmoe;"Moe; the third"\nnoa;Noa\n'
    const head = Buffer.from('\x89PNG\r\n', 'latin1')
    await hands.offer('Or from a CSV file', chosenFile('class.png', head))
    await see(page, 'class.png is a picture, not a list.')
    await hands.offer('Or from a CSV file', chosenFile('class.csv', Buffer.from('bj;Bj\u00f6rn \u0096\n', 'latin1')))
    await page.waitForFunction(() => /^bj;Björn –/.test(window.document.querySelector('textarea').value))
    await hands.offer('Or from a CSV file', chosenFile('class.csv', file))
    await page.waitForFunction(() => /noa/.test(window.document.querySelector('textarea').value))
    await hands.press('button', 'Create accounts')
    const sheet = page.locator('section[aria-labelledby=sheet]')
    await sheet.getByText('Moe; the third').waitFor({ timeout: patience })
    await page.waitForFunction(() => window.document.activeElement?.id === 'sheet')
    const drawn = await sheet.locator('code').first().textContent({ timeout: patience })
    const kim = await stage.cast.anonymous.signIn('kim', drawn!)
    const questions: string[] = []
    page.once('dialog', (question) => {
      questions.push(question.message())
      void question.dismiss()
    })
    await hands.press('link', 'Classes')
    await until(async () => questions.length === 1)
    assert.match(questions[0]!, /These passwords were not printed/)
    await heading(page, 'Accounts')
    await page.evaluate(() => {
      window.print = () => {}
    })
    await hands.press('button', 'Print', true)
    await hands.press('link', 'Classes')
    await hands.press('link', 'Results of all problems')
    await heading(page, 'Results')
    await see(page, /Only released problems are counted here/)
    await submit(kim, problem.UUID, { Content: sum })
    const row = page.getByRole('row', { name: /Kim Moe/ })
    await row.getByText('Solved').waitFor({ timeout: patience })
    await hands.write('Name of the data set', 'class-a')
    await hands.press('button', 'Create sheet')
    await hands.press('link', 'class-a')
    await page.getByRole('cell', { name: 'Kim Moe' }).first().waitFor({ timeout: patience })
    await page.getByRole('cell', { name: 'Lee, Jr.' }).first().waitFor({ timeout: patience })
    await page.goBack()
    await hands.turnTo('Rows', /^One row for each person Totals/)
    await hands.write('Name of the data set', 'class-totals')
    await hands.press('button', 'Create sheet')
    await hands.press('link', 'class-totals')
    await page.getByRole('button', { name: 'solved' }).waitFor({ timeout: patience })
    await page.goBack()
    await hands.press('link', /^Solved/)
    await heading(page, /submissions/i)
  })

  test('an admin retires, reinstates and promotes, draws passwords and turns switches, with the keyboard alone', async () => {
    const { stage, problem } = world
    const { page } = await stage.openAs('ada')
    const hands = takeKeyboard(page)
    await page.goto('/-/admin/accounts')
    const lee = page.getByRole('row', { name: /Lee, Jr/ })
    await hands.press('button', 'Retire lee')
    await hands.answer('Retire lee')
    await lee.getByText('Retired').waitFor({ timeout: patience })
    await hands.press('button', 'Reinstate lee')
    await lee.getByText('Retired').waitFor({ state: 'detached', timeout: patience })
    const readRole = async () => {
      const { AccountList } = await stage.cast.admin.call('get_account_list', { Offset: 0, Limit: 100 })
      return AccountList.find(({ AccountName }: Json) => AccountName === 'lee').Role as string
    }
    await hands.choose('Role of lee', 'Problem setter')
    assert.equal(await readRole(), 'contestant', 'a choice alone changes nothing')
    await hands.press('button', 'Make lee Problem setter')
    await see(page, 'lee now has the role Problem setter.')
    assert.equal(await readRole(), 'problem_setter')
    assert.equal(await page.evaluate(() => window.document.activeElement.ariaLabel), 'Role of lee')
    await hands.press('button', 'New password for lee')
    await hands.answer('Set a new password')
    await see(page, 'lee signs in with')
    await hands.press('link', 'Queue and executors')
    await page.getByRole('row', { name: /stage/ }).getByText('Connected').waitFor({ timeout: patience })
    const isOff = async () =>
      (await stage.cast.admin.call('get_server_info')).Setting.Submission.DisableSubmissionCreation as boolean
    await hands.press('link', 'Settings')
    await hands.tick('checkbox', /^Submissions/)
    await until(isOff)
    const ann = await stage.openAs('ann')
    await ann.page.goto(`/-/judge/problems/${problem.UUID}`)
    await see(ann.page, 'Submissions are disabled')
    await hands.tick('checkbox', /^Submissions/)
    await until(async () => !(await isOff()))
  })
}
