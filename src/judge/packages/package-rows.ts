/** Data of a package that is stored beside the problem: names of tests, and YAML members without a place here. */
import type { Db } from '../../store/schema/schema.ts'
import { storeTestNames } from '../test-cases/packaged-tests.ts'
import type { Extras, PackagedProblem } from './packaged-problem.ts'

export type StoredPackage = { readonly language: string; readonly extras: Extras }

/** Must run in the transaction that created the problem and its tests. */
export async function storePackage(
  trx: Db,
  problemId: number,
  { tests, language, extras }: PackagedProblem,
): Promise<void> {
  const content = JSON.stringify({ language, extras } satisfies StoredPackage)
  await trx.insertInto('problem_package').values({ problem_id: problemId, content }).execute()
  await storeTestNames(
    trx,
    problemId,
    tests.map(({ name }) => name),
  )
}

export async function readStoredPackage(db: Db, problemId: number): Promise<StoredPackage> {
  const row = await db
    .selectFrom('problem_package')
    .select('content')
    .where('problem_id', '=', problemId)
    .executeTakeFirst()
  return row ? (JSON.parse(row.content) as StoredPackage) : { language: 'en', extras: {} }
}
