/**
 * Large files of pulls. Objects that a pull's commits point to are lent by the fork that has them, and count as the
 * fork's alone: a stranger's pull uses none of the base's quota. When either side is merged into the other, that
 * repository gets the objects as its own, so that merged commits are complete.
 */
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import { blobLock } from '../files/stored-files.ts'
import type { Git } from '../git/process/git.ts'
import type { LfsObject } from './lfs-object.ts'
import { borrowLfsObjectsWithin, nameLfsObjectsWithin } from './lfs-rows.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  git: Git
  /** Throws if the bytes would exceed the owner's quota. */
  demandSpaceFor: (ownerId: number, bytes: number, on?: Db) => Promise<void>
}

export type LfsSharing = ReturnType<typeof makeLfsSharing>

/** A pointer has about 130 bytes; LFS ignores files of a kibibyte or more. */
const maxPointerBytes = 1024
/** Bounds on the small files of new commits that are searched for pointers: bytes of names, and bytes of content. */
const maxNamesBytes = 4 * 1024 * 1024
const maxPointersBytes = 16 * 1024 * 1024
const portion = 500

/** If git exceeds its bounds here, no objects are shared: the pull goes on, and users can push the objects. */
export function makeLfsSharing({ store, clock, log, git, demandSpaceFor }: Needs) {
  const missing = (on: Db, from: Repository, into: Repository) =>
    on
      .selectFrom('lfs_object as theirs')
      .select(['theirs.blob_hash as oid', 'theirs.size'])
      .where('theirs.repository_id', '=', from.id)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('lfs_object as ours')
              .select('ours.id')
              .where('ours.repository_id', '=', into.id)
              .whereRef('ours.blob_hash', '=', 'theirs.blob_hash'),
          ),
        ),
      )

  /** The oids that pointers in the new commits name. */
  async function readPointers(into: Repository, sha: string): Promise<string[]> {
    const filters = ['--filter=object:type=blob', `--filter=blob:limit=${maxPointerBytes}`, '--filter-provided-objects']
    const words = ['rev-list', '--objects', '--no-object-names', ...filters, sha, '--not', '--branches']
    const listed = await git.read(into, words, { maxBytes: maxNamesBytes, cutsOff: true })
    const names = listed.toString('latin1').match(/^[0-9a-f]{40}$/gm) ?? []
    if (names.length === 0) return []
    const input = `${names.join('\n')}\n`
    const contents = await git.read(into, ['cat-file', '--batch'], { input, maxBytes: maxPointersBytes, cutsOff: true })
    return [
      ...new Set(
        contents
          .toString('latin1')
          .matchAll(pointer)
          .map(([, oid = '']) => oid),
      ),
    ]
  }

  /** Objects that the new commits point to, and that `from` has and `into` lacks. */
  async function findMissing(from: Repository, into: Repository, sha: string): Promise<string[]> {
    if (from.id === into.id || !(await missing(store.db, from, into).limit(1).executeTakeFirst())) return []
    return readPointers(into, sha).catch((error) => {
      if (!(error instanceof Failure) || (error.kind === 'unavailable' && error.code !== 'too-slow')) throw error
      log.warn({ err: error, from: from.id, into: into.id }, 'large files did not come along with a pull')
      return []
    })
  }

  async function listWithin(trx: Db, from: Repository, into: Repository, oids: readonly string[]) {
    const objects: LfsObject[] = []
    for (let at = 0; at < oids.length; at += portion) {
      const some = oids.slice(at, at + portion)
      objects.push(...(await missing(trx, from, into).where('theirs.blob_hash', 'in', some).execute()))
    }
    return objects
  }

  return {
    /** The objects are read from the lender for as long as it has them. */
    async lend(from: Repository, into: Repository, sha: string): Promise<void> {
      const oids = await findMissing(from, into, sha)
      if (oids.length === 0) return
      await store.write(async (trx) => {
        const objects = await listWithin(trx, from, into, oids)
        await borrowLfsObjectsWithin(trx, into.id, from.id, objects)
      })
    },

    /** Makes the objects `into`'s own. Throws if they exceed its owner's quota. */
    async give(from: Repository, into: Repository, sha: string): Promise<void> {
      const oids = await findMissing(from, into, sha)
      if (oids.length === 0) return
      await store.write(
        async (trx) => {
          const objects = await listWithin(trx, from, into, oids)
          const bytes = objects.reduce((sum, { size }) => sum + size, 0)
          if (bytes > 0) await demandSpaceFor(into.owner.id, bytes, trx)
          await nameLfsObjectsWithin(trx, into.id, objects, clock.now())
        },
        { sharedLocks: [blobLock], locks: [`lfs:${into.owner.id}`] },
      )
    },
  }
}

const pointer =
  /version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n/g
