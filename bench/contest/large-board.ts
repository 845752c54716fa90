/** A board of thousands of teams: how long it takes to build, and what each finished submission costs more. */

import { anonymous } from '../../src/accounts/actor.ts'
import { toContest } from '../../src/judge/contest-access/contest.ts'
import { recomputeContest } from '../../src/judge/contests/board/recomputing.ts'
import { type ContestStage, hour, minute, startContests } from '../../test/judge/contests/contest-stage.ts'
import type { Engine } from '../../test/support/engines.ts'
import { claim, makeProblem } from '../../test/support/judge.ts'
import { countRequestQueries } from '../../test/support/request-queries.ts'
import type { Row } from '../table.ts'

type Size = { readonly teams: number; readonly submissions: number }

const rounds = 7
const problemLabels = 'ABCDEFGHIJKLMNO'
const goalMs = 150

export async function* makeStandings(engine: Engine, size: Size): AsyncGenerator<Row> {
  const stage = await startContests(engine, {})
  try {
    const { ContestID } = await stage.makeContest({ StartTime: Date.now() - hour, Duration: 5 * hour }, problemLabels)
    await fill(stage, ContestID, size)
    yield {
      what: `a finished submission of a contest (${engine})`,
      against: '1 ms more than one outside',
      ...(await timeFinishing(stage, ContestID)),
    }
    const [builds, used]: number[][] = [[], []]
    for (let i = 0; i < rounds; i++) {
      const { ms, processorMs } = await timeBuild(stage, ContestID)
      builds!.push(ms)
      used!.push(processorMs)
    }
    const figures = `${middle(builds!).toFixed(0)} ms, ${middle(used!).toFixed(0)} ms of the processor`
    const note = `${size.teams} teams × ${problemLabels.length} problems, ${size.submissions} submissions: ${figures}`
    yield {
      what: `building the board (${engine})`,
      against: `${goalMs} ms`,
      ratios: builds!.map((ms) => ms / goalMs),
      goal: { atMost: 1 },
      note,
    }
    yield {
      what: `a reader of a built board (${engine})`,
      against: 'no query',
      ...(await countQueries(stage, ContestID)),
    }
  } finally {
    await stage.stop()
  }
}

const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!

/** As if all had been handed in and judged; the cells are then computed from them. */
async function fill({ services, idOf }: ContestStage, ContestID: string, { teams, submissions }: Size): Promise<void> {
  const { store } = services
  const { id: contestId, start_time } = await store.db
    .selectFrom('contest')
    .select(['id', 'start_time'])
    .where('public_id', '=', ContestID)
    .executeTakeFirstOrThrow()
  const problems = await store.db
    .selectFrom('contest_problem')
    .select(['id', 'problem_id'])
    .where('contest_id', '=', contestId)
    .execute()
  const authorId = idOf('contestant')
  await store.write(async (trx) => {
    const teamIds: number[] = []
    for (let at = 0; at < teams; at += 500) {
      const values = Array.from({ length: Math.min(500, teams - at) }, (_, i) => ({
        ...{ contest_id: contestId, public_id: `x${at + i}`, label: `${at + i}`, name: `Team ${at + i}` },
        ...{ organisation_id: null, extra_penalty: 0, is_hidden: 0 },
      }))
      const made = await trx.insertInto('contest_team').values(values).returning('id').execute()
      teamIds.push(...made.map(({ id }) => id))
    }
    for (let at = 0; at < submissions; at += 400) {
      const part = Array.from({ length: Math.min(400, submissions - at) }, (_, i) => at + i)
      const rows = await trx
        .insertInto('submission')
        .values(
          part.map((n) => {
            const time = start_time! + Math.floor((n / submissions) * 59 * minute)
            return {
              ...{ problem_id: problems[(n * 7) % problems.length]!.problem_id, author_id: authorId, language: 'c' },
              ...{ status: 3, result: n % 3 === 0 ? 1 : 6, created_at: time, finished_at: time + 1_000 },
              ...{ losses: 0, finished_tests: 0, total_tests: 0, contest_id: contestId },
            }
          }),
        )
        .returning(['id', 'created_at'])
        .execute()
      await trx
        .insertInto('contest_submission')
        .values(
          rows.map((row, i) => ({
            submission_id: row.id,
            contest_id: contestId,
            team_id: teamIds[(part[i]! * 13) % teams]!,
            contest_problem_id: problems[(part[i]! * 7) % problems.length]!.id,
            handed_in_at: row.created_at,
          })),
        )
        .execute()
    }
    const contest = toContest(
      await trx.selectFrom('contest').selectAll().where('id', '=', contestId).executeTakeFirstOrThrow(),
    )
    await recomputeContest(trx, contest)
  })
}

/** The processor's time is the server's, without PostgreSQL's. */
async function timeBuild({ services, cast }: ContestStage, ContestID: string) {
  await cast.setter.call('put_contest_group', { ContestID, ID: 'g', Name: `${Math.random()}` })
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const standing = await services.judge.scoreboards.findReader(anonymous(''), ContestID)
  const [begun, before] = [performance.now(), process.cpuUsage()]
  await services.judge.scoreboards.readFor(standing, { isPublic: true, groupId: undefined })
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - begun, processorMs: (user + system) / 1_000 }
}

/** In turn, so that both meet the same neighbours. */
async function timeFinishing(stage: ContestStage, ContestID: string) {
  const { contestant, colleague, worker, setter } = stage.cast
  const other = await makeProblem(setter)
  const measure = async (handIn: () => Promise<unknown>): Promise<number> => {
    await handIn()
    const { ID, Lease } = await claim(worker)
    const begun = performance.now()
    await worker.call('update_submission', { ID, Lease, Status: 3, Result: 6 })
    return performance.now() - begun
  }
  const draft = { Language: 'python', Content: 'x' }
  const [inside, outside]: number[][] = [[], []]
  for (let i = 0; i < 60; i++) {
    inside!.push(
      await measure(() => contestant.call('create_contest_submission', { ContestID, ProblemID: 'a', ...draft })),
    )
    outside!.push(await measure(() => colleague.call('create_submission', { ProblemUUID: other.UUID, ...draft })))
  }
  const more = middle(inside!) - middle(outside!)
  return {
    ratios: [more],
    goal: { atMost: 1 },
    note: `${more.toFixed(2)} ms more than ${middle(outside!).toFixed(2)} ms`,
  }
}

/** Of readers over some seconds. What the server asks in the background, however many read, is not counted. */
async function countQueries({ url }: ContestStage, ContestID: string) {
  const address = `${url}/api/contests/${ContestID}/scoreboard`
  const { length } = Buffer.from(await (await fetch(address)).arrayBuffer())
  const queries = countRequestQueries()
  const begun = performance.now()
  let read = 0
  while (performance.now() - begun < 3_000) {
    await (await fetch(address)).arrayBuffer()
    read++
  }
  const asked = queries.take('/scoreboard').length
  queries.stop()
  return {
    ratios: [asked / read],
    goal: { atMost: 0 },
    note: `${asked} queries of ${read} readers, one after the other, in 3 s; ${length} bytes each`,
  }
}
