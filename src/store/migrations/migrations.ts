/** The schema's history: numbered, frozen, forward only. A released migration is never edited; a new one is added. */
import { createHash } from 'node:crypto'
import { OperatorError } from '../../lib/failure.ts'
import { accounts } from './0001-accounts.ts'
import { jobsAndRates } from './0002-jobs-and-rates.ts'
import { judge } from './0003-judge.ts'
import { datasets } from './0004-datasets.ts'
import { forge } from './0005-forge.ts'
import { listCounts } from './0006-list-counts.ts'
import { installation } from './0007-installation.ts'
import { activity } from './0008-activity.ts'
import { issues } from './0009-issues.ts'
import { forks } from './0010-forks.ts'
import { notifications } from './0011-notifications.ts'
import { issueUpkeep } from './0012-issue-upkeep.ts'
import { userMigrations } from './0013-user-migrations.ts'
import { commits } from './0014-commits.ts'
import { pulls } from './0015-pulls.ts'
import { issueWords } from './0016-issue-words.ts'
import { starsAndFollows } from './0017-stars-and-follows.ts'
import { testMerges } from './0018-test-merges.ts'
import { imports } from './0019-imports.ts'
import { feeds } from './0020-feeds.ts'
import { fairJudging } from './0021-fair-judging.ts'
import { lfs } from './0022-lfs.ts'
import { singleSignOn } from './0023-single-sign-on.ts'
import { webhooks } from './0024-webhooks.ts'
import { apps } from './0025-apps.ts'
import { auditLog } from './0026-audit-log.ts'
import { webhookTurns } from './0027-webhook-turns.ts'
import { pullWork } from './0028-pull-work.ts'
import { judgingTurns } from './0029-judging-turns.ts'
import { testUsage } from './0030-test-usage.ts'
import { pushKeys } from './0031-push-keys.ts'
import { usedRefreshTokens } from './0032-used-refresh-tokens.ts'
import { wikiUsage } from './0033-wiki-usage.ts'
import { judging } from './0034-judging.ts'
import { finishedSubmissions } from './0035-finished-submissions.ts'
import { problemFiles } from './0036-problem-files.ts'
import { datasetIndexes } from './0037-dataset-indexes.ts'
import { executorInstances } from './0038-executor-instances.ts'
import { tableChanges } from './0039-table-changes.ts'
import { rateGroups } from './0040-rate-groups.ts'
import { rejudgedFor } from './0041-rejudged-for.ts'
import { admittedGroups } from './0042-admitted-groups.ts'
import { skippedSlots } from './0043-skipped-slots.ts'
import { pullUsage } from './0044-pull-usage.ts'
import { broughtHeads } from './0045-brought-heads.ts'
import { pullOpeners } from './0046-pull-openers.ts'
import { rowChanges } from './0047-row-changes.ts'
import { droppedEvents } from './0048-dropped-events.ts'
import { concurrencySlots } from './0049-concurrency-slots.ts'
import { jobDeaths } from './0050-job-deaths.ts'
import { receivingPushes } from './0051-receiving-pushes.ts'
import { tokenOwners } from './0052-token-owners.ts'
import { noTableChanges } from './0053-no-table-changes.ts'
import { partedByBlocks } from './0054-parted-by-blocks.ts'
import { pushCredentials } from './0055-push-credentials.ts'
import { classes } from './0056-classes.ts'
import { commitPlaces } from './0057-commit-places.ts'
import { sheets } from './0058-sheets.ts'
import { lastFaults } from './0059-last-faults.ts'
import { inboxFilters } from './0060-inbox-filters.ts'
import { trials } from './0061-trials.ts'
import { reviewThreads } from './0062-review-threads.ts'
import { problemLinks } from './0063-problem-links.ts'
import { problemTags } from './0064-problem-tags.ts'
import { contests } from './0065-contests.ts'
import { heldOpenings } from './0066-held-openings.ts'
import { classConsent } from './0067-class-consent.ts'
import { keys } from './0068-keys.ts'
import { pushOptions } from './0069-push-options.ts'
import { templates } from './0070-templates.ts'
import { checks } from './0071-checks.ts'
import { deployments } from './0072-deployments.ts'
import { accountCreators } from './0073-account-creators.ts'
import { linkedBranches } from './0074-linked-branches.ts'
import { sources } from './0075-sources.ts'
import { leftStudents } from './0076-left-students.ts'
import { markedSubmissions } from './0077-marked-submissions.ts'
import { rosterDetails } from './0078-roster-details.ts'
import { changedVerdicts } from './0079-changed-verdicts.ts'
import { copiedCommits } from './0080-copied-commits.ts'
import { importSummaries } from './0081-import-summaries.ts'
import type { Ddl } from './ddl.ts'

