/** The rules of contests over JSON-RPC, on both databases: times, handing in, freeze and thaw, the end of it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, claim, page } from '../../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

for (const engine of engines)
  describe(`contests on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    let cast: Cast
    before(async () => {
      stage = await startContests(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())

    const board = async (ContestID: string, over: object = {}): Promise<Json> =>
      (await cast.setter.call('get_scoreboard', { ContestID, ...over })).Scoreboard
    const rowOf = async (ContestID: string, TeamID: string, over: object = {}): Promise<Json> =>
      (await board(ContestID, over)).RowList.find((row: Json) => row.TeamID === TeamID)

    test('a contest is as it was made, and changes as it is told', async () => {
      const { Contest } = await cast.setter.call('create_contest', {
        ID: 'plain',
        Name: 'Plain',
        Style: 'ioi',
        Duration: hour,
      })
      assert.deepEqual(Contest, {
        ID: 'plain',
        Name: 'Plain',
        FormalName: null,
        Style: 'ioi',
        IsPublic: false,
        IsOpen: false,
        StartTime: null,
        CountdownPause: null,
        Duration: hour,
        FreezeDuration: null,
        PenaltyMinute: 20,
        LanguageList: [],
        BoardIsHidden: false,
        ShowsProblemsToPublic: false,
        GoldMedalCount: 4,
        SilverMedalCount: 4,
        BronzeMedalCount: 4,
        WorldFinalsRanks: false,
        RemovedIntervalList: [],
        JuryList: [],
        StaffList: [],
        Owner: 'setter',
        State: 'before',
        EndTime: null,
        FrozenTime: null,
        ThawedTime: null,
        FinalizedTime: null,
        Role: 'jury',
        TeamID: null,
        ProblemList: [],
        GroupList: [],
      })
      assert.equal(
        await cast.setter.code('create_contest', { ID: 'plain', Name: 'x', Style: 'icpc', Duration: hour }),
        7,
      )
      assert.equal(
        await cast.contestant.code('create_contest', { ID: 'x', Name: 'x', Style: 'icpc', Duration: hour }),
        8,
      )
      const changed = { ID: 'plain', FreezeDuration: 600_000, JuryList: ['judge'], CountdownPause: minute }
      const { Contest: after } = await cast.setter.call('update_contest', changed)
      assert.deepEqual([after.FreezeDuration, after.JuryList, after.CountdownPause], [600_000, ['judge'], minute])
      const { Contest: again } = await cast.setter.call('update_contest', {
        ID: 'plain',
        FreezeDuration: null,
        Name: null,
      })
      assert.deepEqual([again.FreezeDuration, again.Name], [null, 'Plain'])
    })

    const faults: [why: string, change: object][] = [
      ['the freeze is longer than the contest', { FreezeDuration: 6 * hour }],
      ['a paused countdown has no start', { StartTime: 10 ** 13, CountdownPause: minute }],
      ['an interval ends before it begins', { RemovedIntervalList: [{ StartTime: 5, EndTime: 5 }] }],
      [
        'intervals overlap',
        {
          RemovedIntervalList: [
            { StartTime: 1, EndTime: 5 },
            { StartTime: 4, EndTime: 6 },
          ],
        },
      ],
      ['a contest lasts a minute at least', { Duration: 59_999 }],
      ['nobody has that name', { JuryList: ['nobody-at-all'] }],
      ['an executor is of no jury', { JuryList: ['worker'] }],
      ['a colour is #rrggbb', { PenaltyMinute: -1 }],
    ]
    test('what is no contest is refused', async () => {
      const { ContestID } = await stage.makeContest()
      for (const [why, change] of faults)
        assert.equal(await cast.setter.code('update_contest', { ID: ContestID, ...change }), -32602, why)
    })

    test('the start is moved until half a minute before the old or the new one', async () => {
      const now = () => clock.now()
      const { ContestID: ID } = await stage.makeContest({ StartTime: now() + hour })
      const move = (StartTime: number | null) => cast.setter.code('update_contest', { ID, StartTime })
      assert.equal(await move(now() + 29_999), 10)
      assert.equal(await move(now() + 30_000), 0)
      assert.equal(await move(now() + hour), 0)
      assert.equal(await move(null), 0)
      assert.equal(await move(now() + 40_000), 0)
      clock.advance(11_000)
      assert.equal(await move(now() + hour), 10)
      assert.equal(await move(null), 10)
      clock.advance(hour)
      assert.equal(await move(now() + hour), 10)
      assert.equal(await cast.setter.code('update_contest', { ID, Name: 'Renamed' }), 0)
    })

    test('only a running contest takes what its teams hand in, in its languages, 20 waiting at a time', async () => {
      const LanguageList = [{ Language: 'python', TimeFactor: 2.5 }]
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now() + hour, LanguageList })
      const draft = { ContestID, ProblemID: 'a', Language: 'python', Content: 'x' }
      const code = (by: keyof Cast, over: object = {}) =>
        cast[by].code('create_contest_submission', { ...draft, ...over })
      assert.equal(await code('contestant'), 10)
      clock.advance(hour)
      assert.equal(await code('anonymous'), 17)
      assert.equal(await code('worker'), 8)
      assert.equal(await code('colleague'), 10)
      assert.equal(await code('contestant', { Language: 'java' }), 10)
      assert.equal(await code('contestant', { ProblemID: 'z' }), 6)
      const instead = { ProblemUUID: problems.A.UUID, Language: 'python', Content: 'x' }
      assert.equal(await cast.contestant.code('create_submission', instead), 10)
      assert.equal(await cast.colleague.code('create_submission', instead), 0)
      assert.equal((await claim(cast.worker)).Author.AccountName, 'colleague')
      await cast.admin.call('update_submission', { ID: (await latest('colleague')).ID, Status: 3, Result: 1 })
      for (let i = 0; i < 20; i++) assert.equal(await code('contestant'), 0)
      assert.equal(await code('contestant'), 9)
      assert.equal(await code('rival'), 0)
      const claimed = await claim(cast.worker)
      assert.equal(claimed.TimeLimitInMillisecond, 2_500)
      assert.equal(await code('contestant'), 0)
      assert.equal(await cast.contestant.code('delete_submission', { ID: (await latest('contestant')).ID }), 10)
      assert.equal(await cast.setter.code('rejudge_submission', { ID: (await latest('contestant')).ID }), 10)
      assert.equal(await cast.setter.code('delete_problem', { UUID: problems.A.UUID }), 10)
      assert.equal(await cast.setter.code('delete_contest', { ID: ContestID }), 10)
      assert.equal(await cast.setter.code('delete_contest_team', { ContestID, ID: 't1' }), 10)
      assert.equal(await cast.setter.code('delete_contest_problem', { ContestID, ID: 'a' }), 10)
      assert.equal(await cast.setter.code('delete_contest_problem', { ContestID, ID: 'b' }), 0)
      clock.advance(5 * hour)
      assert.equal(await code('rival'), 10)
      await judgeAll()
    })
    const latest = async (name: keyof Cast): Promise<Json> =>
      (await cast.admin.call('get_account_submission_snippet_list', { AccountID: stage.idOf(name), ...page() }))
        .SubmissionSnippetList[0]
    async function judgeAll(Result = 1): Promise<void> {
      for (;;) {
        const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
        if (!result) break
        await cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result })
      }
      const { SubmissionSnippetList } = await cast.admin.call('find_submission_snippet_list', { Status: 2, Limit: 100 })
      for (const { ID } of SubmissionSnippetList) await cast.admin.ask('update_submission', { ID, Status: 3, Result })
    }

    test('a removed interval stops the contest time, and one after the end reopens it', async () => {
      const start = clock.now()
      const { ContestID } = await stage.makeContest({ StartTime: start, Duration: hour })
      clock.advance(30 * minute)
      await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      await until(async () => (await rowOf(ContestID, 't1')).Penalty === 30)
      const RemovedIntervalList = [{ StartTime: start + 10 * minute, EndTime: start + 20 * minute }]
      const { Contest } = await cast.setter.call('update_contest', { ID: ContestID, RemovedIntervalList })
      assert.equal(Contest.EndTime, start + 70 * minute)
      await until(async () => (await rowOf(ContestID, 't1')).Penalty === 20)
      clock.advance(40 * minute)
      const draft = { ContestID, ProblemID: 'b', Language: 'python', Content: 'x' }
      assert.equal(await cast.contestant.code('create_contest_submission', draft), 10)
      const longer = [...RemovedIntervalList, { StartTime: start + 65 * minute, EndTime: start + 68 * minute }]
      await cast.setter.call('update_contest', { ID: ContestID, RemovedIntervalList: longer })
      assert.equal(await cast.contestant.code('create_contest_submission', draft), 0)
      await judgeAll()
    })

    test('frozen by hand and by time, thawed before the end only by force', async () => {
      const { ContestID } = await stage.makeContest({
        StartTime: clock.now(),
        Duration: hour,
        FreezeDuration: 20 * minute,
      })
      const freeze = () => cast.setter.code('freeze_contest', { ContestID })
      const unfreeze = (over: object = {}) => cast.setter.code('unfreeze_contest', { ContestID, ...over })
      assert.equal(await unfreeze(), 10)
      assert.equal(await cast.contestant.code('freeze_contest', { ContestID }), 8)
      assert.equal(await freeze(), 0)
      assert.equal(await freeze(), 10)
      assert.equal(await unfreeze(), 10)
      assert.equal(await unfreeze({ Force: true }), 0)
      assert.equal(await freeze(), 0)
      assert.equal(await unfreeze({ Force: true }), 0)
      clock.advance(hour)
      assert.equal(await freeze(), 10)
      const other = await stage.makeContest({ StartTime: clock.now(), Duration: hour, FreezeDuration: 20 * minute })
      clock.advance(41 * minute)
      const state = async () => (await cast.anonymous.call('get_contest', { ID: other.ContestID })).Contest.State
      assert.equal(await state(), 'frozen')
      clock.advance(hour)
      assert.equal(await state(), 'ended')
      assert.equal(await cast.setter.code('unfreeze_contest', { ContestID: other.ContestID }), 0)
      assert.equal(await state(), 'thawed')
      assert.equal(await cast.setter.code('unfreeze_contest', { ContestID: other.ContestID }), 10)
    })

    test('it is finalized when all is settled, and then nothing changes until an admin reopens it', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const finalize = () => cast.setter.code('finalize_contest', { ContestID })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      const { Clarification } = await cast.rival.call('create_clarification', { ContestID, Text: 'Why?' })
      assert.equal(await finalize(), 10)
      clock.advance(hour)
      assert.equal(await finalize(), 10)
      await stage.judgeNext(9)
      assert.equal(await finalize(), 10)
      await cast.setter.call('ignore_submission', { ID, IsIgnored: true })
      assert.equal(await finalize(), 10)
      await cast.setter.call('create_clarification', { ContestID, Text: 'So.', ReplyTo: Clarification.ID })
      assert.equal(await cast.contestant.code('finalize_contest', { ContestID }), 8)
      assert.equal(await finalize(), 0)
      const changes: [string, object][] = [
        ['update_contest', { ID: ContestID, Name: 'x' }],
        ['put_contest_team', { ContestID, ID: 't9', Name: 'Nine' }],
        ['put_contest_group', { ContestID, ID: 'g', Name: 'G' }],
        ['put_contest_organisation', { ContestID, ID: 'o', Name: 'O' }],
        ['delete_contest_team', { ContestID, ID: 't2' }],
        ['create_clarification', { ContestID, Text: 'x' }],
        ['ignore_submission', { ID, IsIgnored: false }],
        ['create_rejudging', { ContestID, Reason: 'x' }],
        ['freeze_contest', { ContestID }],
        ['finalize_contest', { ContestID }],
      ]
      for (const [method, params] of changes) assert.equal(await cast.setter.code(method, params), 10, method)
      assert.equal(await cast.admin.code('delete_submission', { ID }), 10)
      assert.equal(await cast.setter.code('reopen_contest', { ContestID }), 8)
      assert.equal(await cast.admin.code('reopen_contest', { ContestID }), 0)
      assert.equal(await cast.admin.code('reopen_contest', { ContestID }), 10)
      assert.equal(await cast.setter.code('update_contest', { ID: ContestID, Name: 'x' }), 0)
    })

    test('an override needs the caller’s own password and a judged submission', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      const override = { ID, Result: 6, Reason: 'It reads the answer' }
      const code = (over: object) => cast.admin.code('override_result', { ...override, ...over })
      assert.equal(await code({ Password: admin.password }), 10)
      await stage.judgeNext(1)
      assert.equal(await code({ Password: 'something else' }), 8)
      assert.equal(await cast.rival.code('override_result', { ...override, Password: 'x'.repeat(8) }), 8)
      await until(async () => (await rowOf(ContestID, 't1')).NumSolved === 1)
      assert.equal(await code({ Password: admin.password }), 0)
      await until(async () => (await rowOf(ContestID, 't1')).NumSolved === 0)
      assert.equal((await cast.contestant.call('get_submission', { ID })).Submission.Result, 6)
      const [cell] = (await rowOf(ContestID, 't1')).CellList
      assert.deepEqual([cell.NumJudged, cell.NumPending, cell.IsSolved], [1, 0, false])
    })

    test('a rejudging is unseen until it is applied, and leaves nothing when it is cancelled', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(6)
      const seen = async (by: keyof Cast) => {
        const { Submission } = await cast[by].call('get_submission', { ID })
        return [Submission.Status, Submission.Result]
      }
      const make = async (): Promise<Json> =>
        (await cast.setter.call('create_rejudging', { ContestID, ProblemID: 'a', Reason: 'A test was wrong' }))
          .Rejudging
      const first = await make()
      assert.deepEqual([first.TotalSubmissionCount, first.JudgedSubmissionCount, first.State], [1, 0, 'open'])
      const again = { ContestID, Reason: 'x' }
      assert.equal(await cast.setter.code('create_rejudging', again), 10)
      assert.equal(await cast.setter.code('apply_rejudging', { ContestID, ID: first.ID }), 10)
      for (const by of ['contestant', 'setter', 'rival'] as const) assert.deepEqual(await seen(by), [3, 6], by)
      await stage.judgeNext(1)
      for (const by of ['contestant', 'setter', 'rival'] as const) assert.deepEqual(await seen(by), [3, 6], by)
      const { SubmissionList } = await cast.setter.call('get_rejudging', { ContestID, ID: first.ID })
      const change = { SubmissionID: ID, TeamID: 't1', ProblemID: 'a', OldResult: 6, NewResult: 1 }
      assert.deepEqual(SubmissionList, [change])
      assert.equal(await cast.contestant.code('get_rejudging', { ContestID, ID: first.ID }), 8)
      await cast.setter.call('cancel_rejudging', { ContestID, ID: first.ID })
      assert.deepEqual(await seen('contestant'), [3, 6])
      assert.equal(await cast.setter.code('apply_rejudging', { ContestID, ID: first.ID }), 10)
      const second = await make()
      const held = await claim(cast.worker)
      await cast.setter.call('cancel_rejudging', { ContestID, ID: second.ID })
      const late = { ID: held.ID, Status: 3, Result: 1, Lease: held.Lease }
      assert.equal(await cast.worker.code('update_submission', late), 10)
      const third = await make()
      await stage.judgeNext(1)
      await cast.setter.call('apply_rejudging', { ContestID, ID: third.ID })
      assert.deepEqual(await seen('rival'), [3, 1])
      await until(async () => (await rowOf(ContestID, 't1')).NumSolved === 1)
      const { RejudgingList } = await cast.setter.call('get_rejudging_list', { ContestID, ...page() })
      assert.deepEqual(
        RejudgingList.map(({ State }: Json) => State),
        ['applied', 'cancelled', 'cancelled'],
      )
    })

    test('an account is in one team, and joins an open contest by itself', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), IsOpen: true })
      const put = (over: object) =>
        cast.setter.code('put_contest_team', { ContestID, ID: 't3', Name: 'Three', ...over })
      assert.equal(await put({ AccountNameList: ['rival'] }), 7)
      const names: [AccountNameList: string[], Reason: string][] = [
        [['worker'], "names worker, which is an executor's account"],
        [['nobody-at-all'], 'names nobody-at-all, and there is no such account'],
        [['colleague', 'colleague'], 'names colleague twice'],
      ]
      for (const [AccountNameList, Reason] of names) {
        const { error } = await cast.setter.ask('put_contest_team', { ContestID, ID: 't3', Name: 'T', AccountNameList })
        assert.deepEqual([error.code, error.data.Errors], [-32602, [{ Field: 'AccountNameList', Reason }]])
      }
      assert.equal(await put({ OrganisationID: 'none' }), 6)
      assert.equal(await put({ GroupIDList: ['none'] }), 6)
      assert.equal(await cast.contestant.code('join_contest', { ContestID }), 7)
      assert.equal(await cast.worker.code('join_contest', { ContestID }), 8)
      const { Team } = await cast.colleague.call('join_contest', { ContestID })
      assert.deepEqual([Team.ID, Team.AccountNameList], ['colleague', ['colleague']])
      const closed = await stage.makeContest({ StartTime: clock.now() })
      assert.equal(await cast.colleague.code('join_contest', { ContestID: closed.ContestID }), 10)
    })

    test('the jury sets new passwords for the teams’ accounts that it created itself, and for nobody else’s', async () => {
      const { ContestID } = await stage.makeContest()
      const sessionOf = async (name: 'setter' | 'colleague') => {
        await stage.services.accounts.amend((await stage.services.accounts.findByName(name))!, {
          password: 'correct horse',
        })
        return makeRpcClient(stage.url).signIn(name, 'correct horse')
      }
      const [owner, stranger] = [await sessionOf('setter'), await sessionOf('colleague')]
      const made = async (AccountName: string, by: RpcClient) => {
        const draft = { AccountName, DisplayName: 'Owls', Role: 'contestant', Password: 'first horse' }
        return (await by.call('create_account', draft)).Account.ID as number
      }
      const [ID, other] = [await made('slip-a', owner), await made('slip-b', stranger)]
      const fresh = { ID, Password: 'second horse' }
      assert.equal(await owner.code('update_account', fresh), 8, 'it is in no team yet')
      const AccountNameList = ['slip-a', 'slip-b']
      await owner.call('put_contest_team', { ContestID, ID: 'slips', Name: 'Owls', AccountNameList })
      const listOf = async (by: RpcClient) => {
        const { TeamList } = await by.call('get_contest_team_list', { ContestID, ...page() })
        return TeamList.find((team: Json) => team.ID === 'slips').PasswordAccountList
      }
      assert.deepEqual(await listOf(owner), [{ ID, AccountName: 'slip-a' }])
      assert.deepEqual(await listOf(cast.anonymous), [])
      assert.deepEqual(await listOf(cast.admin), [
        { ID, AccountName: 'slip-a' },
        { ID: other, AccountName: 'slip-b' },
      ])
      assert.equal(await owner.code('update_account', { ...fresh, ID: other }), 8, 'somebody else created it')
      assert.equal(await stranger.code('update_account', { ...fresh, ID: other }), 8, 'of no jury')
      assert.equal(await owner.code('update_account', { ...fresh, DisplayName: 'x' }), 8)
      assert.equal(await cast.setter.code('update_account', fresh), 8, 'a token sets no password')
      assert.equal(await owner.code('update_account', fresh), 0)
      await cast.anonymous.signIn('slip-a', 'second horse')
      await cast.admin.call('update_account', { ID, Role: 'problem_setter' })
      assert.deepEqual(await listOf(owner), [])
      assert.equal(await owner.code('update_account', fresh), 8, 'no contestant any more')
    })

    test('clarifications reach whom they are for, and an answer closes the question', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      await cast.setter.call('put_contest_group', { ContestID, ID: 'g', Name: 'G' })
      const rival = { ContestID, ID: 't2', Name: 'Two', AccountNameList: ['rival'], GroupIDList: ['g'] }
      await cast.setter.call('put_contest_team', rival)
      const seen = async (by: keyof Cast): Promise<string[]> =>
        (await cast[by].call('get_clarification_list', { ContestID, ...page() })).ClarificationList.map(
          ({ Text, ReplyTo }: Json) => `${Text}${ReplyTo === null ? '' : ' (reply)'}`,
        )
      const say = async (by: keyof Cast, Text: string, over: object = {}): Promise<Json> =>
        (await cast[by].call('create_clarification', { ContestID, Text, ...over })).Clarification
      const question = await say('contestant', 'question', { ProblemID: 'a' })
      await say('setter', 'answer', { ReplyTo: question.ID })
      await say('setter', 'to group', { ToGroupIDList: ['g'] })
      await say('setter', 'to two', { ToTeamIDList: ['t2'] })
      await say('setter', 'to all', { ReplyTo: question.ID, ToTeamIDList: [], ToGroupIDList: [] })
      assert.deepEqual(await seen('contestant'), ['to all (reply)', 'answer (reply)', 'question'])
      assert.deepEqual(await seen('rival'), ['to all', 'to two', 'to group'])
      for (const by of ['anonymous', 'colleague'] as const) assert.deepEqual(await seen(by), ['to all'], by)
      assert.equal((await seen('setter')).length, 5)
      const code = (by: keyof Cast, over: object = {}) =>
        cast[by].code('create_clarification', { ContestID, Text: 'x', ...over })
      assert.equal(await code('anonymous'), 17)
      assert.equal(await code('colleague'), 8)
      assert.equal(await code('contestant', { ToTeamIDList: ['t2'] }), 8)
      assert.equal(await code('contestant', { Text: 'x'.repeat(10_001) }), -32602)
      assert.equal(await code('contestant', { ProblemID: 'z' }), 6)
      assert.equal(await code('setter', { ReplyTo: 10 ** 9 }), 6)
    })

    test('before the start a team does not learn by asking which problems there are', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() + hour, Duration: hour })
      const ask = (ProblemID: string) =>
        cast.contestant.code('create_clarification', { ContestID, ProblemID, Text: 'x' })
      assert.deepEqual([await ask('a'), await ask('z')], [6, 6])
      clock.advance(hour)
      assert.deepEqual([await ask('a'), await ask('z')], [0, 6])
    })

    test('balloons are made for what the public sees solved, withdrawn, and never made by the thaw', async () => {
      const { ContestID } = await stage.makeContest({
        StartTime: clock.now(),
        Duration: hour,
        FreezeDuration: 30 * minute,
      })
      const list = async (): Promise<Json[]> =>
        (await stage.staff.call('get_balloon_list', { ContestID, ...page() })).BalloonList
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const [balloon] = await list()
      assert.deepEqual([balloon.TeamID, balloon.ProblemID, balloon.IsDone], ['t1', 'a', false])
      await until(async () => (await list())[0]!.IsFirst)
      await stage.staff.call('update_balloon', { ContestID, ID: balloon.ID, IsDone: true })
      await cast.setter.call('ignore_submission', { ID, IsIgnored: true })
      assert.deepEqual(
        (await list()).map(({ IsDone, IsWithdrawn }) => [IsDone, IsWithdrawn]),
        [[true, true]],
      )
      await cast.setter.call('ignore_submission', { ID, IsIgnored: false })
      assert.equal((await list())[0]!.IsWithdrawn, false)
      clock.advance(31 * minute)
      await handIn(cast.rival, ContestID, 'a')
      await stage.judgeNext(1)
      assert.equal((await list()).length, 1)
      clock.advance(hour)
      await cast.setter.call('unfreeze_contest', { ContestID })
      assert.equal((await list()).length, 1)
      for (const by of ['contestant', 'colleague'] as const)
        assert.equal(await cast[by].code('get_balloon_list', { ContestID, ...page() }), 8)
      assert.equal(await cast.anonymous.code('get_balloon_list', { ContestID, ...page() }), 17)
    })
  })
