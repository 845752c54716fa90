/** Git LFS locks: one user locks a path so that others do not push changes that cannot be merged. */
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import { notFound } from '../failures.ts'
import { countRows } from '../row-pages.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The existing lock on the path. */
    readonly lfsLock?: LfsLock
  }
}

export type LfsLock = {
  readonly id: number
  readonly path: string
  readonly owner: { readonly id: number; readonly login: string }
  readonly createdAt: Date
}

export type LockQuery = {
  readonly path?: string | undefined
  readonly id?: number | undefined
  /** The id of the first lock wanted. */
  readonly from?: number | undefined
  readonly limit: number
}

/** Oldest first; `next` is the id of the first lock after this page. */
export type LockPage = { readonly locks: readonly LfsLock[]; readonly next: number | undefined }

/** Locks of one repository. Clients read all of them before each push. */
const maxLocks = 10_000
/** In UTF-8, so that it fits an index. */
const maxPathBytes = 1024

type Needs = { store: Store; clock: Clock }

export type LfsLocks = ReturnType<typeof makeLfsLocks>

export function makeLfsLocks({ store, clock }: Needs) {
  const select = (on: Db, repository: Repository) =>
    on
      .selectFrom('lfs_lock')
      .innerJoin('account', 'account.id', 'lfs_lock.owner_id')
      .select(['lfs_lock.id', 'lfs_lock.path', 'lfs_lock.owner_id', 'lfs_lock.created_at', 'account.name as login'])
      .where('lfs_lock.repository_id', '=', repository.id)

  async function find(on: Db, repository: Repository, by: { id: number } | { path: string }): Promise<LfsLock> {
    const all = select(on, repository)
    const one = 'id' in by ? all.where('lfs_lock.id', '=', by.id) : all.where('lfs_lock.path', '=', by.path)
    const row = await one.executeTakeFirst()
    if (!row) throw notFound()
    return toLock(row)
  }

  async function removeWithin(trx: Db, lock: LfsLock): Promise<LfsLock> {
    const { numDeletedRows } = await trx.deleteFrom('lfs_lock').where('id', '=', lock.id).executeTakeFirstOrThrow()
    // Another request has just removed it.
    if (numDeletedRows === 0n) throw notFound()
    return lock
  }

  return {
    async create(access: Access<'write'>, path: string): Promise<LfsLock> {
      demandPath(path)
      const { repository } = access
      const { id: owner_id, name } = access.actor.account
      try {
        return await store.write(async (trx) => {
          const count = await countRows(trx.selectFrom('lfs_lock').where('repository_id', '=', repository.id))
          demand(count < maxLocks, 'forbidden', 'lock-quota', `A repository can have at most ${maxLocks} locks.`)
          const now = clock.now()
          const { id } = await trx
            .insertInto('lfs_lock')
            .values({ repository_id: repository.id, path, owner_id, created_at: now })
            .returning('id')
            .executeTakeFirstOrThrow()
          return { id, path, owner: { id: owner_id, login: name }, createdAt: new Date(now) }
        })
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        const lfsLock = await find(store.db, repository, { path })
        throw new Failure('conflict', 'locked-already', `${lfsLock.owner.login} has locked this file already.`, {
          lfsLock,
        })
      }
    },

    async list(repository: OpenRepository, { path, id, from, limit }: LockQuery): Promise<LockPage> {
      let query = select(store.db, repository)
      if (path !== undefined) query = query.where('lfs_lock.path', '=', path)
      if (id !== undefined) query = query.where('lfs_lock.id', '=', id)
      if (from !== undefined) query = query.where('lfs_lock.id', '>=', from)
      const rows = await query
        .orderBy('lfs_lock.id')
        .limit(limit + 1)
        .execute()
      return { locks: rows.slice(0, limit).map(toLock), next: rows[limit]?.id }
    },

    /** Removes a lock of one's own. */
    remove: ({ actor, repository }: Access<'write'>, id: number): Promise<LfsLock> =>
      store.write(async (trx) => {
        const lock = await find(trx, repository, { id })
        const isOwn = lock.owner.id === actor.account.id
        demand(isOwn, 'forbidden', 'lock-of-another', `${lock.owner.login} holds this lock: only admins can force it.`)
        return removeWithin(trx, lock)
      }),

    /** Removes anybody's lock. */
    removeForced: ({ repository }: Access<'admin'>, id: number): Promise<LfsLock> =>
      store.write(async (trx) => removeWithin(trx, await find(trx, repository, { id }))),

    isOwn: async ({ actor, repository }: Access<'write'>, id: number): Promise<boolean> =>
      (await find(store.db, repository, { id })).owner.id === actor.account.id,
  }
}

type LockRow = { id: number; path: string; owner_id: number; login: string; created_at: number }

const toLock = ({ id, path, owner_id, login, created_at }: LockRow): LfsLock => ({
  id,
  path,
  owner: { id: owner_id, login },
  createdAt: new Date(created_at),
})

/** A path as git names files: from the top of the working tree, without `.` or `..`. */
function demandPath(path: string): void {
  const isPath = path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
  const isText = path.isWellFormed() && !path.includes('\0') && Buffer.byteLength(path) <= maxPathBytes
  const rule = `path names a file from the top of the repository, in ${maxPathBytes} bytes at most.`
  demand(isPath && isText, 'invalid', 'bad-path', rule)
}
