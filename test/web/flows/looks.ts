/** Every page of accounts, judge and data sets as people see and reach it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { show } from '../hands.ts'
import { findFaults } from '../looks.ts'
import { makeDataset } from '../stage.ts'
import type { World } from '../world.ts'

export function testLooks(world: World): void {
  test('axe finds nothing to mend on any page, at three widths, in both colours', async () => {
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
    const tabs = [
      [await stage.open(), open],
      [await stage.openAs('ada'), signedIn],
    ] as const
    for (const [{ page }, paths] of tabs)
      for (const path of paths) {
        await show(page, path)
        found.push(...(await findFaults(page, path)))
      }
    assert.deepEqual(found, [])
  })
}
