/** Holds: while a backup runs, files in its database snapshot are not deleted. */
import { randomUUID } from 'node:crypto'
import type { Db } from '../schema/schema.ts'

export type BackupHold = { renew(): Promise<void>; release(): Promise<void> }

/** Renewed far more often; after a backup was killed, deletions resume after this time. */
export const holdMs = 10 * 60_000

export async function isBackupRunning(db: Db, now: number): Promise<boolean> {
  const hold = await db.selectFrom('backup_hold').select('id').where('expires_at', '>', now).limit(1).executeTakeFirst()
  return hold !== undefined
}

/** Must be taken before the backup's database snapshot begins. */
export async function takeHold(
  write: (act: (trx: Db) => Promise<unknown>) => Promise<unknown>,
  now: () => number,
): Promise<BackupHold> {
  const id = randomUUID()
  await write(async (trx) => {
    await trx.deleteFrom('backup_hold').where('expires_at', '<', now()).execute()
    await trx
      .insertInto('backup_hold')
      .values({ id, expires_at: now() + holdMs })
      .execute()
  })
  return {
    renew: async () => {
      await write((trx) =>
        trx
          .updateTable('backup_hold')
          .set({ expires_at: now() + holdMs })
          .where('id', '=', id)
          .execute(),
      )
    },
    release: async () => {
      await write((trx) => trx.deleteFrom('backup_hold').where('id', '=', id).execute())
    },
  }
}
