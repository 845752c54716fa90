/** Test cases: a program's input, the expected output, and whether contestants may see them. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { demandOwnProblem, maySeeHiddenTests, maySeeProblem, requireAct, requireReader } from '../access.ts'
import type { Zip } from '../archive/archive.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import { digestTest, reservePositions, updateTestHash } from '../problems/test-list.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import { excerpt } from './excerpt.ts'
import { readTestArchive } from './test-archive.ts'
import { demandStorage, demandTestRoom } from './test-quota.ts'
import { insertTests, type TestDraft, type TestUploads } from './test-uploads.ts'

/** Texts as bytes: whole, or excerpts in a list. */
export type TestCase = TestDraft & { readonly uuid: string }

type Needs = {
  store: Store
  switches: Switches
  problems: Problems
  uploads: TestUploads
  limits: Limits
  sheetAccess: Pick<SheetAccess, 'opensTo'>
  /** Creates those groups that the problem lacks. */
  addGroups(trx: Db, problem: { id: number; authorId: number }, names: readonly string[]): Promise<void>
  contestAccess: Pick<ContestAccess, 'opensTo'>
}

export type TestCases = ReturnType<typeof makeTestCases>

export function makeTestCases({
  store,
  switches,
  problems,
  uploads,
  limits,
  sheetAccess,
  contestAccess,
  addGroups,
}: Needs) {
  async function find(uuid: string, db: Db = store.db) {
    const row = await db
      .selectFrom('test_case')
      .innerJoin('problem', 'problem.id', 'test_case.problem_id')
      .select([
        'test_case.id',
        'test_case.uuid',
        'test_case.is_hidden',
        'test_case.bytes',
        'input_start',
        'output_start',
      ])
      .select(['problem_id', 'problem.uuid as problem_uuid', 'problem.author_id', 'problem.is_held'])
      .where('test_case.uuid', '=', uuid.toLowerCase())
      .executeTakeFirst()
    demand(row, 'not-found', 'test-case-unknown', `There is no test case ${uuid}.`)
    return { ...row, problem_id: row.problem_id! }
  }

  /** A test of a problem that the actor may not see does not exist for them. */
  async function findShown(actor: SignedIn, uuid: string) {
    const test = await find(uuid)
    const isShown =
      maySeeProblem(actor, { authorId: test.author_id, isHeld: test.is_held === 1 }) ||
      (await sheetAccess.opensTo(actor, { id: test.problem_id })) ||
      (await contestAccess.opensTo(actor, { id: test.problem_id }))
    demand(isShown, 'not-found', 'test-case-unknown', `There is no test case ${uuid}.`)
    return test
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

  /** The contract's order of refusals is role, switch, existence, ownership. */
  async function findOwn(actor: Actor, uuid: string) {
    requireAct(actor, 'writeTestCases')
    await switches.demandProblemUpdate()
    const test = await findShown(actor, uuid)
    demandOwnProblem(actor, { authorId: test.author_id }, 'write its test cases')
    return test
  }

  async function findOwnProblem(actor: Actor, problemUuid: string) {
    requireAct(actor, 'writeTestCases')
    await switches.demandProblemUpdate()
    return problems.findOwn(actor, problemUuid)
  }

  return {
    findShown,
    findOwn,

    async create(actor: Actor, problemUuid: string, draft: TestDraft): Promise<TestCase> {
      const problem = await findOwnProblem(actor, problemUuid)
      const uuid = await store.write(async (trx) => {
        const position = await reservePositions(trx, problem.id, 1)
        demand(position !== undefined, 'not-found', 'problem-unknown', `There is no problem ${problemUuid}.`)
        const home = { problem_id: problem.id, upload_id: null, owner_id: problem.authorId, position }
        const [made] = await insertTests(trx, [draft], home)
        await demandTestRoom(trx, problem.id, limits)
        await demandStorage(trx, problem.authorId, limits)
        await updateTestHash(trx, problem.id)
        return made!
      })
      return { uuid, input: excerpt(draft.input), output: excerpt(draft.output), isHidden: draft.isHidden }
    },

    /** Adds the test cases of a zip after the existing ones, all or none. All become hidden, unless folders are kept. */
    async createFromArchive(actor: Actor, problemUuid: string, zip: Zip, keepsFolders = false): Promise<void> {
      const problem = await findOwnProblem(actor, problemUuid)
      const ownerId = problem.authorId
      const demandSpace = (bytes: number) => demandStorage(store.db, ownerId, limits, bytes)
      const groups = new Set<string>()
      const tests = noteGroups(readTestArchive(zip, limits, demandSpace, keepsFolders), groups)
      const upload = await uploads.stage(ownerId, tests)
      try {
        await store.write(async (trx) => {
          await uploads.attach(trx, upload, problem.id)
          if (groups.size > 0) await addGroups(trx, problem, [...groups])
        })
      } catch (error) {
        await uploads.discard(upload.id)
        throw error
      }
    },

    async update(actor: Actor, uuid: string, change: Partial<TestDraft>): Promise<TestCase> {
      const { id, problem_id } = await findOwn(actor, uuid)
      return store.write(async (trx) => {
        await reservePositions(trx, problem_id, 0)
        const before = await find(uuid, trx)
        const data = await readData(id, trx)
        const after = { ...data, isHidden: before.is_hidden === 1, ...change }
        const shown = { input: excerpt(after.input), output: excerpt(after.output) }
        await trx
          .updateTable('test_case')
          .set({
            is_hidden: Number(after.isHidden),
            digest: digestTest(after.input, after.output, after.isHidden),
            bytes: after.input.length + after.output.length,
            input_start: shown.input,
            output_start: shown.output,
          })
          .where('id', '=', id)
          .execute()
        const { input, output } = after
        await trx.updateTable('test_data').set({ input, output }).where('test_case_id', '=', id).execute()
        await demandTestRoom(trx, problem_id, limits)
        await demandStorage(trx, before.author_id, limits)
        await updateTestHash(trx, problem_id)
        return { uuid: before.uuid, ...shown, isHidden: after.isHidden }
      })
    },

    async delete(actor: Actor, uuid: string): Promise<void> {
      const { id, problem_id } = await findOwn(actor, uuid)
      await store.write(async (trx) => {
        await reservePositions(trx, problem_id, 0)
        const { numDeletedRows } = await trx.deleteFrom('test_case').where('id', '=', id).executeTakeFirstOrThrow()
        demand(numDeletedRows > 0n, 'not-found', 'test-case-unknown', `There is no test case ${uuid}.`)
        await updateTestHash(trx, problem_id)
      })
    },

    /** `reserve` is told how many bytes will be read, and may wait or refuse. */
    async get(actor: Actor, uuid: string, reserve: (bytes: number) => void | Promise<void>): Promise<TestCase> {
      requireReader(actor)
      const test = await findShown(actor, uuid)
      const isHidden = test.is_hidden === 1
      if (isHidden && !maySeeHiddenTests(actor, { authorId: test.author_id })) return { uuid: test.uuid, ...hiddenTest }
      await reserve(test.bytes)
      return { uuid: test.uuid, ...(await readData(test.id, store.db)), isHidden }
    },

    /** Lists in judging order, with the start of each text. */
    async list(actor: Actor, problemUuid: string, { offset, limit }: PageRequest): Promise<Page<TestCase>> {
      requireReader(actor)
      const problem = await problems.find(actor, problemUuid)
      const maySee = maySeeHiddenTests(actor, problem)
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
        is_hidden === 1 && !maySee ? { uuid, ...hiddenTest } : { uuid, input, output, isHidden: is_hidden === 1 },
      )
      return { total, items }
    },
  }
}

const nothing = new Uint8Array(0)
const hiddenTest = { input: nothing, output: nothing, isHidden: true }

async function* noteGroups(tests: AsyncIterable<TestDraft>, groups: Set<string>): AsyncGenerator<TestDraft> {
  for await (const test of tests) {
    if (test.judging?.group) groups.add(test.judging.group)
    yield test
  }
}
