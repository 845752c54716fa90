/** Every page of classes and sheets as people see it: axe's judgement, three widths, both colours, nothing the keyboard passes over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import axe from 'axe-core'
import type { Tab } from '../../support/browser.ts'
import type { Json } from '../../support/rpc.ts'
import { see, show } from '../hands.ts'
import { type ClassWorld, signInSam } from './class-world.ts'

declare const window: Json

const byLook = { runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'] }
const looks = [
  { size: { width: 360, height: 740 }, colorScheme: 'light', rules: {} },
  { size: { width: 768, height: 1000 }, colorScheme: 'dark', rules: byLook },
  { size: { width: 1280, height: 900 }, colorScheme: 'dark', rules: byLook },
] as const
/** A folder for pictures of every page, to look at them. */
const pictures = process.env.GUILDHALL_PICTURES

const findPassedOver = (): string[] =>
  [...window.document.querySelectorAll('a[href], button, input, select, textarea, summary, [onclick]')]
    .filter((element: Json) => element.tabIndex < 0 && !element.disabled && element.autocomplete !== 'username')
    .map((element: Json) => element.outerHTML.slice(0, 120))

export function testClassLooks(world: ClassWorld): void {
  test('axe finds nothing to mend on the pages of classes, at 360, 768 and 1280 pixels, in both colours', async () => {
    const { stage, classId, sheetId, problems } = world
    const own = `/-/classes/${classId}`
    const sheet = `/-/sheets/${sheetId}`
    const found: string[] = []
    const look = async ({ page }: Tab, name: string) => {
      await page.evaluate(axe.source)
      found.push(...(await page.evaluate(findPassedOver)).map((html) => `${name}: the keyboard passes over ${html}`))
      for (const { size, colorScheme, rules } of looks) {
        const how = `${name} ${size.width} ${colorScheme}`
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme })
        const { violations } = (await page.evaluate(
          (chosen) => window.axe.run({ resultTypes: ['violations'], ...chosen }),
          rules,
        )) as axe.AxeResults
        found.push(...violations.map(({ id, nodes }) => `${how}: ${id} ${nodes[0]?.html.slice(0, 160)}`))
        const overflow = await page.evaluate(() => window.document.documentElement.scrollWidth - window.innerWidth)
        if (overflow > 0) found.push(`${how}: is ${overflow} px too wide`)
        if (pictures) await page.screenshot({ path: `${pictures}/${how.replace(/\W+/g, '-')}.png`, fullPage: true })
      }
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
