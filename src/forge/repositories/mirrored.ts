/** Whether a repository is a mirror: then it shows its source, and takes no pushes. */
import type { Db } from '../../store/schema/schema.ts'

/** Null makes it an ordinary repository. */
export async function setMirrorUrlWithin(trx: Db, id: number, url: string | null): Promise<void> {
  await trx.updateTable('repository').set({ mirror_url: url }).where('id', '=', id).execute()
}