export type Migration = { readonly number: number; readonly name: string; statements(ddl: Ddl): string[] }

export const migrations: readonly Migration[] = [
  { number: 1, name: 'accounts', statements: accounts },
  { number: 2, name: 'jobs-and-rates', statements: jobsAndRates },
  { number: 3, name: 'judge', statements: judge },
  { number: 4, name: 'datasets', statements: datasets },
  { number: 5, name: 'forge', statements: forge },
  { number: 6, name: 'list-counts', statements: listCounts },
  { number: 7, name: 'installation', statements: installation },
  { number: 8, name: 'activity', statements: activity },
  { number: 9, name: 'issues', statements: issues },
  { number: 10, name: 'forks', statements: forks },
  { number: 11, name: 'notifications', statements: notifications },
  { number: 12, name: 'issue-upkeep', statements: issueUpkeep },
  { number: 13, name: 'user-migrations', statements: userMigrations },
  { number: 14, name: 'commits', statements: commits },
  { number: 15, name: 'pulls', statements: pulls },
  { number: 16, name: 'issue-words', statements: issueWords },
  { number: 17, name: 'stars-and-follows', statements: starsAndFollows },
  { number: 18, name: 'test-merges', statements: testMerges },
  { number: 19, name: 'imports', statements: imports },
  { number: 20, name: 'feeds', statements: feeds },
  { number: 21, name: 'fair-judging', statements: fairJudging },
  { number: 22, name: 'lfs', statements: lfs },
  { number: 23, name: 'single-sign-on', statements: singleSignOn },
  { number: 24, name: 'webhooks', statements: webhooks },
  { number: 25, name: 'apps', statements: apps },
  { number: 26, name: 'audit-log', statements: auditLog },
  { number: 27, name: 'webhook-turns', statements: webhookTurns },
  { number: 28, name: 'pull-work', statements: pullWork },
  { number: 29, name: 'judging-turns', statements: judgingTurns },
  { number: 30, name: 'test-usage', statements: testUsage },
  { number: 31, name: 'push-keys', statements: pushKeys },
  { number: 32, name: 'used-refresh-tokens', statements: usedRefreshTokens },
  { number: 33, name: 'wiki-usage', statements: wikiUsage },
  { number: 34, name: 'judging', statements: judging },
  { number: 35, name: 'finished-submissions', statements: finishedSubmissions },
  { number: 36, name: 'problem-files', statements: problemFiles },
  { number: 37, name: 'dataset-indexes', statements: datasetIndexes },
  { number: 38, name: 'executor-instances', statements: executorInstances },
  { number: 39, name: 'table-changes', statements: tableChanges },
  { number: 40, name: 'rate-groups', statements: rateGroups },
  { number: 41, name: 'rejudged-for', statements: rejudgedFor },
  { number: 42, name: 'admitted-groups', statements: admittedGroups },
  { number: 43, name: 'skipped-slots', statements: skippedSlots },
  { number: 44, name: 'pull-usage', statements: pullUsage },
  { number: 45, name: 'brought-heads', statements: broughtHeads },
  { number: 46, name: 'pull-openers', statements: pullOpeners },
  { number: 47, name: 'row-changes', statements: rowChanges },
  { number: 48, name: 'dropped-events', statements: droppedEvents },
  { number: 49, name: 'concurrency-slots', statements: concurrencySlots },
  { number: 50, name: 'job-deaths', statements: jobDeaths },
  { number: 51, name: 'receiving-pushes', statements: receivingPushes },
  { number: 52, name: 'token-owners', statements: tokenOwners },
  { number: 53, name: 'no-table-changes', statements: noTableChanges },
  { number: 54, name: 'parted-by-blocks', statements: partedByBlocks },
  { number: 55, name: 'push-credentials', statements: pushCredentials },
  { number: 56, name: 'classes', statements: classes },
  { number: 57, name: 'commit-places', statements: commitPlaces },
  { number: 58, name: 'sheets', statements: sheets },
  { number: 59, name: 'last-faults', statements: lastFaults },
  { number: 60, name: 'inbox-filters', statements: inboxFilters },
  { number: 61, name: 'trials', statements: trials },
  { number: 62, name: 'review-threads', statements: reviewThreads },
  { number: 63, name: 'problem-links', statements: problemLinks },
  { number: 64, name: 'problem-tags', statements: problemTags },
  { number: 65, name: 'contests', statements: contests },
  { number: 66, name: 'held-openings', statements: heldOpenings },
  { number: 67, name: 'class-consent', statements: classConsent },
  { number: 68, name: 'keys', statements: keys },
  { number: 69, name: 'push-options', statements: pushOptions },
  { number: 70, name: 'templates', statements: templates },
  { number: 71, name: 'checks', statements: checks },
  { number: 72, name: 'deployments', statements: deployments },
  { number: 73, name: 'account-creators', statements: accountCreators },
  { number: 74, name: 'linked-branches', statements: linkedBranches },
  { number: 75, name: 'sources', statements: sources },
  { number: 76, name: 'left-students', statements: leftStudents },
  { number: 77, name: 'marked-submissions', statements: markedSubmissions },
  { number: 78, name: 'roster-details', statements: rosterDetails },
  { number: 79, name: 'changed-verdicts', statements: changedVerdicts },
  { number: 80, name: 'copied-commits', statements: copiedCommits },
  { number: 81, name: 'import-summaries', statements: importSummaries },
]

