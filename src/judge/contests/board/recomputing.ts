/**
 * Keeps cells and rows up to date: the transaction that changes a submission recomputes its cell from all submissions
 * in it, in both editions, and then the row of the team. The caller must hold the contest.
 */
import { prepareFor } from '../../../store/prepared.ts'
import type { ContestCellTable, ContestRowTable } from '../../../store/schema/contest-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { type Contest, contestTimeOf, freezeStartOf } from '../../contest-access/contest.ts'
import { type Cell, type CellSubmission, computeCell, computeRow } from './cell.ts'

/** The public's view, and the jury's. */
export const editions = { public: 0, jury: 1 } as const
export type Edition = (typeof editions)[keyof typeof editions]
const bothEditions: readonly Edition[] = [editions.public, editions.jury]

export type CellPlace = { readonly teamId: number; readonly problemId: number }

const finished = 3

const readCell = prepareFor(
  (db, { contestId, teamId, problemId }: { contestId: number; teamId: number; problemId: number }) =>
    selectSubmissions(db, contestId)
      .where('contest_submission.team_id', '=', teamId)
      .where('contest_submission.contest_problem_id', '=', problemId)
      .orderBy('contest_submission.handed_in_at')
      .orderBy('contest_submission.submission_id'),
)
/** The extra penalty is in every row; a team without cells is one row without a cell. */
const readTeam = prepareFor((db, { contestId, teamId }: { contestId: number; teamId: number }) =>
  db
    .selectFrom('contest_team')
    .leftJoin('contest_cell', (join) =>
      join.onRef('contest_cell.team_id', '=', 'contest_team.id').on('contest_cell.contest_id', '=', contestId),
    )
    .selectAll('contest_cell')
    .select('contest_team.extra_penalty')
    .where('contest_team.id', '=', teamId),
)

/** During a rejudging, the previous result still counts. */
const selectSubmissions = (db: Db, contestId: number) =>
  db
    .selectFrom('contest_submission')
    .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
    .leftJoin('present_result', 'present_result.submission_id', 'contest_submission.submission_id')
    .select([
      'contest_submission.submission_id as id',
      'contest_submission.team_id',
      'contest_submission.contest_problem_id as problem_id',
      'contest_submission.handed_in_at',
      'contest_submission.is_ignored',
      'contest_submission.group_scores',
      'submission.status',
      'submission.result',
      'submission.score',
      'submission.maximum_score',
      'present_result.result as present_result',
      'present_result.score as present_score',
      'present_result.maximum_score as present_maximum',
    ])
    .where('contest_submission.contest_id', '=', contestId)

type Row = Awaited<ReturnType<typeof readCell>>[number]

function toCellSubmission(row: Row, contest: Contest): CellSubmission {
  const isRejudged = row.present_result !== null
  return {
    id: row.id,
    contestMs: contestTimeOf(contest, row.handed_in_at) ?? -1,
    isFinished: isRejudged || row.status === finished,
    result: row.present_result ?? row.result,
    score: isRejudged ? row.present_score : row.score,
    maximumScore: isRejudged ? row.present_maximum : row.maximum_score,
    groups: row.group_scores === null ? [] : JSON.parse(row.group_scores),
    isIgnored: row.is_ignored === 1,
  }
}

function computeEditions(contest: Contest, submissions: readonly CellSubmission[]): readonly [Cell, Cell] {
  const { style, durationMs, thawedAt } = contest
  const frozenFromMs = thawedAt === null ? freezeStartOf(contest) : null
  const jury = computeCell(submissions, { style, durationMs, frozenFromMs: null })
  if (frozenFromMs === null) return [jury, jury]
  return [computeCell(submissions, { style, durationMs, frozenFromMs }), jury]
}

type CellRow = ContestCellTable
type Team = { readonly extraPenalty: number; readonly cells: readonly CellRow[] }

async function findTeam(trx: Db, place: { contestId: number; teamId: number }): Promise<Team> {
  const rows = await readTeam(trx, place)
  const cells = rows.filter((row) => row.edition !== null) as (CellRow & { extra_penalty: number })[]
  return { extraPenalty: rows[0]!.extra_penalty, cells }
}

