/** Uploaded files, kept as blobs while a row names them, and deleted because a row says so, never for lack of one. */
import { Readable } from 'node:stream'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Blob, Blobs } from '../../store/files/blobs.ts'
import { isBackupRunning } from '../../store/installation/backup-hold.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store, WriteOptions } from '../../store/store.ts'

export type UploadedFile = Blob & {
  /** The type that the client claims. */
  readonly contentType: string
  /** The first bytes, which identify some types. */
  readonly start: Buffer
  /** When it was recorded as not yet named by any row. */
  readonly notedAt: number
}

const cleaningKind = 'forge.blobs'
const minuteMs = 60_000
/** The longest time from an upload's last byte until a row names it. */
const unnamedMs = 60 * minuteMs
const startBytes = 16

/** Naming a blob shares this lock; deleting takes it exclusively: no blob is deleted as a row comes to name it. */
export const blobLock = 'blobs'

type Needs = { store: Store; clock: Clock; log: Log; jobs: Jobs; blobs: Blobs }

type IsNamed = (trx: Db, hash: string) => Promise<boolean>

export type StoredFiles = ReturnType<typeof makeStoredFiles>

export function makeStoredFiles({ store, clock, log, jobs, blobs }: Needs) {
  /**
   * Recorded before the blob is named and until a row names it: a failed upload leaves nothing, even if a server dies.
   */
  async function noteUnnamed(hash: string): Promise<number> {
    const deleted_at = clock.now()
    await store.write((trx) =>
      trx
        .insertInto('blob_deletion')
        .values({ blob_hash: hash, deleted_at })
        .onConflict((conflict) => conflict.column('blob_hash').doUpdateSet({ deleted_at }))
        .execute(),
    )
    return deleted_at
  }

  const otherNames: IsNamed[] = []

  async function isNamed(trx: Db, hash: string): Promise<boolean> {
    for (const isNamedThere of otherNames) if (await isNamedThere(trx, hash)) return true
    const asset = await trx.selectFrom('release_asset').select('id').where('blob_hash', '=', hash).executeTakeFirst()
    const attached = await trx.selectFrom('attachment').select('id').where('blob_hash', '=', hash).executeTakeFirst()
    const archive = await trx
      .selectFrom('migration_import')
      .select('id')
      .where('archive_hash', '=', hash)
      .executeTakeFirst()
    const large = await trx.selectFrom('lfs_object').select('id').where('blob_hash', '=', hash).executeTakeFirst()
    return asset !== undefined || attached !== undefined || large !== undefined || archive !== undefined
  }

  /** The file is deleted while no row can come to name it, and before the row that records the deletion. */
  const removeOne = (hash: string): Promise<void> =>
    store.write(
      async (trx) => {
        const row = await trx
          .selectFrom('blob_deletion')
          .select('blob_hash')
          .where('blob_hash', '=', hash)
          .where('deleted_at', '<', clock.now() - unnamedMs)
          .executeTakeFirst()
        if (!row) return
        if (!(await isNamed(trx, hash))) await blobs.remove(hash)
        await trx.deleteFrom('blob_deletion').where('blob_hash', '=', hash).execute()
      },
      { locks: [blobLock] },
    )

  async function clean(): Promise<void> {
    // A running backup may contain rows that still name these blobs.
    if (await isBackupRunning(store.db, clock.now())) return
    const rows = await store.db
      .selectFrom('blob_deletion')
      .select('blob_hash')
      .where('deleted_at', '<', clock.now() - unnamedMs)
      .limit(1000)
      .execute()
    for (const { blob_hash } of rows) {
      await removeOne(blob_hash).catch((error) => log.warn({ err: error, blob: blob_hash }, 'a deleted file stays'))
    }
  }

  /** A write that makes rows name these blobs: checks that all exist, and keeps them. */
  const writeAll = <T>(
    named: readonly Blob[],
    act: (trx: Db) => Promise<T>,
    { locks = [], sharedLocks = [] }: WriteOptions = {},
  ): Promise<T> =>
    store.write(
      async (trx) => {
        for (const { hash } of named)
          if (!(await blobs.has(hash)))
            throw new Failure('unavailable', 'upload-lost', 'The file was deleted meanwhile: send it again.')
        const result = await act(trx)
        for (const { hash } of named) await trx.deleteFrom('blob_deletion').where('blob_hash', '=', hash).execute()
        return result
      },
      { sharedLocks: [blobLock, ...sharedLocks], locks },
    )

  jobs.define(cleaningKind, clean)
  jobs.every(cleaningKind, 10 * minuteMs)

  return {
    clean,

    /** Lets another module say which blobs its rows name. */
    nameBy(isNamedThere: IsNamed): void {
      otherNames.push(isNamedThere)
    },

    /**
     * Receives a whole upload, or fails beyond the bound. It is kept for an hour; by then a row must name it. If it
     * differs from `expected`, nothing is kept.
     */
    async receive(
      source: Readable | AsyncIterable<Buffer> | undefined,
      contentType: string,
      maxBytes: number,
      expected?: Blob,
    ): Promise<UploadedFile> {
      const chunks: Buffer[] = []
      let size = 0
      async function* bounded(): AsyncGenerator<Buffer> {
        for await (const chunk of source instanceof Readable ? piecesOf(source) : (source ?? [])) {
          if (size < startBytes) chunks.push(chunk.subarray(0, startBytes))
          size += chunk.length
          if (size > maxBytes) throw tooLarge(maxBytes)
          yield chunk
        }
      }
      let notedAt = 0
      const blob = await blobs
        .put(bounded(), async (blob) => {
          if (expected) demandSame(blob, expected)
          notedAt = await noteUnnamed(blob.hash)
        })
        .catch((error) => {
          throw isLeaving(error) ? new Failure('invalid', 'bad-request', 'The body broke off.') : error
        })
      return { ...blob, contentType, notedAt, start: Buffer.concat(chunks).subarray(0, startBytes) }
    },

    /** Deletes a failed upload at once, unless the same was sent since: within the hour they would pile up. */
    async discard({ hash, notedAt }: UploadedFile): Promise<void> {
      const { numUpdatedRows } = await store.write((trx) =>
        trx
          .updateTable('blob_deletion')
          .set({ deleted_at: 0 })
          .where('blob_hash', '=', hash)
          .where('deleted_at', '=', notedAt)
          .executeTakeFirst(),
      )
      if (numUpdatedRows > 0n && !(await isBackupRunning(store.db, clock.now()))) await removeOne(hash)
    },

    /** A write that makes a row name the blob: checks that it exists, and keeps it. */
    write: <T>(blob: Blob, act: (trx: Db) => Promise<T>, locks: readonly string[] = []): Promise<T> =>
      writeAll([blob], act, { locks }),

    writeAll,

    /** Records that a row no longer names the blob, in the same write that changes the row. */
    async releaseWithin(trx: Db, hash: string): Promise<void> {
      await trx
        .insertInto('blob_deletion')
        .values({ blob_hash: hash, deleted_at: 0 })
        .onConflict((conflict) => conflict.column('blob_hash').doNothing())
        .execute()
    },

    has: (hash: string): Promise<boolean> => blobs.has(hash),

    read: (hash: string, range?: { start: number; end: number }): Readable => blobs.read(hash, range),

    /** Opens a file whole (short ones in memory) or a range of it. */
    open: async (blob: Blob, range?: { start: number; end: number }): Promise<Readable | Buffer> =>
      range ? blobs.read(blob.hash, range) : blobs.readWhole(blob),
  }
}

export const tooLarge = (maxBytes: number) => new Failure('invalid', 'too-large', `The file is over ${maxBytes} bytes.`)

function demandSame(blob: Blob, expected: Blob): void {
  const isSame = blob.size === expected.size && blob.hash === expected.hash
  demand(isSame, 'invalid', 'other-content', 'What came is not what was announced: its size or its SHA-256 is another.')
}

/** A stream ends early only if the client leaves. */
const isLeaving = (error: NodeJS.ErrnoException): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(error.code ?? '')

/** When reading stops early, the rest of the body is left to drain. */
const piecesOf = (stream: Readable): AsyncIterable<Buffer> => stream.iterator({ destroyOnReturn: false })
