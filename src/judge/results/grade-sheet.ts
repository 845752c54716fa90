/**
 * The grade sheet as items of a data set: per person and problem the best result, the tries and the first success, or
 * per person with totals.
 */
import { setImmediate } from 'node:timers/promises'
import { accountColumns, toAccount } from '../../accounts/account-row.ts'
import type { Account, Actor, SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem, requireAct } from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import { describeResult, finished } from '../submissions/status.ts'

/** `cells`: an item per person and problem; `people`: an item per person, with totals and a column per problem. */
export const sheetLayouts = ['cells', 'people'] as const

export type SheetRequest = {
  readonly layout?: (typeof sheetLayouts)[number]
  /** Undefined means the newest problems. */
  readonly problemUuids?: readonly string[]
  /** The data set's name; an existing one is refilled. */
  readonly datasetName: string
  /** Includes contestants without submissions. */
  readonly hasEveryContestant: boolean
}

export type GradeSheet = { readonly datasetId: string; readonly datasetName: string; readonly itemCount: number }

/** Replaces all items of the actor's data set at once; creates it if it does not exist. */
export type StoreSheet = (actor: SignedIn, name: string, portions: readonly object[][]) => Promise<{ id: string }>

export const mostProblems = 100
/** A cell is some 300 bytes of JSON. */
export const mostCells = 200_000
/** Rows read per turn of the event loop. */
const rowsAtOnce = 1_000
const itemsAtOnce = 5_000

type Cell = {
  tries: number
  /** The result of the first success, or else of the latest judged try. */
  result: number
  neededTries: number | undefined
  firstSuccessAt: number | undefined
  /** The best of all tries, in millionths; null if the problem has no points. */
  score: number | null
  maximumScore: number | null
  cpuMs: number | null
  memoryBytes: number | null
}

type Needs = {
  store: Store
  problems: Problems
  sheetAccess: Pick<SheetAccess, 'hidesFrom'>
  storeSheet: StoreSheet
}

export type GradeSheets = ReturnType<typeof makeGradeSheets>

export function makeGradeSheets({ store, problems, sheetAccess, storeSheet }: Needs) {
  const { db } = store
  /** Each request reads all submissions to its problems. */
  const { run } = makeFairScheduler({
    slots: 2,
    slotsPerCaller: 1,
    queuePerCaller: 20,
    queue: 200,
    what: 'grade sheets',
  })

  /** By author, counted in the order of submission; of all authors, or of one. */
  async function readCells(problemId: number, authorId?: number): Promise<Map<number, Cell>> {
    const cells = new Map<number, Cell>()
    for (let after = 0; ; ) {
      const rows = await db
        .selectFrom('submission')
        .select(['id', 'author_id', 'status', 'result', 'created_at', 'cpu_ms', 'memory_bytes'])
        .select(['score', 'maximum_score'])
        .where('problem_id', '=', problemId)
        .$if(authorId !== undefined, (query) => query.where('author_id', '=', authorId!))
        // Contest submissions count only in the contest.
        .where('contest_id', 'is', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsAtOnce)
        .execute()
      for (const row of rows) cells.set(row.author_id, addTry(cells.get(row.author_id), row))
      if (rows.length < rowsAtOnce) return cells
      after = rows.at(-1)!.id
      await setImmediate()
    }
  }

  async function readAccounts(ids: readonly number[]): Promise<Account[]> {
    const found: Account[] = []
    for (let at = 0; at < ids.length; at += rowsAtOnce) {
      const part = ids.slice(at, at + rowsAtOnce)
      const rows = await db.selectFrom('account').select(accountColumns).where('id', 'in', part).execute()
      found.push(...rows.map(toAccount))
    }
    return found.sort((a, b) => a.displayName.localeCompare(b.displayName) || a.id - b.id)
  }

  async function listContestants(most: number): Promise<number[]> {
    const rows = await db
      .selectFrom('account')
      .select('id')
      .where('role', '=', 'contestant')
      .where('kind', '=', 'user')
      .where('suspended_at', 'is', null)
      .orderBy('id')
      .limit(most)
      .execute()
    return rows.map(({ id }) => id)
  }

  async function findProblems(actor: SignedIn, uuids: readonly string[] | undefined) {
    if (uuids)
      return Promise.all(
        [...new Set(uuids.map((uuid) => uuid.toLowerCase()))].map((uuid) => problems.find(actor, uuid)),
      )
    const { items } = await problems.list(actor, { offset: 0, limit: mostProblems })
    return Promise.all(items.map(({ uuid }) => problems.find(actor, uuid)))
  }

  async function make(actor: SignedIn, request: SheetRequest) {
    const { problemUuids, datasetName, hasEveryContestant, layout = 'cells' } = request
    const chosen = await findProblems(actor, problemUuids)
    const columns: Map<number, Cell>[] = []
    const people = new Set(hasEveryContestant ? await listContestants(mostCells + 1) : [])
    for (const problem of chosen) {
      // An exercise sheet hides the work of others from its students, setters among them.
      const isHidden = await sheetAccess.hidesFrom(actor, problem)
      const column = await readCells(problem.id, isHidden ? actor.account.id : undefined)
      columns.push(column)
      for (const author of column.keys()) people.add(author)
      demand(people.size * chosen.length <= mostCells, 'limited', 'sheet-too-large', tooLarge)
    }
    const names = nameApart(chosen)
    const items = (await readAccounts([...people])).flatMap((account): object[] => {
      const cells = chosen.map((problem, at) => {
        const cell = columns[at]!.get(account.id)
        // Only the author and the problem's owners see points, as elsewhere.
        return cell && !ownsProblem(actor, problem) ? { ...cell, score: null } : cell
      })
      return layout === 'cells'
        ? chosen.map((problem, at) => toItem(account, problem, cells[at]))
        : [toTotals(account, names, cells)]
    })
    const portions: object[][] = []
    for (let at = 0; at < items.length; at += itemsAtOnce) portions.push(items.slice(at, at + itemsAtOnce))
    const { id } = await storeSheet(actor, datasetName, portions)
    return { datasetId: id, datasetName, itemCount: items.length }
  }

  return {
    async make(actor: Actor, request: SheetRequest): Promise<GradeSheet> {
      requireAct(actor, 'gradeResults')
      return run(String(actor.account.id), () => make(actor, request))
    },
  }
}

