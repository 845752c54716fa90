/** An import as the modules see it, and its row. */
import type { Selectable } from 'kysely'
import type { ImportState, MigrationImportTable } from '../../../store/schema/migration-tables.ts'
import type { ImportSummary } from './import-summary.ts'
import type { ImportOptions } from './planning.ts'

export type ImportRow = Selectable<MigrationImportTable>

export type Import = {
  readonly id: number
  readonly state: ImportState
  /** From 0 to 100. */
  readonly progress: number
  readonly failureReason: string | null
  readonly archiveBytes: number
  readonly recordCount: number | null
  /** Known once the archive is checked. */
  readonly summary: ImportSummary | null
  readonly options: ImportOptions
  /** The repositories it made that still exist. */
  readonly repositories: readonly ImportedRepository[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type ImportedRepository = { readonly id: number; readonly owner: string; readonly name: string }

export const toImport = (row: ImportRow, repositories: readonly ImportedRepository[]): Import => ({
  id: row.id,
  state: row.state,
  progress: row.progress,
  failureReason: row.failure_reason,
  archiveBytes: row.archive_bytes,
  recordCount: row.record_count,
  summary: row.summary === null ? null : (JSON.parse(row.summary) as ImportSummary),
  options: JSON.parse(row.options) as ImportOptions,
  repositories,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
