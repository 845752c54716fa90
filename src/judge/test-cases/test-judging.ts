/** Judging settings of a problem's tests: the group, the points, and the checker's arguments. */

import type { ScoredTest } from '../../lib/judging-rules/scoring/rules.ts'
import type { PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'

/** `points`: in millionths, or null for an equal share of the group's. `arguments`: null for the checker's own. */
export type TestJudging = {
  readonly group: string
  readonly points: number | null
  readonly arguments: readonly string[] | null
}

/** `name`: its name in the package; null without a package. */
export type ListedTestJudging = TestJudging & {
  readonly uuid: string
  readonly name: string | null
  /** The size of its input and output. */
  readonly bytes: number
}

export const plainTestJudging: TestJudging = { group: '', points: null, arguments: null }

type Row = {
  uuid: string
  group_name: string
  points: number | null
  arguments: string | null
  name: string | null
  bytes: number
}

export const toTestJudging = (row: Row): ListedTestJudging => ({
  uuid: row.uuid,
  name: row.name,
  bytes: row.bytes,
  group: row.group_name,
  points: row.points,
  arguments: row.arguments === null ? null : JSON.parse(row.arguments),
})

export const toTestJudgingColumns = ({ group, points, arguments: list }: TestJudging) => ({
  group_name: group,
  points,
  arguments: list && JSON.stringify(list),
})

const selectTests = (db: Db) =>
  db
    .selectFrom('test_case')
    .leftJoin('test_name', 'test_name.test_case_id', 'test_case.id')
    .select(['uuid', 'group_name', 'points', 'arguments', 'bytes', 'test_name.name'])

export async function readTestJudging(db: Db, testId: number): Promise<ListedTestJudging | undefined> {
  const row = await selectTests(db).where('test_case.id', '=', testId).executeTakeFirst()
  return row && toTestJudging(row)
}

export async function saveTestJudging(trx: Db, testId: number, judging: TestJudging): Promise<void> {
  await trx.updateTable('test_case').set(toTestJudgingColumns(judging)).where('id', '=', testId).execute()
}

/** In judging order. */
export async function listTestJudging(
  db: Db,
  problemId: number,
  { offset, limit }: PageRequest,
): Promise<ListedTestJudging[]> {
  const rows = await selectTests(db)
    .where('problem_id', '=', problemId)
    .orderBy('position')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(toTestJudging)
}

/** All tests of a problem in judging order, as the scoring rules need them. */
export async function listScoredTests(db: Db, problemId: number): Promise<(ScoredTest & { readonly uuid: string })[]> {
  const rows = await db
    .selectFrom('test_case')
    .select(['uuid', 'group_name', 'points', 'is_hidden'])
    .where('problem_id', '=', problemId)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    uuid: row.uuid,
    group: row.group_name,
    points: row.points,
    isHidden: row.is_hidden === 1,
  }))
}

/** The groups of the problem's tests. */
export async function listUsedGroups(db: Db, problemId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('test_case')
    .select('group_name')
    .distinct()
    .where('problem_id', '=', problemId)
    .where('group_name', '!=', '')
    .execute()
  return rows.map(({ group_name }) => group_name)
}

/** The arguments of tests that have their own. */
export async function listUsedArguments(db: Db, problemId: number): Promise<string[][]> {
  const rows = await db
    .selectFrom('test_case')
    .select('arguments')
    .distinct()
    .where('problem_id', '=', problemId)
    .where('arguments', 'is not', null)
    .execute()
  return rows.map((row) => JSON.parse(row.arguments!))
}
