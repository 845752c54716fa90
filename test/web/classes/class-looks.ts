/** Every page of classes and sheets as people see it: axe's judgement, three widths, both colours, nothing the keyboard passes over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tab } from '../../support/browser.ts'
import { see, show } from '../hands.ts'
import { findFaults } from '../looks.ts'
import { type ClassWorld, signInSam } from './class-world.ts'

export function testClassLooks(world: ClassWorld): void {
  test('axe finds nothing to mend on the pages of classes, at 360, 768 and 1280 pixels, in both colours', async () => {
    const { stage, classId, sheetId, problems } = world
    const own = `/-/classes/${classId}`
    const sheet = `/-/sheets/${sheetId}`
    const found: string[] = []
    const look = async ({ page }: Tab, name: string) => {
      found.push(...(await findFaults(page, name)))
    }
    const teacher = await stage.openAs('sam')
    const paths = [
      '/-/classes',
      own,
      `${own}/results`,
      `${own}/members`,
      `${own}/import`,
      `${own}/settings`,
      `${own}/new-sheet`,
      sheet,
      `${sheet}/edit`,
      `${sheet}/extensions`,
      `${sheet}/results`,
      '/-/judge',
      `/-/judge/problems/${problems[0]!.UUID}/tests`,
      '/-/judge/problems/import',
      '/-/classes/none',
      '/-/sheets/999999',
    ]
    for (const path of paths) {
      await show(teacher.page, path)
      await look(teacher, `teacher ${path.replaceAll(classId, 'class').replace(problems[0]!.UUID, 'problem')}`)
    }
    await show(teacher.page, `${own}/import`)
    await teacher.page.getByLabel('Paste the list').fill('Name,Klasse\nNora New,7b\nDavid Kim,7b\n')
    await teacher.page.getByRole('button', { name: 'Preview' }).click()
    await see(teacher.page, '1 account will be created, 1 line skipped')
    await look(teacher, 'teacher preview')
    await teacher.page.getByRole('button', { name: 'Add 1 student' }).click()
    await see(teacher.page, '1 account created')
    await look(teacher, 'teacher slips')
    const [login, password] = await teacher.page.locator('.slip').first().locator('code').allTextContents()
    const student = await stage.open()
    await student.context.request.post(`${stage.url}/`, {
      data: {
        jsonrpc: '2.0',
        id: crypto.randomUUID(),
        method: 'create_session',
        params: { AccountName: login, Password: password },
      },
    })
    const sam = await signInSam(world)
    await sam.call('create_class', { ID: 'inviting', Name: 'A class that invites' })
    await sam.call('put_class_member', { ClassID: 'inviting', AccountName: login!, Role: 'student' })
    await sam.call('create_class', { ID: 'attended', Name: 'A class with news' })
    await stage.cast.admin.call('put_class_member', { ClassID: 'attended', AccountName: login!, Role: 'student' })
    const problem = { UUID: problems[1]!.UUID, Points: 10 }
    const news = { ClassID: 'attended', Title: 'News', OpenTime: 0, IsPublished: true, ProblemList: [problem] }
    const { Sheet } = await sam.call('create_sheet', { ...news, DueTime: world.clock.now() + 3_600_000 })
    await sam.call('put_mark', { SheetID: Sheet.ID, AccountName: login!, UUID: problem.UUID, Points: 12 })
    for (const path of [
      '/-/',
      '/-/classes/inviting',
      '/-/classes',
      own,
      sheet,
      '/-/judge',
      `/-/judge/problems/${problems[1]!.UUID}`,
    ]) {
      await show(student.page, path)
      await look(student, `student ${path.replaceAll(classId, 'class').replace(problems[1]!.UUID, 'problem')}`)
    }
    assert.deepEqual(found, [])
  })
}