const tooLarge = `The sheet would have more than ${mostCells} rows: choose fewer problems.`

type Try = {
  status: number
  result: number
  created_at: number
  cpu_ms: number | null
  memory_bytes: number | null
  score: number | null
  maximum_score: number | null
}

function addTry(cell: Cell | undefined, row: Try): Cell {
  const tries = (cell?.tries ?? 0) + 1
  const hasBest = row.score !== null && row.score >= (cell?.score ?? 0)
  const points = {
    score: hasBest ? row.score : (cell?.score ?? null),
    maximumScore: hasBest ? row.maximum_score : (cell?.maximumScore ?? null),
  }
  if (cell && (cell.firstSuccessAt !== undefined || row.status !== finished)) return { ...cell, ...points, tries }
  const isSuccess = row.status === finished && row.result === 1
  return {
    ...points,
    tries,
    result: row.result,
    neededTries: isSuccess ? tries : undefined,
    firstSuccessAt: isSuccess ? row.created_at : undefined,
    cpuMs: row.cpu_ms,
    memoryBytes: row.memory_bytes,
  }
}

/** Plain words, for readers with a spreadsheet. */
const toItem = (account: Account, problem: { uuid: string; displayName: string }, cell: Cell | undefined) => ({
  person: account.displayName,
  account: account.name,
  problem: problem.displayName,
  solved: cell?.firstSuccessAt !== undefined,
  result: cell ? describeResult(cell.result) : 'not tried',
  points: toPointsOrNull(cell?.score),
  maximumPoints: toPointsOrNull(cell?.maximumScore),
  tries: cell?.tries ?? 0,
  triesToSolve: cell?.neededTries ?? null,
  firstSuccess: cell?.firstSuccessAt === undefined ? null : new Date(cell.firstSuccessAt).toISOString(),
  timeMs: cell?.cpuMs ?? null,
  memoryBytes: cell?.memoryBytes ?? null,
  problemUuid: problem.uuid,
})

/** Problems with equal names are distinguished by the start of their UUIDs. */
const nameApart = (problems: readonly { uuid: string; displayName: string }[]): string[] =>
  problems.map(({ uuid, displayName }) =>
    problems.filter((other) => other.displayName === displayName).length > 1
      ? `${displayName} (${uuid.slice(0, 8)})`
      : displayName,
  )

/** A row with totals. For each problem: the points if it has some, otherwise the result in words. */
function toTotals(account: Account, names: readonly string[], cells: readonly (Cell | undefined)[]) {
  const tried = cells.filter((cell) => cell !== undefined)
  const solvedAt = tried.flatMap(({ firstSuccessAt }) => firstSuccessAt ?? [])
  const scores = tried.flatMap(({ score }) => score ?? [])
  return {
    person: account.displayName,
    account: account.name,
    solved: solvedAt.length,
    points: scores.length > 0 ? toPoints(scores.reduce((sum, score) => sum + score, 0)) : null,
    tries: tried.reduce((sum, { tries }) => sum + tries, 0),
    lastSuccess: solvedAt.length > 0 ? new Date(Math.max(...solvedAt)).toISOString() : null,
    problems: Object.fromEntries(names.map((name, at) => [name, describeCell(cells[at])])),
  }
}

const describeCell = (cell: Cell | undefined): string | number =>
  cell ? (toPointsOrNull(cell.score) ?? describeResult(cell.result)) : 'not tried'

const toPointsOrNull = (score: number | null | undefined): number | null => (score == null ? null : toPoints(score))
