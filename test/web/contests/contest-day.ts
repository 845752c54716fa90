/** The day of a contest: an organiser sets it up with the page alone, teams take part, the public looks on, the jury ends it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { patience, see, show, takeKeyboard } from '../hands.ts'
import { makeSum, sum } from '../stage.ts'
import { type ContestWorld, contestId, minute, openAsTeam, own } from './contest-world.ts'

declare const window: Json

/** For a field that knows no zone: the browser's, which is this machine's. */
function toLocal(ms: number): string {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * minute)
  return date.toISOString().slice(0, 16)
}

const wrong = 'print(0)\n'

const signInOf = ({ login, password }: { login: string; password: string }) => ({
  AccountName: login,
  Password: password,
})

/** By its accessible name. */
const focusIs = (page: Page, name: string) =>
  until(() => page.evaluate((wanted) => window.document.activeElement?.ariaLabel === wanted, name))

/** In the page: whether it can be closed without a question. */
const leaves = () => window.dispatchEvent(new window.Event('beforeunload', { cancelable: true }))

export function testContestDay(world: ContestWorld): void {
  test('an organiser makes a contest, chooses problems and adds teams from a list, with the keyboard alone', async () => {
    const { stage, clock } = world
    await makeSum(stage, { DisplayName: 'Sum of two' })
    await makeSum(stage, { DisplayName: 'Another sum' })
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto('/-/')
    await hands.press('link', 'Contests')
    await see(page, 'There are no contests yet')
    await hands.press('link', 'New contest')
    await hands.write('Name', 'Autumn Open', { exact: true })
    await page.getByLabel('Start', { exact: true }).fill(toLocal(clock.now() - 30 * minute))
    await hands.write('Length (minutes)', '60')
    await hands.write('Freeze the scoreboard for the last (minutes)', '')
    await hands.press('button', 'Create contest')
    await see(page, 'No problems yet')
    assert.equal(new URL(page.url()).pathname, `${own}/manage/problems`)
    for (const [at, name] of ['Sum of two', 'Another sum'].entries()) {
      await hands.press('button', `Add ${name}`)
      await page.getByLabel(`Label of ${name}`).waitFor({ timeout: patience })
      assert.equal(await page.getByLabel(`Label of ${name}`).inputValue(), 'AB'[at])
      await focusIs(page, at === 0 ? 'Add Another sum' : 'Problems found')
    }
    await see(page, 'The newest problems are all chosen.')
    const topOf = async (name: string) => (await page.getByRole('button', { name }).boundingBox())!.y
    assert.equal(await topOf('Remove Sum of two'), await topOf('Move Sum of two down'), 'a problem has one row')
    await hands.press('button', 'Move Another sum up')
    await page.locator('ol li').first().getByText('Another sum').waitFor({ timeout: patience })
    await hands.press('button', 'Move Another sum down')
    await page.locator('ol li').first().getByText('Sum of two').waitFor({ timeout: patience })
    await hands.press('link', 'Teams')
    await hands.write(
      'Paste the list',
      'Team,Organisation,Group\nOwls,North College,North\nFoxes,South College,South\nOwls,,\n',
    )
    await hands.press('button', 'Preview')
    await see(page, '2 teams and 2 new accounts, 1 line skipped. Nothing has been created yet.')
    await see(page, 'This name is in the list twice.')
    await hands.press('button', 'Add 2 teams')
    await see(page, '2 teams added or changed.')
    for (const slip of await page.locator('.slip').all()) {
      const [login, password] = await slip.locator('code').allTextContents()
      world.slips.set((await slip.locator('strong').textContent())!, { login: login!, password: password! })
    }
    assert.deepEqual([...world.slips.keys()], ['Owls', 'Foxes'])
    let question = ''
    page.once('dialog', (dialog) => {
      question = dialog.message()
      void dialog.dismiss()
    })
    await hands.press('link', 'Settings')
    assert.match(question, /not printed/)
    assert.equal(new URL(page.url()).pathname, `${own}/manage/teams`)
    assert.equal(await page.evaluate(leaves), false, 'the browser asks as well')
    await hands.write('Paste the list', 'Bears')
    await hands.press('button', 'Preview')
    await see(page, '1 team and 1 new account')
    assert.equal(await page.locator('.slip').count(), 2, 'another preview leaves them there')
    await hands.write('Address on the slips', 'https://contest.example')
    assert.match((await page.locator('.slip').first().textContent())!, /https:\/\/contest\.example/)
    await page.evaluate(() => {
      window.print = () => {}
    })
    await hands.press('button', 'Print slips')
    assert.equal(await page.evaluate(leaves), true)
    await hands.press('button', 'Dismiss')
    await page.locator('.slip').first().waitFor({ state: 'detached', timeout: patience })
    assert.equal(world.slips.get('Owls')!.login, 'autumn-open-t1')
    const { TeamList } = await stage.cast.admin.call('get_contest_team_list', {
      ContestID: contestId,
      Offset: 0,
      Limit: 10,
    })
    assert.deepEqual(
      TeamList.map(
        (team: { Name: string; OrganisationID: string; GroupIDList: string[]; AccountNameList: string[] }) => [
          team.Name,
          team.OrganisationID,
          team.GroupIDList,
          team.AccountNameList,
        ],
      ),
      [
        ['Owls', 'north-college', ['north'], ['autumn-open-t1']],
        ['Foxes', 'south-college', ['south'], ['autumn-open-t2']],
      ],
    )
  })

  test('a team that lost its slip gets a new password, on a slip of its own', async () => {
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await show(page, `${own}/manage/teams`)
    await hands.press('button', 'New password for autumn-open-t1')
    await hands.answer('Set a new password')
    const slip = page.locator('.slip')
    await slip.getByText('Owls').waitFor({ timeout: patience })
    assert.equal(await slip.count(), 1)
    const [login, password] = await slip.locator('code').allTextContents()
    const before = world.slips.get('Owls')!
    assert.equal(login, before.login)
    assert.notEqual(password, before.password)
    assert.equal(await world.stage.cast.anonymous.code('create_session', signInOf(before)), 17)
    world.slips.set('Owls', { login: login!, password: password! })
    await hands.press('button', 'Edit Owls')
    await hands.write('Label', 'B12')
    await hands.press('button', 'Save team')
    await page.getByRole('heading', { name: 'Edit Owls' }).waitFor({ state: 'detached', timeout: patience })
  })

  test('a team reads a problem, runs its program on the examples, submits it and sees the verdict and the problem as solved', async () => {
    const { page } = await openAsTeam(world, 'Owls')
    const hands = takeKeyboard(page)
    await show(page, '/-/')
    await page.locator('.notice', { hasText: 'Your contest: Autumn Open' }).waitFor({ timeout: patience })
    await show(page, '/-/contests')
    await see(page, 'You take part')
    await hands.press('link', 'Autumn Open')
    await see(page, 'Running')
    await hands.press('link', 'Sum of two')
    await see(page, 'Add two numbers')
    await page.locator('.cm-content').waitFor({ timeout: patience })
    await page.getByLabel('Language').selectOption('python')
    await hands.writeCode(sum)
    await hands.press('button', 'Run', true)
    await page.locator('.run-card').getByText('Accepted').first().waitFor({ timeout: patience })
    await hands.press('button', 'Submit')
    await page.locator('.verdict-head').getByText('Accepted').waitFor({ timeout: patience })
    await page.locator('h2', { hasText: 'Your team’s submissions' }).waitFor({ timeout: patience })
    await show(page, own)
    await page.getByRole('row', { name: /Sum of two.*Solved/ }).waitFor({ timeout: patience })
    await hands.press('link', 'Submissions', true)
    await page
      .getByRole('row', { name: /Accepted/ })
      .last()
      .waitFor({ timeout: patience })
  })

  test('a question reaches the jury, its answer the team, and an announcement everybody', async () => {
    const { stage } = world
    const team = await openAsTeam(world, 'Owls')
    const jury = await stage.openAs('sam')
    const outsider = await stage.open()
    await show(team.page, `${own}/clarifications`)
    await team.page.getByLabel('About').selectOption('A. Sum of two')
    await team.page.getByLabel('Question').fill('May a be zero?')
    await team.page.getByRole('button', { name: 'Send question' }).click()
    await see(team.page, 'Your question was sent')
    await show(jury.page, own)
    await see(jury.page, 'Open question:')
    await jury.page.getByRole('link', { name: 'Answer' }).click()
    await see(jury.page, 'May a be zero?')
    await jury.page.getByLabel(/^Ready-made answer/).selectOption('No.')
    await jury.page.getByRole('button', { name: 'Send answer' }).click()
    await jury.page.getByText('Not answered yet').waitFor({ state: 'detached', timeout: patience })
    await show(team.page, own)
    await see(team.page, 'The jury answers:')
    await team.page.getByRole('link', { name: 'Read', exact: true }).click()
    // The announcement has the answer's words, too: only the list notes that they were read.
    await until(() =>
      team.page.evaluate(() => Object.keys(window.localStorage).some((key) => key.startsWith('clarifications '))),
    )
    await show(team.page, own)
    assert.equal(await team.page.getByText('The jury answers:').count(), 0, 'what was read is not told again')
    await show(outsider.page, `${own}/clarifications`)
    await see(outsider.page, 'There are no clarifications yet')
    await outsider.page.setViewportSize({ width: 360, height: 320 })
    await show(outsider.page, own)
    await outsider.page.evaluate(() => window.scrollTo(0, 10_000))
    await jury.page.getByLabel('Announcement').fill('Lunch is at noon.')
    await jury.page.getByRole('button', { name: 'Send announcement' }).click()
    const words = 'The jury says: Lunch is at noon.'
    const toast = outsider.page.locator('[role=status] > .toast', { hasText: words })
    await toast.waitFor({ timeout: patience })
    const { y, height } = (await toast.boundingBox())!
    assert.ok(y >= 0 && y + height <= 320, `in sight at ${y}, ${height} high`)
    await outsider.page.getByRole('button', { name: 'Dismiss' }).click()
    await toast.waitFor({ state: 'detached', timeout: patience })
    await show(outsider.page, own)
    await outsider.page.getByRole('heading', { name: 'Problems' }).waitFor({ timeout: patience })
    assert.equal(await outsider.page.getByText('Lunch is at noon.').count(), 0, 'what was dismissed is not told again')
  })

  test('the board stays calm at the freeze: the public sees what is pending, a team its own verdict, the jury all', async () => {
    const { stage, clock } = world
    const jury = await stage.openAs('sam')
    await show(jury.page, `${own}/balloons`)
    const row = jury.page.getByRole('listitem').filter({ hasText: 'Owls' })
    await row.filter({ hasText: /Red.*Seat B12.*North/ }).waitFor({ timeout: patience })
    await jury.page.getByRole('button', { name: 'Delivered: A to Owls' }).press('Enter')
    await see(jury.page, 'No balloons to deliver')
    await focusIs(jury.page, 'Balloons')
    clock.advance(minute)
    await show(jury.page, `${own}/manage`)
    await jury.page.getByRole('button', { name: 'Freeze now' }).click()
    await jury.page.getByRole('dialog').getByText('as pending').waitFor({ timeout: patience })
    await jury.page.getByRole('dialog').getByRole('button', { name: 'Freeze now' }).click()
    await see(jury.page, 'Frozen since')
    await jury.page.getByRole('button', { name: 'Unfreeze' }).waitFor({ timeout: patience })
    assert.equal(await jury.page.getByText('Reveal results').count(), 0, 'nothing is revealed while it runs')
    const outsider = await stage.open()
    await show(outsider.page, `${own}/board`)
    const owls = outsider.page.locator('.board tbody tr', { hasText: 'Owls' })
    const foxes = outsider.page.locator('.board tbody tr', { hasText: 'Foxes' })
    await owls.locator('td.first').waitFor({ timeout: patience })
    const team = await openAsTeam(world, 'Foxes')
    for (const [problem, text, verdict] of [
      ['a', wrong, 'Wrong answer'],
      ['a', sum, 'Accepted'],
      ['b', sum, 'Accepted'],
    ] as const) {
      await show(team.page, `${own}/problems/${problem}`)
      await team.page.locator('.cm-content').waitFor({ timeout: patience })
      await team.page.getByLabel('Language').selectOption('python')
      await team.page.locator('.cm-content').fill(text)
      await team.page.getByRole('button', { name: 'Submit', exact: true }).click()
      await team.page.locator('.verdict-head').getByText(verdict).waitFor({ timeout: patience })
    }
    // What happened appears by itself, and as pending.
    await foxes.locator('td.pending').nth(1).waitFor({ timeout: patience })
    await see(outsider.page, 'The scoreboard is frozen')
    await see(outsider.page, '3 so far')
    assert.equal(await foxes.locator('td.solved, td.first, td.wrong').count(), 0)
    assert.match((await foxes.textContent())!, /2 pending/)
    await show(jury.page, `${own}/board?edition=jury`)
    const known = jury.page.locator('.board tbody tr', { hasText: 'Foxes' })
    await known.locator('td.first').waitFor({ timeout: patience })
    assert.match((await known.textContent())!, /2 tries/)
    await outsider.page.getByLabel('Group').selectOption('South')
    await owls.waitFor({ state: 'detached', timeout: patience })
    await outsider.page.getByLabel('Group').selectOption('all')
    await owls.waitFor({ timeout: patience })
    await outsider.page.getByRole('button', { name: 'Follow Foxes' }).first().click()
    await outsider.page.locator('.pinned', { hasText: 'Foxes' }).waitFor({ timeout: patience })
    await outsider.page.getByLabel('Find a team').fill('north')
    await outsider.page.locator('.board tbody:last-child tr', { hasText: 'Foxes' }).waitFor({ state: 'detached' })
    await outsider.page.locator('.board tbody:last-child tr', { hasText: 'Owls' }).waitFor({ timeout: patience })
    await show(outsider.page, `${own}/projector`)
    await see(outsider.page, 'The scoreboard is frozen')
    assert.equal(await outsider.page.locator('.bar').isVisible(), false)
    await outsider.page.keyboard.press('Escape')
    await outsider.page.getByLabel('Find a team').waitFor({ timeout: patience })
    assert.equal(await outsider.page.locator('.bar').isVisible(), true)
  })

  test('the jury finds submissions, ignores one, overrides one, and compares a rejudging before it is applied', async () => {
    const { stage } = world
    const { page } = await stage.openAs('sam')
    await show(page, `${own}/submissions`)
    const result = page.getByRole('combobox', { name: 'Result' }).last()
    await result.selectOption('Wrong answer')
    const row = page.getByRole('row', { name: /Foxes/ })
    await row.waitFor({ timeout: patience })
    assert.equal(await page.locator('tbody tr').count(), 1)
    await row.getByRole('button', { name: /^Ignore/ }).click()
    await row.getByText('Ignored').waitFor({ timeout: patience })
    await row.getByRole('button', { name: /^Count/ }).click()
    await row.getByText('Ignored').waitFor({ state: 'detached', timeout: patience })
    await row.getByRole('button', { name: /^Override/ }).click()
    await page.getByRole('combobox', { name: 'Result' }).last().selectOption('Time limit exceeded')
    await page.getByLabel('Reason').first().fill('It was slow.')
    await page.getByLabel('Your password').fill('correct horse')
    await page.getByRole('button', { name: 'Override result' }).click()
    await see(page, 'No submissions match')
    await result.selectOption('Time limit exceeded')
    await row.getByText('Time limit exceeded').waitFor({ timeout: patience })
    await page.getByLabel('Reason').fill('The limit was wrong.')
    await page.getByRole('button', { name: 'Start rejudging' }).click()
    await see(page, '1 result changes.')
    await page.getByRole('row', { name: /Foxes.*Time limit exceeded.*Wrong answer/ }).waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Applied').waitFor({ timeout: patience })
    await show(page, `${own}/manage/statistics`)
    await page.getByRole('row', { name: /A Sum of two 2 \(100%\)/ }).waitFor({ timeout: patience })
  })

  test('the resolver reveals the frozen part by the keyboard and takes steps back; then results are shown and final', async () => {
    const { stage, clock } = world
    clock.advance(31 * minute)
    const jury = await stage.openAs('sam')
    const { page } = jury
    await show(page, `${own}/manage`)
    await page.getByRole('link', { name: 'Open the resolver' }).click()
    const message = page.locator('.resolver-message')
    await message.getByText('to begin').waitFor({ timeout: patience })
    const read = async (key: string) => {
      await page.keyboard.press(key)
      return (await message.textContent())!
    }
    assert.equal(await read('Space'), 'Foxes: A, Sum of two …')
    assert.match(await read('ArrowRight'), /^Foxes: A solved in minute 31, 2 tries/)
    assert.equal(await read('ArrowRight'), 'Foxes: B, Another sum …')
    assert.match(await read('Space'), /^Foxes: B solved in minute 31, 1 try, first to solve, from rank 2 to 1$/)
    assert.equal(await read('ArrowLeft'), 'Foxes: B, Another sum …')
    assert.match(await read('ArrowRight'), /from rank 2 to 1$/)
    assert.equal(await read('ArrowRight'), 'Owls: rank 2, gold medal')
    assert.equal(await read('ArrowRight'), 'Foxes: rank 1, gold medal')
    assert.equal(await read('ArrowRight'), 'Foxes wins.')
    assert.equal(await read('ArrowRight'), 'Foxes wins.')
    const outsider = await stage.open()
    await show(outsider.page, `${own}/board`)
    await see(outsider.page, 'The scoreboard is frozen')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Reveal results' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reveal results' }).click()
    await see(page, 'Results were revealed')
    await show(outsider.page, `${own}/board`)
    const first = outsider.page.locator('.board tbody tr').first()
    await first.getByText('Foxes').waitFor({ timeout: patience })
    assert.equal(await outsider.page.locator('.board td.first').count(), 2)
    await page.getByRole('button', { name: 'Make results final' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make final' }).click()
    await see(page, 'Final since')
    await show(outsider.page, `${own}/board`)
    const awards = outsider.page.getByRole('region', { name: 'Awards' })
    const [certificate] = await Promise.all([
      outsider.page.waitForEvent('download', { timeout: patience }),
      awards.getByRole('link', { name: 'Foxes' }).first().click({ timeout: patience }),
    ])
    assert.match(certificate.suggestedFilename(), /\.svg$/)
    const team = await openAsTeam(world, 'Owls')
    await show(team.page, `${own}/problems/b`)
    await see(team.page, 'Submissions here are practice')
    await show(team.page, '/-/contests')
    await team.page.getByRole('region', { name: 'Past' }).getByText('Autumn Open').waitFor({ timeout: patience })
  })

  test('afterwards somebody takes part virtually, by their own clock, against the board as it was', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    await show(page, own)
    await page.getByRole('link', { name: 'take part virtually' }).click()
    await page.getByRole('button', { name: 'Start now' }).click()
    await page.locator('.pinned', { hasText: 'ann (virtual)' }).waitFor({ timeout: patience })
    // At its first minute nobody had solved anything.
    assert.equal(await page.locator('.board td:is(.solved, .first)').count(), 0)
    await page.getByRole('link', { name: 'A: Sum of two' }).click()
    await see(page, 'Submissions here are practice')
    await page.locator('.cm-content').waitFor({ timeout: patience })
    await page.getByLabel('Language').selectOption('python')
    await page.locator('.cm-content').fill(sum)
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.locator('.verdict-head').getByText('Accepted').waitFor({ timeout: patience })
    await show(page, `${own}/virtual`)
    await page.locator('.pinned td.solved').waitFor({ timeout: patience })
    assert.match(
      (await page.locator('.board tbody').last().locator('tr').first().textContent())!,
      /^1ann \(virtual\)1 /,
    )
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: 'Start now' }).waitFor({ timeout: patience })
  })
}
