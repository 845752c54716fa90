/** The services of migrations (exports, imports, their jobs and archives), made and connected. */
import { join } from 'node:path'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Quotas } from '../../accounts/quotas.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Blobs, makeBlobs } from '../../store/files/blobs.ts'
import { temporaryFolder as temporaryName } from '../../store/files/data-folder.ts'
import { blobsFolder } from '../../store/installation/inspection.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Opening } from '../access/opening.ts'
import type { FileLimits } from '../files/file-limits.ts'
import type { StoredFiles } from '../files/stored-files.ts'
import type { Git } from '../git/process/git.ts'
import type { GitLimits } from '../git/process/git-limits.ts'
import type { Copying } from '../git/write/copying.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { defineExportJob } from './export-job.ts'
import { makeExporting } from './exporting.ts'
import { makeGitImport } from './import/git-import.ts'
import { defineImportJob } from './import/import-job.ts'
import { makeImporting } from './import/importing.ts'
import { makeImports } from './import/imports.ts'
import { defineWordJob } from './import/word-job.ts'
import { makeMigrations } from './migrations.ts'
import { makeRetention } from './retention.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  accounts: Accounts
  opening: Opening
  git: Git
  gitLimits: GitLimits
  copying: Copying
  blobs: Blobs
  files: StoredFiles
  fileLimits: FileLimits
  quotas: Quotas
  storage: StorageQuota
  dataFolder: string
  /** Applies what happened elsewhere while a repository was locked. */
  catchUpWithin: (trx: Db, repositoryId: number) => Promise<void>
}

export function makeMigrationServices(needs: Needs) {
  const { store, clock, log, jobs, accounts, opening, git, gitLimits, copying, blobs, files, fileLimits } = needs
  const { quotas, storage, dataFolder, catchUpWithin } = needs
  // Separate from other files: a user may upload the same bytes, and deleting the archive must not delete that upload.
  const archives = makeBlobs(join(dataFolder, blobsFolder, 'migrations'))
  const temporaryFolder = join(dataFolder, temporaryName)
  const retention = makeRetention({ store, clock, jobs, archives, temporaryFolder })
  const exportArchive = makeExporting({ store, clock, accounts, opening, git, blobs, temporaryFolder })
  const importArchive = makeImporting({
    ...{ store, clock, jobs, git, files, quotas, temporaryFolder, limits: fileLimits },
    gitImport: makeGitImport({ copying, limits: gitLimits }),
    measureStorage: storage.measure,
  })
  defineExportJob({ store, clock, log, jobs, archives, exportArchive })
  defineImportJob({ store, clock, log, jobs, files, importArchive })
  defineWordJob({ store, jobs })
  return {
    retention,
    migrations: makeMigrations({ store, clock, jobs, opening, archives, retention, catchUpWithin }),
    imports: makeImports({ store, clock, jobs, files, importArchive }),
  }
}
