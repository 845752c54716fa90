/**
 * A queue of work on pulls after pushes. Each owner of repositories has one turn at a time, of a few seconds, and then
 * goes to the end of the line. So one owner's pushes, however many pulls they move, do not hold up others.
 */
import type { Selectable } from 'kysely'
import type { JobContext, Jobs } from '../../../jobs/jobs.ts'
import type { Log } from '../../../lib/log.ts'
import type { PullWorkTable } from '../../../store/schema/pull-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'

type Work = Selectable<PullWorkTable>
type Kind = Work['kind']
/** The position to continue from; `held` until the repository takes writes again; undefined when done. */
export type Rest = number | 'held' | undefined
type Handle = (subjectId: number, turn: { readonly position: number; isOver(): boolean }) => Promise<Rest>

export type PullTurns = ReturnType<typeof makePullTurns>

const turnKind = 'forge.pull-turn'
/** Owners that have turns at the same time. */
const owners = 4
/** An owner with more work than this lets others go first. */
const turnMs = 2_000

export function makePullTurns({ store, log, jobs }: { store: Store; log: Log; jobs: Jobs }) {
  const handlers = new Map<Kind, Handle>()

  const enqueue = (trx: Db, ownerId: number) => jobs.enqueue(trx, turnKind, { ownerId }, { key: String(ownerId) })

  /**
   * Pushes come before test merges, and held work comes first once the repository takes writes again. Work of a
   * repository that has changed owners keeps its order.
   */
  const findNext = (on: Db, ownerId: number): Promise<Work | undefined> =>
    on
      .selectFrom('pull_work')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where(({ eb, or, exists, selectFrom }) =>
        or([
          eb('kind', '!=', 'held-push'),
          exists(
            selectFrom('repository')
              .select('repository.id')
              .whereRef('repository.id', '=', 'pull_work.repository_id')
              .where('repository.is_archived', '=', 0)
              .where('repository.locked_at', 'is', null),
          ),
        ]),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('pull_work as older')
              .select('older.id')
              .whereRef('older.repository_id', '=', 'pull_work.repository_id')
              .whereRef('older.kind', '=', 'pull_work.kind')
              .whereRef('older.owner_id', '!=', 'pull_work.owner_id')
              .whereRef('older.id', '<', 'pull_work.id')
              .where('older.kind', '=', 'push'),
          ),
        ),
      )
      .orderBy('kind')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()

  async function settle({ id, version, owner_id, repository_id }: Work, rest: Rest): Promise<void> {
    await store.write(async (trx) => {
      const change = rest === 'held' ? ({ kind: 'held-push', position: 0 } as const) : { position: rest }
      if (rest !== undefined) await trx.updateTable('pull_work').set(change).where('id', '=', id).execute()
      else await trx.deleteFrom('pull_work').where('id', '=', id).where('version', '=', version).execute()
      const others = await trx
        .selectFrom('pull_work')
        .select('owner_id')
        .distinct()
        .where('repository_id', '=', repository_id)
        .where('owner_id', '!=', owner_id)
        .execute()
      for (const other of others) await enqueue(trx, other.owner_id)
    })
  }

  async function takeTurn(ownerId: number, { isLastTry, signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + turnMs
    const isOver = () => signal.aborted || performance.now() >= endsAt
    let isGivenUp = false
    for (let work = await findNext(store.db, ownerId); work; work = await findNext(store.db, ownerId)) {
      if (isGivenUp || isOver()) return store.write(async (trx) => void (await enqueue(trx, ownerId)))
      const { kind, subject_id, position } = work
      const rest = await handlers.get(kind)!(subject_id, { position, isOver }).catch((error) => {
        if (!isLastTry) throw error
        log.error({ err: error, kind, subject: subject_id }, 'something about pulls could not be done, and is left')
        isGivenUp = true
        return undefined
      })
      await settle(work, rest)
    }
  }

  jobs.define<{ ownerId: number }>(turnKind, ({ ownerId }, context) => takeTurn(ownerId, context), {
    concurrency: owners,
    isStanding: true,
  })

  return {
    define(kinds: readonly Kind[], handle: Handle): void {
      for (const kind of kinds) handlers.set(kind, handle)
    },

    /** Resumes held work, in the write that lets the repository take writes again. */
    async resumeWithin(trx: Db, repositoryId: number): Promise<void> {
      const held = await trx
        .selectFrom('pull_work')
        .select('owner_id')
        .distinct()
        .where('repository_id', '=', repositoryId)
        .where('kind', 'in', ['push', 'held-push'])
        .execute()
      for (const { owner_id } of held) await enqueue(trx, owner_id)
    },

    /** Part of the write that makes the work necessary. Work that is already queued is done once. */
    async addWithin(trx: Db, repositoryId: number, kind: Kind, subjectIds: readonly number[]): Promise<void> {
      const repository = await trx
        .selectFrom('repository')
        .select('owner_id')
        .where('id', '=', repositoryId)
        .executeTakeFirst()
      if (!repository || subjectIds.length === 0) return
      const place = { owner_id: repository.owner_id, repository_id: repositoryId }
      const rows = subjectIds.map((subject_id) => ({ ...place, kind, subject_id, position: 0, version: 0 }))
      await trx
        .insertInto('pull_work')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['kind', 'subject_id']).doUpdateSet((eb) => ({ version: eb('pull_work.version', '+', 1) })),
        )
        .execute()
      await enqueue(trx, repository.owner_id)
    },
  }
}
