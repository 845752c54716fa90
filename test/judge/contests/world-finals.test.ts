/**
 * The World Finals of 2023 as they ended: 130 teams, 1,593 attempts. `world-finals.tsv` has a line a team: team, group, rank,
 * solved, penalty, last accepted, the rank that the World Finals give, award, whether it won its group, and of each problem
 * the attempts and the minute of the accepted one.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { toContest } from '../../../src/judge/contest-access/contest.ts'
import { recomputeContest } from '../../../src/judge/contests/board/recomputing.ts'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { makeProblem } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { type ContestStage, hour, minute, startContests } from './contest-stage.ts'

type Attempts = { readonly count: number; readonly minute: number | undefined }
type Line = {
  readonly team: string
  readonly group: string
  readonly rank: number
  readonly solved: number
  readonly penalty: number
  readonly last: number
  readonly finalsRank: string
  readonly award: string
  readonly isGroupWinner: boolean
  readonly cells: readonly Attempts[]
}

const labels = 'ABCDEFGHIJK'

function readLine(line: string): Line {
  const [team, group, rank, solved, penalty, last, finalsRank, award, won, cells] = line.split('\t') as string[]
  return {
    ...{ team: team!, group: group!, finalsRank: finalsRank!, award: award!, isGroupWinner: won === 'yes' },
    ...{ rank: Number(rank), solved: Number(solved), penalty: Number(penalty), last: Number(last) },
    cells: cells!.split(' ').map((cell) => {
      const [count, at] = cell.split('@')
      return { count: Number(count), minute: at === undefined ? undefined : Number(at) }
    }),
  }
}

/** The wrong ones before the accepted one, or all over the five hours, and their cells computed from them. */
async function replay({ services, idOf }: ContestStage, ContestID: string, lines: readonly Line[]): Promise<number> {
  const { store } = services
  return store.write(async (trx) => {
    const row = await trx.selectFrom('contest').selectAll().where('public_id', '=', ContestID).executeTakeFirstOrThrow()
    const ofContest = { contest_id: row.id }
    const problems = await trx
      .selectFrom('contest_problem')
      .select(['id', 'problem_id'])
      .where('contest_id', '=', row.id)
      .orderBy('ordinal')
      .execute()
    const teams = new Map(
      (await trx.selectFrom('contest_team').select(['id', 'public_id']).where('contest_id', '=', row.id).execute()).map(
        (team) => [team.public_id, team.id],
      ),
    )
    const attempts = lines.flatMap(({ team, cells }) =>
      cells.flatMap(({ count, minute: solvedAt }, at) =>
        Array.from({ length: count }, (_, i) => {
          const isAccepted = solvedAt !== undefined && i === count - 1
          const until = (solvedAt ?? 300) * minute
          const time = row.start_time! + (isAccepted ? until + 30_000 : Math.floor((until * i) / count))
          return { team: teams.get(team)!, problem: problems[at]!, time, result: isAccepted ? 1 : 6 }
        }),
      ),
    )
    attempts.sort((a, b) => a.time - b.time)
    for (let at = 0; at < attempts.length; at += 400) {
      const part = attempts.slice(at, at + 400)
      const made = await trx
        .insertInto('submission')
        .values(
          part.map(({ problem, time, result }) => ({
            ...ofContest,
            ...{ problem_id: problem.problem_id, author_id: idOf('contestant'), language: 'cpp', status: 3, result },
            ...{ created_at: time, finished_at: time, losses: 0, finished_tests: 0, total_tests: 0 },
          })),
        )
        .returning('id')
        .execute()
      const values = part.map(({ team, problem, time }, i) => ({
        ...ofContest,
        ...{ submission_id: made[i]!.id, team_id: team, contest_problem_id: problem.id, handed_in_at: time },
      }))
      await trx.insertInto('contest_submission').values(values).execute()
    }
    await recomputeContest(trx, toContest(row))
    return attempts.length
  })
}

