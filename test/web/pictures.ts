/** `node test/web/pictures.ts`: the README's pictures of the page, made from the real thing. */
import { join } from 'node:path'
import { makeProblem, makeTest, submit } from '../support/judge.ts'
import { makeSum, openStage, password } from './stage.ts'

const statement = `A baker has $n$ loaves; loaf $i$ weighs $w_i$ grams. Print how much they weigh **together**.

## Input

The first line holds $n$ ($1 \\le n \\le 10^5$), the second $w_1, \\dots, w_n$ ($1 \\le w_i \\le 10^4$).

## Output

One number, $\\sum_{i=1}^{n} w_i$.
`

const picture = (name: string): string => join(import.meta.dirname, '..', '..', 'docs', name)

const stage = await openStage()

/** A class that solves some of four problems, each at its own pace. */
async function fillClass(sumUuid: string): Promise<void> {
  const { admin, anonymous } = stage.cast
  const right = 'a, b = map(int, input().split())\nprint(a + b)\n'
  const wrong = 'print(sum(map(int, input().split())) + 1)\n'
  const names = ['Greatest of two', 'Rounds of a race']
  const problems = [sumUuid]
  for (const DisplayName of names) problems.push((await makeSum(stage, { DisplayName })).UUID)
  const pupils: [string, string, string][] = [
    ['ines', 'Ines Alvarez', '+ -+ +'],
    ['jonas', 'Jonas Berg', '-+ + +'],
    ['mara', 'Mara Chen', '+ -- -+'],
    ['noor', 'Noor Demir', '+ --+'],
    ['olek', 'Olek Ewald', '+ - -'],
  ]
  for (const [AccountName, DisplayName, tries] of pupils) {
    await admin.call('create_account', { AccountName, DisplayName, Role: 'contestant', Password: password })
    const pupil = await anonymous.signIn(AccountName, password)
    for (const [at, part] of tries.split(' ').entries())
      for (const sign of part) {
        const { ID } = await submit(pupil, problems[at]!, { Content: sign === '+' ? right : wrong })
        await pupil.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
      }
  }
}
try {
  const { admin } = stage.cast
  const first = await makeSum(stage)
  const problem = await makeProblem(admin, {
    DisplayName: 'The baker’s loaves',
    Description: statement,
    MemoryLimitInByte: 256 * 1024 * 1024,
    ExampleList: [{ Input: '3\n500 750 1000\n', Output: '2250\n' }],
  })
  for (const weights of [[1], [500, 750, 1000], [3, 4], Array(40).fill(250)] as number[][])
    await makeTest(admin, problem.UUID, {
      Input: `${weights.length}\n${weights.join(' ')}\n`,
      Output: `${weights.reduce((sum, weight) => sum + weight, 0)}\n`,
    })
  const ann = await stage.cast.anonymous.signIn('ann', password)
  const wrong = await submit(ann, problem.UUID, { Content: 'print(input())' })
  await ann.call('wait_for_submission', { ID: wrong.ID, WaitMillisecond: 30_000 })
  const { page } = await stage.openAs('ann', { width: 1240, height: 840 })
  await page.goto(`/-/judge/problems/${problem.UUID}`)
  await page.locator('.cm-content').click()
  await page.keyboard.insertText(
    'count = int(input())\nloaves = list(map(int, input().split()))\nprint(sum(loaves[:count]))  # all on the scale\n',
  )
  await page.keyboard.press('Control+Enter')
  await page.getByText('all 4 tests passed').waitFor()
  await page.evaluate(() =>
    (globalThis as unknown as { document: { activeElement: { blur(): void } } }).document.activeElement.blur(),
  )
  await page.screenshot({ path: picture('page.png') })

  await fillClass(first.UUID)
  const { page: teacher } = await stage.openAs('ada', { width: 1240, height: 840 })
  await teacher.goto('/-/judge/results')
  await teacher.getByRole('row', { name: /Ines/ }).getByText('Solved').first().waitFor({ timeout: 60_000 })
  await teacher.getByRole('button', { name: 'Create sheet' }).click()
  await teacher.getByRole('link', { name: 'as a spreadsheet' }).waitFor()
  await teacher.evaluate('scrollTo(0, 0)')
  await teacher.screenshot({ path: picture('results.png') })
} finally {
  await stage.close()
}
