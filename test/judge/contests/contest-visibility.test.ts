/** Who sees what of a contest: the table written by hand, run against the server in every state, for everybody. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, page } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

/**
 * The team is the contestant's, the other team the rival's, the staff are carriers. The outsider takes part in nothing. The
 * colleague set problem B and is not of the jury; the setter owns the contest.
 */
const people = ['anonymous', 'outsider', 'team', 'other', 'staff', 'colleague', 'judge', 'setter', 'admin'] as const
type Who = (typeof people)[number]
const states = ['running', 'frozen', 'ended', 'thawed', 'finalized'] as const
type State = (typeof states)[number]

const jury: readonly Who[] = ['judge', 'setter', 'admin']
const isJury = (who: Who) => jury.includes(who)

/** The colleague set the problem, and is like the public until the thaw. */
const keepsAfterwards = (who: Who, state: State) => who === 'colleague' && (state === 'thawed' || state === 'finalized')

/** What is shown of a submission of the team: handed in before the freeze, or after it, with its verdict. */
type Shown = 'verdict' | 'work' | 'existence'
function shownOf(who: Who, state: State, isFrozen: boolean): Shown {
  if (isJury(who) || who === 'team' || keepsAfterwards(who, state)) return 'work'
  if (!isFrozen || state === 'thawed' || state === 'finalized') return 'verdict'
  return 'existence'
}

