/**
 * The length of each list of submissions and the place of its n-th member, at a cost independent of the list's length.
 * Each list counts its submissions by blocks of ids, on three levels. New submissions are not counted at once, which
 * would make one row hot: their tail is short, is counted when read, and is added to the blocks a few hundred at a
 * time. Submissions to held problems are counted like others, and subtracted in lists that exclude them, so that
 * holding a problem costs the same however many there are.
 */
import { sql } from 'kysely'
import { type Block, blockLevels, findPlace, type PageStart, sumCounts } from '../../store/block-counts.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { inHiddenSubmissions, selectContestOpened } from '../contest-access/shown-submissions.ts'
import { selectOwnBound } from '../sheet-access/left-work.ts'
import { selectHidden, selectOpened } from '../sheet-access/sheet-access.ts'

/** A list of all submissions, or those of an author, to a problem, or both. 0 stands for any. */
export type SubmissionList = { readonly authorId: number; readonly problemId: number }

/** A reader from whom sheets hide some submissions: see sheet-access. */
export type Viewer = { readonly accountId: number; readonly now: number }

/** Submissions left out of a list: none, those to held problems, or those hidden from this viewer. */
type Omission = 'none' | 'held' | Viewer

/**
 * Counting takes this lock exclusively and adding submissions shares it, so that no id below the tail is uncommitted.
 */
export const countingLock = 'submission-counts'

const [top] = blockLevels
/** Up to this offset, skipping rows in the list's index is as fast as searching the blocks. */
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
      { locks: [countingLock] },
    )
    await readUpTo()
  }

  /** One fold runs at a time in this process. A failed fold changes nothing, and the next one catches up. */
  function foldSoon(): Promise<void> {
    folding ??= fold()
      .catch(() => {})
      .finally(() => {
        folding = undefined
      })
    return folding
  }

  /** A problem's lists are complete, and shown to everyone who sees the problem. */
  async function findOmission({ problemId }: SubmissionList, viewer: Viewer | undefined): Promise<Omission> {
    if (problemId !== 0) return 'none'
    if (viewer) return viewer
    return (await queries.anyHeld({})).length > 0 ? 'held' : 'none'
  }

  async function readTotal(list: SubmissionList, upTo: number, reads: Reads) {
    const blocks = await reads.blocks({ ...list, level: top, first: 0, last: Number.MAX_SAFE_INTEGER })
    const [tail] = await reads.tail[kindOf(list)]({ ...list, upTo })
    return { blocks, tail: tail!.count, total: sumCounts(blocks) + tail!.count }
  }

  /** Searches the counted submissions, which are all older than the tail. */
  async function searchBlocks(list: SubmissionList, ofTop: readonly Block[], skip: number, upTo: number, reads: Reads) {
    const place = await findPlace(ofTop, skip, (level, first, last) => reads.blocks({ ...list, level, first, last }))
    return place && { ...place, highestId: Math.min(place.highestId, upTo) }
  }

  return {
    /** Waits for a fold in the background. */
    close: async () => folding,
    fold,

    /** Must be called for each new submission, once it is stored. */
    noteNew(id: number): void {
      if (id - upToSeen >= tailLength) void foldSoon()
    },

    /** `hiddenFrom`: an account from which contests hide some submissions. */
    async locate(list: SubmissionList, offset: number, viewer?: Viewer, hiddenFrom?: number): Promise<ListPlace> {
      const omission = await findOmission(list, viewer)
      for (let tries = 1; ; tries++) {
        const upTo = await readUpTo()
        const plain = queries.leavingOut(omission, upTo)
        const reads = hiddenFrom === undefined ? plain : queries.lessHidden(plain, omission, hiddenFrom, upTo)
        const { blocks, tail, total } = await readTotal(list, upTo, reads)
        if (tail > longTail && tries < maxTries) {
          await foldSoon()
          continue
        }
        let start: PageStart | undefined = nowhere
        if (offset < Math.max(tail, Math.min(total, shallow)))
          start = { highestId: Number.MAX_SAFE_INTEGER, skip: offset }
        else if (offset < total) start = await searchBlocks(list, blocks, offset - tail, upTo, reads)
        // If the tail was folded between these reads, they are inconsistent and are repeated.
        const isSound = start !== undefined && (await readUpTo()) === upTo
        if (isSound || tries >= maxTries) return { total, omission, ...(start ?? nowhere) }
      }
    },

    /** Removes a submission that is being deleted from the counts. The caller must hold the counting lock. */
    async forget(trx: Db, { id, authorId, problemId }: { id: number } & SubmissionList): Promise<void> {
      if (id > (await readUpTo(trx))) return
      for (const level of blockLevels) {
        await sql`update submission_count set count = count - 1
          where level = ${level} and block = ${Math.floor(id / 2 ** level)} and (author_id, problem_id) in (values
            (0, 0), (cast(${authorId} as bigint), 0), (0, cast(${problemId} as bigint)),
            (cast(${authorId} as bigint), cast(${problemId} as bigint)))`.execute(trx)
      }
    },

    /**
     * Removes the submissions of a problem that is being deleted from the counts. The caller must hold the counting
     * lock.
     */
    async forgetProblem(trx: Db, problemId: number): Promise<void> {
      await sql`insert into submission_count (author_id, problem_id, level, block, count)
        select author_id, 0, level, block, -count from submission_count where problem_id = ${problemId}
        on conflict (author_id, problem_id, level, block)
        do update set count = submission_count.count + excluded.count`.execute(trx)
      await trx.deleteFrom('submission_count').where('problem_id', '=', problemId).execute()
    },
  }
}

