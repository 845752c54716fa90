/** The Monday's work: forty hand in, on the page, through the interface and by a push, one late, one with more time. Programs really run. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeWorkingFolder, remoteUrl } from '../../../support/git.ts'
import { submit } from '../../../support/judge.ts'
import { makeRest, makeToken } from '../../../support/rest.ts'
import type { Json } from '../../../support/rpc.ts'
import { until } from '../../../support/until.ts'
import { heading, patience, see, takeKeyboard } from '../../hands.ts'
import { runAll } from '../class-world.ts'
import { double, grouped, pairPrograms } from './problems.ts'
import {
  extended,
  fillTime,
  late,
  type Monday,
  minute,
  missing,
  openResults,
  openStudent,
  place,
  rowOf,
} from './world.ts'

/** Who hands in on the page. */
const onPage = 3

export function testHandingIn(monday: Monday): void {
  const { world, slips, students } = monday
  const handIn = (at: number, problem: number, Content: string) =>
    submit(students[at]!, world.problems[problem]!.UUID, { Content })

  test('a student finds what is due, hands in, and sees what counted', async () => {
    const page = await openStudent(monday, 0)
    await page.goto('/-/')
    const due = page.locator('.home-part small', { hasText: 'due' })
    await due.waitFor({ timeout: patience })
    assert.ok(await due.evaluate((element: Json) => element.scrollWidth <= element.clientWidth), 'all of it is shown')
    await page.goto('/-/classes')
    await see(page, 'Your sheets')
    await see(page, /left$/)
    await page.getByRole('link', { name: 'Sheet 1 <b>' }).click()
    await heading(page, 'Sheet 1 <b>')
    await see(page, '0 of 40 points.')
    const points = page.getByRole('cell', { name: '– of 20', exact: true })
    const box = (await points.boundingBox())!
    assert.ok(box.x + box.width <= 360, 'the points are on the screen of a phone')
    assert.ok(await page.locator('.card.flush.scroll').evaluate((card: Json) => card.scrollWidth <= card.clientWidth))
    await page.getByRole('link', { name: 'Imported' }).click()
    await heading(page, 'Imported')
    await see(page, /10 points · due/)
    await page.locator('.cm-content').click()
    await page.keyboard.insertText(double)
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'In the queue')
    await runAll(world)
    await see(page, /Accepted|tests? passed/)
    await page.goto(`/-/sheets/${world.sheetId}`)
    await see(page, '10 of 40 points.')
    await page.goto('/-/judge/problems/00000000-0000-4000-8000-000000000000')
    await heading(page, 'There is no such problem here')
  })

  test('forty hand in, some on the page; the teacher sees that they are judged, and then the points, by themselves', async () => {
    for (let at = 1; at < onPage; at++) {
      const page = await openStudent(monday, at)
      await page.goto(`/-/judge/problems/${world.problems[1]!.UUID}`)
      await page.locator('.cm-content').click()
      await page.keyboard.insertText(double)
      await page.getByRole('button', { name: 'Submit' }).click()
      await see(page, 'In the queue')
    }
    for (let at = onPage; at < missing; at++) await handIn(at, 1, double)
    await handIn(place.wrong, 0, grouped.wrong)
    await handIn(place.small, 0, grouped.small)
    await handIn(place.right, 0, grouped.right)
    await handIn(place.scored, 2, pairPrograms.byIndex)
    await handIn(place.original, 2, pairPrograms.original)
    await handIn(place.copied, 2, pairPrograms.copied)
    const results = await openResults(monday)
    await see(results, /submissions are being judged and count 0 points/)
    await runAll(world)
    for (const [at, points] of [
      [place.small, 5],
      [place.right, 10],
      [place.scored, 20],
    ] as const)
      await rowOf(results, slips[at]!.login)
        .getByRole('link', { name: new RegExp(`^${points} points`) })
        .first()
        .waitFor({ timeout: patience })
  })

  test('a push hands in, and its commit has the verdict', async () => {
    const { stage, problems } = world
    const { login } = slips[place.pushing]!
    const token = await makeToken(stage, login, { kind: 'classic', scopes: ['repo', 'judge'] })
    const rest = makeRest(stage.url, token)
    await rest.post('/user/repos', { name: 'exercises', private: true })
    const repository = `${login}/exercises`
    const link = { Repository: repository, UUID: problems[2]!.UUID, Path: 'pairs.py' }
    await students[place.pushing]!.as(token).call('put_problem_link', link)
    const work = await makeWorkingFolder()
    await writeFile(join(work.path, 'pairs.py'), pairPrograms.byCombinations)
    await work.must('add', '.')
    await work.must('commit', '--quiet', '-m', 'Count the pairs')
    await work.must('push', '--quiet', remoteUrl(stage.url, repository, login, token), 'HEAD:main')
    const states = async (): Promise<string[]> =>
      (await rest.get(`/repos/${repository}/commits/main/statuses`)).body.map(({ state }: Json) => state)
    await until(async () => (await states()).join() === 'pending')
    await runAll(world)
    await until(async () => (await states()).join() === 'success,pending')
    await work.drop()
    const page = await openStudent(monday, place.pushing)
    await page.goto(`/-/sheets/${world.sheetId}`)
    await see(page, '30 of 40 points.')
  })

  test('who is late has half of the points, and who has more time all of them', async () => {
    const { stage, clock, classId } = world
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await page.goto(`/-/classes/${classId}`)
    await hands.press('link', 'Results of Sheet 1')
    await hands.press('link', 'Extensions')
    await hands.choose('Student', 'Student 35')
    await fillTime(page, 'Due', clock.now() + 200 * minute)
    await hands.write('Note', 'was ill')
    await hands.press('button', 'Extend', true)
    await see(page, 'was ill')
    clock.advance(61 * minute)
    for (const at of [extended, late]) await handIn(at, 1, double)
    await runAll(world)
    await hands.press('link', 'Results')
    for (const [at, points] of [
      [extended, 10],
      [late, 5],
    ] as const)
      await rowOf(page, slips[at]!.login)
        .getByRole('link', { name: new RegExp(`^${points} points`) })
        .waitFor({ timeout: patience })
  })
}
