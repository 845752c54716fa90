/** Problems: a statement, limits and examples, owned by their author. */
import { randomUUID } from 'node:crypto'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { everyone, makeCountedList } from '../../store/counted-list.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { demandOwnProblem, mayFindProblem, maySeeProblem, ownsProblem, requireAct, requireReader } from '../access.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import {
  type Example,
  type Problem,
  type ProblemSnippet,
  problemColumns,
  problemSnippetColumns,
  toProblem,
  toProblemSnippet,
} from './problem-row.ts'
import { hashTestList } from './test-list.ts'

export type ProblemDraft = {
  readonly displayName: string
  readonly description: string
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  readonly examples: readonly Example[]
}

/** The part of a problem that its test cases and submissions need. */
export type ProblemRef = {
  readonly id: number
  readonly uuid: string
  readonly displayName: string
  readonly authorId: number
  readonly isHeld: boolean
}

type Needs = {
  store: Store
  clock: Clock
  switches: Switches
  demandKnownAccount(id: number): Promise<void>
  sheetAccess: Pick<SheetAccess, 'opensTo'>
  contestAccess: Pick<ContestAccess, 'opensTo'>
}

export type Problems = ReturnType<typeof makeProblems>

export function makeProblems({ store, clock, switches, demandKnownAccount, sheetAccess, contestAccess }: Needs) {
  /** Whether an exercise sheet or a contest opens this held problem to the actor. */
  const isOpened = async (actor: SignedIn, problem: { id: number }): Promise<boolean> =>
    (await sheetAccess.opensTo(actor, problem)) || (await contestAccess.opensTo(actor, problem))

  const shownToAll = makeCountedList(store, 'problem')
  const ownOnes = makeCountedList(store, 'own-problem')
  const findRef = prepareQuery(store.db, ({ uuid }: { uuid: string }) =>
    store.db
      .selectFrom('problem')
      .select(['id', 'uuid', 'display_name', 'author_id', 'is_held'])
      .where('uuid', '=', uuid),
  )
  const findWhole = prepareQuery(store.db, ({ uuid }: { uuid: string }) =>
    store.db
      .selectFrom('problem')
      .innerJoin('account', 'account.id', 'problem.author_id')
      .select(problemColumns)
      .where('uuid', '=', uuid),
  )

  /** Finds a problem by its uuid, ignoring case, if the actor may see it. */
  async function find(actor: SignedIn, uuid: string): Promise<ProblemRef> {
    const [row] = await findRef({ uuid: uuid.toLowerCase() })
    const problem = row && {
      id: row.id,
      uuid: row.uuid,
      displayName: row.display_name,
      authorId: row.author_id,
      isHeld: row.is_held === 1,
    }
    if (!problem || !(maySeeProblem(actor, problem) || (await isOpened(actor, problem)))) throw unknownProblem(uuid)
    return problem
  }

  /** The same check for lists and files. */
  async function findListed(actor: SignedIn, uuid: string): Promise<ProblemRef> {
    const problem = await find(actor, uuid)
    if (!mayFindProblem(actor, problem) && !(await isOpened(actor, problem))) throw unknownProblem(uuid)
    return problem
  }

  async function read(uuid: string, db: Db = store.db): Promise<Problem> {
    const [row] = await findWhole({ uuid: uuid.toLowerCase() }, db)
    if (!row) throw unknownProblem(uuid)
    return toProblem(row)
  }

  /** Finds a problem that the actor owns; the caller has checked the actor's role. */
  async function findOwn(actor: SignedIn, uuid: string): Promise<ProblemRef> {
    const problem = await find(actor, uuid)
    demandOwnProblem(actor, problem, 'do that')
    return problem
  }

  async function insert(trx: Db, author: { id: number }, draft: ProblemDraft): Promise<{ id: number; uuid: string }> {
    const now = clock.now()
    return trx
      .insertInto('problem')
      .values({
        uuid: randomUUID(),
        author_id: author.id,
        display_name: draft.displayName,
        description: draft.description,
        time_limit_ms: draft.timeLimitMs,
        memory_limit_bytes: draft.memoryLimitBytes,
        examples: JSON.stringify(draft.examples),
        hash_key: generateSecret(),
        test_hash: hashTestList([]),
        test_count: 0,
        next_position: 0,
        created_at: now,
        updated_at: now,
      })
      .returning(['id', 'uuid'])
      .executeTakeFirstOrThrow()
  }

  /** A held problem is listed only among its author's, for the author and admins. */
  async function list(
    authorId: number | undefined,
    { offset, limit }: PageRequest,
    showsHeld = false,
  ): Promise<Page<ProblemSnippet>> {
    const counted = showsHeld ? ownOnes : shownToAll
    const { total, place } = await counted.locate(authorId ?? everyone, offset)
    if (!place) return { total, items: [] }
    const rows = await store.db
      .selectFrom('problem')
      .innerJoin('account', 'account.id', 'problem.author_id')
      .select(problemSnippetColumns)
      .$if(authorId !== undefined, (query) => query.where('author_id', '=', authorId!))
      .$if(!showsHeld, (query) => query.where('is_held', '=', 0))
      .where('problem.id', '<=', place.highestId)
      .orderBy('problem.id', 'desc')
      .limit(limit)
      .offset(place.skip)
      .execute()
    return { total, items: rows.map(toProblemSnippet) }
  }

  return {
    find,
    findListed,
    findOwn,
    insert,

    async create(actor: Actor, draft: ProblemDraft): Promise<Problem> {
      requireAct(actor, 'createProblem')
      await switches.demandProblemCreation()
      return store.write(async (trx) => read((await insert(trx, actor.account, draft)).uuid, trx))
    },

    async get(actor: Actor, uuid: string): Promise<Problem> {
      requireReader(actor)
      const problem = await read(uuid)
      const isShown = maySeeProblem(actor, { authorId: problem.author.id, isHeld: problem.isHeld })
      if (!isShown && !(await isOpened(actor, problem))) throw unknownProblem(uuid)
      return problem
    },

    /** For a caller who has already checked that the reader may read it. */
    readOpened: (uuid: string): Promise<Problem> => read(uuid),

    async list(actor: Actor, page: PageRequest): Promise<Page<ProblemSnippet>> {
      requireReader(actor)
      return list(undefined, page)
    },

    async listOf(actor: Actor, accountId: number, page: PageRequest): Promise<Page<ProblemSnippet>> {
      requireReader(actor)
      await demandKnownAccount(accountId)
      return list(accountId, page, ownsProblem(actor, { authorId: accountId }))
    },

    async update(actor: Actor, uuid: string, change: Partial<ProblemDraft>): Promise<Problem> {
      requireAct(actor, 'updateProblem')
      await switches.demandProblemUpdate()
      const problem = await findOwn(actor, uuid)
      return store.write(async (trx) => {
        await trx
          .updateTable('problem')
          .set({ ...toColumns(change), updated_at: clock.now() })
          .where('id', '=', problem.id)
          .execute()
        return read(uuid, trx)
      })
    },
  }
}

const unknownProblem = (uuid: string) => new Failure('not-found', 'problem-unknown', `There is no problem ${uuid}.`)

const toColumns = ({ displayName, description, timeLimitMs, memoryLimitBytes, examples }: Partial<ProblemDraft>) => ({
  ...(displayName !== undefined && { display_name: displayName }),
  ...(description !== undefined && { description }),
  ...(timeLimitMs !== undefined && { time_limit_ms: timeLimitMs }),
  ...(memoryLimitBytes !== undefined && { memory_limit_bytes: memoryLimitBytes }),
  ...(examples !== undefined && { examples: JSON.stringify(examples) }),
})