const toRow = (contest: Contest, { teamId, problemId }: CellPlace, edition: Edition, cell: Cell): CellRow => ({
  contest_id: contest.id,
  team_id: teamId,
  contest_problem_id: problemId,
  edition,
  judged: cell.judged,
  finished: cell.finished,
  pending: cell.pending,
  is_solved: Number(cell.isSolved),
  solved_ms: cell.solvedMs,
  solved_by: cell.solvedBy,
  pending_ms: cell.pendingMs,
  pending_id: cell.pendingId,
  score: cell.score,
})

const sumRows = (contest: Contest, teamId: number, extraPenalty: number, cells: readonly CellRow[]) =>
  bothEditions.map((edition) => {
    const own = cells.filter((cell) => cell.edition === edition)
    const sums = computeRow(
      own.map((row) => ({
        isSolved: row.is_solved === 1,
        judged: row.judged,
        solvedMs: row.solved_ms,
        score: row.score,
      })),
      { style: contest.style, penaltyMinutes: contest.penaltyMinutes, extraPenalty },
    )
    return {
      contest_id: contest.id,
      team_id: teamId,
      edition,
      solved: sums.solved,
      penalty: sums.penalty,
      last_minute: sums.lastMinute,
      score: sums.score,
      last_ms: sums.lastMs,
    }
  })

const isEmpty = ({ judged, finished: ended, pending }: CellRow) => judged === 0 && ended === 0 && pending === 0

export type Solving = CellPlace & { readonly isSolved: boolean }

/** Returns whether the public edition of the cell became solved, or is no longer solved. */
export async function recomputeCell(trx: Db, contest: Contest, place: CellPlace): Promise<Solving | undefined> {
  const { teamId, problemId } = place
  const contestId = contest.id
  const submissions = await readCell(trx, { contestId, teamId, problemId })
  const cells = computeEditions(
    contest,
    submissions.map((row) => toCellSubmission(row, contest)),
  )
  const now = bothEditions.map((edition) => toRow(contest, place, edition, cells[edition]))
  const { extraPenalty, cells: before } = await findTeam(trx, { contestId, teamId })
  const [old, others] = partition(before, (cell) => cell.contest_problem_id === problemId)
  await putCells(trx, keepChanged(old, now, cellColumns))
  const sumsBefore = sumRows(contest, teamId, extraPenalty, before)
  const sums = sumRows(contest, teamId, extraPenalty, [...others, ...now])
  // A team's rows are written with its first cell, and then follow from its cells.
  await putRows(trx, before.length === 0 ? sums : keepChanged(sumsBefore, sums, rowColumns))
  const wasSolved = old.some((cell) => cell.edition === editions.public && cell.is_solved === 1)
  const { isSolved } = cells[editions.public]
  return wasSolved === isSolved ? undefined : { ...place, isSolved }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

/** The rows that differ in these columns from the one before of their edition. */
const keepChanged = <T extends { edition: number }>(
  before: readonly T[],
  now: readonly T[],
  columns: readonly (keyof T)[],
) =>
  now.filter((row) => {
    const old = before.find(({ edition }) => edition === row.edition)
    return !old || columns.some((name) => old[name] !== row[name])
  })

const excluded = (name: string) => (eb: { ref(name: string): unknown }) => eb.ref(`excluded.${name}`) as never

const cellColumns = [
  'judged',
  'finished',
  'pending',
  'is_solved',
  'solved_ms',
  'solved_by',
  'pending_ms',
  'pending_id',
  'score',
] as const
const rowColumns = ['solved', 'penalty', 'last_minute', 'score', 'last_ms'] as const

const upsertCells = prepareFor((db, columns: ColumnsOf<CellRow>) =>
  db
    .insertInto('contest_cell')
    .values(toRows(columns))
    .onConflict((conflict) =>
      conflict
        .columns(['contest_id', 'team_id', 'contest_problem_id', 'edition'])
        .doUpdateSet(Object.fromEntries(cellColumns.map((name) => [name, excluded(name)]))),
    ),
)
const upsertRows = prepareFor((db, columns: ColumnsOf<ContestRowTable>) =>
  db
    .insertInto('contest_row')
    .values(toRows(columns))
    .onConflict((conflict) =>
      conflict
        .columns(['contest_id', 'team_id', 'edition'])
        .doUpdateSet(Object.fromEntries(rowColumns.map((name) => [name, excluded(name)]))),
    ),
)

async function putCells(trx: Db, rows: readonly CellRow[]): Promise<void> {
  if (rows.length > 0) await upsertCells(trx, toColumns(rows))
}

async function putRows(trx: Db, rows: readonly ContestRowTable[]): Promise<void> {
  if (rows.length > 0) await upsertRows(trx, toColumns(rows))
}

/** A list per column, as a prepared query takes its arguments. */
type ColumnsOf<T> = { readonly [K in keyof T]: readonly T[K][] }

const toColumns = <T extends object>(rows: readonly T[]): ColumnsOf<T> =>
  Object.fromEntries(Object.keys(rows[0]!).map((name) => [name, rows.map((row) => row[name as keyof T])])) as never

function toRows<T extends object>(columns: ColumnsOf<T>): T[] {
  const names = Object.keys(columns) as (keyof T)[]
  return columns[names[0]!].map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]]))) as T[]
}

