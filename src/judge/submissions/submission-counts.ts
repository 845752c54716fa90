/**
 * The length of each list of submissions and the place of its n-th member, at a cost that does not grow with the list. For
 * each list the submissions are counted by blocks of ids, on three levels. A new submission is not counted at once, which
 * would make one row hot: the tail of new ones is short, is counted as it is read, and is added to the blocks a few hundred
 * at a time. Submissions to problems that are held are counted as all others, and taken off where a list is read that
 * leaves them out: so holding a problem costs the same however many there are.
 */
import { sql } from 'kysely'
import { type Block, blockLevels, findPlace, type PageStart, sumCounts } from '../../store/block-counts.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** A list holds all submissions, or those of an author, to a problem, or both. 0 stands for any. */
export type SubmissionList = { readonly authorId: number; readonly problemId: number }

/** Changing counts takes this lock exclusively and adding submissions shares it, so that no id below the tail is still uncommitted. */
export const countingLock = 'submission-counts'

const [top] = blockLevels
/** Up to here, skipping rows in the list's index is as fast as searching the blocks. */
const shallow = 500
const tailLength = 512
const longTail = 8 * tailLength
const maxTries = 10

export type SubmissionCounts = ReturnType<typeof makeSubmissionCounts>

export function makeSubmissionCounts({ store }: { store: Store }) {
  const queries = prepareQueries(store.db)
  let upToSeen = 0
  let folding: Promise<void> | undefined

  async function readUpTo(trx?: Db): Promise<number> {
    upToSeen = (await queries.upTo({}, trx))[0]!.up_to
    return upToSeen
  }

  /** Adds the tail to the blocks. */
  async function fold(): Promise<void> {
    await store.write(
      async (trx) => {
        const from = await readUpTo(trx)
        const newest = await trx
          .selectFrom('submission')
          .select((eb) => eb.fn.max('id').as('id'))
          .executeTakeFirst()
        const to = Number(newest?.id ?? 0)
        if (to <= from) return
        for (const level of blockLevels) {
          for (const list of kinds) await addBlocks(trx, list, level, from, to)
        }
        await trx.updateTable('submission_counted').set({ up_to: to }).execute()
      },
      { alone: [countingLock] },
    )
    await readUpTo()
  }

  /** One fold runs at a time in this process. A fold that fails changes nothing, and the next one makes up for it. */
  function foldSoon(): Promise<void> {
    folding ??= fold()
      .catch(() => {})
      .finally(() => {
        folding = undefined
      })
    return folding
  }

  /** The lists of a problem are complete, and shown to those who see the problem. */
  const leavesOutHeld = async ({ problemId }: SubmissionList): Promise<boolean> =>
    problemId === 0 && (await queries.anyHeld({})).length > 0

  async function readTotal(list: SubmissionList, upTo: number, which: 'all' | 'withoutHeld') {
    const blocks = await queries[which].blocks({ ...list, level: top, first: 0, last: Number.MAX_SAFE_INTEGER })
    const [tail] = await queries[which].tail[kindOf(list)]({ ...list, upTo })
    return { blocks, tail: tail!.count, total: sumCounts(blocks) + tail!.count }
  }

  /** Searches the counted submissions, which are all older than the tail. */
  async function searchBlocks(list: SubmissionList, ofTop: readonly Block[], skip: number, upTo: number, reads: Reads) {
    const place = await findPlace(ofTop, skip, (level, first, last) => reads.blocks({ ...list, level, first, last }))
    return place && { ...place, highestId: Math.min(place.highestId, upTo) }
  }

  return {
    /** Waits for the fold that runs in the background. */
    close: async () => folding,
    fold,

    /** Is called with each new submission, once it is stored. */
    noteNew(id: number): void {
      if (id - upToSeen >= tailLength) void foldSoon()
    },

    async locate(list: SubmissionList, offset: number): Promise<ListPlace> {
      const withoutHeld = await leavesOutHeld(list)
      const which = withoutHeld ? 'withoutHeld' : 'all'
      for (let tries = 1; ; tries++) {
        const upTo = await readUpTo()
        const { blocks, tail, total } = await readTotal(list, upTo, which)
        if (tail > longTail && tries < maxTries) {
          await foldSoon()
          continue
        }
        let start: PageStart | undefined = nowhere
        if (offset < Math.max(tail, Math.min(total, shallow)))
          start = { highestId: Number.MAX_SAFE_INTEGER, skip: offset }
        else if (offset < total) start = await searchBlocks(list, blocks, offset - tail, upTo, queries[which])
        // Where the tail was folded between these reads, they are of two states and are repeated.
        const isSound = start !== undefined && (await readUpTo()) === upTo
        if (isSound || tries >= maxTries) return { total, withoutHeld, ...(start ?? nowhere) }
      }
    },

    /** Takes a submission that is being deleted out of the counts. The caller holds the counting lock. */
    async forget(trx: Db, { id, authorId, problemId }: { id: number } & SubmissionList): Promise<void> {
      if (id > (await readUpTo(trx))) return
      for (const level of blockLevels) {
        await sql`update submission_count set count = count - 1
          where level = ${level} and block = ${Math.floor(id / 2 ** level)} and (author_id, problem_id) in (values
            (0, 0), (cast(${authorId} as bigint), 0), (0, cast(${problemId} as bigint)),
            (cast(${authorId} as bigint), cast(${problemId} as bigint)))`.execute(trx)
      }
    },

    /** Takes the submissions of a problem that is being deleted out of the counts. The caller holds the counting lock. */
    async forgetProblem(trx: Db, problemId: number): Promise<void> {
      await sql`insert into submission_count (author_id, problem_id, level, block, count)
        select author_id, 0, level, block, -count from submission_count where problem_id = ${problemId}
        on conflict (author_id, problem_id, level, block)
        do update set count = submission_count.count + excluded.count`.execute(trx)
      await trx.deleteFrom('submission_count').where('problem_id', '=', problemId).execute()
    },
  }
}

