/** Limits on tests: their number per problem, and their size per problem, author and server. */
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Limits } from '../limits.ts'

/** Throws if the problem has exceeded its limit, which rolls back the write. */
export async function demandTestRoom(trx: Db, problemId: number, limits: Limits): Promise<void> {
  const { count, bytes } = await trx
    .selectFrom('test_case')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number>('bytes').as('bytes')])
    .where('problem_id', '=', problemId)
    .executeTakeFirstOrThrow()
  const most = Number(count) > limits.tests ? `${limits.tests} test cases` : `${limits.testDataBytes} bytes of tests`
  demand(
    Number(count) <= limits.tests && Number(bytes ?? 0) <= limits.testDataBytes,
    'limited',
    'test-quota',
    `A problem may have ${most}: delete some first.`,
  )
}

/**
 * Refuses `more` bytes in addition to the author's present ones; or, after a write, the resulting size. On PostgreSQL
 * the write itself has locked the author's row, so the bound is exact.
 */
export async function demandStorage(db: Db, ownerId: number, limits: Limits, more = 0): Promise<void> {
  const { authorTestDataBytes, allTestDataBytes } = limits
  const own = await db.selectFrom('test_usage').select('bytes').where('account_id', '=', ownerId).executeTakeFirst()
  if ((own?.bytes ?? 0) + more > authorTestDataBytes) {
    const advice = 'delete test cases or problems that are no longer needed, or ask an admin for more'
    throw full(`The tests of one author’s problems may hold ${authorTestDataBytes} bytes in all: ${advice}.`)
  }
  const all = await db
    .selectFrom('test_usage')
    .select((eb) => eb.fn.sum<number>('bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  if (Number(all.bytes ?? 0) + more <= allTestDataBytes) return
  throw full(`The tests of all problems here may hold ${allTestDataBytes} bytes: ask an admin for more.`)
}

const full = (message: string): Failure => new Failure('limited', 'test-quota', message)
