/** Every page of contests as people see it: axe's judgement, three widths, both colours, nothing the keyboard passes over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tab } from '../../support/browser.ts'
import { see, show } from '../hands.ts'
import { findFaults } from '../looks.ts'
import { type ContestWorld, contestId, minute, openAsTeam, own } from './contest-world.ts'
import { largeId } from './large-board.ts'

export function testContestLooks(world: ContestWorld): void {
  test('axe finds nothing to mend on the pages of contests, at 360, 768 and 1280 pixels, in both colours', async () => {
    const { stage, clock } = world
    const { admin } = stage.cast
    // One that is frozen, with everything in it that a page can show.
    const ID = 'frozen'
    const start = clock.now() - 100 * minute
    await admin.call('create_contest', {
      ID,
      Name: 'Winter Finals 2026',
      Style: 'icpc',
      Duration: 300 * minute,
      StartTime: start,
      IsPublic: true,
      StaffList: ['ann'],
    })
    const { Contest } = await admin.call('get_contest', { ID: contestId })
    for (const { DisplayName, ...problem } of Contest.ProblemList)
      await admin.call('put_contest_problem', { ContestID: ID, ...problem })
    await admin.call('put_contest_group', { ContestID: ID, ID: 'north', Name: 'North' })
    const { login } = world.slips.get('Owls')!
    for (const [at, name] of ['Owls', 'Foxes of a university with a name that is very long', 'Bears'].entries())
      await admin.call('put_contest_team', {
        ContestID: ID,
        ID: `t${at + 1}`,
        Name: name,
        AccountNameList: at === 0 ? [login] : [],
        GroupIDList: ['north'],
      })
    const team = await openAsTeam(world, 'Owls')
    const owls = await stage.cast.anonymous.signIn(login, world.slips.get('Owls')!.password)
    const submission = { ContestID: ID, Language: 'python' }
    const right = 'a, b = map(int, input().split())\nprint(a + b)\n'
    const handIn = async (ProblemID: string, Content: string) => {
      const { SubmissionSnippet } = await owls.call('create_contest_submission', { ...submission, ProblemID, Content })
      await owls.call('wait_for_submission', { ID: SubmissionSnippet.ID, WaitMillisecond: 30_000 })
    }
    await handIn('b', 'print(0)')
    await handIn('a', right)
    clock.advance(minute)
    await admin.call('freeze_contest', { ContestID: ID })
    await handIn('b', right)
    await owls.call('create_clarification', { ContestID: ID, ProblemID: 'a', Text: 'How large is a?' })
    await admin.call('create_clarification', { ContestID: ID, Category: 'general', Text: 'Good luck!' })
    const { Rejudging } = await admin.call('create_rejudging', {
      ContestID: ID,
      ProblemID: 'b',
      Reason: 'A test was wrong',
    })

    const found: string[] = []
    const look = async ({ page }: Tab, name: string) => {
      found.push(...(await findFaults(page, name)))
    }
    const frozen = `/-/contests/${ID}`
    const outsider = await stage.open()
    for (const path of ['/-/contests', frozen, `${frozen}/board`, `${frozen}/projector`, `${frozen}/clarifications`]) {
      await show(outsider.page, path)
      await look(outsider, `public ${path}`)
    }
    await show(outsider.page, `/-/contests/${largeId}/board`)
    await see(outsider.page, 'Team 0000')
    await look(outsider, 'public large board')
    await show(outsider.page, '/-/contests/none')
    await look(outsider, 'public none')
    for (const path of [
      frozen,
      `${frozen}/problems/a`,
      `${frozen}/submissions`,
      `${frozen}/clarifications`,
      `${frozen}/board`,
    ]) {
      await show(team.page, path)
      await look(team, `team ${path}`)
    }
    const carrier = await stage.openAs('ann')
    await show(carrier.page, `${frozen}/balloons`)
    await look(carrier, 'staff balloons')
    const jury = await stage.openAs('ada')
    const manage = ['', '/settings', '/problems', '/teams', '/rejudgings', `/rejudgings/${Rejudging.ID}`, '/statistics']
    const paths = [frozen, `${frozen}/submissions`, `${frozen}/clarifications`, `${frozen}/resolver`, '/-/contests/new']
    for (const path of [...paths, ...manage.map((part) => `${frozen}/manage${part}`), `${own}/manage`]) {
      await show(jury.page, path)
      await look(jury, `jury ${path.replace(String(Rejudging.ID), 'one')}`)
    }
    await show(jury.page, `${frozen}/manage/teams`)
    await jury.page.getByLabel('Paste the list').fill('Team,Organisation\nLynxes,East\nLynxes,East\n')
    await jury.page.getByRole('button', { name: 'Preview' }).click()
    await see(jury.page, '1 team and 1 new account')
    await look(jury, 'jury preview')
    await jury.page.getByRole('button', { name: 'Add 1 team' }).click()
    await see(jury.page, '1 team added')
    await look(jury, 'jury slips')
    assert.deepEqual(found, [])
  })
}
