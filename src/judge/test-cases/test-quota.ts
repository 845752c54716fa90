/** How many tests a problem may have, and how much they may hold. */
import { sql } from 'kysely'
import { demand } from '../../base/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Limits } from '../limits.ts'

/** Where its tests have become more than a problem may have, the write that made them so is undone. */
export async function demandTestRoom(trx: Db, problemId: number, limits: Limits): Promise<void> {
  const { count, bytes } = await trx
    .selectFrom('test_case')
    .innerJoin('test_data', 'test_data.test_case_id', 'test_case.id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .select(sql<number>`coalesce(sum(length(input) + length(output)), 0)`.as('bytes'))
    .where('problem_id', '=', problemId)
    .executeTakeFirstOrThrow()
  const most = Number(count) > limits.tests ? `${limits.tests} test cases` : `${limits.testDataBytes} bytes of tests`
  demand(
    Number(count) <= limits.tests && Number(bytes) <= limits.testDataBytes,
    'limited',
    'test-quota',
    `A problem may have ${most}: delete some first.`,
  )
}
