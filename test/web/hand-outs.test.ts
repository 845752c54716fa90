/** Work that is handed out as a repository, in a real browser: links to problems, a template that is accepted, verdicts at commits, and programs that are alike. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { lacksBrowser } from '../support/browser.ts'
import { makeProblem, makeTest, submit } from '../support/judge.ts'
import { asAdmin, makeRest, makeToken, type RestClient } from '../support/rest.ts'
import type { Json, RpcClient } from '../support/rpc.ts'
import { type ClassWorld, judgeAll, signInSam } from './classes/class-world.ts'
import { heading, patience, see, show, takeKeyboard } from './hands.ts'
import { findFaults } from './looks.ts'
import { openStage, password, type Stage } from './stage.ts'

declare const window: Json

const program = `import sys

def count_pairs(numbers, target):
    seen = {}
    total = 0
    for value in numbers:
        total += seen.get(target - value, 0)
        seen[value] = seen.get(value, 0) + 1
    return total

numbers = [int(x) for x in sys.stdin.readline().split()]
target = int(sys.stdin.readline())
print(count_pairs(numbers, target))
`
/** The same with other names, below lines of its own. */
const disguised = `# My own work!
own = 'own words'
${program.replaceAll('seen', 'known').replaceAll('total', 'sum_of_all').replaceAll('value', 'v')}`

