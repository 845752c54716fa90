/**
 * Uploads of many test cases, all or none: they are stored a few at a time under a hidden upload, and attached to the
 * problem in one short write at the end. So a gigabyte is neither in memory nor in one long transaction.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Limits } from '../limits.ts'
import { digestTest, reservePositions, updateTestHash } from '../problems/test-list.ts'
import { excerpt } from './excerpt.ts'
import { plainTestJudging, type TestJudging, toTestJudgingColumns } from './test-judging.ts'
import { demandStorage, demandTestRoom } from './test-quota.ts'

export type TestDraft = {
  readonly input: Uint8Array
  readonly output: Uint8Array
  readonly isHidden: boolean
  /** Its judging settings, if not the defaults. */
  readonly judging?: TestJudging
}

export type Upload = { readonly id: string; readonly count: number }

const portionBytes = 4 * 1024 * 1024
const portionTests = 200
/** No upload takes an hour: an older one was left behind by a killed server and is deleted. */
const abandonedAfterMs = 60 * 60 * 1000

export type TestUploads = ReturnType<typeof makeTestUploads>

export function makeTestUploads({ store, clock, limits }: { store: Store; clock: Clock; limits: Limits }) {
  async function discard(id: string): Promise<void> {
    for (let isMore = true; isMore; ) {
      isMore = await store.write(async (trx) => {
        const portion = trx.selectFrom('test_case').select('id').where('upload_id', '=', id).limit(portionTests)
        const { numDeletedRows } = await trx
          .deleteFrom('test_case')
          .where('id', 'in', portion)
          .executeTakeFirstOrThrow()
        if (numDeletedRows > 0n) return true
        await trx.deleteFrom('test_upload').where('id', '=', id).execute()
        return false
      })
    }
  }

  return {
    discard,

    /** Stores the tests as they arrive, for the author of their problem; on failure it deletes those already stored. */
    async stage(ownerId: number, tests: AsyncIterable<TestDraft>): Promise<Upload> {
      const id = randomUUID()
      await store.write((trx) => trx.insertInto('test_upload').values({ id, started_at: clock.now() }).execute())
      let count = 0
      try {
        for await (const portion of inPortions(tests)) {
          const first = count
          const home = { upload_id: id, problem_id: null, owner_id: ownerId, position: first }
          await store.write(async (trx) => {
            await insertTests(trx, portion, home)
            await demandStorage(trx, ownerId, limits)
          })
          count += portion.length
        }
        return { id, count }
      } catch (error) {
        await discard(id)
        throw error
      }
    },

    /** Attaches the upload's tests to the problem, after the existing ones. */
    async attach(trx: Db, upload: Upload, problemId: number): Promise<void> {
      const place = await reservePositions(trx, problemId, upload.count)
      if (place === undefined) throw new Failure('not-found', 'problem-unknown', 'The problem was deleted meanwhile.')
      await trx
        .updateTable('test_case')
        .set((eb) => ({ problem_id: problemId, upload_id: null, position: eb('position', '+', place) }))
        .where('upload_id', '=', upload.id)
        .execute()
      await trx.deleteFrom('test_upload').where('id', '=', upload.id).execute()
      await demandTestRoom(trx, problemId, limits)
      await updateTestHash(trx, problemId)
    },

    /** Deletes uploads that killed servers left behind. */
    async sweep(): Promise<void> {
      const left = await store.db
        .selectFrom('test_upload')
        .select('id')
        .where('started_at', '<=', clock.now() - abandonedAfterMs)
        .execute()
      for (const { id } of left) await discard(id)
    },
  }
}

type Home = { problem_id: number | null; upload_id: string | null; owner_id: number; position: number }

/** Inserts the tests at consecutive positions, and returns their uuids. */
export async function insertTests(trx: Db, tests: readonly TestDraft[], home: Home): Promise<string[]> {
  const rows = tests.map(({ input, output, isHidden, judging }, i) => ({
    uuid: randomUUID(),
    ...home,
    position: home.position + i,
    is_hidden: Number(isHidden),
    digest: digestTest(input, output, isHidden),
    bytes: input.length + output.length,
    input_start: excerpt(input),
    output_start: excerpt(output),
    ...toTestJudgingColumns(judging ?? plainTestJudging),
  }))
  const made = await trx.insertInto('test_case').values(rows).returning(['id', 'uuid']).execute()
  const ids = new Map(made.map(({ id, uuid }) => [uuid, id]))
  const data = tests.map(({ input, output }, i) => ({ test_case_id: ids.get(rows[i]!.uuid)!, input, output }))
  await trx.insertInto('test_data').values(data).execute()
  return rows.map(({ uuid }) => uuid)
}

async function* inPortions(tests: AsyncIterable<TestDraft>): AsyncGenerator<TestDraft[]> {
  let portion: TestDraft[] = []
  let bytes = 0
  for await (const test of tests) {
    portion.push(test)
    bytes += test.input.length + test.output.length
    if (bytes < portionBytes && portion.length < portionTests) continue
    yield portion
    portion = []
    bytes = 0
  }
  if (portion.length > 0) yield portion
}
