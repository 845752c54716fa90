/**
 * Built boards: ranked once per version of the contest, and kept as the bytes to send. A board is at most a second old,
 * and reading it costs no query.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { type Contest, hasStarted, toContest } from '../../contest-access/contest.ts'
import type { ContestAccess } from '../../contest-access/contest-access.ts'
import { unpublishedName } from '../../contest-access/shown-submissions.ts'
import type { Cell } from './cell.ts'
import { type BoardCell, type BoardProblem, type BoardRow, emptyCell, findFirst, rankRows } from './ranking.ts'
import { type Edition, editions } from './recomputing.ts'
import { makeRefreshedCache } from './refreshed-cache.ts'

export type BuiltBoard = {
  readonly contest: Contest
  readonly edition: Edition
  readonly problems: readonly BoardProblem[]
  readonly rows: readonly BoardRow[]
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  /** When it was read. */
  readonly at: number
  /** Renders the board once per name, and keeps the bytes with it. */
  render(name: string, make: (board: BuiltBoard) => string): Rendered
}

export type Rendered = { readonly bytes: Buffer; readonly etag: string }

const mostKept = 200

export type Boards = ReturnType<typeof makeBoards>

type Needs = { store: Store; clock: Clock; contestAccess: ContestAccess }

export function makeBoards({ store, clock, contestAccess }: Needs) {
  const kept = makeRefreshedCache<BuiltBoard>({
    clock,
    most: mostKept,
    async load(key, before) {
      const [contestId, edition] = key.split(' ').map(Number) as [number, Edition]
      const now = clock.now()
      if (before && (await isStill(before, now))) return before
      return store.readSnapshot((db) => build(db, contestId, edition, now, before))
    },
    // Who reads it waits while it is built anew: its time is when a reader could first see the change.
    lookAgain: async (_key, board) => ((await isStill(board, clock.now())) ? board : undefined),
    // Problems appear at the start.
    isOf: ({ contest, at }, now) => hasStarted(contest, now) === hasStarted(contest, at),
  })

  async function isStill(board: BuiltBoard, now: number): Promise<boolean> {
    const contest = await contestAccess.readContest(board.contest.id)
    if (!contest || !isAlike(board, contest, now)) return false
    return board.problems.length === 0 || isDeepStrictEqual(await readProblems(store.db, contest.id), board.problems)
  }

  return {
    /** Undefined if the contest was deleted. */
    read: (contestId: number, edition: Edition): Promise<BuiltBoard | undefined> =>
      kept.read(`${contestId} ${edition}`),
    close: kept.close,
  }
}

const isAlike = ({ contest, at }: BuiltBoard, now: Contest, time: number): boolean =>
  contest.sequence === now.sequence &&
  contest.feedEpoch === now.feedEpoch &&
  hasStarted(contest, at) === hasStarted(now, time)

async function build(
  db: Db,
  contestId: number,
  edition: Edition,
  readAt: number,
  before: BuiltBoard | undefined,
): Promise<BuiltBoard | undefined> {
  const row = await db.selectFrom('contest').selectAll().where('id', '=', contestId).executeTakeFirst()
  if (!row) return undefined
  const contest = toContest(row)
  const problems = await readProblems(db, contestId)
  const isShown = edition === editions.jury || hasStarted(contest, readAt)
  const groups = await db
    .selectFrom('contest_group')
    .select(['id', 'public_id', 'name'])
    .where('contest_id', '=', contestId)
    .orderBy('id')
    .execute()
  const teams = await db
    .selectFrom('contest_team')
    .leftJoin('contest_organisation', 'contest_organisation.id', 'contest_team.organisation_id')
    .select(['contest_team.id', 'contest_team.public_id', 'contest_team.label', 'contest_team.name'])
    .select(['contest_organisation.public_id as organisation', 'contest_organisation.name as organisation_name'])
    .select('contest_team.extra_penalty')
    .where('contest_team.contest_id', '=', contestId)
    .where('contest_team.is_hidden', '=', 0)
    .execute()
  const memberships = await db
    .selectFrom('contest_team_group')
    .innerJoin('contest_team', 'contest_team.id', 'contest_team_group.team_id')
    .select(['contest_team_group.team_id', 'contest_team_group.group_id'])
    .where('contest_team.contest_id', '=', contestId)
    .orderBy('contest_team_group.group_id')
    .execute()
  const sums = await db
    .selectFrom('contest_row')
    .select(['team_id', 'solved', 'penalty', 'last_minute', 'score', 'last_ms'])
    .where('contest_id', '=', contestId)
    .where('edition', '=', edition)
    .execute()
  const cellRows = await db
    .selectFrom('contest_cell')
    .select(['team_id', 'contest_problem_id', 'judged', 'finished', 'pending', 'is_solved'])
    .select(['solved_ms', 'solved_by', 'pending_ms', 'pending_id', 'score'])
    .where('contest_id', '=', contestId)
    .where('edition', '=', edition)
    .execute()

  const cellsOf = placeCells(
    cellRows,
    teams.map(({ id }) => id),
    problems,
  )
  const groupIds = new Map(groups.map((group) => [group.id, group.public_id]))
  const groupsOf = Map.groupBy(memberships, (row) => row.team_id)
  const sumOf = new Map(sums.map((row) => [row.team_id, row]))
  const unranked = teams.map((team) => {
    const sum = sumOf.get(team.id)
    return {
      team: {
        id: team.id,
        publicId: team.public_id,
        label: team.label,
        name: team.name,
        organisationId: team.organisation,
        organisationName: team.organisation_name,
        groupIds: (groupsOf.get(team.id) ?? []).map((one) => groupIds.get(one.group_id)!),
      },
      solved: sum?.solved ?? 0,
      penalty: sum?.penalty ?? (contest.style === 'icpc' ? team.extra_penalty : 0),
      lastMinute: sum?.last_minute ?? 0,
      score: sum?.score ?? 0,
      lastMs: sum?.last_ms ?? 0,
      cells: isShown ? cellsOf.get(team.id)! : [],
    }
  })
  const renderings = new Map<string, Rendered>()
  const content = {
    problems: isShown ? problems : [],
    rows: rankRows(unranked, contest.style),
    groups: groups.map((group) => ({ id: group.public_id, name: group.name })),
  }
  // Its time would reveal when something happened that this edition hides.
  const isUnchanged =
    before &&
    hasStarted(before.contest, before.at) === hasStarted(contest, readAt) &&
    isDeepStrictEqual({ ...before.contest, sequence: 0 }, { ...contest, sequence: 0 }) &&
    showsSame(before, content)
  const board: BuiltBoard = {
    contest,
    edition,
    ...content,
    at: isUnchanged ? before.at : readAt,
    render(name, make) {
      const known = renderings.get(name)
      if (known) return known
      const bytes = Buffer.from(make(board))
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
      const rendered = { bytes, etag }
      if (renderings.size < mostRenderings) renderings.set(name, rendered)
      return rendered
    },
  }
  return board
}

