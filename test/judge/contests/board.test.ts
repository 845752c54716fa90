/** The board after any random acts is what an independent recomputation gives, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { recomputeContest } from '../../../src/judge/contests/board/recomputing.ts'
import { holdContest } from '../../../src/judge/contests/contest-log.ts'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, claim } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

/** What the oracle remembers of a submission. */
type Handed = { id: number; team: number; problem: number; at: number; result: number; isIgnored: boolean }
type World = {
  start: number
  duration: number
  penalty: number
  removed: { StartTime: number; EndTime: number }[]
  extra: number[]
  frozenFrom: number | undefined
  handed: Handed[]
}

const contestTime = ({ start, removed }: World, at: number): number =>
  at -
  start -
  removed.reduce((sum, one) => sum + Math.max(0, Math.min(one.EndTime, at) - Math.max(one.StartTime, start)), 0)

/** Plain loops over all that was handed in; written from the rules, not from the server. */
function expectBoard(world: World, isJury: boolean): string[] {
  const teams = [0, 1].map((team) => {
    let [solved, penalty, last] = [0, world.extra[team]!, 0]
    const cells = [0, 1].map((problem) => {
      let [wrong, pending, minuteSolved] = [0, 0, -1]
      const own = world.handed.filter((one) => one.team === team && one.problem === problem && !one.isIgnored)
      for (const one of own.sort((a, b) => a.at - b.at || a.id - b.id)) {
        const time = contestTime(world, one.at)
        if (time < 0 || time >= world.duration || minuteSolved >= 0) continue
        const isFrozen = !isJury && world.frozenFrom !== undefined && time >= world.frozenFrom
        if (isFrozen || one.result === 0 || one.result === 9) pending++
        else if (one.result === 1) minuteSolved = Math.floor(time / minute)
        else if (one.result !== 2 && one.result !== 7) wrong++
      }
      if (minuteSolved >= 0) {
        solved++
        penalty += minuteSolved + world.penalty * wrong
        last = Math.max(last, minuteSolved)
      }
      return `${wrong}/${pending}/${minuteSolved}`
    })
    return { team, solved, penalty, last, cells }
  })
  teams.sort((a, b) => b.solved - a.solved || a.penalty - b.penalty || a.last - b.last || a.team - b.team)
  return teams.map(
    ({ team, solved, penalty, last, cells }) => `t${team + 1} ${solved} ${penalty} ${last} ${cells.join(' ')}`,
  )
}

