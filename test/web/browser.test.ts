/** The page in a real browser, on a real server with a real executor: what people do with it, with mouse and keyboard. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { lacksBrowser, type Tab } from '../support/browser.ts'
import { submit } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'
import { until } from '../support/until.ts'
import { makeZip } from '../support/zip.ts'
import { makeSum, openStage, password, type Stage, sum } from './stage.ts'

/** What is evaluated in the page sees its world, not ours. */
declare const window: Json

const smallestPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** In the page: what can be used by a mouse and is left out of the order of the keyboard. Password managers read the one exception. */
const findPassedOver = (): string[] =>
  [...window.document.querySelectorAll('a[href], button, input, select, textarea, summary, [onclick]')]
    .filter((element: Json) => element.tabIndex < 0 && !element.disabled && element.autocomplete !== 'username')
    .map((element: Json) => element.outerHTML.slice(0, 120))

/** A machine under load is slow, and nothing here is about time. */
const patience = 60_000

describe('the page in a browser', { skip: lacksBrowser }, () => {
  let stage: Stage
  let problem: Json
  before(async () => {
    stage = await openStage()
  })
  after(() => stage?.close())

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name }).waitFor({ timeout: patience })
  const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor({ timeout: patience })

  /** By the keyboard: what it can't reach or does not answer to it fails. */
  const press = (page: Page, role: 'button' | 'link', name: string | RegExp, exact = false) =>
    page
      .getByRole(role, { name, exact, ...(role === 'button' && { disabled: false }) })
      .first()
      .press('Enter', { timeout: patience })

  /** Goes there, and waits until what it shows is read. */
  const show = async (page: Page, path: string) => {
    await page.goto(path)
    await page.locator('main h1').first().waitFor({ timeout: patience })
    await page.locator('.loading').first().waitFor({ state: 'detached', timeout: patience })
  }

  test('an empty server has three sample problems at a click, and the first verdict soon after', async () => {
    const { page } = await stage.openAs('ada')
    await page.goto('/-/judge')
    await page.getByRole('button', { name: 'Add three sample problems' }).click({ timeout: patience })
    await page.getByRole('link', { name: 'Longest word' }).click({ timeout: patience })
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(max(input().split(), key=len))')
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'all 4 tests passed')
    const { cast } = stage
    for (const { UUID } of (await cast.admin.call('get_problem_snippet_list', { Offset: 0, Limit: 9 }))
      .ProblemSnippetList)
      await cast.admin.call('delete_problem', { UUID })
    problem = await makeSum(stage)
  })

  test('from signing in to the verdict with the keyboard alone', async () => {
    const { page } = await stage.open()
    const { keyboard } = page
    await page.goto(`/-/judge/problems/${problem.UUID}`)
    await heading(page, 'Sign in')
    const press = async (isThere: () => Promise<boolean>) => {
      for (let times = 0; times < 60 && !(await isThere()); times++) await keyboard.press('Tab')
      assert.ok(await isThere(), 'the keyboard reaches it')
    }
    const isFocused = (name: string) => async () =>
      page.evaluate((label) => {
        const { activeElement: here } = window.document
        const inside = here?.shadowRoot?.activeElement ?? here
        if (inside === window.document.body) return false
        const words = inside?.labels?.[0]?.textContent ?? ''
        return `${words} ${inside?.textContent} ${inside?.getAttribute('aria-label')}`.includes(label)
      }, name)
    await press(isFocused('Name'))
    await keyboard.type('ann')
    await press(isFocused('Password'))
    await keyboard.type(password)
    await keyboard.press('Enter')
    await heading(page, 'Sum of two')
    assert.equal(await page.title(), 'Sum of two · Guildhall')
    await page.locator('.cm-content').waitFor({ timeout: patience })
    await press(isFocused('Your program'))
    await keyboard.insertText(sum)
    await keyboard.press('Control+Enter')
    await see(page, 'all 2 tests passed')
    await see(page, 'My tries')
    // Out of the editor again, where Tab indents.
    await keyboard.press('Escape')
    await press(isFocused('Sign out'))
    await keyboard.press('Enter')
    await heading(page, /Solve, teach/)
  })

  test('who is new makes an account, hands in what fails, and reads why', async () => {
    const { page } = await stage.open({ width: 375, height: 800 })
    await page.goto('/-/sign-up')
    await page.getByLabel('Name').fill('newcomer')
    await page.getByLabel('Shown as').fill('New Comer')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Make the account' }).click()
    await heading(page, 'Problems')
    await page.getByRole('link', { name: 'Sum of two' }).click()
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(')
    await page.getByRole('button', { name: 'Submit' }).click()
    await see(page, 'The compiler did not take the program')
    await page.reload()
    await page.locator('.cm-content').getByText('print(').waitFor({ timeout: patience })
    await page.getByRole('link', { name: 'Submissions' }).click()
    await heading(page, 'My submissions')
    await page.getByRole('cell', { name: 'Compile error' }).waitFor({ timeout: patience })
    await page.goBack()
    await heading(page, 'Sum of two')
    assert.equal(await page.evaluate(() => window.document.activeElement?.tagName), 'H1', 'focus is at the heading')
    await page.goto('/-/sign-in')
    await heading(page, 'Problems')
  })

  test('where the live stream breaks or is refused, the page asks from time to time, and the verdict arrives', async () => {
    const { page } = await stage.openAs('ann')
    for (const [at, isRefused] of [false, true].entries()) {
      await page.unrouteAll()
      await page.route('**/-/live*', (route) => (isRefused ? route.fulfill({ status: 403 }) : route.abort()))
      await page.goto(`/-/judge/problems/${problem.UUID}`)
      await page.locator('.cm-content').click({ timeout: patience })
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(`${sum}# ${at}\n`)
      await page.keyboard.press('Control+Enter')
      await see(page, 'all 2 tests passed')
    }
  })

  test('wrong words are answered in words, and what is gone has a page that says so', async () => {
    const { page } = await stage.open()
    await page.goto('/-/sign-in')
    await page.getByLabel('Name').fill('ann')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.match((await page.getByRole('alert').textContent({ timeout: patience }))!, /password/i)
    await page.goto('/-/nobody')
    await heading(page, 'There is no page here')
    const ann = await stage.openAs('ann')
    await ann.page.goto(`/-/judge/problems/${crypto.randomUUID()}`)
    await see(ann.page, /There is no problem/)
    await ann.page.goto(`/-/judge/problems/${problem.UUID}/edit`)
    await see(ann.page, 'This page is for problem setters and admins')
    await ann.page.goto('/-/admin')
    await see(ann.page, 'This page is for admins')
    for (const path of ['/-/judge/results', '/-/judge/problems/new', `/-/judge/problems/${problem.UUID}/tests`]) {
      await show(ann.page, path)
      assert.equal(await ann.page.locator('main form').count(), 0, path)
    }
  })

  test('a setter writes a problem with a preview, adds tests, and judges again', async () => {
    const { page } = await stage.openAs('sam')
    await page.goto('/-/judge/problems/new')
    await page.getByLabel('Name').fill('Double')
    await page.getByLabel('Statement').fill('Print $2x$.')
    await page.locator('.preview math').waitFor({ timeout: patience })
    await page.getByLabel('Statement').fill('Print $2x$.\n\n```python\nprint(2)  # two\n```')
    await page.locator('.preview .tok-comment').waitFor({ timeout: patience })
    await page.getByLabel('Input 1').fill('1')
    await page.getByLabel('Output 1').fill('2')
    await press(page, 'button', 'Save and go on to tests')
    await heading(page, 'Tests of Double')
    await see(page, 'This problem is held back')
    const listed = async () =>
      (await stage.cast.contestant.call('get_problem_snippet_list', { Offset: 0, Limit: 9 })).ProblemSnippetList
    assert.ok(
      (await listed()).every(({ DisplayName }: Json) => DisplayName !== 'Double'),
      'nobody sees it yet',
    )
    await press(page, 'button', 'Add the example as an open test')
    await see(page, '1 to 1 of 1 tests')
    await page.getByLabel('Input').fill('4')
    await page.getByLabel('Output').fill('8')
    await press(page, 'button', 'Add', true)
    await see(page, '1 to 2 of 2 tests')
    const buffer = makeZip([
      { path: '1.in', data: '2' },
      { path: '1.out', data: '4' },
      { path: '2.in', data: '3' },
      { path: '2.out', data: '6' },
      { path: 'notes/readme.md', data: 'x' },
    ])
    await page.getByLabel('Zip file').setInputFiles({ name: 'tests.zip', mimeType: 'application/zip', buffer })
    await see(page, '2 tests were added')
    await see(page, 'notes/readme.md')
    const odd = makeZip([{ path: 'lonely.in', data: '2' }])
    await page.getByLabel('Zip file').setInputFiles({ name: 'odd.zip', mimeType: 'application/zip', buffer: odd })
    await see(page, /lonely/)
    await press(page, 'link', 'Try a solution')
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(2 * int(input()))')
    await press(page, 'button', 'Submit')
    await see(page, 'all 4 tests passed')
    await press(page, 'link', 'Problems')
    await see(page, 'You hold 1 back')
    await page.goBack()
    await press(page, 'button', 'Release it to all')
    await until(async () => (await listed()).some(({ DisplayName }: Json) => DisplayName === 'Double'))
    await press(page, 'link', 'Edit')
    await page
      .getByLabel('Add a picture')
      .setInputFiles({ name: 'two.png', mimeType: 'image/png', buffer: smallestPicture })
    await page.locator('.preview img[src$="two.png"]').waitFor({ state: 'attached', timeout: patience })
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'link', 'As a package')])
    assert.match(download.suggestedFilename(), /\.zip$/)
    await press(page, 'button', 'Save')
    await page.locator('.prose img[src$="two.png"]').waitFor({ state: 'attached', timeout: patience })
    await press(page, 'link', 'Judge again')
    await press(page, 'button', 'Judge all again')
    await page.getByRole('dialog').getByRole('button', { name: 'Judge again' }).click()
    await see(page, /All 1 are judged; every result is as it was/)
  })

  test('where a problem gives points, its page, its tests and the first wrong answer say what for', async () => {
    const { admin } = stage.cast
    const scored = await makeSum(stage, { DisplayName: 'Sum for points' })
    const Judging = { IsScored: true, GroupList: [{ Name: 'small', MaximumScore: 100 }] }
    await admin.call('update_problem_judging', { UUID: scored.UUID, Judging })
    const params = { ProblemUUID: scored.UUID, Offset: 0, Limit: 9 }
    const { TestCaseJudgingList } = await admin.call('get_problem_test_case_judging_list', params)
    await admin.call('update_test_case_judging', { UUID: TestCaseJudgingList[1].UUID, Group: 'small', Points: 100 })
    const { page } = await stage.openAs('ada')
    await show(page, `/-/judge/problems/${scored.UUID}`)
    await see(page, /· 100 points · by/)
    await show(page, `/-/judge/problems/${scored.UUID}/tests`)
    await see(page, '100 points. Open tests are run first')
    await page.getByRole('row', { name: /small 100/ }).waitFor({ timeout: patience })
    const { ID } = await submit(admin, problem.UUID, { Content: 'print(4)' })
    await page.goto(`/-/judge/submissions/${ID}`)
    await page.locator('details[open]').getByText('4', { exact: true }).waitFor({ timeout: patience })
    await admin.call('delete_problem', { UUID: scored.UUID })
  })

  test('a package becomes a problem, with what was read of it and what was not', async () => {
    const { page } = await stage.openAs('sam')
    await page.goto('/-/judge')
    await press(page, 'link', 'Import a package')
    const choose = (buffer: Buffer) =>
      page.getByLabel('Zip file').setInputFiles({ name: 'package.zip', mimeType: 'application/zip', buffer })
    await choose(makeZip([{ path: 'readme.txt', data: 'x' }]))
    await see(page, /neither problem.yaml/)
    await choose(
      makeZip([
        { path: 'twice/problem.yaml', data: 'name: Twice\n' },
        { path: 'twice/problem_statement/problem.tex', data: 'Double it. \\strangemacro{x}\n' },
        { path: 'twice/data/sample/1.in', data: '2\n' },
        { path: 'twice/data/sample/1.ans', data: '4\n' },
      ]),
    )
    await page.getByRole('heading', { name: 'Twice' }).waitFor({ timeout: patience })
    await see(page, 'What was not')
    await see(page, /strangemacro/)
    await press(page, 'link', 'See it and try a solution')
    await page.locator('.cm-content').click({ timeout: patience })
    await page.keyboard.insertText('print(2 * int(input()))')
    await page.keyboard.press('Control+Enter')
    await see(page, 'its one test passed')
  })

  test('a class comes from a list, its results are a grid, and the grid becomes a sheet', async () => {
    const { page } = await stage.openAs('ada')
    await page.goto('/-/admin/accounts')
    await page.getByLabel('One a line').fill('kim, Kim Moe\nlee, "Lee, Jr."\nann, Ann Again')
    await press(page, 'button', 'Make the accounts')
    await see(page, 'Lee, Jr.')
    await see(page, /taken|exists|already/i)
    assert.match(await page.getByLabel('One a line').inputValue(), /^ann,Ann Again$/, 'what was refused is kept')
    await page.getByLabel('One a line').fill('moe, Moe')
    await press(page, 'button', 'Make the accounts')
    await page
      .locator('section[aria-labelledby=sheet]')
      .getByText('moe', { exact: true })
      .waitFor({ timeout: patience })
    await page.waitForFunction(() => window.document.activeElement?.id === 'sheet')
    const drawn = await page.locator('section[aria-labelledby=sheet] code').first().textContent({ timeout: patience })
    const kim = await stage.cast.anonymous.signIn('kim', drawn!)
    await submit(kim, problem.UUID, { Content: sum })
    await page.goto('/-/judge/results')
    await page
      .getByRole('row', { name: /Kim Moe/ })
      .getByText('Solved')
      .waitFor({ timeout: patience })
    await page.getByLabel('Name of the data set').fill('class-a')
    await press(page, 'button', 'Make the sheet')
    await press(page, 'link', 'class-a')
    await page.getByRole('cell', { name: 'Kim Moe' }).first().waitFor({ timeout: patience })
    await page.getByRole('cell', { name: 'Lee, Jr.' }).first().waitFor({ timeout: patience })
    await page.goto('/-/admin/accounts')
    await press(page, 'button', 'Retire lee')
    await page.getByRole('dialog').getByRole('button', { name: 'Retire lee' }).click()
    await page
      .getByRole('row', { name: /Lee, Jr/ })
      .getByText('Retired')
      .waitFor({ timeout: patience })
    await press(page, 'link', 'Queue and executors')
    await page.getByRole('row', { name: /stage/ }).getByText('Connected').waitFor({ timeout: patience })
    await page.goto('/-/admin/settings')
    await page.getByLabel('Handing in').check()
    await until(
      async () => (await stage.cast.admin.call('get_server_info')).Setting.Submission.DisableSubmissionCreation,
    )
    await page.goto(`/-/judge/problems/${problem.UUID}`)
    await see(page, 'Handing in is switched off')
    await page.goto('/-/admin/settings')
    await page.getByLabel('Handing in').uncheck()
    await until(
      async () => !(await stage.cast.admin.call('get_server_info')).Setting.Submission.DisableSubmissionCreation,
    )
  })

  test('tokens are made, shown once and revoked, and sessions elsewhere ended, with the keyboard alone', async () => {
    const { page } = await stage.openAs('ann')
    const { keyboard } = page
    const elsewhere = await stage.cast.anonymous.signIn('ann', password)
    const reach = async (name: string | RegExp, role: 'button' | 'link' | 'textbox' = 'button') => {
      const target = page.getByRole(role, { name }).first()
      await target.waitFor({ timeout: patience })
      const isThere = () => target.evaluate((element: Json) => element === window.document.activeElement)
      for (let times = 0; times < 60 && !(await isThere()); times++) await keyboard.press('Tab')
      assert.ok(await isThere(), `the keyboard reaches ${name}`)
    }
    await page.goto('/-/account')
    await reach('Tokens', 'link')
    await keyboard.press('Enter')
    await see(page, 'You have no tokens')
    await reach('What for', 'textbox')
    await keyboard.type('my robot')
    await keyboard.press('Enter')
    const text = (await page.locator('.secret').textContent({ timeout: patience }))!
    await page.waitForFunction(() => window.document.activeElement?.textContent.includes('it is shown this once'))
    const robot = stage.cast.anonymous.as(text)
    assert.equal((await robot.call('get_session')).Account.AccountName, 'ann')
    await page.reload()
    await see(page, 'my robot')
    assert.equal(await page.locator('.secret').count(), 0, 'it is shown once')
    await reach('Revoke my robot')
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ timeout: patience })
    await reach('Revoke the token')
    await keyboard.press('Enter')
    await see(page, 'You have no tokens')
    assert.equal(await robot.code('get_session'), 17)
    await reach('Sessions', 'link')
    await keyboard.press('Enter')
    await see(page, 'This one')
    while ((await elsewhere.code('get_session')) === 0) {
      await reach(/End session/)
      await keyboard.press('Enter')
      await page.waitForTimeout(200)
    }
    assert.equal(await elsewhere.code('get_session'), 17)
  })

  test('submissions are narrowed by language, result and person, and the address keeps it', async () => {
    const { page } = await stage.openAs('ann')
    await page.goto('/-/judge/submissions?by=all')
    await page.getByLabel('Result').selectOption('Compile error', { timeout: patience })
    await page.waitForURL(/result=2/)
    await page
      .getByRole('row', { name: /New Comer/ })
      .first()
      .waitFor({ timeout: patience })
    await page.getByRole('cell', { name: 'Accepted' }).first().waitFor({ state: 'detached', timeout: patience })
    await page.getByLabel('Of a person, by name').fill('kim')
    await page.keyboard.press('Enter')
    await see(page, 'None fits')
    await page.reload()
    await page.getByLabel('Result').selectOption('any', { timeout: patience })
    await page.getByRole('row', { name: /Kim Moe/ }).waitFor({ timeout: patience })
    await page.getByLabel('Of a person, by name').fill('nobody-at-all')
    await page.keyboard.press('Enter')
    await see(page, 'There is nobody named nobody-at-all')
  })

  test('a data set is filled by files, browsed, taken out and shared', async () => {
    const { page } = await stage.openAs('ann')
    await page.goto('/-/datasets')
    await page.getByLabel('Name').fill('books')
    await press(page, 'button', 'Make it')
    await heading(page, 'books')
    await press(page, 'link', 'Add', true)
    const choose = (name: string, text: string) =>
      page.getByLabel(/Drop a JSON/).setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await choose('books.csv', 'title,year,note\nEmma,1815,"a, ""b"""\nDracula,1897,\n')
    await see(page, 'books.csv is stored')
    await choose('more.jsonl', '{"title":"Ulysses","tags":["long",{"deep":1}]}\n{"title":\n')
    await see(page, 'Line 2: This line is not JSON. Nothing was stored.')
    await choose('more.jsonl', '{"title":"Ulysses","tags":["long",{"deep":1}]}\n')
    await see(page, 'There are 3 items now')
    await press(page, 'link', 'Items')
    await page.getByRole('cell', { name: 'a, "b"' }).waitFor({ timeout: patience })
    await page.getByText('[2]').click()
    await see(page, '"deep": 1')
    await press(page, 'link', 'Take out')
    await page.getByLabel('Only these fields').fill('year,title')
    const address = (await page.locator('.address').textContent())!
    const csv = await page.context().request.get(address)
    assert.equal((await csv.text()).trim().split('\r\n')[1], '1815,Emma')
    const xlsx = await Promise.all([page.waitForEvent('download'), press(page, 'link', 'xlsx')])
    assert.match(xlsx[0].suggestedFilename(), /\.xlsx$/)
    await press(page, 'link', 'Schema')
    await press(page, 'button', 'Begin from the items')
    await page.locator('.cm-content').getByText('"properties"').waitFor({ timeout: patience })
    await press(page, 'button', 'Save')
    await see(page, 'It holds for what is pushed from now on')
    await press(page, 'link', 'Add', true)
    await choose('odd.jsonl', '{"year":"long ago"}\n')
    await see(page, /do not fit the schema/)
    await press(page, 'link', 'Sharing')
    await press(page, 'button', 'Make a link')
    const link = (await page.locator('.address').textContent({ timeout: patience }))!
    const shared = await fetch(link)
    assert.equal(((await shared.json()) as Json).length, 3, 'anyone reads it by the link')
  })

  test('the documents are found by words and by the addresses that errors name', async () => {
    const { page } = await stage.open()
    await page.goto('/-/docs')
    await page.getByLabel('Search the documents').fill('rejudge')
    await page.getByRole('link', { name: 'rejudge_problem' }).click({ timeout: patience })
    await page.getByRole('heading', { level: 1, name: /judge/ }).waitFor({ timeout: patience })
    await page.getByRole('button', { name: 'Try it get_server_info' }).click({ timeout: patience })
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await see(page, /"SupportedLanguageList"/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached', timeout: patience })
    const { page: signedIn } = await stage.openAs('ann')
    await signedIn.goto('/-/docs/hosting')
    await signedIn
      .getByRole('button', { name: 'Try it GET /users/{username}', exact: true })
      .click({ timeout: patience })
    await signedIn.getByRole('dialog').getByLabel('username').fill('ann')
    await signedIn.keyboard.press('Enter')
    await see(signedIn, /"login": "ann"/)
    await page.goto('/-/docs/hosting#about-primary-rate-limits')
    await page.locator('#about-primary-rate-limits').waitFor({ timeout: patience })
    await page.waitForFunction(() => window.scrollY > 100)
  })

  test('nothing that people write runs as a script, wherever it is shown', async () => {
    const evil = [
      '<img src=x onerror=window.pwned=1>',
      '<script>window.pwned=1</script>',
      '[a](javascript:window.pwned=1)',
      '![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IndpbmRvdy5wd25lZD0xIi8+)',
      '![a](https://elsewhere.example/a.png)',
      '$\\href{javascript:window.pwned=1}{x}$ $\\text{<img src=x onerror=window.pwned=1>}$',
      '```"><img src=x onerror=window.pwned=1>\nx\n```',
      '<svg onload=window.pwned=1>',
      '"onmouseover="window.pwned=1',
    ].join('\n\n')
    const { admin } = stage.cast
    const odd = await makeSum(stage, {
      DisplayName: '<img src=x onerror=window.pwned=1>',
      Description: evil,
      ExampleList: [{ Input: evil, Output: evil }],
    })
    const { ID } = await submit(admin, odd.UUID, { Content: evil })
    const own = { authorization: `Bearer ${stage.cast.admin.token}`, 'content-type': 'application/json' }
    const made = await fetch(`${stage.url}/v2/datasets?name=odd`, { method: 'POST', headers: own })
    const { data } = (await made.json()) as Json
    const items = [{ [evil]: evil, '<img src=x onerror=window.pwned=1>': { '<b>': evil } }]
    await fetch(`${stage.url}/v2/datasets/${data.id}/items`, {
      method: 'POST',
      headers: own,
      body: JSON.stringify(items),
    })
    await fetch(`${stage.url}/v2/datasets/${data.id}`, {
      method: 'PUT',
      headers: own,
      body: JSON.stringify({ generalAccess: 'ANYONE_WITH_ID_CAN_READ', title: evil }),
    })
    const short = evil.slice(0, 60)
    const ada = await stage.cast.anonymous.signIn('ada', password)
    await ada.call('create_token', { Kind: 'classic', Note: short })
    await ada.call('update_problem_judging', { UUID: odd.UUID, Judging: { IsHeld: false } })
    await stage.cast.worker.call('register_executor', {
      Name: short,
      LanguageList: [{ Value: 'x', Name: short }],
      ParallelRunCount: 1,
    })
    await admin.call('create_account', {
      AccountName: 'odd',
      DisplayName: short,
      Role: 'contestant',
      Password: password,
    })
    const { page } = await stage.openAs('ada')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const paths = [
      '/-/judge',
      `/-/judge/problems/${odd.UUID}`,
      `/-/judge/problems/${odd.UUID}/edit`,
      `/-/judge/problems/${odd.UUID}/tests`,
      `/-/judge/submissions/${ID}`,
      '/-/judge/submissions?by=all',
      '/-/judge/results',
      '/-/judge?by=me',
      '/-/account/tokens',
      '/-/admin/accounts',
      '/-/admin/judging',
      `/-/datasets/${data.id}`,
      `/-/datasets/${data.id}?tab=fields`,
      '/-/sign-in?to=javascript:window.pwned=1',
      '/-/docs?q=<img src=x onerror=window.pwned=1>',
    ]
    for (const path of paths) {
      await show(page, path)
      assert.equal(await page.evaluate(() => window.pwned), undefined, path)
      const bad = await page.evaluate(
        () => window.document.querySelectorAll('main a[href^="javascript"], main img[src^="http"], main script').length,
      )
      assert.equal(bad, 0, path)
    }
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(stage.url) && !url.startsWith('data:')),
      [],
    )
  })

  test('axe finds nothing to mend on any page, narrow and dark, wide and light', async () => {
    const list = (await stage.cast.admin.call('get_submission_snippet_list', { Offset: 0, Limit: 1 }))
      .SubmissionSnippetList
    const own = { authorization: `Bearer ${stage.cast.admin.token}` }
    const made = await fetch(`${stage.url}/v2/datasets?name=seen`, { method: 'POST', headers: own })
    const { data } = (await made.json()) as Json
    await fetch(`${stage.url}/v2/datasets/${data.id}/items`, {
      method: 'POST',
      headers: own,
      body: '[{"a":1,"b":{"c":2}}]',
    })
    await fetch(`${stage.url}/v2/datasets/${data.id}`, {
      method: 'PUT',
      headers: own,
      body: '{"generalAccess":"ANYONE_WITH_ID_CAN_READ"}',
    })
    const open = ['/-/', '/-/sign-in', '/-/sign-up', '/-/docs', '/-/docs/judge', '/-/nothing']
    const signedIn = [
      '/-/',
      '/-/account',
      '/-/account/tokens',
      '/-/account/sessions',
      '/-/judge',
      `/-/judge/problems/${problem.UUID}`,
      '/-/judge/problems/new',
      '/-/judge/problems/import',
      `/-/judge/problems/${problem.UUID}/edit`,
      `/-/judge/problems/${problem.UUID}/tests`,
      `/-/judge/problems/${problem.UUID}/rejudge`,
      '/-/judge/submissions?by=all&result=2',
      `/-/judge/submissions/${list[0].ID}`,
      '/-/judge/results',
      '/-/admin/accounts',
      '/-/admin/judging',
      '/-/admin/settings',
      '/-/datasets',
      `/-/datasets/${data.id}`,
      `/-/datasets/${data.id}?tab=export`,
      `/-/datasets/${data.id}?tab=fields`,
    ]
    const found: string[] = []
    const looks = [
      { how: 'narrow', size: { width: 320, height: 640 }, colorScheme: 'dark', only: {} },
      // What else axe looks at is the same at any width.
      {
        how: 'wide',
        size: { width: 1600, height: 1000 },
        colorScheme: 'light',
        only: { runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'] },
      },
    ] as const
    const look = async ({ page }: Tab, paths: readonly string[]) => {
      for (const path of paths) {
        await show(page, path)
        await page.evaluate(axe.source)
        const passedOver = await page.evaluate(findPassedOver)
        found.push(...passedOver.map((html) => `${path}: the keyboard passes over ${html}`))
        for (const { how, size, colorScheme, only } of looks) {
          await page.setViewportSize(size)
          await page.emulateMedia({ colorScheme })
          const { violations } = (await page.evaluate(
            (rules) => window.axe.run({ resultTypes: ['violations'], ...rules }),
            only,
          )) as axe.AxeResults
          found.push(...violations.map(({ id, nodes }) => `${how} ${path}: ${id} ${nodes[0]?.html.slice(0, 120)}`))
          const overflow = await page.evaluate(() => window.document.documentElement.scrollWidth - window.innerWidth)
          if (overflow > 0) found.push(`${how} ${path}: is ${overflow} px too wide`)
        }
      }
    }
    await look(await stage.open(), open)
    await look(await stage.openAs('ada'), signedIn)
    assert.deepEqual(found, [])
  })

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(stage.complaints(), [])
  })
})
