/**
 * Git LFS objects. An object belongs to a repository once all of its bytes were sent there. Knowing its name is not
 * enough: otherwise anybody who knows the name of a private file could fetch it through their own repository.
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

/** `isLost`: the row exists but the file does not; sending it again repairs that. */
export type KnownObject = LfsObject & { readonly isLost: boolean }

type Needs = {
  store: Store
  clock: Clock
  files: StoredFiles
  limits: FileLimits
  /** Throws if the bytes would exceed the owner's quota. */
  demandSpaceFor: (ownerId: number, bytes: number, on?: Db) => Promise<void>
  /** Whether the data folder was missing at the last check. */
  isFolderAway: () => boolean
}

export type LfsObjects = ReturnType<typeof makeLfsObjects>

export function makeLfsObjects({ store, clock, files, limits, demandSpaceFor, isFolderAway }: Needs) {
  const maxBytes = limits.lfsMib * mib
  /** Bytes being received now, per owner: parallel uploads must not fill the disk beyond the quota. */
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
    // Another repository may have taken over its name meanwhile.
    if (again.id !== repository.id) throw notFound()
    const name = async (trx: Db) => {
      if ((await readSizes(again, [oid], trx)).has(oid)) return
      await demandSpaceFor(again.owner.id, size, trx)
      await nameLfsObjectsWithin(trx, again.id, [{ oid, size }], clock.now())
    }
    await files.write(file, name, [`lfs:${again.owner.id}`])
  }

  /** Its own objects, and those lent to it by pulls. */
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

    /** The objects among these that belong to the repository. */
    list: async (repository: OpenRepository, oids: readonly string[]) => describe(await readSizes(repository, oids)),

    /** The objects among these that can be read in the repository. */
    listReadable: async (repository: OpenRepository, oids: readonly string[]) =>
      describe(await readReadable(repository, oids)),

    /** An object that can be read here and whose file exists. */
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
     * Receives an object, and makes it the repository's once all of it is on disk. The upload may take any time, and
     * rights may be withdrawn meanwhile: `enterAgain` checks them again.
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

    /**
     * A fork starts with all of its parent's objects, since its maker may read them. Within the write that makes it.
     */
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
