/**
 * Objects of Git LFS. One is a repository's once somebody has sent all of its bytes there: to know its name is not enough,
 * or whoever knows the name of a private file could fetch it through a repository of their own.
 */
import type { Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { ignoreOutage } from '../../lib/outages/outage.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import { filesAway, notFound } from '../failures.ts'
import { type FileLimits, mib } from '../files/file-limits.ts'
import type { StoredFiles, UploadedFile } from '../files/stored-files.ts'
import { isOid, type LfsObject } from './lfs-object.ts'
import { nameLfsObjectsWithin, selectBorrowed } from './lfs-rows.ts'

/** `isLost`: there is a row, and no file; sending it again mends that. */
export type KnownObject = LfsObject & { readonly isLost: boolean }

type Needs = {
  store: Store
  clock: Clock
  files: StoredFiles
  limits: FileLimits
  /** Refuses what would be too much for the owner. */
  demandSpaceFor: (ownerId: number, bytes: number, on?: Db) => Promise<void>
  /** Whether the data folder was gone at the last look. */
  isFolderAway: () => boolean
}

export type LfsObjects = ReturnType<typeof makeLfsObjects>

export function makeLfsObjects({ store, clock, files, limits, demandSpaceFor, isFolderAway }: Needs) {
  const maxBytes = limits.lfsMib * mib
  /** What is on its way here, by owner: uploads side by side must not fill the disk beyond the quota. */
  const coming = new Map<number, number>()

  function reserve(ownerId: number, bytes: number): () => void {
    coming.set(ownerId, (coming.get(ownerId) ?? 0) + bytes)
    return () => {
      const left = coming.get(ownerId)! - bytes
      if (left > 0) coming.set(ownerId, left)
      else coming.delete(ownerId)
    }
  }

  async function readSizes(repository: Repository, oids: readonly string[], on: Db = store.db) {
    if (oids.length === 0) return new Map<string, number>()
    const rows = await on
      .selectFrom('lfs_object')
      .select(['blob_hash', 'size'])
      .where('repository_id', '=', repository.id)
      .where('blob_hash', 'in', oids)
      .execute()
    return new Map(rows.map(({ blob_hash, size }) => [blob_hash, size]))
  }

  async function nameReceived(
    file: UploadedFile,
    repository: Repository,
    { oid, size }: LfsObject,
    enterAgain: () => Promise<Access<'write'>>,
  ): Promise<void> {
    const again = (await enterAgain()).repository
    // Another repository may have got its name meanwhile.
    if (again.id !== repository.id) throw notFound()
    const name = async (trx: Db) => {
      if ((await readSizes(again, [oid], trx)).has(oid)) return
      await demandSpaceFor(again.owner.id, size, trx)
      await nameLfsObjectsWithin(trx, again.id, [{ oid, size }], clock.now())
    }
    await files.write(file, name, [`lfs:${again.owner.id}`])
  }

  /** Its own, and what pulls lend it. */
  async function readReadable(repository: Repository, oids: readonly string[]): Promise<Map<string, number>> {
    const own = await readSizes(repository, oids)
    const others = oids.filter((oid) => !own.has(oid))
    if (others.length === 0) return own
    const rows = await selectBorrowed(store.db, repository.id).where('lfs_borrowing.blob_hash', 'in', others).execute()
    return new Map([...own, ...rows.map(({ blob_hash, size }) => [blob_hash, size] as const)])
  }

  async function describe(sizes: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, KnownObject>> {
    const known = new Map<string, KnownObject>()
    for (const [oid, size] of sizes) known.set(oid, { oid, size, isLost: !(await isThere(oid)) })
    return known
  }

  async function isThere(oid: string): Promise<boolean> {
    if (await files.has(oid)) return true
    if (isFolderAway()) throw filesAway()
    return false
  }

  return {
    maxBytes,

    /** Those of these that are the repository's own. */
    list: async (repository: OpenRepository, oids: readonly string[]) => describe(await readSizes(repository, oids)),

    /** Those of these that can be read here. */
    listReadable: async (repository: OpenRepository, oids: readonly string[]) =>
      describe(await readReadable(repository, oids)),

    /** One that is there to be read. */
    async get(repository: OpenRepository, oid: string): Promise<LfsObject> {
      const size = isOid(oid) ? (await readReadable(repository, [oid])).get(oid) : undefined
      if (size === undefined) throw notFound()
      demand(await isThere(oid), 'not-found', 'gone', 'The server has lost this object: push it again.')
      return { oid, size }
    },

    read: ({ oid }: LfsObject, range?: { start: number; end: number }): Readable => files.read(oid, range),

    demandSpace: ({ repository }: Access<'write'>, bytes: number): Promise<void> =>
      demandSpaceFor(repository.owner.id, bytes),

    /**
     * Takes an object as it comes, and names it the repository's once all of it is on disk. It may come for as long as it
     * likes, and rights may be taken away meanwhile: `enterAgain` asks for them again.
     */
    async receive(
      { repository }: Access<'write'>,
      { oid, size }: LfsObject,
      body: Readable | AsyncIterable<Buffer> | undefined,
      enterAgain: () => Promise<Access<'write'>>,
    ): Promise<void> {
      if (size > maxBytes) throw new Failure('invalid', 'too-large', describeMost(limits.lfsMib))
      const { id: ownerId } = repository.owner
      const release = reserve(ownerId, size)
      try {
        await demandSpaceFor(ownerId, coming.get(ownerId)!)
        const file = await files.receive(body, 'application/octet-stream', size, { hash: oid, size })
        await nameReceived(file, repository, { oid, size }, enterAgain).catch(async (error) => {
          await files.discard(file).catch(ignoreOutage)
          throw error
        })
      } finally {
        release()
      }
    },

    /** A fork has from its start what its parent has: whoever forks may read all of it. Part of the making. */
    async copyWithin(
      trx: Db,
      from: Repository,
      into: { readonly id: number; readonly ownerId: number },
    ): Promise<void> {
      const { bytes } = await trx
        .selectFrom('lfs_object')
        .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('bytes'))
        .where('repository_id', '=', from.id)
        .executeTakeFirstOrThrow()
      if (Number(bytes) > 0) await demandSpaceFor(into.ownerId, Number(bytes), trx)
      await trx
        .insertInto('lfs_object')
        .columns(['repository_id', 'blob_hash', 'size', 'created_at'])
        .expression(
          trx
            .selectFrom('lfs_object')
            .select((eb) => [
              eb.lit(into.id).as('repository_id'),
              'blob_hash',
              'size',
              eb.lit(clock.now()).as('created_at'),
            ])
            .where('repository_id', '=', from.id),
        )
        .execute()
    },
  }
}

export const describeMost = (most: number): string => `A large file can have at most ${most} MiB here.`