describe('work handed out as a repository, in a browser', { skip: lacksBrowser }, () => {
  let stage: Stage
  let sam: RpcClient
  let problem: Json
  let other: Json
  let sheetId = 0
  const rest = {} as Record<'sam' | 'ann', RestClient>
  const found: string[] = []

  async function look(page: Page, name: string): Promise<void> {
    found.push(...(await findFaults(page, name)))
  }

  before(async () => {
    stage = await openStage({ isJudged: false })
    sam = await signInSam({ stage } as ClassWorld)
    const scopes = ['repo', 'judge', 'user', 'admin:org']
    for (const name of ['sam', 'ann'] as const)
      rest[name] = makeRest(stage.url, await makeToken(stage, name, { kind: 'classic', scopes }))
    await asAdmin(stage).post('/admin/organizations', { login: 'school', admin: 'sam' })
    await rest.sam.post('/orgs/school/repos', { name: 'starter', private: true, auto_init: true })
    problem = await makeProblem(sam, { DisplayName: 'Pairs of numbers' })
    other = await makeProblem(sam, { DisplayName: 'Nobody’s' })
    for (const { UUID } of [problem, other]) await makeTest(sam, UUID)
    await sam.call('create_class', { ID: '7b', Name: 'Informatics 7b' })
    for (const [name, RosterName] of [
      ['ann', 'Ann Ames'],
      ['bob', 'Bob <img src=x onerror=window.pwned=1>'],
      ['cid', 'Cid Cole'],
    ] as const) {
      if (name !== 'ann')
        await stage.cast.admin.call('create_account', {
          ...{ AccountName: name, DisplayName: name, Role: 'contestant', Password: password },
        })
      await sam.call('put_class_member', { ClassID: '7b', AccountName: name, Role: 'student', RosterName })
    }
    const { Sheet } = await sam.call('create_sheet', {
      ...{ ClassID: '7b', Title: 'Pairs', OpenTime: 0, IsPublished: true },
      ProblemList: [problem, other].map(({ UUID }) => ({ UUID, Points: 10 })),
    })
    sheetId = Sheet.ID
  })
  afterEach(() => stage.closeTabs())
  after(() => stage?.close())

  test('files are linked to problems in the settings of a repository, with the keyboard alone', async () => {
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await show(page, '/school/starter')
    await hands.press('link', 'Settings')
    await hands.press('link', 'Problem links')
    await see(page, 'No files are linked to problems yet.')
    await hands.write('Path of the file', 'src/main')
    await hands.press('button', 'Link file')
    await see(page, 'Choose a problem first.')
    await hands.write('Find a problem', 'pairs of')
    await hands.press('button', 'Choose Pairs of numbers')
    await see(page, 'Problem: Pairs of numbers')
    await hands.press('button', 'Link file')
    await see(page, /Language must be given/)
    await hands.write('Path of the file', 'src/main.py')
    await hands.press('button', 'Link file')
    await page.getByRole('link', { name: 'src/main.py' }).waitFor({ timeout: patience })
    await hands.write('Find a problem', 'Nobody')
    await hands.press('button', 'Choose Nobody’s')
    await hands.write('Path of the file', 'other')
    await hands.write('Branch', 'dev')
    await hands.choose('Language', 'Python')
    await hands.press('button', 'Link file')
    await page.getByRole('button', { name: 'Remove the link to Nobody’s' }).waitFor({ timeout: patience })
    await look(page, 'links')
    const asked = { Repository: 'school/starter' }
    const list = async () =>
      (await sam.call('get_problem_link_list', asked)).ProblemLinkList.map(({ Path, Branch, Language }: Json) => [
        ...[Path, Branch, Language],
      ])
    assert.deepEqual(await list(), [
      ['src/main.py', null, 'python'],
      ['other', 'dev', 'python'],
    ])
    await hands.press('button', 'Remove the link to Nobody’s')
    await hands.answer('Remove link')
    const removed = page.getByRole('button', { name: 'Remove the link to Nobody’s' })
    await removed.waitFor({ state: 'detached', timeout: patience })
    assert.equal((await list()).length, 1)
  })

  test('a sheet takes a template, and says what is wrong with it', async () => {
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await show(page, `/-/sheets/${sheetId}/edit`)
    await hands.write('Repository', 'school/none')
    await hands.write('Organisation for the copies', 'school')
    await hands.press('button', 'Save sheet')
    await page
      .getByRole('alert')
      .filter({ hasText: /school\/none/ })
      .waitFor({ timeout: patience })
    await hands.write('Repository', 'school/starter')
    await look(page, 'template')
    await hands.press('button', 'Save sheet')
    await see(page, 'Nobody has accepted it yet.')
    const { Sheet } = await sam.call('get_sheet', { ID: sheetId })
    assert.deepEqual(Sheet.Template, { Repository: 'school/starter', Organisation: 'school' })
    // What the form does not change stays: saving it once more asks for nothing.
    await hands.press('link', 'Edit')
    await hands.write('Title', 'Pairs and more')
    await hands.press('button', 'Save sheet')
    await heading(page, 'Pairs and more')
    assert.deepEqual((await sam.call('get_sheet', { ID: sheetId })).Sheet.Template, Sheet.Template)
  })

  test('a student accepts the sheet once, pushes, and sees the verdict at the commit', async () => {
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/-/sheets/${sheetId}`)
    await look(page, 'sheet before')
    await hands.press('button', 'Accept sheet')
    const copy = 'school/7b-pairs-and-more-ann'
    await page.waitForURL(`**/${copy}`, { timeout: patience })
    await page.getByRole('link', { name: 'README.md' }).waitFor({ timeout: patience })
    await show(page, `/-/sheets/${sheetId}`)
    await see(page, 'You have accepted this sheet.')
    assert.equal(await page.getByRole('button', { name: 'Accept sheet' }).count(), 0)
    await look(page, 'sheet after')

    await rest.ann.put(`/repos/${copy}/contents/src/main.py`, {
      ...{ message: 'My program', content: Buffer.from(program).toString('base64') },
    })
    const { body: commit } = await rest.ann.get(`/repos/${copy}/commits/main`)
    await show(page, `/${copy}/commits/main`)
    await hands.press('link', 'My program')
    await see(page, '1 check not finished')
    await judgeAll({ stage } as ClassWorld)
    await see(page, 'The check has passed')
    await see(page, 'judge/Pairs of numbers')
    await look(page, 'commit')
    await show(page, `/${copy}/commits/main`)
    const badge = page.getByRole('link', { name: /^Passed: / })
    await badge.waitFor({ timeout: patience })
    await look(page, 'commits')
    await hands.press('link', /^Passed: /)
    await page.waitForURL('**/-/judge/submissions/*', { timeout: patience })
    await heading(page, /Submission|Pairs of numbers/)

    await show(page, '/-/inbox')
    await hands.press('link', /Pairs of numbers/)
    await hands.press('link', 'Open the submission')
    await page.waitForURL('**/-/judge/submissions/*', { timeout: patience })
    await heading(page, /Submission|Pairs of numbers/)

    // A student writes to the copy and is no admin of it.
    await show(page, `/${copy}/commit/${commit.sha}`)
    await hands.press('link', 'Problem links')
    await page.getByRole('link', { name: 'src/main.py' }).waitFor({ timeout: patience })
    assert.equal(await page.getByRole('link', { name: 'Webhooks' }).count(), 0)
    await page.goto(`/${copy}/settings`)
    await heading(page, 'Only admins of this repository can change these settings')

    const { page: teacher } = await stage.openAs('sam')
    await show(teacher, `/-/sheets/${sheetId}`)
    await teacher.getByText('1 student has accepted it').click()
    await teacher.getByRole('link', { name: copy }).waitFor({ timeout: patience })
    await look(teacher, 'copies')
  })

  test('programs that are alike are found from the results and read side by side, with the keyboard alone', async () => {
    const { page } = await stage.openAs('sam')
    const hands = takeKeyboard(page)
    await show(page, `/-/sheets/${sheetId}/similarity/${problem.UUID}`)
    await see(page, 'Only one student has submitted: there is nothing to compare yet')
    for (const [name, Content] of [
      ['bob', program.replace('import sys', 'import sys as s')],
      ['cid', disguised],
    ] as const)
      await submit(await stage.cast.anonymous.signIn(name, password), problem.UUID, { Content, Language: 'python' })
    await judgeAll({ stage } as ClassWorld)
    await show(page, `/-/sheets/${sheetId}/results`)
    await look(page, 'results')
    await hands.press('link', 'Similarity of Pairs of numbers')
    await see(page, '3 programs were compared')
    assert.equal(await page.getByRole('row').count(), 4)
    assert.equal(await page.evaluate(() => window.pwned), undefined)
    await look(page, 'similarity')
    const pair = /Ann Ames \(ann\) and Cid Cole \(cid\)/
    await hands.press('link', pair)
    await page.getByRole('heading', { name: 'Ann Ames ann and Cid Cole cid' }).waitFor({ timeout: patience })
    const programs = page.getByRole('region', { name: /^Program of/ })
    await programs.nth(1).locator('.shared').first().waitFor({ timeout: patience })
    assert.match((await programs.nth(0).locator('.shared').allTextContents()).join('\n'), /def count_pairs/)
    const shared = (await programs.nth(1).locator('.shared').allTextContents()).join('\n')
    assert.match(shared, /known\.get/)
    assert.doesNotMatch(shared, /own words/)
    assert.ok((await programs.nth(1).locator('.chosen').count()) > 0)
    await look(page, 'pair')
    const boxes = async () => {
      const [one, two] = [await programs.nth(0).boundingBox(), await programs.nth(1).boundingBox()]
      return { isBeside: two!.x > one!.x, isBelow: two!.y >= one!.y + one!.height }
    }
    assert.deepEqual(await boxes(), { isBeside: true, isBelow: false })
    await page.setViewportSize({ width: 360, height: 740 })
    assert.deepEqual(await boxes(), { isBeside: false, isBelow: true })
    await hands.press('link', 'All pairs')
    await see(page, '3 programs were compared')
    await show(page, `/-/sheets/${sheetId}/similarity/${problem.UUID}?pair=98-99`)
    await see(page, 'This pair is no longer in the list')
    await show(page, `/-/sheets/${sheetId}/similarity/${other.UUID}`)
    await see(page, 'Nobody has submitted a program that counts yet')
    await look(page, 'similarity of nothing')

    const { page: student } = await stage.openAs('ann')
    await student.goto(`/-/sheets/${sheetId}/similarity/${problem.UUID}`)
    await see(student, 'This page is for the teachers of the class.')
  })

  test('a problem leads to its repositories, a class to its organisation, and results to their data set', async () => {
    const copy = 'school/7b-pairs-and-more-ann'
    const { page } = await stage.openAs('ann')
    await show(page, `/-/judge/problems/${problem.UUID}`)
    await see(page, 'are submitted here.')
    assert.equal(await page.getByRole('link', { name: 'school/starter' }).count(), 0)
    await page.getByRole('link', { name: copy }).click()
    await page.waitForURL(`**/${copy}`, { timeout: patience })
    await show(page, '/-/classes/7b')
    await page.getByRole('link', { name: 'school', exact: true }).click()
    await page.waitForURL('**/school', { timeout: patience })

    const { page: teacher } = await stage.openAs('sam')
    await show(teacher, `/-/judge/problems/${problem.UUID}`)
    for (const name of ['school/starter', copy])
      await teacher.getByRole('link', { name }).waitFor({ timeout: patience })
    await look(teacher, 'problem of repositories')
    await show(teacher, '/-/classes/7b')
    await teacher.getByRole('link', { name: 'school', exact: true }).waitFor({ timeout: patience })
    await look(teacher, 'class of an organisation')
    await show(teacher, `/-/sheets/${sheetId}/results`)
    await teacher.getByRole('button', { name: 'Store results' }).click()
    await see(teacher, 'has 3 rows.')
    await look(teacher, 'results that were stored')
    await show(teacher, `/-/sheets/${sheetId}/results`)
    await see(teacher, 'was stored')
    await teacher.getByRole('link', { name: `sheet-${sheetId}` }).click()
    await heading(teacher, `sheet-${sheetId}`)
    await see(teacher, 'Ann Ames')
  })

  test('axe finds nothing to mend on these pages, at three widths, in both colours', () => {
    assert.deepEqual(found, [])
  })

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(stage.complaints(), [])
  })
})
