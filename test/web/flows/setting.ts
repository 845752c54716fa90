/** Setting problems: written, imported, tested, tried, judged again; all of it with the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { makeZip } from '../../support/zip.ts'
import { chosenFile, heading, patience, see, takeKeyboard } from '../hands.ts'
import type { World } from '../world.ts'

declare const window: Json

const smallestPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export function testSetting(world: World): void {
  test('a setter writes a problem with a preview, adds tests, and judges again, with the keyboard alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto('/-/judge')
    await hands.press('link', 'Write a problem')
    await heading(page, 'Write a problem')
    await hands.write('Name', 'Double')
    await hands.write('Statement', 'Print $2x$.')
    await page.locator('.preview math').waitFor({ timeout: patience })
    await hands.write('Statement', 'Print $2x$.\n\n```python\nprint(2)  # two\n```')
    await page.locator('.preview .tok-comment').waitFor({ timeout: patience })
    await hands.write('Input 1', '1')
    await hands.write('Output 1', '2')
    await hands.press('button', 'Add an example')
    await hands.press('button', 'Save and continue to tests')
    await heading(page, 'Tests of Double')
    const { Problem } = await stage.cast.admin.call('get_problem', { UUID: page.url().split('/').at(-2) })
    assert.deepEqual(Problem.ExampleList, [{ Input: '1', Output: '2' }], 'an empty example is left out')
    await page.waitForFunction(() => window.document.activeElement?.tagName === 'H1')
    await see(page, 'This problem is not released')
    const listed = async () =>
      (await stage.cast.contestant.call('get_problem_snippet_list', { Offset: 0, Limit: 9 })).ProblemSnippetList
    const isListed = async () => (await listed()).some(({ DisplayName }: Json) => DisplayName === 'Double')
    assert.equal(await isListed(), false, 'nobody sees it yet')
    await hands.press('button', 'Add the example as an open test')
    await see(page, /^1 test$/)
    await hands.write('Input', '4')
    await hands.write('Output', '9')
    await hands.press('button', 'Add', true)
    await see(page, /^2 tests$/)
    await hands.press('button', 'Edit test 2')
    await hands.write('Output', '8')
    await hands.press('button', 'Save')
    await page.getByRole('row', { name: /^2 2 B 4 8/ }).waitFor({ timeout: patience })
    const tests = makeZip([
      { path: '1.in', data: '2' },
      { path: '1.out', data: '4' },
      { path: '2.in', data: '3' },
      { path: '2.out', data: '6' },
      { path: 'notes/readme.md', data: 'x' },
    ])
    await hands.offer('Zip file', chosenFile('tests.zip', tests))
    await see(page, '2 tests were added')
    await see(page, 'notes/readme.md')
    await hands.offer('Zip file', chosenFile('odd.zip', makeZip([{ path: 'lonely.in', data: '2' }])))
    await see(page, /lonely/)
    await hands.press('link', 'Try a solution')
    await hands.writeCode('print(2 * int(input()))')
    await hands.press('button', 'Submit')
    await see(page, 'all 4 tests passed')
    await hands.press('link', 'Problems')
    await page.getByRole('row', { name: /^Double Not released/ }).waitFor({ timeout: patience })
    await page.goBack()
    await hands.press('button', 'Release')
    await until(isListed)
    await hands.press('link', 'Edit')
    await hands.offer('Add a picture', { name: 'two.png', mimeType: 'image/png', buffer: smallestPicture })
    await page.locator('.preview img[src$="two.png"]').waitFor({ state: 'attached', timeout: patience })
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: patience }),
      hands.press('link', 'Download package'),
    ])
    assert.match(download.suggestedFilename(), /\.zip$/)
    await hands.press('button', 'Save')
    await page.locator('.prose img[src$="two.png"]').waitFor({ state: 'attached', timeout: patience })
    await hands.press('link', 'Rejudge')
    await hands.press('button', 'Rejudge all')
    await hands.answer('Rejudge')
    await see(page, /The submission is judged\. The result did not change\./)
    await hands.press('link', 'View problem')
    await hands.press('link', 'Tests', true)
    await hands.press('button', 'Delete test 4')
    await hands.answer('Delete')
    await see(page, /^3 tests$/)
  })

  test('a package becomes a problem, with what was read of it and what was not', async () => {
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto('/-/judge')
    await hands.press('link', 'Import a package')
    await hands.offer('Zip file', chosenFile('package.zip', makeZip([{ path: 'readme.txt', data: 'x' }])))
    await see(page, /neither problem.yaml/)
    const twice = makeZip([
      { path: 'twice/problem.yaml', data: 'name: Twice\n' },
      { path: 'twice/problem_statement/problem.tex', data: 'Double it. \\strangemacro{x}\n' },
      { path: 'twice/data/sample/1.in', data: '2\n' },
      { path: 'twice/data/sample/1.ans', data: '4\n' },
    ])
    await hands.offer('Zip file', chosenFile('package.zip', twice))
    await page.getByRole('heading', { name: 'Twice' }).waitFor({ timeout: patience })
    await see(page, 'Not imported')
    await see(page, /strangemacro/)
    await hands.press('link', 'View it and try a solution')
    await hands.writeCode('print(2 * int(input()))')
    await page.keyboard.press('Control+Enter')
    await see(page, 'the only test passed')
  })
}
