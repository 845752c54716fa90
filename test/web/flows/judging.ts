/** How a problem is judged, set on the page: comparison, checkers, interaction, points and groups, time factors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submit } from '../../support/judge.ts'
import { chosenFile, patience, see, show, takeKeyboard } from '../hands.ts'
import { makeSum } from '../stage.ts'
import type { World } from '../world.ts'

const pythonChecker = 'import sys\nsys.exit(42 if sys.stdin.read().split() else 43)\n'

export function testJudging(world: World): void {
  test('a setter says how a problem is judged, with the keyboard alone, and what is wrong is said in words', async () => {
    const { stage } = world
    const { admin } = stage.cast
    const { UUID } = await makeSum(stage, { DisplayName: 'Sum for points' })
    const judging = async () => (await admin.call('get_problem_judging', { UUID })).Judging
    const { page } = await stage.openAs('ada')
    const hands = takeKeyboard(page)
    const save = async () => {
      await hands.press('button', 'Save', true)
      await see(page, 'Saved. It applies to submissions judged from now on')
    }
    await page.goto(`/-/judge/problems/${UUID}`)
    await hands.press('link', 'Judging')
    await hands.turnTo('Comparison', /^Word by word/)
    await hands.tick('checkbox', /Case-sensitive/)
    await hands.write('Absolute tolerance', '1e-6')
    await hands.write('Relative tolerance', '1e-6')
    await hands.press('button', 'Add a factor')
    await hands.write('Factor', '2.5', { exact: true })
    await save()
    const { Checker, LanguageFactorList } = await judging()
    assert.deepEqual(Checker.ArgumentList, ['case_sensitive', 'float_tolerance', '1e-6'])
    assert.deepEqual(LanguageFactorList, [{ Language: 'python', TimeFactor: 2.5 }])

    const listTests = async () =>
      (await admin.call('get_problem_test_case_judging_list', { ProblemUUID: UUID, Offset: 0, Limit: 9 }))
        .TestCaseJudgingList as { UUID: string; ArgumentList: string[] | null }[]
    const listArguments = async () => (await listTests()).map(({ ArgumentList }) => ArgumentList)
    const ownArguments = page.getByRole('row', { name: /Own arguments/ })
    await hands.press('link', 'Tests', true)
    await hands.press('button', 'Edit test 1')
    await hands.tick('checkbox', /^This test has its own arguments/)
    await hands.write('Arguments for this test', 'fuzzy')
    await hands.press('button', 'Save', true)
    await see(page, 'The comparison word by word knows no "fuzzy".')
    await hands.write('Arguments for this test', 'float_tolerance\n0.5')
    await hands.press('button', 'Save', true)
    await ownArguments.waitFor({ timeout: patience })
    assert.deepEqual(await listArguments(), [['float_tolerance', '0.5'], null])
    await hands.press('button', 'Edit test 1')
    await hands.tick('checkbox', /^This test has its own arguments/)
    await hands.press('button', 'Save', true)
    await ownArguments.waitFor({ state: 'detached', timeout: patience })
    await hands.write('Input', '1 1\n')
    await hands.write('Output', '2\n')
    await hands.tick('checkbox', /^This test has its own arguments/)
    await hands.press('button', 'Add', true)
    await ownArguments.waitFor({ timeout: patience })
    assert.deepEqual(await listArguments(), [null, null, []])
    await admin.call('delete_test_case', { UUID: (await listTests())[2]!.UUID })

    await hands.press('link', 'Judging')
    await hands.turnTo('Comparison', /^A Kattis output validator/)
    await hands.press('button', 'Save', true)
    await see(page, 'Choose the checker’s files')
    await hands.offer('Files of the checker', chosenFile('notes.txt', 'x'))
    await see(page, 'None of these files is a source')
    await hands.offer('Files of the checker', [chosenFile('a.py', pythonChecker), chosenFile('b.py', 'x = 1\n')])
    await see(page, 'b.py')
    await hands.press('button', 'Save', true)
    await see(page, 'The checker must have a __main__.py, or only one script')
    await hands.press('button', 'Remove b.py from the checker')
    await hands.write('Maximum passes', '3')
    await hands.turnTo('The program', /^Talks to the Kattis/)
    await save()
    const talking = await judging()
    assert.deepEqual([talking.Type, talking.PassLimit, talking.Checker.Program.Language], ['interactive', 3, 'python'])
    assert.equal(Buffer.from(talking.Checker.Program.FileList[0].Content, 'base64').toString(), pythonChecker)

    await hands.turnTo('Comparison', /^Line by line/)
    await hands.tick('checkbox', /Score with points/)
    await hands.press('button', 'Add a group')
    await hands.tick('checkbox', /Score with points/)
    await hands.write(/^Maximum points/, '1,5', { isLast: true })
    assert.ok(await page.getByRole('checkbox', { name: /Score with points/ }).isChecked(), 'points turn scoring on')
    await hands.press('button', 'Remove group 1')
    for (const [name, points] of Object.entries({ small: '30', large: '70,0' })) {
      await hands.press('button', 'Add a group')
      await hands.write('Name of the group', name, { isLast: true })
      await hands.write(/^Maximum points/, points, { isLast: true })
    }
    await hands.tick('checkbox', 'small')
    await save()
    const scored = await judging()
    assert.deepEqual([scored.Type, scored.PassLimit, scored.IsScored], ['batch', 1, true])
    assert.deepEqual(
      scored.GroupList.map(({ Name, MaximumScore, RequireList }: Record<string, unknown>) => [
        Name,
        MaximumScore,
        RequireList,
      ]),
      [
        ['small', 30, []],
        ['large', 70, ['small']],
      ],
    )

    await hands.press('link', 'Tests', true)
    await hands.write('Input', '7 8\n')
    await hands.write('Output', '15\n')
    await hands.choose('Group', 'large', { isLast: true })
    await hands.press('button', 'Add', true)
    await page.getByRole('row', { name: /large/ }).waitFor({ timeout: patience })
    await hands.press('button', 'Edit test 3')
    await hands.write('Points', '70')
    await hands.press('button', 'Save', true)
    await page.getByRole('row', { name: /large 70/ }).waitFor({ timeout: patience })
    await hands.write('From test', '2')
    await hands.write('To test', '2')
    await hands.choose('Group', 'small')
    await hands.press('button', 'Change tests')
    await see(page, 'Tests 2 to 2 are now in “small”.')
    await page.getByRole('row', { name: /small equal share/ }).waitFor({ timeout: patience })

    await show(page, `/-/judge/problems/${UUID}/judging`)
    await hands.press('button', 'Remove group 1')
    await hands.press('button', 'Save', true)
    await see(page, /Tests are in the group "small", which was removed: first move them to another group/)
    await page.reload()
    await see(page, 'The groups give 100 points in total')
    await show(page, `/-/judge/problems/${UUID}`)
    await see(page, /· 100 points · by/)
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(42)')
    await page.keyboard.press('Control+Enter')
    await see(page, /30 of 100 points/)
    await admin.call('delete_problem', { UUID })
  })

  test('the first wrong answer shows what was expected and what came', async () => {
    const { stage, problem } = world
    const { page } = await stage.openAs('ada')
    const { ID } = await submit(stage.cast.admin, problem.UUID, { Content: 'print(4)' })
    await page.goto(`/-/judge/submissions/${ID}`)
    await page.locator('details[open]').getByText('4', { exact: true }).waitFor({ timeout: patience })
  })
}
