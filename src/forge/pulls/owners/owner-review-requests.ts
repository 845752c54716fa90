/** Has the owners of a pull's files asked for their reviews, as part of an act that may bring new ones. */
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Db } from '../../../store/schema/schema.ts'

export const requestOwnersKind = 'forge.code-owners'

export async function requestOwnersWithin(trx: Db, jobs: Jobs, issueId: number): Promise<void> {
  await jobs.enqueue(trx, requestOwnersKind, { issueId }, { key: String(issueId) })
}
