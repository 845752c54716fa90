/** Open tests as examples, for trials on a problem that has none. Hidden tests are never included. */
import type { Db } from '../../store/schema/schema.ts'

export type OpenExample = {
  readonly input: Uint8Array
  readonly output: Uint8Array
  /** Null means the checker's own. */
  readonly arguments: readonly string[] | null
}

/** The first open tests in judging order, without those that are too large. */
export async function readOpenExamples(
  db: Db,
  problemId: number,
  { most, bytes }: { most: number; bytes: number },
): Promise<OpenExample[]> {
  const rows = await db
    .selectFrom('test_case')
    .innerJoin('test_data', 'test_data.test_case_id', 'test_case.id')
    .select(['test_data.input', 'test_data.output', 'test_case.arguments'])
    .where('test_case.problem_id', '=', problemId)
    .where('test_case.is_hidden', '=', 0)
    .where('test_case.bytes', '<=', bytes)
    .orderBy('test_case.position')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, arguments: row.arguments === null ? null : JSON.parse(row.arguments) }))
}
