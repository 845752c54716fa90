/** Open tests as examples, for programs that are tried on a problem that has no other. Hidden tests are never among them. */
import type { Db } from '../../store/schema/schema.ts'

export type OpenExample = {
  readonly input: Uint8Array
  readonly output: Uint8Array
  /** Null: those of the problem's checker. */
  readonly arguments: readonly string[] | null
}

/** The first of them in judging order, without those that hold more. */
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
