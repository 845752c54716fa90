/**
 * The import as a durable job: it starts over after a kill, and ends once: whole, or with a reason and nothing written.
 */
import { randomUUID } from 'node:crypto'
import type { JobContext, Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { StoredFiles } from '../../files/stored-files.ts'
import { showProgress, workOrFail } from '../job-runs.ts'
import type { ImportRow } from './import-row.ts'
import type { ImportArchive } from './importing.ts'
import type { ImportOptions } from './planning.ts'

export const importKind = 'forge.import'
export const importTries = 8
const sweepKind = 'forge.import-sweep'
const minuteMs = 60_000

type Needs = { store: Store; clock: Clock; log: Log; jobs: Jobs; files: StoredFiles; importArchive: ImportArchive }

export function defineImportJob({ store, clock, log, jobs, files, importArchive }: Needs): void {
  const begin = (id: number, run: string): Promise<ImportRow | undefined> =>
    store.write((trx) =>
      trx
        .updateTable('migration_import')
        .set({ state: 'importing', run, progress: 0, updated_at: clock.now() })
        .where('id', '=', id)
        .where('state', 'in', ['pending', 'importing'])
        .returningAll()
        .executeTakeFirst(),
    )

  /** Ends the import and releases its archive. Answers whether this run was still the current one. */
  async function endWithin(trx: Db, row: ImportRow, run: string | null, change: Partial<ImportRow>): Promise<boolean> {
    const ended = trx
      .updateTable('migration_import')
      .set({ ...change, run: null, archive_hash: null, updated_at: clock.now() })
      .where('id', '=', row.id)
      .where('state', 'in', ['pending', 'importing'])
    const { numUpdatedRows } = await (run === null ? ended : ended.where('run', '=', run)).executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    if (row.archive_hash !== null) await files.releaseWithin(trx, row.archive_hash)
    return true
  }

  const fail = (row: ImportRow, run: string | null, reason: string) =>
    store.write((trx) => endWithin(trx, row, run, { state: 'failed', failure_reason: reason }))

  async function work(row: ImportRow, run: string, { signal }: JobContext): Promise<void> {
    const options = JSON.parse(row.options) as ImportOptions
    const { summary } = await importArchive(files.read(row.archive_hash!), options, {
      signal,
      progress: showProgress(store, log, 'migration_import', row.id, run),
      async settle(trx, result) {
        const change = {
          state: 'imported' as const,
          progress: 100,
          failure_reason: null,
          repositories: JSON.stringify(result.repositoryIds),
          record_count: result.summary.recordCount,
          summary: JSON.stringify(result.summary),
        }
        if (!(await endWithin(trx, row, run, change))) throw new Error('Another run of this import has taken over.')
      },
    })
    if (!options.isPreview) return
    const { recordCount } = summary
    const change = {
      state: 'previewed' as const,
      progress: 100,
      record_count: recordCount,
      summary: JSON.stringify(summary),
    }
    await store.write((trx) => endWithin(trx, row, run, change))
  }

  /** The server died twice during this import: a third try would likely end the same way. */
  async function giveUp(trx: Db, importId: number): Promise<void> {
    const row = await trx.selectFrom('migration_import').selectAll().where('id', '=', importId).executeTakeFirst()
    if (row) await endWithin(trx, row, null, { state: 'failed', failure_reason: givenUp })
  }

  async function importOnce({ importId }: { importId: number }, context: JobContext): Promise<void> {
    const run = randomUUID()
    const row = await begin(importId, run)
    if (!row) return
    await workOrFail(
      context,
      'import-refused',
      () => work(row, run, context),
      (error, isRefused) => {
        if (!isRefused) log.warn({ err: error, import: importId }, 'an import failed')
        return fail(row, run, describe(error))
      },
    )
  }

  jobs.define<{ importId: number }>(importKind, importOnce, {
    whenGivenUp: (trx, { importId }) => giveUp(trx, importId),
  })

  /** A job that ended its process at every try is dead: without this, its import would never end. */
  async function endAbandoned(): Promise<void> {
    const rows = await store.db
      .selectFrom('migration_import')
      .selectAll()
      .where('state', 'in', ['pending', 'importing'])
      .orderBy('id')
      .limit(100)
      .execute()
    for (const row of rows) {
      const job = await jobs.find(row.job_id)
      if (job?.state === 'queued' || job?.state === 'running') continue
      await fail(row, null, job?.error ?? 'The import ended before it was finished.')
    }
  }

  jobs.define(sweepKind, endAbandoned)
  jobs.every(sweepKind, minuteMs)
}

const givenUp =
  'The server ended, or stood still, each time it imported this archive, so the import was given up. Nothing of it was written.'

/** The server's own faults are explained only in the log. */
const describe = (error: unknown): string =>
  error instanceof Failure ? error.message : 'The import failed for a reason of the server’s own, which its log tells.'
