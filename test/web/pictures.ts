/** `node test/web/pictures.ts`: the README's picture of the page, made from the real thing. */
import { join } from 'node:path'
import { makeProblem, makeTest, submit } from '../support/judge.ts'
import { makeSum, openStage } from './stage.ts'

const statement = `A baker has $n$ loaves; loaf $i$ weighs $w_i$ grams. Print how much they weigh **together**.

## Input

The first line holds $n$ ($1 \\le n \\le 10^5$), the second $w_1, \\dots, w_n$ ($1 \\le w_i \\le 10^4$).

## Output

One number, $\\sum_{i=1}^{n} w_i$.
`

const stage = await openStage()
try {
  const { admin } = stage.cast
  await makeSum(stage)
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
  const ann = await stage.cast.anonymous.signIn('ann', 'correct horse')
  const first = await submit(ann, problem.UUID, { Content: 'print(input())' })
  await ann.call('wait_for_submission', { ID: first.ID, WaitMillisecond: 30_000 })
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
  await page.screenshot({ path: join(import.meta.dirname, '..', '..', 'docs', 'page.png') })
} finally {
  await stage.close()
}
