/** A teacher with two tabs that edit one thing, and a rejudging that is followed on its page, in a real browser. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { lacksBrowser } from '../support/browser.ts'
import { claim, finish, makeProblem, submit } from '../support/judge.ts'
import type { Json, RpcClient } from '../support/rpc.ts'
import { heading, patience, show } from './hands.ts'
import { openStage, password, type Stage } from './stage.ts'

const scored = { FeatureList: ['checker', 'interactive', 'score'] }

describe('what a teacher is told', { skip: lacksBrowser }, () => {
  let stage: Stage
  let sam: RpcClient
  before(async () => {
    stage = await openStage({ isJudged: false })
    sam = await stage.cast.anonymous.signIn('sam', password)
  })
  afterEach(() => stage.closeTabs())
  after(() => stage?.close())

  /** Both show the form before either saves. */
  async function openTwo(path: string): Promise<readonly [Page, Page]> {
    const { page: one } = await stage.openAs('sam')
    const { page: other } = await stage.openAs('sam')
    await show(one, path)
    await show(other, path)
    return [one, other]
  }

  const question = (page: Page, label: string) => page.getByRole('dialog', { name: `“${label}” was changed meanwhile` })
  const answer = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()

  async function readProblem(UUID: string): Promise<Json> {
    const { Problem } = await sam.call('get_problem', { UUID })
    const { TagList } = await sam.call('get_problem_tag_list', { UUID })
    return { ...Problem, tags: TagList.map(({ Tag }: Json) => Tag).join() }
  }

  test('a problem keeps the tag of one tab when the other saves the statement, and asks about the same field', async () => {
    const { UUID } = await makeProblem(sam, { DisplayName: 'Shared', Description: 'Old.' })
    const [one, other] = await openTwo(`/-/judge/problems/${UUID}/edit`)
    const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()
    await one.getByLabel('Tags', { exact: true }).fill('loops')
    await one.getByLabel('Name', { exact: true }).fill('Shared by two')
    await save(one)
    await heading(one, 'Shared by two')
    await other.getByLabel('Statement', { exact: true }).fill('New.')
    await other.getByLabel('Name', { exact: true }).fill('Mine')
    await save(other)
    await question(other, 'Name').getByText('Shared by two').waitFor({ timeout: patience })
    await answer(other, 'Cancel')
    assert.equal((await readProblem(UUID)).Description, 'Old.')
    await save(other)
    await question(other, 'Name').waitFor({ timeout: patience })
    await answer(other, 'Take theirs')
    await heading(other, 'Shared by two')
    const { DisplayName, Description, tags } = await readProblem(UUID)
    assert.deepEqual([DisplayName, Description, tags], ['Shared by two', 'New.', 'loops'])
  })

  test('a sheet keeps the text of one tab when the other saves the title', async () => {
    const { Class } = await sam.call('create_class', { ID: 'two-tabs', Name: 'Two tabs' })
    const times = { OpenTime: Date.now() - 3_600_000, DueTime: Date.now() + 3_600_000 }
    const { Sheet } = await sam.call('create_sheet', { ClassID: Class.ID, Title: 'Sheet', Description: '', ...times })
    const [one, other] = await openTwo(`/-/sheets/${Sheet.ID}/edit`)
    const save = (page: Page) => page.getByRole('button', { name: 'Save sheet' }).click()
    await one.getByLabel('Text', { exact: true }).fill('Read this.')
    await save(one)
    await one.waitForURL(`**/-/sheets/${Sheet.ID}`, { timeout: patience })
    await other.getByLabel('Title', { exact: true }).fill('Renamed')
    await save(other)
    await heading(other, 'Renamed')
    const saved = (await sam.call('get_sheet', { ID: Sheet.ID })).Sheet
    assert.deepEqual([saved.Title, saved.Description, saved.DueTime], ['Renamed', 'Read this.', times.DueTime])
  })

  test('a mark of another tab is shown before its points are overwritten, and its comment stays', async () => {
    const { UUID } = await makeProblem(sam, { DisplayName: 'Marked' })
    const { Class } = await sam.call('create_class', { ID: 'marks', Name: 'Marks' })
    await stage.cast.admin.call('put_class_member', { ClassID: Class.ID, AccountName: 'ann', Role: 'student' })
    await (await stage.cast.anonymous.signIn('ann', password)).call('accept_class_invitation', { ClassID: Class.ID })
    const OpenTime = Date.now() - 3_600_000
    const ProblemList = [{ UUID, Points: 20 }]
    const draft = { ClassID: Class.ID, Title: 'Marks', OpenTime, DueTime: null, ProblemList, IsPublished: true }
    const { Sheet } = await sam.call('create_sheet', draft)
    const [one, other] = await openTwo(`/-/sheets/${Sheet.ID}/results`)
    for (const page of [one, other])
      await page
        .getByRole('button', { name: /Marked/ })
        .last()
        .click()
    const give = async (page: Page, points: string) => {
      await page.getByLabel('Points', { exact: true }).fill(points)
      await page.getByRole('button', { name: 'Save mark', exact: true }).click()
    }
    const readMark = async () => {
      const { RowList } = await sam.call('get_sheet_results', { SheetID: Sheet.ID })
      const { Points, Comment } = RowList[0].CellList[0].Mark
      return [Points, Comment]
    }
    await one.getByLabel('Comment', { exact: true }).fill('Well done')
    await give(one, '11')
    await one.getByRole('button', { name: 'Save mark', exact: true }).waitFor({ state: 'detached', timeout: patience })
    await give(other, '3')
    await question(other, 'Points').getByText('sam changed it').waitFor({ timeout: patience })
    assert.deepEqual(await readMark(), [11, 'Well done'])
    await answer(other, 'Keep mine')
    await other
      .getByRole('button', { name: 'Save mark', exact: true })
      .waitFor({ state: 'detached', timeout: patience })
    assert.deepEqual(await readMark(), [3, 'Well done'])
  })

  test('a rejudging counts what it judges, compares points, and is still compared when one comes back', async () => {
    const { worker, contestant } = stage.cast
    const { UUID } = await makeProblem(sam, { DisplayName: 'Regraded' })
    const score = (MaximumScore: number) =>
      sam.call('update_problem_judging', { UUID, Judging: { IsScored: true, MaximumScore } })
    /** Claims and finishes what waits, up to so many. */
    const judge = async (count: number) => {
      for (let at = 0; at < count; at++) await finish(worker, (await claim(worker, scored)).ID)
    }
    await score(100)
    const { ID: first } = await submit(contestant, UUID)
    await judge(1)
    const { page } = await stage.openAs('sam')
    const path = `/-/judge/problems/${UUID}/rejudge`
    await show(page, path)
    const { ID: second } = await submit(contestant, UUID)
    await judge(1)
    const { ID: waiting } = await submit(contestant, UUID)
    await score(50)
    await page.getByRole('button', { name: 'Rejudge all' }).click()
    await page.getByText('2 submissions will be judged again').waitFor({ timeout: patience })
    await answer(page, 'Rejudge')
    await page.getByText('0 of 2 judged, 0 changed so far.').waitFor({ timeout: patience })
    await judge(3)
    const end = page.getByText('All 2 submissions are judged. 2 results changed.')
    await end.waitFor({ timeout: patience })
    const see = async () => {
      const row = (id: number) =>
        page.getByRole('row').filter({ has: page.getByRole('link', { name: String(id), exact: true }) })
      for (const id of [first, second]) {
        await row(id).getByText('100 of 100 points').waitFor({ timeout: patience })
        await row(id).getByText('50 of 50 points').waitFor({ timeout: patience })
      }
      await row(waiting).getByText('not judged').waitFor({ timeout: patience })
    }
    await see()
    await show(page, '/-/judge')
    await show(page, path)
    await end.waitFor({ timeout: patience })
    await see()
  })

  test('a checker that does not compile is told as it is saved, and its author what to do about a submission', async () => {
    const { worker, contestant } = stage.cast
    const { UUID } = await makeProblem(sam, { DisplayName: 'Checked' })
    const File = { Name: 'check.cpp', Content: Buffer.from('oops').toString('base64') }
    const Checker = { Kind: 'kattis', ArgumentList: [], Program: { Language: 'cpp', FileList: [File] } }
    await sam.call('update_problem_judging', { UUID, Judging: { Checker } })
    const cpp = [{ Value: 'cpp', Name: 'C++' }]
    const FeatureList = [...scored.FeatureList, 'trial']
    await worker.call('register_executor', { Name: 'played', LanguageList: cpp, ParallelRunCount: 2, FeatureList })
    const { page } = await stage.openAs('sam')
    await show(page, `/-/judge/problems/${UUID}/judging`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const wish = { LanguageList: ['cpp'], FeatureList, WaitMillisecond: 10_000 }
    const { ID, Lease } = (await worker.call('claim_trial', wish)).Trial
    const JudgeMessage = 'The checker does not compile:\ncheck.cpp:1: oops'
    const Report = { Result: 9, CompilerOutput: '', RunList: [], JudgeMessage }
    await worker.call('report_trial', { ID, Lease, Report })
    await page.getByText('check.cpp:1: oops').waitFor({ timeout: patience })
    const { ID: failed } = await submit(contestant, UUID)
    await finish(worker, (await claim(worker, scored)).ID, 9)
    await show(page, `/-/judge/submissions/${failed}`)
    await page.getByText(/you can rejudge the submission/).waitFor({ timeout: patience })
  })

  test('no page complained: no error of a script, no breach of the policy', () => {
    assert.deepEqual(stage.complaints(), [])
  })
})
