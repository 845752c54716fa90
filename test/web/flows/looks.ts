/** Every page as people see and reach it: axe's judgement, narrow and light, wide and dark, and nothing the keyboard passes over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import type { Tab } from '../../support/browser.ts'
import type { Json } from '../../support/rpc.ts'
import { show } from '../hands.ts'
import { makeDataset } from '../stage.ts'
import type { World } from '../world.ts'

declare const window: Json

/** In the page: what can be used by a mouse and is left out of the order of the keyboard. Password managers read the one exception. */
const findPassedOver = (): string[] =>
  [...window.document.querySelectorAll('a[href], button, input, select, textarea, summary, [onclick]')]
    .filter((element: Json) => element.tabIndex < 0 && !element.disabled && element.autocomplete !== 'username')
    .map((element: Json) => element.outerHTML.slice(0, 120))

const narrow = { width: 320, height: 640 }
const wide = { width: 1600, height: 1000 }
/** What else axe looks at is the same in both looks. */
const byLook = { runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'] }
const looks = [
  { size: narrow, colorScheme: 'light', rules: {} },
  { size: wide, colorScheme: 'dark', rules: byLook },
] as const

export function testLooks(world: World): void {
  test('axe finds nothing to mend on any page, narrow and light, wide and dark', async () => {
    const { stage, problem } = world
    const { SubmissionSnippetList } = await stage.cast.admin.call('get_submission_snippet_list', {
      Offset: 0,
      Limit: 1,
    })
    const id = await makeDataset(stage, 'seen', [{ a: 1, b: { c: 2 } }])
    const groups = [{ Name: 'small', MaximumScore: 100 }]
    const factors = [{ Language: 'python', TimeFactor: 2 }]
    const Judging = { IsScored: true, GroupList: groups, LanguageFactorList: factors, Checker: { Kind: 'tokens' } }
    await stage.cast.admin.call('update_problem_judging', { UUID: problem.UUID, Judging })
    const first = { ProblemUUID: problem.UUID, Offset: 0, Limit: 1 }
    const { TestCaseJudgingList } = await stage.cast.admin.call('get_problem_test_case_judging_list', first)
    const ArgumentList = ['case_sensitive']
    await stage.cast.admin.call('update_test_case_judging', { UUID: TestCaseJudgingList[0].UUID, ArgumentList })
    const own = `/-/judge/problems/${problem.UUID}`
    const open = ['/-/', '/-/sign-in', '/-/sign-up', '/-/docs', '/-/docs/judge', '/-/nothing']
    const signedIn = [
      '/-/',
      '/-/account',
      '/-/account/tokens',
      '/-/account/sessions',
      '/-/judge',
      '/-/judge?by=me',
      '/-/judge/problems/new',
      '/-/judge/problems/import',
      own,
      ...['edit', 'tests', 'judging', 'rejudge'].map((part) => `${own}/${part}`),
      '/-/judge/submissions?by=all&result=2',
      `/-/judge/submissions/${SubmissionSnippetList[0].ID}`,
      '/-/judge/results',
      '/-/admin/accounts',
      '/-/admin/judging',
      '/-/admin/settings',
      '/-/datasets',
      `/-/datasets/${id}`,
      ...['export', 'add', 'fields', 'schema', 'access'].map((tab) => `/-/datasets/${id}?tab=${tab}`),
    ]
    const found: string[] = []
    const look = async ({ page }: Tab, paths: readonly string[]) => {
      for (const path of paths) {
        await show(page, path)
        await page.evaluate(axe.source)
        const passedOver = await page.evaluate(findPassedOver)
        found.push(...passedOver.map((html) => `${path}: the keyboard passes over ${html}`))
        for (const { size, colorScheme, rules } of looks) {
          const how = `${size.width} ${colorScheme} ${path}`
          await page.setViewportSize(size)
          await page.emulateMedia({ colorScheme })
          const { violations } = (await page.evaluate(
            (chosen) => window.axe.run({ resultTypes: ['violations'], ...chosen }),
            rules,
          )) as axe.AxeResults
          found.push(...violations.map(({ id, nodes }) => `${how}: ${id} ${nodes[0]?.html.slice(0, 120)}`))
          const overflow = await page.evaluate(() => window.document.documentElement.scrollWidth - window.innerWidth)
          if (overflow > 0) found.push(`${how}: is ${overflow} px too wide`)
        }
      }
    }
    await look(await stage.open(), open)
    await look(await stage.openAs('ada'), signedIn)
    assert.deepEqual(found, [])
  })
}
