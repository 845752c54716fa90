/**
 * Every table, by module. Booleans are 0 and 1, times are ms since the epoch, JSON is text: the same on both engines.
 */
import type { Kysely } from 'kysely'
import type { AccountsSchema } from './account-tables.ts'
import type { AppsSchema } from './app-tables.ts'
import type { AuditSchema } from './audit-tables.ts'
import type { ChecksSchema } from './check-tables.ts'
import type { ClassesSchema } from './class-tables.ts'
import type { CommitsSchema } from './commit-tables.ts'
import type { ContestsSchema } from './contest-tables.ts'
import type { DatasetsSchema } from './dataset-tables.ts'
import type { DeploymentsSchema } from './deployment-tables.ts'
import type { FeedsSchema } from './feed-tables.ts'
import type { ForgeSchema } from './forge-tables.ts'
import type { InstallationSchema } from './installation-tables.ts'
import type { IssuesSchema } from './issue-tables.ts'
import type { JobsSchema } from './job-tables.ts'
import type { JudgeSchema } from './judge-tables.ts'
import type { KeysSchema } from './key-tables.ts'
import type { LfsSchema } from './lfs-tables.ts'
import type { ListCountsSchema } from './list-counts.ts'
import type { UserMigrationsSchema } from './migration-tables.ts'
import type { NotificationsSchema } from './notification-tables.ts'
import type { PullsSchema } from './pull-tables.ts'
import type { RatesSchema } from './rate-tables.ts'
import type { SingleSignOnSchema } from './single-sign-on-tables.ts'
import type { SourcesSchema } from './source-tables.ts'
import type { StarsSchema } from './star-tables.ts'
import type { WebhooksSchema } from './webhook-tables.ts'

export type MigrationTable = { number: number; name: string; hash: string; applied_at: number }

export type Schema = AccountsSchema &
  AppsSchema &
  AuditSchema &
  ChecksSchema &
  ClassesSchema &
  CommitsSchema &
  ContestsSchema &
  DatasetsSchema &
  DeploymentsSchema &
  FeedsSchema &
  ForgeSchema &
  InstallationSchema &
  IssuesSchema &
  JobsSchema &
  JudgeSchema &
  KeysSchema &
  LfsSchema &
  ListCountsSchema &
  NotificationsSchema &
  PullsSchema &
  RatesSchema &
  SingleSignOnSchema &
  SourcesSchema &
  StarsSchema &
  UserMigrationsSchema &
  WebhooksSchema & { schema_migration: MigrationTable }

/** The target of a query: the store itself for reading, a transaction for writing. */
export type Db = Kysely<Schema>