/** The start of a page, and what it leaves out. */
export type ListPlace = PageStart & { readonly total: number; readonly omission: Omission }

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

/** Ids of problems that common lists leave out. */
export const heldProblems = (db: Db) => db.selectFrom('problem').select('id').where('is_held', '=', 1)

/** Ids of problems for which others' submissions are hidden from the viewer. */
const hiddenProblems = (db: Db, viewer: Viewer) => heldProblems(db).union(selectHidden(db, viewer))

/** Ids of those hidden problems for which the viewer sees their own submissions. */
const ownShown = (db: Db, viewer: Viewer) =>
  selectOpened(db, viewer)
    .where('sheet_problem.problem_id', 'in', hiddenProblems(db, viewer))
    .union(selectContestOpened(db, viewer).where('contest_problem.problem_id', 'in', hiddenProblems(db, viewer)))

/** Conditions on rows of the table of submissions. */
export const isShownTo = (db: Db, viewer: Viewer) => sql<boolean>`(${isShownByProblem(db, viewer)}
    or submission.id in (${selectOwnBound(db, viewer.accountId)}))`

const isShownByProblem = (db: Db, viewer: Viewer) =>
  sql<boolean>`(submission.problem_id not in (${hiddenProblems(db, viewer)})
    or (submission.author_id = ${viewer.accountId} and submission.problem_id in (${ownShown(db, viewer)})))`

type Blocks = SubmissionList & { level: number; first: number; last: number }
type Reads = {
  readonly tail: Record<Kind, (args: SubmissionList & { upTo: number }) => Promise<{ count: number }[]>>
  blocks(args: Blocks): Promise<Block[]>
}

