/** The rules of sheets as tables: what is taken when, and what it counts; which sheets can be made; how many of everything. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, startJudge, submit, unknownUuid } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'

/** Times are milliseconds from when the sheet is made. It opens then unless it says otherwise, and is worth 10 points. */
type SheetTimes = { open?: number; due?: number; late?: number; factor?: number } & Record<string, unknown>
type Case = {
  readonly what: string
  readonly sheets: readonly SheetTimes[]
  readonly isPublic?: true
  readonly extension?: number
  /** When the student handed in before. */
  readonly earlier?: readonly number[]
  readonly language?: string
  readonly at: number
  readonly code: number
  /** In the first sheet, once it is accepted. */
  readonly points?: number | null
}

const half = { due: 100, late: 200, factor: 0.5 }
const python = { LanguageList: ['python'] }
const once = { SubmissionLimit: 1 }

const cases: readonly Case[] = [
  { what: 'before it opens', sheets: [{ open: 50 }], at: 49, code: 6 },
  { what: 'as it opens', sheets: [{ open: 50 }], at: 50, code: 0, points: 10 },
  { what: 'to a draft', sheets: [{ IsPublished: false }], at: 1, code: 6 },
  { what: 'without a deadline', sheets: [{}], at: 1_000_000, code: 0, points: 10 },
  { what: 'at the due time', sheets: [{ due: 100 }], at: 100, code: 0, points: 10 },
  { what: 'just after it', sheets: [{ due: 100 }], at: 101, code: 10 },
  { what: 'at the due time, with late time after it', sheets: [half], at: 100, code: 0, points: 10 },
  { what: 'just late', sheets: [half], at: 101, code: 0, points: 5 },
  { what: 'at the end of the late time', sheets: [half], at: 200, code: 0, points: 5 },
  { what: 'after the late time', sheets: [half], at: 201, code: 10 },
  { what: 'late for nothing', sheets: [{ ...half, factor: 0 }], at: 150, code: 0, points: 0 },
  { what: 'late for everything', sheets: [{ ...half, factor: 1 }], at: 150, code: 0, points: 10 },
  { what: 'late after a better one in time', sheets: [half], earlier: [90], at: 150, code: 0, points: 10 },
  { what: 'at the end of an extension', sheets: [{ due: 100 }], extension: 150, at: 150, code: 0, points: 10 },
  { what: 'after an extension', sheets: [{ due: 100 }], extension: 150, at: 151, code: 10 },
  { what: 'after an extension, in the late time', sheets: [half], extension: 150, at: 151, code: 0, points: 5 },
  { what: 'in an extension beyond the late time', sheets: [half], extension: 300, at: 300, code: 0, points: 10 },
  { what: 'after an extension beyond the late time', sheets: [half], extension: 300, at: 301, code: 10 },
  { what: 'after a due time of one’s own that is earlier', sheets: [half], extension: 50, at: 60, code: 0, points: 5 },
  { what: 'after an extension where nothing is due', sheets: [{}], extension: 50, at: 60, code: 0, points: 10 },
  { what: 'to a released problem before', sheets: [{ open: 50 }], isPublic: true, at: 49, code: 0, points: null },
  { what: 'to a released problem after', sheets: [{ due: 100 }], isPublic: true, at: 101, code: 0, points: null },
  { what: 'in a language of the sheet', sheets: [python], at: 1, code: 0, points: 10 },
  { what: 'in another language', sheets: [python], language: 'c', at: 1, code: 10 },
  {
    what: 'in another language to a released problem',
    sheets: [python],
    isPublic: true,
    language: 'c',
    at: 1,
    code: 10,
  },
  {
    ...{ what: 'in another language to a released problem after the sheet', sheets: [{ ...python, due: 100 }] },
    ...{ isPublic: true, language: 'c', at: 101, code: 0, points: null },
  },
  { what: 'the last that the limit allows', sheets: [{ SubmissionLimit: 2 }], earlier: [1], at: 2, code: 0 },
  { what: 'one more than the limit', sheets: [once], earlier: [1], at: 2, code: 10 },
  { what: 'to a released problem, one more', sheets: [once], isPublic: true, earlier: [1], at: 2, code: 10 },
  {
    ...{ what: 'after one from before the sheet, which is not of the limit', sheets: [{ ...once, open: 50 }] },
    ...{ isPublic: true, earlier: [49], at: 50, code: 0, points: 10 },
  },
  {
    ...{ what: 'one more than the limit of one sheet, which another takes', sheets: [once, {}] },
    ...{ earlier: [1], at: 2, code: 0 },
  },
  {
    ...{ what: 'in a language that another sheet takes', sheets: [{ LanguageList: ['c'] }, python] },
    ...{ at: 1, code: 0, points: 10 },
  },
  {
    ...{ what: 'what neither of two sheets takes', sheets: [{ LanguageList: ['c'] }, once] },
    ...{ language: 'java', earlier: [1], at: 2, code: 10 },
  },
  {
    ...{ what: 'after one sheet, in time for another', sheets: [{ due: 100 }, { due: 300 }] },
    ...{ at: 200, code: 0, points: null },
  },
]

