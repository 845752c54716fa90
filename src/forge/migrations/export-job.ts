/**
 * The export as a durable job: it starts over after a kill, and ends once, with an archive or a reason for its lack.
 */
import { randomUUID } from 'node:crypto'
import type { JobContext, Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Blob, Blobs } from '../../store/files/blobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { showProgress, workOrFail } from './job-runs.ts'
import type { MigrationRow } from './migration.ts'
import { archivesLock } from './retention.ts'

export const exportKind = 'forge.migration'
export const exportTries = 8
const exportsAtOnce = 2

/** A permanent reason why an export cannot be made; the owner sees its message. */
export const refuseExport = (message: string): Failure => new Failure('precondition', 'export-refused', message)

export type ExportAct = (
  row: MigrationRow,
  put: (source: AsyncIterable<Uint8Array>) => Promise<Blob>,
  context: { readonly signal: AbortSignal; progress(percent: number): void },
) => Promise<Blob>

type Needs = { store: Store; clock: Clock; log: Log; jobs: Jobs; archives: Blobs; exportArchive: ExportAct }

export function defineExportJob({ store, clock, log, jobs, archives, exportArchive }: Needs): void {
  const begin = (migrationId: number, run: string): Promise<MigrationRow | undefined> =>
    store.write((trx) =>
      trx
        .updateTable('migration')
        .set({ state: 'exporting', run, progress: 0, updated_at: clock.now() })
        .where('id', '=', migrationId)
        .where('state', 'in', ['pending', 'exporting'])
        .returningAll()
        .executeTakeFirst(),
    )

  /** The server died twice during this export: mark it as failed, so that its owner does not wait for it. */
  const giveUp = (trx: Db, migrationId: number) =>
    trx
      .updateTable('migration')
      .set({ state: 'failed', failure_reason: givenUp, run: null, updated_at: clock.now() })
      .where('id', '=', migrationId)
      .where('state', 'in', ['pending', 'exporting'])
      .execute()

  async function end(migrationId: number, run: string, change: Partial<MigrationRow>): Promise<boolean> {
    const { numUpdatedRows } = await store.write((trx) =>
      trx
        .updateTable('migration')
        .set({ ...change, run: null, updated_at: clock.now() })
        .where('id', '=', migrationId)
        .where('run', '=', run)
        .executeTakeFirst(),
    )
    return numUpdatedRows > 0n
  }

  const finish = (migrationId: number, run: string) =>
    end(migrationId, run, { state: 'exported', progress: 100, exported_at: clock.now(), failure_reason: null })

  /** Stored before the archive gets its name, so that every archive on disk is known to a row. */
  const nameArchive = (migrationId: number, run: string, { hash, size }: Blob) =>
    store.write(
      async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('migration')
          .set({ archive_hash: hash, archive_bytes: size })
          .where('id', '=', migrationId)
          .where('run', '=', run)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw new Error('Another run of this export has taken over.')
      },
      { locks: [archivesLock] },
    )

  async function work(row: MigrationRow, run: string, { signal }: JobContext): Promise<void> {
    // A run that died between its last two steps has left the archive whole: only a complete archive gets its name.
    const isMade = row.archive_hash !== null && (await archives.has(row.archive_hash))
    if (!isMade) {
      const put = (source: AsyncIterable<Uint8Array>) => archives.put(source, (blob) => nameArchive(row.id, run, blob))
      await exportArchive(row, put, { signal, progress: showProgress(store, log, 'migration', row.id, run) })
    }
    await finish(row.id, run)
  }

  jobs.define<{ migrationId: number }>(
    exportKind,
    async ({ migrationId }, context) => {
      const run = randomUUID()
      const row = await begin(migrationId, run)
      if (!row) return
      const fail = (error: unknown) => {
        log.warn({ err: error, migration: migrationId }, 'an export failed')
        return end(migrationId, run, { state: 'failed', failure_reason: describe(error) })
      }
      await workOrFail(context, 'export-refused', () => work(row, run, context), fail)
    },
    { concurrency: exportsAtOnce, whenGivenUp: (trx, { migrationId }) => giveUp(trx, migrationId) },
  )
}

const givenUp =
  'The server ended, or stood still, each time it made this export, so the export was given up: tell its admin.'

/** The server's own faults go to the log, not to the owner. */
const describe = (error: unknown): string =>
  error instanceof Failure ? error.message : 'The export failed for a reason of the server’s own: tell its admin.'