function prepareQueries(db: Db) {
  const tailOf = (kind: Kind, withoutHeld: boolean) =>
    prepareQuery(db, ({ authorId, problemId, upTo }: SubmissionList & { upTo: number }) =>
      selectTail(kind, { authorId, problemId, upTo }).$if(withoutHeld, (query) =>
        query.where('problem_id', 'not in', heldProblems(db)),
      ),
    )
  const selectTail = (kind: Kind, { authorId, problemId, upTo }: SubmissionList & { upTo: number }) =>
    db
      .selectFrom('submission')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('id', '>', upTo)
      .$if(kind === 'author' || kind === 'both', (query) => query.where('author_id', '=', authorId))
      .$if(kind === 'problem' || kind === 'both', (query) => query.where('problem_id', '=', problemId))
  const tailsOf = (withoutHeld: boolean) => ({
    all: tailOf('all', withoutHeld),
    author: tailOf('author', withoutHeld),
    problem: tailOf('problem', withoutHeld),
    both: tailOf('both', withoutHeld),
  })
  const levelBlocks = ({ level, first, last }: Blocks) =>
    db
      .selectFrom('submission_count')
      .where('level', '=', level)
      .where('block', '>=', first)
      .where('block', '<=', last)
      .orderBy('block', 'desc')
  const blocksOf = (blocks: Blocks) => levelBlocks(blocks).where('author_id', '=', blocks.authorId)
  const all: Reads = {
    tail: tailsOf(false),
    blocks: prepareQuery(db, (blocks: Blocks) =>
      blocksOf(blocks).select(['block', 'count']).where('problem_id', '=', blocks.problemId),
    ),
  }
  const withoutHeld: Reads = {
    tail: tailsOf(true),
    blocks: prepareQuery(db, (blocks: Blocks) =>
      blocksOf(blocks)
        .select('block')
        .select(sql<number>`cast(sum(case when problem_id = 0 then count else -count end) as bigint)`.as('count'))
        .where('problem_id', 'in', withAll(db, heldProblems(db)))
        .groupBy('block'),
    ),
  }
  /** The whole list without submissions to hidden problems, plus the viewer's own that they may see. */
  const asSeenBy = (viewer: Viewer): Reads => {
    const tail = (kind: Kind) => (args: SubmissionList & { upTo: number }) =>
      selectTail(kind, args).where(isShownTo(db, viewer)).execute()
    return {
      tail: { all: tail('all'), author: tail('author'), problem: tail('problem'), both: tail('both') },
      blocks: (blocks) =>
        levelBlocks(blocks)
          .select('block')
          .select(
            sql<number>`cast(sum(case
            when problem_id = 0 then count
            when author_id = ${viewer.accountId} and problem_id in (${ownShown(db, viewer)})
              then case when author_id = ${blocks.authorId} then 0 else count end
            else -count end) as bigint)`.as('count'),
          )
          .where((eb) =>
            eb.or([
              eb.and([
                eb('author_id', '=', blocks.authorId),
                eb('problem_id', 'in', withAll(db, hiddenProblems(db, viewer))),
              ]),
              ...(blocks.authorId === 0
                ? [eb.and([eb('author_id', '=', viewer.accountId), eb('problem_id', 'in', ownShown(db, viewer))])]
                : []),
            ]),
          )
          .groupBy('block')
          .execute(),
    }
  }

  /** How many rows of a query have ids in each of these blocks, up to this id. */
  async function countByBlock(query: ReturnType<typeof selectTail>, { level, first, last }: Blocks, upTo: number) {
    const block = sql<number>`submission.id >> ${sql.lit(level)}`
    const rows = await query
      .select(block.as('block'))
      .where('id', '<=', upTo)
      .where(block, '>=', first)
      .where(block, '<=', last)
      .groupBy(block)
      .execute()
    return new Map(rows.map((row) => [Number(row.block), Number(row.count)]))
  }

  /** What counted in sheets of classes that the viewer left is counted when read: it is little. */
  function withOwnBound(plain: Reads, viewer: Viewer, upTo: number): Reads {
    return {
      tail: plain.tail,
      async blocks(blocks) {
        const all = await plain.blocks(blocks)
        const { authorId, problemId } = blocks
        if (authorId !== 0 && authorId !== viewer.accountId) return all
        const bound = selectTail(kindOf(blocks), { authorId, problemId, upTo: 0 })
          .where('id', 'in', selectOwnBound(db, viewer.accountId))
          .where((eb) => eb.not(isShownByProblem(db, viewer)))
        const more = await countByBlock(bound, blocks, upTo)
        return all.map((one) => ({ ...one, count: one.count + (more.get(one.block) ?? 0) }))
      },
    }
  }

  /** Submissions hidden from an account are counted when read: they are those to other people's private contests. */
  function lessHidden(plain: Reads, omission: Omission, accountId: number, upTo: number): Reads {
    const isCounted = (query: ReturnType<typeof selectTail>) => {
      const hidden = query.where(inHiddenSubmissions(db, accountId))
      if (omission === 'none') return hidden
      if (omission === 'held') return hidden.where('problem_id', 'not in', heldProblems(db))
      return hidden.where(isShownTo(db, omission))
    }
    const tail =
      (kind: Kind): Reads['tail'][Kind] =>
      async (args) => {
        const [all] = await plain.tail[kind](args)
        const hidden = await isCounted(selectTail(kind, args)).executeTakeFirstOrThrow()
        return [{ count: all!.count - Number(hidden.count) }]
      }
    return {
      tail: { all: tail('all'), author: tail('author'), problem: tail('problem'), both: tail('both') },
      async blocks(blocks) {
        const { authorId, problemId } = blocks
        const hidden = isCounted(selectTail(kindOf(blocks), { authorId, problemId, upTo: 0 }))
        const gone = await countByBlock(hidden, blocks, upTo)
        const all = await plain.blocks(blocks)
        return all.map((one) => ({ ...one, count: one.count - (gone.get(one.block) ?? 0) }))
      },
    }
  }

  return {
    lessHidden,
    upTo: prepareQuery(db, () => db.selectFrom('submission_counted').select('up_to')),
    anyHeld: prepareQuery(db, () => heldProblems(db).limit(1)),
    leavingOut(omission: Omission, upTo: number): Reads {
      if (omission === 'none') return all
      return omission === 'held' ? withoutHeld : withOwnBound(asSeenBy(omission), omission, upTo)
    },
  }
}

/** The row of problem 0 counts submissions to any problem. */
const withAll = (db: Db, problems: ReturnType<typeof heldProblems>) =>
  problems.unionAll(db.selectNoFrom(sql<number>`cast(0 as bigint)`.as('id')))
