/** Locks over Git LFS: create, list, verify before a push, delete. */

import { notFound } from '../../../forge/failures.ts'
import type { LfsLock, LfsLocks, LockPage } from '../../../forge/lfs/lfs-locks.ts'
import { demand } from '../../../lib/failure.ts'
import type { GitAccess } from '../git-access.ts'
import { readLock, readLocks, readUnlock } from './lfs-bodies.ts'
import type { LfsAnswer, LfsCall, LfsRequest } from './lfs-route.ts'
import { presentLock } from './present-lock.ts'

/** Also the default, without a limit or with an invalid one. */
const maxLimit = 100

type Needs = { locks: LfsLocks; access: GitAccess<LfsRequest> }

export function makeLockRoutes({ locks, access }: Needs) {
  return {
    async create(call: LfsCall): Promise<LfsAnswer> {
      const { request } = call
      await access.enter(request)
      const { path } = await readLock(call)
      return { status: 201, body: { lock: presentLock(await locks.create(await access.enter(request), path)) } }
    },

    async list({ request }: LfsCall): Promise<LfsAnswer> {
      const { repository } = await access.open(request)
      const { path, id, cursor, limit } = request.query
      const page = await locks.list(repository, {
        path: readText(path),
        // A malformed id matches no lock.
        id: readText(id) === undefined ? undefined : (readId(readText(id)!) ?? 0),
        from: readCursor(readText(cursor)),
        limit: readLimit(Number(readText(limit))),
      })
      return { status: 200, body: { locks: page.locks.map(presentLock), ...nextOf(page) } }
    },

    /** All locks that a push could violate, split into the caller's and those of others. */
    async verify(call: LfsCall): Promise<LfsAnswer> {
      const { request } = call
      await access.enter(request)
      const { cursor, limit } = await readLocks(call)
      const { actor, repository } = await access.enter(request)
      const page = await locks.list(repository, { from: readCursor(cursor), limit: readLimit(limit) })
      const isOurs = ({ owner }: LfsLock) => owner.id === actor.account.id
      const ours = page.locks.filter(isOurs).map(presentLock)
      const theirs = page.locks.filter((lock) => !isOurs(lock)).map(presentLock)
      return { status: 200, body: { ours, theirs, ...nextOf(page) } }
    },

    async unlock(call: LfsCall): Promise<LfsAnswer> {
      const { request } = call
      await access.enter(request)
      const { force = false } = await readUnlock(call)
      const id = readId(request.params.id)
      if (id === undefined) throw notFound()
      const entered = await access.enter(request)
      const isForced = force && !(await locks.isOwn(entered, id))
      const removed = isForced ? locks.removeForced(await access.administer(request), id) : locks.remove(entered, id)
      return { status: 200, body: { lock: presentLock(await removed) } }
    },
  }
}

const nextOf = ({ next }: LockPage) => (next === undefined ? {} : { next_cursor: String(next) })

/** Clients send unused parameters as empty text. */
const readText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const readId = (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined)

function readCursor(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const from = readId(text)
  demand(from !== undefined, 'invalid', 'bad-cursor', 'cursor is the next_cursor of an answer.')
  return from
}

const readLimit = (limit: number | undefined): number =>
  limit !== undefined && Number.isInteger(limit) && limit > 0 ? Math.min(limit, maxLimit) : maxLimit
