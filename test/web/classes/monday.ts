/** The Monday: forty come in from a list, hand in to a sheet of three problems, and get results, marks and comments. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { heading, patience } from '../hands.ts'
import { type ClassWorld, signInSam } from './class-world.ts'
import { testFeedback } from './monday/feedback.ts'
import { testResults } from './monday/results.ts'
import { testRoster } from './monday/roster.ts'
import { testHandingIn } from './monday/work.ts'
import { type Monday, names, openStudent } from './monday/world.ts'

declare const window: Json

export function testMonday(world: ClassWorld): void {
  const monday: Monday = { world, slips: [], students: [] }
  const { slips } = monday
  testRoster(monday)
  testHandingIn(monday)
  testResults(monday)
  testFeedback(monday)

  test('members stand in the order of the alphabet, teachers first, whatever letter a name begins with', async () => {
    const { stage, classId } = world
    const sam = await signInSam(world)
    const member = { ClassID: classId, AccountName: slips[4]!.login, Role: 'student' }
    await sam.call('put_class_member', { ...member, RosterName: 'Éva Tóth' })
    const { page } = await stage.openAs('sam')
    await page.goto(`/-/classes/${classId}/members`)
    await page.getByRole('row', { name: /Éva Tóth/ }).waitFor({ timeout: patience })
    const shown = await page.locator('tbody tr td:first-child').allTextContents()
    assert.ok(shown.indexOf('Éva Tóth') < shown.indexOf('Student 02'), shown.join(', '))
    await page.getByRole('columnheader', { name: 'Display name' }).waitFor({ timeout: patience })
    await sam.call('put_class_member', { ...member, RosterName: names[4] })
  })

  test('the bar is one row, and nothing in it covers another, whatever the width', async () => {
    const page = await openStudent(monday, 1)
    await page.goto('/-/account')
    await heading(page, 'My account')
    for (const width of [360, 1_000, 1_280, 1_500]) {
      await page.setViewportSize({ width, height: 800 })
      const boxes = await page.evaluate(() =>
        [...window.document.querySelectorAll('header.bar > *')]
          .map((element: Json) => element.getBoundingClientRect())
          .filter((box: Json) => box.width > 0)
          .map(({ left, right, top, bottom }: Json) => ({ left, right, top, bottom })),
      )
      for (const [at, box] of boxes.entries()) {
        if (at === 0) continue
        const before = boxes[at - 1]!
        assert.ok(box.left >= before.right, `${width}: part ${at + 1} of the bar begins after the one before it`)
        assert.ok(box.top < before.bottom && box.bottom > before.top, `${width}: part ${at + 1} is in the same row`)
      }
      const name = page.locator('.who a')
      await name.evaluate((element: Json) => {
        element.textContent = 'Frau Wiedemann'
      })
      if (width >= 1_280)
        assert.ok(await name.evaluate((element: Json) => element.scrollWidth <= element.clientWidth), `${width}: name`)
      const brand = page.locator('.brand')
      assert.ok(await brand.evaluate((element: Json) => element.scrollWidth <= element.clientWidth), `${width}: brand`)
    }
  })
}
