/** Solving problems: from nothing to a verdict, what is remembered, and what is said where something is amiss. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import { makeSum, password, sum } from '../stage.ts'
import type { World } from '../world.ts'

declare const window: Json

export function testSolving(world: World): void {
  test('an empty server has three sample problems at a click, and the first verdict soon after', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ada')
    await page.goto('/-/judge')
    await page.getByRole('button', { name: 'Add three sample problems' }).click({ timeout: patience })
    await page.getByRole('link', { name: 'Longest word' }).click({ timeout: patience })
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(max(input().split(), key=len))')
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'all 4 tests passed')
    const { admin } = stage.cast
    for (const { UUID } of (await admin.call('get_problem_snippet_list', { Offset: 0, Limit: 9 })).ProblemSnippetList)
      await admin.call('delete_problem', { UUID })
    world.problem = await makeSum(stage)
  })

  test('from signing in to the verdict with the keyboard alone', async () => {
    const { page } = await world.stage.open()
    const { keyboard } = page
    const hands = takeKeyboard(page)
    await page.goto(`/-/judge/problems/${world.problem.UUID}`)
    await heading(page, 'Sign in')
    await hands.write('Name', 'ann')
    await keyboard.press('Tab')
    await keyboard.type(password)
    await keyboard.press('Enter')
    await heading(page, 'Sum of two')
    assert.equal(await page.title(), 'Sum of two · Guildhall')
    await hands.writeCode(sum)
    await keyboard.press('Control+Enter')
    await see(page, 'all 2 tests passed')
    await see(page, 'My submissions to this problem')
    // Out of the editor again, where Tab indents.
    await hands.press('button', 'Sign out')
    await heading(page, /Programs, problems and data/)
  })

  test('who is new makes an account, hands in what fails, and reads why', async () => {
    const { page } = await world.stage.open({ width: 375, height: 800 })
    await page.goto('/-/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('newcomer')
    await page.getByLabel('Display name').fill('New Comer')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await heading(page, 'Problems')
    await page.getByRole('link', { name: 'Sum of two' }).click()
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(')
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'The program did not compile')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Submissions', exact: true }).click()
    await heading(page, 'My submissions')
    await page.getByRole('cell', { name: 'Compile error' }).waitFor({ timeout: patience })
    await page.goBack()
    await heading(page, 'Sum of two')
    assert.equal(await page.evaluate(() => window.document.activeElement?.tagName), 'H1', 'focus is at the heading')
    await page.goto('/-/sign-in')
    await heading(page, /^Hello, /)
  })

  test('a program is run on the examples and on one’s own input, opened from a file, and edited from a submission', async () => {
    const { stage, problem } = world
    const { page } = await stage.openAs('ann')
    await show(page, `/-/judge/problems/${problem.UUID}`)
    await page.locator('.cm-content').waitFor({ timeout: patience })
    const file = { name: 'tried.py', mimeType: 'text/plain', buffer: Buffer.from('print(input()[::-1])') }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.locator('.cm-content').getByText('print(input()[::-1])').waitFor({ timeout: patience })
    const counted = async () =>
      (await stage.cast.admin.call('get_submission_snippet_list', { Offset: 0, Limit: 1 })).TotalSubmissionCount
    const before = await counted()
    const card = page.getByRole('region', { name: 'Run' })
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await card.getByText('Wrong answer').first().waitFor({ timeout: patience })
    await card.getByText('2 1', { exact: false }).first().waitFor({ timeout: patience })
    await card.getByLabel('Run with my own input').check()
    await card.getByLabel('Input', { exact: true }).fill('stressed')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await card.getByText('desserts').waitFor({ timeout: patience })
    assert.equal(await counted(), before, 'nothing was handed in')
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'its output is wrong')
    await page.getByRole('link', { name: /^submission \d+$/ }).click()
    await page.getByRole('button', { name: 'Edit and resubmit' }).click({ timeout: patience })
    await heading(page, 'Sum of two')
    await page.locator('.cm-content').getByText('print(input()[::-1])').waitFor({ timeout: patience })
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
  })

  test('a draft is remembered for each problem and each language, by who wrote it', async () => {
    const { stage, problem } = world
    const other = await makeSum(stage, { DisplayName: 'Another sum' })
    // The one executor of the stage has Python alone; the page offers what the server names.
    const { page } = await stage.openAs('ann')
    const offered = async (route: Json) => {
      const answer = await route.fetch()
      const text = await answer.text()
      const second = '{"Value":"second","Name":"Second"},'
      await route.fulfill({
        response: answer,
        body: text.replace('"SupportedLanguageList":[', (head: string) => head + second),
      })
    }
    await page.route((url) => url.pathname === '/', offered)
    const open = async (UUID: string) => {
      await show(page, `/-/judge/problems/${UUID}`)
      await page.locator('.cm-content').waitFor({ timeout: patience })
    }
    const write = async (text: string) => {
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(text)
    }
    const holds = (text: string) => page.locator('.cm-content').getByText(text).waitFor({ timeout: patience })
    const language = page.getByRole('combobox', { name: 'Language' })
    await open(problem.UUID)
    await write('in_python')
    await language.selectOption('Second')
    await write('in_second')
    await open(other.UUID)
    assert.equal(await language.inputValue(), 'second', 'the language of before is offered')
    await write('of_another')
    await open(problem.UUID)
    assert.equal(await language.inputValue(), 'second')
    await holds('in_second')
    await language.selectOption('python')
    await holds('in_python')
    await write('')
    const typed = await typeWithoutPaint(page, 'no character is lost')
    assert.equal(typed.shown, 'no character is lost')
    assert.match(typed.kept, /no character is lost/, 'kept before the next paint')
    await open(other.UUID)
    await holds('of_another')
    await stage.cast.admin.call('delete_problem', { UUID: other.UUID })
  })

  test('going back shows the page as it was left, at the place where it was left', async () => {
    const { page } = await world.stage.openAs('ann', { width: 800, height: 300 })
    await show(page, '/-/docs/judge')
    await page.locator('main h2').last().scrollIntoViewIfNeeded({ timeout: patience })
    const left = await page.evaluate(() => window.scrollY)
    assert.ok(left > 300, `${left}`)
    // A mouse would have to go to the bar, and so to the top.
    await page.evaluate(() => window.document.querySelector('.bar a[href="/-/judge"]').click())
    await heading(page, 'Problems')
    await page.waitForFunction(() => window.scrollY === 0)
    await page.goBack()
    await page.waitForFunction((y: number) => Math.abs(window.scrollY - y) < 2, left, { timeout: patience })
  })

  test('where the live stream breaks or is refused, the page asks from time to time, and the verdict arrives', async () => {
    const { page } = await world.stage.openAs('ann')
    for (const [at, isRefused] of [false, true].entries()) {
      await page.unrouteAll()
      await page.route('**/-/live*', (route) => (isRefused ? route.fulfill({ status: 403 }) : route.abort()))
      await page.goto(`/-/judge/problems/${world.problem.UUID}`)
      await page.locator('.cm-content').click({ timeout: patience })
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(`${sum}# ${at}\n`)
      await page.keyboard.press('Control+Enter')
      await see(page, 'all 2 tests passed')
    }
  })

  test('wrong words are answered in words, and what is gone has a page that says so', async () => {
    const { stage, problem } = world
    const { page } = await stage.open()
    await page.goto('/-/sign-in')
    await page.getByLabel('Name').fill('ann')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.match((await page.getByRole('alert').textContent({ timeout: patience }))!, /password/i)
    await page.goto('/-/nobody')
    await heading(page, 'This page does not exist')
    const ann = await stage.openAs('ann')
    await ann.page.goto(`/-/judge/problems/${crypto.randomUUID()}`)
    await heading(ann.page, 'There is no such problem here')
    await ann.page.goto(`/-/judge/problems/${problem.UUID}/edit`)
    await see(ann.page, 'This page is for problem setters and admins')
    await ann.page.goto('/-/admin')
    await see(ann.page, 'This page is for admins')
    const paths = ['tests', 'judging'].map((part) => `/-/judge/problems/${problem.UUID}/${part}`)
    for (const path of ['/-/judge/results', '/-/judge/problems/new', ...paths]) {
      await show(ann.page, path)
      assert.equal(await ann.page.locator('main form').count(), 0, path)
    }
  })

  test('submissions are narrowed by language, result and person, and the address keeps it', async () => {
    const { page } = await world.stage.openAs('ann')
    const hands = takeKeyboard(page)
    await page.goto('/-/judge/submissions?by=all')
    await hands.choose('Result', 'Compile error')
    await page.waitForURL(/result=2/)
    const person = page.getByRole('row', { name: /New Comer/ }).first()
    await person.waitFor({ timeout: patience })
    await page.getByRole('cell', { name: 'Accepted' }).first().waitFor({ state: 'detached', timeout: patience })
    await hands.write('By a person', 'ann')
    await page.keyboard.press('Enter')
    await see(page, 'No submissions match')
    await page.reload()
    await hands.choose('Result', 'any')
    await page.getByRole('cell', { name: 'Accepted' }).first().waitFor({ timeout: patience })
    await hands.write('By a person', 'nobody-at-all')
    await page.keyboard.press('Enter')
    await see(page, 'There is no account named nobody-at-all')
  })
}

/** Each character in a task of its own, many of them before the browser paints again. Answers what is kept at once, and what stands there some paints later. */
function typeWithoutPaint(page: Page, text: string): Promise<{ readonly shown: string; readonly kept: string }> {
  return page.evaluate(async (text) => {
    const { port1, port2 } = new window.MessageChannel()
    port1.start()
    const nextTask = () =>
      new Promise<void>((resolve) => {
        port1.addEventListener('message', () => resolve(), { once: true })
        port2.postMessage(null)
      })
    for (const letter of text) {
      window.document.execCommand('insertText', false, letter)
      await nextTask()
    }
    const kept = Object.values(window.localStorage).join('\n')
    for (let times = 0; times < 20; times++) await new Promise((resolve) => window.requestAnimationFrame(resolve))
    return {
      shown: window.document.querySelector('.code-shadow').shadowRoot.querySelector('.cm-content').textContent,
      kept,
    }
  }, text)
}