for (const engine of engines)
  describe(`who sees what of a contest on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    let cast: Cast
    let clients: Record<Who, RpcClient>
    before(async () => {
      stage = await startContests(engine, { clock })
      cast = stage.cast
      const { accounts, tokens } = stage.services
      const outsider = await accounts.insert({ name: 'outsider', displayName: 'outsider', role: 'contestant' })
      const { text } = await tokens.make(outsider, { kind: 'classic', scopes: ['judge'] })
      clients = {
        anonymous: cast.anonymous,
        outsider: cast.anonymous.as(text),
        team: cast.contestant,
        other: cast.rival,
        staff: stage.staff,
        colleague: cast.colleague,
        judge: stage.judge,
        setter: cast.setter,
        admin: cast.admin,
      }
    })
    after(() => stage.stop())

    const present = ({ Status, Result }: Json) => [Status, Result]
    const shown: Record<Shown, [Status: number, Result: number]> = {
      existence: [2, 0],
      verdict: [3, 6],
      work: [3, 6],
    }

    /** Every list and operation that could tell of a submission tells the same. */
    async function lookAt(who: Who, ID: number, UUID: string): Promise<Json[]> {
      const by = clients[who]
      const lists = [
        ['get_submission_snippet_list', page()],
        ['get_account_submission_snippet_list', { AccountID: stage.idOf('contestant'), ...page() }],
        ['get_problem_submission_snippet_list', { ProblemUUID: UUID, ...page() }],
        [
          'get_account_problem_submission_snippet_list',
          { AccountID: stage.idOf('contestant'), ProblemUUID: UUID, ...page() },
        ],
        ['find_submission_snippet_list', { ProblemUUID: UUID, Limit: 100 }],
      ] as const
      const found = [(await by.call('get_submission', { ID })).Submission]
      for (const [method, params] of lists)
        found.push((await by.call(method, params)).SubmissionSnippetList.find((one: Json) => one.ID === ID))
      return found
    }

    test('others see that it was handed in, the verdict from before the freeze, and all of it after the thaw', async () => {
      const start = clock.now()
      const { ContestID, problems } = await stage.makeContest({
        StartTime: start,
        Duration: 2 * hour,
        FreezeDuration: hour,
      })
      const { UUID } = problems.B
      clock.advance(minute)
      const { ID: early } = await handIn(cast.contestant, ContestID, 'b', { Content: 'early' })
      await stage.judgeNext(6)
      const { ID: secondEarly } = await handIn(cast.rival, ContestID, 'b')
      await stage.judgeNext(9)
      let late = 0
      for (const state of states) {
        if (state === 'frozen') {
          clock.advance(hour)
          late = (await handIn(cast.contestant, ContestID, 'b', { Content: 'late' })).ID
          await stage.judgeNext(6)
        }
        if (state === 'ended') clock.advance(hour)
        if (state === 'thawed') await cast.setter.call('unfreeze_contest', { ContestID })
        if (state === 'finalized') {
          await cast.setter.call('ignore_submission', { ID: secondEarly, IsIgnored: true })
          await cast.setter.call('finalize_contest', { ContestID })
        }
        for (const who of people.slice(1))
          for (const [ID, isFrozen] of [
            [early, false],
            [late, true],
          ] as const) {
            if (ID === 0) continue
            const what = shownOf(who, state, isFrozen)
            const where = `${who}, ${state}, ${isFrozen ? 'after' : 'before'} the freeze`
            const all = await lookAt(who, ID, UUID)
            for (const one of all) assert.deepEqual(present(one), shown[what], where)
            for (const one of all) if (what !== 'work') assert.equal(one.FinishedTime, null, where)
            assert.equal(all[0]!.Content, what === 'work' ? (isFrozen ? 'late' : 'early') : '', where)
            assert.equal(await clients[who].code('get_submission_report', { ID }), what === 'work' ? 0 : 8, where)
            const filter = { ProblemUUID: UUID, Result: 6, Limit: 100 }
            const { SubmissionSnippetList: sixes } = await clients[who].call('find_submission_snippet_list', filter)
            assert.equal(
              sixes.some((one: Json) => one.ID === ID),
              what !== 'existence',
              where,
            )
          }
        // A judge that failed is still judging, for all but the jury.
        for (const who of people.slice(1)) {
          const { Submission } = await clients[who].call('get_submission', { ID: secondEarly })
          assert.deepEqual(
            present(Submission),
            isJury(who) || keepsAfterwards(who, state) ? [3, 9] : [2, 0],
            `${who}, ${state}`,
          )
        }
      }
      const visibility = await stage.services.judge.findVisibility([early])
      const actor = {
        account: (await stage.services.accounts.findByName('rival'))!,
        credential: { kind: 'house' },
      } as never
      assert.equal(visibility(actor, early), 'shown')
    })

    test('live updates tell of what is frozen to its team and the jury alone', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: hour, FreezeDuration: hour })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      const visibility = await stage.services.judge.findVisibility([ID])
      const told: string[] = []
      for (const name of ['contestant', 'rival', 'carrier', 'colleague', 'judge', 'setter', 'admin']) {
        const account = (await stage.services.accounts.findByName(name))!
        if (visibility({ account, credential: { kind: 'house' }, address: '' }, ID) === 'shown') told.push(name)
      }
      assert.deepEqual(told, ['contestant', 'judge', 'setter', 'admin'])
      await stage.judgeNext(1)
    })

    test('a private contest is not there for outsiders, nor is anything of it, in any list or count', async () => {
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now(), IsPublic: false })
      const counts = async () => {
        const of = async (method: string, params: object) =>
          (await clients.outsider.call(method, { ...params, ...page() })).TotalSubmissionCount
        return [
          await of('get_submission_snippet_list', {}),
          await of('get_account_submission_snippet_list', { AccountID: stage.idOf('contestant') }),
          await of('get_problem_submission_snippet_list', { ProblemUUID: problems.A.UUID }),
        ]
      }
      const before = await counts()
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      assert.deepEqual(await counts(), before)
      const ask = { ContestID, ...page() }
      const operations: [string, object][] = [
        ['get_contest', { ID: ContestID }],
        ['get_scoreboard', { ContestID }],
        ['get_contest_team_list', ask],
        ['get_clarification_list', ask],
        ['get_balloon_list', ask],
        ['get_rejudging_list', ask],
        ['get_contest_submission_list', { ContestID, SubmissionIDList: [ID] }],
        ['create_clarification', { ContestID, Text: 'x' }],
        ['join_contest', { ContestID }],
        ['update_contest', { ID: ContestID, Name: 'x' }],
        ['find_submission_snippet_list', { ContestID, Limit: 10 }],
        ['get_submission', { ID }],
        ['get_submission_report', { ID }],
        ['ignore_submission', { ID, IsIgnored: true }],
        ['put_submission_comment', { ID, Text: 'x' }],
        ['get_submission_comment_list', { ID }],
      ]
      for (const [method, params] of operations) {
        assert.equal(await clients.outsider.code(method, params), 6, method)
        assert.equal(await clients.colleague.code(method, params), 6, method)
      }
      for (const method of ['get_contest', 'get_scoreboard', 'get_contest_team_list', 'get_clarification_list'])
        assert.equal(await clients.anonymous.code(method, { ID: ContestID, ...ask }), 6, method)
      const listed = async (who: Who) =>
        (await clients[who].call('get_contest_list', page())).ContestList.some((one: Json) => one.ID === ContestID)
      for (const who of people) {
        const takesPart = !['anonymous', 'outsider', 'colleague'].includes(who)
        assert.equal(await listed(who), takesPart, who)
        assert.equal((await clients[who].code('get_contest', { ID: ContestID })) === 0, takesPart, who)
      }
      assert.equal(await clients.other.code('get_submission', { ID }), 0)
      const all = (await clients.setter.call('get_submission_snippet_list', page())).SubmissionSnippetList
      assert.ok(all.some((one: Json) => one.ID === ID))
    })

    test('held problems open with the start, to the teams and to whom the contest says, and are released by its end', async () => {
      const seen = async (UUID: string) => {
        const codes: Partial<Record<Who, number>> = {}
        for (const who of people.slice(1)) codes[who] = await clients[who].code('get_problem', { UUID })
        return codes
      }
      for (const ShowsProblemsToPublic of [false, true]) {
        const draft = { StartTime: clock.now() + hour, Duration: hour, ShowsProblemsToPublic }
        const { ContestID, problems } = await stage.makeContest(draft, 'A')
        const { UUID } = problems.A
        await cast.setter.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
        const labels = async (who: Who) =>
          (await clients[who].call('get_contest', { ID: ContestID })).Contest.ProblemList.map(
            ({ Label }: Json) => Label,
          )
        const early = { outsider: 6, team: 6, other: 6, staff: 6, colleague: 6, judge: 0, setter: 0, admin: 0 }
        assert.deepEqual(await seen(UUID), early)
        for (const who of people) assert.deepEqual(await labels(who), isJury(who) ? ['A'] : [], who)
        clock.advance(hour)
        const open = ShowsProblemsToPublic ? 0 : 6
        const running = {
          outsider: open,
          team: 0,
          other: 0,
          staff: open,
          colleague: open,
          judge: 0,
          setter: 0,
          admin: 0,
        }
        assert.deepEqual(await seen(UUID), running)
        for (const who of people) assert.deepEqual(await labels(who), ['A'], who)
        const { ID } = await handIn(cast.contestant, ContestID, 'a')
        await stage.judgeNext(1)
        for (const who of people.slice(1)) {
          const name = running[who as keyof typeof running] === 0 ? 'Problem A' : '(not yet public)'
          const { Submission } = await clients[who].call('get_submission', { ID })
          const found = await clients[who].call('find_submission_snippet_list', { ContestID, Limit: 10 })
          for (const one of [Submission, ...found.SubmissionSnippetList])
            assert.equal(one.Problem.DisplayName, name, who)
          const searched = await clients[who].call('find_problem_snippet_list', { Text: 'Problem A', ...page() })
          const isFound = searched.ProblemSnippetList.some((one: Json) => one.UUID === UUID)
          assert.equal(isFound, who === 'setter', who)
        }
        const own = (await cast.contestant.call('get_submission_snippet_list', page())).SubmissionSnippetList
        assert.equal(own[0].ID, ID)
        const problemsShown = await clients.outsider.call('get_problem_snippet_list', page())
        assert.ok(!problemsShown.ProblemSnippetList.some((one: Json) => one.UUID === UUID))
        clock.advance(hour)
        const all = { outsider: 0, team: 0, other: 0, staff: 0, colleague: 0, judge: 0, setter: 0, admin: 0 }
        assert.deepEqual(await seen(UUID), all)
        await until(async () => {
          // The job that looks may wait for its next time.
          clock.advance(1_000)
          const { ProblemSnippetList } = await clients.outsider.call('get_problem_snippet_list', page())
          return ProblemSnippetList.some((one: Json) => one.UUID === UUID)
        })
      }
    })

    test('a problem that is held after another put it into a contest is not opened by it, nor released by its end', async () => {
      const { problems } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const { UUID } = problems.B
      for (const [by, problem] of [[cast.setter, problems.A] as const, [cast.colleague, problems.B] as const])
        await by.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: true } })
      const codes = () => Promise.all([cast.setter, cast.contestant].map((by) => by.code('get_problem', { UUID })))
      assert.deepEqual(await codes(), [6, 6])
      assert.equal(await cast.contestant.code('get_problem', { UUID: problems.A.UUID }), 0)
      clock.advance(hour)
      await until(async () => {
        clock.advance(1_000)
        const { ProblemSnippetList } = await clients.outsider.call('get_problem_snippet_list', page())
        return ProblemSnippetList.some((one: Json) => one.UUID === problems.A.UUID)
      })
      assert.deepEqual(await codes(), [6, 6])
    })

    test('the board is frozen for all but the jury, and there for nobody else where it is hidden', async () => {
      const draft = { StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour }
      const { ContestID } = await stage.makeContest(draft)
      clock.advance(61 * minute)
      await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const versionOf = async (who: Who) => (await clients[who].call('get_scoreboard', { ContestID })).Version
      const cellOf = async (who: Who, over: object = {}) => {
        const { Scoreboard } = await clients[who].call('get_scoreboard', { ContestID, ...over })
        const row = Scoreboard.RowList.find(({ TeamID }: Json) => TeamID === 't1')
        return [Scoreboard.Edition, row.CellList[0]?.IsSolved, row.CellList[0]?.NumPending]
      }
      await until(async () => (await cellOf('setter'))[1] === true)
      for (const who of people)
        assert.deepEqual(await cellOf(who), isJury(who) ? ['jury', true, 0] : ['public', false, 1], who)
      assert.deepEqual(await cellOf('setter', { IsPublic: true }), ['public', false, 1])
      // What happens behind the frozen board does not show in its version, and who knows a version gets no board.
      const [seen, own] = [await versionOf('anonymous'), await versionOf('setter')]
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await until(async () => (await versionOf('anonymous')) !== seen)
      const pending = await versionOf('anonymous')
      await stage.judgeNext(6)
      await cast.setter.call('ignore_submission', { ID, IsIgnored: true })
      await cast.setter.call('ignore_submission', { ID, IsIgnored: false })
      clock.advance(2_000)
      assert.equal(await versionOf('anonymous'), pending)
      assert.equal(await versionOf('setter'), own)
      const again = await clients.anonymous.call('get_scoreboard', { ContestID, KnownVersion: pending })
      assert.deepEqual(again, { Version: pending, Scoreboard: null })
      const { SubmissionList } = await cast.setter.call('get_contest_submission_list', {
        ContestID,
        SubmissionIDList: [ID, 9 ** 9],
      })
      const place = { TeamID: 't1', ProblemID: 'a', ContestTime: 61 * minute, IsIgnored: false }
      assert.deepEqual(SubmissionList, [{ SubmissionID: ID, ...place }])
      await cast.setter.call('update_contest', { ID: ContestID, BoardIsHidden: true })
      for (const who of people)
        assert.equal(await clients[who].code('get_scoreboard', { ContestID }), isJury(who) ? 0 : 6, who)
      await cast.setter.call('update_contest', { ID: ContestID, BoardIsHidden: false })
      clock.advance(hour)
      await cast.setter.call('unfreeze_contest', { ContestID })
      for (const who of people) await until(async () => (await cellOf(who))[1] === true)
    })
  })
