/** A problem's list of tests as one hash, which changes exactly when the list does. */
import { createHash, createHmac } from 'node:crypto'
import type { Db } from '../../store/schema/schema.ts'

type Listed = { readonly uuid: string; readonly digest: string }

/**
 * A digest of a test case's content. It includes the lengths, so that no other split of the same bytes has the same
 * digest.
 */
export function digestTest(input: Uint8Array, output: Uint8Array, isHidden: boolean): string {
  const hash = createHash('sha256').update(`${isHidden ? 'hidden' : 'shown'} ${input.length} ${output.length}\n`)
  return hash.update(input).update(output).digest('hex')
}

export function hashTestList(tests: readonly Listed[]): string {
  const hash = createHash('sha256')
  for (const { uuid, digest } of tests) hash.update(`${uuid} ${digest}\n`)
  return hash.digest('hex')
}

/**
 * Uses a secret key of each problem: nobody can test a guess of a hidden test against the hash, not even with a problem
 * that contains the guess.
 */
export const hideTestHash = (key: string, hash: string): string => createHmac('sha256', key).update(hash).digest('hex')

/** Updates the problem's hash and count, in the transaction that changed its tests. */
export async function updateTestHash(trx: Db, problemId: number): Promise<void> {
  const tests = await trx
    .selectFrom('test_case')
    .select(['uuid', 'digest'])
    .where('problem_id', '=', problemId)
    .orderBy('position')
    .execute()
  await trx
    .updateTable('problem')
    .set({ test_hash: hashTestList(tests), test_count: tests.length })
    .where('id', '=', problemId)
    .execute()
}

/**
 * Locks out other writers of this problem's tests until the transaction ends, and returns the next free position;
 * undefined if the problem was deleted.
 */
export async function reservePositions(trx: Db, problemId: number, places: number): Promise<number | undefined> {
  const row = await trx
    .updateTable('problem')
    .set((eb) => ({ next_position: eb('next_position', '+', places) }))
    .where('id', '=', problemId)
    .returning('next_position')
    .executeTakeFirst()
  return row && row.next_position - places
}
