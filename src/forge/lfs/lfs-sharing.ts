/**
 * Large files of pulls. What a pull's commits point to is lent by the fork that has it, and counts as the fork's alone: a
 * stranger's pull takes nothing of the base's quota. With a merge, either way, the objects become the other repository's
 * own, so that what is merged is whole where it was merged to.
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
  /** Refuses what would be too much for the owner. */
  demandSpaceFor: (ownerId: number, bytes: number, on?: Db) => Promise<void>
}

export type LfsSharing = ReturnType<typeof makeLfsSharing>

/** A pointer has some 130 bytes; LFS reads none of a kibibyte or more. */
const maxPointerBytes = 1024
/** Of new commits so many small files are looked at, and so much of them. */
const maxNamesBytes = 4 * 1024 * 1024
const maxPointersBytes = 16 * 1024 * 1024
const portion = 500

/** What git can't find out within its bounds stays where it is: the pull goes on, and the objects can be pushed. */
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

  /** The names that new commits point to. */
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

  /** Of what the new commits point to, that which the one has and the other has not. */
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
    /** They are read from the lender, for as long as it has them. */
    async lend(from: Repository, into: Repository, sha: string): Promise<void> {
      const oids = await findMissing(from, into, sha)
      if (oids.length === 0) return
      await store.write(async (trx) => {
        const objects = await listWithin(trx, from, into, oids)
        await borrowLfsObjectsWithin(trx, into.id, from.id, objects)
      })
    },

    /** They are its own from now on. Refuses what its owner has no room for. */
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
        { sharing: [blobLock], alone: [`lfs:${into.owner.id}`] },
      )
    },
  }
}

const pointer =
  /version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n/g
