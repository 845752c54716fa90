/** Test cases: what a program reads, what it should write, and whether contestants may see either. */
import { type Actor, may, requireRole, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import { demand } from '../../base/failure.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'
import { isKeeper, type Problems, writers } from '../problems/problems.ts'
import { digestTest, renewTestHash, reservePlaces } from '../problems/test-list.ts'
import { excerpt } from './excerpt.ts'
import { readTestArchive } from './test-archive.ts'
import { insertTests, type TestDraft, type TestUploads } from './test-uploads.ts'

/** Texts as bytes: whole ones, or what a list shows of them. */
export type TestCase = TestDraft & { readonly uuid: string }

type Needs = { store: Store; switches: Switches; problems: Problems; uploads: TestUploads; limits: Limits }

export type TestCases = ReturnType<typeof makeTestCases>

export function makeTestCases({ store, switches, problems, uploads, limits }: Needs) {
  async function find(uuid: string, db: Db = store.db) {
    const row = await db
      .selectFrom('test_case')
      .innerJoin('problem', 'problem.id', 'test_case.problem_id')
      .select(['test_case.id', 'test_case.uuid', 'test_case.is_hidden', 'input_start', 'output_start'])
      .select(['problem_id', 'problem.uuid as problem_uuid', 'problem.author_id'])
      .where('test_case.uuid', '=', uuid.toLowerCase())
      .executeTakeFirst()
    demand(row, 'not-found', 'test-case-unknown', `There is no test case ${uuid}.`)
    return { ...row, problem_id: row.problem_id! }
  }

  async function readData(id: number, db: Db) {
    const row = await db
      .selectFrom('test_data')
      .select(['input', 'output'])
      .where('test_case_id', '=', id)
      .executeTakeFirst()
    demand(row, 'not-found', 'test-case-unknown', 'The test case was deleted meanwhile.')
    return row
  }

  /** The contract's order: the role, the switch, whether it is there, whose it is. */
  async function findOwn(actor: Actor, uuid: string) {
    requireRole(actor, writers, 'write test cases')
    await switches.demandProblemUpdate()
    const test = await find(uuid)
    const isOwn = isKeeper(actor, { authorId: test.author_id })
    demand(isOwn, 'forbidden', 'not-yours', 'This problem is another’s: only its author may write its test cases.')
    return test
  }

  async function findOwnProblem(actor: Actor, problemUuid: string) {
    requireRole(actor, writers, 'write test cases')
    await switches.demandProblemUpdate()
    return problems.findOwn(actor, problemUuid)
  }

  return {
    async create(actor: Actor, problemUuid: string, draft: TestDraft): Promise<TestCase> {
      const problem = await findOwnProblem(actor, problemUuid)
      const uuid = await store.write(async (trx) => {
        const position = await reservePlaces(trx, problem.id, 1)
        demand(position !== undefined, 'not-found', 'problem-unknown', `There is no problem ${problemUuid}.`)
        const [made] = await insertTests(trx, [draft], { problem_id: problem.id, upload_id: null, position })
        await renewTestHash(trx, problem.id)
        return made!
      })
      return { uuid, input: excerpt(draft.input), output: excerpt(draft.output), isHidden: draft.isHidden }
    },

    /** A zip of test cases, all hidden, all or none, after those that are there. */
    async createFromArchive(actor: Actor, problemUuid: string, zip: Zip): Promise<void> {
      const problem = await findOwnProblem(actor, problemUuid)
      const upload = await uploads.stage(readTestArchive(zip, limits))
      try {
        await store.write((trx) => uploads.attach(trx, upload, problem.id))
      } catch (error) {
        await uploads.discard(upload.id)
        throw error
      }
    },

    async update(actor: Actor, uuid: string, change: Partial<TestDraft>): Promise<TestCase> {
      const { id, problem_id } = await findOwn(actor, uuid)
      return store.write(async (trx) => {
        await reservePlaces(trx, problem_id, 0)
        const before = await find(uuid, trx)
        const data = await readData(id, trx)
        const after = { ...data, isHidden: before.is_hidden === 1, ...change }
        const shown = { input: excerpt(after.input), output: excerpt(after.output) }
        await trx
          .updateTable('test_case')
          .set({
            is_hidden: Number(after.isHidden),
            digest: digestTest(after.input, after.output, after.isHidden),
            input_start: shown.input,
            output_start: shown.output,
          })
          .where('id', '=', id)
          .execute()
        const { input, output } = after
        await trx.updateTable('test_data').set({ input, output }).where('test_case_id', '=', id).execute()
        await renewTestHash(trx, problem_id)
        return { uuid: before.uuid, ...shown, isHidden: after.isHidden }
      })
    },

    async delete(actor: Actor, uuid: string): Promise<void> {
      const { id, problem_id } = await findOwn(actor, uuid)
      await store.write(async (trx) => {
        await reservePlaces(trx, problem_id, 0)
        const { numDeletedRows } = await trx.deleteFrom('test_case').where('id', '=', id).executeTakeFirstOrThrow()
        demand(numDeletedRows > 0n, 'not-found', 'test-case-unknown', `There is no test case ${uuid}.`)
        await renewTestHash(trx, problem_id)
      })
    },

    async get(actor: Actor, uuid: string): Promise<TestCase> {
      requireSignIn(actor)
      const test = await find(uuid)
      const isHidden = test.is_hidden === 1
      if (isHidden && !maySeeHidden(actor, { authorId: test.author_id })) return { uuid: test.uuid, ...unseen }
      return { uuid: test.uuid, ...(await readData(test.id, store.db)), isHidden }
    },

    /** In judging order, with the start of each text. */
    async list(actor: Actor, problemUuid: string, { offset, limit }: PageRequest): Promise<Page<TestCase>> {
      requireSignIn(actor)
      const problem = await problems.find(problemUuid)
      const maySee = maySeeHidden(actor, problem)
      const { test_count: total } = await store.db
        .selectFrom('problem')
        .select('test_count')
        .where('id', '=', problem.id)
        .executeTakeFirstOrThrow()
      const rows = await store.db
        .selectFrom('test_case')
        .select(['uuid', 'is_hidden', 'input_start as input', 'output_start as output'])
        .where('problem_id', '=', problem.id)
        .orderBy('position')
        .limit(limit)
        .offset(offset)
        .execute()
      const items = rows.map(({ uuid, is_hidden, input, output }) =>
        is_hidden === 1 && !maySee ? { uuid, ...unseen } : { uuid, input, output, isHidden: is_hidden === 1 },
      )
      return { total, items }
    },
  }
}

const nothing = new Uint8Array(0)
const unseen = { input: nothing, output: nothing, isHidden: true }

/** Hidden tests are seen by who keeps the problem and by the executors. */
export const maySeeHidden = (actor: SignedIn, problem: { readonly authorId: number }): boolean =>
  may(actor, ['worker']) || isKeeper(actor, problem)