/** Recomputes one team's row after its extra penalty changed. */
export async function recomputeRow(trx: Db, contest: Contest, teamId: number): Promise<void> {
  const { extraPenalty, cells } = await findTeam(trx, { contestId: contest.id, teamId })
  await putRows(trx, sumRows(contest, teamId, extraPenalty, cells))
}

/**
 * Recomputes all cells after a rule of the contest changed. Returns the cells that became solved in the public edition,
 * or are no longer solved.
 */
export async function recomputeContest(trx: Db, contest: Contest): Promise<Solving[]> {
  const teams = await trx
    .selectFrom('contest_team')
    .select(['id', 'extra_penalty'])
    .where('contest_id', '=', contest.id)
    .orderBy('id')
    .execute()
  const solvedBefore = await trx
    .selectFrom('contest_cell')
    .select(['team_id', 'contest_problem_id'])
    .where('contest_id', '=', contest.id)
    .where('edition', '=', editions.public)
    .where('is_solved', '=', 1)
    .execute()
  const keyOf = (teamId: number, problemId: number) => `${teamId} ${problemId}`
  const before = new Set(solvedBefore.map((row) => keyOf(row.team_id, row.contest_problem_id)))
  const changes: Solving[] = []
  await trx.deleteFrom('contest_cell').where('contest_id', '=', contest.id).execute()
  await trx.deleteFrom('contest_row').where('contest_id', '=', contest.id).execute()
  for (let at = 0; at < teams.length; at += teamsAtOnce) {
    const part = teams.slice(at, at + teamsAtOnce)
    const rows = await selectSubmissions(trx, contest.id)
      .where('contest_submission.team_id', '>=', part[0]!.id)
      .where('contest_submission.team_id', '<=', part.at(-1)!.id)
      .orderBy('contest_submission.team_id')
      .orderBy('contest_submission.contest_problem_id')
      .orderBy('contest_submission.handed_in_at')
      .orderBy('contest_submission.submission_id')
      .execute()
    const cells: CellRow[] = []
    for (const own of Map.groupBy(rows, (row) => keyOf(row.team_id, row.problem_id)).values()) {
      const { team_id: teamId, problem_id: problemId } = own[0]!
      const place = { teamId, problemId }
      const both = computeEditions(
        contest,
        own.map((row) => toCellSubmission(row, contest)),
      )
      for (const edition of bothEditions) cells.push(toRow(contest, place, edition, both[edition]))
      const { isSolved } = both[editions.public]
      if (isSolved !== before.has(keyOf(teamId, problemId))) changes.push({ ...place, isSolved })
    }
    const kept = cells.filter((cell) => !isEmpty(cell))
    for (let from = 0; from < kept.length; from += rowsAtOnce)
      await trx
        .insertInto('contest_cell')
        .values(kept.slice(from, from + rowsAtOnce))
        .execute()
    const byTeam = Map.groupBy(kept, (cell) => cell.team_id)
    const sums = part.flatMap((team) => sumRows(contest, team.id, team.extra_penalty, byTeam.get(team.id) ?? []))
    for (let from = 0; from < sums.length; from += rowsAtOnce)
      await trx
        .insertInto('contest_row')
        .values(sums.slice(from, from + rowsAtOnce))
        .execute()
  }
  return changes
}

const teamsAtOnce = 200
const rowsAtOnce = 500
