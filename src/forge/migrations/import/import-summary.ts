/** What an import brings, and what it leaves out: known before anything is written. */
import { type CheckedArchive, countRecords } from './archive-checks.ts'
import type { ImportPlan } from './planning.ts'
import type { LeftOut } from './platform/left-out.ts'

export type ImportSummary = {
  /** The server that the archive comes from. */
  readonly from: string
  /** The new repositories, as `owner/name`. */
  readonly repositories: readonly string[]
  /** The records of each type. */
  readonly counts: Readonly<Record<string, number>>
  readonly recordCount: number
  readonly leftOut: LeftOut
  /** Logins of accounts that are made. */
  readonly newAccounts: readonly string[]
  readonly newAccountCount: number
}

const mostListed = 500

export function summarize(checked: CheckedArchive, plan: ImportPlan, leftOut: LeftOut): ImportSummary {
  const made = plan.accounts.filter(({ id }) => id === undefined)
  return {
    from: checked.origin,
    repositories: plan.repositories
      .slice(0, mostListed)
      .map(({ record, ownerLogin }) => `${ownerLogin}/${record.name}`),
    counts: Object.fromEntries([...checked.counts].filter(([, count]) => count > 0)),
    recordCount: countRecords(checked),
    leftOut,
    newAccounts: made.slice(0, mostListed).map(({ login }) => login),
    newAccountCount: made.length,
  }
}
