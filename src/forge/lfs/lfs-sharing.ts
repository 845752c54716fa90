/**
 * Large files of pulls: where commits come from a fork to the base, or back, the objects that they point to come along, as
 * far as the repository that they come from has them. What is merged then is whole in the repository that it was merged into.
 */
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import { blobLock } from '../files/stored-files.ts'
import type { Git } from '../git/git.ts'
import type { LfsObject } from './lfs-object.ts'
import { nameLfsObjectsWithin } from './lfs-rows.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  git: Git
  /** Refuses what would be too much for the owner. */
  demandRoomFor: (ownerId: number, bytes: number, on?: Db) => Promise<void>
}

export type ShareLfsObjects = (from: Repository, into: Repository, sha: string) => Promise<void>

/** A pointer has some 130 bytes; LFS reads none of a kibibyte or more. */
const maxPointerBytes = 1024
/** Of new commits so many small files are looked at, and so much of them. */
const maxNamesBytes = 4 * 1024 * 1024
const maxPointersBytes = 16 * 1024 * 1024
const portion = 500

/** What can't be found out, or has no room, stays away: the pull goes on, and its author can push the objects there. */
export function makeLfsSharing({ store, clock, log, git, demandRoomFor }: Needs): ShareLfsObjects {
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

  async function share(from: Repository, into: Repository, sha: string): Promise<void> {
    if (!(await missing(store.db, from, into).limit(1).executeTakeFirst())) return
    const oids = await readPointers(into, sha)
    if (oids.length === 0) return
    await store.write(
      async (trx) => {
        const objects: LfsObject[] = []
        for (let at = 0; at < oids.length; at += portion) {
          const some = oids.slice(at, at + portion)
          objects.push(...(await missing(trx, from, into).where('theirs.blob_hash', 'in', some).execute()))
        }
        const bytes = objects.reduce((sum, { size }) => sum + size, 0)
        if (bytes > 0) await demandRoomFor(into.owner.id, bytes, trx)
        await nameLfsObjectsWithin(trx, into.id, objects, clock.now())
      },
      { sharing: [blobLock], alone: [`lfs:${into.owner.id}`] },
    )
  }

  return async (from, into, sha) => {
    if (from.id === into.id) return
    await share(from, into, sha).catch((error) => {
      if (!(error instanceof Failure) || error.kind === 'unavailable') throw error
      log.warn({ err: error, from: from.id, into: into.id }, 'large files did not come along with a pull')
    })
  }
}

const pointer =
  /version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize \d+\n/g
