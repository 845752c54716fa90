/** Deleting a repository: its row goes at once; its folder goes because a row says so, now or after a crash, never for want of one. */

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
  /** A backup that began before may have the repository's row: until it is made, the folder stays. */
  async function removeFolder(id: number): Promise<void> {
    if (await isBackupRunning(store.db, clock.now())) return
    const row = await store.db.selectFrom('repository').select('id').where('id', '=', id).executeTakeFirst()
    if (!row) await git.remove({ id })
    await store.write((trx) => trx.deleteFrom('repository_deletion').where('repository_id', '=', id).execute())
  }

  /** What fails is tried again by the job: the repository is gone for everyone already. */
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

    /** What a server that died left undone. */
    finish,
  }
}