/** Where a page begins. `withoutHeld`: the list leaves out submissions to problems that are held, and there are some. */
export type ListPlace = PageStart & { readonly total: number; readonly withoutHeld: boolean }

const nowhere: PageStart = { highestId: 0, skip: 0 }

const kinds = ['all', 'author', 'problem', 'both'] as const
type Kind = (typeof kinds)[number]

export function kindOf({ authorId, problemId }: SubmissionList): Kind {
  if (authorId && problemId) return 'both'
  if (authorId) return 'author'
  return problemId ? 'problem' : 'all'
}

async function addBlocks(trx: Db, kind: Kind, level: number, from: number, to: number): Promise<void> {
  const author = sql.raw(kind === 'author' || kind === 'both' ? 'author_id' : '0')
  const problem = sql.raw(kind === 'problem' || kind === 'both' ? 'problem_id' : '0')
  const bits = sql.lit(level)
  await sql`insert into submission_count (author_id, problem_id, level, block, count)
    select ${author}, ${problem}, ${bits}, id >> ${bits}, count(*) from submission where id > ${from} and id <= ${to}
    group by 1, 2, 3, 4
    on conflict (author_id, problem_id, level, block)
    do update set count = submission_count.count + excluded.count`.execute(trx)
}

/** Ids of problems that are in nobody's list. */
export const heldProblems = (db: Db) => db.selectFrom('problem').select('id').where('is_held', '=', 1)

type Blocks = SubmissionList & { level: number; first: number; last: number }
type Reads = ReturnType<typeof prepareQueries>['all']

function prepareQueries(db: Db) {
  const tailOf = (kind: Kind, withoutHeld: boolean) =>
    prepareQuery(db, ({ authorId, problemId, upTo }: SubmissionList & { upTo: number }) =>
      db
        .selectFrom('submission')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('id', '>', upTo)
        .$if(kind === 'author' || kind === 'both', (query) => query.where('author_id', '=', authorId))
        .$if(kind === 'problem' || kind === 'both', (query) => query.where('problem_id', '=', problemId))
        .$if(withoutHeld, (query) => query.where('problem_id', 'not in', heldProblems(db))),
    )
  const tailsOf = (withoutHeld: boolean) => ({
    all: tailOf('all', withoutHeld),
    author: tailOf('author', withoutHeld),
    problem: tailOf('problem', withoutHeld),
    both: tailOf('both', withoutHeld),
  })
  const blocksOf = ({ authorId, level, first, last }: Blocks) =>
    db
      .selectFrom('submission_count')
      .where('author_id', '=', authorId)
      .where('level', '=', level)
      .where('block', '>=', first)
      .where('block', '<=', last)
      .orderBy('block', 'desc')

  return {
    upTo: prepareQuery(db, () => db.selectFrom('submission_counted').select('up_to')),
    anyHeld: prepareQuery(db, () => heldProblems(db).limit(1)),
    all: {
      tail: tailsOf(false),
      blocks: prepareQuery(db, (blocks: Blocks) =>
        blocksOf(blocks).select(['block', 'count']).where('problem_id', '=', blocks.problemId),
      ),
    },
    withoutHeld: {
      tail: tailsOf(true),
      blocks: prepareQuery(db, (blocks: Blocks) =>
        blocksOf(blocks)
          .select('block')
          .select(sql<number>`cast(sum(case when problem_id = 0 then count else -count end) as bigint)`.as('count'))
          .where(
            'problem_id',
            'in',
            heldProblems(db).unionAll(db.selectNoFrom(sql<number>`cast(0 as bigint)`.as('id'))),
          )
          .groupBy('block'),
      ),
    },
  }
}
