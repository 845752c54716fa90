/** What is handed in to a contest counts there alone, for its whole team, and is judged and changed by the contest's own ways. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, claim, finish, makeProblem, page, submit } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

for (const engine of engines)
  describe(`what is handed in to contests on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    let cast: Cast
    before(async () => {
      stage = await startContests(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())

    const statusOf = async (ID: number) => (await cast.admin.call('get_submission', { ID })).Submission.Status

    /** In the order that executors are served in. */
    async function judgeFairly(Result: number): Promise<number> {
      const { ID } = await claim(cast.worker, { Order: 'fair' })
      await finish(cast.worker, ID, Result)
      return ID
    }

    test('it is in no sheet and no grade sheet, and rejudging its problem leaves it out', async () => {
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now(), Duration: hour }, 'A')
      const { UUID } = problems.A!
      await cast.setter.call('create_class', { ID: 'practice', Name: 'Practice' })
      await cast.admin.call('put_class_member', { ClassID: 'practice', AccountName: 'contestant', Role: 'student' })
      const sheet = { ClassID: 'practice', Title: 'x', OpenTime: clock.now(), IsPublished: true }
      const { Sheet } = await cast.setter.call('create_sheet', { ...sheet, ProblemList: [{ UUID, Points: 10 }] })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const results = async (): Promise<Json> =>
        (await cast.setter.call('get_sheet_results', { SheetID: Sheet.ID })).RowList.find(
          ({ AccountName }: Json) => AccountName === 'contestant',
        ).CellList[0]
      assert.deepEqual([(await results()).Points, (await results()).Tries], [null, 0])
      const account = (await stage.services.accounts.findByName('setter'))!
      const { text } = await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge', 'dataset'] })
      const wish = { DatasetName: 'grades', ProblemUUIDList: [UUID] }
      assert.equal((await cast.anonymous.as(text).call('create_grade_sheet', wish)).ItemCount, 0)

      clock.advance(2 * hour)
      const { ID: practice } = await submit(cast.contestant, UUID)
      await finish(cast.worker, (await claim(cast.worker)).ID)
      assert.equal((await results()).Points, 10)
      clock.advance(minute)
      await cast.setter.call('rejudge_problem', { UUID })
      clock.advance(minute)
      assert.deepEqual([await statusOf(ID), await statusOf(practice)], [3, 1])
      await finish(cast.worker, (await claim(cast.worker)).ID)
    })

    test('what one of a team does is the whole team’s', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() }, 'A')
      const pair = { ContestID, ID: 't1', Name: 'One', AccountNameList: ['contestant', 'colleague'] }
      await cast.setter.call('put_contest_team', pair)
      const { ID } = await handIn(cast.contestant, ContestID, 'a', { Content: 'of one' })
      await stage.judgeNext(6)
      await cast.contestant.call('create_clarification', { ContestID, Text: 'Why?' })
      const { Submission } = await cast.colleague.call('get_submission', { ID })
      assert.deepEqual([Submission.Content, Submission.Result], ['of one', 6])
      assert.equal(await cast.colleague.code('get_submission_report', { ID }), 0)
      const seen = async (by: keyof Cast) =>
        (await cast[by].call('get_clarification_list', { ContestID, ...page() })).TotalClarificationCount
      assert.deepEqual([await seen('colleague'), await seen('rival')], [1, 0])
      await handIn(cast.colleague, ContestID, 'a')
      await stage.judgeNext(1)
      const { Scoreboard } = await cast.setter.call('get_scoreboard', { ContestID })
      const cell = Scoreboard.RowList.find(({ TeamID }: Json) => TeamID === 't1').CellList[0]
      assert.deepEqual([cell.NumJudged, cell.IsSolved], [1, true])
    })

    test('a rejudging takes those that its filters name, and is judged last', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      const other = await makeProblem(cast.setter)
      const ids: number[] = []
      for (const [by, problem, Language, Result] of [
        ['contestant', 'a', 'python', 6],
        ['contestant', 'b', 'java', 1],
        ['rival', 'a', 'java', 6],
        ['rival', 'b', 'python', 3],
      ] as const) {
        clock.advance(minute)
        ids.push((await handIn(cast[by], ContestID, problem, { Language })).ID)
        await stage.judgeNext(Result)
      }
      const at = (n: number) => clock.now() - (3 - n) * minute
      const filters: [filter: object, taken: number[]][] = [
        [{}, [0, 1, 2, 3]],
        [{ ProblemID: 'a' }, [0, 2]],
        [{ TeamID: 't1' }, [0, 1]],
        [{ Language: 'java' }, [1, 2]],
        [{ Result: 6 }, [0, 2]],
        [{ ProblemID: 'b', TeamID: 't2', Result: 3 }, [3]],
        [{ SubmissionIDList: [ids[3], ids[0]] }, [0, 3]],
        [{ FromTime: at(1), ToTime: at(2) + 1 }, [1, 2]],
      ]
      for (const [filter, taken] of filters) {
        const { Rejudging } = await cast.setter.call('create_rejudging', { ContestID, Reason: 'x', ...filter })
        assert.equal(Rejudging.TotalSubmissionCount, taken.length, JSON.stringify(filter))
        const { ID: newer } = await submit(cast.colleague, other.UUID)
        assert.equal(await judgeFairly(1), newer, 'what waits for its first verdict comes before')
        const judged: number[] = []
        for (const _ of taken) judged.push(await judgeFairly(2))
        assert.deepEqual(
          judged.sort((a, b) => a - b),
          taken.map((n) => ids[n]!),
          JSON.stringify(filter),
        )
        await cast.setter.call('cancel_rejudging', { ContestID, ID: Rejudging.ID })
      }
      const none = { ContestID, Reason: 'x', TeamID: 't9' }
      assert.equal(await cast.setter.code('create_rejudging', none), 10)
    })

    test('what the jury does to a submission is written down', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      await cast.setter.call('ignore_submission', { ID, IsIgnored: true })
      const override = { ID, Result: 6, Password: admin.password, Reason: 'It copies' }
      await cast.admin.call('override_result', override)
      const rows = await stage.services.store.db
        .selectFrom('audit_entry')
        .select(['action', 'actor_name', 'data'])
        .where('action', 'like', 'contest.%')
        .orderBy('id')
        .execute()
      assert.deepEqual(
        rows.map(({ action, actor_name, data }) => [action, actor_name, JSON.parse(data as string)]),
        [
          ['contest.ignore_submission', 'setter', { submission: ID, ignored: true }],
          ['contest.override_result', admin.name, { submission: ID, result: 6, reason: 'It copies' }],
        ],
      )
    })
  })
