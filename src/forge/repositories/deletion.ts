/**
 * Deletes a repository: its row goes at once. Its folder is deleted because a row says so, now or after a crash, never
 * for lack of a row.
 */

import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isBackupRunning } from '../../store/installation/backup-hold.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Git } from '../git/process/git.ts'

type Needs = { store: Store; clock: Clock; log: Log; git: Git; jobs: Jobs }

export type Deletion = ReturnType<typeof makeDeletion>

const deletionKind = 'forge.deletions'
const minuteMs = 60_000

export function makeDeletion({ store, clock, log, git, jobs }: Needs) {
  /** A running backup may contain the repository's row: the folder stays until it is done. */
  async function removeFolder(id: number): Promise<void> {
    if (await isBackupRunning(store.db, clock.now())) return
    const row = await store.db.selectFrom('repository').select('id').where('id', '=', id).executeTakeFirst()
    if (!row) await git.remove({ id })
    await store.write((trx) => trx.deleteFrom('repository_deletion').where('repository_id', '=', id).execute())
  }

  /** If it fails, the job retries: for users the repository is gone already. */
  const removeQuietly = (id: number): Promise<void> =>
    removeFolder(id).catch((error) => log.warn({ err: error, repository: id }, 'a deleted repository’s folder stays'))

  async function finish(): Promise<void> {
    const rows = await store.db.selectFrom('repository_deletion').select('repository_id').execute()
    for (const { repository_id } of rows) await removeQuietly(repository_id)
  }

  jobs.define(deletionKind, finish)
  jobs.every(deletionKind, minuteMs)

  return {
    /** Part of the act's own transaction. */
    async recordWithin(trx: Db, id: number): Promise<void> {
      await trx.deleteFrom('repository').where('id', '=', id).execute()
      const values = { repository_id: id, deleted_at: clock.now() }
      await trx
        .insertInto('repository_deletion')
        .values(values)
        .onConflict((conflict) => conflict.column('repository_id').doNothing())
        .execute()
    },

    removeFolder: removeQuietly,

    /** Finishes deletions that a dead server left undone. */
    finish,
  }
}
