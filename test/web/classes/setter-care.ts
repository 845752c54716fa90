/** What a setter is told and offered: a checker that failed, the older format of packages, and pictures in a new problem. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { claim, makeProblem, makeTest, submit } from '../../support/judge.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import { lookAt } from '../looks.ts'
import { password } from '../stage.ts'
import { type ClassWorld, judgeAll, signInSam } from './class-world.ts'

/** A picture of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')

export function testSetterCare(world: ClassWorld): void {
  test('a checker that failed is told on the problem’s page with the first line of what it said, to its setter alone', async () => {
    const { stage } = world
    const sam = await signInSam(world)
    await judgeAll(world)
    const { UUID } = await makeProblem(sam, { DisplayName: 'Failing checker' })
    const { UUID: TestCaseUUID } = await makeTest(sam, UUID)
    const { ID } = await submit(stage.cast.contestant, UUID)
    const { Lease } = await claim(stage.cast.worker)
    const ran = { CPUTimeInMillisecond: 1, WallTimeInMillisecond: 1, PeakMemoryInByte: 1, ExitCode: 0, Signal: null }
    const TestList = [{ ...ran, TestCaseUUID, Result: 9, Message: '', Stderr: '', JudgeMessage: 'exit 5' }]
    const JudgeMessage = 'the checker ended with exit code 5\nand said <b>more</b>'
    const Report = { Result: 9, CompilerOutput: '', TestList, JudgeMessage }
    await stage.cast.worker.call('report_submission', { ID, Lease, Report })
    const { page } = await stage.openAs('sam')
    await show(page, `/-/judge/problems/${UUID}`)
    const notice = page.getByRole('alert').filter({ hasText: `The checker or interactor failed on submission ${ID}` })
    await notice.getByText('the checker ended with exit code 5').waitFor({ timeout: patience })
    assert.doesNotMatch(await notice.innerText(), /more/)
    await lookAt(page, 'failed checker')
    await takeKeyboard(page).press('link', `submission ${ID}`)
    await page.waitForURL(`**/-/judge/submissions/${ID}`, { timeout: patience })
    const una = { AccountName: 'una', DisplayName: 'Una', Role: 'contestant', Password: password }
    await stage.cast.admin.call('create_account', una)
    const { page: student } = await stage.openAs('una')
    await show(student, `/-/judge/problems/${UUID}`)
    await heading(student, 'Failing checker')
    assert.equal(await student.getByText('The checker or interactor failed').count(), 0)
  })

  test('a problem is downloaded in the older format, after what that can’t hold is said, with the keyboard alone', async () => {
    const sam = await signInSam(world)
    const { UUID } = await makeProblem(sam, { DisplayName: 'To be taken elsewhere' })
    await makeTest(sam, UUID)
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await show(page, `/-/judge/problems/${UUID}/edit`)
    const summary = page.getByText('Download in the older format')
    await summary.focus()
    await page.keyboard.press('Enter')
    await see(page, 'Most judges read the Kattis legacy format.')
    await lookAt(page, 'older format')
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: patience }),
      hands.press('link', 'Download as legacy'),
    ])
    const zip = await readFile(await download.path())
    assert.equal(zip.subarray(0, 2).toString(), 'PK')
    assert.ok(zip.includes('problem_statement/'), 'the folder of the older format')
  })

  test('a picture is added before the first save, its limit said beforehand, and one over it refused with advice', async () => {
    const { page } = await world.stage.openAs('sam')
    const hands = takeKeyboard(page)
    await show(page, '/-/judge/problems/new')
    await see(page, /PNG, JPEG, GIF or WebP, up to \S+ \S+; larger ones once the problem is saved\./)
    const offer = (buffer: Buffer) => hands.offer('Add a picture', { name: 'dot.gif', mimeType: 'image/gif', buffer })
    await offer(Buffer.alloc(60_001))
    await see(page, /at most \S+ \S+: make it smaller, or add it once the problem is saved\./)
    await offer(pixel)
    const statement = page.getByLabel('Statement', { exact: true })
    await page.waitForFunction(
      (field) => (field as unknown as { value: string } | null)?.value.includes('![dot.gif](data:image/gif;base64,'),
      await statement.elementHandle(),
    )
    assert.equal(await page.getByText('make it smaller').count(), 0)
    await hands.write('Name', 'With a picture', { exact: true })
    await hands.press('button', 'Save and continue to tests')
    await heading(page, /With a picture/)
  })
}