/** A draw that can be drawn again. */
function makeDraw(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

for (const engine of engines)
  describe(`the board on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    let cast: Cast
    before(async () => {
      stage = await startContests(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())

    /** The tables themselves: built boards may be a second old. */
    async function readTables(ContestID: string, edition: 0 | 1): Promise<string[]> {
      const { db } = stage.services.store
      const contest = await db
        .selectFrom('contest')
        .select('id')
        .where('public_id', '=', ContestID)
        .executeTakeFirstOrThrow()
      const teams = await db
        .selectFrom('contest_team')
        .selectAll()
        .where('contest_id', '=', contest.id)
        .orderBy('id')
        .execute()
      const problems = await db
        .selectFrom('contest_problem')
        .selectAll()
        .where('contest_id', '=', contest.id)
        .orderBy('ordinal')
        .execute()
      const cells = await db
        .selectFrom('contest_cell')
        .selectAll()
        .where('contest_id', '=', contest.id)
        .where('edition', '=', edition)
        .execute()
      const rows = await db
        .selectFrom('contest_row')
        .selectAll()
        .where('contest_id', '=', contest.id)
        .where('edition', '=', edition)
        .execute()
      const lines = teams.map((team) => {
        const row = rows.find(({ team_id }) => team_id === team.id)
        const own = problems.map(({ id }) => {
          const cell = cells.find((one) => one.team_id === team.id && one.contest_problem_id === id)
          return `${cell?.judged ?? 0}/${cell?.pending ?? 0}/${cell?.is_solved === 1 ? Math.floor(cell.solved_ms! / minute) : -1}`
        })
        const sums = [row?.solved ?? 0, row?.penalty ?? team.extra_penalty, row?.last_minute ?? 0] as const
        return { line: `${team.public_id} ${sums.join(' ')} ${own.join(' ')}`, sums }
      })
      lines.sort((a, b) => b.sums[0] - a.sums[0] || a.sums[1] - b.sums[1] || a.sums[2] - b.sums[2])
      return lines.map(({ line }) => line)
    }

    for (const seed of [1, 2, 3])
      test(`after each of ${engine === 'sqlite' ? 90 : 45} random acts it is as if it were computed anew (${seed})`, async () => {
        const draw = makeDraw(seed)
        const world: World = {
          start: clock.now(),
          duration: 3 * hour,
          penalty: 20,
          removed: [],
          extra: [0, 0],
          frozenFrom: undefined,
          handed: [],
        }
        const { ContestID } = await stage.makeContest({ StartTime: world.start, Duration: world.duration })
        const update = (change: object) => cast.setter.call('update_contest', { ID: ContestID, ...change })
        const pick = () => world.handed[draw(world.handed.length)]
        const pickJudged = () => {
          const judged = world.handed.filter(({ result }) => result !== 0)
          return judged[draw(judged.length)]
        }
        const results = [1, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9]
        const acts: (() => Promise<void>)[] = [
          ...Array.from({ length: 4 }, () => async () => {
            const [team, problem] = [draw(2), draw(2)]
            if (contestTime(world, clock.now()) >= world.duration) return
            if (world.handed.filter((one) => one.team === team && one.result === 0).length >= 20) return
            const by = team === 0 ? cast.contestant : cast.rival
            const { ID } = await handIn(by, ContestID, 'ab'[problem]!)
            world.handed.push({ id: ID, team, problem, at: clock.now(), result: 0, isIgnored: false })
          }),
          ...Array.from({ length: 4 }, () => async () => {
            const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
            if (!result) return
            const Result = results[draw(results.length)]!
            await cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result })
            world.handed.find(({ id }) => id === result.Submission.ID)!.result = Result
          }),
          async () => {
            const one = pick()
            if (!one) return
            one.isIgnored = !one.isIgnored
            await cast.setter.call('ignore_submission', { ID: one.id, IsIgnored: one.isIgnored })
          },
          async () => {
            const one = pickJudged()
            if (!one) return
            one.result = results[draw(results.length)]!
            const override = { ID: one.id, Result: one.result, Password: admin.password, Reason: 'x' }
            await cast.admin.call('override_result', override)
          },
          async () => {
            const one = pickJudged()
            if (!one) return
            const { Rejudging } = await cast.setter.call('create_rejudging', {
              ContestID,
              SubmissionIDList: [one.id],
              Reason: 'x',
            })
            const Result = results[draw(results.length)]!
            for (;;) {
              const { ID } = await claim(cast.worker)
              const isIt = ID === one.id
              const now = isIt ? Result : 6
              await cast.worker.call('update_submission', { ID, Status: 3, Result: now })
              if (isIt) break
              world.handed.find(({ id }) => id === ID)!.result = 6
            }
            assert.deepEqual(await readTables(ContestID, 1), expectBoard(world, true), 'unseen')
            const isApplied = draw(2) === 0
            if (isApplied) one.result = Result
            await cast.setter.call(isApplied ? 'apply_rejudging' : 'cancel_rejudging', { ContestID, ID: Rejudging.ID })
          },
          async () => {
            const StartTime = world.start + draw(150) * minute
            const EndTime = StartTime + (1 + draw(10)) * minute
            if (world.removed.some((one) => one.StartTime < EndTime && StartTime < one.EndTime)) return
            world.removed.push({ StartTime, EndTime })
            await update({ RemovedIntervalList: world.removed })
          },
          async () => {
            const team = draw(2)
            world.extra[team] = draw(40)
            const AccountNameList = [team === 0 ? 'contestant' : 'rival']
            const put = {
              ContestID,
              ID: `t${team + 1}`,
              Name: ['One', 'Two'][team],
              AccountNameList,
              ExtraPenalty: world.extra[team],
            }
            await cast.setter.call('put_contest_team', put)
          },
          async () => {
            world.penalty = draw(30)
            await update({ PenaltyMinute: world.penalty })
          },
          async () => {
            const code = await cast.setter.code('freeze_contest', { ContestID })
            if (code === 0) world.frozenFrom = contestTime(world, clock.now())
          },
          async () => {
            const code = await cast.setter.code('unfreeze_contest', { ContestID, Force: true })
            if (code === 0) world.frozenFrom = undefined
          },
        ]
        for (let step = 0; step < (engine === 'sqlite' ? 90 : 45); step++) {
          clock.advance(draw(4) * minute + draw(1_000))
          await acts[draw(acts.length)]!()
          assert.deepEqual(await readTables(ContestID, 1), expectBoard(world, true), `jury, step ${step}`)
          assert.deepEqual(await readTables(ContestID, 0), expectBoard(world, false), `public, step ${step}`)
        }
        for (;;) {
          const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
          if (!result) break
          await cast.worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result: 6 })
        }
      })

    test('many who hand in, finish and ignore at once leave the board exact', async () => {
      const world: World = {
        start: clock.now(),
        duration: 3 * hour,
        penalty: 20,
        removed: [],
        extra: [0, 0],
        frozenFrom: undefined,
        handed: [],
      }
      const { ContestID } = await stage.makeContest({ StartTime: world.start, Duration: world.duration })
      clock.advance(10 * minute)
      const results = [6, 1, 3, 2, 6, 4]
      const work = async (): Promise<void> => {
        for (;;) {
          const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
          if (!result) return
          const { ID } = result.Submission
          await cast.worker.call('update_submission', { ID, Status: 3, Result: results[ID % results.length] })
        }
      }
      const handing = Array.from({ length: 24 }, async (_, i) => {
        const by = i % 2 === 0 ? cast.contestant : cast.rival
        const { ID } = await handIn(by, ContestID, 'ab'[(i >> 1) % 2]!)
        const one: Handed = {
          id: ID,
          team: i % 2,
          problem: (i >> 1) % 2,
          at: clock.now(),
          result: results[ID % results.length]!,
          isIgnored: i % 5 === 0,
        }
        world.handed.push(one)
        if (one.isIgnored) await cast.setter.call('ignore_submission', { ID, IsIgnored: true })
      })
      await Promise.all([...handing, work(), work(), work()])
      await Promise.all([work(), work()])
      assert.deepEqual(await readTables(ContestID, 1), expectBoard(world, true))
      assert.deepEqual(await readTables(ContestID, 0), expectBoard(world, false))
    })

    test('computed anew at any moment while everything changes at once, it is what is kept', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: 3 * hour })
      const { store } = stage.services
      const { id } = await store.db
        .selectFrom('contest')
        .select('id')
        .where('public_id', '=', ContestID)
        .executeTakeFirstOrThrow()
      const read = async (db: typeof store.db) => {
        const cells = await db.selectFrom('contest_cell').selectAll().where('contest_id', '=', id).execute()
        const rows = await db.selectFrom('contest_row').selectAll().where('contest_id', '=', id).execute()
        const counting = cells.filter(({ judged, finished, pending }) => judged + finished + pending > 0)
        return [...counting, ...rows].map((row) => JSON.stringify(row)).sort()
      }
      let isOver = false
      let looks = 0
      const look = async () => {
        for (; !isOver; looks++)
          await store.write(async (trx) => {
            const contest = (await holdContest(trx, id))!
            const kept = await read(trx)
            await recomputeContest(trx, contest)
            assert.deepEqual(kept, await read(trx), `look ${looks}`)
          })
      }
      const results = [6, 1, 3, 2, 9, 4]
      const handed: number[] = []
      const work = async () => {
        for (;;) {
          const { result } = await cast.worker.ask('get_and_update_first_submitted_submission_to_executing')
          const ID = result?.Submission.ID
          // A rejudging that is cancelled meanwhile takes it away.
          if (ID) await cast.worker.code('update_submission', { ID, Status: 3, Result: results[ID % results.length] })
          else if (isOver) return
        }
      }
      const by = (team: number) => (team === 0 ? cast.contestant : cast.rival)
      const handInAll = async (team: number) => {
        for (let i = 0; i < 20; i++) {
          clock.advance(20_000)
          handed.push((await handIn(by(team), ContestID, 'ab'[i % 2]!)).ID)
        }
      }
      const meddle = async () => {
        for (let i = 0; handed.length < 40; i++) {
          const put = { ContestID, ID: 't1', Name: 'One', AccountNameList: ['contestant'], ExtraPenalty: i % 30 }
          const ID = handed[i % Math.max(1, handed.length)] ?? 0
          const SubmissionIDList = handed.slice(0, 3)
          await cast.setter.code('update_contest', { ID: ContestID, PenaltyMinute: i % 25 })
          await cast.setter.code('ignore_submission', { ID, IsIgnored: i % 3 === 0 })
          await cast.setter.code(i % 2 ? 'unfreeze_contest' : 'freeze_contest', { ContestID, Force: i % 2 === 1 })
          await cast.setter.code('put_contest_team', put)
          const made = await cast.setter.ask('create_rejudging', { ContestID, SubmissionIDList, Reason: 'x' })
          const rejudging = { ContestID, ID: made.result?.Rejudging.ID ?? 0 }
          await cast.setter.code(i % 2 ? 'apply_rejudging' : 'cancel_rejudging', rejudging)
        }
      }
      const ending = Promise.all([handInAll(0), handInAll(1), meddle()]).finally(() => {
        isOver = true
      })
      await Promise.all([ending, look(), work(), work()])
      assert.ok(looks > 5, `${looks} looks`)
    })

    const sheet = (Json: Json) => Json.RowList.map(({ TeamID, Rank, Score }: Json) => [TeamID, Rank, Score])
    test('in ioi each group gives its best over all submissions, and ties stay', async () => {
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now(), Style: 'ioi' }, 'A')
      const { UUID } = problems.A
      const GroupList = [
        { Name: 'one', MaximumScore: 40 },
        { Name: 'two', MaximumScore: 60 },
      ]
      const tests: string[] = []
      for (const [i, Points] of [40, 60].entries()) {
        const { TestCaseSnippet } = await cast.setter.call('create_test_case', {
          ProblemUUID: UUID,
          Input: `${i}`,
          Output: `${i}`,
          IsHidden: true,
        })
        tests.push(TestCaseSnippet.UUID)
        if (i === 0) await cast.setter.call('update_problem_judging', { UUID, Judging: { IsScored: true, GroupList } })
        await cast.setter.call('update_test_case_judging', {
          UUID: TestCaseSnippet.UUID,
          Group: i === 0 ? 'one' : 'two',
          Points,
        })
      }
      const judge = async (outcomes: readonly number[]) => {
        const { ID, Lease } = await claim(cast.worker, { FeatureList: ['checker', 'score'] })
        const TestList = tests.map((TestCaseUUID, i) => ({
          TestCaseUUID,
          Result: outcomes[i],
          CPUTimeInMillisecond: 1,
          WallTimeInMillisecond: 1,
          PeakMemoryInByte: 1,
          Stderr: '',
          ExitCode: 0,
          Signal: null,
        }))
        const Result = outcomes.find((one) => one !== 1) ?? 1
        await cast.worker.call('report_submission', { ID, Lease, Report: { Result, CompilerOutput: '', TestList } })
      }
      await handIn(cast.contestant, ContestID, 'a')
      await judge([1, 6])
      await handIn(cast.contestant, ContestID, 'a')
      await judge([6, 1])
      clock.advance(minute)
      await handIn(cast.rival, ContestID, 'a')
      await judge([1, 1])
      const { Scoreboard } = await cast.setter.call('get_scoreboard', { ContestID })
      assert.deepEqual(sheet(Scoreboard), [
        ['t1', 1, 100],
        ['t2', 1, 100],
      ])
    })
  })
