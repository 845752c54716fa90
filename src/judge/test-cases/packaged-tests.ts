/** Tests for packages: all of a problem's in judging order with their package names, and their data one by one. */
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'

export type PackagedTestRow = {
  readonly id: number
  readonly isHidden: boolean
  readonly bytes: number
  readonly group: string
  readonly points: number | null
  readonly arguments: readonly string[] | null
  readonly storedName: string | null
}

export async function listPackagedTests(db: Db, problemId: number): Promise<PackagedTestRow[]> {
  const rows = await db
    .selectFrom('test_case')
    .leftJoin('test_name', 'test_name.test_case_id', 'test_case.id')
    .select(['id', 'is_hidden', 'bytes', 'group_name', 'points', 'arguments', 'test_name.name'])
    .where('problem_id', '=', problemId)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    isHidden: row.is_hidden === 1,
    bytes: row.bytes,
    group: row.group_name,
    points: row.points,
    arguments: row.arguments === null ? null : JSON.parse(row.arguments),
    storedName: row.name,
  }))
}

export async function readTestData(db: Db, id: number): Promise<{ input: Uint8Array; output: Uint8Array }> {
  const row = await db
    .selectFrom('test_data')
    .select(['input', 'output'])
    .where('test_case_id', '=', id)
    .executeTakeFirst()
  demand(row, 'unavailable', 'problem-changed', 'A test was deleted meanwhile: try again.')
  return row
}

/** The databases limit the number of parameters in one query. */
const portion = 500

/** Stores the package names of a new problem's tests, given in judging order. */
export async function storeTestNames(trx: Db, problemId: number, names: readonly string[]): Promise<void> {
  const rows = await trx
    .selectFrom('test_case')
    .select('id')
    .where('problem_id', '=', problemId)
    .orderBy('position')
    .execute()
  for (let at = 0; at < rows.length; at += portion) {
    const values = rows.slice(at, at + portion).map(({ id }, i) => ({ test_case_id: id, name: names[at + i]! }))
    await trx.insertInto('test_name').values(values).execute()
  }
}
