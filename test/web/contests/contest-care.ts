/** What the jury is asked or told before it does something that can't be taken back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patience, see, show } from '../hands.ts'
import { type ContestWorld, minute } from './contest-world.ts'

export function testContestCare(world: ContestWorld): void {
  test('a contest without problems and teams is started after a question, and one that runs ends after another', async () => {
    const { stage, clock } = world
    const sam = await stage.cast.anonymous.signIn('sam', 'correct horse')
    const draft = { Style: 'icpc', Duration: 60 * minute, FreezeDuration: 20 * minute, IsPublic: true }
    await sam.call('create_contest', { ...draft, ID: 'bare', Name: 'Bare' })
    await sam.call('create_contest', { ...draft, ID: 'short', Name: 'Short', StartTime: clock.now() - 30 * minute })
    const { page } = await stage.openAs('sam')
    const dialog = page.getByRole('dialog')
    await show(page, '/-/contests/bare/manage')
    await page.getByText('There are no teams').waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'Start in one minute' }).click()
    await dialog.getByText('The contest has no problems and teams.').waitFor({ timeout: patience })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await sam.call('get_contest', { ID: 'bare' })).Contest.StartTime, null)
    await show(page, '/-/contests/short/manage/settings')
    await see(page, 'The contest is running: end it first.')
    assert.equal(await page.getByRole('button', { name: 'Delete contest' }).isDisabled(), true)
    await show(page, '/-/contests/short/manage')
    await page.getByRole('button', { name: 'End now' }).click()
    await dialog.getByRole('button', { name: 'End now' }).click()
    await page.locator('.badge', { hasText: 'Ended' }).waitFor({ timeout: patience })
    const { Contest } = await sam.call('get_contest', { ID: 'short' })
    assert.equal(Contest.State, 'thawed', 'it ended before its freeze')
    await show(page, '/-/contests/short/manage/settings')
    assert.equal(await page.getByRole('button', { name: 'Delete contest' }).isEnabled(), true)
  })

  test('a rejudging that changes nothing is not applied', async () => {
    const { stage, clock, slips } = world
    const { admin, anonymous } = stage.cast
    const ContestID = 'calm'
    await admin.call('create_contest', {
      ID: ContestID,
      Name: 'Calm',
      Style: 'icpc',
      Duration: 60 * minute,
      StartTime: clock.now() - minute,
    })
    const { Contest } = await admin.call('get_contest', { ID: 'autumn-open' })
    const { DisplayName: _, ...problem } = Contest.ProblemList[0]
    await admin.call('put_contest_problem', { ContestID, ...problem })
    const { login, password } = slips.get('Owls')!
    await admin.call('put_contest_team', { ContestID, ID: 'owls', Name: 'Owls', AccountNameList: [login] })
    const owls = await anonymous.signIn(login, password)
    const draft = { ContestID, ProblemID: problem.ID, Language: 'python', Content: 'print(0)' }
    const { SubmissionSnippet } = await owls.call('create_contest_submission', draft)
    await owls.call('wait_for_submission', { ID: SubmissionSnippet.ID, WaitMillisecond: 30_000 })
    const { Rejudging } = await admin.call('create_rejudging', { ContestID, ProblemID: problem.ID, Reason: 'Again' })
    const { page } = await stage.openAs('ada')
    await show(page, `/-/contests/${ContestID}/manage/rejudgings/${Rejudging.ID}`)
    await see(page, 'Nothing changes.')
    assert.equal(await page.getByRole('button', { name: 'Apply' }).isDisabled(), true)
  })
}