for (const engine of engines)
  test(`the World Finals come to their ranks, penalties, medals, honours and winners of groups on ${engine}`, async () => {
    const text = await readFile(join(import.meta.dirname, 'world-finals.tsv'), 'utf8')
    const lines = text.trimEnd().split('\n').map(readLine)
    const clock = makeManualClock()
    const stage = await startContests(engine, { clock })
    try {
      const { setter } = stage.cast
      const ContestID = 'wf47'
      const times = { StartTime: clock.now() - 6 * hour, Duration: 5 * hour, FreezeDuration: hour }
      const draft = { ID: ContestID, Name: 'World Finals', Style: 'icpc', IsPublic: true, WorldFinalsRanks: true }
      await setter.call('create_contest', { ...draft, ...times })
      for (const [Ordinal, Label] of [...labels].entries()) {
        const { UUID } = await makeProblem(setter, { DisplayName: Label })
        await setter.call('put_contest_problem', { ContestID, ID: Label, Label, UUID, Ordinal, Colour: '#ffffff' })
      }
      for (const ID of new Set(lines.map(({ group }) => group)))
        await setter.call('put_contest_group', { ContestID, ID, Name: ID })
      for (const { team, group } of lines)
        await setter.call('put_contest_team', { ContestID, ID: team, Name: team, GroupIDList: [group] })
      assert.equal(await replay(stage, ContestID, lines), 1_593)

      const get = async (path: string, token: string | undefined): Promise<Json> => {
        const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
        return (await fetch(`${stage.url}/api/contests/${ContestID}/${path}`, { headers })).json()
      }
      const frozen = await get('scoreboard', undefined)
      const cells: Json[] = frozen.rows.flatMap(({ problems }: Json) => problems)
      const isLate = ({ minute: at }: Attempts) => at !== undefined && at >= 240
      const late = lines.flatMap((line) => line.cells).filter(isLate).length
      const solved = lines.reduce((sum, line) => sum + line.solved, 0)
      assert.equal(cells.filter((cell) => cell.solved).length, solved - late)
      assert.equal(
        cells.reduce((sum, { num_judged, num_pending }) => sum + num_judged + num_pending, 0),
        1_593,
      )

      await setter.call('unfreeze_contest', { ContestID })
      await setter.call('finalize_contest', { ContestID })
      clock.advance(2_000)
      const { rows } = await get('scoreboard', undefined)
      const expected = lines.map((line) => [
        line.team,
        [line.rank, line.solved, line.penalty],
        line.cells.map(({ count, minute: at }) => (at === undefined ? [count] : [count, at])),
      ])
      const minutes = (time: string) => {
        const [h, m] = time.split(':').map(Number)
        return h! * 60 + m!
      }
      const found = rows.map(({ team_id, rank, score, problems }: Json) => [
        team_id,
        [rank, score.num_solved, minutes(score.total_time)],
        problems.map((cell: Json) => (cell.solved ? [cell.num_judged, minutes(cell.time)] : [cell.num_judged])),
      ])
      assert.deepEqual(found.sort(), expected.sort())
      assert.deepEqual(
        rows.map(({ score }: Json) => (score.time === null ? 0 : minutes(score.time))),
        rows.map(({ team_id }: Json) => lines.find(({ team }) => team === team_id)!.last),
      )

      const awards = new Map<string, string[]>(
        (await get('awards', undefined)).map(({ id, team_ids }: Json) => [id, [...team_ids].sort()]),
      )
      const teamsOf = (isIt: (line: Line) => boolean) => lines.filter(isIt).map(({ team }) => team)
      const names = { gold: 'gold-medal', silver: 'silver-medal', bronze: 'bronze-medal', highest: 'highest-honors' }
      const others = { high: 'high-honors', honors: 'honors', '-': 'honorable-mention' }
      for (const [award, id] of Object.entries({ ...names, ...others }))
        assert.deepEqual(
          awards.get(id),
          teamsOf((line) => line.award === award),
          id,
        )
      for (const rank of new Set(lines.map(({ finalsRank }) => finalsRank)))
        if (rank !== '-')
          assert.deepEqual(
            awards.get(`rank-${rank}`),
            teamsOf((line) => line.finalsRank === rank),
            `rank ${rank}`,
          )
      for (const [i, label] of [...labels].entries()) {
        const first = Math.min(...lines.map(({ cells: own }) => own[i]!.minute ?? Number.POSITIVE_INFINITY))
        const solvers = teamsOf(({ cells: own }) => own[i]!.minute === first)
        assert.deepEqual(awards.get(`first-to-solve-${label}`), solvers, label)
      }
      const winners = [...awards].filter(([id]) => id.startsWith('group-winner-')).flatMap(([, teams]) => teams)
      assert.deepEqual(winners.sort(), teamsOf(({ isGroupWinner }) => isGroupWinner).sort())
      assert.deepEqual(
        awards.get('winner'),
        teamsOf(({ rank }) => rank === 1),
      )
    } finally {
      await stage.stop()
    }
  })