const mostRenderings = 100

type Content = Pick<BuiltBoard, 'problems' | 'rows' | 'groups'>

function showsSame(before: Content, now: Content): boolean {
  if (!isDeepStrictEqual([before.problems, before.groups], [now.problems, now.groups])) return false
  return before.rows.length === now.rows.length && now.rows.every((row, i) => isDeepStrictEqual(row, before.rows[i]))
}

export async function readProblems(db: Db, contestId: number): Promise<BoardProblem[]> {
  const rows = await db
    .selectFrom('contest_problem')
    .innerJoin('problem', 'problem.id', 'contest_problem.problem_id')
    .select(['contest_problem.id', 'contest_problem.public_id', 'contest_problem.label', 'contest_problem.ordinal'])
    .select(['contest_problem.colour', 'problem.display_name', 'problem.uuid'])
    .select(['problem.is_held', 'contest_problem.opens_held'])
    .where('contest_problem.contest_id', '=', contestId)
    .orderBy('contest_problem.ordinal')
    .orderBy('contest_problem.id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    publicId: row.public_id,
    label: row.label,
    ordinal: row.ordinal,
    colour: row.colour,
    // A board is the same for all readers: the problem's owners see its name elsewhere.
    name: row.is_held === 1 && row.opens_held === 0 ? unpublishedName : row.display_name,
    uuid: row.uuid,
  }))
}

/** Each team's cells in problem order. Hidden teams are left out before it is decided who was first. */
function placeCells(rows: readonly CellColumns[], teamIds: readonly number[], problems: readonly BoardProblem[]) {
  const cellsOf = new Map(teamIds.map((id) => [id, problems.map((): BoardCell => emptyCell)]))
  const placeOf = new Map(problems.map(({ id }, i) => [id, i]))
  const columns = problems.map((): { teamId: number; cell: Cell }[] => [])
  for (const row of rows) {
    const own = cellsOf.get(row.team_id)
    const place = placeOf.get(row.contest_problem_id)
    if (!own || place === undefined) continue
    const cell = toCell(row)
    own[place] = cell
    columns[place]!.push({ teamId: row.team_id, cell })
  }
  for (const [place, column] of columns.entries()) {
    const first = findFirst(column)
    if (first === undefined) continue
    const own = cellsOf.get(first)!
    own[place] = { ...own[place]!, isFirst: true }
  }
  return cellsOf
}

type CellColumns = {
  team_id: number
  contest_problem_id: number
  judged: number
  finished: number
  pending: number
  is_solved: number
  solved_ms: number | null
  solved_by: number | null
  pending_ms: number | null
  pending_id: number | null
  score: number | null
}

const toCell = (row: CellColumns): BoardCell => ({
  judged: row.judged,
  finished: row.finished,
  pending: row.pending,
  isSolved: row.is_solved === 1,
  solvedMs: row.solved_ms,
  solvedBy: row.solved_by,
  pendingMs: row.pending_ms,
  pendingId: row.pending_id,
  score: row.score,
  isFirst: false,
})
