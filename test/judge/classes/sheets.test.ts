/** Exercise sheets over JSON-RPC: who sees what when, what counts, marks and comments, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { read, utils } from 'xlsx'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claim,
  type JudgeStage,
  makeProblem,
  makeTest,
  page,
  startJudge,
  submit,
} from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

const minute = 60_000

for (const engine of engines)
  describe(`sheets on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: JudgeStage
    let cast: Cast
    let drawn = 0
    /** The setter teaches, contestant and rival are students; the colleague and the helper are outsiders. */
    before(async () => {
      stage = await startJudge(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())

    async function makeClass(): Promise<string> {
      const ID = `class-${++drawn}`
      await cast.setter.call('create_class', { ID, Name: 'Class' })
      for (const AccountName of ['contestant', 'rival'])
        await cast.setter.call('put_class_member', {
          ClassID: ID,
          AccountName,
          Role: 'student',
          RosterName: `Roster ${AccountName}`,
        })
      return ID
    }
    async function makeSheet(problems: readonly Json[], over: object = {}): Promise<Json> {
      const ClassID = await makeClass()
      const ProblemList = problems.map(({ UUID }) => ({ UUID, Points: 10 }))
      const draft = { ClassID, Title: 'Sheet 1', OpenTime: clock.now(), IsPublished: true, ProblemList, ...over }
      return (await cast.setter.call('create_sheet', draft)).Sheet
    }
    async function makeHeld(): Promise<Json> {
      const problem = await makeProblem(cast.setter)
      await cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: true } })
      return problem
    }
    async function judgeAll(Result = 1): Promise<void> {
      for (;;) {
        const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing', {
          FeatureList: ['score'],
        })
        if (!result) return
        await cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result })
      }
    }
    const results = async (SheetID: number, by: RpcClient = cast.setter): Promise<Json[]> =>
      (await by.call('get_sheet_results', { SheetID })).RowList
    const cellOf = async (SheetID: number, name: string): Promise<Json> =>
      (await results(SheetID)).find(({ AccountName }) => AccountName === name).CellList[0]

    test('a sheet is as it was made, and changes as it is told', async () => {
      const problem = await makeProblem(cast.setter)
      const sheet = await makeSheet([problem], { DueTime: clock.now() + minute })
      assert.deepEqual(sheet, {
        ID: sheet.ID,
        ClassID: sheet.ClassID,
        Title: 'Sheet 1',
        Description: '',
        OpenTime: sheet.OpenTime,
        DueTime: sheet.OpenTime + minute,
        LateUntil: null,
        LateFactor: 1,
        LanguageList: null,
        SubmissionLimit: null,
        IsPublished: true,
        ShowsOthers: false,
        Template: null,
        ProblemList: [{ UUID: problem.UUID, DisplayName: 'Sum', Points: 10 }],
        ExtensionList: [],
      })
      const change = { ID: sheet.ID, DueTime: null, Title: 'Other', LateFactor: 0.25 }
      const { Sheet } = await cast.setter.call('update_sheet', change)
      assert.deepEqual(Sheet, { ...sheet, DueTime: null, Title: 'Other', LateFactor: 0.25 })
      assert.deepEqual((await cast.rival.call('get_sheet_list', { ClassID: sheet.ClassID })).SheetList, [Sheet])
      assert.equal(await cast.setter.code('update_sheet', { ID: sheet.ID, LateUntil: clock.now() }), -32602)
      assert.equal(await cast.setter.code('update_sheet', { ID: sheet.ID, DueTime: 1 }), -32602)
      assert.equal(await cast.setter.code('delete_class', { ID: sheet.ClassID }), 10)
      assert.equal(await cast.setter.code('delete_sheet', { ID: sheet.ID }), 0)
    })

    test('students see it once it is published and open, outsiders never', async () => {
      const problem = await makeHeld()
      const sheet = await makeSheet([problem], { IsPublished: false, OpenTime: clock.now() + minute })
      const { ID } = sheet
      const seen = async (by: RpcClient) => [
        await by.code('get_sheet', { ID }),
        await by.code('get_problem', { UUID: problem.UUID }),
      ]
      assert.deepEqual(await seen(cast.rival), [6, 6])
      await cast.setter.call('update_sheet', { ID, IsPublished: true })
      assert.deepEqual(await seen(cast.rival), [6, 6])
      assert.deepEqual((await cast.rival.call('get_sheet_list', { ClassID: sheet.ClassID })).SheetList, [])
      assert.equal(await cast.rival.code('create_submission', draftTo(problem)), 6)
      clock.advance(minute)
      assert.deepEqual(await seen(cast.rival), [0, 0])
      assert.deepEqual(await seen(cast.colleague), [6, 6])
      assert.equal(await cast.rival.code('update_problem', { UUID: problem.UUID, DisplayName: 'x' }), 8)
      assert.equal(
        await cast.rival.code('get_problem_test_case_snippet_list', { ProblemUUID: problem.UUID, ...page() }),
        0,
      )
      assert.equal(await cast.rival.code('create_submission', draftTo(problem)), 0)
      const { ProblemSnippetList } = await cast.rival.call('get_problem_snippet_list', page())
      assert.ok(!ProblemSnippetList.some(({ UUID }: Json) => UUID === problem.UUID), 'it is in no list')
    })

    const draftTo = ({ UUID }: Json, Language = 'python') => ({ ProblemUUID: UUID, Language, Content: 'x' })

    test('a held problem of another is not put into a sheet, nor by a teacher to whom a sheet opens it', async () => {
      const problem = await makeHeld()
      const sheet = await makeSheet([problem])
      const { ClassID } = sheet
      await cast.setter.call('put_class_member', { ClassID, AccountName: 'colleague', Role: 'teacher' })
      assert.equal(await cast.colleague.code('get_problem', { UUID: problem.UUID }), 0)
      await cast.colleague.call('create_class', { ID: `other-${drawn}`, Name: 'Other' })
      const draft = { Title: 'x', OpenTime: 0, ProblemList: [{ UUID: problem.UUID, Points: 1 }] }
      assert.equal(await cast.colleague.code('create_sheet', { ClassID: `other-${drawn}`, ...draft }), 6)
      assert.equal(await cast.colleague.code('update_sheet', { ID: sheet.ID, ProblemList: draft.ProblemList }), 0)
    })

    test('a problem that is held after another put it into a sheet is not opened by it', async () => {
      const problem = await makeProblem(cast.colleague)
      const sheet = await makeSheet([problem])
      const { UUID } = problem
      await cast.colleague.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
      const codes = async () => [
        await cast.setter.code('get_problem', { UUID }),
        await cast.contestant.code('get_problem', { UUID }),
        await cast.contestant.code('create_submission', draftTo(problem)),
      ]
      assert.deepEqual(await codes(), [6, 6, 6])
      await cast.admin.call('update_sheet', { ID: sheet.ID, ProblemList: [{ UUID, Points: 5 }] })
      assert.deepEqual(await codes(), [0, 0, 0])
    })

    test('of others a student sees nothing, not in lists, counts or single ones, unless the sheet shows them', async () => {
      const [problem, held] = [await makeProblem(cast.setter), await makeHeld()]
      const other = await makeProblem(cast.setter)
      const total = async (by: RpcClient): Promise<number> =>
        (await by.call('get_submission_snippet_list', page())).TotalSubmissionCount
      const before = await total(cast.rival)
      const sheet = await makeSheet([problem, held])
      const own = [await submit(cast.rival, problem.UUID), await submit(cast.rival, held.UUID)]
      const theirs = [await submit(cast.contestant, problem.UUID), await submit(cast.contestant, held.UUID)]
      const free = await submit(cast.contestant, other.UUID)
      const idsOf = (list: Json) => list.SubmissionSnippetList.map(({ ID }: Json) => ID)
      const everything = await cast.rival.call('get_submission_snippet_list', page())
      assert.deepEqual(idsOf(everything).slice(0, 3), [free.ID, own[1]!.ID, own[0]!.ID])
      assert.equal(everything.TotalSubmissionCount, before + 3)
      for (const Offset of [0, 1, 2]) {
        const { SubmissionSnippetList: one } = await cast.rival.call('get_submission_snippet_list', page(Offset, 1))
        assert.equal(one[0].ID, idsOf(everything)[Offset])
      }
      const AccountID = stage.idOf('contestant')
      const listOf = (by: RpcClient, over: object) =>
        by.call('get_account_submission_snippet_list', { ...over, ...page() })
      assert.ok(!idsOf(await listOf(cast.rival, { AccountID })).includes(theirs[0]!.ID))
      const mine = idsOf(await listOf(cast.rival, { AccountID: stage.idOf('rival') }))
      assert.deepEqual(mine.slice(0, 2), [own[1]!.ID, own[0]!.ID])
      for (const { UUID } of [problem, held]) {
        const to = await cast.rival.call('get_problem_submission_snippet_list', { ProblemUUID: UUID, ...page() })
        assert.deepEqual([to.TotalSubmissionCount, idsOf(to).length], [1, 1])
        const both = { AccountID, ProblemUUID: UUID, ...page() }
        const of = await cast.rival.call('get_account_problem_submission_snippet_list', both)
        assert.deepEqual(of, { TotalSubmissionCount: 0, SubmissionSnippetList: [] })
      }
      const found = await cast.rival.call('find_submission_snippet_list', { Limit: 100 })
      assert.deepEqual(idsOf(found).slice(0, 3), [free.ID, own[1]!.ID, own[0]!.ID])
      for (const { ID } of theirs) assert.equal(await cast.rival.code('get_submission', { ID }), 6)
      assert.equal(await cast.rival.code('wait_for_submission', { ID: theirs[0]!.ID, WaitMillisecond: 0 }), 6)
      const shown = await stage.services.judge.findVisibility(theirs.map(({ ID }) => ID))
      const rival = { account: (await stage.services.accounts.findByName('rival'))! } as never
      assert.deepEqual(
        theirs.map(({ ID }) => shown(rival, ID)),
        ['hidden', 'hidden'],
      )
      assert.equal(await cast.colleague.code('get_submission', { ID: theirs[0]!.ID }), 0, 'the problem is everybody’s')
      assert.equal(await cast.colleague.code('get_submission', { ID: theirs[1]!.ID }), 6)
      await stage.services.judge.counts.fold()
      assert.deepEqual(idsOf(await cast.rival.call('get_submission_snippet_list', page())), idsOf(everything))
      assert.equal(await total(cast.rival), before + 3)
      await cast.setter.call('update_sheet', { ID: sheet.ID, ShowsOthers: true })
      for (const { ID } of theirs) assert.equal(await cast.rival.code('get_submission', { ID }), 0)
    })

    test('a student who sets problems finds classmates neither in a grade sheet nor in live updates', async () => {
      const [problem, held] = [await makeProblem(cast.setter), await makeHeld()]
      const sheet = await makeSheet([problem, held])
      await cast.setter.call('put_class_member', { ClassID: sheet.ClassID, AccountName: 'colleague', Role: 'student' })
      const account = (await stage.services.accounts.findByName('colleague'))!
      const { text } = await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge', 'dataset'] })
      const colleague = cast.anonymous.as(text)
      const headers = { authorization: `Bearer ${text}` }
      const theirs = [await submit(cast.contestant, problem.UUID), await submit(cast.contestant, held.UUID)]
      await submit(colleague, problem.UUID)
      const made = await colleague.call('create_grade_sheet', {
        ProblemUUIDList: [problem.UUID, held.UUID],
        DatasetName: 'spied',
      })
      const items = (await (
        await fetch(`${stage.url}/v2/datasets/${made.DatasetID}/items`, { headers })
      ).json()) as Json[]
      assert.deepEqual(new Set(items.map((item) => item.account)), new Set(['colleague']))

      const leaving = new AbortController()
      const heard = { colleague: '', setter: '' }
      for (const [name, token] of Object.entries({ colleague: text, setter: cast.setter.token })) {
        const response = await fetch(`${stage.url}/-/live`, {
          headers: { authorization: `Bearer ${token}` },
          signal: leaving.signal,
        })
        void (async () => {
          try {
            for await (const chunk of response.body!)
              heard[name as 'colleague' | 'setter'] += Buffer.from(chunk).toString()
          } catch {}
        })()
      }
      for (const { ID } of theirs) await cast.admin.call('delete_submission', { ID })
      await until(async () => heard.setter.includes('event: resync'))
      const own = await submit(colleague, problem.UUID)
      for (;;) {
        const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
        if (!result) break
      }
      await cast.worker.call('update_submission', { ID: own.ID, Status: 3, Result: 1 })
      await until(async () => heard.colleague.includes(`{"ID":${own.ID}}`))
      assert.doesNotMatch(heard.colleague, /resync/)
      await cast.admin.call('delete_submission', { ID: own.ID })
      await until(async () => heard.colleague.includes('event: resync'))
      leaving.abort()
    })

    test('a teacher reads what students handed in to problems of others', async () => {
      const problem = await makeProblem(cast.colleague)
      const sheet = await makeSheet([problem])
      await cast.contestant.call('accept_class_invitation', { ClassID: sheet.ClassID })
      const { ID } = await submit(cast.contestant, problem.UUID, { Content: 'print(1)' })
      assert.equal((await cast.setter.call('get_submission', { ID })).Submission.Content, 'print(1)')
      assert.equal(await cast.setter.code('get_submission_report', { ID }), 0)
      assert.equal(await cast.helper.code('get_submission', { ID }), 0)
      await cast.setter.call('delete_sheet', { ID: sheet.ID, IsForced: true })
      assert.equal((await cast.setter.call('get_submission', { ID })).Submission.Content, '')
      assert.equal(await cast.setter.code('get_submission_report', { ID }), 8)
    })

    test('somebody whom an admin put in shows teachers nothing of what they did before', async () => {
      const problem = await makeProblem(cast.colleague)
      const early = await submit(cast.contestant, problem.UUID, { Content: 'mine' })
      clock.advance(1)
      const { ClassID } = await makeSheet([problem], { OpenTime: 0 })
      await cast.admin.call('put_class_member', { ClassID, AccountName: 'contestant', Role: 'student' })
      const late = await submit(cast.contestant, problem.UUID, { Content: 'theirs' })
      const contentOf = async (ID: number) => (await cast.setter.call('get_submission', { ID })).Submission.Content
      assert.deepEqual([await contentOf(early.ID), await contentOf(late.ID)], ['', 'theirs'])
    })

    test('what counts is the best in time, and its author can’t delete it', async () => {
      const problem = await makeProblem(cast.setter)
      const DueTime = clock.now() + minute
      const sheet = await makeSheet([problem], { DueTime, LateUntil: DueTime + minute, LateFactor: 0.5 })
      const wrong = await submit(cast.contestant, problem.UUID)
      await judgeAll(6)
      const first = await submit(cast.contestant, problem.UUID)
      await judgeAll()
      clock.advance(minute + 1)
      const late = await submit(cast.rival, problem.UUID)
      await judgeAll()
      const rows = await results(sheet.ID)
      assert.deepEqual(rows, [
        row('contestant', { Points: 10, Tries: 2, IsLate: false, BestID: first.ID, WaitingCount: 0 }),
        row('rival', { Points: 5, Tries: 1, IsLate: true, BestID: late.ID, WaitingCount: 0 }),
      ])
      assert.deepEqual(await results(sheet.ID, cast.rival), [rows[1]])
      const mayDelete = async (by: RpcClient, ID: number) => (await by.call('get_submission_report', { ID })).MayDelete
      for (const { ID } of [wrong, first]) {
        assert.equal(await cast.contestant.code('delete_submission', { ID }), 10)
        const asked = [await mayDelete(cast.contestant, ID), await mayDelete(cast.setter, ID)]
        assert.deepEqual([...asked, await mayDelete(cast.admin, ID)], [false, false, true])
      }
      assert.equal(await cast.setter.code('delete_sheet', { ID: sheet.ID }), 10)
      clock.advance(minute)
      const after = await submit(cast.rival, problem.UUID)
      assert.equal(await mayDelete(cast.rival, after.ID), true)
      assert.equal(await cast.rival.code('delete_submission', { ID: after.ID }), 0, 'it counts no more')
      await cast.setter.call('put_extension', {
        SheetID: sheet.ID,
        AccountName: 'rival',
        DueTime: clock.now(),
        Note: 'ill',
      })
      assert.deepEqual(await cellOf(sheet.ID, 'rival'), {
        Points: 10,
        Tries: 1,
        IsLate: false,
        BestID: late.ID,
        WaitingCount: 0,
        Mark: null,
      })
      assert.equal((await cast.rival.call('get_sheet', { ID: sheet.ID })).Sheet.ExtensionList[0].Note, 'ill')
      assert.deepEqual((await cast.contestant.call('get_sheet', { ID: sheet.ID })).Sheet.ExtensionList, [])
      await cast.setter.call('delete_extension', { SheetID: sheet.ID, AccountName: 'rival' })
      assert.equal((await cellOf(sheet.ID, 'rival')).Points, 5)
      assert.equal(await cast.setter.code('delete_extension', { SheetID: sheet.ID, AccountName: 'rival' }), 6)
      assert.equal(await cast.admin.code('delete_submission', { ID: first.ID }), 0)
    })

    test('a submission counts by when it was handed in, in every sheet that it fits, a younger one too', async () => {
      const problem = await makeProblem(cast.setter)
      const DueTime = clock.now() + minute
      const first = await makeSheet([problem], { DueTime })
      const { ID } = await submit(cast.rival, problem.UUID)
      clock.advance(2 * minute)
      const younger = await makeSheet([problem], { OpenTime: clock.now() - 2 * minute, DueTime: null })
      const later = await makeSheet([problem])
      await judgeAll()
      const counted = async (SheetID: number) => (await cellOf(SheetID, 'rival')).BestID
      assert.deepEqual([await counted(first.ID), await counted(younger.ID), await counted(later.ID)], [ID, ID, null])
    })

    const row = (name: string, cell: object) => ({
      AccountName: name,
      RosterName: `Roster ${name}`,
      HasLeft: false,
      CellList: [{ ...cell, Mark: null }],
      Total: (cell as { Points: number }).Points,
    })

    test('points are those of a scored problem, and of one who did nothing there are none', async () => {
      const problem = await makeProblem(cast.setter)
      await cast.setter.call('update_problem_judging', {
        UUID: problem.UUID,
        Judging: { IsScored: true, MaximumScore: 2 },
      })
      const tests = [await makeTest(cast.setter, problem.UUID), await makeTest(cast.setter, problem.UUID)]
      for (const { UUID } of tests) await cast.setter.call('update_test_case_judging', { UUID, Points: 1 })
      const sheet = await makeSheet([problem])
      await judgeAll()
      await submit(cast.contestant, problem.UUID)
      const { ID, Lease } = await claim(cast.worker, { FeatureList: ['score', 'checker'] })
      const TestList = tests.map(({ UUID }, at) => ({
        TestCaseUUID: UUID,
        Result: at === 0 ? 1 : 6,
        CPUTimeInMillisecond: 1,
        WallTimeInMillisecond: 1,
        PeakMemoryInByte: 1,
        ExitCode: 0,
        Signal: null,
        Message: '',
        Stderr: '',
      }))
      await cast.worker.call('report_submission', { ID, Lease, Report: { Result: 6, CompilerOutput: '', TestList } })
      assert.deepEqual(
        (await results(sheet.ID)).map(({ CellList, Total }) => [CellList[0].Points, Total]),
        [
          [5, 5],
          [null, 0],
        ],
      )
    })

    test('a sheet refuses other languages, too many, and what comes too late to a held problem', async () => {
      const problem = await makeHeld()
      const limits = { LanguageList: ['python'], SubmissionLimit: 2, DueTime: clock.now() + minute }
      const sheet = await makeSheet([problem], limits)
      const hand = (Language?: string) => cast.contestant.ask('create_submission', draftTo(problem, Language))
      assert.match((await hand('c')).error.message, /python/)
      assert.equal((await hand('c')).error.code, 10)
      const codes = await Promise.all(Array.from({ length: 5 }, async () => (await hand()).error?.code ?? 0))
      assert.deepEqual(codes.sort(), [0, 0, 10, 10, 10])
      assert.match((await hand()).error.message, /none left/)
      assert.equal(await cast.rival.code('create_submission', draftTo(problem)), 0)
      clock.advance(minute + 1)
      assert.equal(await cast.rival.code('create_submission', draftTo(problem)), 10)
      assert.equal(await cast.setter.code('create_submission', draftTo(problem)), 0, 'its author may')
      await cast.setter.call('put_extension', {
        SheetID: sheet.ID,
        AccountName: 'rival',
        DueTime: clock.now() + minute,
      })
      assert.equal(await cast.rival.code('create_submission', draftTo(problem)), 0)
    })

    test('a failure of the judge is no grade, and uses no attempt up', async () => {
      const problem = await makeHeld()
      const sheet = await makeSheet([problem], { SubmissionLimit: 1 })
      const { ID } = await submit(cast.contestant, problem.UUID)
      await judgeAll(9)
      const { Points, Tries, BestID, WaitingCount } = await cellOf(sheet.ID, 'contestant')
      assert.deepEqual({ Points, Tries, BestID, WaitingCount }, { Points: null, Tries: 1, BestID: ID, WaitingCount: 0 })
      const address = `${stage.url}/-/judge/sheets/${sheet.ID}/results.csv`
      const csv = await (await fetch(address, { headers: { authorization: `Bearer ${cast.setter.token}` } })).text()
      const row = parse(csv, { bom: true, columns: true }).find((one: Json) => one.Login === 'contestant') as Json
      assert.equal(row[problem.DisplayName], '')
      const again = await submit(cast.contestant, problem.UUID)
      await judgeAll(1)
      assert.equal((await cellOf(sheet.ID, 'contestant')).BestID, again.ID)
      assert.equal(await cast.contestant.code('create_submission', draftTo(problem)), 10)
    })

    test('where there is no deadline an extension makes none', async () => {
      const problem = await makeHeld()
      const sheet = await makeSheet([problem])
      await cast.setter.call('put_extension', { SheetID: sheet.ID, AccountName: 'rival', DueTime: clock.now() + 1 })
      clock.advance(minute)
      const { ID } = await submit(cast.rival, problem.UUID)
      await judgeAll()
      assert.equal((await cellOf(sheet.ID, 'rival')).BestID, ID)
    })

    test('a mark replaces the points and says whose it is', async () => {
      const problem = await makeProblem(cast.setter)
      const sheet = await makeSheet([problem])
      const draft = { SheetID: sheet.ID, AccountName: 'rival', UUID: problem.UUID }
      const { Mark } = await cast.setter.call('put_mark', { ...draft, Points: 7.5, Comment: 'shown at the board' })
      assert.deepEqual(Mark, {
        Points: 7.5,
        Comment: 'shown at the board',
        SetBy: 'setter',
        SetByName: 'setter',
        SetTime: clock.now(),
        SubmissionID: null,
        NewerID: null,
      })
      assert.deepEqual(await cellOf(sheet.ID, 'rival'), {
        Points: 7.5,
        Tries: 0,
        IsLate: false,
        BestID: null,
        WaitingCount: 0,
        Mark,
      })
      const [own] = await results(sheet.ID, cast.rival)
      assert.equal(own.Total, 7.5)
      assert.equal(await cast.setter.code('put_mark', { ...draft, AccountName: 'colleague', Points: 1 }), 6)
      assert.equal(await cast.rival.code('put_mark', { ...draft, Points: 10 }), 8)
      assert.equal((await cast.setter.call('put_mark', { ...draft, Points: null })).Mark, null)
      assert.equal((await cellOf(sheet.ID, 'rival')).Points, null)
    })

    test('a mark names the submission it was given for, and tells of one that came since', async () => {
      const problem = await makeProblem(cast.setter)
      const DueTime = clock.now() + minute
      const sheet = await makeSheet([problem], { DueTime, LateUntil: DueTime + minute, LateFactor: 0.5 })
      const draft = { SheetID: sheet.ID, AccountName: 'rival', UUID: problem.UUID, Comment: '' }
      const marked = async () => {
        const { Points, BestID, Mark } = await cellOf(sheet.ID, 'rival')
        return [Points, BestID, Mark.SubmissionID, Mark.NewerID]
      }
      const first = await submit(cast.rival, problem.UUID)
      const second = await submit(cast.rival, problem.UUID)
      await judgeAll(6)
      await cast.setter.call('put_mark', { ...draft, Points: 3 })
      assert.deepEqual(await marked(), [3, first.ID, first.ID, null], 'without a submission the best is marked')
      await cast.setter.call('put_mark', { ...draft, Points: 4, SubmissionID: second.ID })
      assert.deepEqual(await marked(), [4, first.ID, second.ID, null])
      clock.advance(minute + 1)
      const late = await submit(cast.rival, problem.UUID)
      await judgeAll()
      assert.deepEqual(await marked(), [4, late.ID, second.ID, late.ID], 'a late one replaces nothing in silence')
      const isLate = async () => (await cellOf(sheet.ID, 'rival')).IsLate
      assert.equal(await isLate(), false, 'the marked submission counts, and was in time')
      clock.advance(minute)
      await submit(cast.rival, problem.UUID)
      assert.deepEqual(await marked(), [4, late.ID, second.ID, late.ID], 'one that does not count is not told')
      const other = await submit(cast.contestant, problem.UUID)
      for (const SubmissionID of [other.ID, late.ID + 1_000])
        assert.equal(await cast.setter.code('put_mark', { ...draft, Points: 1, SubmissionID }), 6)
      clock.advance(1)
      await cast.setter.call('put_mark', { ...draft, Points: 5, SubmissionID: late.ID })
      assert.deepEqual(await marked(), [5, late.ID, late.ID, null])
      assert.equal(await isLate(), true)
      await cast.admin.call('delete_submission', { ID: late.ID })
      assert.deepEqual(await marked(), [5, first.ID, null, null])
      await judgeAll()
    })

    test('comments on code are for its author and those who teach them', async () => {
      const problem = await makeProblem(cast.colleague)
      const { ClassID, ID: SheetID } = await makeSheet([problem])
      for (const by of [cast.contestant, cast.rival]) await by.call('accept_class_invitation', { ClassID })
      const { ID } = await submit(cast.contestant, problem.UUID, { Content: 'a\nb' })
      clock.advance(1)
      const { Comment } = await cast.setter.call('put_submission_comment', { ID, Line: 2, Text: 'why b?' })
      const setter = { AccountName: 'setter', DisplayName: 'setter' }
      assert.deepEqual(Comment, { ID: Comment.ID, ...setter, Line: 2, Text: 'why b?', Time: clock.now() })
      assert.equal(await cast.setter.code('put_submission_comment', { ID, Line: 3, Text: 'x' }), 10)
      assert.equal(await cast.contestant.code('put_submission_comment', { ID, Line: null, Text: 'since c' }), 0)
      const news = async (by: RpcClient) =>
        (await by.call('get_sheet_news')).NewsList.filter((one: Json) => one.SheetID === SheetID)
      const told = {
        SheetID,
        ClassID,
        Title: 'Sheet 1',
        MarkCount: 0,
        CommentCount: 1,
        SubmissionIDList: [ID],
        RejudgedIDList: [],
      }
      assert.deepEqual(await news(cast.contestant), [{ ...told, Time: clock.now() }])
      assert.deepEqual(await news(cast.setter), [{ ...told, Time: clock.now() }], 'a student’s comment is news')
      assert.deepEqual(await news(cast.rival), [])
      assert.deepEqual(await news(cast.colleague), [], 'it is no news to others, the problem’s author among them')
      await cast.contestant.call('see_sheet', { SheetID })
      assert.deepEqual(await news(cast.contestant), [])
      assert.equal((await news(cast.setter)).length, 1, 'everybody has seen for themselves')
      await cast.setter.call('see_sheet', { SheetID })
      assert.deepEqual(await news(cast.setter), [])
      clock.advance(1)
      const mark = { SheetID, UUID: problem.UUID, AccountName: 'contestant', Points: 1 }
      await cast.setter.call('put_mark', mark)
      const marked = { ...told, MarkCount: 1, CommentCount: 0, SubmissionIDList: [], Time: clock.now() }
      assert.deepEqual(await news(cast.contestant), [marked])
      const { CommentList } = await cast.contestant.call('get_submission_comment_list', { ID })
      assert.deepEqual(
        CommentList.map(({ AccountName }: Json) => AccountName),
        ['setter', 'contestant'],
      )
      assert.equal(await cast.rival.code('get_submission_comment_list', { ID }), 6)
      assert.equal(await cast.contestant.code('delete_submission_comment', { ID, CommentID: Comment.ID }), 8)
      assert.equal(await cast.setter.code('delete_submission_comment', { ID, CommentID: Comment.ID }), 0)
    })

    test('a rejudging that changes what counts is told to the student until they open the sheet, and one that does not is not', async () => {
      const problem = await makeProblem(cast.setter)
      await cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsScored: true } })
      const { ID: SheetID, ClassID } = await makeSheet([problem])
      await cast.rival.call('accept_class_invitation', { ClassID })
      const { ID } = await submit(cast.rival, problem.UUID)
      await judgeAll(6)
      const rejudge = async (Result: number) => {
        clock.advance(1)
        await cast.setter.call('rejudge_problem', { UUID: problem.UUID })
        await judgeAll(Result)
      }
      const told = async (by: RpcClient) => (await by.call('get_submission_report', { ID })).Rejudged
      const news = async (by: RpcClient) =>
        (await by.call('get_sheet_news')).NewsList.find((one: Json) => one.SheetID === SheetID)
      await rejudge(6)
      assert.deepEqual([await told(cast.rival), await news(cast.rival)], [null, undefined])
      clock.advance(1)
      await cast.setter.call('rejudge_submission', { ID })
      assert.equal(await told(cast.rival), null, 'nothing is told before it is judged')
      await judgeAll(1)
      const Rejudged = { Time: clock.now(), ResultBefore: 6, ScoreBefore: 0, MaximumScoreBefore: 100 }
      assert.deepEqual([await told(cast.rival), await told(cast.setter)], [Rejudged, Rejudged])
      const { RejudgedIDList, SubmissionIDList, MarkCount, CommentCount, Time } = await news(cast.rival)
      assert.deepEqual([RejudgedIDList, SubmissionIDList, MarkCount, CommentCount, Time], [[ID], [], 0, 0, clock.now()])
      assert.equal(await news(cast.setter), undefined, 'the teacher did it')
      assert.equal(await news(cast.contestant), undefined)
      await rejudge(1)
      assert.deepEqual(await told(cast.rival), Rejudged, 'the last change is still told')
      await cast.rival.call('see_sheet', { SheetID })
      assert.equal(await news(cast.rival), undefined)
      await rejudge(6)
      assert.deepEqual(await told(cast.rival), {
        ...{ Time: clock.now(), ResultBefore: 1, ScoreBefore: 100, MaximumScoreBefore: 100 },
      })
      assert.deepEqual((await news(cast.rival)).RejudgedIDList, [ID])
    })

    test('the results of a class have a row for each student and a column for each published sheet', async () => {
      const [first, second] = [await makeProblem(cast.setter), await makeProblem(cast.setter)]
      const sheet = await makeSheet([first, second], { Title: 'One' })
      const { ClassID } = sheet
      const draft = { ClassID, OpenTime: clock.now() + 1, ProblemList: [{ UUID: second.UUID, Points: 2.5 }] }
      const { Sheet } = await cast.setter.call('create_sheet', { ...draft, Title: 'One', IsPublished: true })
      await cast.setter.call('create_sheet', { ...draft, Title: 'Draft' })
      await cast.contestant.call('accept_class_invitation', { ClassID })
      clock.advance(1)
      await submit(cast.contestant, second.UUID)
      await judgeAll()
      const place = { AccountName: 'contestant', UUID: second.UUID }
      await cast.setter.call('put_mark', { ...place, SheetID: Sheet.ID, Points: 3, Comment: 'bonus' })
      await submit(cast.contestant, first.UUID)
      const found = await cast.setter.call('get_class_results', { ClassID })
      const others = { AccountName: 'rival', RosterName: 'Roster rival', HasLeft: false, WaitingCount: 0 }
      const own = { AccountName: 'contestant', RosterName: 'Roster contestant', TotalList: [10, 3], Total: 13 }
      assert.deepEqual(found, {
        SheetList: [
          { ID: sheet.ID, Title: 'One', Points: 20 },
          { ID: Sheet.ID, Title: 'One', Points: 2.5 },
        ],
        RowList: [
          { ...own, HasLeft: false, WaitingCount: 1 },
          { ...others, TotalList: [null, null], Total: 0 },
        ],
      })
      await judgeAll(6)
      const left = { ClassID, AccountName: 'contestant' }
      await cast.setter.call('delete_class_member', left)
      const { RowList } = await cast.setter.call('get_class_results', { ClassID })
      assert.deepEqual(RowList, [
        { ...others, TotalList: [null, null], Total: 0 },
        { ...own, HasLeft: true, WaitingCount: 0 },
      ])
      const fetchAs = (format: string, { token }: RpcClient) =>
        fetch(`${stage.url}/-/judge/classes/${ClassID}/results.${format}`, {
          headers: { authorization: `Bearer ${token}` },
        })
      const expected = [
        ['Name', 'Login', 'One', 'One (2)', 'Total', 'Left the class'],
        ['Roster rival', 'rival', '', '', '0', ''],
        ['Roster contestant', 'contestant', '10', '3', '13', 'left'],
      ]
      assert.deepEqual(parse(await (await fetchAs('csv', cast.setter)).text(), { bom: true }), expected)
      const book = read(new Uint8Array(await (await fetchAs('xlsx', cast.setter)).arrayBuffer()))
      const rows = utils.sheet_to_json<unknown[]>(book.Sheets[book.SheetNames[0]!]!, { header: 1, defval: '' })
      assert.deepEqual(rows[2], ['Roster contestant', 'contestant', 10, 3, 13, 22.5, 20, 2.5, 'left'])
      assert.equal((await fetchAs('csv', cast.rival)).status, 403)
      assert.equal((await fetchAs('csv', cast.colleague)).status, 404)
      assert.equal((await fetchAs('xlsx', cast.anonymous)).status, 401)
    })

    test('results are stored as a data set whose columns are the problems’ titles', async () => {
      const problems = [
        await makeProblem(cast.setter, { DisplayName: 'Sum' }),
        await makeProblem(cast.setter, { DisplayName: 'Sum' }),
      ]
      const sheet = await makeSheet(problems)
      await cast.admin.call('put_mark', {
        SheetID: sheet.ID,
        AccountName: 'rival',
        UUID: problems[1]!.UUID,
        Points: 2.5,
      })
      const stored = await cast.admin.call('store_sheet_results', { SheetID: sheet.ID, Name: 'results' })
      assert.equal(stored.ItemCount, 2)
      const response = await fetch(`${stage.url}/v2/datasets/${stored.DatasetID}/items`, {
        headers: { authorization: `Bearer ${cast.admin.token}` },
      })
      assert.deepEqual(await response.json(), [
        { Name: 'Roster contestant', Login: 'contestant', Sum: null, 'Sum (2)': null, Total: 0 },
        { Name: 'Roster rival', Login: 'rival', Sum: null, 'Sum (2)': 2.5, Total: 2.5 },
      ])
    })

    test('submissions that are not judged yet are told apart from wrong ones, in the files too', async () => {
      const [first, second] = [await makeProblem(cast.setter), await makeProblem(cast.setter)]
      const sheet = await makeSheet([first, second], { Title: 'Waiting' })
      await submit(cast.rival, first.UUID)
      const waiting = async () =>
        (await results(sheet.ID, cast.rival))[0]!.CellList.map((one: Json) => [one.Points, one.WaitingCount])
      const readFile = async () => {
        const response = await fetch(`${stage.url}/-/judge/sheets/${sheet.ID}/results.csv`, {
          headers: { authorization: `Bearer ${cast.setter.token}` },
        })
        return parse(await response.text(), { bom: true })
      }
      assert.deepEqual(await waiting(), [
        [0, 1],
        [null, 0],
      ])
      assert.deepEqual(await readFile(), [
        ['Name', 'Login', 'Sum', 'Sum (2)', 'Total', 'Being judged'],
        ['Roster contestant', 'contestant', '', '', '0', '0'],
        ['Roster rival', 'rival', '0', '', '0', '1'],
      ])
      const mark = { SheetID: sheet.ID, AccountName: 'rival', UUID: first.UUID, Comment: '' }
      await cast.setter.call('put_mark', { ...mark, Points: 3 })
      assert.deepEqual((await waiting())[0], [3, 0], 'a mark with points waits for nothing')
      await cast.setter.call('put_mark', { ...mark, Points: null })
      await judgeAll(6)
      assert.deepEqual((await waiting())[0], [0, 0])
      assert.deepEqual((await readFile())[0], ['Name', 'Login', 'Sum', 'Sum (2)', 'Total'])
    })

    test('results are files that a spreadsheet opens: titles above, numbers as numbers, nothing where nothing was tried', async () => {
      const problems = [await makeProblem(cast.setter, { DisplayName: 'Größe, "a"' }), await makeProblem(cast.setter)]
      const sheet = await makeSheet(problems, { Title: 'Übung 1/2' })
      const mark = {
        SheetID: sheet.ID,
        AccountName: 'rival',
        UUID: problems[0]!.UUID,
        Points: 2.5,
        Comment: '=SUM(A1)',
      }
      await cast.setter.call('put_mark', mark)
      const fetchAs = (format: string, { token }: RpcClient) =>
        fetch(`${stage.url}/-/judge/sheets/${sheet.ID}/results.${format}`, {
          headers: { authorization: `Bearer ${token}` },
        })
      const csv = await fetchAs('csv', cast.setter)
      assert.match(csv.headers.get('content-disposition')!, /^attachment; .*%C3%9Cbung/)
      const expected = [
        ['Name', 'Login', 'Größe, "a"', 'Sum', 'Total'],
        ['Roster contestant', 'contestant', '', '', '0'],
        ['Roster rival', 'rival', '2.5', '', '2.5'],
      ]
      assert.deepEqual(parse(await csv.text(), { bom: true }), expected)
      const book = read(new Uint8Array(await (await fetchAs('xlsx', cast.setter)).arrayBuffer()))
      const rows = utils.sheet_to_json<unknown[]>(book.Sheets[book.SheetNames[0]!]!, { header: 1, defval: '' })
      const maxima = ['Maximum', 'Maximum of Größe, "a"', 'Maximum of Sum']
      assert.deepEqual(rows, [
        [...expected[0]!, ...maxima, 'Mark for Größe, "a"', 'Comment on Größe, "a"', 'Comment on Sum'],
        ['Roster contestant', 'contestant', '', '', 0, 20, 10, 10, '', '', ''],
        ['Roster rival', 'rival', 2.5, '', 2.5, 20, 10, 10, 2.5, '=SUM(A1)', ''],
      ])
      assert.equal((await fetchAs('csv', cast.rival)).status, 403)
      assert.equal((await fetchAs('csv', cast.colleague)).status, 404)
      assert.equal((await fetch(`${stage.url}/-/judge/sheets/${sheet.ID}/results.csv`)).status, 401)
    })
  })