export const hashMigration = (migration: Migration, ddl: Ddl): string =>
  createHash('sha256').update(migration.statements(ddl).join(';\n')).digest('hex')

/** The interface of an engine for migrating: it calls `migrate` inside one transaction, under a lock. */
export type MigrationPort = {
  readonly ddl: Ddl
  applied(): Promise<readonly { number: number; hash: string }[]>
  run(statement: string): Promise<void>
  record(migration: Migration, hash: string): Promise<void>
}

export const migrationTable = `create table if not exists schema_migration (
  number bigint primary key, name text not null, hash text not null, applied_at bigint not null)`

/** `upTo`: stops after this migration, to load rows of that version. */
export async function migrate(port: MigrationPort, upTo = Number.POSITIVE_INFINITY): Promise<void> {
  await port.run(migrationTable)
  const rows = await port.applied()
  demandKnown(rows)
  const applied = new Map(rows.map((row) => [row.number, row.hash]))
  for (const migration of migrations.filter(({ number }) => number <= upTo)) {
    const hash = hashMigration(migration, port.ddl)
    const known = applied.get(migration.number)
    if (known === hash) continue
    if (known !== undefined) {
      throw new OperatorError(
        `Schema migration ${migration.number} (${migration.name}) differs from the one this database was made with: use an unchanged release of Guildhall.`,
      )
    }
    for (const statement of migration.statements(port.ddl)) await port.run(statement)
    await port.record(migration, hash)
  }
}

/** Refuses the schema of a newer Guildhall. */
export function demandKnown(applied: readonly { number: number }[]): void {
  const newest = migrations.at(-1)!.number
  const foreign = Math.max(0, ...applied.map((row) => row.number))
  if (foreign <= newest) return
  throw new OperatorError(
    `The database was written by a newer Guildhall (schema ${foreign}, this one knows ${newest}): start that version, or restore a backup made before it.`,
  )
}
