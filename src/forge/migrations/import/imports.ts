/** Imports: a site admin uploads the archive of a migration and follows its state. */
import { createReadStream } from 'node:fs'
import { recordAudit } from '../../../accounts/audit/audit-log.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Store } from '../../../store/store.ts'
import type { SiteAdmin } from '../../access/site-admin.ts'
import { invalidField, notFound } from '../../failures.ts'
import type { StoredFiles, UploadedFile } from '../../files/stored-files.ts'
import { readRows } from '../../row-pages.ts'
import { importKind, importTries } from './import-job.ts'
import { type Import, type ImportedRepository, type ImportRow, toImport } from './import-row.ts'
import type { ImportArchive, ImportResult } from './importing.ts'
import type { ImportOptions } from './planning.ts'

type Needs = { store: Store; clock: Clock; jobs: Jobs; files: StoredFiles; importArchive: ImportArchive }

export type Imports = ReturnType<typeof makeImports>

export function makeImports({ store, clock, jobs, files, importArchive }: Needs) {
  const { db } = store

  async function readRepositories(ids: readonly number[]): Promise<ImportedRepository[]> {
    if (ids.length === 0) return []
    return db
      .selectFrom('repository')
      .innerJoin('account', 'account.id', 'repository.owner_id')
      .select(['repository.id', 'repository.name', 'account.name as owner'])
      .where('repository.id', 'in', ids)
      .orderBy('repository.id')
      .execute()
  }

  const present = async (row: ImportRow): Promise<Import> =>
    toImport(row, await readRepositories(JSON.parse(row.repositories) as number[]))

  return {
    /** The archive is checked in the background. */
    async start({ actor }: SiteAdmin, archive: UploadedFile, options: ImportOptions): Promise<Import> {
      if (archive.size === 0) throw invalidField('body', 'missing', 'Send the archive as the body.')
      const row = await files.write(archive, async (trx) => {
        const now = clock.now()
        const { id } = await trx
          .insertInto('migration_import')
          .values({
            requester_id: actor.account.id,
            state: 'pending',
            options: JSON.stringify(options),
            archive_hash: archive.hash,
            archive_bytes: archive.size,
            job_id: 0,
            run: null,
            progress: 0,
            failure_reason: null,
            repositories: '[]',
            record_count: null,
            summary: null,
            created_at: now,
            updated_at: now,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        await recordAudit(trx, now, actor, {
          action: 'migration.import',
          data: { import_id: id, bytes: archive.size, preview: options.isPreview },
        })
        const payload = { importId: id }
        const jobId = await jobs.enqueue(trx, importKind, payload, { key: String(id), maxTries: importTries })
        return trx
          .updateTable('migration_import')
          .set({ job_id: jobId })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
      })
      return present(row)
    },

    async get(_admin: SiteAdmin, id: number): Promise<Import> {
      const row = await db.selectFrom('migration_import').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      return present(row)
    },

    /** Lists the newest first. */
    async list(_admin: SiteAdmin, page: PageRequest): Promise<Page<Import>> {
      const newest = db.selectFrom('migration_import').selectAll().orderBy('id', 'desc')
      const { total, items } = await readRows(newest, page)
      const idsOf = (row: ImportRow) => JSON.parse(row.repositories) as number[]
      const repositories = new Map((await readRepositories(items.flatMap(idsOf))).map((each) => [each.id, each]))
      const present = (row: ImportRow) =>
        toImport(
          row,
          idsOf(row).flatMap((id) => repositories.get(id) ?? []),
        )
      return { total, items: items.map(present) }
    },

    /** Imports a local file at once, whole or not at all, or only checks and plans it. */
    importFile: (path: string, options: ImportOptions): Promise<ImportResult> =>
      importArchive(createReadStream(path), options, {
        signal: new AbortController().signal,
        progress: () => {},
        settle: async () => {},
      }),

    readRepositories,
  }
}
