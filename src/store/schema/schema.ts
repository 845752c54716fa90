/** Every table, room by room. Booleans are 0 and 1, times are ms since the epoch, JSON is text: the same on both engines. */
import type { Kysely } from 'kysely'
import type { AccountsSchema } from './accounts.ts'
import type { AppsSchema } from './apps.ts'
import type { AuditSchema } from './audit.ts'
import type { CommitsSchema } from './commits.ts'
import type { DatasetsSchema } from './datasets.ts'
import type { FeedsSchema } from './feeds.ts'
import type { ForgeSchema } from './forge.ts'
import type { InstallationSchema } from './installation.ts'
import type { IssuesSchema } from './issues.ts'
import type { JobsSchema } from './jobs.ts'
import type { JudgeSchema } from './judge.ts'
import type { LfsSchema } from './lfs.ts'
import type { ListCountsSchema } from './list-counts.ts'
import type { UserMigrationsSchema } from './migrations.ts'
import type { NotificationsSchema } from './notifications.ts'
import type { PullsSchema } from './pulls.ts'
import type { RatesSchema } from './rates.ts'
import type { SingleSignOnSchema } from './single-sign-on.ts'
import type { StarsSchema } from './stars.ts'
import type { WebhooksSchema } from './webhooks.ts'

export type MigrationTable = { number: number; name: string; hash: string; applied_at: number }

export type Schema = AccountsSchema &
  AppsSchema &
  AuditSchema &
  CommitsSchema &
  DatasetsSchema &
  FeedsSchema &
  ForgeSchema &
  InstallationSchema &
  IssuesSchema &
  JobsSchema &
  JudgeSchema &
  LfsSchema &
  ListCountsSchema &
  NotificationsSchema &
  PullsSchema &
  RatesSchema &
  SingleSignOnSchema &
  StarsSchema &
  UserMigrationsSchema &
  WebhooksSchema & { schema_migration: MigrationTable }

/** What a query runs on: the store itself for reading, a transaction for writing. */
export type Db = Kysely<Schema>
