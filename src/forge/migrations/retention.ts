/** Deletes archives after seven days or on request, once no migration needs the file. */

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { readFolderTime } from '../../store/files/folder-time.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { keptMs } from './migration.ts'

export type Retention = ReturnType<typeof makeRetention>

/** The write lock for archives' files. Equal archives share a file, so naming and removing it must see each other. */
export const archivesLock = 'migration-archives'
export const stagePrefix = 'migration-'
export const importStagePrefix = 'import-'

const sweepKind = 'forge.migration-sweep'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const portion = 100

type Needs = { store: Store; clock: Clock; jobs: Jobs; archives: Blobs; temporaryFolder: string }

export function makeRetention({ store, clock, jobs, archives, temporaryFolder }: Needs) {
  /** Updates the row first, and removes the file then, now or after a crash. `note` joins that write. */
  async function removeArchive(migrationId: number, note?: (trx: Db) => Promise<void>): Promise<void> {
    const now = clock.now()
    await store.write(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('migration')
        .set({ archive_removed_at: now, updated_at: now })
        .where('id', '=', migrationId)
        .where('archive_removed_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) await note?.(trx)
    })
    await removeFile(migrationId)
  }

  const removeFile = (migrationId: number): Promise<void> =>
    store.write(
      async (trx) => {
        const row = await trx.selectFrom('migration').selectAll().where('id', '=', migrationId).executeTakeFirst()
        if (!row?.archive_hash || row.archive_removed_at === null) return
        const other = await trx
          .selectFrom('migration')
          .select('id')
          .where('archive_hash', '=', row.archive_hash)
          .where('archive_removed_at', 'is', null)
          .limit(1)
          .executeTakeFirst()
        if (!other) await archives.remove(row.archive_hash)
        await trx.updateTable('migration').set({ archive_hash: null }).where('id', '=', migrationId).execute()
      },
      { locks: [archivesLock] },
    )

  async function removeExpired(): Promise<void> {
    const rows = await store.db
      .selectFrom('migration')
      .select(['id', 'exported_at', 'archive_removed_at', 'state'])
      .where('archive_hash', 'is not', null)
      .execute()
    for (const { id, exported_at, archive_removed_at, state } of rows) {
      const isExpired = state === 'exported' && exported_at! + keptMs <= clock.now()
      if (isExpired || state === 'failed' || archive_removed_at !== null) await removeArchive(id)
    }
  }

  /** A job that ended its process at every try is dead: without this, its migration would never end. */
  async function endAbandoned(): Promise<void> {
    const open = await store.db
      .selectFrom('migration')
      .select(['id', 'job_id'])
      .where('state', 'in', ['pending', 'exporting'])
      .orderBy('id')
      .limit(portion)
      .execute()
    for (const { id, job_id } of open) {
      const job = await jobs.find(job_id)
      if (job?.state === 'queued' || job?.state === 'running') continue
      const reason = job?.error ?? 'The export ended before it was finished.'
      await store.write((trx) =>
        trx
          .updateTable('migration')
          .set({ state: 'failed', failure_reason: reason, run: null, updated_at: clock.now() })
          .where('id', '=', id)
          .where('state', 'in', ['pending', 'exporting'])
          .execute(),
      )
    }
  }

  /** Removes the working folders of killed exports and imports. */
  async function removeStages(before: number): Promise<void> {
    for (const name of await readdir(temporaryFolder).catch(() => [])) {
      if (!name.startsWith(stagePrefix) && !name.startsWith(importStagePrefix)) continue
      const path = join(temporaryFolder, name)
      const found = await stat(path).catch(() => undefined)
      if (found && found.mtimeMs < before) await rm(path, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  async function sweep(): Promise<void> {
    await endAbandoned()
    await removeExpired()
    const before = (await readFolderTime(temporaryFolder)) - dayMs
    await archives.sweep(before)
    await removeStages(before)
  }

  jobs.define(sweepKind, sweep)
  jobs.every(sweepKind, minuteMs)

  return {
    removeArchive,

    /**
     * Removes the unfinished files of dead servers: with an embedded database all of them, since there is one server.
     */
    async start(): Promise<void> {
      await archives.prepare()
      if (store.engine !== 'sqlite') return
      await archives.sweep(Number.POSITIVE_INFINITY)
      await removeStages(Number.POSITIVE_INFINITY)
    },
  }
}