for (const engine of engines)
  describe(`rules of sheets on ${engine}`, () => {
    const ruleTest = ruleTestOn(engine)
    const clock = makeManualClock()
    let stage: JudgeStage
    let cast: Cast
    let drawn = 0
    before(async () => {
      const environment = {
        GUILDHALL_JUDGE_LIMITS: 'classSheets=3,sheetProblems=2,submissionComments=2',
      }
      stage = await startJudge(engine, { clock, environment })
      cast = stage.cast
    })
    after(() => stage.stop())

    async function makeClass(): Promise<string> {
      const ID = `rules-${++drawn}`
      await cast.setter.call('create_class', { ID, Name: 'Class' })
      await cast.setter.call('put_class_member', { ClassID: ID, AccountName: 'contestant', Role: 'student' })
      return ID
    }
    const makeSheet = async (ClassID: string, start: number, { UUID }: Json, times: SheetTimes): Promise<number> => {
      const { open = 0, due, late, factor = 1, ...over } = times
      const from = (time: number | undefined) => (time === undefined ? null : start + time)
      const fields = { Title: 'Sheet', OpenTime: start + open, DueTime: from(due), LateUntil: from(late) }
      const draft = { ClassID, ...fields, LateFactor: factor, IsPublished: true, ...over }
      const ProblemList = [{ UUID, Points: 10 }]
      return (await cast.setter.call('create_sheet', { ...draft, ProblemList })).Sheet.ID
    }
    async function judgeAll(): Promise<void> {
      for (;;) {
        const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
        if (!result) return
        await cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result: 1 })
      }
    }

    for (const one of cases)
      test(`handed in ${one.what}: ${one.code}${one.points === undefined ? '' : `, ${one.points} points`}`, async () => {
        const problem = await makeProblem(cast.setter)
        const { UUID } = problem
        await cast.setter.call('update_problem_judging', { UUID, Judging: { IsHeld: !one.isPublic } })
        const ClassID = await makeClass()
        const start = clock.now()
        const ids: number[] = []
        for (const times of one.sheets) ids.push(await makeSheet(ClassID, start, problem, times))
        const SheetID = ids[0]!
        if (one.extension !== undefined) {
          const given = { SheetID, AccountName: 'contestant', DueTime: start + one.extension }
          await cast.setter.call('put_extension', given)
        }
        for (const time of one.earlier ?? []) {
          clock.advance(start + time - clock.now())
          await submit(cast.contestant, UUID, { Language: one.language === 'java' ? 'c' : 'python' })
        }
        clock.advance(start + one.at - clock.now())
        const draft = { ProblemUUID: UUID, Content: 'x', Language: one.language ?? 'python' }
        assert.equal(await cast.contestant.code('create_submission', draft), one.code)
        await judgeAll()
        if (one.points === undefined) return
        const { RowList } = await cast.setter.call('get_sheet_results', { SheetID })
        assert.equal(RowList[0].CellList[0].Points, one.points)
      })

    ruleTest('a sheet has times in order, a factor from 0 to 1, and each problem once', async () => {
      const ClassID = await makeClass()
      const { UUID } = await makeProblem(cast.setter)
      const open = clock.now()
      const places = (...points: unknown[]) => points.map((Points) => ({ UUID, Points }))
      const table: readonly (readonly [object, number])[] = [
        [{}, 0],
        [{ Title: '' }, -32602],
        [{ Title: 'x'.repeat(257) }, -32602],
        [{ OpenTime: -1 }, -32602],
        [{ DueTime: open }, 0],
        [{ DueTime: open - 1 }, -32602],
        [{ LateUntil: open }, -32602],
        [{ DueTime: open + 1, LateUntil: open + 1 }, 0],
        [{ DueTime: open + 1, LateUntil: open }, -32602],
        [{ LateFactor: 0 }, 0],
        [{ LateFactor: 1 }, 0],
        [{ LateFactor: -0.1 }, -32602],
        [{ LateFactor: 1.1 }, -32602],
        [{ LanguageList: ['python'] }, 0],
        [{ LanguageList: [] }, -32602],
        [{ SubmissionLimit: 1 }, 0],
        [{ SubmissionLimit: 0 }, -32602],
        [{ SubmissionLimit: 1.5 }, -32602],
        [{ IsPublished: 1 }, -32602],
        [{ ProblemList: places(0.5) }, 0],
        [{ ProblemList: places(-1) }, -32602],
        [{ ProblemList: places(1, 1) }, -32602],
        [{ ProblemList: [{ UUID: unknownUuid(), Points: 1 }] }, 6],
      ]
      for (const [over, code] of table) {
        const { result, error } = await cast.setter.ask('create_sheet', {
          ...{ ClassID, Title: 'x', OpenTime: open, ...over },
        })
        assert.equal(error?.code ?? 0, code, `created with ${JSON.stringify(over)}`)
        if (result) await cast.setter.call('delete_sheet', { ID: result.Sheet.ID })
      }
      const { Sheet } = await cast.setter.call('create_sheet', { ClassID, Title: 'x', OpenTime: open })
      for (const [over, code] of table) {
        const none = { DueTime: null, LateUntil: null }
        assert.equal(
          await cast.setter.code('update_sheet', { ID: Sheet.ID, ...none, ...over }),
          code,
          `changed to ${JSON.stringify(over)}`,
        )
      }
    })

    ruleTest('a class has so many sheets, a sheet so many problems, a submission so many comments', async () => {
      const ClassID = await makeClass()
      const problems = [await makeProblem(cast.setter), await makeProblem(cast.setter), await makeProblem(cast.setter)]
      const listOf = (count: number) => problems.slice(0, count).map(({ UUID }) => ({ UUID, Points: 1 }))
      const draft = { ClassID, Title: 'x', OpenTime: clock.now(), IsPublished: true }
      const codes: number[] = []
      for (const count of [3, 2, 2, 2, 2])
        codes.push(await cast.setter.code('create_sheet', { ...draft, ProblemList: listOf(count) }))
      assert.deepEqual(codes, [9, 0, 0, 0, 9])
      const { SheetList } = await cast.setter.call('get_sheet_list', { ClassID })
      const { ID: SheetID } = SheetList[0]
      assert.equal(await cast.setter.code('update_sheet', { ID: SheetID, ProblemList: listOf(3) }), 9)
      const { ID } = await submit(cast.contestant, problems[0]!.UUID)
      const comment = () => cast.setter.code('put_submission_comment', { ID, Line: null, Text: 'x' })
      assert.deepEqual([await comment(), await comment(), await comment()], [0, 0, 9])
      await judgeAll()
    })
  })
