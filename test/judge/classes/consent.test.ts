/** Nobody is bound to a class or a contest by another: what a teacher or a jury can do to those who never accepted, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claim,
  finish,
  type JudgeStage,
  makeProblem,
  page,
  startJudge,
  submit,
} from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'

const minute = 60_000

for (const engine of engines)
  describe(`consent on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: JudgeStage
    let cast: Cast
    let drawn = 0
    /** The setter is a stranger to contestant and rival; the colleague's problems are everybody's. */
    before(async () => {
      stage = await startJudge(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())

    async function makeSheet(problem: Json, over: object = {}): Promise<{ ClassID: string; SheetID: number }> {
      const ClassID = `strange-${++drawn}`
      await cast.setter.call('create_class', { ID: ClassID, Name: 'Strange' })
      for (const AccountName of ['contestant', 'rival'])
        await cast.setter.call('put_class_member', { ClassID, AccountName, Role: 'student' })
      const ProblemList = [{ UUID: problem.UUID, Points: 10 }]
      const draft = { ClassID, Title: 'Strange', OpenTime: clock.now(), IsPublished: true, ProblemList, ...over }
      const { Sheet } = await cast.setter.call('create_sheet', draft)
      return { ClassID, SheetID: Sheet.ID }
    }
    const contentTo = async (by: RpcClient, ID: number) => (await by.call('get_submission', { ID })).Submission.Content
    const rowOf = async (SheetID: number, name: string): Promise<Json> =>
      (await cast.setter.call('get_sheet_results', { SheetID })).RowList.find(
        ({ AccountName }: Json) => AccountName === name,
      )
    async function judgeAll(): Promise<void> {
      for (;;) {
        const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
        if (!result) return
        await cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result: 1 })
      }
    }

    test('who was put in is a member at once, and is invited', async () => {
      const problem = await makeProblem(cast.colleague)
      const { ClassID, SheetID } = await makeSheet(problem)
      const { MemberList } = await cast.setter.call('get_class_member_list', { ClassID })
      assert.deepEqual(
        MemberList.map(({ AccountName, IsInvited }: Json) => [AccountName, IsInvited]),
        [
          ['setter', false],
          ['contestant', true],
          ['rival', true],
        ],
      )
      const own = async () =>
        (await cast.contestant.call('get_class_list')).ClassList.find(({ ID }: Json) => ID === ClassID)?.IsInvited
      assert.equal(await own(), true)
      assert.equal((await cast.contestant.call('get_sheet', { ID: SheetID })).Sheet.Title, 'Strange')
      const { Class } = await cast.contestant.call('accept_class_invitation', { ClassID })
      assert.equal(Class.IsInvited, false)
      assert.equal(await own(), false)
      assert.equal(await cast.contestant.code('accept_class_invitation', { ClassID }), 0, 'once more changes nothing')
      await cast.setter.call('update_class', { ID: ClassID, IsArchived: true })
      assert.equal(await cast.rival.code('accept_class_invitation', { ClassID }), 10)
      assert.equal(await cast.rival.code('delete_class_member', { ClassID, AccountName: 'rival' }), 0)
      assert.equal(await own(), false)
      assert.equal(await cast.rival.code('accept_class_invitation', { ClassID }), 6)
    })

    test('a stranger’s sheet over a public problem reads, refuses, keeps and hides nothing before it is accepted', async () => {
      const problem = await makeProblem(cast.colleague)
      const { ClassID, SheetID } = await makeSheet(problem, { SubmissionLimit: 1, LanguageList: ['python'] })
      const other = await submit(cast.rival, problem.UUID, { Content: 'theirs' })
      const first = await submit(cast.contestant, problem.UUID, { Content: 'mine' })
      const second = await submit(cast.contestant, problem.UUID, { Language: 'c' })
      await judgeAll()
      assert.equal(await contentTo(cast.setter, first.ID), '')
      assert.equal(await cast.setter.code('get_submission_report', { ID: first.ID }), 8)
      assert.equal(await cast.setter.code('put_submission_comment', { ID: first.ID, Text: 'x' }), 8)
      const alike = await cast.setter.call('get_similarity', { SheetID, UUID: problem.UUID })
      assert.deepEqual([alike.ComparedCount, alike.LeftOutCount], [0, 0])
      assert.equal(await cast.contestant.code('get_submission', { ID: other.ID }), 0, 'others are not hidden')
      const list = { ProblemUUID: problem.UUID, ...page() }
      assert.equal((await cast.contestant.call('get_problem_submission_snippet_list', list)).TotalSubmissionCount, 3)
      assert.equal(await cast.contestant.code('delete_submission', { ID: second.ID }), 0)
      assert.deepEqual(
        (await rowOf(SheetID, 'contestant')).CellList[0].Points,
        10,
        'the verdict is everybody’s to know',
      )
      await cast.setter.call('put_mark', { SheetID, AccountName: 'contestant', UUID: problem.UUID, Points: 1 })
      assert.deepEqual((await cast.contestant.call('get_sheet_news')).NewsList, [])

      await cast.contestant.call('accept_class_invitation', { ClassID })
      assert.equal(await contentTo(cast.setter, first.ID), 'mine')
      assert.equal(await cast.contestant.code('delete_submission', { ID: first.ID }), 10)
      assert.equal(await cast.contestant.code('get_submission', { ID: other.ID }), 6)
      const again = { ProblemUUID: problem.UUID, Language: 'python', Content: 'x' }
      assert.equal(await cast.contestant.code('create_submission', again), 10)
      assert.equal((await cast.contestant.call('get_sheet_news')).NewsList[0].SheetID, SheetID)
    })

    test('of a scored problem of another only the verdict counts before it is accepted', async () => {
      const problem = await makeProblem(cast.colleague)
      const judging = { UUID: problem.UUID, Judging: { IsScored: true, MaximumScore: 2 } }
      await cast.colleague.call('update_problem_judging', judging)
      const { ClassID, SheetID } = await makeSheet(problem)
      const { ID } = await submit(cast.contestant, problem.UUID)
      await stage.services.store.write((trx) =>
        trx
          .updateTable('submission')
          .set({ status: 3, result: 6, score: 1_000_000, maximum_score: 2_000_000 })
          .where('id', '=', ID)
          .execute(),
      )
      assert.equal((await rowOf(SheetID, 'contestant')).CellList[0].Points, 0)
      await cast.contestant.call('accept_class_invitation', { ClassID })
      assert.equal((await rowOf(SheetID, 'contestant')).CellList[0].Points, 5)
    })

    test('a problem of the teacher’s own binds those whom they put in, as a class is used', async () => {
      const problem = await makeProblem(cast.setter)
      const { SheetID } = await makeSheet(problem, { SubmissionLimit: 1 })
      const { ID } = await submit(cast.contestant, problem.UUID, { Content: 'mine' })
      await judgeAll()
      const again = { ProblemUUID: problem.UUID, Language: 'python', Content: 'x' }
      assert.equal(await cast.contestant.code('create_submission', again), 10)
      assert.equal(await cast.contestant.code('delete_submission', { ID }), 10)
      assert.equal((await rowOf(SheetID, 'contestant')).CellList[0].BestID, ID)
      assert.equal(await cast.rival.code('get_submission', { ID }), 6)
    })

    test('a code, an admin and a roster that made the account need no consent; a demoted teacher’s is asked', async () => {
      const ClassID = `mixed-${++drawn}`
      const { JoinCode } = (await cast.setter.call('create_class', { ID: ClassID, Name: 'Mixed', HasJoinCode: true }))
        .Class
      const invited = async (AccountName: string): Promise<boolean> => {
        const { MemberList } = await cast.setter.call('get_class_member_list', { ClassID })
        return MemberList.find((one: Json) => one.AccountName === AccountName).IsInvited
      }
      const put = (by: RpcClient, AccountName: string, over: object = {}) =>
        by.call('put_class_member', { ClassID, AccountName, Role: 'student', ...over })
      await put(cast.setter, 'contestant')
      assert.equal(await invited('contestant'), true)
      await cast.contestant.call('join_class', { JoinCode })
      assert.equal(await invited('contestant'), false)
      await put(cast.setter, 'contestant', { RosterName: 'Cora' })
      assert.equal(await invited('contestant'), false, 'who accepted is not asked again')
      await put(cast.admin, 'rival')
      assert.equal(await invited('rival'), false)
      await put(cast.setter, 'colleague', { Role: 'teacher' })
      assert.equal(await invited('colleague'), false)
      await put(cast.setter, 'colleague')
      assert.equal(await invited('colleague'), true)
      const text = { ClassID, Text: `Login,Name\nfresh-${engine},Fresh\n`, IsDryRun: false }
      await cast.setter.call('import_roster', text)
      assert.equal(await invited(`fresh-${engine}`), false)
      const second = `second-${++drawn}`
      await cast.setter.call('create_class', { ID: second, Name: 'Second' })
      const again = { ClassID: second, Text: `Login,Name\nfresh-${engine},Fresh\nrival,Rita\n`, IsDryRun: false }
      await cast.setter.call('import_roster', again)
      const { MemberList } = await cast.setter.call('get_class_member_list', { ClassID: second })
      assert.deepEqual(
        MemberList.map(({ RosterName, IsInvited }: Json) => [RosterName, IsInvited]),
        [
          ['setter', false],
          ['Fresh', false],
          ['Rita', true],
        ],
      )
      const theirs = `theirs-${++drawn}`
      await cast.colleague.call('create_class', { ID: theirs, Name: 'Theirs' })
      const fresh = { ClassID: theirs, AccountName: `fresh-${engine}`, Role: 'student' }
      assert.equal((await cast.colleague.call('put_class_member', fresh)).Member.IsInvited, true, 'another’s pupil')
    })

    test('a stranger’s roster takes nobody’s name', async () => {
      const ClassID = `names-${++drawn}`
      await cast.setter.call('create_class', { ID: ClassID, Name: 'Names' })
      const put = (AccountName: string, RosterName: string) =>
        cast.setter.call('put_class_member', { ClassID, AccountName, Role: 'student', RosterName })
      await put('contestant', 'x')
      await put('rival', 'Contessa')
      const rename = { ID: stage.idOf('contestant'), DisplayName: 'Contessa' }
      assert.equal(await cast.contestant.code('update_account', rename), 0)
      assert.equal(await cast.contestant.code('update_account', { ...rename, DisplayName: 'contestant' }), 0)
    })

    test('what counted stays when its author leaves, and what is handed in afterwards is theirs', async () => {
      const problem = await makeProblem(cast.colleague)
      const { ClassID, SheetID } = await makeSheet(problem, { DueTime: clock.now() + 10 * minute })
      await cast.contestant.call('accept_class_invitation', { ClassID })
      const counted = await submit(cast.contestant, problem.UUID)
      await judgeAll()
      clock.advance(minute)
      const before = await rowOf(SheetID, 'contestant')
      assert.deepEqual([before.HasLeft, before.Total], [false, 10])
      await cast.contestant.call('delete_class_member', { ClassID, AccountName: 'contestant' })
      assert.deepEqual(await rowOf(SheetID, 'contestant'), { ...before, HasLeft: true })
      assert.equal(await cast.contestant.code('get_submission', { ID: counted.ID }), 0, 'they still read it')
      clock.advance(minute)
      const later = await submit(cast.contestant, problem.UUID)
      await judgeAll()
      assert.deepEqual(await rowOf(SheetID, 'contestant'), { ...before, HasLeft: true }, 'nothing later is shown')
      assert.equal(await contentTo(cast.setter, later.ID), '')
      assert.equal(await contentTo(cast.setter, counted.ID), 'print(3)')
      assert.equal(await cast.contestant.code('delete_submission', { ID: later.ID }), 0)
      assert.equal(await cast.contestant.code('delete_submission', { ID: counted.ID }), 10)
      await cast.setter.call('delete_sheet', { ID: SheetID, IsForced: true })
      assert.equal(await cast.contestant.code('delete_submission', { ID: counted.ID }), 0)
    })

    test('a held problem closes to who left the class, and who comes back has what counted before', async () => {
      const problem = await makeProblem(cast.setter)
      await cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: true } })
      const { ClassID, SheetID } = await makeSheet(problem, { DueTime: clock.now() + 10 * minute })
      await cast.contestant.call('accept_class_invitation', { ClassID })
      const { ID } = await submit(cast.contestant, problem.UUID)
      await judgeAll()
      const before = await rowOf(SheetID, 'contestant')
      clock.advance(minute)
      await cast.contestant.call('delete_class_member', { ClassID, AccountName: 'contestant' })
      assert.equal(await contentTo(cast.contestant, ID), 'print(3)', 'they open what counted')
      const AccountID = stage.idOf('contestant')
      const lists = async (by: RpcClient) => [
        await by.call('get_submission_snippet_list', page()),
        await by.call('get_account_submission_snippet_list', { AccountID, ...page() }),
      ]
      const find = async (by: RpcClient) => by.call('find_submission_snippet_list', { AccountID, Limit: 100 })
      const has = ({ SubmissionSnippetList }: Json) => SubmissionSnippetList.some((one: Json) => one.ID === ID)
      const countOf = ({ TotalSubmissionCount }: Json): number => TotalSubmissionCount
      const told = await lists(cast.contestant)
      assert.deepEqual(told.map(has), [true, true], 'and find it in their own lists')
      assert.deepEqual(
        told.map(countOf),
        told.map(({ SubmissionSnippetList }) => SubmissionSnippetList.length),
      )
      assert.equal(has(await find(cast.contestant)), true)
      assert.deepEqual((await lists(cast.rival)).map(has), [false, false], 'which is nobody else’s')
      assert.equal(has(await find(cast.rival)), false)
      await stage.services.judge.counts.fold()
      assert.deepEqual(await lists(cast.contestant), told, 'counted in blocks, too')
      const seen = await stage.services.judge.findVisibility([ID])
      const actorOf = async (name: string) => ({ account: (await stage.services.accounts.findByName(name))! }) as never
      assert.deepEqual(
        [seen(await actorOf('contestant'), ID), seen(await actorOf('rival'), ID)],
        ['shown', 'hidden'],
        'and hear of it',
      )
      assert.equal(await cast.contestant.code('get_problem', { UUID: problem.UUID }), 6)
      assert.equal(await cast.rival.code('get_submission', { ID }), 6)
      const again = { ProblemUUID: problem.UUID, Language: 'python', Content: 'x' }
      assert.equal(await cast.contestant.code('create_submission', again), 6)
      const draft = { ClassID, AccountName: 'contestant', Role: 'student', RosterName: before.RosterName }
      await cast.setter.call('put_class_member', draft)
      await cast.contestant.call('accept_class_invitation', { ClassID })
      assert.deepEqual(await rowOf(SheetID, 'contestant'), before)
    })

    test('of a student who was removed the grades stay, and of one who never accepted nothing', async () => {
      const [first, second] = [await makeProblem(cast.colleague), await makeProblem(cast.colleague)]
      const { ClassID, SheetID } = await makeSheet(first, { DueTime: clock.now() + minute })
      await cast.contestant.call('accept_class_invitation', { ClassID })
      for (const by of [cast.contestant, cast.rival]) await submit(by, first.UUID)
      await submit(cast.contestant, second.UUID)
      await judgeAll()
      await cast.setter.call('put_mark', { SheetID, AccountName: 'contestant', UUID: first.UUID, Points: 7 })
      const before = await rowOf(SheetID, 'contestant')
      clock.advance(1)
      for (const AccountName of ['contestant', 'rival'])
        await cast.setter.call('delete_class_member', { ClassID, AccountName })
      const rows = async () => (await cast.setter.call('get_sheet_results', { SheetID })).RowList
      assert.deepEqual(await rows(), [{ ...before, HasLeft: true }])
      const both = [first, second].map(({ UUID }) => ({ UUID, Points: 10 }))
      await cast.setter.call('update_sheet', { ID: SheetID, ProblemList: both, DueTime: null })
      const [row] = await rows()
      assert.equal(row.CellList[1].Points, null, 'a problem that is added later shows nothing of them')
      assert.equal(await cast.setter.code('delete_sheet', { ID: SheetID }), 10)
      const file = await fetch(`${stage.url}/-/judge/sheets/${SheetID}/results.csv`, {
        headers: { authorization: `Bearer ${cast.setter.token}` },
      })
      assert.match(await file.text(), /contestant,contestant,7,/)
      assert.equal(await cast.contestant.code('get_sheet_results', { SheetID }), 6)
      assert.equal(
        await cast.setter.code('put_mark', { SheetID, AccountName: 'rival', UUID: first.UUID, Points: 1 }),
        6,
      )
    })

    test('who joins by a code shows teachers what is handed in from then on, and no sheet made later binds who left', async () => {
      const problem = await makeProblem(cast.colleague)
      const early = await submit(cast.contestant, problem.UUID, { Content: 'early' })
      await judgeAll()
      clock.advance(minute)
      const ClassID = `code-${++drawn}`
      const { JoinCode } = (await cast.setter.call('create_class', { ID: ClassID, Name: 'Code', HasJoinCode: true }))
        .Class
      const ProblemList = [{ UUID: problem.UUID, Points: 1 }]
      const draft = { ClassID, Title: 'Trap', OpenTime: 0, IsPublished: true, ProblemList }
      const ready = await cast.setter.call('create_sheet', { ...draft, IsPublished: false })
      await cast.contestant.call('join_class', { JoinCode })
      await cast.contestant.call('delete_class_member', { ClassID, AccountName: 'contestant' })
      clock.advance(minute)
      const { Sheet } = await cast.setter.call('create_sheet', draft)
      await cast.setter.call('update_sheet', { ID: ready.Sheet.ID, IsPublished: true })
      assert.equal(await cast.contestant.code('delete_submission', { ID: early.ID }), 0)

      const before = await submit(cast.rival, problem.UUID, { Content: 'before' })
      clock.advance(minute)
      await cast.rival.call('join_class', { JoinCode })
      const alike = await cast.setter.call('get_similarity', { SheetID: Sheet.ID, UUID: problem.UUID })
      assert.equal(alike.ComparedCount, 0)
      const after = await submit(cast.rival, problem.UUID, { Content: 'after' })
      await judgeAll()
      const contents = [await contentTo(cast.setter, before.ID), await contentTo(cast.setter, after.ID)]
      assert.deepEqual(contents, ['', 'after'])
    })

    test('a team that a stranger made binds nobody outside its contest, and nobody hands in under their name', async () => {
      const [public_, own] = [await makeProblem(cast.colleague), await makeProblem(cast.setter)]
      const ContestID = `strange-${++drawn}`
      const draft = { ID: ContestID, Name: 'Strange', Style: 'icpc', Duration: 60 * minute, IsPublic: true }
      await cast.setter.call('create_contest', { ...draft, StartTime: clock.now() })
      for (const [Ordinal, [ID, { UUID }]] of Object.entries({ a: public_, b: own }).entries())
        await cast.setter.call('put_contest_problem', { ContestID, ID, Label: ID, UUID, Ordinal, Colour: '#00ff00' })
      const team = { ContestID, ID: 't', Name: 'T', AccountNameList: ['contestant'] }
      await cast.setter.call('put_contest_team', team)
      const hand = ({ UUID }: Json) =>
        cast.contestant.code('create_submission', { ProblemUUID: UUID, Language: 'python', Content: 'x' })
      assert.deepEqual([await hand(public_), await hand(own)], [0, 10])

      const byJury = async () => {
        const judged = stage.services.judge.contestSubmissions
        const account = (await stage.services.accounts.findByName('setter'))!
        const jury = { account, credential: { kind: 'session' } } as never
        const proxy = { problemId: 'a', language: 'python', content: 'x', teamId: 't', time: clock.now() }
        return (await judged.createFor(jury, ContestID, proxy)).author.name
      }
      assert.equal(await byJury(), 'setter')
      await cast.contestant.call('create_contest_submission', {
        ContestID,
        ProblemID: 'a',
        Language: 'python',
        Content: 'x',
      })
      assert.equal(await hand(public_), 10)
      await cast.setter.call('put_contest_team', { ...team, Name: 'New' })
      assert.equal(await hand(public_), 10, 'who has taken part is not asked again')
      assert.equal(await byJury(), 'contestant')
      await finish(cast.worker, (await claim(cast.worker)).ID)
    })
  })
